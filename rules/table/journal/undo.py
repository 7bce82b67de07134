"""Undo of journal entries: the entries that may be undone, and those that depend on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Final, cast

from rules.core.cards.piles import DRAW_PILE
from rules.core.errors import Impossible, NotFound, NotPermitted
from rules.core.record import Record, astuple
from rules.table.actions import Actor, Amend, Undo
from rules.table.blocks import Text, first_verdict, is_same_result
from rules.table.chance.cards import decks_of
from rules.table.check import AnyCheck, Check
from rules.table.checks.access import can_go_on, cast_of
from rules.table.checks.audience_views import check_view
from rules.table.checks.check_actions import review_waits
from rules.table.checks.check_events import reopened_events
from rules.table.checks.engine import refresh_without_dice
from rules.table.checks.prompt_times import reopen_check
from rules.table.clock.pauses import times_shown_anew, with_pause_undone
from rules.table.events import (
    EVERYONE,
    Amended,
    Audience,
    BoardChanged,
    CardsMoved,
    ChangedResult,
    CheckChanged,
    Event,
    Notice,
    RollSaved,
    StepView,
    Undone,
)
from rules.table.gms.gm_acts import with_gm_act
from rules.table.initiative import (
    block_of,
    next_turn_start,
    require_encounter,
    same_slot,
    slot_on_turn,
)
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm
from rules.table.roll_calls.roll_call import roll_call_news
from rules.table.scenes.scene_actions import opens_thread
from rules.table.scenes.whisper_audiences import with_whispers
from rules.table.scenes.whisper_players import with_players_put_back
from rules.table.state import (
    KEPT_BY_UNDO,
    SYSTEM,
    AnyEncounter,
    Encounter,
    Part,
    Settings,
    TableState,
    from_parts,
)
from rules.table.system import Game
from rules.table.turns.turn_block import is_member
from rules.table.turns.turn_calls import call_events


class Entry(Record):
    """An entry of the journal, as far as an undo needs it."""

    #: Number of the entry.
    seq: int
    #: Participant who did it, or `system`.
    actor: str
    #: Class name of the action.
    kind: str
    #: Keys of the parts that it changed.
    parts: frozenset[str]
    #: Whether it drew dice or cards.
    drew: bool
    #: Whether it revealed anything to players.
    revealed: bool
    undone: bool


#: Kinds of actions that can't be undone.
_FINAL = frozenset({"CreateTable", "Undo", "Unsay"})


def is_undoable(entry: Entry) -> bool:
    """Return whether undoing an entry would change anything and makes sense.

    An amendment counts even if it changed no part, as of a check that has left the table: only
    after its undo can the same entry be amended again.
    """
    if entry.undone or entry.kind in _FINAL:
        return False
    return entry.kind == Amend.__name__ or bool(entry.parts - KEPT_BY_UNDO)


def dependents(
    entries: Sequence[Entry], seq: int, stranded: frozenset[str] = frozenset()
) -> tuple[int, ...]:
    """Return the later entries that depend on entry *seq*, newest first.

    An entry depends on it if it changed a part that entry *seq* or a dependent changed, or one of
    the *stranded* parts, which cannot exist without entry *seq*.
    """
    touched = set(stranded)
    later: list[int] = []
    for entry in sorted(entries, key=lambda entry: entry.seq):
        if entry.seq < seq or not is_undoable(entry):
            continue
        parts = entry.parts - KEPT_BY_UNDO
        if entry.seq == seq or parts & touched:
            touched |= parts
            if entry.seq != seq:
                later.append(entry.seq)
    return tuple(reversed(later))


def latest_undoable(entries: Sequence[Entry], actor: str | None = None) -> Entry | None:
    """Return the last undoable entry of all participants, or of *actor*; None if there is none.

    The clock's entries don't count.
    """
    latest: Entry | None = None
    for entry in entries:
        if entry.actor == SYSTEM or actor not in (None, entry.actor) or not is_undoable(entry):
            continue
        if latest is None or entry.seq > latest.seq:
            latest = entry
    return latest


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

    *entries* must hold entry *seq* and all later ones. A GM may undo an entry whose parts no later
    entry touched, or together with its dependents (*all_dependents*). A player may undo their
    own last action if it drew and revealed nothing.

    Raises NotFound("nothing-to-undo"), NotPermitted("gm-only", "not-yours-to-undo",
    "undo-drew-dice", "undo-revealed"), Impossible("undo-others-first").
    """
    gm = is_gm(state, who)
    if not gm and not state.settings.player_undo:
        raise NotPermitted("gm-only")
    last = latest_undoable(entries, None if gm else who.id)
    entry = last
    if seq is not None:
        entry = next((other for other in entries if other.seq == seq), None)
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
        # A check that is over is removed with the characters it names, and does not come back
        # without them.
        if not isinstance(part, Check) or (part.id in state.checks and part.is_open):
            continue
        if not all(f"character:{who}" in parts for who in cast_of(game, part)):
            del parts[key]
    return parts, touched


def stranded_parts(game: Game, earlier: Sequence[Mapping[str, Part | None]]) -> frozenset[str]:
    """Return the keys of parts that cannot exist in the restored state.

    These are parts that name a missing character, missing characters that a restored encounter
    names, checks that lack a trait they name, cards whose deck is missing, and parts of the
    system's own that could not go on.
    """
    restored = from_parts(_restored_parts(game, earlier)[0])
    # A part that names a missing character was made later: no id is ever used twice.
    missing = game.state.characters.keys() - restored.characters.keys()
    game = game.with_state(restored)
    stranded = _stranded_decks(game)
    for key, part in restored.parts():
        if isinstance(part, Check):
            continue
        if key.partition(":")[2] in missing or _names_any(part, missing):
            stranded.add(key)
    # An encounter that comes back waits for characters that were removed since.
    for encounter in restored.encounters.values():
        for slot in encounter.order:
            if slot.character and slot.character not in restored.characters:
                stranded.add(f"character:{slot.character}")
    for key, check in restored.checks.items():
        if not can_go_on(game, check):
            stranded.add(f"check:{key}")
    stranded |= game.system.campaign.stranded(game).keys()
    return frozenset(stranded)


def _stranded_decks(game: Game) -> set[str]:
    """Return the keys of piles with a card that no deck of the game has."""
    decks = decks_of(game)
    stranded: set[str] = set()
    for key, piles in game.state.decks.items():
        cards: set[str] = set()
        if key in decks:
            cards = {card.id for card in decks[key].cards}
        if not cards.issuperset(piles.cards):
            stranded.add(f"deck:{key}")
    return stranded


def _names_any(part: Any, ids: Set[str]) -> bool:
    """Return whether any of these ids stands anywhere in a part."""
    if isinstance(part, str):
        return part in ids
    inner: Iterable[Any] = ()
    if isinstance(part, Record):
        inner = astuple(part)
    elif isinstance(part, Mapping):
        inner = cast("Mapping[Any, Any]", part).items()
    elif isinstance(part, Iterable):
        inner = cast("Iterable[Any]", part)
    return any(_names_any(value, ids) for value in inner)


def _draw_pile(state: TableState, key: str) -> tuple[str, ...] | None:
    """Return the cards of a deck part's draw pile in order; None if the deck has no piles."""
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
    """Undo `action.entries`; *rolled* if dice were rolled in some of them.

    *earlier* holds, for each entry in the same order (newest first), the parts that it changed as
    they were before it; None for parts that it made. *times* are the times of the entries.

    *audience* was told of the undone entries. *private* are the entries that only some participants
    were told of, by the participant who made them. These participants are told of the undo too,
    unless a restored check or turn tells them.

    A restored check gets new numbers, so that no button from before fits it. Its deadlines have the
    time that was left when its first undone entry was made.

    Raises Impossible("order-open") if cards would lie again in an order that players can compute.
    """
    state = game.state
    parts, touched = _restored_parts(game, earlier)
    changed_at = {key: _first_change(key, earlier, times, action.at) for key in touched}
    back = put_parts_back(state, parts, changed_at, action.at)
    restored = back.state
    game = game.with_state(restored)
    require_sealed_orders(game, state)
    undone = Undone(
        audience=audience,
        quiet=not audience.is_open,
        entries=action.entries,
        by=action.who.id,
        by_gm=is_gm(state, action.who),
        kinds=action.kinds,
        deeds=action.deeds,
        rolled=rolled,
        cards=_is_draw_pile_changed(state, restored, touched),
    )
    game = game.replace(at=action.at, actor=action.who)
    shown = events_of_parts(state, game, back)
    undone = _with_results(
        game.replace(state=state), undone, Outcome(restored, tuple(shown)), action
    )
    informed: set[str] = set()
    for event in shown:
        informed.update(event.audience.people)
    events: list[Event] = [undone, *shown]
    for person, entries in (private or {}).items():
        if person not in informed and not is_gm(restored, Actor(person)):
            events.append(_private_undone(undone, person, entries))
    before = game.replace(state=state)
    outcome = _with_waits_reviewed(before, Outcome(restored, tuple(events)))
    outcome = with_players_put_back(before, outcome)
    return with_gm_act(before, outcome, action)


def _with_waits_reviewed(game: Game, outcome: Outcome) -> Outcome:
    """Return an outcome whose other open checks no longer wait for points that are gone.

    *game* is the table before the undo. A restored check keeps its prompts. A check that would
    roll dice stays as it is, as an undo rolls none.
    """
    after = outcome.state
    if after.decks == game.state.decks:
        # Cards that lie as before are no reason to ask anew.
        after = after.replace(decks=game.state.decks)
    reviewed = review_waits(game, outcome.replace(state=after), refresh_without_dice)
    news = reviewed.events[len(outcome.events) :]
    calls = roll_call_news(game.with_state(reviewed.state), news)
    return reviewed.replace(events=(*reviewed.events, *calls))


def _with_results(game: Game, undone: Undone, shown: Outcome, action: Undo) -> Undone:
    """Return the event of an undone correction with the results that its audience reads again.

    These are results whose verdict is another one. *game* is the table before the undo; *shown* is
    the table after it, with the events of its checks.
    """
    if not any(kind == Amend.__name__ for kind, _ in action.kinds):
        return undone
    results: dict[str, ChangedResult] = {}
    for event in with_whispers(game, shown, action).events:
        if not isinstance(event, CheckChanged) or event.audience != undone.audience:
            continue
        verdict = first_verdict(event.blocks)
        before = game.state.checks.get(event.check)
        if verdict is None or before is None:
            continue
        present = check_view(game, before, undone.audience)
        if not is_same_result(first_verdict(present.blocks), verdict):
            who = verdict.who or event.actor
            results[event.check] = ChangedResult(event.check, verdict, who)
    return undone.replace(results=tuple(results.values()))


class PartsBack(Record):
    """A table in which parts are as they were, and what has to be shown anew."""

    state: TableState
    checks: tuple[str, ...]
    #: Places with an order of action in which another turn has to be called.
    places: tuple[str, ...]


def put_parts_back(
    state: TableState, parts: dict[str, Part], changed_at: Mapping[str, int], at: int
) -> PartsBack:
    """Return the table with these parts in place of those of *state*.

    *changed_at* has the keys of the parts that change, each with the time at which it was as it
    will be. Times that run in these parts go on from there.
    """
    parts = dict(parts)
    settings = parts["settings"]
    assert isinstance(settings, Settings)
    # While the clock is paused, every time stands as it did when the pause began.
    stopped_at = _stopped_at(settings, at)
    shown_checks: list[str] = []
    called_places: list[str] = []
    for key in sorted(changed_at):
        part = parts.get(key)
        if isinstance(part, Check):
            before = state.checks.get(part.id)
            if _is_stopped_again(part, before, settings, state.settings):
                # Its times stand again where the pause had stopped them.
                continue
            undone_at = changed_at[key]
            undone_at = min(undone_at, _stopped_at(state.settings, undone_at), stopped_at)
            parts[key] = reopen_check(part, before, stopped_at, undone_at, settings.rest)
            if part.is_open or part.asked or _has_other_result(before, part):
                shown_checks.append(part.id)
        elif isinstance(part, Encounter):
            now = state.encounters.get(part.place)
            if now is None or not _is_same_turn(state, part, now):
                called_places.append(part.place)
            parts[key] = part.replace(since=_turn_start(state, part, now, at))
    reopened = frozenset(key.removeprefix("check:") for key in changed_at)
    restored = with_pause_undone(state, from_parts(parts), at, reopened)
    return PartsBack(restored, tuple(shown_checks), tuple(called_places))


def events_of_parts(before: TableState, game: Game, back: PartsBack) -> list[Event]:
    """Return the events that show what has come back; *before* is the table before."""
    shown: list[Event] = []
    for key in back.checks:
        check = back.state.checks[key]
        events = reopened_events(before, game, check)
        public = any(event.audience.everyone for event in events)
        if not public and _has_other_result(before.checks.get(key), check):
            # The public message stays: nothing that everybody reads in it is another.
            events = tuple(event.replace(secret=True) for event in events)
        shown += events
    if (before.settings.pause is None) != (back.state.settings.pause is None):
        shown += times_shown_anew(game, besides=back.checks)
    shown += roll_call_news(game, shown)
    for place in back.places:
        shown += call_events(game, require_encounter(back.state, place))
    return shown


def _has_other_result(before: AnyCheck | None, check: AnyCheck) -> bool:
    """Return whether a check that is over now was open, or had another result.

    Its message then has to show that again. A step-in or an amendment had changed the result, or
    had opened the check again.
    """
    if before is None or check.is_open:
        return False
    amended = before.is_open or before.data != check.data
    return amended or before.step_ins != check.step_ins


def _stopped_at(settings: Settings, at: int) -> int:
    """Return the time at which a paused clock stands; *at* if it runs."""
    return at if settings.pause is None else min(settings.pause.since, at)


def _is_stopped_again(
    check: AnyCheck, now: AnyCheck | None, settings: Settings, settings_now: Settings
) -> bool:
    """Return whether the undo of a pause's end changes nothing but the times of a check."""
    if now is None or settings.pause is None or settings_now.pause is not None:
        return False
    return (now.stage, now.revision) == (check.stage, check.revision)


def _first_change(
    key: str, earlier: Sequence[Mapping[str, Part | None]], times: Sequence[int], at: int
) -> int:
    """Return the time of the first undone entry that changed a part; *at* without known times."""
    changed_at = [time for before, time in zip(earlier, times, strict=False) if key in before]
    return min(changed_at, default=at)


def require_sealed_orders(game: Game, before: TableState) -> None:
    """Require that no restored pile lies in an order that players can compute.

    Raises Impossible("order-open").
    """
    decks = decks_of(game)
    for key, piles in game.state.decks.items():
        now = before.decks.get(key)
        if now is not None and any(order.number <= now.opened for order in piles.sealed):
            raise Impossible("order-open", name=decks[key].name if key in decks else key)


def _is_draw_pile_changed(state: TableState, restored: TableState, touched: Set[str]) -> bool:
    deck_keys = {f"deck:{deck}" for deck in (*state.decks, *restored.decks)}
    return any(_draw_pile(state, key) != _draw_pile(restored, key) for key in touched & deck_keys)


def _private_undone(undone: Undone, person: str, entries: Sequence[int]) -> Undone:
    """Return the event for a participant about undone entries of which not all were told."""
    numbered_kinds = zip(undone.entries, undone.kinds, strict=False)
    return undone.replace(
        audience=Audience(people=(person,)),
        ping=(person,),
        quiet=False,
        cards=False,
        deeds=(),
        results=(),
        entries=tuple(entries),
        kinds=tuple(kind for number, kind in numbered_kinds if number in entries),
    )


#: Texts for an absence and its end.
AWAY_TEXTS: Final[Mapping[str, Text]] = {
    "arranged-away": Text("went-away"),
    "arranged-back": Text("came-back"),
}
#: Texts for the actions behind notices, where an action can do one of several things.
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
#: Rulings on new characters that only the GMs and the player are told of.
_PRIVATE_RULINGS: Final = ("character-sent-back", "line-allowed", "line-refused")


def deed_view(events: Sequence[Event], *, gm: bool = False) -> StepView | None:
    """Return the step of a check in an entry's events, as all participants may know it, or a GM.

    For another action, return the one of several things that it did; None if its kind says all.
    """
    for event in events:
        known = event.audience.is_open or (gm and event.audience.gms)
        # A call for rolls is more than the first of its checks.
        called = isinstance(event, CheckChanged) and event.group and event.step == "begun"
        if isinstance(event, CheckChanged) and known and not called:
            return StepView(event.step, event.who or event.actor, event.said, kind=event.kind)
        text = _deed_text(event, known=known)
        if text is not None:
            return StepView("chosen", said=text)
    return None


def _deed_text(event: Event, *, known: bool) -> Text | None:
    """Return the one of several things that an action did; names only if they are *known*."""
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
    if isinstance(event, Amended):
        return Text("did-amend", {"what": tuple(f"#{entry.seq}" for entry in event.entries)})
    if isinstance(event, Undone):
        return Text("did-undo", {"what": tuple(f"#{entry}" for entry in sorted(event.entries))})
    return None


def _is_same_turn(state: TableState, part: AnyEncounter, now: AnyEncounter) -> bool:
    """Return whether the restored encounter has the slot or the block on turn that is so now."""
    restored, present = slot_on_turn(part), slot_on_turn(now)
    if restored is None or present is None or part.round != now.round:
        return False
    if same_slot(restored, present):
        return True
    return part.since == now.since and is_member(present, block_of(state, part))


def _turn_start(state: TableState, part: AnyEncounter, now: AnyEncounter | None, at: int) -> int:
    """Return the start of the restored turn: the present time, unless the turn never ended."""
    if now is None:
        return at
    return now.since if _is_same_turn(state, part, now) else next_turn_start(now, at)


def audience_of_undo(events: Sequence[Event], by: str, state: TableState) -> Audience:
    """Return the audience of an undo: all who were told of the undone events, and the actor.

    It is told in the place of a whisper scene if all that was told openly happened there. *state*
    is the table before the undo.
    """
    people = {by}
    gms = False
    whispers: set[str] = set()
    for event in events:
        if event.audience.everyone:
            return EVERYONE
        people.update(event.audience.people)
        gms = gms or event.audience.gms
        # The channel in which a thread was opened is not where the scene is played.
        whispers.add(_thread_of(event, state) if opens_thread(event) else event.audience.whisper)
    whispers.discard("")
    place = whispers.pop() if len(whispers) == 1 else ""
    return Audience(gms=gms, people=tuple(sorted(people)), whisper=place)


def _thread_of(event: Event, state: TableState) -> str:
    """Return the thread of the scene that an event begins; empty if none was opened."""
    assert isinstance(event, Notice)
    number = str(event.params.get("number"))
    return state.counters.scene_places.get(number, "") if event.audience.whisper else ""
