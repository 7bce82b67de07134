"""Rights of deputies: what they do as a GM would, and what they do only as a player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar

from rules.table import actions
from rules.table.gm_office import is_deputy
from rules.table.state import TableState

ActionT = TypeVar("ActionT", bound=actions.Action)

#: Whether a deputy carries out a shared action as a GM would. False: as a player, so that what is
#: for GMs only is refused. A deputy runs the game, and leaves the table, its people, its records
#: and other participants' entries to the GMs.
DEPUTY_RIGHTS: Final[Mapping[type[actions.Action], bool]] = {
    # Running the game.
    actions.Begin: True,
    actions.CallForRolls: True,
    actions.ReadSeal: True,
    actions.OpenSeal: True,
    actions.EndRollCall: True,
    actions.AddToRollCall: True,
    actions.Choose: True,
    actions.AnswerAlike: True,
    actions.HoldCheck: True,
    actions.EndCheck: True,
    actions.CloseChecks: True,
    actions.AskToStepIn: True,
    actions.RefuseStepIn: True,
    actions.RollDice: True,
    actions.SaveRoll: True,
    actions.Produce: True,
    actions.DrawCards: True,
    actions.PlayCard: True,
    actions.OfferCard: True,
    actions.AnswerOffer: True,
    actions.SetOrder: True,
    actions.TakeBackOrder: True,
    actions.AskForNpc: True,
    actions.AskMe: True,
    actions.SetAway: True,
    actions.SetWords: True,
    actions.Delegate: True,
    actions.StartEncounter: True,
    actions.JoinEncounter: True,
    actions.AddToEncounter: True,
    actions.OrderEncounter: True,
    actions.NextTurn: True,
    actions.DelayTurn: True,
    actions.RemoveFromEncounter: True,
    actions.EndEncounter: True,
    actions.MoreTime: True,
    actions.MoreTurnTime: True,
    actions.Session: True,
    actions.AdvanceTime: True,
    actions.StartScene: True,
    actions.MovePlay: True,
    actions.EndScene: True,
    actions.SumUp: True,
    actions.JoinScene: True,
    actions.AddNpcs: True,
    actions.ChangeNpc: True,
    actions.Approve: True,
    actions.UseCharacter: True,
    actions.AskForSeat: True,
    actions.AskForCorrection: True,
    actions.Say: True,
    actions.EditSaid: True,
    actions.Unsay: True,
    actions.ChangePerson: True,
    actions.ForgetPerson: True,
    # Letting a late choice in undoes what came after it.
    actions.StepIn: False,
    actions.Undo: False,
    actions.Amend: False,
    actions.DismissCorrection: False,
    # Characters and what they have.
    actions.ImportCharacter: False,
    actions.Edit: False,
    actions.Learn: False,
    actions.Advance: False,
    actions.Give: False,
    actions.Retire: False,
    actions.OpenSeat: False,
    actions.AnswerSeat: False,
    actions.RemoveNpc: False,
    actions.Award: False,
    actions.Adjust: False,
    # The table.
    actions.CreateTable: False,
    actions.ImportTable: False,
    actions.ChangeSettings: False,
    actions.ChangeRest: False,
    actions.SetDigest: False,
    actions.PauseTable: False,
    actions.ResumeTable: False,
    actions.ChangeCampaign: False,
    actions.ChangePlaces: False,
    actions.ChangeGms: False,
    actions.NameDeputy: False,
    actions.TakeOver: False,
    actions.ImportDeck: False,
    actions.RemoveDeck: False,
    actions.ShuffleDeck: False,
    actions.RotateSeed: False,
    actions.BeginAnew: False,
    # The clock's alone.
    actions.NoteDeparture: False,
    actions.PlaceScene: False,
    actions.LeavePlace: False,
    actions.Due: False,
}


def may_as_deputy(action: actions.Action) -> bool:
    """Return whether a deputy carries out an action as a GM would.

    An action of a rule system is part of the game. A shared action without a row is not.
    """
    return DEPUTY_RIGHTS.get(type(action), type(action).__module__ != actions.__name__)


def with_deputy_limits(state: TableState, action: ActionT) -> ActionT:
    """Return an action as the rules take it: beyond a deputy's rights, as that of a player."""
    if not is_deputy(state, action.who.id) or may_as_deputy(action):
        return action
    return action.replace(who=action.who.replace(as_player=True))
