"""Held deaths: those of players' characters that would follow from the clock's answer.

The GMs decide whether such a death stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rules.table.blocks import FOR_EVERYONE, Block, Note, Ref, Text, Verdict
from rules.table.check import ANY_GM, AnyCheck, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult, procedure_of
from rules.table.system import Game

#: Key of the prompt, and its options.
DEATH: Final = "death"
STAND: Final = "stand"
LEAVE_OPEN: Final = "open"
_OPTIONS: Final = (
    CheckOption(STAND, Text("answer-death-stand"), helps="never"),
    CheckOption(LEAVE_OPEN, Text("answer-death-open"), helps="never"),
)


class _DeathStage(Stage[Any]):
    """Stage that asks the GMs about a held death.

    The check's own `stage` stays the one that the clock has answered.
    """

    name = DEATH

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        held = check.held_death
        seen = None if held is None else held.visible_to
        return (Prompt(DEATH, (ANY_GM,), visible_to=seen, button="answer-death"),)

    def options(
        self, game: Game, check: AnyCheck, prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return _OPTIONS

    def choose(self, game: Game, check: AnyCheck, choice: Choice, /) -> StageResult[Any]:
        # `engine` carries the decision out once the answer is noted.
        return StageResult(game.state, check.data)


_DEATH_STAGE: Final = _DeathStage()


def stage_of(game: Game, check: AnyCheck) -> Stage[Any]:
    """Return the stage whose prompts are open: that of a held death, or the check's own."""
    if check.held_death is not None:
        return _DEATH_STAGE
    return procedure_of(game, check.kind).stages[check.stage]


def players_killed(before: Game, after: Game) -> tuple[str, ...]:
    """Return the players' characters that are dead after a step, and weren't before it."""
    sheets = before.system.sheets
    return () if sheets is None else _characters_who_become(before, after, sheets.is_dead)


def players_dying(before: Game, after: Game) -> tuple[str, ...]:
    """Return the players' characters that are dying after a step, and weren't before it."""
    sheets = before.system.sheets
    return () if sheets is None else _characters_who_become(before, after, sheets.is_dying)


def _characters_who_become(
    before: Game, after: Game, predicate: Callable[[Any], bool]
) -> tuple[str, ...]:
    """Return the players' characters whose sheets fulfill a predicate only after a step."""
    if before.state.characters is after.state.characters:
        return ()
    found: list[str] = []
    for key, character in after.state.characters.items():
        was = before.state.characters.get(key)
        if character.owner is None or was is None or was is character:
            continue
        if predicate(character.sheet) and not predicate(was.sheet):
            found.append(key)
    return tuple(found)


def death_blocks(check: AnyCheck, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return a check's blocks with a held death in place of the verdict; unchanged without one."""
    held = check.held_death
    if held is None:
        return blocks
    killed = Text("check-would-kill", {"who": tuple(Ref(each) for each in held.who)})
    silent = Text("check-death-held", {"who": tuple(Ref(each) for each in held.silent if each)})
    verdict = Verdict(killed, "bad", held.visible_to)
    note = Note(silent, held.visible_to)
    rest: list[Block] = []
    for block in blocks:
        if not isinstance(block, Verdict) or held.visible_to is not FOR_EVERYONE:
            rest.append(block)
    return (verdict, *rest, note)
