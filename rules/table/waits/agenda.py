"""The agenda: everything that a table waits for, as an audience may know it.

The agenda is computed from the state and never stored. Boards, lists and reminders all read it, so
there is no second record of who is waited for. A prompt, check or turn that the audience may not
know of isn't in it, and no count shows it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, Literal

from rules.core.errors import RulesError
from rules.core.record import Record
from rules.table.absence import is_absent, is_away
from rules.table.blocks import EVERYONE, GMS, Audience, Item, Ref, Text, text_for_audience
from rules.table.check import ANY_GM, PASS, AnyCheck, OpenPrompt
from rules.table.checks.access import may_see_check, may_see_prompt
from rules.table.checks.audience_views import TableNames
from rules.table.checks.deaths import DEATH, stage_of
from rules.table.checks.procedure import has_role, procedure_of
from rules.table.checks.waiting import wait_seconds
from rules.table.clock.pauses import clock_time
from rules.table.commands import OwnWait
from rules.table.initiative import encounter_in, is_hidden, is_players, slot_on_turn
from rules.table.journal.correction_requests import open_corrections
from rules.table.journal.step_in import open_questions
from rules.table.people.approval import unapproved_characters
from rules.table.permissions import is_gm
from rules.table.readable_places import may_read
from rules.table.roll_calls.roll_call import (
    RollCall,
    has_rolled,
    roll_call_key,
    roll_call_waits,
    wait_of,
)
from rules.table.state import AnyEncounter, Slot, TableState
from rules.table.system import Game
from rules.table.turns.turn_block import slots_to_act
from rules.table.turns.turn_clock import deadline_of_turn, is_stalled
from rules.table.turns.turn_holders import has_acted
from rules.table.whispers import whisper_at

#: What is waited for: an answer in a check; the decision about dice that lie open, or about harm;
#: an answer before a round begins; the GMs' word on a death, on a late choice, on a correction or
#: on a new character; a turn; something of the system's own.
WaitKind = Literal[
    "answer", "react", "hit", "choice", "death", "question", "correction", "newcomer", "turn", "own"
]


class Wait(Record):
    """A decision that the table waits for, as an audience may know it."""

    #: Id of this wait, such as `c14.12.react` or `turn:200:1800000000`. It never comes again. But a
    #: turn that was paused goes on under its id.
    id: str
    kind: WaitKind
    #: Place of the check or the encounter; empty for a wait without a place.
    place: str
    #: Names of the players' characters that are waited for. The GMs' NPCs are not named.
    who: tuple[Ref, ...] = ()
    #: Ids of these characters, in the same order.
    characters: tuple[str, ...] = ()
    #: Participants who may answer for them.
    people: tuple[str, ...] = ()
    #: Those of `people` who are away.
    away: tuple[str, ...] = ()
    #: The GMs are waited for: for themselves, for an NPC, or for a character without a player who
    #: is there.
    gms: bool = False
    #: Beginning of the wait, in seconds since 1970; 0 if it isn't known.
    since: int = 0
    #: Time at which the clock acts, in seconds since 1970. None: never.
    due: int | None = None
    #: What the clock does then. It is set if `due` is.
    default: Text | None = None
    #: What is to be decided, in words.
    about: Text = Text("wait-about")
    #: The answers are secret: all who were asked are named until the last of them has answered.
    secret: bool = False
    #: All reminders are over, and nothing happens by itself any more.
    stalled: bool = False
    #: Length of the wait in seconds, by the table's settings; 0 if it has none.
    length: int = 0
    #: Id of the check; empty for a wait of another kind.
    check: str = ""
    #: Key of the check's prompt.
    prompt: str = ""
    #: Id of the roll call whose dice this answer rolls; empty for any other wait.
    call: str = ""


class WaitGroup(Record):
    """Waits of one place for the same party, as a board shows them in a line."""

    #: Names of the players' characters that are waited for.
    who: tuple[Ref, ...]
    #: The GMs are waited for.
    gms: bool
    #: Number of the waits.
    count: int
    #: What is to be decided, if it is one thing and isn't a player's turn.
    about: Text | None
    #: Beginning of the oldest wait, in seconds since 1970; None if it isn't known.
    since: int | None
    #: Time at which the clock first acts, in seconds since 1970; None: never.
    due: int | None
    #: What the clock does then, if it is one thing.
    default: Text | None


#: Key of the prompt for a plain roll, which the end of a roll call makes.
_ROLL_PROMPT: Final = "ready"
#: Most lines about waits on a board.
_MOST_GROUPS: Final = 4


def agenda(game: Game, audience: Audience | None = None) -> tuple[Wait, ...]:
    """Return the waits of a table, the oldest first.

    Without an *audience*, they are those that the game's actor may know of, with the names that
    the actor knows. `EVERYONE` may know what all participants were told, and `GMS` everything.
    Offers are no waits.
    """
    return _sorted(_Reading(game, audience).waits())


def holding(game: Game, place: str) -> tuple[Wait, ...]:
    """Return the public waits without which a place doesn't go on, the oldest first."""
    return _sorted(_Reading(game, EVERYONE, place).waits())


def board_groups(game: Game, place: str, told: Collection[str] = ()) -> tuple[WaitGroup, ...]:
    """Return whom a place publicly waits for, for the foot of its board.

    A turn stands first, then the oldest wait. Waits of the checks in *told* are left out. At a
    table where everybody is there, the board shows turns alone, since it would change with each
    answer.
    """
    live = game.state.settings.live
    grouped: dict[object, list[Wait]] = {}
    for wait in holding(game, place):
        if wait.check in told or (live and wait.kind != "turn"):
            continue
        # Only checks are counted together.
        party = wait.id if not wait.check or wait.kind == "choice" else (wait.characters, wait.gms)
        grouped.setdefault(party, []).append(wait)
    groups = sorted(grouped.values(), key=lambda waits: waits[0].kind != "turn")
    return tuple(map(_group, groups[:_MOST_GROUPS]))


def waits_by_person(state: TableState, waits: Iterable[Wait]) -> dict[str, list[Wait]]:
    """Return the waits for each owner of a character, and for the GMs under the empty id.

    Secret prompts are left out: they name those who have answered, too.
    """
    found: dict[str, list[Wait]] = {}
    for wait in waits:
        if wait.secret:
            continue
        owners = {state.characters[who].owner: None for who in wait.characters}
        people = [owner for owner in owners if owner is not None and owner not in wait.away]
        for person in (*people, *(("",) if wait.gms else ())):
            found.setdefault(person, []).append(wait)
    return found


def _group(waits: Sequence[Wait]) -> WaitGroup:
    first = waits[0]
    due = [wait.due for wait in waits if wait.due is not None]
    single = len({wait.check for wait in waits}) == 1
    is_players_turn = first.kind == "turn" and bool(first.who)
    return WaitGroup(
        who=first.who,
        gms=first.gms,
        count=len({wait.check for wait in waits}),
        about=first.about if single and not is_players_turn else None,
        since=first.since or None,
        due=min(due, default=None),
        default=first.default if len(waits) == 1 else None,
    )


def _sorted(waits: Iterable[Wait]) -> tuple[Wait, ...]:
    # A wait of unknown age comes last.
    return tuple(sorted(waits, key=lambda wait: (not wait.since, wait.since)))


class _Reading:
    """The waits of one table, read by one audience."""

    def __init__(self, game: Game, audience: Audience | None, place: str | None = None) -> None:
        self._game = game
        self._place = place
        self._names = TableNames(game.state, game.at)
        #: The actor who reads; None for all participants, or for the GMs.
        self._reader = None if audience is not None else game.actor
        self._gms = is_gm(game.state, game.actor) if audience is None else audience.gms
        self._audience = audience or (GMS if self._gms else Audience(people=(game.actor.id,)))

    def waits(self) -> Iterator[Wait]:
        state = self._game.state
        for check in state.checks.values():
            if check.asked and self._is_here(check.place) and self._may_know(check):
                yield from self._check_waits(check)
        for place in state.encounters:
            if self._is_here(place) and self._may_know_place(place):
                yield from self._turn_wait(place)
        yield from self._own_waits()
        if self._place is None:
            yield from self._questions()
            yield from self._corrections()
            yield from self._newcomers()

    def _is_here(self, place: str) -> bool:
        return self._place is None or place == self._place

    def _party(self, asked: Iterable[str]) -> dict[str, Any]:
        """Return the fields of a wait that say who is waited for."""
        state, at = self._game.state, self._game.at
        characters: list[str] = []
        people: dict[str, None] = {}
        gms = False
        for who in asked:
            players = () if who == ANY_GM else self._names.players(who)
            if not players:
                gms = True
                continue
            characters.append(who)
            people |= dict.fromkeys(players)
            gms = gms or is_absent(state, who, at)
        return {
            "who": tuple(self._names.ref_for(who, self._audience) for who in characters),
            "characters": tuple(characters),
            "people": tuple(people),
            "away": tuple(person for person in people if is_away(state, person, at)),
            "gms": gms,
        }

    def _known_ref(self, who: str) -> Ref | None:
        """Return a character as the audience knows it; None if the audience doesn't know it."""
        ref = self._names.ref_for(who, self._audience) if who else Ref()
        return ref if ref.name else None

    # --- checks -----------------------------------------------------------------------------------

    def _may_know_place(self, place: str) -> bool:
        """Return whether the audience may know of what is played in a place.

        Only the cast of a whisper scene knows of it. Its board stands where its cast reads.
        """
        if self._gms or self._reader is not None or place == self._place:
            return True
        return whisper_at(self._game.state, place) is None

    def _may_know(self, check: AnyCheck) -> bool:
        if self._gms:
            return True
        if self._reader is not None:
            return may_see_check(self._game, check, self._reader)
        # The board of a whisper scene stands where its cast reads.
        return check.is_public and (not check.scene or check.place == self._place)

    def _may_know_prompt(self, asked: OpenPrompt) -> bool:
        if self._gms or asked.prompt.visible_to is None:
            return True
        return self._reader is not None and may_see_prompt(self._game, asked, self._reader)

    def _check_waits(self, check: AnyCheck) -> Iterator[Wait]:
        for asked in check.asked:
            prompt = asked.prompt
            if prompt.wait is None or not self._may_know_prompt(asked):
                continue
            waiting = asked.named if prompt.secret else asked.waiting_for
            if not waiting:
                continue
            party = self._party(waiting)
            due = asked.due if self._game.state.settings.pause is None else None
            default = None if due is None else self._default(check, asked, party)
            call = _call_that_ends(self._game, check)
            if call is not None and call.until is not None and (due is None or call.until < due):
                rolls = call.rolls and prompt.key == _ROLL_PROMPT
                due = call.until
                default = _default("rolled" if rolls else "unrolled", party["who"])
            kind = _kind(self._game, check, asked)
            about: dict[str, Item] = {
                "kind": kind,
                "check": check.id,
                "actor": self._known_ref(check.actor),
            }
            yield Wait(
                id=f"{check.id}.{asked.number}.{prompt.key}",
                kind=kind,
                place=check.place,
                since=asked.since,
                due=due,
                default=default,
                about=Text("wait-about", about),
                secret=prompt.secret,
                stalled=asked.is_stalled(clock_time(self._game.state.settings, self._game.at)),
                length=wait_seconds(self._game.state.settings, prompt.time),
                check=check.id,
                prompt=prompt.key,
                call=_call_to_roll(self._game, check, asked),
                **party,
            )

    def _default(self, check: AnyCheck, asked: OpenPrompt, party: dict[str, Any]) -> Text:
        """Return what the clock answers to a prompt."""
        prompt = asked.prompt
        if prompt.default in (None, PASS):
            final = prompt.wait != "answer"
            return _default("final" if final else "passed", party["who"])
        label = self._default_label(check, asked)
        if label is None:
            return _default("standard", party["who"])
        return _default("chosen", party["who"], label)

    def _default_label(self, check: AnyCheck, asked: OpenPrompt) -> Text | None:
        """Return the label of the clock's answer for those who may read the options."""
        reads = asked.prompt.shown or self._gms
        if self._reader is not None:
            players = (self._names.players(who) for who in asked.prompt.awaited)
            reads = reads or any(self._reader.id in found for found in players)
        if not reads:
            return None
        stage = stage_of(self._game, check)
        for who in asked.waiting_for:
            for option in stage.options(self._game, check, asked.prompt.key, who):
                if option.value == asked.prompt.default:
                    label = option.short or option.label
                    return text_for_audience(label, self._audience, self._names)
        return None

    # --- turns ------------------------------------------------------------------------------------

    def _turn_wait(self, place: str) -> Iterator[Wait]:
        """Yield the turn in a place, or the turns of a block, unless only checks hold it."""
        game, state = self._game, self._game.state
        encounter = encounter_in(state, place)
        on_turn = slot_on_turn(encounter)
        if encounter is None or on_turn is None:
            return
        slots = slots_to_act(state, encounter)
        if not self._may_know_turn(place, on_turn, slots):
            return
        if not slots or (encounter.paused_at is not None and self._knows_pause(encounter, slots)):
            return
        party = self._party(slot.character or ANY_GM for slot in slots)
        if encounter.would_kill:
            party["gms"] = True
        # An audience that doesn't know of the check that pauses the turn sees no pause.
        due = deadline_of_turn(state, encounter.replace(paused_at=None))
        default = None
        if due is not None:
            default = _default(_turns_default(game, encounter, slots), party["who"])
        about: dict[str, Item] = {
            "kind": "turn",
            "name": on_turn.name or None,
            "actor": self._known_ref(slots[0].character or ""),
            "block": len(slots) > 1,
        }
        yield Wait(
            id=f"turn:{place}:{encounter.since}",
            kind="turn",
            place=place,
            since=encounter.since,
            due=due,
            default=default,
            about=Text("wait-about", about),
            stalled=is_stalled(state, place, game.at),
            length=state.settings.turn_time,
            **party,
        )

    def _knows_pause(self, encounter: AnyEncounter, slots: Sequence[Slot]) -> bool:
        """Return whether the audience knows of a check for which a turn is paused."""
        actors = [slot.character for slot in slots]
        for check in self._game.state.open_checks:
            here = (check.place, check.round) == (encounter.place, encounter.round)
            if not here or check.actor not in actors or not self._may_know(check):
                continue
            asked = [prompt for prompt in check.asked if prompt.waiting_for]
            if any(map(self._may_know_prompt, asked)):
                return True
        return False

    def _may_know_turn(self, place: str, on_turn: Slot, slots: Sequence[Slot]) -> bool:
        """Return whether the audience may know of a turn, in which *slots* have yet to act."""
        game, reader = self._game, self._reader
        if self._gms:
            return True
        if is_hidden(game.state, on_turn):
            return False
        if reader is None:
            return True
        theirs = any(reader.id in self._names.players(slot.character or "") for slot in slots)
        return may_read(game.readable, place, theirs=theirs, gm=False)

    # --- what else waits --------------------------------------------------------------------------

    def _own_waits(self) -> Iterator[Wait]:
        """Yield what waits by the system's own rules."""
        game = self._game
        for own in game.system.waits(game):
            knows = self._may_know_place(own.place) and self._may_know_own(own)
            if self._is_here(own.place) and knows:
                yield Wait(
                    id=own.id,
                    kind="own",
                    place=own.place,
                    since=own.since,
                    about=text_for_audience(own.about, self._audience, self._names),
                    **self._party(own.who),
                )

    def _may_know_own(self, own: OwnWait) -> bool:
        if self._gms:
            return True
        if self._reader is None:
            return own.visible_to is None
        players = (self._names.players(who) for who in own.visible_to or own.who if who)
        theirs = any(self._reader.id in found for found in players)
        if own.visible_to is not None:
            return theirs
        return may_read(self._game.readable, own.place, theirs=theirs, gm=False)

    def _questions(self) -> Iterator[Wait]:
        """Yield the questions of players to the GMs about late choices."""
        for question in open_questions(self._game.state):
            check = self._game.state.checks.get(question.check)
            own = self._reader is not None and self._reader.id == question.by
            if check is None or not (self._gms or own):
                continue
            about: dict[str, Item] = {
                "kind": "question",
                "check": check.id,
                "actor": self._known_ref(check.actor),
            }
            yield Wait(
                id=f"step-in:{question.number}",
                kind="question",
                place=check.place,
                gms=True,
                since=question.at,
                about=Text("wait-about", about),
                check=check.id,
            )

    def _corrections(self) -> Iterator[Wait]:
        """Yield the corrections that players have asked for, to GMs and to who asked."""
        for request in open_corrections(self._game.state):
            own = self._reader is not None and self._reader.id == request.by
            if not (self._gms or own):
                continue
            about: dict[str, Item] = {"kind": "correction", "number": request.entry}
            yield Wait(
                id=f"correction:{request.by}:{request.at}",
                kind="correction",
                place="",
                gms=True,
                since=request.at,
                about=Text("wait-about", about),
            )

    def _newcomers(self) -> Iterator[Wait]:
        """Yield the new characters: a GM has to approve each, or its player to change it."""
        for character in unapproved_characters(self._game.state):
            own = self._reader is not None and self._reader.id == character.owner
            if not (self._gms or own):
                continue
            party = self._party((character.id if character.sent_back else ANY_GM,))
            about: dict[str, Item] = {
                "kind": "newcomer",
                "actor": self._known_ref(character.id),
                "back": bool(character.sent_back),
            }
            yield Wait(
                id=f"new:{character.id}:{character.sent_at}",
                kind="newcomer",
                place="",
                since=character.sent_at,
                about=Text("wait-about", about),
                **party,
            )


#: Key of what the clock does, in `wait-default`.
_Default = Literal[
    "final", "passed", "standard", "chosen", "delayed", "ends", "idle", "rolled", "unrolled"
]


def _default(what: _Default, who: tuple[Ref, ...], choice: Text | None = None) -> Text:
    return Text("wait-default", {"what": what, "who": who, "count": len(who), "choice": choice})


def _call_that_ends(game: Game, check: AnyCheck) -> RollCall | None:
    """Return the roll call of a check that isn't rolled yet, if the clock ends that call."""
    call = game.state.own.get(roll_call_key(check.group)) if check.group else None
    if not isinstance(call, RollCall) or wait_of(call) not in roll_call_waits(game):
        return None
    return None if has_rolled(game, check) else call


def _call_to_roll(game: Game, check: AnyCheck, asked: OpenPrompt) -> str:
    """Return the id of the roll call whose dice a prompt rolls; empty if it rolls none."""
    if not check.group or asked.prompt.key != _ROLL_PROMPT or asked.prompt.secret:
        return ""
    return "" if has_rolled(game, check) else check.group


def _kind(game: Game, check: AnyCheck, asked: OpenPrompt) -> WaitKind:
    """Return what a prompt asks for."""
    prompt = asked.prompt
    if prompt.key == DEATH and check.held_death is not None:
        return "death"
    if has_role(game, check.kind, "round"):
        return "choice"
    if prompt.harms:
        return "hit"
    if prompt.wait == "means":
        fallen = procedure_of(game, check.kind).dice_have_fallen(check.data)
        return "react" if fallen else "answer"
    return "react" if prompt.wait == "react" else "answer"


def _turns_default(game: Game, encounter: AnyEncounter, slots: Sequence[Slot]) -> _Default:
    """Return what the clock does with turns whose time is up: mostly, it delays one of them."""
    first = turn_default(game, encounter, slots[0])
    alike = all(turn_default(game, encounter, slot) == first for slot in slots[1:])
    return first if alike else "delayed"


def turn_default(game: Game, encounter: AnyEncounter, slot: Slot) -> _Default:
    """Return what the clock does with a turn whose time is up."""
    if encounter.timeline:
        return "idle"
    others = [other for other in encounter.order if other != slot]
    if has_acted(game, encounter, slot) or all(other.delayed for other in others):
        return "ends"
    turns = game.system.turns
    if turns is not None and turns.waits is not None and is_players(game.state, slot):
        try:
            turns.waits(game, encounter)
        except RulesError:
            return "ends"
    return "delayed"
