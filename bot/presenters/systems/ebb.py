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


_HELP: Final = (
    (
        "The round of a check",
        (
            "1. **Propose.** `/check` says who tries what, with which ability and attribute, and "
            "above all how. "
            "Without an idea there is no roll.",
            "2. **The GM answers:** it succeeds; it succeeds, but roll to see how well; it cannot "
            "work; or roll "
            "against a difficulty, open or hidden. The GM may also ask back.",
            "3. **Roll.** A d10 (a 10 is rolled again and added), plus the attribute, plus the ability die. "
            "The total has to reach the difficulty. Every 3 points above it are an extra result.",
            "4. **Look at it.** Up to 3 points short is a near miss: somebody else may try the same way. "
            "More is a clear failure. A 1 on the main die always fails; ones on all dice are a fumble, "
            "and the GM adds a complication.",
            "5. **React.** Until the result stands, 1 Fate point rolls the ability die again. "
            "Before the roll, "
            "a point of the attribute can be sacrificed instead: then it just succeeds.",
        ),
    ),
    (
        "Attacks, hits and recovery",
        (
            "- `/attack` on one of the GMs' people is a check against a difficulty. On another's character both "
            "sides roll: the attack succeeds when its total reaches the other's. There are no levels to shift, "
            "so each counts 3 points on that side's total. A miss loses the chance.",
            "- Whoever is hit chooses: 1 point of Fitness makes it a flesh wound; or the damage is taken in "
            "full, and the GM says what the injury is. For those who do not choose the table has agreed on one "
            "of the two.",
            "- `/heal` rests (if the GM finds the time long enough, every sacrificed point is back) or treats an "
            "injury, which is a roll. The end of a session restores the points as well.",
        ),
    ),
    (
        "Difficulties",
        (
            "Easy 4, Routine 7, Tricky 10, Difficult 13, Very Difficult 16, Near Impossible 19, "
            "Legendary 22, "
            "and 3 more for each level above. A plain number works too.",
            "- 1 level easier for each major dilemma that the idea removes, and for superior equipment; "
            "never below Easy.",
            "- 1 level harder for a flawed idea (2 for a bad flaw), for missing tools (or more), "
            "for using an "
            "injured body part, and for defying a drawback. Whoever defies a drawback adds no attribute.",
            "- The GM decides which of these apply, may refuse an ability or attribute that has "
            "nothing to do "
            "with the idea, may ask for an ability that the task cannot do without, and "
            "may set it against time, when any failure loses the chance.",
        ),
    ),
    (
        "Anomalies and artefacts",
        (
            "`/ebb anomaly` and `/ebb artefact` draw one from the tables: for all to see, for you and the GMs, "
            "or for the GMs alone.",
        ),
    ),
)

WORDS: Final = SystemWords(
    key="ebb",
    prefix="ebb",
    dice=_dice,
    tones={
        "ebb-success": "good",
        "ebb-success-by-sacrifice": "good",
        "ebb-yardstick": "good",
        "ebb-near-miss": "warning",
        "ebb-failure": "bad",
        "ebb-failure-bare": "bad",
        "ebb-automatic-failure": "bad",
        "ebb-fumble": "bad",
    },
    refused=frozenset({"ebb-ability-struck", "ebb-attribute-struck", "ebb-attribute-defied"}),
    die_names={
        "first": "first property",
        "first-rare": "first property, rare",
        "second": "second property",
        "second-rare": "second property, rare",
    },
    brief_odds=frozenset({"ebb-odds-extra", "ebb-odds-automatic"}),
    help=_HELP,
)
