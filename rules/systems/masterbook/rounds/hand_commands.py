"""Commands about Luck, held cards and the deck, besides the shared ones.

MB-CARD-06, MB-CARD-08, MB-CARD-15, MB-CARD-S01 to MB-CARD-S05, MB-CARD-P01 to MB-CARD-P03,
MB-CARD-D06.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any, Final, Literal

from rules.core.errors import Impossible, NotFound
from rules.core.name_matching import name_key
from rules.systems.masterbook.checks import card_windows
from rules.systems.masterbook.checks.action_commands import command, openly_about
from rules.systems.masterbook.checks.action_economy import SURPRISED
from rules.systems.masterbook.checks.card_windows import between
from rules.systems.masterbook.deck import deal, play, subplots
from rules.systems.masterbook.deck.card_definitions import KINDS
from rules.systems.masterbook.deck.deck_files import DeckFile
from rules.systems.masterbook.deck.deck_state import (
    DRAW_PILE,
    FACE,
    Cards,
)
from rules.systems.masterbook.deck.table_deck import (
    current_cards,
    faces_in,
    for_all,
    kinds_in,
    mode,
    next_deck_file,
    require_cards,
    with_cards,
)
from rules.systems.masterbook.rounds import (
    card_commands,
    card_moves,
    round_card,
)
from rules.systems.masterbook.rounds.card_rules import (
    apply_card_effect,
    bring_deck,
    finish_moves,
    play_between_actions,
)
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, GMS, Group, Ref, Text
from rules.table.check import Values
from rules.table.commands import AS_FIELD, NAME_MAX, CommandAction, known_character_options
from rules.table.deeds import Deed
from rules.table.events import Event, Reported
from rules.table.forms.fields import Flag, Number, Option, Pick, Typed, plain_options
from rules.table.lookup import acting_character, find_known
from rules.table.marks import without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reports import report_outcome
from rules.table.system import Game

#: Most cards that the GM looks at, and most characters of a typed list of cards.
_MAX_PEEK: Final = 20
_MAX_TYPED: Final = 300
_ALERTNESS: Final = "alertness"


# --- Luck -----------------------------------------------------------------------------------------


class UseLuck(Action, kw_only=True):
    """Use Luck as a card."""

    #: Name of the card.
    effect: str
    as_: str | None = None


def _use_luck(game: Game, action: UseLuck) -> Outcome:
    """Use Luck between actions.

    Raises NotFound("unknown-choice"), and as `acting_character` and `play.luck_card_effect`.
    """
    who = acting_character(game.state, action.who, action.as_, action.place).id
    wanted = name_key(action.effect)
    kind = next((kind for kind in KINDS.values() if name_key(kind.name) == wanted), None)
    if kind is None:
        offered = tuple(option.value for option in _LUCK)
        raise NotFound("unknown-choice", field="effect", value=action.effect[:60], nearest=offered)
    effect = card_windows.effect_of(game, who, kind.key, between(game, who))
    game = card_windows.spend_luck(game, who, kind.key)
    if kind.key == _ALERTNESS:
        game = _without_surprise(game, who)
    seat = current_cards(game).deal.seat(who)
    if effect.actions and seat is not None:
        cards = require_cards(game).with_seat_changes(
            who, extra_actions=seat.extra_actions + effect.actions
        )
        game = with_cards(game, cards)
    title = Text("mb-luck", {"who": card_moves.holder_ref(game, who), "card": kind.name})
    reports = report_outcome(game, title).events
    game, events = apply_card_effect(game, action.place, who, effect)
    return Outcome(game.state, (*reports, *events))


class Rescue(Action, kw_only=True):
    """Avert a disaster with the Luck of a player's character, for a GM."""

    character: str


def _rescue(game: Game, action: Rescue) -> Outcome:
    """Avert a disaster with the Luck of a player's character.

    Raises NotPermitted("gm-only"), and as `find_known` and `rescue_by_luck`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.character, "character")
    game = card_windows.rescue_by_luck(game, who.id)
    return report_outcome(game, Text("mb-luck-rescue", {"who": Ref(name=who.name)}), of=who)


# --- held cards and the deck ----------------------------------------------------------------------


class Play(Action, kw_only=True):
    """Play a card."""

    card: str
    #: Card that a Wild one is played as.
    as_name: str = ""
    #: Cards that go to other characters with a Leadership card.
    gifts: str = ""
    #: Characters who get them: one, or one for each card.
    to: str = ""
    #: Whether no card is drawn for those that are given.
    give_only: bool = False
    #: Question to the GM.
    question: str = ""
    as_: str | None = None


def _play_by_command(game: Game, action: Play) -> Outcome:
    """Play a card between actions.

    Raises Impossible("mb-card-not-wild") for another card than a Wild one with `as_name`, and as
    `acting_character`, `find_card` and `play_between_actions`.
    """
    who = acting_character(game.state, action.who, action.as_, action.place).id
    cards = require_cards(game)
    cards.seat(who)
    card = card_moves.find_card(cards, cards.held_cards(who), action.card)
    if action.as_name and cards.kind(card).op != "any_card":
        raise Impossible("mb-card-not-wild", name=cards.kind(card).name)
    gifts = _read_gifts(game, action, cards, who, card) if action.gifts else []
    kinds = {kind.name.casefold(): key for key, kind in cards.kinds.items()}
    as_name = kinds.get(action.as_name.casefold()) or action.as_name
    how: dict[str, Any] = {"as_name": as_name, "gifts": gifts, "draws": not action.give_only}
    return play_between_actions(game, action.place, who, card, action.question, **how)


def _read_gifts(
    game: Game, action: Play, cards: Cards, who: str, card: str
) -> list[tuple[str, tuple[str, ...]]]:
    """Return the gifts of a Leadership card: each receiver with a card.

    Raises NotFound, and Impossible("mb-card-gift-each") unless there is one receiver, or one for
    each gift.
    """
    others = [held for held in cards.held_cards(who) if held != card]
    given = card_moves.find_cards(cards, others, action.gifts)
    receivers: list[str] = []
    for name in action.to.split(","):
        receivers.append(find_known(game.state, action.who, name.strip(), "to").id)
    if len(receivers) not in (1, len(given)):
        raise Impossible("mb-card-gift-each")
    return [(receiver, (gift,)) for receiver, gift in zip(cycle(receivers), given, strict=False)]


class UseFaceUp(Action, kw_only=True):
    """Use a face-up card of a character, for a GM."""

    character: str
    card: str


def _use_face_up(game: Game, action: UseFaceUp) -> Outcome:
    """Use a face-up card of a character as the GM, or end a permanent subplot.

    Raises NotPermitted("gm-only"), NotFound, and Impossible("mb-card-precondition").
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.character, "character").id
    cards = require_cards(game)
    keys = subplots.permanent_subplots(cards, who)
    permanent = {cards.kinds[key].name.casefold(): key for key in keys}
    ended = permanent.get(action.card.casefold())
    if ended:
        cards = subplots.end_permanent(cards, who, ended)
        game = with_cards(game, cards)
        holder, name = card_moves.holder_ref(game, who), cards.kinds[ended].name
        note = for_all("mb-plot-ended", who=holder, name=name)
        return report_outcome(game, Text("topic-cards"), note)
    card = card_moves.find_card(cards, cards.at(FACE, who), action.card, who)
    is_alertness = cards.kind(card, who).key == _ALERTNESS
    cards = subplots.use_face_up(cards, who, card)
    if is_alertness:
        game = _without_surprise(game, who)
    return finish_moves(game, cards, action.place)


def _without_surprise(game: Game, who: str) -> Game:
    """Return the game with a character no longer surprised, by Alertness (MB-CARD-S01)."""
    return game.with_state(without_marks(game.state, who, SURPRISED))


class Martyr(Action, kw_only=True):
    """Name, do or leave undone a martyr's deed, for a GM."""

    how: Literal["named", "done", "out"]
    character: str


def _change_martyr_deed(game: Game, action: Martyr) -> Outcome:
    """Name, do or leave undone a martyr's deed.

    Raises NotPermitted("gm-only"), Impossible("mb-card-precondition"), and as `find_known`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.character, "character")
    cards = _MARTYR_DEEDS[action.how](require_cards(game), who.id)
    return finish_moves(game, cards, action.place)


#: Ends of a martyr's deed.
_MARTYR_DEEDS: Final = {
    "named": subplots.name_martyr_deed,
    "done": subplots.sacrifice,
    "out": subplots.back_out,
}


class Sit(Action, kw_only=True):
    """Let a character join or leave the deck, or draw a bonus card, for a GM."""

    how: Literal["joins", "leaves", "bonus"]
    character: str


def _change_seat(game: Game, action: Sit) -> Outcome:
    """Let a character join or leave the deck, or draw a bonus card.

    Raises NotPermitted("gm-only"), Impossible("mb-card-no-seat"), ("mb-card-seated"),
    ("mb-card-off"), and as `find_known`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.character, "character").id
    cards = require_cards(game)
    if action.how == "joins":
        seated = cards.deal.seat(who) is not None
        deal.refuse(
            no_seat=not card_moves.may_hold_cards(game, who),
            none=not cards.deal.limit,
            seated=seated,
        )
        cards = deal.join(cards, who, game.rng)
    elif action.how == "leaves":
        cards = deal.deal_out(cards, who)
    else:
        cards = deal.draw_bonus_card(cards, who, game.rng)
    return finish_moves(game, cards, action.place)


class Arrange(Action, kw_only=True):
    """Look at the draw pile, stack it, or make a blank card another one, for a GM."""

    how: Literal["peek", "stack", "blank"]
    #: Number of cards to look at.
    number: int | None = None
    #: Cards in their new order, or the kind that a blank card becomes.
    cards: str = ""


def _arrange(game: Game, action: Arrange) -> Outcome:
    """Look at the draw pile, stack it, or make a blank card another one. Everyone is told that.

    A deck that no adventure shuffles is shuffled first, and not by the next flip.
    Raises NotPermitted("gm-only"), NotFound, and Impossible("mb-card-none"), ("mb-card-no-blank").
    """
    require_gm(game.state, action.who)
    events: tuple[Event, ...] = ()
    if action.how == "blank":
        number, outcome = 1, bring_deck(game, _deck_with_blank(game, action.cards))
        game, events = game.with_state(outcome.state), outcome.events
    else:
        table_mode = mode(game)
        if table_mode.lines and not table_mode.hands:
            cards = round_card.ready_deck(game)
        else:
            cards = require_cards(game)
        if action.how == "stack":
            order = card_moves.find_cards(cards, cards.at(DRAW_PILE), action.cards)
            number, cards = len(order), deal.stack(cards, order)
        else:
            top = cards.at(DRAW_PILE)[: action.number]
            number = len(top)
            events = (_top_cards_report(cards, top, action.who.id),)
        shuffles = card_moves.shuffle_events(game, cards)
        game, events = with_cards(game, cards), (*shuffles, *events)
    note = for_all("mb-deck-arranged", how=action.how, number=number)
    outcome = report_outcome(game, Text("topic-cards"), note)
    return Outcome(outcome.state, (*events, *outcome.events))


def _top_cards_report(cards: Cards, top: Sequence[str], by: str) -> Reported:
    """Return the report of the top cards to the GMs."""
    rows = tuple((card_moves.card_label(cards, card),) for card in top)
    blocks = (Group(None, rows, FOR_EVERYONE),)
    return Reported(audience=GMS, title=Text("mb-deck-top"), blocks=blocks, by=by)


def _deck_with_blank(game: Game, name: str) -> DeckFile:
    """Return the next deck with a blank card made another card of a kind (MB-CARD-B01).

    The new card has the lines of the first card of that kind.
    """
    file = next_deck_file(game)
    faces, kinds = [*faces_in(file).values()], kinds_in(file)
    wanted = ""
    for key, kind in kinds.items():
        if name.casefold() in (key, kind.name.casefold()):
            wanted = key
            break
    like = next((face for face in faces if face.kind == wanted and face.in_play), None)
    blank = next((at for at, face in enumerate(faces) if face.kind == "blank"), None)
    if like is None:
        near = tuple(dict.fromkeys(kind.name for kind in kinds.values()))[:10]
        raise NotFound("mb-card-not-there", field="card", value=name[:60], nearest=near)
    if blank is None:
        raise Impossible("mb-card-no-blank")
    faces[blank] = like.replace(id=faces[blank].id)
    return (file or DeckFile("MasterBook", ())).replace(faces=tuple(faces))


def _how_field(*ways: str) -> Pick:
    return Pick("how", choices=plain_options(ways), needed=True)


_WHOSE: Final = Typed("character", most=NAME_MAX, needed=True, choices=known_character_options)
_CARD: Final = Typed("card", most=NAME_MAX, needed=True)
_CARDS, _NUMBER = Typed("cards", most=_MAX_TYPED), Number("number", low=1, high=_MAX_PEEK)
_WAYS: Final = _how_field("peek", "stack", "blank")
_ARRANGE: Final = Deed("deck peek", Arrange, _arrange, (_WAYS, _NUMBER, _CARDS), openly=False)


def _run_peek(game: Game, given: Values) -> CommandAction:
    return _ARRANGE.run(game, {"how": "peek", **given})


def _run_stack(game: Game, given: Values) -> CommandAction:
    return _ARRANGE.run(game, {"how": "stack", **given})


def _run_blank(game: Game, given: Values) -> CommandAction:
    return _ARRANGE.run(game, {"how": "blank", **given}).replace(openly=True)


def _luck_options() -> tuple[Option, ...]:
    """Return the cards that Luck may be, by name."""
    names: list[str] = []
    for use in play.LUCK["ciii"]:
        names.extend(KINDS[key].name for key in use if key in KINDS)
    return plain_options(names)


_LUCK: Final = _luck_options()
_IS_OPEN: Final = openly_about("character")


def _is_without_gifts(game: Game, given: Values) -> bool:
    """Return whether everyone reads of a played card: gifts are secret."""
    return not given.get("gifts")


_PLAY: Final = Deed(
    "card play",
    Play,
    _play_by_command,
    (
        Typed("card", most=NAME_MAX, needed=True, choices=card_moves.OWN_CARDS),
        Typed("as_name", most=NAME_MAX),
        Typed("gifts", most=_MAX_TYPED, choices=card_moves.OWN_CARDS),
        Typed("to", most=_MAX_TYPED, choices=known_character_options),
        Flag("give_only"),
        Typed("question", most=_MAX_TYPED),
        AS_FIELD,
    ),
    _is_without_gifts,
)
_USE_LUCK: Final = Deed(
    "card luck",
    UseLuck,
    _use_luck,
    (Typed("effect", most=NAME_MAX, needed=True, choices=_LUCK), AS_FIELD),
)
_RESCUE: Final = Deed("card rescue", Rescue, _rescue, (_WHOSE,), _IS_OPEN)
_USE_FACE_UP: Final = Deed("card use", UseFaceUp, _use_face_up, (_WHOSE, _CARD), _IS_OPEN)
_MARTYR: Final = Deed(
    "card martyr", Martyr, _change_martyr_deed, (_how_field(*_MARTYR_DEEDS), _WHOSE), _IS_OPEN
)
_SIT: Final = Deed(
    "card seat", Sit, _change_seat, (_how_field("joins", "leaves", "bonus"), _WHOSE), _IS_OPEN
)
_HAND_DEEDS: Final = (_PLAY, _USE_LUCK, _RESCUE, _USE_FACE_UP, _MARTYR, _SIT)
DEEDS: Final[tuple[Deed[Any], ...]] = (*_HAND_DEEDS, _ARRANGE, *card_commands.DEEDS)
COMMANDS: Final = (
    *[deed.as_command() for deed in _HAND_DEEDS],
    command("deck peek", _run_peek, _NUMBER.replace(needed=True)),
    command("deck stack", _run_stack, _CARDS.replace(needed=True)),
    command("deck blank", _run_blank, _CARDS.replace(needed=True)),
    *card_commands.CARD_COMMANDS,
)
