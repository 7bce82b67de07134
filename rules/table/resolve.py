"""The one way a table changes: `resolve(system, state, action, rng)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.record import record
from rules.core.rng import Streams
from rules.table import actions, cards, gm_tools, privacy, produce, rolls, settings, transfer
from rules.table.checks import acting, arranging
from rules.table.outcome import Outcome
from rules.table.people import characters, npcs
from rules.table.state import TableState
from rules.table.system import Game, System
from rules.table.turns import clock, encounters

_WITH_SYSTEM: dict[type, Callable[[TableState, Any, Streams, Game], Outcome]] = {
    actions.Begin: acting.begin,
    actions.Choose: acting.choose,
    actions.EndCheck: acting.end,
    actions.CloseChecks: acting.close,
    actions.SetOrder: arranging.set_order,
    actions.TakeBackOrder: arranging.take_back_order,
    actions.AskForNpc: arranging.ask_for_npc,
    actions.SetAway: arranging.set_away,
    actions.Delegate: arranging.delegate,
    actions.Due: encounters.due,
    actions.ImportCharacter: characters.import_character,
    actions.StartEncounter: encounters.start,
    actions.JoinEncounter: encounters.join,
    actions.AddToEncounter: encounters.add,
    actions.OrderEncounter: encounters.order,
    actions.NextTurn: encounters.next_turn,
    actions.DelayTurn: encounters.delay,
    actions.RemoveFromEncounter: encounters.remove,
    actions.EndEncounter: encounters.end,
    actions.Approve: characters.approve,
    actions.Edit: characters.edit,
    actions.Learn: characters.learn,
    actions.Advance: characters.advance,
    actions.Give: characters.give,
    actions.Retire: characters.retire,
    actions.Produce: produce.produce,
    actions.AddNpcs: npcs.add_npcs,
    actions.ChangeNpc: npcs.change_npc,
    actions.RemoveNpc: npcs.remove_npc,
    actions.Session: clock.change_session,
    actions.AdvanceTime: clock.advance_time,
    actions.Award: gm_tools.award,
    actions.Adjust: gm_tools.adjust,
    actions.ChangePlaces: gm_tools.change_places,
    actions.ForgetPerson: privacy.forget_person,
    actions.ImportTable: transfer.import_table,
    actions.RollDice: rolls.roll_dice,
    actions.SaveRoll: rolls.save_roll,
    actions.ChangeCampaign: settings.change_campaign,
    actions.ChangeSettings: settings.change_settings,
    actions.DrawCards: cards.draw,
    actions.PlayCard: cards.play,
    actions.OfferCard: cards.offer,
    actions.AnswerOffer: cards.answer_offer,
    actions.ShuffleDeck: cards.shuffle,
    actions.ImportDeck: cards.import_deck,
    actions.RemoveDeck: cards.remove_deck,
}
_ON_TABLE: dict[type, Callable[[TableState, Any], Outcome]] = {
    actions.ChangeGms: settings.change_gms,
    actions.TakeOver: settings.take_over,
    actions.ChangePerson: settings.change_person,
    actions.RotateSeed: settings.rotate_seed,
    actions.UseCharacter: characters.use_character,
}


#: Numbers that every store, script and client keeps exactly.
_EXACT = 1 << 53
_LEAST = -_EXACT


def _choices(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(choice for part in get_args(hint) for choice in _choices(part))


@record
class _Fields:
    """The fields of a kind of action, what those may be that are no open text or number, and how to get the rest."""

    choices: tuple[tuple[str, tuple[Any, ...]], ...]
    open: tuple[str, ...]
    values: Callable[[actions.Action], tuple[object, ...]]


@cache
def _fields(kind: type) -> _Fields:
    found = {name: _choices(hint) for name, hint in get_type_hints(kind).items() if hint is not actions.Actor}
    choices = {name: allowed for name, allowed in found.items() if allowed}
    open_ = tuple(name for name in found if name not in choices)
    # attrgetter gives a tuple for two names or more; every action has a place and a time.
    return _Fields(tuple(choices.items()), open_, attrgetter(*open_))


def _check_text(name: str, text: str) -> None:
    clean = text.encode("utf-8", "replace").decode()
    if clean != text:
        raise InvalidInput(
            "unprintable-text",
            field=name.rstrip("_"),
            value=clean[:100],
            fix="remove-control-characters",
        )


def check_fields(action: actions.Action) -> None:
    """Refuse what could not be kept: text that is no text, numbers out of all bounds, unknown choices.

    InvalidInput("unprintable-text"), ("out-of-range") or ("wrong-type").
    """
    fields = _fields(type(action))
    for name, allowed in fields.choices:
        chosen: object = getattr(action, name)
        if chosen is not None and chosen not in allowed:
            field = name.rstrip("_")
            raise InvalidInput("wrong-type", field=field, value=str(chosen)[:100], allowed=allowed)
    values = fields.values(action)
    for value in values:
        if type(value) is str:
            if value.isascii():
                continue
        elif type(value) is int:
            if _LEAST <= value <= _EXACT:
                continue
        elif not value:
            continue
        _check_values(fields.open, values)  # nearly never: only then everything is looked at closely
        return


def _check_values(names: tuple[str, ...], values: tuple[object, ...]) -> None:
    """Refuse the first text that is no text, or number out of bounds, among the values of these fields."""
    for name, value in zip(names, values, strict=True):
        if type(value) is str:
            _check_text(name, value)
        elif type(value) is int:
            if not _LEAST <= value <= _EXACT:
                field = name.rstrip("_")
                raise InvalidInput("out-of-range", field=field, value="…", lowest=_LEAST, highest=_EXACT)
        elif isinstance(value, tuple):
            for text in cast("tuple[object, ...]", value):
                if isinstance(text, str):
                    _check_text(name, text)


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
        raise Impossible("place-taken", name=state.settings.name)
    game = Game(state, system, rng, action.at, action.who)
    with_system = _WITH_SYSTEM.get(type(action))
    if with_system is not None:
        return with_system(state, action, rng, game)
    on_table = _ON_TABLE.get(type(action))
    if on_table is not None:
        return on_table(state, action)
    return game.require(system.actions.get(type(action)))(game, action)
