"""Amendments: an earlier entry of the journal changed, with the later entries carried out anew.

`bot.services.amendment` carries the entries out. Here is what may be amended, what the later
actions refer to on the changed table, and what each audience is told.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from rules.core.errors import Impossible, NotPermitted, Outdated
from rules.core.record import Record
from rules.table.actions import Action, Actor, Amend, Choose, DelayTurn, Due, MoreTime, NextTurn
from rules.table.blocks import (
    EVERYONE,
    FOR_EVERYONE,
    GMS,
    Audience,
    Block,
    Group,
    Note,
    Ref,
    Verdict,
    first_verdict,
)
from rules.table.check import AnyCheck, OpenPrompt
from rules.table.checks.prompt_times import CheckWait, pending_waits
from rules.table.checks.stages import ROLL
from rules.table.checks.step_in import let_in_event, require_question
from rules.table.corrections import without_corrections_of
from rules.table.deputy_rights import with_deputy_limits
from rules.table.due_waits import place_of_wait
from rules.table.entry_forms import is_changeable_kind, is_known_to_gms, is_secret_choice
from rules.table.events import Amended, AmendedEntry, CheckChanged, Event, Notice, Reported
from rules.table.gm_acts import with_gm_act
from rules.table.gm_tools import REASON_MAX
from rules.table.initiative import encounter_in, same_slot, slot_on_turn
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.played_scenes import SCENE_PARTS
from rules.table.scenes import opens_thread
from rules.table.state import KEPT_BY_UNDO, SYSTEM, Counters, Part, TableState
from rules.table.system import Game
from rules.table.turns.turn_clock import waits_of_turn
from rules.table.typed_texts import one_line
from rules.table.undo import deed_view, events_of_parts, put_parts_back, require_sealed_orders
from rules.table.whisper_players import with_players_put_back
from rules.table.whispers import whisper_audience

#: Most later entries that are carried out anew. With more, the amendment is refused.
MAX_REDONE: Final = 500
#: Most later entries that can't stand. With more, the amendment is refused.
MAX_CONFLICTS: Final = 40

#: Most lines of an amended entry that its correction tells.
_MAX_NEWS: Final = 6

#: Kinds of entries that can't be amended.
_FINAL: Final = frozenset(
    (
        *("CreateTable", "ImportTable", "Undo", "Amend", "ForgetPerson", "RotateSeed"),
        *("BeginAnew", "ChangePlaces", "ChangeGms", "NameDeputy", "TakeOver", "NoteDeparture"),
        *("StepIn", "AskToStepIn", "RefuseStepIn"),
    )
)
#: Counters that ids are made of.
_IDS: Final = ("character", "check", "begun", "offer", "own", "started")

#: What becomes of an entry: it is the amended one; it comes out the same or differently; it is
#: undone with the amended one, by the GM's choice, for want of something that is undone, or
#: because it is refused; it acted on a wait that is no longer due; it was undone before; new dice
#: would fall; or it follows new dice.
Fate = Literal[
    "amended",
    "same",
    "changed",
    "undone",
    "left-out",
    "goes-along",
    "conflict",
    "not-due",
    "out",
    "new-dice",
    "open",
]
#: Fates of entries that the amendment undoes.
GONE: Final = ("undone", "left-out", "goes-along", "conflict", "not-due")


class RedoneEntry(Record):
    """An entry of the journal as it was, and as it comes out after an amendment."""

    seq: int
    at: int
    kind: str
    actor: str
    #: Place of the action.
    place: str
    fate: Fate
    #: Its events then and now.
    was: tuple[Event, ...] = ()
    now: tuple[Event, ...] = ()
    #: Keys of the parts that came out differently.
    touched: frozenset[str] = frozenset()
    #: Whether its actor chose on other grounds: the check looked different.
    doubtful: bool = False
    #: Code of the refusal, for a conflict.
    refusal: str = ""
    #: Whether it was undone before, or is the undo of another entry: nobody is told of it anew.
    untold: bool = False


# --- what may be amended --------------------------------------------------------------------------


def require_amendable(
    game: Game, number: int, action: Action, events: Iterable[Event], *, undo: bool
) -> None:
    """Require that an entry may be amended. *game* is the table before it.

    Raises:
        Impossible("amend-final"): entries of this kind can't be amended.
        Impossible("amend-no-values"): it has no values that can be changed.
        NotPermitted("amend-secret-choice"): a player chose in secret, so it can only be undone.
    """
    if not is_amendable_kind(type(action).__name__):
        raise Impossible("amend-final", entry=number)
    if undo:
        return
    if not is_changeable_kind(game, action):
        raise Impossible("amend-no-values", entry=number)
    is_known = is_gm(game.state, action.who) or is_known_to_gms(events)
    if is_secret_choice(game, action) or not is_known:
        raise NotPermitted("amend-secret-choice", entry=number)


def is_amendable_kind(kind: str) -> bool:
    """Return whether entries of a kind of action can be amended."""
    return kind not in _FINAL


def require_amender(state: TableState, action: Amend) -> None:
    """Raise NotPermitted("gm-only") unless the actor is a GM; deputies amend nothing."""
    require_gm(state, with_deputy_limits(state, action).who)


def amendment_reason(text: str) -> str:
    """Return the reason that a GM has typed, on one line.

    Raises InvalidInput("too-long"), ("unprintable-text").
    """
    return one_line("reason", text, REASON_MAX)


def require_unseen_cards(keys: Iterable[str], number: int) -> None:
    """Raise Impossible("amend-cards") if cards would lie otherwise, which players may have seen."""
    if any(key.startswith(("deck:", "cards:", "deal")) for key in keys):
        raise Impossible("amend-cards", entry=number)


# --- the same action on the changed table ---------------------------------------------------------


def rebound(action: Action, was: TableState, now: TableState) -> Action | None:
    """Return an action with references to the changed table; None for a wait that isn't due.

    *was* is the table that the action met then, *now* the changed one. Raises
    Outdated("turn-moved-on") if it ended or delayed another turn.
    """
    if isinstance(action, Choose | MoreTime):
        return _rebound_answer(action, was, now)
    if isinstance(action, Due):
        return _rebound_wait(action, was, now)
    if isinstance(action, NextTurn | DelayTurn):
        return _rebound_turn(action, was, now)
    return action


def _open_prompt(state: TableState, check: str, key: str) -> OpenPrompt | None:
    found = state.checks.get(check)
    return None if found is None else found.prompt(key)


def _rebound_answer(action: Choose | MoreTime, was: TableState, now: TableState) -> Action:
    before = _open_prompt(was, action.check, action.prompt)
    after = _open_prompt(now, action.check, action.prompt)
    if before is None or after is None or action.number != before.number:
        return action
    return action.replace(number=after.number)


def _rebound_turn(action: NextTurn | DelayTurn, was: TableState, now: TableState) -> Action:
    before, after = encounter_in(was, action.place), encounter_in(now, action.place)
    if before is None or after is None:
        return action
    then, present = slot_on_turn(before), slot_on_turn(after)
    if then is None and present is None:
        return action
    if then is None or present is None or not same_slot(then, present):
        raise Outdated("turn-moved-on")
    return action.replace(
        round=None if action.round is None else after.round,
        turn=None if action.turn is None else after.turn,
    )


def _rebound_wait(action: Due, was: TableState, now: TableState) -> Action | None:
    place = place_of_wait(action.wait)
    if place is not None:
        return _rebound_turn_wait(action, place, was, now)
    for check in was.checks.values():
        for wait in pending_waits(check):
            if wait.id == action.wait:
                return _rebound_check_wait(action, wait, now.checks.get(check.id))
    return action


def _rebound_check_wait(action: Due, then: CheckWait, check: AnyCheck | None) -> Action | None:
    due: list[str] = []
    for wait in () if check is None else pending_waits(check):
        if wait.id == action.wait:
            return action
        same = wait.asked.prompt.key == then.asked.prompt.key and wait.default == then.default
        if same and wait.due <= action.at:
            due.append(wait.id)
    # Of several reminders, the last one is meant; the others are over.
    return action.replace(wait=due[-1]) if due else None


def _rebound_turn_wait(action: Due, place: str, was: TableState, now: TableState) -> Action | None:
    then = next((wait for wait in waits_of_turn(was, place) if wait.id == action.wait), None)
    if then is None:
        return action
    due: list[str] = []
    for wait in waits_of_turn(now, place):
        if wait.id == action.wait:
            return action
        if wait.ends_turn == then.ends_turn and wait.due <= action.at:
            due.append(wait.id)
    return action.replace(wait=due[-1]) if due else None


def pinned_state(state: TableState, counters: Counters) -> TableState:
    """Return a table with the counters that an entry met then, so that ids come out the same."""
    return state if state.counters == counters else state.replace(counters=counters)


def makes_more(then: Counters, now: Counters) -> bool:
    """Return whether an entry has made more than it did then."""
    return any(getattr(now, name) > getattr(then, name) for name in _IDS)


def with_top_ids(counters: Counters, top: Counters) -> Counters:
    """Return counters whose ids go on after the highest of *counters* and *top*."""
    ids = {name: max(getattr(counters, name), getattr(top, name)) for name in _IDS}
    return counters.replace(**ids)


# --- grounds --------------------------------------------------------------------------------------


def is_doubtful(
    action: Action,
    state: TableState,
    was: Mapping[str, tuple[Event, ...]],
    now: Mapping[str, tuple[Event, ...]],
) -> bool:
    """Return whether a player or GM chose something in a check that looked different then.

    *was* and *now* have the latest events of each check. A bare roll needs no grounds.
    """
    if not isinstance(action, Choose) or action.who.id == SYSTEM:
        return False
    if action.option == ROLL and not action.values:
        return False
    then = _looks(was.get(action.check, ()), action.check, state, action.who)
    return then != _looks(now.get(action.check, ()), action.check, state, action.who)


def _looks(events: Sequence[Event], check: str, state: TableState, who: Actor) -> list[Any]:
    """Return what a participant saw of a check in these events."""
    looks: list[Any] = []
    for event in events:
        if not isinstance(event, CheckChanged) or event.check != check:
            continue
        audience = event.audience
        known = audience.everyone or who.id in audience.people
        if known or (audience.gms and is_gm(state, who)):
            asked = [view.prompt for view in event.asked]
            looks.append((audience, event.blocks, asked, event.over))
    return looks


def parts_changed(before: TableState, after: TableState) -> dict[str, Part | None]:
    """Return the parts that an entry changed, without the counters."""
    changes = after.changes_since(before)
    return {key: part for key, part in changes.items() if key not in KEPT_BY_UNDO}


# --- outcome --------------------------------------------------------------------------------------


def amend_outcome(
    game: Game,
    action: Amend,
    amended: TableState,
    entries: Sequence[RedoneEntry],
    *,
    rolled: bool,
) -> Outcome:
    """Return the outcome of an amendment; *game* is the present table.

    *amended* is the table as the entries leave it when they are carried out anew, with the counters
    to go on with. A part that came out differently on the way is written even if it ends the same:
    the undo of an entry in between has to meet the amendment.

    Raises Impossible("amend-cards"), ("order-open"), ("amend-nothing").
    """
    state = game.state
    if action.late is not None:
        require_question(state, action.late.question)
    current, wanted = dict(state.parts()), dict(amended.parts())
    differing = {key for key in {*current, *wanted} if current.get(key) != wanted.get(key)}
    differing -= KEPT_BY_UNDO
    gone = tuple(entry.seq for entry in reversed(entries) if entry.fate in GONE)
    touched = frozenset[str]().union(*(entry.touched for entry in entries)) - KEPT_BY_UNDO
    is_told = any(entry.was != entry.now for entry in entries if not entry.untold)
    if not (differing or gone or touched or is_told):
        raise Impossible("amend-nothing", entry=action.entry)
    require_unseen_cards(differing, action.entry)
    parts: dict[str, Part] = {"counters": amended.counters}
    for key, part in current.items():
        if key not in differing and key not in KEPT_BY_UNDO:
            parts[key] = copy.copy(part) if key in touched else part
    for key in differing & wanted.keys():
        parts[key] = wanted[key]
    changed_at = {key: _changed_at(key, entries, action.at) for key in differing}
    back = put_parts_back(state, parts, changed_at, action.at)
    checks = [key.removeprefix("check:") for key in sorted(differing) if key.startswith("check:")]
    shown = tuple(check for check in checks if check in back.state.checks)
    back = back.replace(checks=tuple(dict.fromkeys((*back.checks, *shown))))
    after = game.with_state(back.state).replace(at=action.at, actor=action.who)
    require_sealed_orders(after, state)
    events = (
        *told_events(state, action, entries, rolled=rolled),
        *_without_public_marks(events_of_parts(state, after, back)),
    )
    asked = {action.entry, *(change.entry for change in action.also), *gone}
    amended = without_corrections_of(back.state, asked)
    if action.late is not None:
        let_in, amended = let_in_event(amended, action.late, action.who.id)
        events = (*events, let_in)
    before = after.with_state(state)
    outcome = with_players_put_back(before, Outcome(amended, events))
    return with_gm_act(before, outcome, action)


def _changed_at(key: str, entries: Iterable[RedoneEntry], at: int) -> int:
    """Return the time of the last entry that changed a part; *at* if none did."""
    times = [entry.at for entry in entries if key in entry.touched]
    return times[-1] if times else at


def _without_public_marks(events: Iterable[Event]) -> list[Event]:
    """Return events of checks: those that not everyone is told of change no public message."""
    told = [*events]
    public = {
        event.check for event in told if isinstance(event, CheckChanged) and event.audience.everyone
    }
    shown: list[Event] = []
    for event in told:
        if isinstance(event, CheckChanged) and event.check not in public:
            event = event.replace(secret=True)
        shown.append(event)
    return shown


# --- what is told ---------------------------------------------------------------------------------


def told_events(
    state: TableState, action: Amend, entries: Sequence[RedoneEntry], *, rolled: bool
) -> list[Event]:
    """Return an event for each audience that was told something else in these entries.

    An audience whose events are the same is told nothing. The GMs are told of everything.

    Raises as `amendment_reason`.
    """
    action = action.replace(reason=amendment_reason(action.reason))
    events: list[Event] = []
    scenes = _corrected_scenes(entries)
    public: set[int] = set()
    for place, told in _by_place(_differences_for(entries, EVERYONE), entries).items():
        public.update(entry.seq for entry in told)
        events.append(_amended_event(told, EVERYONE, place, action, rolled=rolled))
    for audience in _whisper_audiences(entries):
        told = _differences_for(entries, audience)
        if told:
            public.update(entry.seq for entry in told)
            events.append(_amended_event(told, audience, audience.whisper, action, rolled=rolled))
    everything = _differences_for(entries, GMS)
    if {entry.seq for entry in everything} != public:
        gms = _amended_event(everything, GMS, action.place, action, rolled=rolled)
        events.append(gms.replace(quiet=bool(public)))
    people: dict[str, None] = {}
    for entry in entries:
        for event in (*entry.was, *entry.now):
            if not event.audience.whisper:
                people |= dict.fromkeys(event.audience.people)
    for person in people:
        audience = Audience(people=(person,))
        known = [entry for entry in _differences_for(entries, audience) if entry.seq not in public]
        if is_gm(state, Actor(person)):
            continue
        for place, told in _by_place(known, entries).items():
            private = _amended_event(told, audience, place, action, rolled=False)
            events.append(private.replace(ping=(person,)))
    return [_with_scenes(event, scenes) for event in events]


def _corrected_scenes(entries: Iterable[RedoneEntry]) -> tuple[Notice, ...]:
    """Return the notices of scenes that the story tells otherwise now.

    These are the last ones of each scene's beginning and end, so that a summary that was written
    later stays.
    """
    was: dict[tuple[object, str], Notice] = {}
    now: dict[tuple[object, str], Notice] = {}
    for entry in entries:
        if entry.fate in GONE or entry.fate == "out":
            continue
        was |= _scene_notices(entry.was)
        now |= _scene_notices(entry.now)
    return tuple(notice for key, notice in now.items() if notice != was.get(key))


def _scene_notices(events: Iterable[Event]) -> dict[tuple[object, str], Notice]:
    """Return the last notice of each scene's beginning and end, by its number and part."""
    notices: dict[tuple[object, str], Notice] = {}
    for event in events:
        told = event.scenes if isinstance(event, Amended) else (event,)
        for notice in told:
            part = SCENE_PARTS.get(notice.what) if isinstance(notice, Notice) else None
            if isinstance(notice, Notice) and part is not None:
                notices[notice.params["number"], part] = notice
    return notices


def _with_scenes(event: Event, scenes: Iterable[Notice]) -> Event:
    """Return a correction with the notices that its audience was told; the GMs' has all."""
    audience = event.audience
    told = tuple(notice for notice in scenes if audience == GMS or _is_for(notice, audience))
    return event.replace(scenes=told) if isinstance(event, Amended) else event


def _whisper_audiences(entries: Iterable[RedoneEntry]) -> list[Audience]:
    """Return the audiences of the whisper scenes of these entries: all who were told in each."""
    people: dict[str, set[str]] = {}
    for entry in entries:
        for event in (*entry.was, *entry.now):
            if event.audience.whisper and not opens_thread(event):
                people.setdefault(event.audience.whisper, set()).update(event.audience.people)
    return [whisper_audience(told, place) for place, told in people.items()]


def _is_for(event: Event, audience: Audience) -> bool:
    """Return whether an event was told to everyone, the GMs, one participant, or a whisper scene.

    All in a whisper scene count as one.
    """
    told = event.audience
    if audience.whisper:
        return told.whisper == audience.whisper
    if audience.people:
        return not told.whisper and not told.everyone and set(audience.people) <= set(told.people)
    if audience.gms:
        return told.gms
    return told == audience


def _by_place(
    told: Iterable[AmendedEntry], entries: Iterable[RedoneEntry]
) -> dict[str, tuple[AmendedEntry, ...]]:
    """Return entries by the place in which they were told."""
    places = {entry.seq: entry.place for entry in entries}
    grouped: dict[str, tuple[AmendedEntry, ...]] = {}
    for entry in told:
        place = places[entry.seq]
        grouped[place] = (*grouped.get(place, ()), entry)
    return grouped


def _amended_event(
    entries: tuple[AmendedEntry, ...],
    audience: Audience,
    place: str,
    action: Amend,
    *,
    rolled: bool,
) -> Amended:
    gone = tuple(entry.seq for entry in reversed(entries) if entry.gone)
    return Amended(
        by=action.who.id,
        audience=audience,
        place=place,
        entries=entries,
        gone=gone,
        rolled=rolled,
        reason=action.reason,
    )


def _differences_for(
    entries: Iterable[RedoneEntry], audience: Audience
) -> tuple[AmendedEntry, ...]:
    """Return the entries that are different for an audience, as it may know them."""
    differences: list[AmendedEntry] = []
    for entry in entries:
        # Of a preview, nobody can tell what becomes of open entries.
        if entry.fate in ("out", "open") or entry.untold:
            continue
        if _is_different_for(entry, audience):
            differences.append(_amended_entry(entry, audience))
    return tuple(differences)


def _is_different_for(entry: RedoneEntry, audience: Audience) -> bool:
    """Return whether an audience has to be told of an entry anew; GMs are of every difference."""
    is_gone = entry.fate in GONE
    if audience == GMS:
        return is_gone or entry.fate == "amended" or entry.was != entry.now
    was = [event for event in entry.was if _is_for(event, audience)]
    if is_gone:
        return bool(was)
    return was != [event for event in entry.now if _is_for(event, audience)]


def _amended_entry(entry: RedoneEntry, audience: Audience) -> AmendedEntry:
    """Return an entry that is different for an audience, with what that audience may know."""
    was = [event for event in entry.was if _is_for(event, audience)]
    step = deed_view(entry.was if audience == GMS else was, gm=audience == GMS)
    verdict, who = _new_verdict(entry.was, entry.now, audience)
    is_gone = entry.fate in GONE
    new_events = () if is_gone else _new_events(entry, audience)
    return AmendedEntry(
        entry.seq,
        is_gone,
        entry.kind,
        entry.actor,
        step if was else None,
        verdict,
        who,
        news=_blocks_of(new_events, audience),
        notice=_first_notice(new_events),
    )


def _new_events(entry: RedoneEntry, audience: Audience) -> tuple[Event, ...]:
    """Return what an entry tells an audience now outside of checks, and didn't tell it then."""
    events: list[Event] = []
    for event in entry.now:
        is_known = _is_for(event, audience) or (audience == GMS and event.audience.everyone)
        if is_known and isinstance(event, Notice | Reported) and event not in entry.was:
            events.append(event)
    return tuple(events)


def _blocks_of(events: Iterable[Event], audience: Audience) -> tuple[Block, ...]:
    """Return what events say besides their headlines, as far as there is room.

    Blocks that only some readers of an event may read are for GMs alone.
    """
    blocks: list[Block] = []
    for event in events:
        if isinstance(event, Reported):
            for block in event.blocks:
                is_open = block.visible_to is FOR_EVERYONE and block.hidden_from is None
                if audience == GMS or (is_open and not isinstance(block, Group)):
                    blocks.append(block)
        elif isinstance(event, Notice):
            blocks += [Note(line, FOR_EVERYONE) for line in event.lines]
    return tuple(blocks[:_MAX_NEWS])


def _first_notice(events: Iterable[Event]) -> Notice | None:
    """Return the first notice without lines; None without one."""
    for event in events:
        if isinstance(event, Notice) and not event.lines:
            return event
    return None


def _new_verdict(
    was: Iterable[Event], now: Iterable[Event], audience: Audience
) -> tuple[Verdict | None, Ref | None]:
    """Return the result that an audience is told of now, and whose it is.

    Both are None if the audience was told the same then.
    """
    before, _ = _verdict_for(was, audience)
    after, who = _verdict_for(now, audience)
    return (after, who) if after != before else (None, None)


def _verdict_for(events: Iterable[Event], audience: Audience) -> tuple[Verdict | None, Ref | None]:
    """Return the last result among the events for an audience, and the character whose it is.

    The GMs know the public one, too.
    """
    last: Verdict | None = None
    who: Ref | None = None
    for event in events:
        known = event.audience == audience or (audience == GMS and event.audience.everyone)
        verdict = first_verdict(event.blocks) if isinstance(event, CheckChanged) and known else None
        if isinstance(event, CheckChanged) and verdict is not None:
            last, who = verdict, verdict.who or event.actor
    return last, who
