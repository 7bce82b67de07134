"""`/mb adventure`: adventures, acts and scenes, the Life Points that they pay, and refilled hands.

MB-CARD-04, MB-CARD-14, MB-CARD-X01 to MB-CARD-X04, MB-GM-01 to MB-GM-04, MB-GM-06, MB-GM-07.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.npc_kinds import STANDARD
from rules.systems.masterbook.checks.sheet_damage import with_surplus
from rules.systems.masterbook.deck import deal as deck_deal
from rules.systems.masterbook.deck import subplots
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
from rules.systems.masterbook.rounds import card_moves
from rules.systems.masterbook.rounds.adventure_clock import (
    AdventureClock,
    find_clock,
    require_clock,
    with_clock,
)
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, GMS_ONLY, Block, Note, Ref, Text, Verdict
from rules.table.check import OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.commands import CommandResult
from rules.table.deeds import Deed
from rules.table.events import GMS, Event, Reported
from rules.table.forms.fields import (
    QUOTE_MAX,
    Flag,
    Many,
    Number,
    Option,
    Pick,
    Typed,
    plain_options,
)
from rules.table.forms.form import Form
from rules.table.lookup import find_character, player_characters
from rules.table.marks import apply_tick
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.played_scenes import open_scene, open_scenes
from rules.table.reports import report_outcome
from rules.table.resources import TickKind
from rules.table.scenes.scene_actions import begin_counted_scene, end_counted_scene
from rules.table.system import Game, SceneCount, SceneRules

AWARDS: Final = "award"
#: Most characters of a name; a scene's is its title.
_MAX_NAME: Final = 100
#: Steps that begin or end a scene, and the code of the reports on scenes.
_SCENE_STEPS: Final = ("scene-start", "scene-end", "act-end")
_SCENE_REPORT: Final = "mb-scene"


GameAndEvents = tuple[Game, tuple[Event, ...]]


def _end_period(game: Game, tick: TickKind) -> GameAndEvents:
    """End what lasts for a scene, an act or an adventure, for all characters."""
    result = apply_tick(game, tick, game.state.characters)
    return result.game, result.events


def _end_scene_effects(game: Game, place: str) -> GameAndEvents:
    """End what lasts for a scene, except for the casts of open scenes in other places.

    The table keeps one count of scenes, so a scene that begins or ends here says nothing of them.
    """
    scenes = open_scenes(game.state)
    others = [scene for scene in scenes if not scene.private and scene.place != place]
    elsewhere = {who for scene in others for who in scene.cast}
    staying = [who for who in game.state.characters if who not in elsewhere]
    result = apply_tick(game, "scene", staying)
    return result.game, result.events


class Tell(Action, kw_only=True):
    """Begin or end an adventure, an act or a scene, for a GM."""

    what: Literal[
        "adventure-start", "adventure-end", "act-start", "act-end", "scene-start", "scene-end"
    ]
    name: str = ""
    #: Kind of a scene that begins; empty: standard.
    kind: Literal["", "standard", "dramatic"] = ""
    #: What the GM adds to the award of an act or adventure.
    number: int | None = None
    #: Whether it is the last act that ends.
    last: bool = False
    #: Whether much was suffered in the adventure.
    grueling: bool = False
    #: What single characters get besides, such as `Vesna 1, Boris 2`.
    bonuses: str = ""


def progress_adventure(game: Game, action: Tell) -> Outcome:
    """Begin or end an adventure, an act or a scene.

    Raises:
        NotPermitted("gm-only"): the actor is no GM.
        Impossible("mb-adventure-on"): an adventure is under way.
        Impossible("mb-no-adventure", "mb-no-scene"): nothing is under way that could end.
        Impossible("mb-act-over"): the last act is over.
        Impossible("mb-gm-scenes-zero", "mb-gm-acts-zero"): nothing was played (without cards).
        Impossible("mb-card-none", "mb-card-in-rounds", "mb-card-ending"): where cards are dealt.
    """
    require_gm(game.state, action.who)
    if action.what == "adventure-start":
        game = _settle_surplus(game)
    game, events = _carry_out(game, action)
    if action.what in _SCENE_STEPS:
        game, events = _record_scene(game, action, events)
    if action.what == "adventure-start":
        # Backgrounds remind the GM at this moment.
        game, begun = _end_period(game, "adventure-start")
        events = (*events, *begun)
    return Outcome(game.state, events)


def _carry_out(game: Game, action: Tell) -> GameAndEvents:
    """Begin or end a period. Raises as `progress_adventure`."""
    handlers = _PERIOD_HANDLERS if mode(game).hands else _HANDLERS_WITHOUT_HANDS
    game, events = handlers[action.what](game, action)
    if not mode(game).hands:
        return game, events
    game, more = card_moves.ask_about_subplots(game, action.place)
    return game, (*events, *more)


# --- scenes with a title --------------------------------------------------------------------------


def _record_scene(game: Game, action: Tell, events: tuple[Event, ...]) -> GameAndEvents:
    """Record a scene that begins or ends among the scenes of the table; an act ends its scene.

    What tells of the recorded scene takes the place of the report on it.
    """
    others, lines = _split_scene_reports(events)
    if action.what != "scene-start":
        game, told = end_counted_scene(game, action.place, lines)
        return game, (*told, *others) if told else events
    game, told = begin_counted_scene(game, action.place, action.name, lines[-1:])
    is_recorded = open_scene(game.state, action.place) is not None
    return game, (*told, *(others if is_recorded else events))


def _split_scene_reports(
    events: tuple[Event, ...],
) -> tuple[tuple[Event, ...], tuple[Text, ...]]:
    """Return events without the reports on scenes, and what these say without a name."""
    others: list[Event] = []
    lines: list[Text] = []
    for event in events:
        if isinstance(event, Reported) and event.title.code == _SCENE_REPORT:
            lines.append(Text("mb-scene", {**event.title.params, "name": ""}))
        else:
            others.append(event)
    return tuple(others), tuple(lines)


def _count_scene(
    game: Game, place: str, what: Literal["scene-start", "scene-end"]
) -> SceneCount | None:
    """Return the game after the adventure's clock has counted a scene; None if it counts none."""
    clock = _current_clock(game)
    if mode(game).hands:
        deal = current_cards(game).deal
        ending = card_moves.has_open_check(game, AWARDS)
        counts = bool(deal.limit) and deal.round is None and not ending
    else:
        counts = not clock.is_last_act_over
    if not counts or (what == "scene-end" and not clock.playing):
        return None
    action = Tell(who=game.actor, place=place, at=game.at, what=what)
    game, events = _carry_out(game, action)
    others, lines = _split_scene_reports(events)
    return SceneCount(game, lines, others)


SCENE_RULES: Final = SceneRules(
    begin=lambda game, place: _count_scene(game, place, "scene-start"),
    end=lambda game, place: _count_scene(game, place, "scene-end"),
)


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


def _current_clock(game: Game) -> AdventureClock:
    """Return the clock of the adventure under way, or a new one."""
    return find_clock(game) or AdventureClock()


# --- without hands of cards -----------------------------------------------------------------------


def _start_plain_adventure(game: Game, action: Tell) -> GameAndEvents:
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
    seats = tuple([seat.replace(hastes=0) for seat in cards.deal.seats])
    return with_cards(game, cards.with_deal_changes(seats=seats))


def _end_plain_adventure(game: Game, action: Tell) -> GameAndEvents:
    clock = require_clock(game)
    require_acts(0 if clock.is_untouched else clock.act)
    return _begin_awards(_without_hastes(game), action, "adventure")


def _start_plain_act(game: Game, action: Tell) -> GameAndEvents:
    clock = _current_clock(game)
    if clock.is_last_act_over:
        raise Impossible("mb-act-over")
    game = with_clock(game, clock)
    about = {"number": clock.act, "name": action.name}
    return game, report_outcome(game, Text("mb-act", about)).events


def _end_plain_act(game: Game, action: Tell) -> GameAndEvents:
    clock = require_clock(game)
    if clock.is_last_act_over:
        raise Impossible("mb-act-over")
    require_scenes(clock.scene)
    game, events = _end_period(game, "scene" if action.last else "act")
    game, more = _begin_awards(game, action, "act")
    return game, (*events, *more)


def _start_plain_scene(game: Game, action: Tell) -> GameAndEvents:
    clock = _current_clock(game)
    if clock.is_last_act_over:
        raise Impossible("mb-act-over")
    game, events = _end_scene_effects(game, action.place)
    clock = clock.with_scene(action.kind or "standard")
    game = with_clock(game, clock)
    return game, (*report_outcome(game, _scene_title(clock, action.name)).events, *events)


def _scene_title(clock: AdventureClock, name: str) -> Text:
    dramatic = clock.scenes[-1] == "dramatic"
    about = {"act": clock.act, "number": clock.scene, "name": name, "dramatic": dramatic}
    return Text("mb-scene", about)


def _end_plain_scene(game: Game, action: Tell) -> GameAndEvents:
    clock = find_clock(game)
    if clock is not None and not clock.playing:
        raise Impossible("mb-no-scene")
    about: dict[str, Any] = {"act": 0, "over": True}
    if clock is not None:
        game = with_clock(game, clock.replace(playing=False))
        about |= {"act": clock.act, "number": clock.scene}
    game, events = _end_scene_effects(game, action.place)
    return game, (*report_outcome(game, Text("mb-scene", about)).events, *events)


_HANDLERS_WITHOUT_HANDS: Final = {
    "adventure-start": _start_plain_adventure,
    "adventure-end": _end_plain_adventure,
    "act-start": _start_plain_act,
    "act-end": _end_plain_act,
    "scene-start": _start_plain_scene,
    "scene-end": _end_plain_scene,
}


# --- with hands of cards --------------------------------------------------------------------------


def _start_adventure(game: Game, action: Tell) -> GameAndEvents:
    before = current_cards(game).deal
    if before.limit:
        raise Impossible("mb-adventure-on")
    deck_deal.refuse(in_rounds=before.round is not None)
    game = with_clock(next_file(game), AdventureClock(action.name))
    cards = deck_deal.start(current_cards(game), _possible_holders(game), game.rng)
    title = Text("mb-adventure", {"name": action.name, "number": cards.deal.limit, "over": False})
    return card_moves.finish_card_moves(game, action.place, cards, title)


def _possible_holders(game: Game) -> tuple[str, ...]:
    """Return the players' characters that may hold cards."""
    holders: list[str] = []
    for character in player_characters(game.state):
        if card_moves.may_hold_cards(game, character.id):
            holders.append(character.id)
    return tuple(holders)


def _require_adventure(game: Game) -> Cards:
    """Return the deck of the adventure under way.

    Raises:
        Impossible("mb-card-none"): no adventure is under way.
        Impossible("mb-card-in-rounds"): rounds are being counted.
        Impossible("mb-card-ending"): awards wait to be paid.
    """
    cards, ending = require_cards(game), card_moves.has_open_check(game, AWARDS)
    deck_deal.refuse(
        none=not cards.deal.limit, in_rounds=cards.deal.round is not None, ending=ending
    )
    return cards


def _start_scene(game: Game, action: Tell) -> GameAndEvents:
    events: tuple[Event, ...] = ()
    _require_adventure(game)
    if _current_clock(game).playing:
        game, events = _end_scene(game, action)
    clock = _current_clock(game).with_scene(action.kind or "standard")
    dramatic = action.kind == "dramatic"
    game = with_cards(game, require_cards(game).with_deal_changes(dramatic=dramatic))
    game = with_clock(game, clock)
    return game, (*events, *report_outcome(game, _scene_title(clock, action.name)).events)


def _end_scene(game: Game, action: Tell) -> GameAndEvents:
    _require_adventure(game)
    clock = _current_clock(game)
    if not clock.playing:
        raise Impossible("mb-no-scene")
    game = with_clock(game, clock.replace(playing=False))
    game, events = _end_scene_effects(game, action.place)
    game, more = card_moves.ask_to_replenish(game, action.place, _seated_characters(game), "draw")
    about = {"act": clock.act, "number": clock.scene, "over": True, "undrawn": True}
    return game, (*events, *more) or report_outcome(game, Text("mb-scene", about)).events


def _seated_characters(game: Game) -> tuple[str, ...]:
    holders = require_cards(game).deal.holders
    return tuple(who for who in holders if who in game.state.characters)


def _start_act(game: Game, action: Tell) -> GameAndEvents:
    _require_adventure(game)
    about = {"number": _current_clock(game).act, "name": action.name}
    return game, report_outcome(game, Text("mb-act", about)).events


def _end_act(game: Game, action: Tell) -> GameAndEvents:
    _require_adventure(game)
    clock = _current_clock(game)
    if clock.is_last_act_over:
        raise Impossible("mb-act-over")
    game = with_clock(game, clock.replace(playing=False))
    game, events = _end_period(game, "scene" if action.last else "act")
    game, more = _begin_awards(game, action, "act")
    return game, (*events, *more)


def _end_adventure(game: Game, action: Tell) -> GameAndEvents:
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


def _begin_awards(game: Game, action: Tell, what: str) -> GameAndEvents:
    """Begin the check in which the awards are paid; the GM judges subplots first."""
    values: dict[str, Any] = {"what": what}
    if action.number:
        values["number"] = action.number
    if action.last:
        values["last"] = True
    if action.grueling:
        values["grueling"] = True
    if action.bonuses:
        values["bonuses"] = action.bonuses
    return card_moves.begin_card_check(game, AWARDS, action.place, said=values)


_ENDED_PERIOD_FIELD: Final = Pick("what", choices=plain_options(("act", "adventure")))
#: Bounds of what a GM can type; the rules refuse an act's number in their own words.
_NUMBER: Final = Number("number", low=-10, high=10)
_LAST, _GRUELING = Flag("last"), Flag("grueling")
_BONUSES: Final = Typed("bonuses", most=300)
_AWARD_FORM: Final = Form((_ENDED_PERIOD_FIELD, _NUMBER, _LAST, _GRUELING, _BONUSES))
#: One entry of bonuses: `Vesna 1`, `Boris +2`.
_BONUS: Final = re.compile(r"(.*[^\s:=])[ :=]+\+?(\d{1,2})")
#: Highest bonus of a character.
_MAX_BONUS: Final = 10


def read_bonuses(game: Game, typed: str) -> tuple[tuple[str, int], ...]:
    """Return bonuses by character, as a GM types them: `Vesna 1, Boris 2` (MB-GM-04).

    Raises:
        InvalidInput("mb-bonus-unread"): an entry without a name or a number.
        InvalidInput("out-of-range"): a bonus above 10.
        NotFound("unknown-character"): a name that no player's character has.
    """
    bonuses: dict[str, int] = {}
    entries = [entry.strip() for entry in re.split(r"[,;\n]", typed)]
    for entry in filter(None, entries):
        parts = _BONUS.fullmatch(entry)
        if parts is None:
            raise InvalidInput("mb-bonus-unread", field="bonuses", value=entry[:QUOTE_MAX])
        points = int(parts[2])
        if points > _MAX_BONUS:
            raise InvalidInput(
                "out-of-range", field="bonuses", value=points, lowest=0, highest=_MAX_BONUS
            )
        who = find_character(player_characters(game.state), parts[1], "bonuses").id
        bonuses[who] = bonuses.get(who, 0) + points
    return tuple(bonuses.items())


def _begin_reward(game: Game, check: Any, values: Values) -> Any:
    """Return the check with what is due now (MB-GM-03, MB-GM-04)."""
    clock, extra = _current_clock(game), values.get("number", 0)
    last, flat = "last" in values, game.setting("act_award_mode") == "flat"
    about: dict[str, Any] = {"act": clock.act, "scenes": clock.scenes}
    if values.get("what") == "act":
        if extra:
            require_paying_act(last)
        number = 0 if last else act_award(clock.scene, extra, flat=flat)
        data = Reward("act", number, clock.scene, last, dues=("end_of_act",), **about)
        return check.replace(round=None, data=data)
    if extra < 0:
        raise InvalidInput(
            "out-of-range", field="number", value=extra, lowest=0, highest=_NUMBER.high
        )
    number = adventure_award(clock.act, extra)
    left: tuple[Due, ...] = () if clock.is_last_act_over else ("end_of_act",)
    dues: tuple[Due, ...] = (*left, "end_of_adventure", "end_of_adventure_if_unused")
    about |= {
        "grueling": "grueling" in values,
        "bonuses": read_bonuses(game, values.get("bonuses", "")),
    }
    data = Reward("adventure", number, clock.act, True, dues=dues, **about)
    return check.replace(round=None, data=data)


def _due_subplots(game: Game, dues: Collection[Due]) -> tuple[tuple[str, str, CardKind], ...]:
    """Return the subplots that pay now: character, card (or key of a permanent one), and kind."""
    if not mode(game).hands:
        return ()
    cards = current_cards(game)
    plots: list[tuple[str, str, CardKind]] = []
    for who in cards.deal.holders:
        for card, kind in subplots.due_subplots(cards, who, dues):
            plots.append((who, card, kind))
    return tuple(plots)


class AwardStage(Stage[Reward]):
    """Judgment of the subplots by the GM, and payment of each character.

    MB-CARD-X02, MB-CARD-X03.
    """

    name = "judging"

    def enter(self, game: Game, check: Check[Reward], /) -> StageResult[Reward] | None:
        return None if _due_subplots(game, check.data.dues) else _pay_awards(game, check)

    def ask(self, game: Game, check: Check[Reward], /) -> tuple[Prompt, ...]:
        return () if check.data.over else (Prompt("judge", button="mb-award-gm"),)

    def options(
        self, game: Game, check: Check[Reward], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        unplayed: list[Option] = []
        weak: list[Option] = []
        for owner, card, kind in _due_subplots(game, check.data.dues):
            name = Ref(name=game.character(owner).name)
            label = Text("mb-plot-of", {"who": name, "name": kind.name})
            option = Option(f"{owner}-{card}", label)
            unplayed.append(option)
            # A subplot without a reduced award pays all of it or nothing.
            if kind.award is not None and kind.award.reduced:
                weak.append(option)
        fields: list[Many] = []
        for key, choices in (("unplayed", unplayed), ("weak", weak)):
            if choices:
                fields.append(Many(key, choices=tuple(choices)))
        return [
            CheckOption("pay", Text("mb-award-pay")),
            CheckOption("judge", Text("mb-award-judge"), Form(tuple(fields))),
        ]

    def choose(self, game: Game, check: Check[Reward], choice: Choice, /) -> StageResult[Reward]:
        return _pay_awards(game, check, **choice.values)


def _paid_characters(game: Game) -> tuple[str, ...]:
    """Return the characters that awards go to."""
    return _seated_characters(game) if mode(game).hands else _possible_holders(game)


def _pay_awards(
    game: Game, check: Check[Reward], unplayed: Collection[str] = (), weak: Collection[str] = ()
) -> StageResult[Reward]:
    """Pay every character, then begin the next act or end the adventure."""
    data, clock, hands = check.data, _current_clock(game), mode(game).hands
    cards = require_cards(game) if hands else current_cards(game)
    for who in _paid_characters(game):
        cards = subplots.pay(cards, who, data.award_of(who))
        prefix = f"{who}-"
        own_unplayed = [plot.removeprefix(prefix) for plot in unplayed]
        own_weak = [plot.removeprefix(prefix) for plot in weak]
        if hands:
            for due in data.dues:
                cards = subplots.pay_subplots(cards, who, due, own_unplayed, own_weak)
    ends = data.what == "adventure"
    if ends and hands:
        cards = subplots.end_adventure(cards)
    game = with_cards(game, cards) if hands else with_payments(game, cards.changes)
    game = with_clock(game, None if ends else clock.with_act_over(data.last))
    events: tuple[Event, ...] = ()
    if ends:
        game, adventure_end_events = _end_period(game, "adventure-end")
        game, adventure_events = _end_period(game, "adventure")
        events = (*adventure_end_events, *adventure_events)
        if hands:
            game, ended_checks = card_moves.refresh_card_checks(game)
            events = (*events, *ended_checks)
    elif hands and not data.last:
        characters = _seated_characters(game)
        game, events = card_moves.ask_to_replenish(game, check.place, characters, "draw")
    data = data.replace(over=True, moves=cards.changes)
    events = (*events, *_warning_events(game, data))
    return StageResult(game.state, data, OVER, events=events, said=Text("mb-award-paid"))


def _npc_notes(game: Game, data: Reward) -> list[Note]:
    """Return what standard NPCs may get for an act, for the GM to award (MB-GM-12)."""
    if data.what != "act" or data.last:
        return []
    names: list[str] = []
    for character in game.state.characters.values():
        is_standard_npc = character.owner is None and character.sheet.npc_kind == STANDARD
        if is_standard_npc and not character.sheet.harm.dead:
            names.append(character.name)
    if not names:
        return []
    award = npc_award("most_of_an_act", data.number)
    low, high = award.skill_points
    about = {
        "names": tuple(names),
        "life_points": award.life_points[0],
        "low": low,
        "high": high,
    }
    return [Note(Text("mb-npc-due", about), GMS_ONLY)]


def _warning_events(game: Game, data: Reward) -> tuple[Event, ...]:
    """Return the message that tells GMs of what is unusual about an end; it blocks nothing."""
    notes: list[Note] = []
    for warning in _warnings(game, data):
        notes.append(Note(Text(warning.code, warning.params), GMS_ONLY))
    notes += _npc_notes(game, data)
    if not notes:
        return ()
    title = Text("mb-gm-warnings", {"what": data.what})
    return (Reported(audience=GMS, title=title, blocks=tuple(notes), by=game.actor.id),)


#: Changes of cards that are a payment of Life Points.
_PAYMENTS: Final = ("life-points", "surplus", "converted", "owed")


def _warnings(game: Game, data: Reward) -> tuple[GmWarning, ...]:
    """Return the warnings that inform GMs of an end (MB-GM-01, MB-GM-02, MB-GM-04)."""
    warnings = [*act_warnings(data.act, data.scenes)]
    if data.what == "act":
        return tuple(warnings)
    highest = max([data.number, *[data.award_of(who) for who, _ in data.bonuses]])
    cap = game.setting("adventure_award_soft_cap")
    warnings += adventure_warnings(highest, data.grueling, cap)
    totals: dict[str, int] = {}
    for move in data.moves:
        if move.what in _PAYMENTS and move.number > 0:
            totals[move.who] = totals.get(move.who, 0) + move.number
    cap = game.setting("adventure_end_total_soft_cap")
    for who, total in totals.items():
        for warning in end_total_warnings(total, data.award_of(who), data.grueling, cap):
            named = {**warning.params, "name": card_moves.holder_ref(game, who)}
            warnings.append(warning.replace(params=named))
    return tuple(warnings)


def _describe_awards(game: Game, check: Check[Reward]) -> tuple[Block, ...]:
    """Describe the awards: what each character gets, and for what.

    Until the GM has judged them, also what subplots would pay and what Martyr would cost.
    """
    data = check.data
    flat = data.what == "act" and game.setting("act_award_mode") == "flat"
    extra = 0 if flat else data.number - data.counted
    cards = current_cards(game)
    blocks: list[Block] = []
    if data.over:
        paid_for = Text("mb-paid-for", {"what": data.what})
        blocks.append(Verdict(paid_for, "neutral", FOR_EVERYONE))
    blocks.append(
        for_all(
            "mb-paid-out",
            what=data.what,
            number=data.number,
            counted=data.counted,
            last=data.last,
            over=data.over,
            hands=mode(game).hands,
            flat=flat,
            most=game.setting("life_points_max"),
            more=extra or None,
        )
    )
    for who, points in data.bonuses:
        holder = card_moves.holder_ref(game, who)
        blocks.append(for_all("mb-bonus-of", who=holder, points=points))
    if not data.over:
        for who, _, kind in _due_subplots(game, data.dues):
            pays = {
                "points": kind.award and kind.award.life_points,
                "less": kind.award and kind.award.reduced,
            }
            blocks.append(for_all("mb-plot-pays", who=Ref(who), name=kind.name, **pays))
        if data.what == "adventure":
            for seat in cards.deal.seats:
                if seat.deed_named:
                    blocks.append(for_all("mb-martyr-lives", who=Ref(seat.who)))
    blocks += card_moves.move_notes(game, cards, data.moves)
    return tuple(blocks)


PROCEDURE: Final = Procedure(
    AWARDS, (AwardStage(),), Reward, _AWARD_FORM, _begin_reward, _describe_awards, by_itself=True
)


# --- commands -------------------------------------------------------------------------------------


def _period_command(
    thing: str, what: Literal["", "start", "end"] = ""
) -> Callable[[Game, Values], CommandResult]:
    def run(game: Game, values: Values) -> CommandResult:
        return _TELL.run(game, {**values, "what": f"{thing}-{what or values['what']}"})

    return run


_NAMED: Final = Typed("name", most=_MAX_NAME)
_KIND: Final = Pick("kind", choices=plain_options(SCENES))
_WHAT: Final = Pick("what", choices=plain_options(("start", "end")), needed=True)
_DONE: Final = Pick("what", choices=plain_options(_PERIOD_HANDLERS), needed=True)
_TELL: Final = Deed(
    "adventure start",
    Tell,
    progress_adventure,
    (_DONE, _NAMED, _KIND, _NUMBER, _LAST, _GRUELING, _BONUSES),
)
DEEDS: Final = (_TELL,)
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
