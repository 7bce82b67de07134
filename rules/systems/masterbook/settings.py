"""Settings of a table that plays MasterBook: options of the rules, and their presets."""

from __future__ import annotations

from typing import Final

from rules.core.data_rows import from_json, json_loader
from rules.core.errors import InvalidInput
from rules.core.name_matching import name_key, similar_names
from rules.systems.masterbook.formulas.option_kinds import BACKGROUND_ROWS, LIST_COLUMNS
from rules.table.actions import ChangeSettings
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.commands import Command, CommandAction
from rules.table.forms.fields import FormContext, Option, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.settings.choice_rows import OptionRow, option_fields, setting_field
from rules.table.settings.table_settings import REACTION_SETTINGS
from rules.table.system import Game

_ROWS: Final = from_json(dict[str, object], json_loader("rules.systems.masterbook", "settings")())
#: Most characters of a list of barred skills, options or targets.
_MAX_LIST: Final = 1000
#: Value of `background_limits` while the table has set none.
NO_LIMITS: Final = "unset"
_BACKGROUND: Final = Text("settings-topic-background")


def _read_limits(asking: FormContext, text: str) -> str:
    """Return limits in canonical form: the name of a preset, or four numbers (MB-BG-02).

    Raises InvalidInput("mb-background-limits").
    """
    campaign = asking.campaign if asking.game is not None else None
    presets = [*BACKGROUND_ROWS.presets]
    if campaign is not None:
        presets = [*campaign.presets, *presets]
    names = {name_key(preset.name): preset.name for preset in presets}
    wanted = name_key(text)
    if wanted in names:
        return names[wanted]
    numbers = text.replace("/", " ").replace(",", " ").split()
    are_digits = all(number.isdecimal() and len(number) == 1 for number in numbers)
    if len(numbers) == LIST_COLUMNS and are_digits:
        return " ".join(numbers)
    if wanted in ("", *map(name_key, (NO_LIMITS, "none", "no"))):
        return NO_LIMITS
    raise InvalidInput(
        "mb-background-limits",
        field="background_limits",
        value=text[:100],
        allowed=tuple(names.values()),
        nearest=similar_names(text, (*names.values(), NO_LIMITS)),
    )


def _read_list(text: str) -> str:
    """Return a list in canonical form: entries with a comma between them."""
    entries = [entry.strip() for entry in text.split(",")]
    return ", ".join(entry for entry in entries if entry)


def _barred(key: str) -> Typed:
    """Return the setting for a list of what a world doesn't have."""
    return setting_field(
        Typed(
            key,
            most=_MAX_LIST,
            blank=True,
            read=_read_list,
            default="",
            topic=Text("settings-topic-barred"),
        )
    )


_LIMITS: Final = setting_field(
    Pick(
        "background_limits",
        choices=tuple(
            Option(name, Text("setting-background-limits-value", {"value": name}))
            for name in (NO_LIMITS, *[preset.name for preset in BACKGROUND_ROWS.presets])
        ),
        find=_read_limits,
        writable=True,
        needed=True,
        default=NO_LIMITS,
        topic=_BACKGROUND,
    )
)
SETTINGS: Final = Form(
    (
        *REACTION_SETTINGS,
        *option_fields(from_json(tuple[OptionRow, ...], _ROWS["settings"])),
        _LIMITS,
        *map(_barred, ("barred_skills", "barred_options", "barred_targets")),
    )
)
#: Options that go together. A preset sets those that only others have to the book's rule.
PRESETS: Final = from_json(dict[str, dict[str, bool | int | str]], _ROWS["presets"])


def _preset_keys() -> tuple[str, ...]:
    """Return the settings that any preset sets."""
    keys: list[str] = []
    for preset in PRESETS.values():
        keys.extend(preset)
    return tuple(dict.fromkeys(keys))


_PRESET_KEYS: Final = _preset_keys()


def _preset(game: Game, given: Values) -> CommandAction:
    values = {key: SETTINGS.defaults[key] for key in _PRESET_KEYS}
    values |= PRESETS[given["preset"]]
    return CommandAction(ChangeSettings, {"values": values}, openly=True)


COMMANDS: Final = (
    Command(
        "preset", _preset, Form((Pick("preset", choices=plain_options(PRESETS), needed=True),))
    ),
)
