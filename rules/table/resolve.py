"""The only way to change a table: `resolve(system, state, action, rng)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.core.errors import Impossible, NotFound
from rules.core.rng import Streams
from rules.table import actions, privacy, transfer
from rules.table.absence import with_presence
from rules.table.arrangements import absence_actions, standing_order_actions
from rules.table.arrangements.words_left import with_words_left
from rules.table.chance import cards, free_rolls
from rules.table.checks import alike_answers, check_actions, holds
from rules.table.checks.access import require_of_table
from rules.table.clock import clock_settings, digests, pauses
from rules.table.gms import deputies, gm_roster, gm_tools
from rules.table.gms.deputy_rights import with_deputy_limits
from rules.table.gms.gm_acts import with_gm_act
from rules.table.journal import correction_requests, step_in
from rules.table.late_choices import LateChoices
from rules.table.outcome import Outcome
from rules.table.people import advancement, approval, characters, npcs, seats
from rules.table.permissions import require_gm
from rules.table.roll_calls import roll_call_actions
from rules.table.roll_calls.roll_call import with_roll_calls
from rules.table.scenes import scene_actions, scene_moves, speech
from rules.table.scenes.whisper_audiences import require_insider, require_insiders, with_whispers
from rules.table.scenes.whisper_players import with_changed_players
from rules.table.settings import table_settings
from rules.table.state import SYSTEM, TableState
from rules.table.system import Game, System
from rules.table.turns import (
    encounters,
    finished_turns,
    more_time,
    story_time,
    turn_actions,
    turn_changes,
    turn_clock,
)
from rules.table.turns.missed_turns import with_quiet_return
from rules.table.waits import due_waits

_Handler = Callable[[TableState, Any, Game], Outcome]
#: Handlers of actions for GMs only.
_OF_GMS: dict[type, _Handler] = {
    actions.CallForRolls: roll_call_actions.call_for_rolls,
    actions.AnswerAlike: alike_answers.answer_alike,
    actions.OpenSeal: roll_call_actions.open_seal,
    actions.EndRollCall: roll_call_actions.end_early,
    actions.AddToRollCall: roll_call_actions.add_to_roll_call,
    actions.AskForNpc: standing_order_actions.ask_for_npc,
    actions.StartEncounter: encounters.start,
    actions.AddToEncounter: encounters.add,
    actions.OrderEncounter: turn_actions.order,
    actions.EndEncounter: encounters.end,
    actions.Approve: approval.approve,
    actions.AddNpcs: npcs.add_npcs,
    actions.ChangeNpc: npcs.change_npc,
    actions.RemoveNpc: npcs.remove_npc,
    actions.Session: story_time.change_session,
    actions.StartScene: scene_actions.start_scene,
    actions.MovePlay: scene_moves.move_play,
    actions.EndScene: scene_actions.end_scene,
    actions.SumUp: scene_actions.sum_up,
    actions.AdvanceTime: story_time.advance_time,
    actions.Award: gm_tools.award,
    actions.Adjust: gm_tools.adjust,
    actions.ChangePlaces: gm_tools.change_places,
    actions.ImportTable: transfer.import_table,
    actions.ChangeCampaign: table_settings.change_campaign,
    actions.ChangeSettings: table_settings.change_settings,
    actions.ChangeRest: clock_settings.change_rest,
    actions.PauseTable: pauses.pause_table,
    actions.ResumeTable: pauses.resume_table,
    actions.SetDigest: digests.set_digest,
    actions.ImportDeck: cards.import_deck,
    actions.RemoveDeck: cards.remove_deck,
    actions.ChangeGms: gm_roster.change_gms,
    actions.NameDeputy: deputies.name_deputy,
    actions.OpenSeat: seats.open_seat,
    actions.AnswerSeat: seats.answer_seat,
    actions.DismissCorrection: correction_requests.dismiss_correction,
    actions.RotateSeed: table_settings.rotate_seed,
}
#: Actions that are open to users who don't belong to the table.
_OF_STRANGERS: frozenset[type] = frozenset(
    {
        actions.RollDice,
        actions.ImportCharacter,
        actions.ForgetPerson,
        actions.TakeOver,
        actions.AskForSeat,
    }
)
#: Actions with the cards of a deck.
_OfCards = (
    actions.DrawCards
    | actions.PlayCard
    | actions.OfferCard
    | actions.AnswerOffer
    | actions.ShuffleDeck
)
#: Handlers of all other shared actions. Some check permissions themselves.
_OF_ALL: dict[type, _Handler] = {
    actions.Begin: check_actions.begin_check,
    actions.Choose: check_actions.choose,
    actions.ReadSeal: roll_call_actions.read_sealed_text,
    actions.HoldCheck: holds.hold_check,
    actions.EndCheck: check_actions.end,
    actions.RefuseStepIn: step_in.refuse_step_in,
    actions.CloseChecks: check_actions.close,
    actions.SetOrder: standing_order_actions.set_order,
    actions.TakeBackOrder: standing_order_actions.take_back_order,
    actions.AskMe: standing_order_actions.ask_me,
    actions.SetAway: absence_actions.set_away,
    actions.NoteDeparture: absence_actions.note_departure,
    actions.SetWords: standing_order_actions.set_words,
    actions.Delegate: standing_order_actions.delegate,
    actions.Due: due_waits.handle_wait,
    actions.BeginAnew: table_settings.begin_anew,
    actions.ImportCharacter: characters.import_character,
    actions.JoinEncounter: encounters.join,
    actions.NextTurn: turn_actions.next_turn,
    actions.MoreTime: more_time.give_prompt_more_time,
    actions.MoreTurnTime: more_time.give_turn_more_time,
    actions.DelayTurn: turn_actions.delay,
    actions.RemoveFromEncounter: encounters.remove,
    actions.Edit: characters.edit,
    actions.Learn: advancement.grow,
    actions.Advance: advancement.grow,
    actions.Give: characters.give,
    actions.Retire: characters.retire,
    actions.Produce: free_rolls.produce,
    actions.ForgetPerson: privacy.forget_person,
    actions.RollDice: free_rolls.roll_dice,
    actions.SaveRoll: free_rolls.save_roll,
    actions.DrawCards: cards.draw,
    actions.PlayCard: cards.play,
    actions.OfferCard: cards.offer,
    actions.AnswerOffer: cards.answer_offer,
    actions.ShuffleDeck: cards.shuffle,
    actions.TakeOver: gm_roster.take_over,
    actions.ChangePerson: table_settings.change_person,
    actions.UseCharacter: characters.use_character,
    actions.AskForSeat: seats.ask_for_seat,
    actions.AskForCorrection: correction_requests.ask_for_correction,
    actions.JoinScene: scene_actions.join_scene,
    actions.PlaceScene: scene_actions.place_scene,
    actions.LeavePlace: scene_moves.leave_place,
    actions.Say: speech.say_as,
    actions.EditSaid: speech.edit_said,
    actions.Unsay: speech.unsay,
}


def resolve(
    system: System,
    state: TableState | None,
    action: actions.Action,
    rng: Streams,
    late: LateChoices | None = None,
) -> Outcome:
    """Return the outcome of an action under these rules.

    The function is pure: the same arguments give the same outcome. The caller has checked the types
    of the action's fields. *state* is None only for `CreateTable`. *late* are choices that a check
    takes on the way.

    Raises:
        RulesError: the action is refused; nothing has changed.
        TypeError: the class is no action.
    """
    if state is None:
        if not isinstance(action, actions.CreateTable):
            raise NotFound("no-table", field="place", value=None, nearest=())
        return table_settings.create(system, action)
    if isinstance(action, actions.CreateTable):
        raise Impossible("place-taken", name=state.settings.name, here=True)
    action = with_deputy_limits(state, action)
    if action.who.id != SYSTEM:
        state = with_presence(state, action.who.id)
    game = Game(state, system, rng, action.at, action.who, late=late)
    outcome = with_gm_act(game, _carry_out(game, action), action)
    require_insiders(game, outcome.state)
    return with_whispers(game, with_changed_players(game, outcome), action)


def _carry_out(game: Game, action: actions.Action) -> Outcome:
    """Return the outcome of an action at an open table. Raises as `resolve`."""
    system, state = game.system, game.state
    kind = type(action)
    _require_membership(game, action)
    require_insider(game, action)
    card_rules = system.cards
    if card_rules is not None and kind in card_rules.actions and card_rules.takes(game, action):
        outcome = with_whispers(game, card_rules.actions[kind](game, action), action)
        return with_quiet_return(game, outcome)
    handler = _OF_ALL.get(kind) or _OF_GMS.get(kind)
    if kind in _OF_GMS:
        require_gm(state, action.who)
    if handler is not None:
        outcome = handler(state, action, game)
    else:
        system_handler = game.require(system.actions.get(kind))
        outcome = system_handler(game, action)
    if system.follow_up is not None:
        outcome = system.follow_up(game, outcome)
    outcome = check_actions.review_waits(game, outcome)
    if outcome.state.encounters:
        outcome = finished_turns.end_finished_turns(game, outcome)
        outcome = turn_clock.call_stand_ins(game, outcome)
        outcome = turn_clock.pause_turns(state, outcome, action.at)
        outcome = turn_changes.with_round_news(outcome)
    outcome = with_whispers(game, with_words_left(game, outcome), action)
    outcome = with_quiet_return(game, outcome)
    outcome = outcome if card_rules is None else card_rules.after(game, outcome)
    return with_roll_calls(game, outcome, action)


def _require_membership(game: Game, action: actions.Action) -> None:
    """Require that the actor belongs to the table, for an action that is closed to outsiders.

    Actions of GMs aren't checked here: `resolve` refuses other actors.

    Raises NotPermitted("not-of-table").
    """
    kind = type(action)
    if isinstance(action, _OfCards):
        cards.require_deck_access(game, action.deck)
    elif kind not in _OF_STRANGERS and kind not in _OF_GMS:
        require_of_table(game)
