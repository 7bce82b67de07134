"""`/mb adventure`: adventures, acts and scenes, the Life Points that they pay, and refilled hands.

MB-CARD-04, MB-CARD-14, MB-CARD-X01 to MB-CARD-X04, MB-GM-01 to MB-GM-04, MB-GM-06, MB-GM-07.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_commands import acts_by, command
from rules.systems.masterbook.checks.npc_kinds import STANDARD
from rules.systems.masterbook.checks.sheet_damage import with_surplus
from rules.systems.masterbook.deck import deal as deck_deal
from rules.systems.masterbook.deck.card_definitions import CardKind, Due
from rules.systems.masterbook.deck.deck_state import SCENES, CardChanges, Cards, Scene
from rules.systems.masterbook.deck.table_deck import (
    current_cards,
    for_all,
    has_deck,
    mode,
    next_file,
    require_cards,
    with_cards,
    with_payments,
)
from rules.systems.masterbook.formulas.gm_rules import (
    GmWarning,
    act_award,
    act_warnings,
    adventure_award,
    adventure_warnings,
    end_total_warnings,
    npc_award,
    require_acts,
    require_paying_act,
    require_scenes,
)
from rules.systems.masterbook.rounds import card_questions
from rules.systems.masterbook.rounds.adventure_clock import (
    AdventureClock,
    find_clock,
    require_clock,
    with_clock,
)
from rules.table.blocks import FOR_EVERYONE, GMS_ONLY, Block, Note, Ref, Text, Verdict
from rules.table.check import OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.commands import CommandResult
from rules.table.events import GMS, Event, Reported
from rules.table.forms import (
    QUOTE_MAX,
    Flag,
    Form,
    Many,
    Number,
    Option,
    Pick,
    Typed,
    plain_options,
)
from rules.table.gm_tools import player_characters
from rules.table.lookup import find_character
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
    result = apply_tick(game, tick, game.state.characters)
    return result.game, result.events


def progress_adventure(game: Game, action: Any) -> Outcome:
    """Begin or end an adventure, an act or a scene.

    `number` is what a GM adds to the award of an act or adventure, `bonuses` what single
    characters get besides. `last` ends the last act, `grueling` an adventure in which much was
    suffered.

    Raises:
        NotPermitted("gm-only"): the actor is no GM.
        Impossible("mb-adventure-on"): an adventure is under way.
        Impossible("mb-no-adventure", "mb-no-scene"): nothing is under way that could end.
        Impossible("mb-act-over"): the last act is over.
        Impossible("mb-gm-scenes-zero", "mb-gm-acts-zero"): nothing was played (without cards).
        Impossible("mb-card-none", "mb-card-in-rounds", "mb-card-ending"): where cards are dealt.
    """
    if action.what == "adventure-start":
        game = _settle_surplus(game)
    handlers = _PERIOD_HANDLERS if mode(game).hands else _HANDLERS_WITHOUT_HANDS
    game, events = handlers[action.what](game, action)
    if mode(game).hands:
        game, more = card_questions.ask_about_subplots(game, action.place)
        events = (*events, *more)
    if action.what == "adventure-start":
        # Backgrounds remind the GM at this moment.
        game, begun = _end_period(game, "adventure-start")
        events = (*events, *begun)
    return Outcome(game.state, events)


def _settle_surplus(game: Game) -> Game:
    """Drop surplus Life Points that no player has converted, or convert them (MB-GM-06)."""
    converts = game.setting("award_overflow") == "convert"
    for who in game.state.characters:
        sheet: MasterbookSheet = game.sheet(who)
        if not sheet.surplus:
            continue
        settled = sheet.replace(surplus=0)
        if converts:
            settled = with_surplus(settled, sheet.surplus)
        game = game.with_sheet(who, settled)
    return game


GameAndEvents = tuple[Game, tuple[Event, ...]]


def _current_clock(game: Game) -> AdventureClock:
    """Return the clock of the adventure under way, or a new one."""
    return find_clock(game) or AdventureClock()


# --- without hands of cards -----------------------------------------------------------------------


def _start_plain_adventure(game: Game, action: Any) -> GameAndEvents:
    clock = find_clock(game)
    if clock is not None and not clock.is_untouched:
        raise Impossible("mb-adventure-on")
    game, events = _end_period(_without_hastes(game), "adventure")
    game = with_clock(game, AdventureClock(action.name))
    title = Text("mb-adventure", {"name": action.name, "number": 0, "over": False})
    return game, (*report_outcome(game, title).events, *events)


def _without_hastes(game: Game) -> Game:
    """Return the game with all uses of Fast Reactions back."""
    if not has_deck(game):
        return game
    cards = require_cards(game)
    seats = tuple([each.replace(hastes=0) for each in cards.deal.seats])
    return with_cards(game, cards.with_deal_changes(seats=seats))


def _end_plain_adventure(game: Game, action: Any) -> GameAndEvents:
    clock = require_clock(game)
    require_acts(0 if clock.is_untouched else clock.act)
    return _begin_awards(_without_hastes(game), action, "adventure")


def _start_plain_act(game: Game, action: Any) -> GameAndEvents:
    clock = _current_clock(game)
    if clock.is_last_act_over:
        raise Impossible("mb-act-over")
    game = with_clock(game, clock)
    said = {"number": clock.act, "name": action.name}
    return game, report_outcome(game, Text("mb-act", said)).events


def _end_plain_act(game: Game, action: Any) -> GameAndEvents:
    clock = require_clock(game)
    if clock.is_last_act_over:
        raise Impossible("mb-act-over")
    require_scenes(clock.scene)
    game, events = _end_period(game, "scene" if action.last else "act")
    game, more = _begin_awards(game, action, "act")
    return game, (*events, *more)


def _start_plain_scene(game: Game, action: Any) -> GameAndEvents:
    clock = _current_clock(game)
    if clock.is_last_act_over:
        raise Impossible("mb-act-over")
    game, events = _end_period(game, "scene")
    clock = clock.with_scene(action.kind or "standard")
    game = with_clock(game, clock)
    return game, (*report_outcome(game, _scene_title(clock, action.name)).events, *events)


def _scene_title(clock: AdventureClock, name: str) -> Text:
    dramatic = clock.scenes[-1] == "dramatic"
    said = {"act": clock.act, "number": clock.scene, "name": name, "dramatic": dramatic}
    return Text("mb-scene", said)


def _end_plain_scene(game: Game, action: Any) -> GameAndEvents:
    clock = find_clock(game)
    if clock is not None and not clock.playing:
        raise Impossible("mb-no-scene")
    said: dict[str, Any] = {"act": 0, "over": True}
    if clock is not None:
        game = with_clock(game, clock.replace(playing=False))
        said |= {"act": clock.act, "number": clock.scene}
    game, events = _end_period(game, "scene")
    return game, (*report_outcome(game, Text("mb-scene", said)).events, *events)


_HANDLERS_WITHOUT_HANDS: Final = {
    "adventure-start": _start_plain_adventure,
    "adventure-end": _end_plain_adventure,
    "act-start": _start_plain_act,
    "act-end": _end_plain_act,
    "scene-start": _start_plain_scene,
    "scene-end": _end_plain_scene,
}


# --- with hands of cards --------------------------------------------------------------------------


def _start_adventure(game: Game, action: Any) -> GameAndEvents:
    before = current_cards(game).deal
    if before.limit:
        raise Impossible("mb-adventure-on")
    deck_deal.refuse(in_rounds=before.round is not None)
    game = with_clock(next_file(game), AdventureClock(action.name))
    who = [
        each.id
        for each in player_characters(game.state)
        if card_questions.may_hold_cards(game, each.id)
    ]
    cards = deck_deal.start(current_cards(game), who, game.rng)
    title = Text("mb-adventure", {"name": action.name, "number": cards.deal.limit, "over": False})
    return card_questions.finish_card_moves(game, action.place, cards, title)


def _require_adventure(game: Game) -> Cards:
    """Return the deck of the adventure under way.

    Raises:
        Impossible("mb-card-none"): no adventure is under way.
        Impossible("mb-card-in-rounds"): rounds are being counted.
        Impossible("mb-card-ending"): awards wait to be paid.
    """
    cards, ending = require_cards(game), card_questions.has_open_check(game, AWARDS)
    deck_deal.refuse(
        none=not cards.deal.limit, in_rounds=cards.deal.round is not None, ending=ending
    )
    return cards


def _start_scene(game: Game, action: Any) -> GameAndEvents:
    events: tuple[Event, ...] = ()
    _require_adventure(game)
    if _current_clock(game).playing:
        game, events = _end_scene(game, action)
    clock = _current_clock(game).with_scene(action.kind or "standard")
    dramatic = action.kind == "dramatic"
    game = with_cards(game, require_cards(game).with_deal_changes(dramatic=dramatic))
    game = with_clock(game, clock)
    return game, (*events, *report_outcome(game, _scene_title(clock, action.name)).events)


def _end_scene(game: Game, action: Any) -> GameAndEvents:
    _require_adventure(game)
    clock = _current_clock(game)
    if not clock.playing:
        raise Impossible("mb-no-scene")
    game, events = _end_period(with_clock(game, clock.replace(playing=False)), "scene")
    game, more = card_questions.ask_to_replenish(
        game, action.place, _seated_characters(game), "draw"
    )
    said = {"act": clock.act, "number": clock.scene, "over": True, "undrawn": True}
    return game, (*events, *more) or report_outcome(game, Text("mb-scene", said)).events


def _seated_characters(game: Game) -> tuple[str, ...]:
    return tuple(
        [each for each in require_cards(game).deal.holders if each in game.state.characters]
    )


def _start_act(game: Game, action: Any) -> GameAndEvents:
    _require_adventure(game)
    said = {"number": _current_clock(game).act, "name": action.name}
    return game, report_outcome(game, Text("mb-act", said)).events


def _end_act(game: Game, action: Any) -> GameAndEvents:
    _require_adventure(game)
    clock = _current_clock(game)
    if clock.is_last_act_over:
        raise Impossible("mb-act-over")
    game = with_clock(game, clock.replace(playing=False))
    game, events = _end_period(game, "scene" if action.last else "act")
    game, more = _begin_awards(game, action, "act")
    return game, (*events, *more)


def _end_adventure(game: Game, action: Any) -> GameAndEvents:
    _require_adventure(game)
    return _begin_awards(game, action, "adventure")


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
    """Payment at the end of an act or adventure."""

    what: Literal["act", "adventure"] = "act"
    #: Life Points of each character.
    number: int = 0
    #: Scenes or acts that the award counts.
    counted: int = 0
    #: Whether it is the end of the last act.
    last: bool = False
    #: Whether the adventure was grueling, so that a high award is fair.
    grueling: bool = False
    #: Life Points of single characters besides, by their ids.
    bonuses: tuple[tuple[str, int], ...] = ()
    #: Number of the act that ends, and its scenes.
    act: int = 1
    scenes: tuple[Scene, ...] = ()
    #: When subplots pay that pay now.
    dues: tuple[Due, ...] = ()
    over: bool = False
    #: What was paid.
    moves: CardChanges = ()

    def award_of(self, who: str) -> int:
        """Return the Life Points of one character, without those of subplots."""
        return self.number + dict(self.bonuses).get(who, 0)


def _begin_awards(game: Game, action: Any, what: str) -> GameAndEvents:
    """Open the check in which the awards are paid; the GM judges subplots first."""
    given = {key: getattr(action, key) for key in ("number", "last", "grueling", "bonuses")}
    said = {key: value for key, value in given.items() if value}
    return card_questions.begin_card_check(game, AWARDS, action.place, said={"what": what, **said})


_ENDED_PERIOD_FIELD: Final = Pick("what", choices=plain_options(("act", "adventure")))
#: Bounds of what a GM can type; the rules refuse an act's number in their own words.
_NUMBER: Final = Number("number", low=-10, high=10)
_LAST, _GRUELING = Flag("last"), Flag("grueling")
_BONUSES: Final = Typed("bonuses", most=300)
_AWARD_FORM: Final = Form((_ENDED_PERIOD_FIELD, _NUMBER, _LAST, _GRUELING, _BONUSES))
#: One entry of bonuses: `Vesna 1`, `Boris +2`.
_BONUS: Final = re.compile(r"(.*[^\s:=])[ :=]+\+?(\d{1,2})")
#: The highest bonus of one character.
_BONUS_MAX: Final = 10


def read_bonuses(game: Game, typed: str) -> tuple[tuple[str, int], ...]:
    """Return bonuses by character, as a GM types them: `Vesna 1, Boris 2` (MB-GM-04).

    Raises:
        InvalidInput("mb-bonus-unread"): an entry without a name or a number.
        InvalidInput("out-of-range"): a bonus above 10.
        NotFound("unknown-character"): a name that no player's character has.
    """
    found: dict[str, int] = {}
    entries = [entry.strip() for entry in re.split(r"[,;\n]", typed)]
    for entry in filter(None, entries):
        parts = _BONUS.fullmatch(entry)
        if parts is None:
            raise InvalidInput("mb-bonus-unread", field="bonuses", value=entry[:QUOTE_MAX])
        points = int(parts[2])
        if points > _BONUS_MAX:
            raise InvalidInput(
                "out-of-range", field="bonuses", value=points, lowest=0, highest=_BONUS_MAX
            )
        who = find_character(player_characters(game.state), parts[1], "bonuses").id
        found[who] = found.get(who, 0) + points
    return tuple(found.items())


def _begin_reward(game: Game, check: Any, values: Values) -> Any:
    """Return the check with what is due now (MB-GM-03, MB-GM-04)."""
    clock, more = _current_clock(game), values.get("number", 0)
    last, flat = "last" in values, game.setting("act_award_mode") == "flat"
    about: dict[str, Any] = {"act": clock.act, "scenes": clock.scenes}
    if values.get("what") == "act":
        if more:
            require_paying_act(last)
        number = 0 if last else act_award(clock.scene, more, flat=flat)
        data = Reward("act", number, clock.scene, last, dues=("end_of_act",), **about)
        return check.replace(round=None, data=data)
    if more < 0:
        raise InvalidInput(
            "out-of-range", field="number", value=more, lowest=0, highest=_NUMBER.high
        )
    number = adventure_award(clock.act, more)
    left: tuple[Due, ...] = () if clock.is_last_act_over else ("end_of_act",)
    dues: tuple[Due, ...] = (*left, "end_of_adventure", "end_of_adventure_if_unused")
    about |= {
        "grueling": "grueling" in values,
        "bonuses": read_bonuses(game, values.get("bonuses", "")),
    }
    data = Reward("adventure", number, clock.act, True, dues=dues, **about)
    return check.replace(round=None, data=data)


def _plots(game: Game, dues: Collection[Due]) -> tuple[tuple[str, str, CardKind], ...]:
    """Return the subplots that pay now: character, card (or key of a permanent one), and kind."""
    if not mode(game).hands:
        return ()
    cards = current_cards(game)
    return tuple(
        [
            (who, *each)
            for who in cards.deal.holders
            for each in deck_deal.due_subplots(cards, who, dues)
        ]
    )


class AwardStage(Stage[Reward]):
    """Stage at which the GM judges the subplots; then each character is paid.

    MB-CARD-X02, MB-CARD-X03.
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


def _paid_characters(game: Game) -> tuple[str, ...]:
    """Return the characters that awards go to."""
    if mode(game).hands:
        return _seated_characters(game)
    everyone = [each.id for each in player_characters(game.state)]
    return tuple([who for who in everyone if card_questions.may_hold_cards(game, who)])


def _pay_awards(
    game: Game, check: Check[Reward], unplayed: Collection[str] = (), weak: Collection[str] = ()
) -> StageResult[Reward]:
    """Pay every character, then begin the next act or end the adventure."""
    data, clock, hands = check.data, _current_clock(game), mode(game).hands
    cards = require_cards(game) if hands else current_cards(game)
    for who in _paid_characters(game):
        cards = deck_deal.pay(cards, who, data.award_of(who))
        judged = [[each.removeprefix(f"{who}-") for each in said] for said in (unplayed, weak)]
        for due in data.dues if hands else ():
            cards = deck_deal.pay_subplots(cards, who, due, *judged)
    ends = data.what == "adventure"
    if ends and hands:
        cards = deck_deal.end_adventure(cards)
    game = with_cards(game, cards) if hands else with_payments(game, cards.told)
    game = with_clock(game, None if ends else clock.with_act_over(data.last))
    events: tuple[Event, ...] = ()
    if ends:
        game, ended = _end_period(game, "adventure-end")
        game, events = _end_period(game, "adventure")
        events = (*ended, *events)
        if hands:
            game, more = card_questions.refresh_card_checks(game)
            events = (*events, *more)
    elif hands and not data.last:
        game, events = card_questions.ask_to_replenish(
            game, check.place, _seated_characters(game), "draw"
        )
    data, said = data.replace(over=True, moves=cards.told), Text("mb-award-paid")
    events = (*events, *_warning_events(game, data))
    return StageResult(game.state, data, OVER, events=events, said=said)


def _npc_notes(game: Game, data: Reward) -> list[Note]:
    """Return what standard NPCs may get for an act, for the GM to award (MB-GM-12)."""
    names = tuple(
        each.name
        for each in game.state.characters.values()
        if each.owner is None and each.sheet.npc_kind == STANDARD and not each.sheet.harm.dead
    )
    if data.what != "act" or data.last or not names:
        return []
    award = npc_award("most_of_an_act", data.number)
    low, high = award.skill_points
    about = {"names": names, "life_points": award.life_points[0], "low": low, "high": high}
    return [Note(Text("mb-npc-due", about), GMS_ONLY)]


def _warning_events(game: Game, data: Reward) -> tuple[Event, ...]:
    """Return the message that tells GMs of what is unusual about an end; it blocks nothing."""
    notes = [Note(Text(each.code, each.params), GMS_ONLY) for each in _warnings(game, data)]
    notes += _npc_notes(game, data)
    if not notes:
        return ()
    title = Text("mb-gm-warnings", {"what": data.what})
    return (Reported(audience=GMS, title=title, blocks=tuple(notes), by=game.actor.id),)


#: Changes of cards that are a payment of Life Points.
_PAYMENTS: Final = ("life-points", "surplus", "converted", "owed")


def _warnings(game: Game, data: Reward) -> tuple[GmWarning, ...]:
    """Return the warnings that inform GMs of an end (MB-GM-01, MB-GM-02, MB-GM-04)."""
    found = [*act_warnings(data.act, data.scenes)]
    if data.what == "act":
        return tuple(found)
    highest = max([data.number, *[data.award_of(who) for who, _ in data.bonuses]])
    cap = game.setting("adventure_award_soft_cap")
    found += adventure_warnings(highest, data.grueling, cap)
    totals: dict[str, int] = {}
    for move in data.moves:
        if move.what in _PAYMENTS and move.number > 0:
            totals[move.who] = totals.get(move.who, 0) + move.number
    cap = game.setting("adventure_end_total_soft_cap")
    for who, total in totals.items():
        for warning in end_total_warnings(total, data.award_of(who), data.grueling, cap):
            named = {**warning.params, "name": card_questions.holder_ref(game, who)}
            found.append(warning.replace(params=named))
    return tuple(found)


def _describe_awards(game: Game, check: Check[Reward]) -> tuple[Block, ...]:
    """Return the blocks of the awards: what each character gets, and for what.

    Until the GM has judged them, also what subplots would pay and what Martyr would cost.
    """
    data = check.data
    said = {key: getattr(data, key) for key in ("what", "number", "counted", "last", "over")}
    flat = data.what == "act" and game.setting("act_award_mode") == "flat"
    more = 0 if flat else data.number - data.counted
    cards = current_cards(game)
    head = Verdict(Text("mb-paid-for", {"what": data.what}), "neutral", FOR_EVERYONE)
    found: list[Block] = [head] if data.over else []
    about = {"hands": mode(game).hands, "flat": flat, "most": game.setting("life_points_max")}
    found.append(for_all("mb-paid-out", **said, **about, more=more or None))
    for who, points in data.bonuses:
        found.append(
            for_all("mb-bonus-of", who=card_questions.holder_ref(game, who), points=points)
        )
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
    found += card_questions.move_notes(game, cards, data.moves)
    return tuple(found)


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
_DONE: Final = Pick("what", choices=plain_options(_PERIOD_HANDLERS), needed=True)
_PERIOD_ACT: Final = acts_by(
    "Tell", progress_adventure, _DONE, _NAMED, _KIND, _NUMBER, _LAST, _GRUELING, _BONUSES
)
ACTS: Final = (_PERIOD_ACT,)
COMMANDS: Final = (
    command("adventure start", _period_command("adventure", "start"), _NAMED),
    command(
        "adventure end",
        _period_command("adventure", "end"),
        Number("number", low=0, high=10),
        _BONUSES,
        _GRUELING,
    ),
    command("adventure act", _period_command("act"), _WHAT, _NAMED, _NUMBER, _LAST),
    command("adventure scene", _period_command("scene"), _WHAT, _KIND, _NAMED),
)
