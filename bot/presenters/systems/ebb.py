"""EBB in words."""

from __future__ import annotations

from typing import Final

from bot.presenters.limits import clip
from bot.presenters.systems.base import SystemWords
from bot.presenters.text import plural, signed, user_text
from rules.core.rng import Die
from rules.table.events import CheckView

#: An ability may be called anything; on a card its beginning is enough.
_NAME = 60
#: Re-rolls beyond this many are counted instead of read out.
_FACES = 8


def _faces(dice: list[Die], again: str) -> str:
    if len(dice) == 1:
        return str(dice[0].face)
    shown = dice if len(dice) <= _FACES else [dice[0], *dice[-2:]]
    texts = [str(die.face) if index == 0 else f"{again} {die.face}" for index, die in enumerate(shown)]
    if len(shown) < len(dice):
        texts.insert(1, f"{plural(len(dice) - len(shown), 'throw')} more")
    return ", ".join(texts)


def _dice(view: CheckView) -> tuple[str, ...]:
    """`main d10: 10, again 7`, `Climbing d6: 4`, `Fitness: 2`."""
    main: list[Die] = []
    ability: list[Die] = []
    for die in view.dice:
        if die.name in ("main", "main-again"):
            main.append(die)
        elif die.name in ("ability", "ability-again"):
            ability.append(die)
    found: list[str] = []
    if main:
        found.append(f"main d{main[0].sides}: {_faces(main, 'again')}")
    if ability:
        name = "ability"
        for line in view.traits:
            if line.code == "ebb-ability":
                name = str(line.params["name"])
                break
        found.append(f"{user_text(clip(name, _NAME))} d{ability[0].sides}: {_faces(ability, 'rolled again')}")
    for term in view.terms:
        label = term.label
        if label.code == "ebb-term-attribute":
            found.append(f"{label.params.get('name', 'attribute')}: {term.value}")
        elif label.code == "ebb-term-bonus":
            found.append(f"{'bonus' if term.value > 0 else 'penalty'}: {signed(term.value)}")
    return tuple(found)


WORDS: Final = SystemWords(
    key="ebb",
    prefix="ebb",
    dice=_dice,
    tones={
        "ebb-success": "good",
        "ebb-success-by-sacrifice": "good",
        "ebb-margin-only": "good",
        "ebb-near-miss": "warning",
        "ebb-failure": "bad",
        "ebb-failure-bare": "bad",
        "ebb-automatic-failure": "bad",
        "ebb-fumble": "bad",
    },
    refused=frozenset({"ebb-ability-disallowed", "ebb-attribute-disallowed", "ebb-attribute-defied"}),
    die_names={
        "first": "first property",
        "first-rare": "first property, rare",
        "second": "second property",
        "second-rare": "second property, rare",
    },
    brief_odds=frozenset({"ebb-odds-extra", "ebb-odds-automatic"}),
)
