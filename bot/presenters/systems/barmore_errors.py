"""What the arithmetic of Barmore's dice pool refuses, in words."""

from __future__ import annotations

from typing import Final

from bot.presenters.text import Said, Template, plural

_TIME: Final[dict[str, str]] = {
    "detailed": "time is counted in phases",
    "regular": "time is halved or doubled",
}


def _not_a_descendant(said: Said) -> str:
    start = f"{said.quoted()} does not stand below {said['wanted']} in the tree, so it cannot take its place."
    return start if said.items("nearest") else f"{start} No trait below it has a score."


def _too_many_converted(said: Said) -> str:
    highest = said.number("highest")
    could = (
        f"{plural(highest, 'Add Die', 'Add Dice')} can be converted" if highest else "none can be converted"
    )
    return f"One Add Die has to remain, so {could} here; you gave {said['value']}."


def _other_time_mode(said: Said) -> str:
    how = _TIME.get(str(said.raw("mode")), "time is counted otherwise")
    return f"{said.option()} does not fit here, where {how}. Use {said.either('allowed')}."


CODES: Final[dict[str, Template]] = {
    # Dice and pools.
    "unknown-die-type": "{quoted} is no die of this game.",
    "pool-too-large": "That would be {value} dice, and {highest} are the most that are rolled at once.",
    "too-many-converted": _too_many_converted,
    "other-time-mode": _other_time_mode,
    "quicker-and-slower": lambda said: (
        f"A task is either hurried or given more time. Give {said.either('allowed')}, not both."
    ),
    "unknown-team-mode": "{quoted} is no way to work together. There are: {allowed}.",
    "empty-team": "Nobody works together there. Name at least one member.",
    "member-without-dice": (
        "Member {value} has no Add Die left and would fail without a roll, so there is nothing to bring in. "
        "Leave them out, or hurry less."
    ),
    "no-add-dice": "No Add Die is left, so the task fails without a roll. Hurry less to have a chance.",
    # Traits.
    "not-in-tree": "{quoted} is no trait of this campaign.",
    "ambiguous-trait": "{quoted} could be several traits: {nearest}. Write more of the name.",
    "not-a-descendant": _not_a_descendant,
    "bad-tree": "The trees of traits cannot be used yet.",
    "duplicate-trait": lambda said: f"{said.quoted()} is in this tree already ({said.option('first')})",
    "unknown-parent": "there is no trait {quoted} to stand below",
    "trait-circle": "these stand below one another in a circle: {names}",
    "tree-too-deep": "{quoted} stands too deep: a tree has {highest} levels at most",
    "missing-attribute": "the rules need {need}, and it is not there",
    # The Wound chart.
    "bad-chart": "The Wound chart cannot be used yet.",
    "chart-begins-late": "the lightest Wound begins at degree {value}, and degrees below it would do nothing",
    "chart-not-rising": "{value} is not above the row before it",
    "duplicate-row": lambda said: (
        f"a Wound {said.quoted()} is in this chart already ({said.option('first')})"
    ),
}

FIXES: Final[dict[str, Template]] = {
    "correct-parent": "Write the name of a trait of this tree, or null for a root",
    "break-circle": "Let one of them stand below another trait, or write null for a root",
    "hang-higher": "Let it stand below a trait that is higher up",
    "add-attribute": "Add an attribute {need}",
    "begin-at-one": "Let the first row begin at 1",
    "choose-higher": "Write {lowest} or more",
}
