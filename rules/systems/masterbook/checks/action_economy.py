"""Actions of a round: their number, their cost, and effects that wait for the next one.

MB-ACT, MB-MUL-01, MB-INT-11, MB-DIE-04, MB-DIE-05.
"""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.deck.table_deck import mode
from rules.systems.masterbook.formulas import attack_options
from rules.systems.masterbook.formulas.damage import OUT_CONDITIONS, condition
from rules.systems.masterbook.formulas.interaction import STYMIED, UNTRAINED, UP
from rules.systems.masterbook.formulas.multi_actions import (
    WAITING_COST,
    RoundKind,
    crowding_penalty,
    multi_action_penalty,
)
from rules.systems.masterbook.formulas.reference_rows import Causes, nonzero_causes
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS
from rules.table.blocks import FOR_EVERYONE, Note, Ref, Text
from rules.table.check import Values
from rules.table.initiative import encounter_in, encounter_of, slot_on_turn
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import public_name
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter, Mark, TableState
from rules.table.system import Game

# Keys of marks.

#: Number of complex actions that the character has done in this round.
ACTED: Final = "acted"
#: Total of an active defense; `what` is its skill.
ACTIVE_DEFENSE: Final = "active-defense"
#: Modifier of the character's own defense until its next turn, by attack options.
GUARD: Final = "guard"
#: The character aims; `what` is the target.
AIMING: Final = "aiming"
#: The character is surprised; `what` is `partial` or `complete`.
SURPRISED: Final = "surprise"
#: The character is held; `what` is the holder, `value` the holder's latest total.
HELD: Final = "held"
#: The character is striking twice at once; `what` is the target.
COMBINED: Final = "combined"
#: The character was surprised in this round.
STARTLED: Final = "startled"
#: The character attacks so that it has no active defense.
ALL_OUT: Final = "all-out"
#: Hindrance of characters who act at the same time, as it was when the first of them began; `what`
#: is BODY or MIND.
AT_ONCE, BODY, MIND = "at-once", "body", "mind"
#: Effect that lasts for more than one action; `what` is `up` or `stymied`.
LINE: Final = "line"
#: The character's side should have broken off and could not; `value` lowers all its totals.
TRAPPED: Final = "trapped"
#: Number of actions of the character in this round. Several actions at once count as one.
SETS: Final = "sets"
#: A second turn by flurry is still to come in this round.
FURTHER: Final = "further-turn"
#: Action of the round in which an active defense was declared; `what` is its skill.
DEFENSE_SET: Final = "defense-set"
#: The character has lost the turn of this round, by a setback or by being out.
LOST: Final = "lost-turn"
#: The character casts a special effect that takes longer than an action; `what` is the check, and
#: `value` tells whether the casting is at its concentration, `at` how many rounds are left
#: (MB-SFX-20, MB-SFX-31).
CASTING: Final = "casting"
#: Values of that mark.
PLAIN_CASTING, CONCENTRATING = 1, 2
#: Kind of check for an active defense on the character's own turn.
DEFENSE_KIND: Final = "defend"
#: Card that adds to every number of the character; `what` is the card.
ACTION: Final = "action-card"
#: Name of that card.
ACTION_NAME: Final = "Action"
_WAITS: Final = (STYMIED, UP)
_USED_UP: Final = (*_WAITS, UNTRAINED)


class RollAgain(Record):
    """Effects that change the number of dice of a roll."""

    #: Number of ups: two more dice for each.
    ups: int = 0
    #: Whether the first die that rolls again is lost.
    stymied: bool = False


def with_line_effect(effect: str, waiting: RollAgain) -> RollAgain:
    """Return the effects with one that lasts longer, such as a card's line for the round
    (MB-CARD-I09, MB-CARD-I10).
    """
    return waiting.replace(
        ups=waiting.ups + (effect == UP), stymied=waiting.stymied or effect == STYMIED
    )


def dice_again(game: Game, who: str) -> RollAgain:
    """Return the effects that wait for a character's next roll."""
    again = RollAgain()
    for mark in marks_of(game.state, who):
        if mark.key == UP:
            again = again.replace(ups=again.ups + mark.value)
        elif mark.key == STYMIED:
            again = with_line_effect(STYMIED, again)
        elif mark.key == LINE:
            again = with_line_effect(mark.what, again)
    return again


def end_surprise(game: Game, who: str, *, rounds: bool) -> Game:
    """Return the game once a surprise has counted; *rounds* remember it until they end."""
    state = game.state
    if rounds and marks_of(state, who, SURPRISED):
        state = with_marks(state, who, Mark(STARTLED, until="round"))
    return game.with_state(without_marks(state, who, SURPRISED))


def use_up_marks(game: Game, who: str) -> Game:
    """Return the game without the marks that waited for a character's next action.

    Being untrained waits for the last action of a turn.
    """
    state, marks = game.state, marks_of(game.state, who)
    goes_on = bool(marks) and 0 < mark_total(state, who, ACTED) < len(_ranks(game, who))
    used_up = _WAITS if goes_on else _USED_UP
    for mark in marks:
        is_used_card = mark.key == ACTION and mark.until == "used"
        if is_used_card or mark.key in used_up:
            state = without_marks(state, who, mark.key, mark.what)
    return game.with_state(state)


# --- a round --------------------------------------------------------------------------------------

#: Mark until the round ends: ranks of the declared actions, in the order of doing.
DECLARED: Final = "actions"
#: Mark until the round ends: number of simple actions.
SIMPLE: Final = "simple"
#: Mark until the round ends: the character has waited.
WAITED: Final = "waited"


def round_of(game: Game, who: str) -> int | None:
    """Return the number of the round in which a character is; None outside rounds."""
    encounter = encounter_of(game.state, who)
    return None if encounter is None else encounter.round


def is_own_action(game: Game, who: str, *, free: bool = False) -> bool:
    """Return whether a character's roll is its action: in rounds, only on its own turn."""
    if free:
        return False
    encounter = encounter_of(game.state, who)
    if encounter is None:
        return True
    slot = slot_on_turn(encounter)
    return slot is not None and slot.character == who


def turn_over(game: Game, who: str) -> bool:
    """Return whether a character's turn of this round is over (MB-ACT-01)."""
    encounter = encounter_of(game.state, who)
    if encounter is None or encounter.opening:
        return False
    at = next(at for at, slot in enumerate(encounter.order) if slot.character == who)
    return at < encounter.turn and not encounter.order[at].delayed


def no_defense_reason(game: Game, who: str, *, surprised: bool = False) -> str:
    """Return why a character has no active defense, as `attack_options.no_defense_reason` says.

    A character who let the turn pass without a complex action has not acted yet (MB-CMB-03).
    """
    begun = bool(marks_of(game.state, who, ACTED) or marks_of(game.state, who, LOST))
    acted = has_done_all(game, who) or (turn_over(game, who) and begun)
    return attack_options.no_defense_reason(
        acted=acted, surprised=surprised, all_out=bool(marks_of(game.state, who, ALL_OUT))
    )


def has_acted(game: Game, who: str) -> bool:
    """Return whether a character has done anything in this round, or has lost its turn."""
    done = (ACTED, ACTIVE_DEFENSE, SIMPLE, LOST)
    return any(marks_of(game.state, who, key) for key in done)


def has_done_all(game: Game, who: str) -> bool:
    """Return whether a character has done all its actions of this round."""
    if round_of(game, who) is None:
        return False
    return mark_total(game.state, who, ACTED) >= len(_ranks(game, who))


def _ranks(game: Game, who: str) -> tuple[int, ...]:
    """Return the ranks of a character's actions in this round, in the order of doing."""
    declared = marks_of(game.state, who, DECLARED)
    return tuple(int(rank) for rank in declared[0].what.split()) if declared else (1,)


def turns_of(game: Game, who: str, *, ranked: bool = False) -> Causes:
    """Return the modifiers of a character's next complex action, by the round
    (MB-MUL-01, MB-ACT-01, MB-ACT-02).

    There are none outside rounds. With *ranked*, the declaration already had the multi-action
    penalty. Raises Impossible("mb-no-action-left") if all declared actions are done.
    """
    encounter = encounter_of(game.state, who)
    if encounter is None:
        return ()
    ranks, done = _ranks(game, who), mark_total(game.state, who, ACTED)
    if done >= len(ranks):
        again = bool(marks_of(game.state, who, FURTHER))
        raise Impossible("mb-no-action-left", name=game.display_name(who), done=done, again=again)
    waits = any(slot.delayed for slot in encounter.order if slot.character == who)
    waited = waits or bool(marks_of(game.state, who, WAITED))
    multi_action = 0 if ranked else multi_action_penalty(ranks[done], len(ranks))
    crowding = crowding_penalty(mark_total(game.state, who, SIMPLE))
    return nonzero_causes(
        (TRAPPED, -mark_total(game.state, who, TRAPPED)),
        ("multi_action", multi_action),
        ("waited", -WAITING_COST if waited else 0),
        ("crowded", -crowding),
    )


def require_action_left(game: Game, who: str, target: str | None, values: Values) -> None:
    """Refuse another action in a character's own turn once all are done. Raises as `turns_of`."""
    if is_own_action(game, who):
        turns_of(game, who)


def require_attack_left(game: Game, who: str, target: str | None, values: Values) -> None:
    """Refuse another attack once all actions are done. Raises as `turns_of`.

    The second of two such blows belongs to the action of the first.
    """
    if not marks_of(game.state, who, COMBINED):
        turns_of(game, who)


def spend_action(game: Game, who: str) -> Game:
    """Return the game after a complex action. A lift that goes on starts again (MB-LIFT-02)."""
    sheet: MasterbookSheet = game.sheet(who)
    if sheet.lifted is not None:
        game = game.with_sheet(who, sheet.replace(lifted=None))
    if round_of(game, who) is None:
        return game
    state = game.state
    if mode(game).hands and not marks_of(state, who, ACTED):
        state = _with_one_more(state, who, SETS)
    return game.with_state(_with_one_more(state, who, ACTED))


def sets_of(game: Game, who: str) -> int:
    """Return the number of a character's actions in this round (MB-CARD-09, MB-CARD-A03).

    Several complex actions at once count as one, and so do all simple ones.
    """
    simple = marks_of(game.state, who, SIMPLE) and not marks_of(game.state, who, ACTED)
    return mark_total(game.state, who, SETS) + int(bool(simple))


def with_active_defense(game: Game, who: str, skill: str, total: int, *, by: str = "") -> Game:
    """Return the game with an active defense that stands until the round ends (MB-CMB-03).

    `by` is the check that declared it. Its action may still earn a card (MB-CARD-A03).
    """
    stands = Mark(ACTIVE_DEFENSE, skill, total, "round", by=by)
    during = Mark(DEFENSE_SET, skill, sets_of(game, who), "round")
    # Other skills break a casting off (MB-SFX-20).
    game = break_casting(game, who)
    return game.with_state(with_marks(game.state, who, stands, during))


def break_casting(game: Game, who: str) -> Game:
    """Return the game once a character's casting is broken off; its check finds that."""
    return game.with_state(without_marks(game.state, who, CASTING))


def is_concentrating(game: Game, who: str) -> bool:
    """Return whether a character is at the concentration of a casting (MB-SFX-31)."""
    return mark_total(game.state, who, CASTING) == CONCENTRATING


def require_not_casting(game: Game, who: str) -> None:
    """Raise Impossible("mb-busy-casting") for a character who is casting (MB-SFX-20)."""
    if marks_of(game.state, who, CASTING):
        raise Impossible("mb-busy-casting", who=game.display_name(who))


def begin_further_action(game: Game, who: str) -> Game:
    """Return the game as a character's further action begins, apart from the one before
    (MB-CARD-I06).

    Simple actions that came before count as one action.
    """
    state = game.state
    if marks_of(state, who, SIMPLE) and not marks_of(state, who, ACTED):
        state = _with_one_more(without_marks(state, who, SIMPLE), who, SETS)
    return game.with_state(without_marks(without_marks(state, who, ACTED), who, DECLARED))


def _with_one_more(state: TableState, who: str, key: str) -> TableState:
    """Return the table with a count of this round raised by one."""
    return with_marks(state, who, Mark(key, value=mark_total(state, who, key) + 1, until="round"))


def spend_simple_action(game: Game, who: str) -> tuple[Game, int]:
    """Return the game after a simple action, and the penalty of so many on a complex one.

    Outside rounds nothing counts.
    """
    if round_of(game, who) is None:
        return game, 0
    game = game.with_state(_with_one_more(game.state, who, SIMPLE))
    return game, crowding_penalty(mark_total(game.state, who, SIMPLE))


# --- whether a character may act, and the report of an act ----------------------------------------


def ref(who: AnyCharacter) -> Ref:
    """Return a character's public name, or for GMs the name of an unknown one."""
    return Ref(name=public_name(who) or who.name)


def report_act(game: Game, who: AnyCharacter, said: Text) -> Outcome:
    """Report an act: to everyone of a player's character, to the GMs of an NPC.

    An act that has put the character out of action says so first.
    """
    name, end = public_name(who) or who.name, condition(game.sheet(who.id).harm)
    title = Text("act-title", {"name": name})
    if end in OUT_CONDITIONS:
        title = Text("mb-group-end", {"who": (name,), "end": end})
    return report_outcome(game, title, Note(said, FOR_EVERYONE), of=who)


def require_awake(game: Game, who: str) -> None:
    """Raise Impossible("mb-out-cold") for a character who is unconscious or dead (MB-INI-01).

    Characters who act at the same time as the blow still act.
    """
    harm = game.sheet(who).harm
    if harm.out and not marks_of(game.state, who, AT_ONCE):
        owned = game.character(who).owner is not None
        raise Impossible("mb-out-cold", who=game.display_name(who), dead=harm.dead, owned=owned)


def require_turn(game: Game, who: AnyCharacter) -> None:
    """Raise Impossible("mb-turn-over") after a character's turn of this round (MB-ACT-01).

    Raises as `require_awake`, too.
    """
    require_awake(game, who.id)
    if turn_over(game, who.id):
        raise Impossible("mb-turn-over", name=who.name)


# --- kinds of rounds ------------------------------------------------------------------------------


class Pace(Record):
    """Kind and length of the rounds of an encounter (MB-TIME-01)."""

    kind: RoundKind = "combat"
    #: Seconds of a round.
    seconds: int = ROUND_SECONDS
    #: First round of this kind, and what the rounds before it were.
    since: int = 0
    before: tuple[RoundKind, int] = ("combat", ROUND_SECONDS)

    def at(self, round: int) -> Pace:
        """Return the pace of the round with that number."""
        return self if round >= self.since else Pace(*self.before)


COMBAT_PACE: Final = Pace()


def pace_of(game: Game, place: str, round: int | None = None) -> Pace | None:
    """Return the pace of a place, now or in that round; None outside rounds."""
    encounter = encounter_in(game.state, place)
    if encounter is None or not encounter.round:
        return None
    pace: Pace = encounter.data or COMBAT_PACE
    return pace.at(encounter.round if round is None else round)
