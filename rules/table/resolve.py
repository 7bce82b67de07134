"""The one way a table changes: `resolve(system, state, action, rng)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.rng import Streams
from rules.table import actions, cards, gm_tools, privacy, rolls, settings, transfer
from rules.table.checks import acting, arranging
from rules.table.outcome import Outcome
from rules.table.people import characters, npcs
from rules.table.permissions import require_gm
from rules.table.state import TableState
from rules.table.system import Game, System
from rules.table.turns import clock, encounters

_Handler = Callable[[TableState, Any, Game], Outcome]
#: What GMs alone may do.
_OF_GMS: dict[type, _Handler] = {
    actions.AskForNpc: arranging.ask_for_npc,
    actions.StartEncounter: encounters.start,
    actions.AddToEncounter: encounters.add,
    actions.OrderEncounter: encounters.order,
    actions.EndEncounter: encounters.end,
    actions.Approve: characters.approve,
    actions.AddNpcs: npcs.add_npcs,
    actions.ChangeNpc: npcs.change_npc,
    actions.RemoveNpc: npcs.remove_npc,
    actions.Session: clock.change_session,
    actions.AdvanceTime: clock.advance_time,
    actions.Award: gm_tools.award,
    actions.Adjust: gm_tools.adjust,
    actions.ChangePlaces: gm_tools.change_places,
    actions.ImportTable: transfer.import_table,
    actions.ChangeCampaign: settings.change_campaign,
    actions.ChangeSettings: settings.change_settings,
    actions.ImportDeck: cards.import_deck,
    actions.RemoveDeck: cards.remove_deck,
    actions.ChangeGms: settings.change_gms,
    actions.RotateSeed: settings.rotate_seed,
}
#: What everybody may, or what says itself whose it is.
_OF_ALL: dict[type, _Handler] = {
    actions.Begin: acting.begin,
    actions.Choose: acting.choose,
    actions.EndCheck: acting.end,
    actions.CloseChecks: acting.close,
    actions.SetOrder: arranging.set_order,
    actions.TakeBackOrder: arranging.take_back_order,
    actions.SetAway: arranging.set_away,
    actions.Delegate: arranging.delegate,
    actions.Due: encounters.due,
    actions.BeginAnew: settings.begin_anew,
    actions.ImportCharacter: characters.import_character,
    actions.JoinEncounter: encounters.join,
    actions.NextTurn: encounters.next_turn,
    actions.DelayTurn: encounters.delay,
    actions.RemoveFromEncounter: encounters.remove,
    actions.Edit: characters.edit,
    actions.Learn: characters.grow,
    actions.Advance: characters.grow,
    actions.Give: characters.give,
    actions.Retire: characters.retire,
    actions.Produce: rolls.produce,
    actions.ForgetPerson: privacy.forget_person,
    actions.RollDice: rolls.roll_dice,
    actions.SaveRoll: rolls.save_roll,
    actions.DrawCards: cards.draw,
    actions.PlayCard: cards.play,
    actions.OfferCard: cards.offer,
    actions.AnswerOffer: cards.answer_offer,
    actions.ShuffleDeck: cards.shuffle,
    actions.TakeOver: settings.take_over,
    actions.ChangePerson: settings.change_person,
    actions.UseCharacter: characters.use_character,
}

#: Numbers that every store, script and client keeps exactly.
_EXACT = 1 << 53


def _choices(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(choice for part in get_args(hint) for choice in _choices(part))


@cache
def _fields(kind: type) -> tuple[tuple[str, str, tuple[Any, ...]], ...]:
    """The fields of a kind of action, what errors call them, and what those may be that are no open text or number."""
    hints = get_type_hints(kind).items()
    return tuple([(key, key.rstrip("_"), _choices(hint)) for key, hint in hints if hint is not actions.Actor])


def check_fields(action: actions.Action) -> None:
    """Refuse what could not be kept: text that is no text, numbers out of all bounds, unknown choices.

    InvalidInput("unprintable-text"), ("out-of-range") or ("wrong-type").
    """
    for key, name, allowed in _fields(type(action)):
        value: object = getattr(action, key)
        if value is None or (type(value) is str and not allowed and value.isascii()):
            continue
        if allowed:
            if value not in allowed:
                raise InvalidInput("wrong-type", field=name, value=str(value)[:100], allowed=allowed)
        elif type(value) is int:
            if not -_EXACT <= value <= _EXACT:
                raise InvalidInput("out-of-range", field=name, value="…", lowest=-_EXACT, highest=_EXACT)
        elif value:
            texts = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
            for text in texts:
                clean = text.encode("utf-8", "replace").decode() if isinstance(text, str) else text
                if clean != text:
                    fix = "remove-control-characters"
                    raise InvalidInput("unprintable-text", field=name, value=str(clean)[:100], fix=fix)


def resolve(system: System, state: TableState | None, action: actions.Action, rng: Streams) -> Outcome:
    """What the action makes of the state under these rules. Pure: the same arguments give the same outcome.

    `state` is None only for `CreateTable`. Raises `RulesError` when the action is refused, and nothing has
    changed then; TypeError for a class that is no action.
    """
    check_fields(action)
    if state is None:
        if not isinstance(action, actions.CreateTable):
            raise NotFound("no-table", field="place", value=None, nearest=())
        return settings.create(system, action)
    if isinstance(action, actions.CreateTable):
        raise Impossible("place-taken", name=state.settings.name, here=True)
    game = Game(state, system, rng, action.at, action.who)
    kind = type(action)
    handler = _OF_ALL.get(kind)
    if handler is None and (handler := _OF_GMS.get(kind)) is not None:
        require_gm(state, action.who)
    return handler(state, action, game) if handler else game.require(system.actions.get(kind))(game, action)
