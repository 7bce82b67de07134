"""What the GM sets by hand on a sheet: scores, Wounds, care, and who never rolls (BAR-TRAIT, BAR-TRAUMA, BAR-HEAL)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.names import name_key
from rules.core.reading import read_whole
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.check import BarCharacter
from rules.systems.barmore.harm import time_passed
from rules.systems.barmore.options import read_factor
from rules.systems.barmore.sheet import (
    HIGHEST_SCORE,
    MOST_ENTRIES,
    BarSheet,
    find_trait,
    find_wound,
    replaced_wound,
    with_score,
    with_wound,
    wound_text,
)
from rules.systems.barmore.wounds import HIGHEST_DEGREE, Wound, wound_from
from rules.table.events import Line
from rules.table.forms import read_score
from rules.table.system import Choice

ABILITY, ATTRIBUTE, HURT, HEALED = "ability", "attribute", "hurt", "healed"
CARE, LIFE, STABLE, MINOR = "care", "life", "stable", "minor"
_LIVES: Final = ("rest", "slower", "stopped")
_FLAGS: Final = ("yes", "no")
_SHOWN: Final = 100


def adjustables(sheet: BarSheet) -> tuple[Choice, ...]:
    """Everything that `adjust` sets on this sheet as it is now."""
    found = [
        Choice(ABILITY, Line("bar-adjust-ability")),
        Choice(ATTRIBUTE, Line("bar-adjust-attribute")),
        Choice(HURT, Line("bar-adjust-hurt")),
        Choice(MINOR, Line("bar-adjust-minor")),
    ]
    if sheet.wounds:
        found += [Choice(key, Line(f"bar-adjust-{key}")) for key in (HEALED, CARE, LIFE, STABLE)]
    return tuple(found)


def adjust_values(sheet: BarSheet, what: str) -> tuple[Choice, ...]:
    """The values worth offering."""
    wounds = [wound_text(wound) for wound in sheet.wounds]

    def offered(values: list[str]) -> tuple[Choice, ...]:
        return tuple(Choice(value[:_SHOWN], Line("as-written", {"text": value})) for value in values)

    if what in (ABILITY, ATTRIBUTE):
        scores = sheet.abilities if what == ABILITY else sheet.attributes
        return offered([f"{name} {score}" for name, score in scores])
    if what == HURT:
        return offered(["physical 1", "physical 4", "mental 1", "mental 4"])
    if what == MINOR:
        return offered(list(_FLAGS))
    behind = {HEALED: ("",), CARE: (" x 2", " x 1"), LIFE: tuple(f": {life}" for life in _LIVES)}
    if what == STABLE:
        return offered(wounds)
    return offered([wound + tail for wound in wounds for tail in behind.get(what, ())])


def adjust(
    character: BarCharacter, campaign: Campaign, what: str, value: str, time: int
) -> tuple[BarCharacter, Line]:
    """Set it; the line says what has become of it.

    NotFound("unknown-adjustable", "not-in-tree", "unknown-wound"), InvalidInput("unreadable-score", "out-of-range",
    "bad-factor", "choose-one", "which-wound"), Impossible("too-many-wounds").
    """
    character = time_passed(character, campaign, time)[0]  # what healed until now heals at the old rate
    sheet, key = character.sheet, name_key(what)
    if key in (ABILITY, ATTRIBUTE):
        changed, line = _scored(sheet, campaign, key, value)
    elif key == HURT:
        changed, line = _hurt(sheet, campaign, value, time)
    elif key == MINOR:
        flag = _chosen(value, _FLAGS) == "yes"
        changed, line = replace(sheet, minor=flag), Line("bar-now-minor" if flag else "bar-now-rolls")
    elif key in (HEALED, CARE, LIFE, STABLE):
        changed, line = _treated(sheet, key, value)
    else:
        allowed = (ABILITY, ATTRIBUTE, HURT, HEALED, CARE, LIFE, STABLE, MINOR)
        raise NotFound("unknown-adjustable", field="what", value=what[:_SHOWN], nearest=(), allowed=allowed)
    return replace(character, sheet=changed), line


def _chosen(value: str, allowed: tuple[str, ...]) -> str:
    wanted = name_key(value)
    found = [each for each in allowed if wanted and each.startswith(wanted)]
    if len(found) != 1:
        raise InvalidInput("choose-one", field="value", value=value[:_SHOWN], allowed=allowed)
    return found[0]


def _scored(sheet: BarSheet, campaign: Campaign, what: str, value: str) -> tuple[BarSheet, Line]:
    """`Climbing 3` sets the score, `Climbing none` takes it away (BAR-TRAIT)."""
    abilities = what == ABILITY
    head, _, tail = value.strip().rpartition(" ")
    if tail.casefold() == "none" and head:
        text, score = head, None
    else:
        read = read_score(value)
        if read is None:
            raise InvalidInput("unreadable-score", field="value", value=value[:_SHOWN], fix="write-score")
        text, score = read
    tree = campaign.traits.abilities if abilities else campaign.traits.attributes
    name = find_trait(tree, text, "value")
    lowest = 0 if abilities else -HIGHEST_SCORE
    if score is not None and not lowest <= score <= HIGHEST_SCORE:
        raise InvalidInput("out-of-range", field="value", value=score, lowest=lowest, highest=HIGHEST_SCORE)
    scores = sheet.abilities if abilities else sheet.attributes
    before = dict(scores).get(name)
    new = with_score(scores, name, score)
    changed = replace(sheet, abilities=new) if abilities else replace(sheet, attributes=new)
    return changed, Line("bar-now-score", {"name": name, "score": score, "before": before})


def _hurt(sheet: BarSheet, campaign: Campaign, value: str, time: int) -> tuple[BarSheet, Line]:
    """`physical 4` adds a Wound of that degree (BAR-TRAUMA)."""
    kind_text, _, degree_text = value.strip().partition(" ")
    kind = _chosen(kind_text, ("physical", "mental"))
    degree = read_whole(degree_text, "value", 1, HIGHEST_DEGREE)
    if len(sheet.wounds) >= MOST_ENTRIES:
        raise Impossible("too-many-wounds", most=MOST_ENTRIES)
    wound = wound_from(campaign.chart, "mental" if kind == "mental" else "physical", degree, time)
    assert wound is not None, "a chart begins with degree 1"
    changed = with_wound(sheet, wound)
    return changed, Line("bar-now-hurt", {"name": wound_text(changed.wounds[-1])})


def _split(sheet: BarSheet, value: str, separator: str) -> tuple[Wound, str]:
    """A Wound, and what stands behind the last separator."""
    head, found, tail = value.rpartition(separator)
    return find_wound(sheet, head if found else value, "value"), tail.strip() if found else ""


def _treated(sheet: BarSheet, what: str, value: str) -> tuple[BarSheet, Line]:
    """How a Wound heals, or that it has (BAR-HEAL)."""
    if what == CARE:
        wound, tail = _split(sheet, value, " x ")
        factor = read_factor(tail)
        new = replace(wound, factor=factor)
        line = Line("bar-now-care", {"name": wound_text(wound), "factor": str(factor)})
    elif what == LIFE:
        wound, tail = _split(sheet, value, ":")
        life = _chosen(tail, _LIVES)
        new = replace(
            wound, activity="slower" if life == "slower" else "stopped" if life == "stopped" else "rest"
        )
        line = Line("bar-now-life", {"name": wound_text(wound), "life": life})
    elif what == STABLE:
        wound = find_wound(sheet, value, "value")
        new = replace(wound, stabilised=not wound.stabilised)
        code = "bar-now-stable" if new.stabilised else "bar-now-unstable"
        line = Line(code, {"name": wound_text(wound)})
    else:
        wound = find_wound(sheet, value, "value")
        new, line = None, Line("bar-now-healed", {"name": wound_text(wound)})
    return replaced_wound(sheet, wound, new), line
