"""Blocks that checks, attacks and effects share, and their audiences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from rules.systems.ego.character.pools import Terms, dice_in
from rules.systems.ego.checks.roll_stages import DOWN, HURT
from rules.systems.ego.formulas import damage, pool_odds
from rules.systems.ego.formulas.action_points import Forecast
from rules.systems.ego.formulas.dice import UNLUCKY, Pool, Throw, pool_size
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Ref,
    Roll,
    Text,
    Verdict,
    graded_blocks,
)
from rules.table.check import Check
from rules.table.checks import shared_blocks
from rules.table.permissions import public_name
from rules.table.state import Reveal
from rules.table.system import Game, is_npc

T = TypeVar("T")
B = TypeVar("B", bound=Block)

#: Adjustments that tell a character's condition.
_OWN: Final = ("impairment", "untrained")
#: Roll of the actor in a check.
MINE: Final = "check"


def term_lines(terms: Iterable[tuple[str, int]]) -> tuple[Text, ...]:
    """Return the lines of the parts of a pool."""
    return tuple(Text("ego-term", {"name": name, "dice": number}) for name, number in terms)


def pool_line(terms: Terms, needed: int = 0) -> Text:
    """Return the terms of a pool and its number of dice.

    With *needed*, the line has the chance of the bare dice. Re-rolls and luck don't count, as they
    are on the sheet, which not everyone may read.
    """
    number = pool_size(dice_in(terms))
    shown: dict[str, Any] = {"terms": term_lines(terms), "dice": number}
    if needed:
        chance = pool_odds.at_least(pool_odds.successes(number), needed)
        shown["chance"] = Text("percent", {"share": str(chance)})
    return Text("ego-pool", shown)


def cost_line(cost: Forecast, seconds: int = 0, *, draws: bool = False) -> Text:
    """Return the line of a cost, and of the dice that it takes from the roll (EGO-AP-02)."""
    shown = {"need": cost.cost, "left": cost.left, "over": cost.penalty, "seconds": seconds or None}
    return Text("ego-cost", {**shown, "payable": cost.payable, "draws": draws})


def shift_lines(shifts: Iterable[tuple[str, int]]) -> tuple[Text, ...]:
    """Return the lines of what makes a roll harder or easier."""
    return tuple([Text("ego-shift", {"why": why, "number": number}) for why, number in shifts])


def adjusted(game: Game, who: str, moved: Terms, said: tuple[Text, ...] = ()) -> list[Block]:
    """Return a roll's adjustments and remarks. Only GMs read an NPC's own condition."""
    if not moved and not said:
        return []
    full = Fact(Text("check-adjustments"), (*said, *shift_lines(moved)), FOR_EVERYONE)
    known = [(why, number) for why, number in moved if why not in _OWN]
    if len(known) == len(moved) or not is_npc(game, who):
        return [full]
    plain = full.replace(value=(*said, *shift_lines(known))) if said or known else None
    return blocks_by_audience(game, who, full, plain)


def with_hidden_difficulty(game: Game, check: Check[T]) -> Check[T]:
    """Return an NPC's check with a hidden difficulty, whatever the table reveals.

    Impairment moves the difficulty, and players know an NPC's injuries in words only (EGO-IMP-01).
    An unhurt NPC's difficulty is hidden too, or a hidden one would mean a hurt NPC.
    """
    if not is_npc(game, check.actor):
        return check
    return check.replace(hidden=True, reveal="verdict")


def outcome(good: bool) -> Text:
    """Return the word for success or failure."""
    return Text("ego-outcome", {"how": "success" if good else "failure"})


def success_verdict(game: Game, check: Check[Any], *, good: bool) -> Verdict:
    """Return the verdict of a roll against a number, not against another character."""
    seen_as = shared_blocks.result_tone(game, check, good=good, rivals=False)
    return Verdict(outcome(good), seen_as, FOR_EVERYONE, worked=good)


def is_unknown(game: Game, who: str | None) -> bool:
    """Return whether players know nothing of a character, nor read what happens to it."""
    character = game.state.characters.get(who or "")
    return character is None or not public_name(character)


def for_audiences(full: B | None, plain: B | None) -> tuple[B, ...]:
    """Return one block for everybody, or one for the GMs and one for players if they differ."""
    if full == plain:
        return () if full is None else (full,)
    blocks: list[B] = []
    if full is not None:
        blocks.append(full.replace(visible_to=GMS_ONLY))
    if plain is not None:
        blocks.append(plain.replace(hidden_from=GMS_ONLY))
    return tuple(blocks)


def blocks_by_audience(game: Game, who: str, full: Any, plain: Any = None) -> list[Any]:
    """Return a block for everyone; for an NPC, *full* for GMs and *plain*, if any, for players."""
    if not is_npc(game, who):
        return [full]
    blocks = [full.replace(visible_to=GMS_ONLY)]
    if plain is not None:
        blocks.append(plain.replace(hidden_from=GMS_ONLY))
    return blocks


def graded_for_reveal(
    check: Check[Any], tell: Callable[[Reveal], tuple[Block, ...]]
) -> tuple[Block, ...]:
    """Return the result of dice against a number that may be hidden."""
    return shared_blocks.dice_result_blocks(check, graded_blocks(check, tell))


def numbers_of(total: int, number: int, reveal: Reveal) -> Text:
    """Return the successes and the number needed.

    A hidden number is left out, so that it is not even sent.
    """
    return Text("ego-numbers", {"total": total, "number": number if reveal == "all" else None})


def dice_blocks(
    game: Game, throw: Throw, full: Text | None = None, plain: Text | None = None
) -> list[Block]:
    """Return the block of an open pool; only GMs read how many dice an NPC has.

    Players read the result of an NPC. *full* and *plain* are the words for it; the default is the
    successes.
    """
    roll = roll_block(throw) if full is None else roll_block(throw).replace(result=full)
    if not is_npc(game, throw.who):
        return [roll]
    what = Text("roll-of", {"who": roll.who, "what": roll.what})
    for_players = None
    if not is_unknown(game, throw.who):
        for_players = Fact(what, plain or successes(throw.pool), FOR_EVERYONE)
    return blocks_by_audience(game, throw.who, roll, for_players)


def shifted(
    game: Game, shifts: Iterable[shared_blocks.NumberChange], throws: Iterable[Throw]
) -> list[Block]:
    """Return the blocks of changed numbers, and of Karma that was spent on dice."""
    changes = list(shifts)
    for throw in throws:
        if throw.karma:
            before, after = throw.karma
            changes.append(shared_blocks.NumberChange(throw.who, "karma", before, after))
    return shared_blocks.number_change_blocks(
        game, changes, lambda what, of: Text("ego-number", {"what": what, "name": of})
    )


def successes(pool: Pool, **more: Any) -> Text:
    """Return the line of the successes of a pool, and of those that luck adds."""
    return Text("ego-successes", {"count": pool.successes, "plus": pool.plus or None, **more})


def roll_block(throw: Throw) -> Roll:
    """Return the block of a pool, with its successes marked."""
    what = None if throw.what == MINE else Text("ego-thrown", {"what": throw.what})
    pool = throw.pool
    again = tuple([source for source in pool.used if source != UNLUCKY])
    result = successes(pool, flips=len(pool.flipped) or None, again=again)
    return Roll(
        Ref(throw.who),
        what,
        pool.dice,
        result,
        FOR_EVERYONE,
        marks=pool.marks,
        replaced=tuple(zip(pool.changed, pool.replaced, strict=True)),
    )


def health_line(health: str) -> Text:
    """Return the words for a character's health, as messages and the board have them."""
    if health in (damage.DEAD, damage.KNOCKED_OUT, damage.PASSED_OUT):
        return Text("ego-is-down", {"how": health})
    return Text(health)


def is_down(said: Text) -> bool:
    return said.code == DOWN and bool(said.params["how"])


#: Codes of events with numbers that only GMs read of an NPC.
_NUMBERS: Final = ("ego-hit-impaired", HURT, "ego-lasts")


def event_notes(game: Game, consequences: Iterable[Text], *, ends: bool = True) -> list[Note]:
    """Return what happened to everybody.

    Who is dead or unconscious need not be called hurt. Without *ends*, the headline says who is.
    """
    consequences = tuple(consequences)
    notes: list[Note] = []
    down = [event.params["who"] for event in consequences if is_down(event)]
    for event in consequences:
        if not ends and is_down(event):
            continue
        full, *plain = _event_notes(game, event)
        notes.append(full)
        if event.code != HURT or event.params["who"] not in down:
            notes += plain
    return notes


def _event_notes(game: Game, said: Text) -> tuple[Note, ...]:
    """Return the notes of an event.

    Only GMs read how much damage an NPC takes, and its condition after it.
    """
    who = said.params.get("who")
    if not isinstance(who, Ref) or not is_npc(game, who.id):
        return (Note(said, FOR_EVERYONE),)
    unknown = is_unknown(game, who.id)
    if not unknown and said.code not in _NUMBERS:
        return (Note(said, FOR_EVERYONE),)
    if unknown or said.code != HURT:
        return (Note(said, GMS_ONLY),)
    unhurt, health = said.params["unhurt"], said.params.get("health")
    word = health_line(str(health)) if health else None
    plain = Text("ego-hurt", {"who": who, "unhurt": unhurt, "health": word})
    return Note(said, GMS_ONLY), Note(plain, FOR_EVERYONE, GMS_ONLY)
