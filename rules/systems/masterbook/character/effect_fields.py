"""Fields of a special effect's draft, as data (MB-SFX-40, MB-SFX-S00 to -S25).

A draft is flat, with the fields of a blueprint and a few of its own: `area` is a text such as
`sphere 2`, `unreal` a difficulty of disbelief, `unreal_division` and `rush_division` such as `2/3`.
Prices depend on the blueprint; `effect_elements` and `effect_forms` add them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.name_matching import name_key, unique_match
from rules.systems.masterbook.character.effect_conditions import (
    CONDITION_FORM,
    LONGEST_SKILL,
    LONGEST_TEXT,
    condition_line,
    read_condition,
)
from rules.systems.masterbook.character.effect_io import TEXTS_MOST
from rules.systems.masterbook.character.effect_measures import Measure
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, canonical_skill
from rules.systems.masterbook.character.split_field import SplitField
from rules.systems.masterbook.formulas.effect_blueprint import (
    ACTIONS,
    BLUEPRINT_BOUNDS,
    ENTRIES_MOST,
    Condition,
)
from rules.systems.masterbook.formulas.effect_rows import EFFECT_SKILLS, SHAPES, SWITCHES, UNREAL
from rules.systems.masterbook.formulas.effect_templates import TEMPLATES
from rules.systems.masterbook.formulas.measures import MeasureKind
from rules.systems.masterbook.formulas.value_chart import Mode
from rules.table.blocks import Text
from rules.table.forms.entry_fields import Lines, Rows, Scores
from rules.table.forms.fields import (
    Flag,
    FormContext,
    Number,
    Option,
    Pick,
    Typed,
    plain_options,
    spoken_value,
)
from rules.table.forms.form import Field, Form

#: Key of the template that a draft was begun with.
TEMPLATE: Final = "template"
#: Value of `to_hit` for the casting's own total.
CASTING: Final = "casting"
#: Most entries of a menu.
MENU_MOST: Final = 24
#: Attributes and other values that an effect can meet, besides skills.
TRAITS: Final = ("Toughness", *(key.capitalize() for key in ATTRIBUTES))
#: Most characters of a typed text that an error quotes.
_QUOTED: Final = 100
_AREA: Final = re.compile(
    r"(?P<kind>sphere|ball|cube|circle|disc|flat)\s*(?P<meters>\d{1,4})\s*(?:m|meters?)?",
    re.IGNORECASE,
)
#: Words for a flat area.
_FLAT: Final = ("circle", "disc", "flat")
_DIVISION: Final = re.compile(
    r"(?:dn\s*)?[-\u2212]?(\d{1,4})\s*[/, ]\s*(?:fv\s*)?[-\u2212]?(\d{1,4})", re.IGNORECASE
)


def label(what: str, **more: Any) -> Text:
    """Return a text of the form: the title of a field, its help, or an entry of its menu."""
    return Text("mb-effect-form", {"what": what, **more})


# --- readers of typed texts -----------------------------------------------------------------------


def read_area(asking: FormContext, text: str) -> str:
    """Return an area in its one form: `sphere 2`. Raises InvalidInput("mb-effect-area")."""
    match = _AREA.fullmatch(" ".join(text.split()))
    low, high = BLUEPRINT_BOUNDS["diameter"]
    if match is None or not low <= int(match["meters"]) <= high:
        shown = {"value": text[:_QUOTED], "lowest": low, "highest": high}
        raise InvalidInput("mb-effect-area", field="area", **shown)
    kind = "circle" if match["kind"].casefold() in _FLAT else "sphere"
    return f"{kind} {int(match['meters'])}"


def read_division(field: str) -> Callable[[FormContext, str], str]:
    """Return the reader of a division of points: `2/3` for 2 to the DN and 3 to the FV.

    The reader raises InvalidInput("mb-effect-bad-division") for any other text.
    """

    def read(asking: FormContext, text: str) -> str:
        match = _DIVISION.fullmatch(" ".join(text.split()))
        if match is None:
            raise InvalidInput("mb-effect-bad-division", field=field, value=text[:_QUOTED])
        return f"{int(match[1])}/{int(match[2])}"

    return read


def _key_reader(field: str, rows: Iterable[str]) -> Callable[[FormContext, str], str]:
    """Return the reader of a key of a table, as of `on off` for `on_off`."""
    keys = tuple(rows)

    def read(asking: FormContext, text: str) -> str:
        return unique_match(keys, text, spoken_value, lambda key: key, field=field)

    return read


def _read_name(text: str) -> str:
    return " ".join(text.split())


def _read_skill(asking: FormContext, text: str) -> str:
    """Return the skill of a casting, as `unique_match` finds it and with the errors it raises."""
    return unique_match(tuple(EFFECT_SKILLS), text, field="skill")


def _read_trait(asking: FormContext, text: str) -> str:
    """Return a trait as sheets name it: an Attribute, a skill, or else as it is typed."""
    key = name_key(text)
    if key in ATTRIBUTES:
        return key.capitalize()
    name = canonical_skill(text)
    return name[:1].upper() + name[1:]


def _read_resistance(asking: FormContext, text: str) -> str:
    return " ".join(text.split())[:LONGEST_SKILL]


def _read_to_hit(asking: FormContext, text: str) -> str:
    plain = " ".join(text.split())[:LONGEST_SKILL]
    return CASTING if plain.casefold() == CASTING else plain


def _read_disbelief(asking: FormContext, text: str) -> str:
    plain = text.casefold().removeprefix("dn").strip()
    return unique_match(tuple(map(str, UNREAL)), plain, field="unreal")


# --- makers of fields -----------------------------------------------------------------------------


def measure_field(key: str, kind: MeasureKind, mode: Mode = "inclusive_up", **more: Any) -> Measure:
    """Return the field of a blueprint's value that may be typed as a measure."""
    low, high = BLUEPRINT_BOUNDS[key]
    shown: dict[str, Any] = {"title": label(key), "help": label(f"{key}-help"), **more}
    return Measure(key, measures=kind, mode=mode, low=low, high=high, **shown)


def _number(key: str, bounds: str = "", **more: Any) -> Number:
    """Return the field of a number; *bounds* is the key of its bounds if it is another."""
    low, high = BLUEPRINT_BOUNDS[bounds or key]
    return Number(key, title=label(key), low=low, high=high, **more)


def _element(key: str, *, apart: bool = True) -> Number:
    """Return the field of an optional element that is bought by a number."""
    return _number(key, nothing=label(f"no-{key}"), apart=apart)


def shape_text(shape: str) -> Text:
    """Return the name of an area's shape (MB-SFX-S06)."""
    return Text("mb-effect-shape", {"shape": shape})


def switch_text(switch: str) -> Text:
    """Return the name of a way to end an effect early (MB-SFX-S11)."""
    return Text("mb-effect-switch", {"switch": switch})


def _holder_text(holder: str) -> Text:
    return Text("mb-effect-holder", {"holder": holder})


def _action_text(action: str) -> Text:
    return Text("mb-effect-action", {"action": action})


def _rush_text(steps: int) -> Text:
    return Text("mb-effect-rush", {"n": steps})


_TEMPLATES: Final = tuple(
    Option(key, Text("mb-effect-template", {"template": key})) for key in TEMPLATES
)
_HOLDERS: Final = tuple(Option(holder, _holder_text(holder)) for holder in ("mind", "person"))
_ACTIONS: Final = tuple(
    Option(action, _action_text(action)) for action in ACTIONS if action != "words"
)

# --- the fields -----------------------------------------------------------------------------------

#: What the effect is, and the skill that casts it.
_IDEA: Final[tuple[Field, ...]] = (
    Pick(TEMPLATE, title=label("template"), choices=_TEMPLATES, nothing=label("no-template")),
    Typed("name", title=label("name"), most=TEXTS_MOST["name"], needed=True, read=_read_name),
    Pick("skill", title=label("skill"), find=_read_skill, needed=True),
    Typed("focus", title=label("focus"), most=LONGEST_SKILL, read=_read_name),
    Typed(
        "summary", title=label("summary"), help=label("summary-help"), most=TEXTS_MOST["summary"]
    ),
    Typed("description", title=label("description"), most=TEXTS_MOST["description"], long=True),
)
#: Steps 1 to 5 (MB-SFX-S01 to -S05).
_BASICS: Final[tuple[Field, ...]] = (
    _number("effect_value"),
    measure_field("range_value", "distance"),
    measure_field("speed_value", "speed"),
    measure_field("duration_value", "time"),
    measure_field("cast_time_value", "time", "down"),
)
#: Steps 6 to 15, the targets first (MB-SFX-S06 to -S15).
_ELEMENTS: Final[tuple[Field, ...]] = (
    Pick(
        "area",
        title=label("area"),
        help=label("area-help"),
        find=read_area,
        nothing=label("no-area"),
        writable=True,
    ),
    Pick(
        "shape",
        title=label("shape"),
        find=_key_reader("shape", SHAPES),
        nothing=shape_text("none"),
    ),
    _element("targets"),
    Lines(
        "traits",
        title=label("traits"),
        topic=label("add-trait"),
        help=label("traits-help"),
        most=ENTRIES_MOST,
        longest=LONGEST_SKILL,
        commas=True,
        find=_read_trait,
    ),
    _element("target_changes"),
    Pick(
        "switch",
        title=label("switch"),
        find=_key_reader("switch", SWITCHES),
        nothing=switch_text("none"),
    ),
    _element("charges"),
    Flag("movement", title=label("movement")),
    Flag("maintenance", title=label("maintenance")),
    _element("focus_targets", apart=False),
    _element("points_down"),
    _element("points_up"),
    _element("accuracy"),
    _element("extension"),
    Pick("holder", title=label("holder"), choices=_HOLDERS, nothing=_holder_text("object")),
    Typed("ward", title=label("ward"), help=label("ward-help"), most=LONGEST_TEXT),
    Scores(
        "extras",
        title=label("extras"),
        help=label("extras-help"),
        low=0,
        high=BLUEPRINT_BOUNDS["cost"][1],
        most=ENTRIES_MOST,
    ),
)
#: Steps 16 to 24: the split, conditions and illusions (MB-SFX-S16 to -S24).
_LOWERING: Final[tuple[Field, ...]] = (
    SplitField(
        "dn_share",
        title=label("dn_share"),
        low=0,
        high=BLUEPRINT_BOUNDS["dn_share"][1],
        apart=True,
        writable=True,
    ),
    Rows(
        "conditions",
        title=label("conditions"),
        help=label("conditions-help"),
        most=ENTRIES_MOST,
        form=CONDITION_FORM,
        line=read_condition,
        said=condition_line,
        instead=lambda line: {},
        kind=Condition,
        add_label=label("add-condition"),
    ),
    Pick("unreal", title=label("unreal"), find=_read_disbelief, nothing=label("real")),
    Pick(
        "unreal_division",
        title=label("unreal_division"),
        help=label("division-help"),
        find=read_division("unreal_division"),
        writable=True,
    ),
)
#: What the effect does in play (MB-SFX-23 to -26).
_PLAY: Final[tuple[Field, ...]] = (
    Pick(
        "action",
        title=label("action"),
        choices=_ACTIONS,
        find=_key_reader("action", ACTIONS),
        nothing=_action_text("words"),
    ),
    Pick(
        "resisted_by",
        choices=plain_options((*TRAITS, "Willpower")),
        find=_read_resistance,
        writable=True,
        nothing=label("no-resistance"),
    ),
    _number("resisting_number"),
    Pick(
        "to_hit",
        title=label("to_hit"),
        find=_read_to_hit,
        writable=True,
        nothing=label("no-to-hit"),
    ),
    Flag("on_self", title=label("on_self"), label=label("on_self")),
    Flag("every_round", title=label("every_round"), label=label("every_round")),
)
#: Time saved at the design (MB-SFX-92).
_RUSH: Final[tuple[Field, ...]] = (
    _number(
        "rush_steps",
        "steps",
        offered=tuple(range(1, MENU_MOST)),
        label=_rush_text,
        apart=True,
        nothing=label("no-rush"),
    ),
    Pick(
        "rush_division",
        title=label("rush_division"),
        find=read_division("rush_division"),
        nothing=label("rush-even"),
    ),
)

#: All fields of a draft without prices, in the order of the steps. Drafts are read by them.
DRAFT_FORM: Final = Form((*_IDEA, *_BASICS, *_ELEMENTS, *_LOWERING, *_PLAY, *_RUSH))
#: Keys of the steps 1 to 5; a 0 there is a choice of its own.
BASIC_KEYS: Final = tuple(field.key for field in _BASICS)
