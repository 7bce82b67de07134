"""What the GM sets by hand on a sheet: scores, Wounds, care, and who never rolls (BAR-TRAIT,
BAR-TRAUMA, BAR-HEAL).
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
from rules.table.forms import QUOTE_MAX, Option, plain_options, read_score
from rules.table.gm_values import ONE, LabelParams, Tool, Tools, append_entry
from rules.table.system import Game

Put = Callable[[Game, BarSheet, str, str], tuple[BarSheet, LabelParams]]
_FLAGS: Final = ("yes", "no")
_WOUNDS: Final = ("physical 1", "physical 4", "mental 1", "mental 4")
_SAYS: Final = "bar-set"


def _scores(field: str) -> Tool:
    """`Climbing 3` sets the score, `Climbing none` takes it away (BAR-TRAIT)."""

    def offers(sheet: BarSheet, _: str) -> tuple[Option, ...]:
        return plain_options(f"{name} {score}" for name, score in getattr(sheet, field))

    def put(game: Game, sheet: BarSheet, _: str, value: str) -> tuple[BarSheet, LabelParams]:
        head, _, tail = value.rpartition(" ")
        read = (head, None) if head and tail.casefold() == "none" else read_score(value)
        if read is None:
            raise InvalidInput(
                "unreadable-score", field="value", value=value[:QUOTE_MAX], fix="write-score"
            )
        text, score = read
        name = find_trait(getattr(game.campaign.traits, field), text, "value")
        if score is not None:
            read_whole_number(
                str(score), "value", 0 if field == "abilities" else -HIGHEST_SCORE, HIGHEST_SCORE
            )
        before: dict[str, int | None] = dict(getattr(sheet, field))
        now = tuple((each, n) for each, n in (before | {name: score}).items() if n is not None)
        return sheet.replace(**{field: now}), {
            "name": name,
            "score": score,
            "before": before.get(name),
        }

    return Tool(_SAYS, lambda sheet: ONE, put, offers)


def _add_wound(game: Game, sheet: BarSheet, _: str, value: str) -> tuple[BarSheet, LabelParams]:
    """`physical 4` adds a Wound of that degree (BAR-TRAUMA)."""
    kind, _, degree = (
        value if " " in value else unique_match(_WOUNDS, value, field="value")
    ).partition(" ")
    chosen, worst = (
        unique_match(ACTIVITIES, kind, field="value"),
        read_whole_number(degree, "value", 1, HIGHEST_DEGREE),
    )
    wound = wound_from(game.campaign.chart, chosen, worst, game.time)
    assert wound is not None, "a chart begins with degree 1"
    append_entry(sheet.wounds, wound, "value", MOST_ENTRIES)
    changed = sheet.with_wound(wound)
    return changed, {"name": changed.wounds[-1].label}


def _set_minor(game: Game, sheet: BarSheet, _: str, value: str) -> tuple[BarSheet, LabelParams]:
    """Whether somebody never rolls (BAR-AUTO)."""
    minor = unique_match(_FLAGS, value, field="value") == "yes"
    return sheet.replace(minor=minor), {"minor": minor}


def _wound(change: Callable[[Wound, str], Wound | None], *tails: str, by: str = "") -> Tool:
    """How a Wound heals, or that it has (BAR-HEAL): what `change` makes of it, given what stands
    behind `by`.
    """

    def offers(sheet: BarSheet, _: str) -> tuple[Option, ...]:
        found = (wound.label + tail for wound in sheet.wounds for tail in tails or ("",))
        return plain_options(each[:QUOTE_MAX] for each in found)

    def put(game: Game, sheet: BarSheet, _: str, value: str) -> tuple[BarSheet, LabelParams]:
        head, found, tail = value.rpartition(by) if by else (value, "", "")
        wound = sheet.find_wound(head if found else value, "value")
        new = change(wound, tail.strip() if found else "")
        now = new or wound
        about = {"factor": str(now.factor), "life": now.activity, "stable": now.stabilised}
        return sheet.with_changed_wound(wound, new), {"name": wound.label, **about}

    return Tool(_SAYS, lambda sheet: ONE if sheet.wounds else (), put, offers)


def _with_care(wound: Wound, tail: str) -> Wound:
    return wound.replace(factor=read_factor(tail))


def _with_activity(wound: Wound, tail: str) -> Wound:
    return wound.replace(activity=unique_match(LIVES, tail, field="value"))


def _single_tool(put: Put, *values: str) -> Tool:
    return Tool(_SAYS, lambda sheet: ONE, put, lambda sheet, name: plain_options(values))


#: What healed until now heals at the old rate.
TOOLS: Final = Tools(
    {
        "ability": _scores("abilities"),
        "attribute": _scores("attributes"),
        "new wound": _single_tool(_add_wound, *_WOUNDS),
        "never rolls": _single_tool(_set_minor, *_FLAGS),
        "wound healed": _wound(lambda wound, tail: None),
        "wound care": _wound(_with_care, " x 2", " x 1", by=" x "),
        "wound rest": _wound(_with_activity, *[f": {life}" for life in LIVES], by=":"),
        "wound stabilized": _wound(
            lambda wound, tail: wound.replace(stabilised=not wound.stabilised)
        ),
    },
    current=lambda game, character: heal_until_now(game, character)[0],
)
