"""The one way a table changes: `resolve(system, state, action, rng)`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache, lru_cache
from itertools import compress
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from rules.core.errors import Impossible, InvalidInput, NotFound, Param
from rules.core.record import record
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
#: What may be out of all bounds.
_BOUNDED = (str, int, tuple)
#: What is done about a value of another kind than its field's.
_FIXES: dict[type, str] = {
    str: "use-text",
    int: "use-whole-number",
    bool: "use-true-or-false",
    dict: "use-object",
    tuple: "use-list",
}


@record
class _Rule:
    """What a field of an action may hold: values of these `kinds`, the `inner` ones in a list.

    `name` is what errors call it; `choices` are all that a value may be, where it is no open text or number.
    """

    key: str
    name: str
    kinds: frozenset[type]
    inner: frozenset[type]
    choices: tuple[Any, ...]


def _choices(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(choice for part in get_args(hint) for choice in _choices(part))


def _kinds(hint: Any) -> frozenset[type]:
    """The classes that values of this type have: exactly these, since True is no number here."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return frozenset[type]().union(*map(_kinds, get_args(hint)))
    return frozenset(map(type, get_args(hint))) if origin is Literal else frozenset((origin or hint,))


@cache
def _rules(kind: type) -> tuple[Callable[[object], tuple[object, ...]], tuple[_Rule, ...]]:
    """What reads all fields of an action but who acts, and the rule of each."""
    found: list[_Rule] = []
    for key, hint in get_type_hints(kind).items():
        if hint is actions.Actor:
            continue
        inner = get_args(hint)[:1] if get_origin(hint) is tuple else ()
        within = frozenset[type]().union(*map(_kinds, inner))
        choices = () if inner else _choices(hint)
        found.append(_Rule(key, key.rstrip("_"), _kinds(hint), within, choices))
    # Every action has a place and a time, so that it is a tuple that is read.
    return attrgetter(*[each.key for each in found]), tuple(found)


#: Fields of an action, by their places.
_Places = tuple[tuple[int, _Rule], ...]


@lru_cache(maxsize=1024)
def _doubtful(kind: type, kinds: tuple[type, ...]) -> tuple[tuple[bool, ...], _Places, _Places]:
    """Which fields of an action are open texts, its values being of these kinds.

    Then those that may still be wrong: of the others, and of all.
    """
    rules = [*enumerate(zip(_rules(kind)[1], kinds, strict=True))]
    texts = tuple([each is str and each in rule.kinds and not rule.choices for _, (rule, each) in rules])
    found = [
        (place, rule)
        for place, (rule, each) in rules
        if each not in rule.kinds or (each is not NoneType and (rule.choices or each in _BOUNDED))
    ]
    return texts, tuple([each for each in found if not texts[each[0]]]), tuple(found)


def check_fields(action: actions.Action) -> None:
    """Refuse what could not be kept or read again: values of another kind, text that is no text, numbers out of all
    bounds, unknown choices.

    What objects hold is for those who read them. InvalidInput("unprintable-text"), ("out-of-range") or ("wrong-type").
    """
    found = type(action)
    values = _rules(found)[0](action)
    texts, others, every = _doubtful(found, tuple(map(type, values)))
    # What is in ASCII can be kept, and nearly every text is.
    for place, rule in others if "".join(cast("Any", compress(values, texts))).isascii() else every:
        value = values[place]
        kind = type(value)
        if kind not in rule.kinds or (rule.choices and value not in rule.choices):
            raise _wrong(rule, value)
        if kind is tuple:
            for each in cast("tuple[object, ...]", value):
                if type(each) not in rule.inner:
                    raise _wrong(rule, each, rule.inner)
                _bounded(rule.name, each)
        else:
            _bounded(rule.name, value)


def _bounded(name: str, value: object) -> None:
    if isinstance(value, str):
        if not value.isascii() and (clean := value.encode("utf-8", "replace").decode()) != value:
            fix = "remove-control-characters"
            raise InvalidInput("unprintable-text", field=name, value=clean[:100], fix=fix)
    elif isinstance(value, int) and not -_EXACT <= value <= _EXACT:
        raise InvalidInput("out-of-range", field=name, value="…", lowest=-_EXACT, highest=_EXACT)


def _wrong(rule: _Rule, value: object, kinds: Collection[type] = ()) -> InvalidInput:
    shown = str(value).encode("utf-8", "replace").decode()[:100]
    fixes = [_FIXES[each] for each in _FIXES if each in (kinds or rule.kinds)]
    more: dict[str, Param] = {"allowed": rule.choices} if rule.choices else {"fix": fixes[0]}
    return InvalidInput("wrong-type", field=rule.name, value=shown, **more)


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
    ruled = system.cards
    if ruled is not None and kind in ruled.actions and ruled.takes(game, action):
        return ruled.actions[kind](game, action)
    handler = _OF_ALL.get(kind)
    if handler is None and (handler := _OF_GMS.get(kind)) is not None:
        require_gm(state, action.who)
    outcome = (
        handler(state, action, game) if handler else game.require(system.actions.get(kind))(game, action)
    )
    return outcome if ruled is None else ruled.after(game, outcome)
