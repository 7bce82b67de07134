"""Rounds: initiative anew in each, who loses a turn, who waits for the end; cards pooled, earned
and dealt in them.

MB-RND-01, MB-INI-01, MB-ACT-02, MB-CARD-09 to MB-CARD-I14.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record
from rules.core.rng import Rng
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute, option_effects
from rules.systems.masterbook.checks import action_economy, card_in_effect, card_windows
from rules.systems.masterbook.checks.action_economy import (
    ACTED,
    AT_ONCE,
    BODY,
    COMBAT_PACE,
    DECLARED,
    FURTHER,
    MIND,
    STARTLED,
    SURPRISED,
    WAITED,
    Pace,
)
from rules.systems.masterbook.checks.late_rulings import StymiedShockStage
from rules.systems.masterbook.checks.view import roll_of
from rules.systems.masterbook.deck import card_lines, deal
from rules.systems.masterbook.deck.card_lines import CardReading
from rules.systems.masterbook.deck.deck_state import HAND, SCENES, TAKEN, Cards, Seat
from rules.systems.masterbook.deck.table_deck import has_deck, mode, require_cards, with_cards
from rules.systems.masterbook.formulas import damage, dice
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.interaction import SETBACK
from rules.systems.masterbook.formulas.multi_actions import INITIATIVE, RoundKind, initiative_order
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS
from rules.systems.masterbook.rounds import card_questions, round_card
from rules.systems.masterbook.rounds.round_card import Opening
from rules.systems.masterbook.rounds.task_commands import round_start_events, task_announcement
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Ref,
    Text,
    Verdict,
    Viewers,
)
from rules.table.check import ANY_GM, OVER, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.commands import (
    AS_FIELD,
    NAME_MAX,
    CommandResult,
    CommandView,
    known_character_options,
)
from rules.table.events import Event
from rules.table.forms import Flag, Form, Number, Pick, Typed, plain_options
from rules.table.initiative import (
    encounter_in,
    initiative_key,
    next_turn_start,
    require_encounter,
    same_slot,
    slot_on_turn,
)
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import public_name
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter, AnyEncounter, Mark, Slot, TableState
from rules.table.system import Game, Initiative, Tick, TickResult, Turns, is_npc
from rules.table.turns.turn_changes import (
    begin_turns,
    call_events,
    is_passed_over,
    with_scores,
)

#: What stands behind a place in the order for a second turn by flurry, or one by haste.
_FLURRY, _HASTE = "flurry", "haste"
#: What somebody had done before a turn by haste: `what` are the ranks of what was declared.
_BEFORE: Final = "before-haste"
_SHORT: Final = ("scene", "first", "players", "gms", "skill")


# --- further turns --------------------------------------------------------------------------------


def apply_further_turns(game: Game, place: str) -> Game:
    """After somebody's turn: one by haste is gone; a side under flurry acts once more, then the
    other (MB-CARD-I06).
    """
    encounter = require_encounter(game.state, place)
    now = encounter.order[encounter.turn]
    if now.name.startswith(_HASTE) and now.character is not None:
        return _end_haste_turn(game, encounter, now.character)
    so_far, later = encounter.order[: encounter.turn + 1], encounter.order[encounter.turn + 1 :]
    again = _second_turns(game, encounter, encounter.order)
    if not again:
        return game
    before = [each for each in so_far if each not in again]
    order = (*before, *[each.replace(name=_FLURRY) for each in again], *later)
    return _with_second_turns(game, again, encounter.replace(order=order, turn=len(before)))


def _second_turns(game: Game, encounter: AnyEncounter, acted: Sequence[Slot]) -> tuple[Slot, ...]:
    """Return the slots in *acted* that have their second turn by flurry now.

    There are none until the whole side has had its first turn.
    """
    now, reading = encounter.order[encounter.turn], card_in_effect.card_here(game, encounter.place)
    side = card_in_effect.side_of(game, now)
    if reading is None or now.name or reading.effect_on(side) != _FLURRY:
        return ()
    first = [each for each in encounter.order if not (each.name or each.delayed)]
    mine = [each for each in first if card_in_effect.side_of(game, each) == side]
    if any(each in mine for each in encounter.order[encounter.turn + 1 :]):
        return ()
    mine = [each for each in mine if each in acted and each.character]
    return tuple([each for each in mine if not game.sheet(each.character or "").harm.out])


def _with_second_turns(game: Game, again: Sequence[Slot], encounter: AnyEncounter) -> Game:
    """Return the game with a new order, in which these characters can act once more."""
    for each in again:
        game = action_economy.begin_further_action(game, each.character or "")
    return _without_mark(game.with_state(game.state.with_encounter(encounter)), again, FURTHER)


def _with_further_turns(game: Game, order: Iterable[Slot], reading: CardReading | None) -> Game:
    """Mark the characters of a side under flurry, who have two turns in this round."""
    state = game.state
    for slot in order:
        side = card_in_effect.side_of(game, slot)
        if slot.character and reading is not None and reading.effect_on(side) == _FLURRY:
            state = with_marks(state, slot.character, Mark(FURTHER, until="round"))
    return game.with_state(state)


def _end_haste_turn(game: Game, encounter: AnyEncounter, who: str) -> Game:
    """Somebody's turn by haste is over: what they did besides stands as it was."""
    state, at = game.state, encounter.turn
    for each in marks_of(state, who, _BEFORE):
        state = action_economy.begin_further_action(game, who).state
        if each.value:
            state = with_marks(state, who, Mark(ACTED, value=each.value, until="round"))
        if each.what:
            state = with_marks(
                state, who, Mark(DECLARED, each.what, len(each.what.split()), "round")
            )
    state = without_marks(state, who, _BEFORE)
    if at + 1 < len(encounter.order):
        encounter = encounter.replace(order=(*encounter.order[:at], *encounter.order[at + 1 :]))
    return game.with_state(state.with_encounter(encounter))


def hasten(game: Game, who: str) -> tuple[Game, tuple[Event, ...]]:
    """Somebody has a turn of their own at once, before whoever's it is goes on (MB-CARD-E08).

    Impossible("mb-no-rounds-here") where no rounds are counted for them.
    """
    for place in game.state.encounters:
        encounter = encounter_in(game.state, place)
        mine = (
            [each for each in encounter.order if each.character == who]
            if encounter is not None
            else []
        )
        if encounter is not None and mine and slot_on_turn(encounter) is not None:
            break
    else:
        raise Impossible("mb-no-rounds-here", name=game.character(who).name)
    held = marks_of(game.state, who, DECLARED)
    before = Mark(
        _BEFORE, held[0].what if held else "", mark_total(game.state, who, ACTED), "round"
    )
    state = with_marks(action_economy.begin_further_action(game, who).state, who, before)
    number = len([each for each in mine if each.name.startswith(_HASTE)])
    slot = mine[0].replace(name=f"{_HASTE}{number or ''}", delayed=False)
    order = (*encounter.order[: encounter.turn], slot, *encounter.order[encounter.turn :])
    begun = next_turn_start(encounter, game.at)
    encounter = encounter.replace(order=order, since=begun, ended=False)
    game = game.with_state(state.with_encounter(encounter))
    return game, call_events(game, encounter)


# --- the end of a round ---------------------------------------------------------------------------


def deal_earned_cards(game: Game, passing: Tick) -> TickResult:
    """A round is over: cards that were earned are dealt; with the rounds pools go back to hands
    (MB-CARD-I01).
    """
    cards = card_in_effect.cards_in_rounds(game, passing.place)
    if passing.kind not in ("round-end", "encounter-end") or cards is None:
        return TickResult(game)
    earned = [(each.who, each.awards) for each in cards.deal.seats if each.awards]
    cards = card_lines.end_round(cards, game.rng)
    if passing.kind == "encounter-end":
        cards = deal.leave(cards)
    said = [(who, _dealt_text(game, who, number)) for who, number in earned]
    gone = [each for each in cards.told if each.what == "moment-over"]
    said += [(each.who, _dealt_text(game, each.who, each.number, over=True)) for each in gone]
    # That somebody draws is said already, and why.
    game, events = card_questions.finish_card_moves(
        game, passing.place, cards.without_changes("drawn")
    )
    return TickResult(game, tuple(said), events)


def _dealt_text(game: Game, who: str, number: int, *, over: bool = False) -> Text:
    return Text("mb-card-dealt", {"name": game.character(who).name, "number": number, "over": over})


# --- what people do -------------------------------------------------------------------------------


def _report_cards(game: Game, said: Text, of: AnyCharacter | None = None) -> Outcome:
    return report_outcome(game, Text("topic-cards"), Note(said, FOR_EVERYONE), of=of)


def pool_card(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """A card goes from hand to pool, where everybody sees it. Raises as `deal.pool`,
    `find_card`.
    """
    cards = require_cards(game)
    cards = with_pooled_card(
        game, who.id, card_questions.find_card(cards, cards.at(HAND, who.id), action.card)
    )
    return report_outcome(
        with_cards(game, cards),
        Text("topic-cards"),
        *card_questions.move_notes(game, cards, cards.told),
    )


def with_pooled_card(game: Game, who: str, card: str) -> Cards:
    """The deck once a card of somebody's hand lies in their pool. Raises as `deal.pool`."""
    surprised = any(marks_of(game.state, who, each) for each in (SURPRISED, STARTLED))
    return deal.pool(
        require_cards(game),
        who,
        card,
        action_economy.sets_of(game, who),
        surprised,
        _is_last_turn(game),
    )


def _pooling_left(game: Game, character: AnyCharacter) -> Text | None:
    """Return that a character may still pool a card in this round; None if it may not."""
    if not (mode(game).hands and has_deck(game)):
        return None
    cards, who = require_cards(game), character.id
    if cards.deal.seat(who) is None:
        return None
    for card in cards.at(HAND, who):
        try:
            with_pooled_card(game, who, card)
        except Impossible:
            continue
        return Text("mb-may-pool")
    return None


def _is_last_turn(game: Game) -> bool:
    """Whether nobody acts any more in the round of the cards."""
    now = require_cards(game).deal.round
    found = None if now is None else encounter_in(game.state, now.place)
    return found is not None and bool(found.order) and found.turn == len(found.order) - 1


def declare_critical_moment(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """Somebody plays for the critical moment (MB-CARD-12). Raises as
    `deal.declare_critical_moment`.
    """
    cards = deal.declare_critical_moment(require_cards(game), who.id)
    return _report_cards(
        with_cards(game, cards), Text("mb-card-moment", {"who": action_economy.ref(who)})
    )


def use_fast_reactions(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """Somebody is so fast that they act once more, where initiative goes by cards (MB-CARD-L02).

    Impossible("mb-card-no-fast", "mb-card-off", "mb-out-cold", "mb-card-wrong-window"), and as
    `deal.use_fast_reactions`, `hasten`.
    """
    if not card_windows.has_fast_reactions(who.sheet):
        raise Impossible("mb-card-no-fast", who=who.name)
    deal.refuse(off=not mode(game).lines)
    action_economy.require_awake(game, who.id)
    cards = require_cards(game)
    if cards.deal.seat(who.id) is None and not mode(game).hands:
        # Nobody is dealt cards here; how often it was used is counted all the same.
        cards = cards.with_deal_changes(seats=(*cards.deal.seats, Seat(who.id)))
    cards = deal.use_fast_reactions(cards, who.id, option_effects(who.sheet).hastes)
    deal.refuse(wrong_window=card_windows.in_progress(game, action.place))
    game, events = hasten(with_cards(game, cards), who.id)
    heard = report_outcome(
        game, Text("topic-cards"), *card_questions.move_notes(game, cards, cards.told)
    )
    return Outcome(heard.state, (*heard.events, *events))


def set_side(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """From the next round on somebody in the order acts with that side (MB-CARD-I02). NotPermitted,
    NotFound.
    """
    encounter = require_encounter(game.state, action.place)
    if not any(each.character == who.id for each in encounter.order):
        raise Impossible("mb-no-rounds-here", name=who.name)
    side = "P" if action.side == "players" else "G"
    order = tuple(
        [each.replace(side=side) if each.character == who.id else each for each in encounter.order]
    )
    game = game.with_state(game.state.with_encounter(encounter.replace(order=order)))
    hidden = None if public_name(who) else who
    return _report_cards(
        game, Text("mb-card-side", {"who": action_economy.ref(who), "side": side}), hidden
    )


def approve_deed(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """What somebody has done earns them a card, or with `takes` it does not (MB-CARD-A01).

    NotPermitted; Impossible("mb-card-off", "mb-card-not-in-rounds", "mb-card-limit-reached").
    """
    cards = require_cards(game)
    deal.refuse(off=not mode(game).awards)
    seat = cards.seat(who.id)
    if action.takes:
        cards = card_lines.deny_award(cards, who.id)
    else:
        full = seat.awards >= deal.award_limit(cards, seat)
        deal.refuse(not_in_rounds=cards.deal.round is None, limit_reached=full)
        cards = cards.with_seat_changes(who.id, awards=seat.awards + 1)
    about = {"who": action_economy.ref(who), "takes": action.takes}
    return _report_cards(with_cards(game, cards), Text("mb-card-approves", about))


# --- fiat -----------------------------------------------------------------------------------------


class FiatCards(Record):
    """The cards that a GM has taken."""

    cards: tuple[str, ...] = ()


def take_fiat_cards(game: Game, action: Any) -> Outcome:
    """Four cards lie before the GMs, who say which of them come next (MB-CARD-I14).

    Those that lie there still, because a GM ended it before that was said, lie there again.
    NotPermitted; Impossible("mb-card-off", "mb-card-taken").
    """
    cards = require_cards(game)
    if card_questions.has_open_check(game, card_questions.FIAT) or not cards.at(TAKEN):
        cards = deal.take(cards, game.rng)
    told = card_questions.shuffle_events(game, cards)
    game, events = card_questions.begin_card_check(
        with_cards(game, cards), card_questions.FIAT, action.place, gm_only=True
    )
    return Outcome(game.state, (*told, *events))


def _begin_fiat(game: Game, check: Check[FiatCards], values: Values) -> Check[FiatCards]:
    return check.replace(round=None, data=FiatCards(require_cards(game).at(TAKEN)[::-1]))


class FiatStage(Stage[FiatCards]):
    """The GMs keep some of the cards, in their order; the others are used."""

    name = "fiat"

    def ask(self, game: Game, check: Check[FiatCards], /) -> tuple[Prompt, ...]:
        waits = has_deck(game) and require_cards(game).at(TAKEN)
        return (Prompt("fiat", (ANY_GM,), button="mb-card-arrange"),) if waits else ()

    def options(
        self, game: Game, check: Check[FiatCards], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        order = Typed("order", most=40, choices=plain_options([", ".join(check.data.cards)]))
        arrange = CheckOption("arrange", Text("mb-card-arrange"), Form((order,)))
        return arrange, CheckOption("none", Text("mb-card-arrange-none"))

    def choose(
        self, game: Game, check: Check[FiatCards], choice: Choice, /
    ) -> StageResult[FiatCards]:
        wanted = choice.values.get("order", "").replace(",", " ").replace("#", " ").split()
        try:
            cards = deal.queue_fiat_cards(require_cards(game), wanted)
        except Impossible as error:
            about = {"value": choice.values["order"], "allowed": check.data.cards}
            raise InvalidInput("mb-card-arrange-those", field="order", **about) from error
        heard = _report_cards(
            with_cards(game, cards), Text("mb-card-fiat", {"number": len(wanted)})
        )
        return StageResult(heard.state, check.data, OVER, events=heard.events)


def _describe_fiat(game: Game, check: Check[FiatCards]) -> tuple[Block, ...]:
    cards = require_cards(game)
    found: list[Block] = []
    for each in check.data.cards:
        what = Text("mb-card-named", {"name": cards.kind(each).name, "number": each, "kept": False})
        lines = [card_lines.read(cards.faces[each], scene) for scene in SCENES]
        said = [
            Text("mb-card-short", {key: getattr(line, key) for key in _SHORT}) for line in lines
        ]
        found.append(Fact(what, tuple(said), GMS_ONLY))
    return tuple(found)


FIAT_PROCEDURE: Final = Procedure(
    card_questions.FIAT,
    (FiatStage(),),
    data=FiatCards,
    begin=_begin_fiat,
    describe=_describe_fiat,
    by_itself=True,
)


# --- commands -------------------------------------------------------------------------------------


#: Value of the button that confirms.
_SURE: Final = Number("sure", low=1, high=1)
_CRITICAL_MOMENT: Final = action_economy.acts_by(
    "CriticalMoment", declare_critical_moment, AS_FIELD
)


def _start_critical_moment(game: Game, said: Values) -> CommandResult:
    """Ask for confirmation before a character gives up all cards (MB-CARD-12).

    Raises as `deal.declare_critical_moment`.
    """
    if "sure" in said:
        return _CRITICAL_MOMENT(game, {key: said[key] for key in said if key != "sure"})
    who = action_economy.commanding_character(game, said)
    cards = require_cards(game)
    deal.declare_critical_moment(cards, who.id)
    about = {"who": Ref(name=who.name), "number": len(cards.at(HAND, who.id))}
    note = Note(Text("mb-moment-ask", about), FOR_EVERYONE)
    values = {"sure": 1, "as": who.id}
    title = Text("mb-moment-title")
    return CommandView(title, (note,), button=Text("mb-moment-sure"), values=values)


ACTS: Final = (_CRITICAL_MOMENT,)
_TARGET: Final = Typed("target", most=NAME_MAX, needed=True, choices=known_character_options)
CARD_COMMANDS: Final = (
    action_economy.action_command(
        "card pool", "PoolCard", pool_card, Typed("card", most=NAME_MAX, needed=True), AS_FIELD
    ),
    action_economy.command(
        "card moment", _start_critical_moment, AS_FIELD, pressed=Form((_SURE, AS_FIELD))
    ),
    action_economy.action_command("card fast", "FastReactions", use_fast_reactions, AS_FIELD),
    action_economy.action_command(
        *("card side", "SetSide", set_side),
        _TARGET,
        Pick("side", choices=plain_options(("players", "npcs")), needed=True),
        whose="target",
    ),
    action_economy.action_command(
        "card approve", "ApproveDeed", approve_deed, _TARGET, Flag("takes"), whose="target"
    ),
    action_economy.action_command("deck fiat", "Fiat", take_fiat_cards, openly=False),
)


# --- the round ------------------------------------------------------------------------------------

#: The longest round of talk, in seconds.
_LONGEST: Final = 7 * 24 * 3600


# --- initiative -----------------------------------------------------------------------------------


def _throw(game: Game, who: str, rounds: RoundKind, rng: Rng) -> Throw:
    """10s roll again, and no points are spent (MB-INI-01); Fast Reactions are worth as much as a
    card (MB-CARD-L02).
    """
    sheet: MasterbookSheet = game.sheet(who)
    faster = option_effects(sheet).initiative
    more = (("fast", faster),) if faster else ()
    return Throw(
        who, "initiative", attribute(sheet, INITIATIVE[rounds]), more, dice.throw(rng, True)
    )


def roll_initiative(game: Game, character: AnyCharacter, rng: Rng) -> Initiative:
    """Of somebody who joins while a round is under way."""
    counted = {place: each for place, each in game.state.encounters.items() if each.round}
    paces: list[Pace] = [
        each.data.at(each.round) for each in counted.values() if each.data is not None
    ]
    kind = paces[0].kind if len(paces) == 1 else COMBAT_PACE.kind
    if card_in_effect.card_here(game, next(iter(counted), "")) is not None:
        score = attribute(character.sheet, INITIATIVE[kind])
        return Initiative((score,), Text("mb-initiative", {"score": score}))
    found = _throw(game, character.id, kind, rng)
    return Initiative((found.total,), Text("mb-initiative", {"score": found.total}))


def _lost_turn_reason(game: Game, slot: Slot) -> str:
    """Return why a character loses a turn: `dead`, `out` or `setback` (MB-INI-01, MB-INT-11).

    Empty if the character keeps the turn.
    """
    if slot.character is None or marks_of(game.state, slot.character, AT_ONCE):
        return ""
    harm = game.sheet(slot.character).harm
    if harm.out:
        return "dead" if harm.dead else "out"
    return SETBACK if marks_of(game.state, slot.character, SETBACK) else ""


def _idle(game: Game, character: AnyCharacter) -> tuple[Text, ...] | None:
    """Return no words for a character put out on its turn: the cause tells it; None for others."""
    return () if _lost_turn_reason(game, Slot("", character.id)) in ("dead", "out") else None


def _mark_simultaneous(game: Game, encounter: AnyEncounter, left: Sequence[Slot]) -> Game:
    """The game as the first of those `left` begins: those of one score act as they are now, until
    all have.
    """
    state = _without_mark(game, encounter.order, AT_ONCE).state
    now = [(side_index(game, encounter, each), each.score) for each in left]
    same = [
        each.character
        for each, at in zip(left, now, strict=True)
        if each.character and at == now[0]
    ]
    for who in same if len({*same}) > 1 else ():
        was = game.sheet(who).harm
        before = (Mark(AT_ONCE, what, damage.penalty(was, what == BODY)) for what in (BODY, MIND))
        state = with_marks(state, who, *before)
    return game.with_state(state)


def _without_mark(game: Game, slots: Iterable[Slot], key: str) -> Game:
    """The game without that mark of those who stand there."""
    state = game.state
    for each in slots:
        state = without_marks(state, each.character or "", key)
    return game.with_state(state)


def _lose_turns(game: Game, slots: Iterable[Slot]) -> Game:
    """Return the game in which these slots have lost their turn and used up their setback."""
    state = _without_mark(game, slots, SETBACK).state
    for each in slots:
        if each.character is not None:
            mark = Mark(action_economy.LOST, until="round")
            state = with_marks(state, each.character, mark)
    return game.with_state(state)


def _waiting_by_rank(state: TableState, waiting: Iterable[Slot]) -> list[Slot]:
    """Those who waited, as they act now: the highest first."""
    return [
        slot.replace(delayed=False)
        for slot in sorted(waiting, key=lambda each: initiative_key(state, each))
    ]


class InitiativeStage(Stage[Opening]):
    """Initiative is thrown, or told by the card; the turns begin, and who can do nothing loses
    theirs (MB-INI-01).
    """

    name = "initiative"

    def enter(self, game: Game, check: Check[Opening], /) -> StageResult[Opening] | None:
        data = check.data
        if data.throws or data.order:
            return None
        # Who had a further turn in the last round has one again.
        encounter = require_encounter(game.state, check.place)
        fresh = {
            each.character or each.name: each.replace(name="") if each.character else each
            for each in encounter.order
        }
        game = game.with_state(
            game.state.with_encounter(encounter.replace(order=tuple(fresh.values())))
        )
        people = [each.character for each in fresh.values() if each.character is not None]
        if data.reading is None:
            streams = [
                (who, game.rng.secret if is_npc(game, who) else game.rng.public) for who in people
            ]
            data = data.replace(
                throws=tuple([_throw(game, who, data.kind, rng) for who, rng in streams])
            )
            scores = {each.who: each.total for each in data.throws}
        else:
            scores = {who: attribute(game.sheet(who), INITIATIVE[data.kind]) for who in people}
        game, data, events = _begin_order(game, check, data, scores)
        told = round_start_events(game, check.place)
        return StageResult(game.state, data, events=(*told, *events))


class TurnRestoringSetback(round_card.SetbackStage):
    """A setback that a GM changes late also changes who has a turn in the round."""

    def rule_late(self, game: Game, check: Check[Opening], option: str) -> StageResult[Opening]:
        data = super().rule_late(game, check, option).data
        loses = game.setting("setback_default") != "lose_one_action"
        state = game.state
        for slot in require_encounter(state, check.place).order:
            state = without_marks(state, slot.character or "", FURTHER)
        for who, why in data.lost:
            state = without_marks(state, who, action_economy.LOST)
            if why == SETBACK:
                state = with_marks(state, who, Mark(SETBACK, until="encounter"))
        state = without_marks(state, option, SETBACK)
        if loses:
            state = with_marks(state, option, Mark(SETBACK, until="encounter"))
        before = slot_on_turn(require_encounter(state, check.place))
        if data.reading is None:
            scores = {each.who: each.total for each in data.throws}
        else:
            order = require_encounter(state, check.place).order
            scores = {
                each.character: attribute(game.sheet(each.character), INITIATIVE[data.kind])
                for each in order
                if each.character
            }
        game, data, events = _begin_order(game.with_state(state), check, data, scores)
        same = slot_on_turn(require_encounter(game.state, check.place)) == before
        return StageResult(game.state, data, events=() if same else events)


def _begin_order(
    game: Game, check: Check[Opening], data: Opening, scores: Mapping[str, int]
) -> tuple[Game, Opening, tuple[Event, ...]]:
    """Begin the turns of a round by these scores: who can do nothing loses theirs (MB-INI-01)."""
    fresh = require_encounter(game.state, check.place)
    state = with_scores(game.state, check.place, {who: (score,) for who, score in scores.items()})
    encounter, sides = (
        require_encounter(state, check.place),
        () if data.reading is None else data.reading.sides,
    )
    stand = [(card_in_effect.side_of(game, each), each) for each in encounter.order]
    # With a card all of one side act before the other, each in its order (MB-CARD-I02).
    stand.sort(key=lambda each: sides.index(each[0]) if sides else 0)
    groups = [
        [each.character for at, each in stand if at == side and each.character] for side in sides
    ]
    lost = [slot for _, slot in stand if _lost_turn_reason(game, slot)]
    data = data.replace(
        lost=tuple([(each.character or "", _lost_turn_reason(game, each)) for each in lost]),
        order=initiative_order(scores, groups),
        task=task_announcement(game, check.place),
    )
    rest = [slot for _, slot in stand if slot not in lost]
    # They stand before all others, as if they had acted.
    held = encounter.replace(order=(*[each.replace(delayed=True) for each in lost], *rest))
    game = _lose_turns(game.with_state(state.with_encounter(held)), lost)
    game = _with_further_turns(game, fresh.order, data.reading)
    news = (*round_card.card_news(data), *_lost_turn_news(game, data.lost))
    state, events = begin_turns(game, check.place, news)
    now = require_encounter(state, check.place)
    if lost and rest:
        state = state.with_encounter(now.replace(order=(*lost, *now.order[len(lost) :])))
        now = require_encounter(state, check.place)
    game = _mark_simultaneous(
        game.with_state(state), now, [each for each in now.order if each not in lost]
    )
    return game, data, events


def side_index(game: Game, encounter: AnyEncounter, slot: Slot) -> int | None:
    """Return the side of a slot, first or second, in a round that follows its card (MB-CARD-I02).

    None in other rounds.
    """
    reading = card_in_effect.card_here(game, encounter.place) if encounter.round else None
    if reading is None:
        return None
    return reading.sides.index(card_in_effect.side_of(game, slot))


def describe(game: Game, check: Check[Opening]) -> tuple[Block, ...]:
    """What a round begins with: the card or the dice, who acts at once, who loses the turn."""
    data = check.data
    if not data.throws and not data.order:
        number = data.number or check.round
        if number is None:  # the fight has ended before
            return tuple(round_card.describe_round_card(game, check))
        asks = next((each.prompt.key for each in check.asked), None)
        about = {"round": number, "card": bool(data.card), "cards": not data.number}
        about |= {"asks": asks, "usual": game.setting("setback_default")}
        return (
            Note(Text("mb-round-opens", about), FOR_EVERYONE),
            *round_card.describe_round_card(game, check),
        )
    begins = Text("mb-round-begins", {"round": data.number, "kind": data.kind})
    found: list[Block] = [
        Verdict(begins, "neutral", FOR_EVERYONE),
        *round_card.describe_round_card(game, check),
    ]
    found += [
        roll_of(each).replace(visible_to=_audience_about(game, each.who)) for each in data.throws
    ]
    for together in data.order:
        if len(together) > 1:
            who = tuple([Ref(each) for each in together])
            found.append(Note(Text("mb-at-once", {"who": who}), _audience_about(game, *together)))
    found += [Note(data.task, FOR_EVERYONE)] if data.task is not None else []
    found += [
        Note(_lost_turn_text(Ref(who), why), _audience_about(game, who)) for who, why in data.lost
    ]
    return tuple(found)


def _audience_about(game: Game, *who: str) -> Viewers:
    """What is about NPCs is for the GMs."""
    return GMS_ONLY if any(is_npc(game, each) for each in who) else FOR_EVERYONE


def _lost_turn_news(game: Game, lost: Iterable[tuple[str, str]]) -> list[Text]:
    """Return a line for each player's character that loses its turn."""
    return [_lost_turn_text(Ref(who), why) for who, why in lost if not is_npc(game, who)]


def _lost_turn_text(who: Ref, why: str) -> Text:
    return Text("mb-turn-lost", {"name": who, "why": why})


ROUND_PROCEDURE: Final = Procedure(
    "round",
    (
        *(
            round_card.BreakOffStage(),
            round_card.KeepCardStage(),
            round_card.FlipStage(),
            round_card.ReplaceCardStage(),
        ),
        *(TurnRestoringSetback(), round_card.CardLineStage(), InitiativeStage()),
        StymiedShockStage(),
    ),
    data=Opening,
    role="round",
    by_itself=True,
    describe=describe,
    fallen=lambda data: bool(data.throws or data.card),
)


# --- a turn is over -------------------------------------------------------------------------------


def apply_turn_tick(game: Game, passing: Tick) -> TickResult:
    """After a turn: who can do nothing loses theirs; after the last one those who waited act
    (MB-ACT-02).
    """
    if passing.kind != "turn":
        return TickResult(game)
    encounter = require_encounter(game.state, passing.place)
    now = encounter.order[encounter.turn]
    before = [slot for slot in encounter.order[: encounter.turn] if not slot.delayed]
    waiting = [slot for slot in encounter.order if slot.delayed and slot is not now]
    left = [slot for slot in encounter.order[encounter.turn + 1 :] if not slot.delayed]
    if not left or not marks_of(game.state, left[0].character or "", AT_ONCE):
        game = _mark_simultaneous(game, encounter, ())
    lost = [slot for slot in (*left, *waiting) if _lost_turn_reason(game, slot)]
    said: list[tuple[str, Text]] = []
    for slot in lost:
        who = slot.character or ""
        # Only GMs read about an NPC, and they know it by its name.
        named = Ref(name=game.character(who).name)
        said.append((who, _lost_turn_text(named, _lost_turn_reason(game, slot))))
    game = _lose_turns(game, lost)
    left = [slot for slot in left if slot not in lost]
    waiting = [slot for slot in waiting if slot not in lost]
    spent: list[Slot] = []
    if waiting and all(is_passed_over(game, slot) for slot in left):
        left, spent = [], left
    state = game.state
    for slot in waiting:
        state = with_marks(state, slot.character or "", Mark(WAITED, until="round"))
    if not left:
        left, waiting = _waiting_by_rank(state, waiting), []
    acted = (*before, *[slot.replace(delayed=False) for slot in lost], *spent, *waiting)
    after = encounter.replace(order=(*acted, now, *left), turn=len(acted))
    game = game.with_state(state)
    if left and not marks_of(state, left[0].character or "", AT_ONCE):
        game = _mark_simultaneous(game, after, left)
    game = apply_further_turns(game.with_state(game.state.with_encounter(after)), passing.place)
    return TickResult(game, tuple(said))


def order_after_turn(game: Game, encounter: AnyEncounter) -> AnyEncounter:
    """The order as it is once whoever's turn it is has acted, with `turn` on the place before the
    next one's.
    """
    game = game.with_state(game.state.with_encounter(encounter))
    after = require_encounter(
        apply_turn_tick(game, Tick("turn", (), place=encounter.place)).game.state, encounter.place
    )
    there = same_slot(after.order[after.turn], encounter.order[encounter.turn])
    return after if there else after.replace(turn=after.turn - 1)


def order_after_waiting(game: Game, encounter: AnyEncounter) -> Game:
    """Return the game once the character on turn waits (MB-ACT-02).

    If the side is under flurry, those who have acted take their second turn first (MB-CARD-I06).
    Waiting characters act once all others have acted, have nothing left to act with or wait.

    Raises:
        Impossible("mb-nobody-left"): no other character is left to act.
        Impossible("mb-waited-already"): the character has waited in this round.
    """
    state, order, turn = game.state, encounter.order, encounter.turn
    if marks_of(state, order[turn].character or "", WAITED):
        raise Impossible("mb-waited-already")
    again = _second_turns(game, encounter, order[:turn])
    if again:
        first = [slot for slot in order[: turn + 1] if slot not in again]
        second = [slot.replace(name=_FLURRY) for slot in again]
        after = encounter.replace(order=(*first, *second, *order[turn + 1 :]), turn=len(first) - 1)
        return _with_second_turns(game, again, after)
    now, before = order[turn], [slot for slot in order[:turn] if not slot.delayed]
    left = [slot for slot in order[turn + 1 :] if not slot.delayed]
    if not all(is_passed_over(game, slot) for slot in left):
        return game
    waiting = _waiting_by_rank(state, [slot for slot in order if slot.delayed and slot is not now])
    if not waiting:
        raise Impossible("mb-nobody-left")
    after = encounter.replace(order=(*before, *left, now, *waiting), turn=len(before) + len(left))
    return game.with_state(state.with_encounter(after))


# --- rounds of talk -------------------------------------------------------------------------------


def _casting_check(game: Game, character: AnyCharacter) -> str | None:
    """Return the check of a character's casting that goes on, if everybody sees it (MB-SFX-20)."""
    for mark in marks_of(game.state, character.id, action_economy.CASTING):
        check = game.state.checks.get(mark.what)
        if check is not None and check.visibility == "public" and not check.gm_only:
            return check.id
    return None


TURNS: Final = Turns(
    roll_initiative,
    data=Pace,
    idle=_idle,
    waits=order_after_waiting,
    block=side_index,
    then=order_after_turn,
    waits_last=Text("mb-waits-last"),
    spent=lambda game, character: action_economy.has_done_all(game, character.id),
    lingers=_pooling_left,
    occupied=_casting_check,
)


def set_pace(game: Game, action: Any) -> Outcome:
    """What the rounds of this place are from the next one on, and how many seconds one takes
    (MB-TIME-01).

    The scene says which line of the cards counts (MB-CARD-I04). NotPermitted for others than GMs;
    Impossible("no-encounter", "mb-no-interaction-rounds", "mb-card-off").
    """
    if action.rounds == "interaction" and not game.setting("interaction_rounds"):
        raise Impossible("mb-no-interaction-rounds")
    encounter, told = require_encounter(game.state, action.place), tuple[Event, ...]()
    if action.scene:
        deal.refuse(off=not mode(game).lines)
        cards = round_card.ready_deck(game)
        game = with_cards(game, cards.with_deal_changes(dramatic=action.scene == "dramatic"))
        told = card_questions.shuffle_events(game, cards)
    now: Pace = (encounter.data or COMBAT_PACE).at(encounter.round)
    seconds = (action.seconds or ROUND_SECONDS) if action.rounds == "interaction" else ROUND_SECONDS
    pace = Pace(action.rounds, seconds, encounter.round + 1, (now.kind, now.seconds))
    minutes, rest = divmod(pace.seconds, 60)
    said = {"kind": pace.kind, "minutes": minutes, "seconds": rest, "scene": action.scene or None}
    game = game.with_state(game.state.with_encounter(encounter.replace(data=pace)))
    outcome = report_outcome(game, Text("mb-pace-title"), Note(Text("mb-pace", said), FOR_EVERYONE))
    return Outcome(outcome.state, (*told, *outcome.events))


COMMANDS: Final = (
    action_economy.action_command(
        *("rounds", "SetPace", set_pace),
        Pick("rounds", choices=plain_options(("combat", "interaction")), needed=True),
        Number("seconds", low=ROUND_SECONDS, high=_LONGEST, offered=(10, 60, 600, 3600)),
        Pick("scene", choices=plain_options(("standard", "dramatic"))),
    ),
)
