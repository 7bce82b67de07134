"""`/mb adventure`: the adventure, its acts and scenes; cards are dealt and filled up, and Life
Points paid.

MB-CARD-04, MB-CARD-14, MB-CARD-X01 to MB-CARD-X04, MB-GM-01 to MB-GM-04.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal

from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_economy import acts_by, command
from rules.systems.masterbook.deck import deal as deck_deal
from rules.systems.masterbook.deck.card_definitions import CardKind, Due
from rules.systems.masterbook.deck.deck_state import SCENES, CardChanges, Cards
from rules.systems.masterbook.deck.table_deck import (
    current_cards,
    for_all,
    has_deck,
    mode,
    next_file,
    require_cards,
    with_cards,
)
from rules.systems.masterbook.rounds import card_questions
from rules.table.blocks import FOR_EVERYONE, Block, Ref, Text, Verdict
from rules.table.check import OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.commands import CommandResult
from rules.table.events import Event
from rules.table.forms import Flag, Form, Many, Number, Option, Pick, Typed, plain_options
from rules.table.gm_tools import player_characters
from rules.table.marks import apply_tick
from rules.table.outcome import Outcome
from rules.table.reports import report_outcome
from rules.table.resources import TickKind
from rules.table.system import Game

AWARDS: Final = "award"
#: The longest name of a scene, in characters.
_NAME: Final = 100


def _end_period(game: Game, tick: TickKind) -> tuple[Game, tuple[Event, ...]]:
    """End what lasts for a scene, an act or an adventure, for all characters."""
    told = apply_tick(game, tick, game.state.characters)
    return told.game, told.events


def progress_adventure(game: Game, action: Any) -> Outcome:
    """Begin or end an adventure, an act or a scene.

    `number` is what a GM adds to the award of an act or adventure, `last` ends the last act,
    `grueling` an adventure in which much was suffered.

    Raises NotPermitted("gm-only"); where cards are dealt also Impossible("mb-adventure-on",
    "mb-card-none", "mb-card-in-rounds", "mb-card-ending", "mb-no-scene", "mb-act-over").
    """
    if action.what == "adventure-start":
        game = _drop_surplus(game)
    if not mode(game).hands:
        return _progress_without_hands(game, action)
    game, events = _PERIOD_HANDLERS[action.what](game, action)
    game, more = card_questions.ask_about_subplots(game, action.place)
    return Outcome(game.state, (*events, *more))


def _drop_surplus(game: Game) -> Game:
    """Drop surplus Life Points that no player has converted (MB-GM-06)."""
    for who in game.state.characters:
        sheet: MasterbookSheet = game.sheet(who)
        if sheet.surplus:
            game = game.with_sheet(who, sheet.replace(surplus=0))
    return game


def _progress_without_hands(game: Game, action: Any) -> Outcome:
    """Report a step of the story at a table without cards, and end its marks."""
    thing, _, step = action.what.partition("-")
    tick = _TICKS.get(action.what)
    game, events = _end_period(game, tick) if tick is not None else (game, ())
    if thing == "adventure" and has_deck(game):
        cards = require_cards(game)
        seats = tuple([each.replace(hastes=0) for each in cards.deal.seats])
        game = with_cards(game, cards.with_deal_changes(seats=seats))
    said = {"name": action.name, "number": 0, "over": step == "end"}
    titles = {
        "adventure": Text("mb-adventure", said),
        "act": Text("mb-act", said),
        "scene": Text("mb-scene", {**said, "act": 0, "dramatic": action.kind == "dramatic"}),
    }
    return Outcome(game.state, (*report_outcome(game, titles[thing]).events, *events))


#: Period that each step ends at a table without cards.
_TICKS: Final[Mapping[str, TickKind]] = {
    "adventure-start": "adventure",
    "adventure-end": "adventure",
    "act-end": "act",
    "scene-start": "scene",
    "scene-end": "scene",
}


GameAndEvents = tuple[Game, tuple[Event, ...]]


def _start_adventure(game: Game, action: Any) -> GameAndEvents:
    before = current_cards(game).deal
    if before.limit:
        raise Impossible("mb-adventure-on")
    deck_deal.refuse(in_rounds=before.round is not None)
    game = next_file(game)
    who = [
        each.id
        for each in player_characters(game.state)
        if card_questions.may_hold_cards(game, each.id)
    ]
    cards = deck_deal.start(current_cards(game), who, game.rng)
    title = Text("mb-adventure", {"name": action.name, "number": cards.deal.limit, "over": False})
    return card_questions.finish_card_moves(game, action.place, cards, title)


def _require_adventure(game: Game) -> Cards:
    """The deck while an adventure is on, nobody counts rounds, and nothing waits to be paid.

    Impossible("mb-card-none", "mb-card-in-rounds", "mb-card-ending").
    """
    cards, ending = require_cards(game), card_questions.has_open_check(game, AWARDS)
    deck_deal.refuse(
        none=not cards.deal.limit, in_rounds=cards.deal.round is not None, ending=ending
    )
    return cards


def _start_scene(game: Game, action: Any) -> GameAndEvents:
    events: tuple[Event, ...] = ()
    if _require_adventure(game).deal.playing:
        game, events = _end_scene(game, action)
    cards = require_cards(game)
    act, number, dramatic = cards.deal.act, cards.deal.scene + 1, action.kind == "dramatic"
    game = with_cards(game, cards.with_deal_changes(scene=number, dramatic=dramatic, playing=True))
    said = {"act": act, "number": number, "name": action.name, "dramatic": dramatic}
    return game, (*events, *report_outcome(game, Text("mb-scene", said)).events)


def _end_scene(game: Game, action: Any) -> GameAndEvents:
    cards = _require_adventure(game)
    if not cards.deal.playing:
        raise Impossible("mb-no-scene")
    game = with_cards(game, cards.with_deal_changes(playing=False))
    game, events = _end_period(game, "scene")
    game, more = card_questions.ask_to_replenish(
        game, action.place, _seated_characters(game), "draw"
    )
    said = {"act": cards.deal.act, "number": cards.deal.scene, "over": True}
    return game, (*events, *more) or report_outcome(game, Text("mb-scene", said)).events


def _seated_characters(game: Game) -> tuple[str, ...]:
    return tuple(
        [each for each in require_cards(game).deal.holders if each in game.state.characters]
    )


def _start_act(game: Game, action: Any) -> GameAndEvents:
    said = {"number": _require_adventure(game).deal.act, "name": action.name}
    return game, report_outcome(game, Text("mb-act", said)).events


def _end_act(game: Game, action: Any) -> GameAndEvents:
    cards = _require_adventure(game)
    if cards.deal.acts == cards.deal.act:
        raise Impossible("mb-act-over")
    game, events = _end_period(
        with_cards(game, cards.with_deal_changes(playing=False)), "scene" if action.last else "act"
    )
    game, more = _begin_awards(game, action, "act")
    return game, (*events, *more)


def _end_adventure(game: Game, action: Any) -> GameAndEvents:
    _require_adventure(game)
    return _begin_awards(game, action, "adventure")


def _begin_awards(game: Game, action: Any, what: str) -> GameAndEvents:
    """The GM is asked what is paid."""
    said = {key: value for key in ("number", "last", "grueling") if (value := getattr(action, key))}
    return card_questions.begin_card_check(game, AWARDS, action.place, said={"what": what, **said})


_PERIOD_HANDLERS: Final = {
    "adventure-start": _start_adventure,
    "adventure-end": _end_adventure,
    "act-start": _start_act,
    "act-end": _end_act,
    "scene-start": _start_scene,
    "scene-end": _end_scene,
}


# --- awards ---------------------------------------------------------------------------------------


class Reward(Record):
    """What is paid at the end of an act or adventure, and what was paid.

    Life Points of each, for `counted` scenes or acts, whether that is more than is meant, which
    subplots pay.
    """

    what: Literal["act", "adventure"] = "act"
    number: int = 0
    counted: int = 0
    last: bool = False
    much: bool = False
    dues: tuple[Due, ...] = ()
    over: bool = False
    moves: CardChanges = ()


_ENDED_PERIOD_FIELD: Final = Pick("what", choices=plain_options(("act", "adventure")))
_NUMBER: Final = Number("number", low=deck_deal.ADJUST[0], high=10)
_LAST, _GRUELING = Flag("last"), Flag("grueling")
_AWARD_FORM: Final = Form((_ENDED_PERIOD_FIELD, _NUMBER, _LAST, _GRUELING))


def _begin_reward(game: Game, check: Any, values: Values) -> Any:
    """What is due now."""
    deal, more, last = require_cards(game).deal, values.get("number", 0), "last" in values
    if values.get("what") == "act":
        number = deck_deal.act_award(deal.scene, more, last)
        return check.replace(
            round=None, data=Reward("act", number, deal.scene, last, dues=("end_of_act",))
        )
    number, much = deck_deal.adventure_award(deal.act, more, "grueling" in values)
    left: tuple[Due, ...] = ("end_of_act",) if deal.acts < deal.act else ()
    dues = (*left, "end_of_adventure", "end_of_adventure_if_unused")
    return check.replace(round=None, data=Reward("adventure", number, deal.act, True, much, dues))


def _plots(game: Game, dues: Collection[Due]) -> tuple[tuple[str, str, CardKind], ...]:
    """Whose subplots pay now: character, the card or the key of a permanent one, and what it is."""
    cards = current_cards(game)
    return tuple(
        [
            (who, *each)
            for who in cards.deal.holders
            for each in deck_deal.due_subplots(cards, who, dues)
        ]
    )


class AwardStage(Stage[Reward]):
    """The GM says which subplots were played as they should be; then everybody is paid
    (MB-CARD-X02, MB-CARD-X03).
    """

    name = "judging"

    def enter(self, game: Game, check: Check[Reward], /) -> StageResult[Reward] | None:
        return None if _plots(game, check.data.dues) else _pay_awards(game, check)

    def ask(self, game: Game, check: Check[Reward], /) -> tuple[Prompt, ...]:
        return () if check.data.over else (Prompt("judge", button="mb-award-gm"),)

    def options(
        self, game: Game, check: Check[Reward], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        among: dict[str, list[Option]] = {"unplayed": [], "weak": []}
        for whose, each, kind in _plots(game, check.data.dues):
            called = Text(
                "mb-plot-of", {"who": Ref(name=game.character(whose).name), "name": kind.name}
            )
            offer = Option(f"{whose}-{each}", called)
            among["unplayed"].append(offer)
            if kind.award is not None and kind.award.reduced:  # the others pay all of it or nothing
                among["weak"].append(offer)
        fields = tuple(
            [Many(key, choices=tuple(offers)) for key, offers in among.items() if offers]
        )
        return [
            CheckOption("pay", Text("mb-award-pay")),
            CheckOption("judge", Text("mb-award-judge"), Form(fields)),
        ]

    def choose(self, game: Game, check: Check[Reward], choice: Choice, /) -> StageResult[Reward]:
        return _pay_awards(game, check, **choice.values)


def _pay_awards(
    game: Game, check: Check[Reward], unplayed: Collection[str] = (), weak: Collection[str] = ()
) -> StageResult[Reward]:
    """Everybody is paid; an act goes on with the next one, an adventure is over."""
    data, cards = check.data, require_cards(game)
    for who in _seated_characters(game):
        cards = deck_deal.pay(cards, who, data.number)
        judged = [[each.removeprefix(f"{who}-") for each in said] for said in (unplayed, weak)]
        for due in data.dues:
            cards = deck_deal.pay_subplots(cards, who, due, *judged)
    events: tuple[Event, ...] = ()
    if data.what == "act":
        act, acts = cards.deal.act + (not data.last), cards.deal.acts + 1
        game = with_cards(game, cards.with_deal_changes(act=act, acts=acts, scene=0))
        if not data.last:
            game, events = card_questions.ask_to_replenish(
                game, check.place, _seated_characters(game), "draw"
            )
    else:
        cards = deck_deal.end_adventure(cards)
        game, events = _end_period(with_cards(game, cards), "adventure")
        game, more = card_questions.refresh_card_checks(game)
        events = (*events, *more)
    data, said = data.replace(over=True, moves=cards.told), Text("mb-award-paid")
    return StageResult(game.state, data, OVER, events=events, said=said)


def _describe_awards(game: Game, check: Check[Reward]) -> tuple[Block, ...]:
    """What everybody gets and for what; what subplots would pay until that is said, and what Martyr
    would cost.
    """
    data = check.data
    said = {
        key: getattr(data, key) for key in ("what", "number", "counted", "much", "last", "over")
    }
    cards, head = (
        current_cards(game),
        Verdict(Text("mb-paid-for", {"what": data.what}), "neutral", FOR_EVERYONE),
    )
    found: list[Block] = [head] if data.over else []
    found.append(for_all("mb-paid-out", **said, more=data.number - data.counted or None))
    for who, _, kind in () if data.over else _plots(game, data.dues):
        pays = {
            "points": kind.award and kind.award.life_points,
            "less": kind.award and kind.award.reduced,
        }
        found.append(for_all("mb-plot-pays", who=Ref(who), name=kind.name, **pays))
    if data.what == "adventure" and not data.over:
        found += [
            for_all("mb-martyr-lives", who=Ref(each.who)) for each in cards.deal.seats if each.named
        ]
    return (*found, *card_questions.move_notes(game, cards, data.moves))


PROCEDURE: Final = Procedure(
    AWARDS, (AwardStage(),), Reward, _AWARD_FORM, _begin_reward, _describe_awards, by_itself=True
)


# --- commands -------------------------------------------------------------------------------------


def _period_command(thing: str, what: Literal["", "start", "end"] = "") -> Any:
    def run(game: Game, said: Values) -> CommandResult:
        return _PERIOD_ACT(game, {**said, "what": f"{thing}-{what or said['what']}"})

    return run


_NAMED: Final = Typed("name", most=_NAME)
_KIND: Final = Pick("kind", choices=plain_options(SCENES))
_WHAT: Final = Pick("what", choices=plain_options(("start", "end")), needed=True)
_LOW, _HIGH = deck_deal.ADJUST
_DONE: Final = Pick("what", choices=plain_options(_PERIOD_HANDLERS), needed=True)
_MORE: Final = Number("number", low=_LOW, high=_HIGH)
_PERIOD_ACT: Final = acts_by(
    "Tell", progress_adventure, _DONE, _NAMED, _KIND, _NUMBER, _LAST, _GRUELING
)
ACTS: Final = (_PERIOD_ACT,)
COMMANDS: Final = (
    command("adventure start", _period_command("adventure", "start"), _NAMED),
    command(
        "adventure end",
        _period_command("adventure", "end"),
        Number("number", low=0, high=10),
        _GRUELING,
    ),
    command("adventure act", _period_command("act"), _WHAT, _NAMED, _MORE, _LAST),
    command("adventure scene", _period_command("scene"), _WHAT, _KIND, _NAMED),
)
