"""`/mb adventure`: the adventure, its acts and scenes; cards are dealt and filled up, and Life Points paid.

MB-CARD-04, MB-CARD-14, MB-CARD-X01 to MB-CARD-X04, MB-GM-01 to MB-GM-04.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final, Literal, cast

from rules.core.errors import Impossible
from rules.core.record import Record, record
from rules.systems.masterbook.deck import asking, dealing
from rules.systems.masterbook.deck.kinds import Due
from rules.systems.masterbook.deck.state import Cards, Ending, Moves, Scene
from rules.systems.masterbook.deck.table import (
    begun,
    cards_of,
    faces_of,
    kinds_of,
    next_file,
    plays,
    with_cards,
)
from rules.systems.masterbook.doing import acts_by, command
from rules.table.blocks import ALL, Block, Note, Ref, Text
from rules.table.checks.check import OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import Option, Procedure, Stage, Step
from rules.table.commands import Said
from rules.table.events import Event, Line
from rules.table.forms import Flag, Form, Many, Number, Pick, Typed, as_written
from rules.table.forms import Option as Offer
from rules.table.gm_tools import party
from rules.table.marks import passed
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reporting import reported
from rules.table.resources import Tick
from rules.table.system import Game

AWARDS: Final = "award"
#: The longest name of a scene, in characters.
_NAME: Final = 100


def _over(game: Game, tick: Tick) -> tuple[Game, tuple[Event, ...]]:
    """What ends by itself with a scene, an act, an adventure."""
    told = passed(game, tick, [each.id for each in party(game.state)])
    return told.game, told.events


def tell(game: Game, action: Any) -> Outcome:
    """NotPermitted("gm-only"); Impossible("mb-card-off") where no cards are dealt, ("mb-adventure-on"),
    ("mb-card-none"), ("mb-card-in-rounds"), ("mb-card-ending"), ("mb-no-scene"), ("mb-act-over").

    `number` is what a GM adds to the award of an act or adventure, `last` ends the last act, `grueling` an adventure in
    which much was suffered. An adventure begins without cards, too: what lasted for the one before is over.
    """
    require_gm(game.state, game.actor)
    if not plays(game) and action.what == "adventure-start":
        game, events = _over(game, "adventure")
        if begun(game):
            cards = cards_of(game)
            seats = tuple([each.but(hastes=0) for each in cards.deal.seats])
            game = with_cards(game, cards.dealt(seats=seats))
        title = Line("mb-adventure", {"name": action.name, "number": 0, "over": False})
        return Outcome(game.state, (*reported(game, title).events, *events))
    dealing.refuse(off=not plays(game))
    game, events = _DOES[action.what](game, action)
    game, more = asking.plots(game, action.place)
    return Outcome(game.state, (*events, *more))


Told = tuple[Game, tuple[Event, ...]]


def _adventure_start(game: Game, action: Any) -> Told:
    if begun(game) and cards_of(game).deal.limit:
        raise Impossible("mb-adventure-on")
    dealing.refuse(in_rounds=begun(game) and cards_of(game).deal.round is not None)
    game = next_file(game)
    who = [each.id for each in party(game.state) if asking.holds(game, each.id)]
    before = cards_of(game) if begun(game) else None
    cards, moves = dealing.start(faces_of(game), who, game.rng, before, kinds_of(game), game.setting)
    title = Line("mb-adventure", {"name": action.name, "number": cards.deal.limit, "over": False})
    return asking.met(with_cards(game, cards), action.place, moves, title)


def _running(game: Game) -> Cards:
    """The deck while an adventure is on, nobody counts rounds, and nothing waits to be paid.

    Impossible("mb-card-none", "mb-card-in-rounds", "mb-card-ending").
    """
    cards, ending = cards_of(game), asking.is_open(game, AWARDS)
    dealing.refuse(none=not cards.deal.limit, in_rounds=cards.deal.round is not None, ending=ending)
    return cards


def _scene_start(game: Game, action: Any) -> Told:
    events: tuple[Event, ...] = ()
    if _running(game).deal.playing:
        game, events = _scene_end(game, action)
    deal = cards_of(game).deal
    deal = deal.but(scene=deal.scene + 1, dramatic=action.dramatic, playing=True)
    game = with_cards(game, cards_of(game).but(deal=deal))
    said = {"act": deal.act, "number": deal.scene, "name": action.name, "dramatic": action.dramatic}
    return game, (*events, *reported(game, Line("mb-scene", said)).events)


def _scene_end(game: Game, action: Any) -> Told:
    cards = _running(game)
    if not cards.deal.playing:
        raise Impossible("mb-no-scene")
    game = with_cards(game, cards.dealt(playing=False))
    game, events = _over(game, "scene")
    game, more = asking.refilled(game, action.place, _seated(game), "draw")
    said = {"act": cards.deal.act, "number": cards.deal.scene, "over": True}
    return game, (*events, *more) or reported(game, Line("mb-scene", said)).events


def _seated(game: Game) -> tuple[str, ...]:
    return tuple([each.who for each in cards_of(game).deal.seats if each.who in game.state.characters])


def _act_start(game: Game, action: Any) -> Told:
    deal = _running(game).deal
    said = {"number": deal.act, "name": action.name}
    return game, reported(game, Line("mb-act", said)).events


def _act_end(game: Game, action: Any) -> Told:
    deal = _running(game).deal
    if deal.acts == deal.act:
        raise Impossible("mb-act-over")
    scenes = deal.scene
    number = dealing.act_award(scenes, action.number or 0, action.last)
    game = with_cards(game, cards_of(game).but(deal=deal.but(playing=False)))
    game, events = _over(game, "scene" if action.last else "act")
    game, more = _awarded(game, action, Ending("act", number, scenes, action.last, dues=("end_of_act",)))
    return game, (*events, *more)


def _adventure_end(game: Game, action: Any) -> Told:
    deal = _running(game).deal
    number, much = dealing.adventure_award(deal.act, action.number or 0, action.grueling)
    left: tuple[Due, ...] = ("end_of_act",) if deal.acts < deal.act else ()
    dues = (*left, "end_of_adventure", "end_of_adventure_if_unused")
    return _awarded(game, action, Ending("adventure", number, deal.act, True, much, dues))


_DOES: Final = {
    "adventure-start": _adventure_start,
    "adventure-end": _adventure_end,
    "act-start": _act_start,
    "act-end": _act_end,
    "scene-start": _scene_start,
    "scene-end": _scene_end,
}


# --- awards --------------------------------------------------------------------------------------------------


@record
class Reward(Record):
    """What is paid at an end, and what was paid."""

    ending: Ending = Ending()
    over: bool = False
    moves: Moves = ()


def _awarded(game: Game, action: Any, ending: Ending) -> Told:
    """The GM is asked what is paid."""
    cards = cards_of(game)
    return asking.begin(with_cards(game, cards.dealt(ending=ending)), AWARDS, action.place)


def _begun(game: Game, check: Any, values: Values) -> Any:
    """What is due now."""
    found = asking.unbound(game, check, values)
    found.data = Reward(cards_of(game).deal.ending or Ending())
    return found


def _plots(game: Game, ending: Ending) -> tuple[tuple[str, str], ...]:
    """Whose subplots pay now: character, and the card or the key of a permanent one."""
    cards = cards_of(game)
    return tuple(
        (seat.who, each)
        for seat in cards.deal.seats
        for each in dealing.due_subplots(cards, seat.who, ending.dues)
    )


class Judging(Stage[Reward]):
    """The GM says which subplots were played as they should be; then everybody is paid (MB-CARD-X02, MB-CARD-X03)."""

    name = "judging"

    def enter(self, game: Game, check: Check[Reward], /) -> Step[Reward] | None:
        return None if _plots(game, check.data.ending) else _paying(game, check)

    def ask(self, game: Game, check: Check[Reward], /) -> tuple[Prompt, ...]:
        return () if check.data.over or not begun(game) else (Prompt("judge", button="mb-award-gm"),)

    def options(self, game: Game, check: Check[Reward], prompt: str, who: str, /) -> Iterable[Option]:
        cards = cards_of(game)
        among: dict[str, list[Offer]] = {"unplayed": [], "weak": []}
        for whose, each in _plots(game, check.data.ending):
            kind = dealing.plot_kind(cards, whose, each)
            offer = Offer(
                f"{whose}-{each}",
                Line("mb-plot-of", {"who": Ref(name=game.character(whose).name), "name": kind.name}),
            )
            among["unplayed"].append(offer)
            if kind.award is not None and kind.award.reduced:  # the others pay all of it or nothing
                among["weak"].append(offer)
        fields = tuple([Many(key, among=tuple(offers)) for key, offers in among.items() if offers])
        return [Option("pay", Line("mb-award-pay")), Option("judge", Line("mb-award-judge"), Form(fields))]

    def choose(self, game: Game, check: Check[Reward], choice: Choice, /) -> Step[Reward]:
        return _paying(game, check, **choice.values)


def _paying(
    game: Game, check: Check[Reward], unplayed: Collection[str] = (), weak: Collection[str] = ()
) -> Step[Reward]:
    """Everybody is paid; an act goes on with the next one, an adventure is over."""
    data, told = check.data.ending, list[Any]()
    for who in _seated(game):
        cards, moves = dealing.pay(cards_of(game), who, asking.points_of(game, who), data.number)
        game = asking.paid(with_cards(game, cards), moves)
        told += moves
        judged = [[each.removeprefix(f"{who}-") for each in said] for said in (unplayed, weak)]
        for due in data.dues:
            cards, moves = dealing.awards(cards_of(game), who, due, asking.points_of(game, who), *judged)
            game = asking.paid(with_cards(game, cards), moves)
            told += moves
    deal = cards_of(game).deal.but(ending=None)
    events: tuple[Event, ...] = ()
    if data.what == "act":
        deal = deal.but(act=deal.act + (not data.last), scene=0, acts=deal.acts + 1)
        game = with_cards(game, cards_of(game).but(deal=deal))
        if not data.last:
            game, events = asking.refilled(game, check.place, _seated(game), "draw")
    else:
        have = {who: asking.points_of(game, who) for who in _seated(game)}
        cards, moves = dealing.end_adventure(cards_of(game).but(deal=deal), have)
        game = asking.paid(with_cards(game, cards), moves)
        told += moves
        game, events = _over(game, "adventure")
        game, more = asking.look_again(game)
        events = (*events, *more)
    data, said = check.data.but(over=True, moves=tuple(told)), Line("mb-award-paid")
    return Step(game.state, data, OVER, events=events, said=said)


def _told(game: Game, check: Check[Reward]) -> tuple[Block, ...]:
    """What everybody gets and for what; what subplots would pay until that is said, and what Martyr would cost."""
    data = check.data.ending
    said = {key: getattr(data, key) for key in ("what", "number", "counted", "much", "last")}
    found = [Text("mb-paid-out", {**said, "more": data.number - data.counted or None})]
    if not begun(game):
        return (Note(found[0], ALL),)
    cards = cards_of(game)
    for who, each in () if check.data.over else _plots(game, data):
        kind = dealing.plot_kind(cards, who, each)
        pays = {"points": kind.award and kind.award.life_points, "less": kind.award and kind.award.reduced}
        found.append(Text("mb-plot-pays", {"who": Ref(who), "name": kind.name, **pays}))
    if data.what == "adventure" and not check.data.over:
        found += [Text("mb-martyr-lives", {"who": Ref(each.who)}) for each in cards.deal.seats if each.named]
    return (*[Note(each, ALL) for each in found], *asking.notes(game, cards, check.data.moves))


PROCEDURE: Final = Procedure(AWARDS, (Judging(),), Reward, begin=_begun, describe=_told, by_itself=True)


# --- commands ------------------------------------------------------------------------------------------------


def _tells(thing: str, what: Literal["", "start", "end"] = "") -> Any:
    def run(game: Game, said: Values) -> Said:
        given = {key: value for key, value in said.items() if key not in ("kind", "what")}
        if said.get("kind") == "dramatic":
            given["dramatic"] = True
        return _TELLS(game, {"what": f"{thing}-{what or said['what']}", **given})

    return run


_NAMED: Final = Typed("name", most=_NAME)
_KIND: Final = Pick("kind", among=as_written(cast("tuple[Scene, ...]", ("standard", "dramatic"))))
_WHAT: Final = Pick("what", among=as_written(("start", "end")), needed=True)
_LOW, _HIGH = dealing.ADJUST
_TELLS: Final = acts_by(
    *("Tell", tell, Pick("what", among=as_written(_DOES), needed=True), _NAMED, Flag("dramatic")),
    *(Number("number"), Flag("last"), Flag("grueling")),
)
ACTS: Final = (_TELLS,)
COMMANDS: Final = (
    command("adventure start", _tells("adventure", "start"), _NAMED),
    command("adventure end", _tells("adventure", "end"), Number("number", low=0, high=10), Flag("grueling")),
    command(
        "adventure act", _tells("act"), _WHAT, _NAMED, Number("number", low=_LOW, high=_HIGH), Flag("last")
    ),
    command("adventure scene", _tells("scene"), _WHAT, _KIND, _NAMED),
)
