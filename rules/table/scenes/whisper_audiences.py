"""Play in whisper scenes: who may take part, and who is told of what happens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rules.core.errors import Impossible
from rules.table import actions
from rules.table.absence import players_of
from rules.table.actions import Action
from rules.table.blocks import Audience
from rules.table.check import AnyCheck
from rules.table.checks.access import cast_of
from rules.table.events import (
    Amended,
    BoardChanged,
    CheckChanged,
    Event,
    Notice,
    RollCallChanged,
    Said,
    StepInAsked,
    StepInDecided,
)
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, public_name
from rules.table.played_scenes import StoryScene, scenes_of
from rules.table.roll_calls.roll_call import RollCall, checks_of, roll_call_key
from rules.table.scenes.speech import speech_of
from rules.table.state import SYSTEM, AnyEncounter, TableState
from rules.table.system import Game
from rules.table.whispers import (
    cast_players,
    open_place,
    scene_audience,
    whisper_at,
    whisper_audience,
)

#: Actions in a place by which a participant takes part in what is played there. Those of a system
#: do so, too.
_PARTS_OF_PLAY: Final = (
    actions.Begin,
    actions.JoinEncounter,
    actions.NextTurn,
    actions.DelayTurn,
    actions.RollDice,
    actions.Produce,
    actions.DrawCards,
    actions.PlayCard,
    actions.Say,
)
#: Acts on the whole table: all participants are told of them, wherever a GM types the command.
_ACTS_ON_TABLE: Final = (
    actions.AdvanceTime,
    actions.ChangeCampaign,
    actions.ChangeGms,
    actions.ChangeRest,
    actions.ChangeSettings,
    actions.NameDeputy,
    actions.PauseTable,
    actions.ResumeTable,
    actions.RotateSeed,
    actions.Session,
    actions.TakeOver,
)
#: Notices about the whole table's clock, which the clock itself or any act of a GM brings.
_ABOUT_TABLE: Final = ("clock-paused", "clock-resumed", "gm-back", "gm-gone", "gm-silent")
#: Steps of initiative that only the board tells to everybody in its place.
_TOLD_BY_BOARD: Final = ("started", "ended")


def require_insider(game: Game, action: Action) -> None:
    """Require that a player who acts in the place of a whisper scene is in it.

    Raises Impossible("not-in-whisper-yourself").
    """
    scene = whisper_at(game.state, action.place)
    if scene is None or game.actor.id == SYSTEM or is_gm(game.state, game.actor):
        return
    if not isinstance(action, _PARTS_OF_PLAY) and type(action) not in game.system.actions:
        return
    if game.actor.id not in cast_players(game.state, scene, game.at):
        raise Impossible("not-in-whisper-yourself")


def require_insiders(game: Game, after: TableState) -> None:
    """Require that an action has brought no player's character into a whisper scene's play.

    *game* is the table before the action. Raises Impossible("not-in-whisper").
    """
    if not after.counters.whisper:
        return
    for key, check in after.checks.items():
        check_before = game.state.checks.get(key)
        if check.scene and check is not check_before:
            _require_insiders_in_check(game, after, check_before, check)
    for place, encounter in after.encounters.items():
        encounter_before = game.state.encounters.get(place)
        if encounter is not encounter_before:
            _require_insiders_in_initiative(game, after, encounter_before, encounter)


def _require_insiders_in_check(
    game: Game, after: TableState, check_before: AnyCheck | None, check: AnyCheck
) -> None:
    """Require that a check of a whisper scene has drawn in nobody else's character.

    Raises Impossible("not-in-whisper").
    """
    scene = _scene_numbered(after, check.scene)
    inside: set[str] = set() if scene is None else {*scene.cast}
    if check_before is not None:
        inside.update(cast_of(game, check_before))
    for who in cast_of(game.with_state(after), check):
        if who not in inside:
            _require_played_by(after, who, check.hears)


def _require_insiders_in_initiative(
    game: Game,
    after: TableState,
    encounter_before: AnyEncounter | None,
    encounter: AnyEncounter,
) -> None:
    """Require that nobody else's character has joined initiative in a whisper scene's place.

    Raises Impossible("not-in-whisper").
    """
    scene = whisper_at(after, encounter.place)
    if scene is None:
        return
    slots_before = () if encounter_before is None else encounter_before.order
    inside = {slot.character for slot in slots_before}
    insiders = cast_players(after, scene, game.at)
    for slot in encounter.order:
        if slot.character is not None and slot.character not in inside:
            _require_played_by(after, slot.character, insiders)


def _require_played_by(state: TableState, who: str, people: Iterable[str]) -> None:
    """Require that a character is an NPC, or that one of some participants owns it.

    Raises Impossible("not-in-whisper").
    """
    character = state.characters.get(who)
    if character is not None and character.owner is not None and character.owner not in people:
        raise Impossible("not-in-whisper", name=public_name(character))


def _scene_numbered(state: TableState, number: int) -> StoryScene | None:
    return next((scene for scene in scenes_of(state) if scene.number == number), None)


# --- who is told ----------------------------------------------------------------------------------


def with_whispers(game: Game, outcome: Outcome, action: Action) -> Outcome:
    """Return an outcome whose events in a whisper scene are told to its cast and the GMs alone.

    No audience is widened, so that the function may be called again on its own result. *game* is
    the table before the action.
    """
    if not outcome.state.counters.whisper:
        return outcome
    audiences = _WhisperAudiences(game, outcome.state, action)
    events = tuple([audiences.narrow(event) for event in outcome.events])
    return outcome.replace(events=events)


class _WhisperAudiences:
    """The audiences of events of one action, by the whisper scenes in which they happened."""

    def __init__(self, game: Game, after: TableState, action: Action) -> None:
        self._before = game.state
        self._game = game.with_state(after)
        self._after = after
        self._action = action
        self._audience_by_place: dict[str, Audience | None] = {}

    def narrow(self, event: Event) -> Event:
        """Return an event with a narrower audience, if it happened in a whisper scene."""
        by_board = isinstance(event, BoardChanged) and event.step in _TOLD_BY_BOARD
        if not (event.audience.everyone or by_board) or event.audience.whisper:
            return event
        if isinstance(event, Notice) and self._is_about_table(event):
            said_in = event.place or self._action.place
            place = open_place(self._before, said_in)
            if place not in (None, said_in):
                return event.replace(place=place)
        audience = self._audience_of(event)
        return event if audience is None else event.replace(audience=self._with_actor(audience))

    def _is_about_table(self, notice: Notice) -> bool:
        """Return whether a notice is about the whole table, and not about a place."""
        if notice.what in _ABOUT_TABLE:
            return True
        return isinstance(self._action, _ACTS_ON_TABLE) and not notice.place

    def _audience_of(self, event: Event) -> Audience | None:
        """Return the audience of the whisper scene in which an event happened, or None."""
        if isinstance(event, CheckChanged | StepInAsked | StepInDecided):
            return self._check_audience(event.check)
        if isinstance(event, RollCallChanged):
            return self._roll_call_audience(event.call)
        if isinstance(event, Said):
            return self._speech_audience(event)
        # A correction is told where its entries were, wherever the GM makes it.
        if isinstance(event, BoardChanged | Amended):
            return self._place_audience(event.place)
        if isinstance(event, Notice) and event.place:
            return self._place_audience(event.place)
        check = self._acted_check()
        if check is not None:
            return self._check_audience(check)
        return self._place_audience(self._action.place)

    def _check_audience(self, key: str) -> Audience | None:
        check = self._after.checks.get(key) or self._before.checks.get(key)
        if check is None or not check.scene:
            return None
        people = {*check.hears}
        for who in cast_of(self._game, check):
            people.update(players_of(self._after, who, self._action.at))
        return whisper_audience(people, check.place)

    def _roll_call_audience(self, key: str) -> Audience | None:
        for state in (self._after, self._before):
            call = state.own.get(roll_call_key(key))
            if isinstance(call, RollCall):
                for check in checks_of(state, call):
                    return self._check_audience(check.id)
                return self._place_audience(call.place)
        return None

    def _speech_audience(self, event: Said) -> Audience | None:
        speech = speech_of(self._after, event.said) or speech_of(self._before, event.said)
        if speech is None or speech.hears is None:
            return None
        return whisper_audience({*speech.hears, speech.by}, speech.place)

    def _place_audience(self, place: str) -> Audience | None:
        if place not in self._audience_by_place:
            before, after = self._before, self._after
            scene = whisper_at(after, place) or whisper_at(before, place)
            audience = None
            if scene is not None:
                audience = scene_audience(before, after, scene, self._action.at)
            self._audience_by_place[place] = audience
        return self._audience_by_place[place]

    def _acted_check(self) -> str | None:
        """Return the check that the action is about, wherever it was answered; None for none."""
        key = getattr(self._action, "check", None)
        if isinstance(self._action, actions.Due):
            key = self._action.wait.partition(".")[0]
        checks: Mapping[str, AnyCheck] = self._after.checks
        if isinstance(key, str) and (key in checks or key in self._before.checks):
            return key
        return None

    def _with_actor(self, audience: Audience) -> Audience:
        """Return an audience with the actor, who is told of their own act."""
        who = self._action.who
        if who.id == SYSTEM or who.id in audience.people or is_gm(self._after, who):
            return audience
        return whisper_audience((*audience.people, who.id), audience.whisper)
