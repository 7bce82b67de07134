"""Rounds: initiative anew in each, who loses a turn, who waits for the end (MB-RND-01, MB-INI-01, MB-ACT-02)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.core.errors import Impossible
from rules.core.record import Record, record
from rules.core.rng import Rng
from rules.systems.masterbook import dice
from rules.systems.masterbook.deck import rounding
from rules.systems.masterbook.deck.asking import shuffles
from rules.systems.masterbook.deck.lines import Reading
from rules.systems.masterbook.deck.opening import (
    AnyOpening,
    Befalling,
    Flipping,
    Judging,
    Keeping,
    Opening,
    Revealing,
    Sparing,
    card_here,
    laid,
    side_of,
    told,
)
from rules.systems.masterbook.deck.rolls import quick
from rules.systems.masterbook.deck.table import mode, with_cards
from rules.systems.masterbook.deck.tasks import announced
from rules.systems.masterbook.dice import Throw
from rules.systems.masterbook.doing import WAITED, does
from rules.systems.masterbook.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.talk import SETBACK
from rules.systems.masterbook.telling import roll_of
from rules.systems.masterbook.turns import INITIATIVE, Counted, ranked
from rules.systems.masterbook.values import ROUND as SECONDS
from rules.table.actions import Action
from rules.table.blocks import ALL, GMS_ONLY, Block, Note, Ref, Text, Verdict
from rules.table.checks.procedure import Procedure, Stage, Step
from rules.table.commands import Command
from rules.table.events import Event, Line
from rules.table.forms import Form, Number, Pick, as_written
from rules.table.marks import marks_of, with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.reporting import reported
from rules.table.state import AnyCharacter, AnyEncounter, Mark, Slot, TableState
from rules.table.system import Game, Initiative, Passing, Told, Turns, is_npc
from rules.table.turns.order import encounter_in, here, rank, same_slot
from rules.table.turns.passing import ROUND as KIND
from rules.table.turns.passing import begin_turns, with_scores

#: The longest round of talk, in seconds.
_LONGEST: Final = 7 * 24 * 3600


@record
class Pace(Record):
    """What rounds of an order of action are, and how many seconds one takes (MB-TIME-01).

    They are so `since` a round; those before it are as they were.
    """

    kind: Counted = "combat"
    seconds: int = SECONDS
    since: int = 0
    before: tuple[Counted, int] = ("combat", SECONDS)

    def at(self, round: int) -> Pace:
        """What the round of that number is."""
        return self if round >= self.since else Pace(*self.before)


_COMBAT: Final = Pace()
#: What Fast Reactions add where dice say who acts first.
_FAST: Final = 3


def pace_of(game: Game, place: str, round: int | None = None) -> Pace | None:
    """The rounds that are counted in a place, now or in that round; None where none are."""
    found = encounter_in(game.state, place)
    if found is None or not found.round:
        return None
    pace: Pace = found.data or _COMBAT
    return pace.at(found.round if round is None else round)


# --- initiative ----------------------------------------------------------------------------------------------


def _throw(game: Game, who: str, rounds: Counted, rng: Rng) -> Throw:
    """10s roll again, and no points are spent (MB-INI-01); Fast Reactions are worth as much as a card (MB-CARD-L02)."""
    sheet: MasterbookSheet = game.sheet(who)
    more = (("fast", _FAST),) if quick(sheet) else ()
    return Throw(who, "initiative", attribute(sheet, INITIATIVE[rounds]), more, dice.throw(rng, True))


def initiative(game: Game, character: AnyCharacter, rng: Rng, house: bool) -> Initiative:
    """Of somebody who joins while a round is under way."""
    paces: list[Pace] = [
        each.data.at(each.round)
        for each in game.state.encounters.values()
        if each.round and each.data is not None
    ]
    kind = paces[0].kind if len(paces) == 1 else _COMBAT.kind
    place = next((key for key, each in game.state.encounters.items() if each.round), "")
    if card_here(game, place) is not None:
        score = attribute(character.sheet, INITIATIVE[kind])
        return Initiative((score,), (), Line("mb-initiative", {"score": score}))
    found = _throw(game, character.id, kind, rng)
    return Initiative((found.total,), found.roll.fallen, Line("mb-initiative", {"score": found.total}))


def _lost(game: Game, slot: Slot) -> str:
    """Why somebody loses their turn: `out`, or a `setback`; empty where they do not (MB-INI-01, MB-INT-11)."""
    if slot.character is None:
        return ""
    sheet: MasterbookSheet = game.sheet(slot.character)
    if sheet.harm.out:
        return "out"
    return SETBACK if marks_of(game.state, slot.character, SETBACK) else ""


def _over(game: Game, slots: Sequence[Slot]) -> Game:
    """The game once these have lost their turn: a setback is over with it."""
    state = game.state
    for each in slots:
        state = without_marks(state, each.character or "", SETBACK)
    return game.with_(state)


class Ordering(Stage[Opening]):
    """Initiative is thrown, or told by the card; the turns begin, and who can do nothing loses theirs (MB-INI-01)."""

    name = "initiative"

    def enter(self, game: Game, check: AnyOpening, /) -> Step[Opening] | None:
        data = check.data
        if data.throws or data.order:
            return None
        # Who had a further turn in the last round has one again.
        encounter = here(game.state, check.place)
        fresh = {
            each.character or each.name: each.but(name="") if each.character else each
            for each in encounter.order
        }
        game = game.with_(game.state.with_encounter(encounter.but(order=tuple(fresh.values()))))
        people = [each.character for each in fresh.values() if each.character is not None]
        if data.reading is None:
            throws = [
                _throw(game, who, data.kind, game.rng.secret if is_npc(game, who) else game.rng.public)
                for who in people
            ]
            data = data.but(throws=tuple(throws))
            scores = {each.who: each.total for each in throws}
        else:
            scores = {who: attribute(game.sheet(who), INITIATIVE[data.kind]) for who in people}
        state = with_scores(game.state, check.place, {who: (score,) for who, score in scores.items()})
        encounter = sided(game, here(state, check.place), data.reading)
        groups = (
            [
                [each.character for each in encounter.order if each.character and side_of(game, each) == side]
                for side in data.reading.sides
            ]
            if data.reading is not None
            else ()
        )
        lost = [slot for slot in encounter.order if _lost(game, slot)]
        data = data.but(
            lost=tuple([(each.character or "", _lost(game, each)) for each in lost]),
            order=ranked(scores, groups),
            task=announced(game, check.place),
        )
        rest = [slot for slot in encounter.order if slot not in lost]
        # They stand before all others, as if they had acted.
        held = encounter.but(order=(*[each.but(delayed=True) for each in lost], *rest))
        game = _over(game.with_(state.with_encounter(held)), lost)
        state, events = begin_turns(game, check.place)
        now = here(state, check.place)
        if lost and rest:
            state = state.with_encounter(now.but(order=(*lost, *now.order[len(lost) :])))
        return Step(state, data, events=events)


def sided(game: Game, encounter: AnyEncounter, reading: Reading | None) -> AnyEncounter:
    """The same with all of one side before the other, as the card says; each in its order (MB-CARD-I02)."""
    if reading is None:
        return encounter
    order = sorted(encounter.order, key=lambda slot: reading.sides.index(side_of(game, slot)))
    return encounter.but(order=tuple(order))


def block(game: Game, encounter: AnyEncounter, slot: Slot) -> int:
    """With which side somebody acts in a round that goes by its card: the first or the second (MB-CARD-I02)."""
    reading = card_here(game, encounter.place) if encounter.round else None
    return 0 if reading is None else reading.sides.index(side_of(game, slot))


def describe(game: Game, check: AnyOpening) -> tuple[Block, ...]:
    """What a round begins with: the card or the dice, who acts at once, who loses the turn."""
    data = check.data
    if not data.throws and not data.order:
        asks = next((each.prompt.key for each in check.asked), None)
        about = {"round": data.number or check.round, "card": bool(data.card), "cards": not data.number}
        about |= {"asks": asks, "usual": game.setting("setback_default")}
        opens = Note(Text("mb-round-opens", about), ALL)
        return (opens, *told(game, check))
    found: list[Block] = [
        Verdict(Text("mb-round-begins", {"round": data.number, "kind": data.kind}), "neutral", ALL)
    ]
    found += told(game, check)
    found += [roll_of(each).but(seen=GMS_ONLY if is_npc(game, each.who) else ALL) for each in data.throws]
    for together in data.order:
        if len(together) > 1:
            seen = GMS_ONLY if any(is_npc(game, each) for each in together) else ALL
            found.append(Note(Text("mb-at-once", {"who": tuple([Ref(each) for each in together])}), seen))
    found += [Note(data.task, ALL)] if data.task is not None else []
    for who, why in data.lost:
        seen = GMS_ONLY if is_npc(game, who) else ALL
        found.append(Note(Text("mb-turn-lost", {"name": Ref(who), "why": why}), seen))
    return tuple(found)


ROUND: Final = Procedure(
    KIND,
    (Judging(), Keeping(), Flipping(), Revealing(), Sparing(), Befalling(), Ordering()),
    data=Opening,
    by_itself=True,
    describe=describe,
    fallen=lambda data: bool(data.throws or data.card),
)


# --- a turn is over ------------------------------------------------------------------------------------------


def ticks(game: Game, passing: Passing) -> Told:
    """After a turn: who can do nothing loses theirs; after the last one those who waited act (MB-ACT-02)."""
    if passing.tick != "turn":
        return Told(game)
    encounter = here(game.state, passing.place)
    now = encounter.order[encounter.turn]
    others = [slot for slot in encounter.order if slot is not now]
    before = [slot for slot in encounter.order[: encounter.turn] if not slot.delayed]
    waiting = [slot for slot in others if slot.delayed]
    left = [slot for slot in encounter.order[encounter.turn + 1 :] if not slot.delayed]
    # Those of one score act at the same time: what one of them does counts only when all have acted.
    lost = [slot for slot in (*left, *waiting) if slot.score != now.score and _lost(game, slot)]
    said = [
        (who, Line("mb-turn-lost", {"name": Ref(who), "why": _lost(game, slot)}))
        for slot in lost
        if (who := slot.character) is not None
    ]
    game = _over(game, lost)
    left = [slot for slot in left if slot not in lost]
    waiting = [slot for slot in waiting if slot not in lost]
    state = game.state
    for slot in waiting:
        state = with_marks(state, slot.character or "", Mark(WAITED, until="round"))
    if not left:
        left = [slot.but(delayed=False) for slot in sorted(waiting, key=lambda each: rank(state, each))]
        waiting = []
    acted = (*before, *[slot.but(delayed=False) for slot in lost], *waiting)
    after = encounter.but(order=(*acted, now, *left), turn=len(acted))
    game = rounding.turned(game.with_(state.with_encounter(after)), passing.place)
    return Told(game, tuple(said))


def then(game: Game, encounter: AnyEncounter) -> AnyEncounter:
    """The order as it is once whoever's turn it is has acted, with `turn` on the place before the next one's."""
    game = game.with_(game.state.with_encounter(encounter))
    after = here(ticks(game, Passing("turn", (), place=encounter.place)).game.state, encounter.place)
    there = same_slot(after.order[after.turn], encounter.order[encounter.turn])
    return after if there else after.but(turn=after.turn - 1)


def waits(state: TableState, encounter: AnyEncounter) -> AnyEncounter:
    """Whoever's turn it is wants to wait; once all others have acted or wait, those who waited act (MB-ACT-02).

    Impossible("mb-nobody-left") where nobody is left.
    """
    order, turn = encounter.order, encounter.turn
    now, before = order[turn], [slot for slot in order[:turn] if not slot.delayed]
    if any(not slot.delayed for slot in order[turn + 1 :]):
        return encounter
    waiting = sorted(
        [slot for slot in order if slot.delayed and slot is not now], key=lambda each: rank(state, each)
    )
    if not waiting:
        raise Impossible("mb-nobody-left")
    acting = [slot.but(delayed=False) for slot in waiting]
    return encounter.but(order=(*before, now, *acting), turn=len(before))


# --- rounds of talk ------------------------------------------------------------------------------------------


TURNS: Final = Turns(initiative, data=Pace, waits=waits, block=block, then=then)


@record(kw_only=True)
class SetPace(Action):
    """A GM says what the rounds of this place are from the next one on, and how many seconds one takes."""

    rounds: Counted
    seconds: int = SECONDS
    scene: str = ""


def set_pace(game: Game, action: SetPace) -> Outcome:
    """Rounds of combat or of talk (MB-TIME-01).

    The scene says which line of the cards counts (MB-CARD-I04). NotPermitted for others than GMs;
    Impossible("no-encounter", "mb-no-interaction-rounds", "mb-card-off").
    """
    require_gm(game.state, action.who)
    if action.rounds == "interaction" and not game.setting("interaction_rounds"):
        raise Impossible("mb-no-interaction-rounds")
    encounter, told = here(game.state, action.place), tuple[Event, ...]()
    if action.scene:
        if not mode(game).lines:
            raise Impossible("mb-card-off")
        cards, moves = laid(game)
        game = with_cards(game, cards.but(deal=cards.deal.but(dramatic=action.scene == "dramatic")))
        told = shuffles(game, moves)
    now: Pace = (encounter.data or _COMBAT).at(encounter.round)
    seconds = action.seconds if action.rounds == "interaction" else SECONDS
    pace = Pace(action.rounds, seconds, encounter.round + 1, (now.kind, now.seconds))
    minutes, rest = divmod(pace.seconds, 60)
    said = Text(
        "mb-pace", {"kind": pace.kind, "minutes": minutes, "seconds": rest, "scene": action.scene or None}
    )
    game = game.with_(game.state.with_encounter(encounter.but(data=pace)))
    outcome = reported(game, Line("mb-pace-title"), Note(said, ALL))
    return Outcome(outcome.state, (*told, *outcome.events))


COMMANDS: Final = (
    Command(
        "rounds",
        does(SetPace),
        Form(
            (
                Pick("rounds", among=as_written(("combat", "interaction")), needed=True),
                Number("seconds", low=SECONDS, high=_LONGEST, offered=(10, 60, 600, 3600)),
                Pick("scene", among=as_written(("standard", "dramatic"))),
            )
        ),
    ),
)
ACTIONS: Final = {SetPace: set_pace}
