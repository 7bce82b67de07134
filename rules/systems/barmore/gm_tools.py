"""What the GM sets by hand on a sheet: scores, Wounds, care, and who never rolls (BAR-TRAIT, BAR-TRAUMA, BAR-HEAL)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from rules.core.errors import InvalidInput, NotFound
from rules.core.names import name_key
from rules.core.reading import read_whole
from rules.core.record import record
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.check import BarCharacter
from rules.systems.barmore.harm import time_passed
from rules.systems.barmore.options import read_factor
from rules.systems.barmore.sheet import (
    HIGHEST_SCORE,
    MOST_ENTRIES,
    BarSheet,
    find_wound,
    replaced_wound,
    with_wound,
    wound_text,
)
from rules.systems.barmore.traits import ACTIVITIES, find_trait
from rules.systems.barmore.wounds import HIGHEST_DEGREE, LIVES, Wound, wound_from
from rules.table.events import Line
from rules.table.forms import NOBODY, Pick, as_written, read_score
from rules.table.system import Choice, Game

_FLAGS: Final = ("yes", "no")
_SHOWN: Final = 100
#: The sheet as it is set by what was typed, at that minute of the story, with what has become of it.
_Set = Callable[[BarSheet, Campaign, str, int], tuple[BarSheet, Line]]


@record
class _Tool:
    """Something that a GM sets: the values worth offering, and how it is set; `hurt` only where there are Wounds."""

    offered: Callable[[BarSheet], Iterable[str]]
    set: _Set
    hurt: bool = False


def adjustables(character: BarCharacter) -> tuple[Choice, ...]:
    """Everything that `adjust` sets on a sheet as it is now, what Wounds have last."""
    there = (key for key, tool in _TOOLS.items() if character.sheet.wounds or not tool.hurt)
    return tuple(Choice(key, Line("bar-adjust", {"what": key})) for key in there)


def adjust_values(character: BarCharacter, what: str) -> tuple[Choice, ...]:
    """The values worth offering."""
    offered = _TOOLS[what].offered(character.sheet) if what in _TOOLS else ()
    return as_written(value[:_SHOWN] for value in offered)


def adjust(game: Game, character: BarCharacter, what: str, value: str) -> tuple[BarCharacter, Line]:
    """Set it; the line says what has become of it.

    NotFound("unknown-adjustable", "not-in-tree", "unknown-wound", "unknown-choice", "ambiguous-choice"),
    InvalidInput("unreadable-score", "out-of-range", "bad-factor", "which-one", "too-many-entries").
    """
    character = time_passed(game, character)[0]  # what healed until now heals at the old rate
    tool = _TOOLS.get(name_key(what))
    if tool is None:
        allowed = tuple(_TOOLS)
        raise NotFound("unknown-adjustable", field="what", value=what[:_SHOWN], nearest=(), allowed=allowed)
    changed, line = tool.set(character.sheet, game.campaign, value, game.time)
    return replace(character, sheet=changed), line


def _chosen(text: str, allowed: tuple[str, ...]) -> Any:
    return Pick("value", among=as_written(allowed)).found(NOBODY, text)


def _scores(field: str) -> _Tool:
    """`Climbing 3` sets the score, `Climbing none` takes it away (BAR-TRAIT)."""

    def offered(sheet: BarSheet) -> Iterable[str]:
        return (f"{name} {score}" for name, score in getattr(sheet, field))

    def scored(sheet: BarSheet, campaign: Campaign, value: str, time: int) -> tuple[BarSheet, Line]:
        head, _, tail = value.strip().rpartition(" ")
        read = (head, None) if head and tail.casefold() == "none" else read_score(value)
        if read is None:
            raise InvalidInput("unreadable-score", field="value", value=value[:_SHOWN], fix="write-score")
        text, score = read
        name = find_trait(getattr(campaign.traits, field), text, "value")
        lowest = 0 if field == "abilities" else -HIGHEST_SCORE
        if score is not None and not lowest <= score <= HIGHEST_SCORE:
            bounds = {"lowest": lowest, "highest": HIGHEST_SCORE}
            raise InvalidInput("out-of-range", field="value", value=score, **bounds)
        before: dict[str, int | None] = dict(getattr(sheet, field))
        now = tuple((each, n) for each, n in (before | {name: score}).items() if n is not None)
        about = {"what": "score", "name": name, "score": score, "before": before.get(name)}
        return replace(sheet, **{field: now}), Line("bar-now", about)

    return _Tool(offered, scored)


def _hurt(sheet: BarSheet, campaign: Campaign, value: str, time: int) -> tuple[BarSheet, Line]:
    """`physical 4` adds a Wound of that degree (BAR-TRAUMA)."""
    kind_text, _, degree_text = value.strip().partition(" ")
    kind = _chosen(kind_text, ACTIVITIES)
    degree = read_whole(degree_text, "value", 1, HIGHEST_DEGREE)
    present = len(sheet.wounds)
    if present >= MOST_ENTRIES:
        raise InvalidInput("too-many-entries", field="value", value=present, highest=MOST_ENTRIES)
    wound = wound_from(campaign.chart, kind, degree, time)
    assert wound is not None, "a chart begins with degree 1"
    changed = with_wound(sheet, wound)
    return changed, Line("bar-now", {"what": "hurt", "name": wound_text(changed.wounds[-1])})


def _minor(sheet: BarSheet, campaign: Campaign, value: str, time: int) -> tuple[BarSheet, Line]:
    """Whether somebody never rolls (BAR-AUTO)."""
    minor = _chosen(value, _FLAGS) == "yes"
    return replace(sheet, minor=minor), Line("bar-now", {"what": "minor", "minor": minor})


def _wound(key: str, change: Callable[[Wound, str], Wound | None], *tails: str, by: str = "") -> _Tool:
    """How a Wound heals, or that it has (BAR-HEAL): what `change` makes of it, given what stands behind `by`."""

    def offered(sheet: BarSheet) -> Iterable[str]:
        return (wound_text(wound) + tail for wound in sheet.wounds for tail in tails or ("",))

    def changed(sheet: BarSheet, campaign: Campaign, value: str, time: int) -> tuple[BarSheet, Line]:
        head, found, tail = value.rpartition(by) if by else (value, "", "")
        wound = find_wound(sheet, head if found else value, "value")
        new = change(wound, tail.strip() if found else "")
        now = new or wound
        about = {"factor": str(now.factor), "life": now.activity, "stable": now.stabilised}
        line = Line("bar-now", {"what": key, "name": wound_text(wound), **about})
        return replaced_wound(sheet, wound, new), line

    return _Tool(offered, changed, hurt=True)


_TOOLS: Final = {
    "ability": _scores("abilities"),
    "attribute": _scores("attributes"),
    "new wound": _Tool(lambda sheet: ("physical 1", "physical 4", "mental 1", "mental 4"), _hurt),
    "never rolls": _Tool(lambda sheet: _FLAGS, _minor),
    "wound healed": _wound("healed", lambda wound, tail: None),
    "wound care": _wound(
        "care", lambda wound, tail: replace(wound, factor=read_factor(tail)), " x 2", " x 1", by=" x "
    ),
    "wound rest": _wound(
        "life",
        lambda wound, tail: replace(wound, activity=_chosen(tail, LIVES)),
        *[f": {life}" for life in LIVES],
        by=":",
    ),
    "wound stabilised": _wound("stable", lambda wound, tail: replace(wound, stabilised=not wound.stabilised)),
}
