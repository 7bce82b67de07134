"""Blocks of a check: those of its procedure, and those that all procedures share."""

from __future__ import annotations

from typing import Final

from rules.core.errors import RulesError
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Ref,
    Text,
    first_verdict,
)
from rules.table.check import (
    OVER,
    AnyCheck,
    OutOfTurn,
)
from rules.table.checks.deaths import death_blocks
from rules.table.checks.procedure import AnyProcedure
from rules.table.checks.shared_blocks import ROLL_BUTTONS
from rules.table.checks.stages import ProposalData
from rules.table.system import Game, is_npc

_ROLLED_BLIND: Final = Note(Text("check-rolled-blind"), FOR_EVERYONE, GMS_ONLY)
_ROLLS_WHEN_ANSWERED: Final = Note(Text("rolls-when-answered"), FOR_EVERYONE)


def describe_check(game: Game, check: AnyCheck, course: AnyProcedure) -> tuple[Block, ...]:
    """Return the blocks of a check.

    If the GMs are asked in secret, the blocks are those of a check that is over. Every player
    learns that blind dice have fallen.
    """
    secret = bool(check.asked) and all(asked.prompt.visible_to == GMS_ONLY for asked in check.asked)
    blocks = course.describe(game, check.replace(stage=OVER) if secret else check)
    data = check.data
    if isinstance(data, ProposalData) and data.rolls_when_answered and not data.answer:
        blocks = (*blocks, _ROLLS_WHEN_ANSWERED)
    blocks = death_blocks(check, blocks)
    if check.out_of_turn is not None:
        blocks = (*blocks, Note(turn_line(game, check.out_of_turn), FOR_EVERYONE))
    blocks = (*blocks, *_step_in_notes(check, blocks))
    blocks = (*blocks, *_next_roll_facts(game, check, course))
    blind = (
        check.visibility == "blind" and not check.gm_only and course.dice_have_fallen(check.data)
    )
    return (*blocks, _ROLLED_BLIND) if blind else blocks


def _next_roll_facts(game: Game, check: AnyCheck, course: AnyProcedure) -> tuple[Fact, ...]:
    """Return the dice of the roll that is asked for, and its chance against an open difficulty."""
    asked = next(
        (pending.prompt for pending in check.asked if pending.prompt.button in ROLL_BUTTONS),
        None,
    )
    if asked is None or course.next_roll is None:
        return ()
    try:
        found = course.next_roll(game, check)
    except RulesError:
        return ()
    if found is None:
        return ()
    chance = None
    if found.chance is not None and not check.hidden:
        chance = Text("percent", {"share": str(found.chance)})
    who = next(iter(asked.who or ()), check.actor)
    seen = GMS_ONLY if is_npc(game, who) else FOR_EVERYONE
    return (Fact(Text("check-next-roll", {"chance": chance}), found.dice, seen),)


def _step_in_notes(check: AnyCheck, blocks: tuple[Block, ...]) -> tuple[Note, ...]:
    """Return a line for each choice made after the result."""
    verdict = first_verdict(blocks)
    found: list[Note] = []
    for step_in in check.step_ins:
        changed = verdict is not None and verdict.worked != step_in.worked
        was = None
        if changed and step_in.worked is not None:
            was = "success" if step_in.worked else "failure"
        said = Text(step_in.code, step_in.params) if step_in.code else None
        if any(isinstance(block, Note) and block.text == said for block in blocks):
            said = None  # it stands there already
        text = Text("stepped-in", {"who": Ref(step_in.who), "said": said, "was": was})
        found.append(Note(text, FOR_EVERYONE))
    return tuple(found)


def turn_line(game: Game, turn: OutOfTurn) -> Text:
    """Return the line that a check began out of turn."""
    who = turn.who
    named = Ref(who) if who in game.state.characters else turn.name or None
    if turn.ends:
        return Text("out-of-turn", {"busy": named, "ends": turn.ends})
    return Text("out-of-turn", {"who": named})
