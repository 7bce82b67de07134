"""Late step-ins that a GM lets in as an amendment: made at the result, with all that came after."""

from __future__ import annotations

from collections.abc import Sequence

from bot.services.dice_keys import dice_key
from bot.services.past_entries import Past, result_entry
from bot.services.resolution import request_dice
from bot.services.seeds import stream_seeds
from bot.services.stepping_in import Rerun, redo_step_in
from bot.storage.row_records import SeedRow
from rules.core.errors import Impossible
from rules.core.rng import ContinuedStreams, KeyedStreams, NewDiceNeeded, Streams
from rules.registry import read_only_game
from rules.table.actions import Amend, LateStep, StepIn
from rules.table.events import StepInDecided
from rules.table.outcome import Outcome
from rules.table.scenes.whisper_audiences import with_whispers
from rules.table.state import TableState


def last_of_result(amend: Amend) -> int:
    """Return the number of the entry after which a late step-in is made; 0 without one."""
    if amend.late is None:
        return 0
    earlier = [choice.seq for choice in amend.late.earlier]
    return max((amend.entry, *earlier))


def late_step_in(late: LateStep, amend: Amend) -> StepIn:
    """Return the step-in that an amendment makes, for the player who asked."""
    return StepIn(
        who=amend.who,
        place=amend.place,
        at=amend.at,
        check=late.check,
        stage=late.stage,
        prompt=late.prompt,
        option=late.option,
        revision=late.revision,
        as_=late.who,
        asked_by=late.by,
        question=late.question,
        entry=amend.entry,
        earlier=late.earlier,
    )


def make_late_choice(
    state: TableState,
    amend: Amend,
    past: Past,
    seeds: Sequence[SeedRow],
    dice: KeyedStreams | None,
) -> Outcome:
    """Return the outcome of the late choice on the table right after the result.

    The choice draws for the key of a step-in right after the result, not for the amendment's own
    request. So an undo and another try draw the same dice. The preview draws none of them.

    The events are those of the check; the player's answer comes with the amendment itself. Raises
    NewDiceNeeded if the choice draws dice and there are none, Impossible("amend-final") if the
    result isn't there any more, and as `redo_step_in`.
    """
    assert amend.late is not None
    action = late_step_in(amend.late, amend)
    if action.check not in state.checks:
        raise Impossible("amend-final", entry=amend.entry)
    action = action.replace(revision=state.checks[action.check].revision)
    result = result_entry(action, past)
    key = dice_key(action, "")
    if dice is None:
        keyed = request_dice(stream_seeds(seeds, amend.entry), key)
        choice_dice: Streams = ContinuedStreams((), keyed, None)
    else:
        choice_dice = dice.with_key(key)
    outcome, without_choice, with_choice = redo_step_in(
        state, action, result, seeds, choice_dice, action.question
    )
    if dice is None and _draws_more(with_choice, without_choice):
        raise NewDiceNeeded
    events = tuple(event for event in outcome.events if not isinstance(event, StepInDecided))
    return with_whispers(read_only_game(state), outcome.replace(events=events), action)


def _draws_more(run: Rerun, other: Rerun) -> bool:
    """Return whether a run of an entry draws more dice than another run."""
    draws_public = run.dice.public.drawn > other.dice.public.drawn
    return draws_public or run.dice.hidden > other.dice.hidden
