"""Tools by which a GM sets values of a sheet: scores, Wounds, care, and who never rolls.

BAR-TRAIT, BAR-TRAUMA, BAR-HEAL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rules.core.errors import InvalidInput
from rules.core.json_reader import read_whole_number
from rules.core.name_matching import unique_match
from rules.systems.barmore.check_forms import read_factor
from rules.systems.barmore.sheet import HIGHEST_SCORE, MOST_ENTRIES, BarSheet
from rules.systems.barmore.sheet_wounds import heal_until_now
from rules.systems.barmore.trait_trees import ACTIVITIES, find_trait
from rules.systems.barmore.wounds import HIGHEST_DEGREE, LIVES, Wound, wound_from
from rules.table.forms.entry_fields import read_score
from rules.table.forms.fields import QUOTE_MAX, Option, plain_options
from rules.table.gm_values import ONE, LabelParams, Tool, Tools, append_entry
from rules.table.system import Game

Setter = Callable[[Game, BarSheet, str, str], tuple[BarSheet, LabelParams]]
_FLAGS: Final = ("yes", "no")
_WOUNDS: Final = ("physical 1", "physical 4", "mental 1", "mental 4")
_SAYS: Final = "bar-set"


def _score_tool(field: str) -> Tool:
    """Return the tool for scores (BAR-TRAIT): `Climbing 3` sets one, `Climbing none` removes it."""

    def offers(sheet: BarSheet, _: str) -> tuple[Option, ...]:
        return plain_options(f"{name} {score}" for name, score in getattr(sheet, field))

    def set_score(game: Game, sheet: BarSheet, _: str, value: str) -> tuple[BarSheet, LabelParams]:
        head, _, tail = value.rpartition(" ")
        entry = (head, None) if head and tail.casefold() == "none" else read_score(value)
        if entry is None:
            raise InvalidInput(
                "unreadable-score", field="value", value=value[:QUOTE_MAX], fix="write-score"
            )
        text, score = entry
        name = find_trait(getattr(game.campaign.traits, field), text, "value")
        if score is not None:
            lowest = 0 if field == "abilities" else -HIGHEST_SCORE
            read_whole_number(str(score), "value", lowest, HIGHEST_SCORE)
        before: dict[str, int | None] = dict(getattr(sheet, field))
        after = before | {name: score}
        scores = tuple((trait, points) for trait, points in after.items() if points is not None)
        params: LabelParams = {"name": name, "score": score, "before": before.get(name)}
        return sheet.replace(**{field: scores}), params

    return Tool(_SAYS, lambda sheet: ONE, set_score, offers)


def _add_wound(game: Game, sheet: BarSheet, _: str, value: str) -> tuple[BarSheet, LabelParams]:
    """Add a Wound of a degree (BAR-TRAUMA): `physical 4`."""
    text = value if " " in value else unique_match(_WOUNDS, value, field="value")
    kind_text, _, degree_text = text.partition(" ")
    kind = unique_match(ACTIVITIES, kind_text, field="value")
    degree = read_whole_number(degree_text, "value", 1, HIGHEST_DEGREE)
    wound = wound_from(game.campaign.chart, kind, degree, game.time)
    assert wound is not None, "a chart begins with degree 1"
    append_entry(sheet.wounds, wound, "value", MOST_ENTRIES)
    changed = sheet.with_wound(wound)
    return changed, {"name": changed.wounds[-1].label}


def _set_minor(game: Game, sheet: BarSheet, _: str, value: str) -> tuple[BarSheet, LabelParams]:
    """Set whether a character never rolls (BAR-AUTO)."""
    minor = unique_match(_FLAGS, value, field="value") == "yes"
    return sheet.replace(minor=minor), {"minor": minor}


def _wound_tool(change: Callable[[Wound, str], Wound | None], *tails: str, by: str = "") -> Tool:
    """Return a tool that changes a Wound (BAR-HEAL).

    *change* receives the Wound and the text behind *by*. It returns the new Wound, or None for one
    that is healed. *tails* are the texts behind a Wound's name that are offered.
    """

    def offers(sheet: BarSheet, _: str) -> tuple[Option, ...]:
        texts: list[str] = []
        for wound in sheet.wounds:
            texts += [wound.label + tail for tail in tails or ("",)]
        return plain_options(text[:QUOTE_MAX] for text in texts)

    def set_wound(game: Game, sheet: BarSheet, _: str, value: str) -> tuple[BarSheet, LabelParams]:
        head, separator, tail = value.rpartition(by) if by else (value, "", "")
        wound = sheet.find_wound(head if separator else value, "value")
        new = change(wound, tail.strip() if separator else "")
        now = new or wound
        about = {"factor": str(now.factor), "life": now.activity, "stable": now.stabilised}
        return sheet.with_changed_wound(wound, new), {"name": wound.label, **about}

    return Tool(_SAYS, lambda sheet: ONE if sheet.wounds else (), set_wound, offers)


def _with_care(wound: Wound, tail: str) -> Wound:
    """Return a Wound with another factor of medical attention."""
    return wound.replace(factor=read_factor(tail))


def _with_activity(wound: Wound, tail: str) -> Wound:
    """Return a Wound whose owner lives otherwise."""
    return wound.replace(activity=unique_match(LIVES, tail, field="value"))


def _single_tool(setter: Setter, *values: str) -> Tool:
    """Return a tool for a single value of a sheet."""
    return Tool(_SAYS, lambda sheet: ONE, setter, lambda sheet, name: plain_options(values))


#: Tools by name. Wounds first heal until now, at the rate that held before the change.
TOOLS: Final = Tools(
    {
        "ability": _score_tool("abilities"),
        "attribute": _score_tool("attributes"),
        "new wound": _single_tool(_add_wound, *_WOUNDS),
        "never rolls": _single_tool(_set_minor, *_FLAGS),
        "wound healed": _wound_tool(lambda wound, tail: None),
        "wound care": _wound_tool(_with_care, " x 2", " x 1", by=" x "),
        "wound rest": _wound_tool(_with_activity, *[f": {life}" for life in LIVES], by=":"),
        "wound stabilized": _wound_tool(
            lambda wound, tail: wound.replace(stabilised=not wound.stabilised)
        ),
    },
    current=lambda game, character: heal_until_now(game, character)[0],
)
