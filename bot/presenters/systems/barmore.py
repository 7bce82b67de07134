"""Barmore's dice pool in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bot.presenters.dice import number_text
from bot.presenters.systems.base import SystemWords
from bot.presenters.text import Function, Said, listing, plural, signed
from rules.core.rng import Die
from rules.systems.barmore.dice import DIE_TYPES
from rules.table.blocks import Text


def _dice(count: int, kind: str) -> str:
    return plural(count, f"{kind} Die", f"{kind} Dice")


def _causes(said: Said) -> str:
    """`+1 Add Die to begin with, Rapier: +4 Add Dice, …`. The one that everybody begins with is no news alone."""
    found: list[str] = []
    for code, add, modifier, name in said.rows("causes"):
        part = Text(str(code), {"add": add, "modifier": modifier, "name": name})
        found.append(said.say(part).removeprefix("• "))
    return ", ".join(found) if len(found) > 1 else ""


def _times(said: Said) -> str:
    """How many times the usual time so many doublings or halvings are."""
    return str(2 ** said.number("count"))


_SUM: Final = {
    "level": "success level",
    "armour": "armour",
    "muscle": "Muscle Power",
    "weapon": "weapon",
    "toughness": "Toughness",
    "threshold": "threshold",
}


def _blow(said: Said) -> str:
    """`success level 4, armour −2, Muscle Power +1: 3`, where it may be told."""
    terms = {str(name): value for name, value in said.rows("sum")}
    shown = [
        f"{_SUM[name]} {value if name == 'level' else signed(int(value or 0))}"
        for name, value in terms.items()
        if name in _SUM
    ]
    if not shown:
        return ""
    if "attacker" in terms:
        return f"{', '.join(shown)}, and what the attacker brings"
    return f"{', '.join(shown)}: {signed(int(terms['final'] or 0)).removeprefix('+')}"


def _penalty(said: Said) -> str:
    kind = "mental" if said.raw("kind") == "mental" else "physical"
    other = "mental" if kind == "physical" else "physical"
    found: list[str] = []
    if said.raw("penalty") is None and said.raw("other") is None:
        return "no activity is left"
    for key, which in (("penalty", kind), ("other", other)):
        dice = said.raw(key)
        if dice is None:
            found.append(f"no {which} activity is left")
        elif dice:
            found.append(f"{_dice(said.number(key), 'Penalty')} on what is {which}")
    return listing(found) or "costs no dice"


def _branch(score_text: Callable[[int], str]) -> Function:
    """A line of a tree that can be read on a phone: indented below what it belongs to, with its score."""

    def line(said: Said) -> str:
        depth, score = said.number("depth"), said.raw("score")
        branch = "\u2003" * depth + ("└ " if depth else "")
        return f"{branch}{said.text('name', 0)}" + (
            "" if score is None else f" **{score_text(said.number('score'))}**"
        )

    return line


def dice_text(dice: tuple[Die, ...]) -> tuple[str, ...]:
    """`d10-1, kept: 9, 7, 4`, `lowest dropped for 1 Bonus Die: 1`: what each die counts."""
    sides = dice[0].sides
    kind = next(die for die in DIE_TYPES.values() if die.sides == sides)
    kept = [number_text(die.face + kind.add) for die in dice if die.name == "kept"]
    dropped = [(number_text(die.face + kind.add), die.name) for die in dice if die.name != "kept"]
    shown = f"{kind.id}, kept: {', '.join(kept)}"
    if not dropped:
        return (shown,)
    why = _FALLEN.get(dropped[0][1], lambda _: "dropped")(len(dropped))
    return shown, f"{why}: {', '.join(value for value, _ in dropped)}"


#: Why dice fell away, by what they are called.
_FALLEN: Final[dict[str, Callable[[int], str]]] = {
    "bonus": lambda count: f"lowest dropped for {_dice(count, 'Bonus')}",
    "penalty": lambda count: f"highest dropped for {_dice(count, 'Penalty')}",
}


WORDS: Final = SystemWords(
    key="barmore",
    brief_odds=frozenset({"bar-odds-level", "bar-odds-botch"}),
    functions={
        "bar-blow": _blow,
        "bar-causes": _causes,
        "bar-penalty": _penalty,
        "bar-times": _times,
        "bar-branch": _branch(str),
        "bar-signed-branch": _branch(signed),
    },
    own_part="complex action",
    timeline_hint="`/barmore act` begins something, `/barmore switch` breaks off what is under way.",
)
