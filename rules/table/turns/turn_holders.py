"""Open checks that hold the end of a turn or of a round, and what has been done in a turn."""

from __future__ import annotations

from collections.abc import Iterable

from rules.table.blocks import Ref, Text, text_for_audience
from rules.table.check import AnyCheck
from rules.table.checks.access import is_open_to
from rules.table.checks.audience_names import TableNames
from rules.table.checks.audience_views import check_view
from rules.table.checks.procedure import procedure_of
from rules.table.checks.round_checks import open_round_checks
from rules.table.events import Audience
from rules.table.initiative import slot_on_turn
from rules.table.state import AnyEncounter, Slot
from rules.table.system import Game
from rules.table.turns.spent_turns import is_turn_spent
from rules.table.turns.turn_block import is_turn_ending


def is_only_end_left(game: Game, encounter: AnyEncounter, slot: Slot | None = None) -> bool:
    """Return whether a player's character has acted, so that only *End turn* is left.

    The character is the one on turn, or the one in another *slot* of its block.
    """
    slot = slot_on_turn(encounter) if slot is None else slot
    if (
        slot is None
        or is_turn_ending(encounter, slot)
        or encounter.timeline
        or not is_turn_spent(game, slot)
    ):
        return False
    return not turn_holders(game, encounter, slot)


def has_acted(game: Game, encounter: AnyEncounter, slot: Slot) -> bool:
    """Return whether the character on turn has done something with the turn."""
    if slot.character is None:
        return False
    present = (slot.character, encounter.place, encounter.round)
    for check in game.state.checks.values():
        if (check.actor, check.place, check.round) != present:
            continue
        began = check.is_open or check.stage_started_at >= encounter.since
        if began and procedure_of(game, check.kind).takes_turn(game, check):
            return True
    return is_turn_spent(game, slot)


def turn_holders(game: Game, encounter: AnyEncounter, done: Slot | None) -> list[AnyCheck]:
    """Return the open checks of this round whose actor is the character with the turn *done*."""
    if done is None or done.character is None or not encounter.round:
        return []
    checks = open_round_checks(game, encounter.place, encounter.round)
    return [check for check in checks if check.actor == done.character]


def round_holders(game: Game, encounter: AnyEncounter) -> list[AnyCheck]:
    """Return the checks that hold the end of the round: those that wait for a decision."""
    checks = open_round_checks(game, encounter.place, encounter.round)
    return [check for check in checks if any(prompt.waiting_for for prompt in check.asked)]


def held_lines(game: Game, checks: Iterable[AnyCheck], audience: Audience) -> tuple[Text, ...]:
    """Return a line for each check that an audience may know of, with those the check waits for.

    If the audience may know of none, there is one line without names.
    """
    lines: list[Text] = []
    names = TableNames(game.state)
    for check in checks:
        if not _is_known(game, check, audience):
            continue
        prompts = check_view(game, check, audience).asked
        asked: dict[Ref, None] = {}
        for prompt in prompts:
            asked |= dict.fromkeys(prompt.who)
        params = {
            "who": tuple(asked),
            "gms": any(prompt.gms for prompt in prompts),
            "check": check.id,
            "actor": Ref(check.actor) if check.actor else None,
        }
        lines.append(text_for_audience(Text("turn-held-by", params), audience, names))
    return tuple(lines) or (Text("turn-held"),)


def _is_known(game: Game, check: AnyCheck, audience: Audience) -> bool:
    """Return whether an audience may know that a check is open."""
    if audience.everyone:
        return check.is_public
    return is_open_to(game, check, game.actor)
