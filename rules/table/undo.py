"""Undo of journal entries: what may be undone, and what has to be undone first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Final, cast

from rules.core.cards.piles import DRAW_PILE
from rules.core.errors import Impossible, NotFound, NotPermitted
from rules.core.record import Record, astuple
from rules.table.actions import Actor, Undo
from rules.table.blocks import Text
from rules.table.cards import decks_of
from rules.table.check import Check
from rules.table.checks.access import can_go_on, cast_of
from rules.table.checks.audience_views import reopened_events
from rules.table.checks.engine import reopen_check
from rules.table.events import (
    EVERYONE,
    Audience,
    BoardChanged,
    CardsMoved,
    CheckChanged,
    Event,
    Notice,
    RollSaved,
    StepView,
    Undone,
)
from rules.table.initiative import next_turn_start, require_encounter, same_slot, slot_on_turn
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm
from rules.table.state import (
    KEPT_BY_UNDO,
    SYSTEM,
    AnyEncounter,
    Encounter,
    Part,
    TableState,
    from_parts,
)
from rules.table.system import Game
from rules.table.turns.turn_calls import call_events


class Entry(Record):
    """One line of the journal: its number, who did it, which parts it changed, and what it gave
    away.
    """

    seq: int
    actor: str
    kind: str
    parts: frozenset[str]
    drew: bool
    revealed: bool
    undone: bool


#: The opening of the table and undoing itself are not taken back.
_FINAL = frozenset({"CreateTable", "Undo"})


def is_undoable(entry: Entry) -> bool:
    """Return whether undoing an entry would change anything and makes sense."""
    return not entry.undone and entry.kind not in _FINAL and bool(entry.parts - KEPT_BY_UNDO)


def dependents(
    entries: Sequence[Entry], seq: int, stranded: frozenset[str] = frozenset()
) -> tuple[int, ...]:
    """Return the later entries that changed what entry `seq` or its dependents changed, newest
    first.

    `stranded` names parts that cannot exist without it. An entry that changed them depends on it as
    well.
    """
    touched = set(stranded)
    found: list[int] = []
    for entry in sorted(entries, key=lambda entry: entry.seq):
        if entry.seq < seq or not is_undoable(entry):
            continue
        parts = entry.parts - KEPT_BY_UNDO
        if entry.seq == seq or parts & touched:
            touched |= parts
            if entry.seq != seq:
                found.append(entry.seq)
    return tuple(reversed(found))


def latest_undoable(entries: Sequence[Entry], actor: str | None = None) -> Entry | None:
    """Return the last undoable entry, of all participants or of one; the clock's entries do not
    count.
    """
    theirs = (entry for entry in entries if entry.actor != SYSTEM and actor in (None, entry.actor))
    return max(filter(is_undoable, theirs), key=lambda entry: entry.seq, default=None)


def check_undo(
    state: TableState,
    who: Actor,
    entries: Sequence[Entry],
    seq: int | None,
    *,
    all_dependents: bool,
    stranded: frozenset[str] = frozenset(),
) -> tuple[int, ...]:
    """Return the entries to undo, newest first.

    `entries` must hold the entry meant and all later ones. A GM may undo an entry whose parts no
    later entry touched, or together with its dependents (`all_dependents`). A player may undo their
    own last action if it drew and revealed nothing.

    Raises NotFound("nothing-to-undo"), NotPermitted("not-yours-to-undo"),
    Impossible("undo-others-first").
    """
    gm = is_gm(state, who)
    if not gm and not state.settings.player_undo:
        raise NotPermitted("gm-only")
    last = latest_undoable(entries, None if gm else who.id)
    entry = last if seq is None else next((entry for entry in entries if entry.seq == seq), None)
    if entry is None or not is_undoable(entry):
        undone = entry is not None and entry.undone
        raise NotFound(
            "nothing-to-undo",
            field="entry",
            value=seq,
            nearest=(),
            gone=entry is None,
            undone=undone,
        )
    if not gm and (entry is not last or entry.actor != who.id):
        raise NotPermitted("not-yours-to-undo", entry=entry.seq)
    if not gm and (entry.drew or entry.revealed):
        raise NotPermitted("undo-drew-dice" if entry.drew else "undo-revealed", entry=entry.seq)
    others = dependents(entries, entry.seq, stranded)
    if others and not (gm and all_dependents):
        numbers = tuple(f"#{number}" for number in reversed(others))
        raise Impossible("undo-others-first", entry=entry.seq, others=numbers)
    return (*others, entry.seq)


def _restored_parts(
    game: Game, earlier: Sequence[Mapping[str, Part | None]]
) -> tuple[dict[str, Part], set[str]]:
    """Return all parts as they will be, and the keys of those that change."""
    state = game.state
    parts = dict(state.parts())
    touched: set[str] = set()
    for before in earlier:
        for key, part in before.items():
            if key in KEPT_BY_UNDO:
                continue
            touched.add(key)
            if part is None:
                parts.pop(key, None)
            else:
                parts[key] = part
    for key, part in tuple(parts.items()):
        # A check that is over goes with the characters it names, and does not come back without
        # them.
        if not isinstance(part, Check) or (part.id in state.checks and part.is_open):
            continue
        if not all(f"character:{who}" in parts for who in cast_of(game, part)):
            del parts[key]
    return parts, touched


def stranded_parts(game: Game, earlier: Sequence[Mapping[str, Part | None]]) -> frozenset[str]:
    """Return the parts that cannot exist in the restored state.

    These are checks that lack a character or a trait they name, and cards whose deck is missing.
    """
    state = game.state
    restored = from_parts(_restored_parts(game, earlier)[0])
    game = game.with_state(restored)
    known = {key: {card.id for card in deck.cards} for key, deck in decks_of(game).items()}
    found = {
        f"deck:{key}"
        for key, piles in restored.decks.items()
        if not known.get(key, set()).issuperset(piles.cards)
    }
    # A part that names a character missing there was made later: no id is ever used twice.
    gone = state.characters.keys() - restored.characters.keys()
    found |= {
        key
        for key, part in restored.parts()
        if not isinstance(part, Check) and (key.partition(":")[2] in gone or _names(part, gone))
    }
    # An order of action that comes back waits for whoever was taken out since.
    slots = [
        slot.character
        for encounter in restored.encounters.values()
        for slot in encounter.order
        if slot.character
    ]
    found |= {f"character:{who}" for who in slots if who not in restored.characters}
    found |= {
        f"check:{key}" for key, check in restored.checks.items() if not can_go_on(game, check)
    }
    found |= game.system.campaign.stranded(game).keys()
    return frozenset(found)


def _names(part: Any, who: Set[str]) -> bool:
    """Return whether any of these ids stands anywhere in a part."""
    if isinstance(part, str):
        return part in who
    inner: Iterable[Any] = ()
    if isinstance(part, Record):
        inner = astuple(part)
    elif isinstance(part, Mapping):
        inner = cast("Mapping[Any, Any]", part).items()
    elif isinstance(part, Iterable):
        inner = cast("Iterable[Any]", part)
    return any(_names(value, who) for value in inner)


def _draw_pile(state: TableState, key: str) -> tuple[str, ...] | None:
    """Return the cards of a deck part's draw pile in order; None where the deck has no piles."""
    piles = state.decks.get(key.removeprefix("deck:"))
    return None if piles is None else piles.cards_at(DRAW_PILE)


def restore(
    game: Game,
    action: Undo,
    earlier: Sequence[Mapping[str, Part | None]],
    audience: Audience = EVERYONE,
    private: Mapping[str, Sequence[int]] | None = None,
    times: Sequence[int] = (),
    *,
    rolled: bool = False,
) -> Outcome:
    """Take `action.entries` back; in some of them dice were `rolled`.

    `earlier` holds, for each of them in the same order (newest first), what the parts it changed
    were before it; None for parts it made. A check that comes back gets new numbers, so that no
    button of what was undone fits it, and the time that it had left when the first thing was done
    that is undone: at the last of `times`, which are when the entries were made. `audience` is who
    was told of what is taken back, `private` who did which of the entries of which not everybody
    was told: they hear of it, too, unless what comes back tells them.

    Impossible("order-open") where cards would lie again in an order that everybody can compute.
    """
    state = game.state
    parts, touched = _restored_parts(game, earlier)
    back: list[str] = []
    called: list[str] = []
    for key in sorted(touched):
        part = parts.get(key)
        if isinstance(part, Check):
            was_at = [when for before, when in zip(earlier, times, strict=False) if key in before]
            parts[key] = reopen_check(
                part, state.checks.get(part.id), action.at, min(was_at, default=action.at)
            )
            now_there = state.checks.get(part.id)
            # Of a result that a step-in has changed the message shows the earlier one again.
            changed = now_there is not None and now_there.step_ins != part.step_ins
            if part.is_open or part.asked or changed:
                back.append(part.id)
        elif isinstance(part, Encounter):
            now = state.encounters.get(part.place)
            if now is None or not _same_turn(part, now):
                called.append(part.place)
            parts[key] = part.replace(since=_since(part, now, action.at))
    restored = from_parts(parts)
    game = game.with_state(restored)
    known = decks_of(game)
    for key, piles in restored.decks.items():
        now = state.decks.get(key)
        if now is not None and any(order.number <= now.opened for order in piles.sealed):
            raise Impossible("order-open", name=known[key].name if key in known else key)
    deck_keys = {f"deck:{deck}" for deck in (*state.decks, *restored.decks)}
    undone = Undone(
        audience=audience,
        quiet=not audience.everyone,
        entries=action.entries,
        by=action.who.id,
        by_gm=is_gm(state, action.who),
        kinds=action.kinds,
        deeds=action.deeds,
        rolled=rolled,
        cards=any(
            _draw_pile(state, key) != _draw_pile(restored, key) for key in touched & deck_keys
        ),
    )
    events: list[Event] = [undone]
    game = game.replace(at=action.at, actor=action.who)
    for name in back:
        events += reopened_events(state, game, restored.checks[name])
    for place in called:
        events += call_events(game, require_encounter(restored, place))
    heard = {person for event in events[1:] for person in event.audience.people}
    for person, entries in (private or {}).items():
        if person not in heard and not is_gm(restored, Actor(person)):
            done = zip(action.entries, action.kinds, strict=False)
            kinds = tuple(kind for number, kind in done if number in entries)
            mine = {"audience": Audience(people=(person,)), "ping": (person,), "quiet": False}
            mine |= {"cards": False, "deeds": ()}
            events.append(undone.replace(**mine, entries=tuple(entries), kinds=kinds))
    return Outcome(restored, tuple(events))


#: What being away is called, and its end.
AWAY_TEXTS: Final[Mapping[str, Text]] = {
    "arranged-away": Text("went-away"),
    "arranged-back": Text("came-back"),
}
#: Texts for the actions behind notices that could stem from one of two.
_NOTICE_DEEDS: Final[Mapping[str, Text]] = {
    **AWAY_TEXTS,
    "character-retired": Text("did-retire", {"back": False}),
    "character-returned": Text("did-retire", {"back": True}),
    "character-approved": Text("did-approve", {"how": "in"}),
    "character-sent-back": Text("did-approve", {"how": "back"}),
    "line-allowed": Text("did-approve", {"how": "line"}),
    "line-refused": Text("did-approve", {"how": "line"}),
    "session-begins": Text("did-session", {"ends": False}),
    "session-ends": Text("did-session", {"ends": True}),
}


#: Rulings on new characters that only the GMs and the player hear of.
_PRIVATE_RULINGS: Final = ("character-sent-back", "line-allowed", "line-refused")


def deed_view(events: Sequence[Event], *, gm: bool = False) -> StepView | None:
    """Return what was done in a check, and for whom, as everybody may know it, or a GM.

    Of another action, return which of several things it did; None if its kind says all.
    """
    for event in events:
        known = event.audience.everyone or (gm and event.audience.gms)
        if isinstance(event, CheckChanged) and known:
            return StepView(event.step, event.who or event.actor, event.said, kind=event.kind)
        said = _deed_text(event, known=known)
        if said is not None:
            return StepView("chosen", said=said)
    return None


def _deed_text(event: Event, *, known: bool) -> Text | None:
    """Return which of several things an action did; names only if they are `known`."""
    if isinstance(event, Notice):
        if event.what in _PRIVATE_RULINGS and not known:
            return None
        return _NOTICE_DEEDS.get(event.what)
    if isinstance(event, RollSaved):
        return Text("did-save-roll", {"deleted": not event.dice})
    if isinstance(event, CardsMoved) and event.step in ("shown", "played", "discarded"):
        return Text("did-play-card", {"verb": event.step})
    if isinstance(event, BoardChanged) and event.step in ("delayed", "returned"):
        return Text("did-delay-turn", {"back": event.step == "returned"})
    if isinstance(event, BoardChanged) and event.step == "removed" and known:
        return Text("did-remove-from-encounter", {"who": event.name})
    if isinstance(event, Undone):
        return Text("did-undo", {"what": tuple(f"#{entry}" for entry in sorted(event.entries))})
    return None


def _same_turn(part: AnyEncounter, now: AnyEncounter) -> bool:
    """Whether it was somebody's turn who is still called to it."""
    was, acts = slot_on_turn(part), slot_on_turn(now)
    return was is not None and acts is not None and part.round == now.round and same_slot(was, acts)


def _since(part: AnyEncounter, now: AnyEncounter | None, at: int) -> int:
    """Return when the restored turn began: now, unless it never ended."""
    if now is None:
        return at
    return now.since if _same_turn(part, now) else next_turn_start(now, at)


def told_audience(events: Sequence[Event], by: str) -> Audience:
    """Everybody who was told of these events, and whoever takes them back: who is told of that."""
    if any(event.audience.everyone for event in events):
        return EVERYONE
    people = {person for event in events for person in event.audience.people} | {by}
    return Audience(gms=any(event.audience.gms for event in events), people=tuple(sorted(people)))
