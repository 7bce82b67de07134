"""A system for tests of turns: every round begins with declarations, then dice give the order;
breath comes back, and whoever is stunned is told when it is over.
"""

from __future__ import annotations

from typing import Any, Final

from rules.core.record import Record
from rules.core.rng import Rng
from rules.table.blocks import Block, Text
from rules.table.check import ANY_GM, PASS, Check, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.initiative import require_encounter
from rules.table.marks import with_marks
from rules.table.resources import Resource
from rules.table.state import AnyCharacter, Mark
from rules.table.system import Game, Initiative, System, Tick, TickResult, Turns
from rules.table.turns.turn_changes import begin_turns, with_scores
from rules.table.turns.turn_changes import initiative_for as rolled


class Sheet(Record):
    breath: int = 2
    speed: int = 0


class Plans(Record):
    """What was declared for a round, by character."""

    round: int = 0
    declared: tuple[tuple[str, str], ...] = ()


class Round(Record):
    asks: tuple[str, ...] = ()
    declared: tuple[tuple[str, str], ...] = ()
    thrown: bool = False


def initiative(game: Game, character: AnyCharacter, rng: Rng) -> Initiative:
    face = rng.below(6) + 1
    return Initiative(
        (face, character.sheet.speed), Text("rolled", {"name": character.name, "score": face})
    )


def _there(game: Game, place: str) -> tuple[str, ...]:
    return tuple(
        [
            each.character
            for each in require_encounter(game.state, place).order
            if each.character is not None
        ]
    )


class Declaring(Stage[Any]):
    """Players' characters say what they will do, all at once; where there are none the dice fall at
    once.
    """

    name = "declaring"

    def enter(self, game: Game, check: Check[Round], /) -> StageResult[Any] | None:
        owned = [each for each in _there(game, check.place) if game.character(each).owner]
        return StageResult(game.state, check.data.replace(asks=tuple(owned)))

    def ask(self, game: Game, check: Check[Round], /) -> tuple[Prompt, ...]:
        done = dict(check.data.declared)
        left = tuple([each for each in check.data.asks if each not in done])
        return (Prompt("declare", left, "react", PASS, secret=True),) if left else ()

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return CheckOption("fight", Text("fight")), CheckOption("run", Text("run"))

    def choose(self, game: Game, check: Check[Round], choice: Choice, /) -> StageResult[Any]:
        found = (*check.data.declared, (choice.who, choice.option))
        return StageResult(game.state, check.data.replace(declared=found))


class Ordering(Stage[Any]):
    name = "ordering"

    def enter(self, game: Game, check: Check[Round], /) -> StageResult[Any] | None:
        encounter = require_encounter(game.state, check.place)
        asked = {
            who: rolled(game, encounter, game.character(who)) for who in _there(game, check.place)
        }
        scores = {who: each.score for who, each in asked.items() if each is not None}
        state = with_scores(game.state, check.place, scores)
        encounter = require_encounter(state, check.place)
        state = state.with_encounter(
            encounter.replace(data=Plans(encounter.round, check.data.declared))
        )
        state, events = begin_turns(game.with_state(state), check.place)
        return StageResult(state, check.data, events=events)


class Trying(Stage[Any]):
    """Waits for the GMs, or with a default for the clock."""

    name = "trying"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        return () if check.data.declared else (Prompt("rule", (ANY_GM,), default="fine"),)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (CheckOption("fine", Text("fine")),)

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        return StageResult(game.state, check.data.replace(declared=(("", choice.how),)))


def nothing(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    return ()


BREATH: Final = Resource[Sheet](
    "breath",
    lambda sheet: sheet.breath,
    lambda sheet, left: sheet.replace(breath=left),
    restore=("round-start", lambda sheet: 2),
)
#: Every tick there was, as the system was asked.
HEARD: Final[list[Tick]] = []


def ticks(game: Game, passing: Tick) -> TickResult:
    """Stunned people come round; the poisoned lose breath at each round's end, and some fall out of
    breath.
    """
    HEARD.append(passing)
    told: list[tuple[str, Text]] = []
    for who, marks in passing.expiring.items():
        name = game.character(who).name
        told += [
            (who, Text("comes-round", {"name": name})) for mark in marks if mark.key == "stunned"
        ]
        if any(mark.key == "bomb" for mark in marks):
            game = game.with_state(with_marks(game.state, who, Mark("burning", until="encounter")))
    for who, points in passing.regained.items():
        told.append(
            (
                who,
                Text(
                    "breathes", {"name": game.character(who).name, "points": dict(points)["breath"]}
                ),
            )
        )
    return TickResult(game, tuple(told))


ROUND: Final = Procedure(
    "round", (Declaring(), Ordering()), data=Round, role="round", describe=nothing
)
TRY: Final = Procedure(
    "try", (Trying(),), data=Round, describe=nothing, dice_have_fallen=lambda data: data.thrown
)
#: Turns as they are without a check at the beginning of a round.
PLAIN: Final = System(
    "skirmish",
    "Skirmish",
    procedures={TRY.kind: TRY},
    resources=(BREATH,),
    turns=Turns(lambda game, character, rng: None, data=Plans),
    ticks=(ticks,),
)
SKIRMISH: Final = System(
    "skirmish",
    "Skirmish",
    procedures={ROUND.kind: ROUND, TRY.kind: TRY},
    resources=(BREATH,),
    turns=Turns(initiative, data=Plans),
    ticks=(ticks,),
)
