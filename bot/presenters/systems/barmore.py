"""Barmore's dice pool in words."""

from __future__ import annotations

from typing import Final

from bot.presenters.systems.base import SystemWords
from bot.presenters.text import Said, listing, plural, signed
from rules.table.blocks import Text


def _dice(count: int, kind: str) -> str:
    return plural(count, f"{kind} Die", f"{kind} Dice")


def _causes(said: Said) -> str:
    """`+1 Add Die to begin with, Rapier: +4 Add Dice, …`. The one that everybody begins with is no news alone."""
    found: list[str] = []
    for what, add, modifier, name in said.rows("causes"):
        part = Text("bar-part", {"what": what, "add": add, "modifier": modifier, "name": name})
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


def _branch(said: Said) -> str:
    """A line of a tree that can be read on a phone: indented below what it belongs to, with its score."""
    depth, score = said.number("depth"), said.raw("score")
    branch = "\u2003" * depth + ("└ " if depth else "") + said.text("name", 0)
    shown = signed(said.number("score")) if said.raw("signed") else score
    return branch if score is None else f"{branch} **{shown}**"


WORDS: Final = SystemWords(
    key="barmore",
    brief_odds=frozenset({"bar-odds-level", "bar-odds-botch"}),
    functions={
        "bar-blow": _blow,
        "bar-causes": _causes,
        "bar-penalty": _penalty,
        "bar-times": _times,
        "bar-branch": _branch,
    },
    own_part="complex action",
    timeline_hint="`/barmore act` begins something, `/barmore switch` breaks off what is under way.",
)
