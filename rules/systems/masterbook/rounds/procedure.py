"""Rounds: initiative, lost turns, and characters who wait; the ticks at their ends.

MB-RND-01, MB-INI-01, MB-ACT-02, MB-CARD-I01, MB-CARD-I02.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from rules.core.errors import Impossible
from rules.core.rng import Rng
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute, option_effects
from rules.systems.masterbook.checks import action_economy, card_in_effect
from rules.systems.masterbook.checks.action_economy import (
    AT_ONCE,
    BODY,
    COMBAT_PACE,
    FURTHER,
    MIND,
    WAITED,
    Pace,
)
from rules.systems.masterbook.checks.late_rulings import StymiedShockStage
from rules.systems.masterbook.checks.view import roll_of
from rules.systems.masterbook.deck import card_lines, deal
from rules.systems.masterbook.deck.card_definitions import Side
from rules.systems.masterbook.deck.deck_state import HAND
from rules.systems.masterbook.deck.table_deck import has_deck, mode, require_cards, with_cards
from rules.systems.masterbook.formulas import damage, dice
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.interaction import SETBACK
from rules.systems.masterbook.formulas.multi_actions import INITIATIVE, RoundKind, initiative_order
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS
from rules.systems.masterbook.rounds import card_moves, round_card
from rules.systems.masterbook.rounds.card_commands import with_pooled_card
from rules.systems.masterbook.rounds.further_turns import (
    FLURRY,
    apply_further_turns,
    second_turns,
    with_further_turns,
    with_second_turns,
    without_mark,
)
from rules.systems.masterbook.rounds.round_card import Opening
from rules.systems.masterbook.rounds.task_state import round_start_events, task_announcement
from rules.table.actions import Action
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Note,
    Ref,
    Text,
    Verdict,
    Viewers,
)
from rules.table.check import Check
from rules.table.checks.procedure import Procedure, Stage, StageResult
from rules.table.deeds import Deed
from rules.table.events import Event
from rules.table.forms.fields import Number, Pick, plain_options
from rules.table.initiative import (
    initiative_key,
    require_encounter,
    same_slot,
    slot_on_turn,
)
from rules.table.marks import marks_of, with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter, AnyEncounter, Mark, Slot, TableState
from rules.table.system import Game, Initiative, Tick, TickResult, Turns, is_npc
from rules.table.turns.spent_turns import is_passed_over
from rules.table.turns.turn_changes import begin_turns, with_scores

# --- the end of a round ---------------------------------------------------------------------------


def deal_earned_cards(game: Game, passing: Tick) -> TickResult:
    """Deal the cards that were earned in a round (MB-CARD-I01).

    At the end of the rounds, pools go back to hands.
    """
    cards = card_in_effect.cards_in_rounds(game, passing.place)
    if passing.kind not in ("round-end", "encounter-end") or cards is None:
        return TickResult(game)
    earned = [(seat.who, seat.awards) for seat in cards.deal.seats if seat.awards]
    cards = card_lines.end_round(cards, game.rng)
    if passing.kind == "encounter-end":
        cards = deal.leave(cards)
    lines = [(who, _dealt_text(game, who, number)) for who, number in earned]
    for change in cards.changes:
        if change.what == "moment-over":
            lines.append((change.who, _dealt_text(game, change.who, change.number, over=True)))
    # These lines report the draws already, with the reason.
    cards = cards.without_changes("drawn")
    game, events = card_moves.finish_card_moves(game, passing.place, cards)
    return TickResult(game, tuple(lines), events)


def _dealt_text(game: Game, who: str, number: int, *, over: bool = False) -> Text:
    return Text("mb-card-dealt", {"name": game.character(who).name, "number": number, "over": over})


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


#: Seconds of the longest interaction round.
_LONGEST: Final = 7 * 24 * 3600


# --- initiative -----------------------------------------------------------------------------------


def _throw(game: Game, who: str, rounds: RoundKind, rng: Rng) -> Throw:
    """Roll initiative: 10s roll again, and no points are spent (MB-INI-01).

    Fast Reactions add as much as a card does (MB-CARD-L02).
    """
    sheet: MasterbookSheet = game.sheet(who)
    bonus = option_effects(sheet).initiative
    causes = (("fast", bonus),) if bonus else ()
    value = attribute(sheet, INITIATIVE[rounds])
    return Throw(who, "initiative", value, causes, dice.throw(rng, True))


def roll_initiative(game: Game, character: AnyCharacter, rng: Rng) -> Initiative:
    """Return the initiative of a character who joins during a round."""
    counted = {
        place: encounter for place, encounter in game.state.encounters.items() if encounter.round
    }
    paces: list[Pace] = []
    for encounter in counted.values():
        if encounter.data is not None:
            paces.append(encounter.data.at(encounter.round))
    kind = paces[0].kind if len(paces) == 1 else COMBAT_PACE.kind
    if card_in_effect.card_here(game, next(iter(counted), "")) is not None:
        score = attribute(character.sheet, INITIATIVE[kind])
    else:
        score = _throw(game, character.id, kind, rng).total
    return Initiative((score,), Text("mb-initiative", {"score": score}))


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
    """Return no words for a character out of action, since the cause says it; None for others."""
    return () if _lost_turn_reason(game, Slot("", character.id)) in ("dead", "out") else None


def _mark_simultaneous(game: Game, encounter: AnyEncounter, left: Sequence[Slot]) -> Game:
    """Return the game with the next slot of *left* and its equals marked as simultaneous.

    Characters of one score act as they are now, until all of them have acted.
    """
    state = without_mark(game, encounter.order, AT_ONCE).state
    if not left:
        return game.with_state(state)
    first = (side_index(game, encounter, left[0]), left[0].score)
    equals: list[str] = []
    for slot in left:
        if slot.character and (side_index(game, encounter, slot), slot.score) == first:
            equals.append(slot.character)
    if len({*equals}) < 2:
        return game.with_state(state)
    for who in equals:
        harm = game.sheet(who).harm
        body = Mark(AT_ONCE, BODY, damage.penalty(harm, True))
        mind = Mark(AT_ONCE, MIND, damage.penalty(harm, False))
        state = with_marks(state, who, body, mind)
    return game.with_state(state)


def _lose_turns(game: Game, slots: Iterable[Slot]) -> Game:
    """Return the game in which these slots have lost their turn and used up their setback."""
    state = without_mark(game, slots, SETBACK).state
    for slot in slots:
        if slot.character is not None:
            mark = Mark(action_economy.LOST, until="round")
            state = with_marks(state, slot.character, mark)
    return game.with_state(state)


def _waiting_by_rank(state: TableState, waiting: Iterable[Slot]) -> list[Slot]:
    """Return the slots of characters who waited, as they act now: the highest first."""
    by_rank = sorted(waiting, key=lambda slot: initiative_key(state, slot))
    return [slot.replace(delayed=False) for slot in by_rank]


class InitiativeStage(Stage[Opening]):
    """Initiative rolled, or read from the card. Turns begin, and some are lost (MB-INI-01)."""

    name = "initiative"

    def enter(self, game: Game, check: Check[Opening], /) -> StageResult[Opening] | None:
        data = check.data
        if data.throws or data.order:
            return None
        # A character with a further turn in the last round has one slot again.
        encounter = require_encounter(game.state, check.place)
        slots: dict[str, Slot] = {}
        for slot in encounter.order:
            if slot.character:
                slots[slot.character] = slot.replace(name="")
            else:
                slots[slot.name] = slot
        encounter = encounter.replace(order=tuple(slots.values()))
        game = game.with_state(game.state.with_encounter(encounter))
        characters = [slot.character for slot in slots.values() if slot.character is not None]
        if data.reading is None:
            throws: list[Throw] = []
            for who in characters:
                rng = game.rng.secret if is_npc(game, who) else game.rng.public
                throws.append(_throw(game, who, data.kind, rng))
            data = data.replace(throws=tuple(throws))
            scores = {throw.who: throw.total for throw in throws}
        else:
            initiative = INITIATIVE[data.kind]
            scores = {who: attribute(game.sheet(who), initiative) for who in characters}
        game, data, events = _begin_order(game, check, data, scores)
        reports = round_start_events(game, check.place)
        return StageResult(game.state, data, events=(*reports, *events))


class TurnRestoringSetback(round_card.SetbackStage):
    """Setback that the GM changes late, which also changes who has a turn in the round."""

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
            scores = {throw.who: throw.total for throw in data.throws}
        else:
            scores = {}
            for slot in require_encounter(state, check.place).order:
                if slot.character:
                    sheet = game.sheet(slot.character)
                    scores[slot.character] = attribute(sheet, INITIATIVE[data.kind])
        game, data, events = _begin_order(game.with_state(state), check, data, scores)
        after = slot_on_turn(require_encounter(game.state, check.place))
        return StageResult(game.state, data, events=() if after == before else events)


def _begin_order(
    game: Game, check: Check[Opening], data: Opening, scores: Mapping[str, int]
) -> tuple[Game, Opening, tuple[Event, ...]]:
    """Begin the turns of a round by these scores, and let some be lost (MB-INI-01).

    Return the game, the opening with the order, and the events.
    """
    fresh = require_encounter(game.state, check.place)
    state = with_scores(game.state, check.place, {who: (score,) for who, score in scores.items()})
    encounter = require_encounter(state, check.place)
    order = list(encounter.order)
    groups: list[list[str]] = []
    if data.reading is not None:
        # By a card, all of one side act before the other, each side in its order (MB-CARD-I02).
        sides = data.reading.sides
        order.sort(key=lambda slot: sides.index(card_in_effect.side_of(game, slot)))
        groups = [_characters_of_side(game, order, side) for side in sides]
    lost = [slot for slot in order if _lost_turn_reason(game, slot)]
    data = data.replace(
        lost=tuple([(slot.character or "", _lost_turn_reason(game, slot)) for slot in lost]),
        order=initiative_order(scores, groups),
        task=task_announcement(game, check.place),
    )
    rest = [slot for slot in order if slot not in lost]
    # Slots of lost turns come before all others, as if their characters had acted.
    skipped = [slot.replace(delayed=True) for slot in lost]
    game = game.with_state(state.with_encounter(encounter.replace(order=(*skipped, *rest))))
    game = _lose_turns(game, lost)
    game = with_further_turns(game, fresh.order, data.reading)
    news = (*round_card.card_news(data), *_lost_turn_news(game, data.lost))
    state, events = begin_turns(game, check.place, news)
    begun = require_encounter(state, check.place)
    if lost and rest:
        state = state.with_encounter(begun.replace(order=(*lost, *begun.order[len(lost) :])))
        begun = require_encounter(state, check.place)
    remaining = [slot for slot in begun.order if slot not in lost]
    game = _mark_simultaneous(game.with_state(state), begun, remaining)
    return game, data, events


def _characters_of_side(game: Game, order: Iterable[Slot], side: Side) -> list[str]:
    """Return the characters of a side in their order."""
    characters: list[str] = []
    for slot in order:
        if slot.character and card_in_effect.side_of(game, slot) == side:
            characters.append(slot.character)
    return characters


def side_index(game: Game, encounter: AnyEncounter, slot: Slot) -> int | None:
    """Return the side of a slot, first or second, in a round that follows its card (MB-CARD-I02).

    None in other rounds.
    """
    reading = card_in_effect.card_here(game, encounter.place) if encounter.round else None
    if reading is None:
        return None
    return reading.sides.index(card_in_effect.side_of(game, slot))


def describe(game: Game, check: Check[Opening]) -> tuple[Block, ...]:
    """Describe the beginning of a round: the card or the dice, and who loses the turn."""
    data = check.data
    card_blocks = round_card.describe_round_card(game, check)
    if not data.throws and not data.order:
        number = data.number or check.round
        if number is None:
            # The fight ended first.
            return tuple(card_blocks)
        prompt = check.asked[0].prompt.key if check.asked else None
        about = {"round": number, "card": bool(data.card), "cards": not data.number}
        about |= {"asks": prompt, "usual": game.setting("setback_default")}
        return (Note(Text("mb-round-opens", about), FOR_EVERYONE), *card_blocks)
    begins = Text("mb-round-begins", {"round": data.number, "kind": data.kind})
    blocks: list[Block] = [Verdict(begins, "neutral", FOR_EVERYONE), *card_blocks]
    for throw in data.throws:
        blocks.append(roll_of(throw).replace(visible_to=_audience_about(game, throw.who)))
    for together in data.order:
        if len(together) > 1:
            who = tuple(Ref(character) for character in together)
            text = Text("mb-at-once", {"who": who})
            blocks.append(Note(text, _audience_about(game, *together)))
    if data.task is not None:
        blocks.append(Note(data.task, FOR_EVERYONE))
    for who, why in data.lost:
        blocks.append(Note(_lost_turn_text(Ref(who), why), _audience_about(game, who)))
    return tuple(blocks)


def _audience_about(game: Game, *who: str) -> Viewers:
    """Return the audience of facts about characters: the GMs, if an NPC is among them."""
    return GMS_ONLY if any(is_npc(game, character) for character in who) else FOR_EVERYONE


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
    dice_have_fallen=lambda data: bool(data.throws or data.card),
)


# --- a turn is over -------------------------------------------------------------------------------


def apply_turn_tick(game: Game, passing: Tick) -> TickResult:
    """Return the result of a turn's end (MB-ACT-02).

    Characters who can do nothing lose their turns. After the last turn, waiting characters act.
    """
    if passing.kind != "turn":
        return TickResult(game)
    encounter = require_encounter(game.state, passing.place)
    current = encounter.order[encounter.turn]
    before = [slot for slot in encounter.order[: encounter.turn] if not slot.delayed]
    waiting = [slot for slot in encounter.order if slot.delayed and slot is not current]
    left = [slot for slot in encounter.order[encounter.turn + 1 :] if not slot.delayed]
    if not left or not marks_of(game.state, left[0].character or "", AT_ONCE):
        game = _mark_simultaneous(game, encounter, ())
    lost = [slot for slot in (*left, *waiting) if _lost_turn_reason(game, slot)]
    lines: list[tuple[str, Text]] = []
    for slot in lost:
        who = slot.character or ""
        # Only the GMs read a line about an NPC, and they know its name.
        named = Ref(name=game.character(who).name)
        lines.append((who, _lost_turn_text(named, _lost_turn_reason(game, slot))))
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
    after = encounter.replace(order=(*acted, current, *left), turn=len(acted))
    game = game.with_state(state)
    if left and not marks_of(state, left[0].character or "", AT_ONCE):
        game = _mark_simultaneous(game, after, left)
    game = apply_further_turns(game.with_state(game.state.with_encounter(after)), passing.place)
    return TickResult(game, tuple(lines))


def order_after_turn(game: Game, encounter: AnyEncounter) -> AnyEncounter:
    """Return the encounter once the current turn has ended.

    Its `turn` is the slot before the next one.
    """
    game = game.with_state(game.state.with_encounter(encounter))
    result = apply_turn_tick(game, Tick("turn", (), place=encounter.place))
    after = require_encounter(result.game.state, encounter.place)
    if same_slot(after.order[after.turn], encounter.order[encounter.turn]):
        return after
    return after.replace(turn=after.turn - 1)


def order_after_waiting(game: Game, encounter: AnyEncounter) -> Game:
    """Return the game once the character on turn waits (MB-ACT-02).

    If the side is under flurry, characters who have acted take their second turn first.
    The rule is MB-CARD-I06. Waiting characters act once all others have acted, have nothing left to
    act with or wait.

    Raises:
        Impossible("mb-nobody-left"): no other character is left to act.
        Impossible("mb-waited-already"): the character has waited in this round.
    """
    state, order, turn = game.state, encounter.order, encounter.turn
    if marks_of(state, order[turn].character or "", WAITED):
        raise Impossible("mb-waited-already")
    again = second_turns(game, encounter, order[:turn])
    if again:
        first = [slot for slot in order[: turn + 1] if slot not in again]
        second = [slot.replace(name=FLURRY) for slot in again]
        after = encounter.replace(order=(*first, *second, *order[turn + 1 :]), turn=len(first) - 1)
        return with_second_turns(game, again, after)
    current, before = order[turn], [slot for slot in order[:turn] if not slot.delayed]
    left = [slot for slot in order[turn + 1 :] if not slot.delayed]
    if not all(is_passed_over(game, slot) for slot in left):
        return game
    delayed = [slot for slot in order if slot.delayed and slot is not current]
    waiting = _waiting_by_rank(state, delayed)
    if not waiting:
        raise Impossible("mb-nobody-left")
    acted = (*before, *left)
    after = encounter.replace(order=(*acted, current, *waiting), turn=len(acted))
    return game.with_state(state.with_encounter(after))


# --- the parts of turns, and the command ----------------------------------------------------------


def _casting_check(game: Game, character: AnyCharacter) -> str | None:
    """Return the check of a character's running casting, if everyone sees it (MB-SFX-20)."""
    for mark in marks_of(game.state, character.id, action_economy.CASTING):
        check = game.state.checks.get(mark.what)
        if check is not None and check.is_public:
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


class SetPace(Action, kw_only=True):
    """Set the kind and length of the place's rounds, for a GM."""

    rounds: Literal["combat", "interaction"]
    seconds: int | None = None
    #: Line of the cards that counts; empty: as before.
    scene: Literal["", "standard", "dramatic"] = ""


def set_pace(game: Game, action: SetPace) -> Outcome:
    """Set the kind and length of the place's rounds from the next one on (MB-TIME-01).

    The scene says which line of the cards counts (MB-CARD-I04).
    Raises NotPermitted("gm-only"), and Impossible("no-encounter"), ("mb-no-interaction-rounds"),
    ("mb-card-off").
    """
    require_gm(game.state, action.who)
    if action.rounds == "interaction" and not game.setting("interaction_rounds"):
        raise Impossible("mb-no-interaction-rounds")
    encounter = require_encounter(game.state, action.place)
    shuffles: tuple[Event, ...] = ()
    if action.scene:
        deal.refuse(off=not mode(game).lines)
        cards = round_card.ready_deck(game)
        game = with_cards(game, cards.with_deal_changes(dramatic=action.scene == "dramatic"))
        shuffles = card_moves.shuffle_events(game, cards)
    current: Pace = (encounter.data or COMBAT_PACE).at(encounter.round)
    seconds = ROUND_SECONDS
    if action.rounds == "interaction" and action.seconds:
        seconds = action.seconds
    pace = Pace(action.rounds, seconds, encounter.round + 1, (current.kind, current.seconds))
    minutes, rest = divmod(pace.seconds, 60)
    about = {"kind": pace.kind, "minutes": minutes, "seconds": rest, "scene": action.scene or None}
    game = game.with_state(game.state.with_encounter(encounter.replace(data=pace)))
    note = Note(Text("mb-pace", about), FOR_EVERYONE)
    outcome = report_outcome(game, Text("mb-pace-title"), note)
    return Outcome(outcome.state, (*shuffles, *outcome.events))


_SET_PACE: Final = Deed(
    "rounds",
    SetPace,
    set_pace,
    (
        Pick("rounds", choices=plain_options(("combat", "interaction")), needed=True),
        Number("seconds", low=ROUND_SECONDS, high=_LONGEST, offered=(10, 60, 600, 3600)),
        Pick("scene", choices=plain_options(("standard", "dramatic"))),
    ),
)
DEEDS: Final = (_SET_PACE,)
COMMANDS: Final = (_SET_PACE.as_command(),)
