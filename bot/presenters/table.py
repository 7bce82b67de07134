"""Cards for everything about a table that is not a check: its settings and people, characters, lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from bot.presenters.character import character_lines
from bot.presenters.controls import Button, Select
from bot.presenters.layout import Heading, Layout, Piece, laid
from bot.presenters.limits import clip
from bot.presenters.names import gm_mentions
from bot.presenters.parts import SETTING_OPTIONS, SETTING_UNITS
from bot.presenters.people import Names
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.text import code_text, listing, name_text, user_text
from bot.presenters.words import TEMPLATES, say
from rules.core.errors import Param
from rules.registry import SYSTEMS
from rules.table import forms
from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.events import (
    GmsChanged,
    PersonChanged,
    SettingsChanged,
    TableCreated,
)
from rules.table.settings import setting_of, settings_form
from rules.table.state import Settings, TableState
from rules.table.system import OddsTable

if TYPE_CHECKING:
    from bot.presenters.scene import Scene

#: What is published of the seeds: stream ("public", "secret") -> fingerprint.
Commitments = Mapping[str, str]

_NAME = 80
_STREAMS: Final[dict[str, str]] = {"public": "open rolls", "secret": "secret rolls"}


def place_text(place: str) -> str:
    """A channel or thread."""
    return f"<#{place}>" if place.isdigit() else user_text(clip(place, _NAME))


# --- settings ---------------------------------------------------------------------------------------------


def setting_meaning(field: str, value: Param) -> str:
    """What a setting with this value does, empty where there are no words for it."""
    if field == "gm_place" and value:
        return f"What only the GMs may see is posted in {place_text(str(value))}."
    code = f"setting-does-{field.replace('_', '-')}"
    return say(Text(code, {"value": value})) if code in TEMPLATES else ""


def _value(field: forms.Field, value: object) -> str:
    """A value as one gives it to `/gm settings`."""
    unit = SETTING_UNITS.get(field.key, 0)
    if unit and isinstance(value, int):
        whole, rest = divmod(value, unit)
        return f"{value / unit:.1f}" if rest else str(whole)
    return str(value)


def _overview_line(settings: Settings, field: forms.Field) -> str:
    """What a setting does now, which option changes it, its value and its default."""
    value, usual = setting_of(settings, field), field.usual
    now = f"`{SETTING_OPTIONS.get(field.key, field.key)}`: {_value(field, value)}"
    default = "the default" if value == usual else f"default: {_value(field, usual)}"
    return f"- {setting_meaning(field.key, value)} {now} ({default})"


def _used(settings: Settings) -> tuple[forms.Field, ...]:
    """The settings that mean something in the table's system, without the name."""
    return tuple(each for each in settings_form(SYSTEMS[settings.system]).fields if each.key != "name")


def _settings_lines(settings: Settings) -> list[str]:
    lines = [f"- {setting_meaning(each.key, setting_of(settings, each))}" for each in _used(settings)]
    return [*lines, f"- {setting_meaning('gm_place', settings.gm_place)}"]


# --- events -----------------------------------------------------------------------------------------------


def _system_name(key: str) -> str:
    return SYSTEMS[key].name if key in SYSTEMS else user_text(key)


def _commitment_lines(commitments: Commitments) -> list[str]:
    if not commitments:
        return []
    return [
        "**Dice that can be checked:** every roll is drawn from a seed that was fixed beforehand. "
        "These fingerprints (SHA-256) show later that no result was changed afterwards.",
        *(
            f"- {_STREAMS.get(stream, user_text(stream))}: {code_text(value)}"
            for stream, value in commitments.items()
        ),
    ]


def created_card(event: TableCreated, names: Names, commitments: Commitments) -> Layout:
    """A new table: who leads it, what to do next, and the fingerprints of its seeds."""
    lines: list[str | Piece] = [
        f"{names.mention(event.gm)} leads this table. It plays {_system_name(event.system)}.",
        Heading("What to do next"),
        "1. Players make their characters with `/character create`, or bring them with `/character import`.",
        "2. The GM looks at `/gm settings` (live play or play by post, what players see of hidden "
        "difficulties) and at `/gm channel` (where secrets go).",
        "3. `/check` says what a character tries and how. `/help` explains the rest.",
    ]
    if event.gm_place is not None:
        lines.append(setting_meaning("gm_place", event.gm_place))
    lines += _commitment_lines(commitments)
    return laid("good", f"{name_text(event.name)} is open", *lines)


def gms_card(event: GmsChanged, names: Names) -> Layout:
    """Who leads the table now."""
    role = f"<@&{event.subject}>" if event.subject.isdigit() else "A role"
    done = {
        "added": f"{names.mention(event.subject)} is now a GM of this table.",
        "removed": f"{names.mention(event.subject)} is no longer a GM of this table.",
        "role_added": f"Everybody with {role} is now a GM of this table.",
        "role_removed": f"{role} no longer makes anybody a GM of this table.",
        "taken_over": f"{names.mention(event.subject)} leads this table now, because its GMs have left.",
    }[event.how]
    leaders = gm_mentions(names, event.gms, event.gm_roles).text
    return laid("waiting", "GMs of this table", done, f"It is led by {leaders}.")


def settings_card(event: SettingsChanged) -> Layout:
    """Each changed setting and what it means."""
    lines = [f"- {setting_meaning(field, value)}" for field, value in event.changes.items()]
    title = "Setting changed" if len(lines) == 1 else "Settings changed"
    return laid("waiting", title, *lines)


def person_card(event: PersonChanged) -> Layout:
    """A participant's own preference."""
    if event.plain:
        return laid("own", "Plain text is on", "What only you see comes as plain text from now on.")
    return laid("own", "Plain text is off", "What only you see comes as cards again.")


# --- lists ------------------------------------------------------------------------------------------------


def table_cards(
    scene: Scene,
    places: Sequence[str],
    *,
    who: Actor,
    gm: bool,
    now: Sequence[str] = (),
    checks: Sequence[str] = (),
) -> tuple[Layout, Layout]:
    """The table for /table show: what it agreed on and who leads it; then who and what is there.

    `now` says where the story stands, `checks` which are open. NPCs are for GMs only.
    """
    state, names = scene.state, scene.names
    settings = state.settings
    leaders = gm_mentions(names, settings.gms, settings.gm_roles).text
    lines: list[str | Piece] = [f"It plays {_system_name(settings.system)} and is led by {leaders}."]
    if places:
        lines.append(f"It is played in {listing(map(place_text, places))}.")
    lines += [Heading("Settings"), *_settings_lines(settings), *_commitment_lines(scene.commitments)]
    there: list[str | Piece] = [Heading("Characters")]
    there += character_lines(state, names, who=who.id, gm=gm, active=None)
    there.append(Heading("Open checks"))
    there += checks or ["- None."]
    if now:
        there += [Heading("The story"), *now]
    name = name_text(settings.name)
    return laid("own", name, *lines), laid("own", f"{name}: who and what is there", *there)


def settings_overview(state: TableState, table_id: int = 0) -> Layout:
    """What the table agreed on, with the way to change it."""
    lines = [f"- {setting_meaning('name', state.settings.name)} `name` changes that."]
    lines += [_overview_line(state.settings, field) for field in _used(state.settings)]
    place = setting_meaning("gm_place", state.settings.gm_place)
    lines.append(f"- {place} `/gm channel` changes that; by default there is none.")
    lines.append("Change them with these options of `/gm settings`.")
    rows = ((Button(f"sg:set:{table_id}", "Change…", "primary"),),) if table_id else ()
    return laid("gm", "Settings of this table", *lines, rows=rows)


def members_card(state: TableState, names: Names) -> Layout:
    """Who leads the table."""
    settings = state.settings
    lines = [f"- {names.mention(gm)}" for gm in settings.gms]
    lines += [f"- everybody with <@&{role}>" for role in settings.gm_roles]
    lines.append("Add or remove somebody with the options of `/gm members`.")
    return laid("gm", "GMs of this table", *lines)


def gm_channel_card(table_id: int, *, declined: bool = False) -> Layout:
    """The question after /setup where secrets are to go."""
    if declined:
        told = f"{setting_meaning('gm_place', None)} `/gm channel` changes that."
        return laid("gm", "No channel for secrets", told)
    return laid(
        "gm",
        "Where should secrets go?",
        "Choose a text channel that only the GMs can read. Hidden difficulties and secret rolls "
        "are posted there. "
        "Without one they wait behind buttons that only the GMs can open.",
        rows=(
            (Select(f"sg:gmch:{table_id}", "A channel that only GMs can read", kind="channel"),),
            (Button(f"sg:nogm:{table_id}", "No such channel"),),
        ),
    )


# --- results -----------------------------------------------------------------------------------------------


def last_card(count: int) -> Layout:
    """The heading of /table last."""
    if not count:
        return laid("own", "What happened last", "There are no results yet.")
    what = "The last result, as far as you may see it."
    if count > 1:
        what = f"The last {count} results, as far as you may see them."
    return laid("own", "What happened last", what)


def unsaid_card(places: Sequence[str]) -> Layout:
    """The heading of what could not be posted so far."""
    where = listing([place_text(place) for place in places])
    text = f"This waits for {where}: Discord does not let the bot post it. `/table doctor` says why."
    return laid("own", "Not posted yet", text)


# --- odds -------------------------------------------------------------------------------------------------


def percent(chance: Fraction) -> str:
    """`63 %`; what is possible is never 0 %, what is not certain never 100 %."""
    whole = round(chance * 100)
    if whole == 0 and chance > 0:
        return "under 1 %"
    if whole == 100 and chance < 1:
        return "over 99 %"
    return f"{whole} %"


def odds_line(table: OddsTable) -> str:
    """`Tricky (10): 63 % · 1+ extra 33 % · automatic failure 10 %`: what is chosen now; of several dice the die too."""
    label, odds = table[0]
    choice = sum(each.totals is not None for _, each in table) > 1
    brief: set[str] = set()
    for words in SYSTEM_WORDS.values():
        brief |= words.brief_odds
    target = f"{say(label)} against {say(odds.target)}" if choice else say(odds.target)
    parts = [f"{target}: {percent(odds.success)}"]
    for line, chance in odds.outcomes:
        if line.code in brief:
            parts.append(f"{say(line)} {percent(chance)}")
            brief.discard(line.code)
    return " · ".join(parts)
