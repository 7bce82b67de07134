"""Events about a check: one for each audience that notices something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

from rules.core.record import Record
from rules.table.blocks import (
    Audience,
    Note,
    can_audience_see,
    text_for_audience,
)
from rules.table.check import (
    AnsweredBy,
    AnyCheck,
    OpenPrompt,
)
from rules.table.checks.access import cast_of, informed_characters, may_answer
from rules.table.checks.audience_views import CheckViewer
from rules.table.checks.calls import (
    Call,
    calls_again,
    calls_of,
    gms_away,
    players_called,
)
from rules.table.checks.check_run import CheckAdvance, CheckStep
from rules.table.checks.described_blocks import describe_check
from rules.table.events import (
    EVERYONE,
    GMS,
    CheckChanged,
    Event,
    StepKind,
    StepView,
)
from rules.table.permissions import is_gm
from rules.table.state import TableState
from rules.table.system import Game

#: Kind of an event with several steps: the first of these that occurs.
_HEADS: Final[tuple[StepKind, ...]] = (
    "begun",
    "ended",
    "chosen",
    "passed",
    "reminded",
    "stalled",
    "called",
)
#: Steps that happen by themselves and show in the check; then steps that end a stage and its
#: secrets.
_BY_ITSELF: Final = ("moved", "over")
_ENDS: Final = (*_BY_ITSELF, "ended")
#: Fields of an event that a reader sees.
_LOOKS: Final = ("blocks", "asked", "over", "react", "held_by", "actor", "target", "owner")


class _TakenStep(Record):
    """A step of a check, and whether it is still a secret."""

    step: CheckStep
    #: The step is secret, and its stage isn't over.
    is_secret: bool


def events_for(before: TableState, advance: CheckAdvance) -> tuple[Event, ...]:
    """Return the events of an advanced check, and its other events.

    *before* is the table before the advance.
    """
    events = _CheckEvents(advance.game, advance.check).events_of_steps(before, advance.took)
    return (*events, *advance.events)


def reopened_events(before: TableState, game: Game, check: AnyCheck) -> tuple[Event, ...]:
    """Return the events of a check that an undo has restored.

    *before* is the table before the undo.
    """
    return _CheckEvents(game, check).events_of_undo(before)


def carried_events(game: Game, check: AnyCheck) -> tuple[Event, ...]:
    """Return the events of an open check that goes on in another place."""
    return _CheckEvents(game, check).events_of_move()


class _CheckEvents:
    """Events about one check, and the calls in them."""

    def __init__(self, game: Game, check: AnyCheck) -> None:
        self._game = game
        self._check = check
        self._viewer = CheckViewer(game, check)
        self._names = self._viewer.names
        self._course = self._viewer.course
        self._gm_acts = is_gm(game.state, game.actor)

    def events_of_undo(self, before: TableState) -> tuple[CheckChanged, ...]:
        """Return an event for each audience that sees something new in a restored check."""
        by, was = self._game.actor.id, before.checks.get(self._check.id)
        events: list[CheckChanged] = []
        for audience in self._audiences(()):
            event = self._viewer.view(audience).replace(step="reopened", by=by)
            elsewhere = was is not None and was.place != self._check.place
            if was is None or elsewhere or not self._looks_as_before(was, before, event):
                events.append(event)
        # The message that called them was taken away with the undone step.
        return self._with_calls(events, calls_again(self._check), again=True)

    def events_of_move(self) -> tuple[CheckChanged, ...]:
        """Return the public event of a check in another place, and events that call players."""
        by = self._game.actor.id
        events: list[CheckChanged] = []
        for audience in self._audiences(()):
            events.append(self._viewer.view(audience).replace(step="carried", by=by))
        called = self._with_calls(events, calls_again(self._check))
        return tuple(
            event for event in called if event.audience.everyone or event.ping or event.ping_gms
        )

    def events_of_steps(
        self, before: TableState, took: tuple[CheckStep, ...]
    ) -> tuple[CheckChanged, ...]:
        """Return one event for each audience that notices something."""
        check = self._check
        was = before.checks.get(check.id)
        steps = _taken_steps(took)
        is_open = was is None or all(_is_open(taken) for taken in steps)
        revealed = self._reveals(was, before, steps)
        calls = calls_of(check, was, took, self._names.players)
        computable = revealed and self._is_computable(was, before, steps)
        events: list[CheckChanged] = []
        for audience in self._audiences(took, is_open=is_open):
            if is_open and events and self._differs_by_blocks_only:
                blocks = self._viewer.blocks_for(audience)
                if events[0].audience.everyone and blocks == events[0].blocks:
                    continue
                event = events[0].replace(audience=audience, blocks=blocks)
            else:
                event = self._event(audience, steps, revealed=revealed, computable=computable)
            if not (is_open or event.took or was is None):
                if self._looks_as_before(was, before, event):
                    continue
            events.append(event)
        if check.is_public and events and not events[0].audience.everyone:
            events = [event.replace(secret=True) for event in events]
        return self._with_calls(events, calls)

    # --- audiences --------------------------------------------------------------------------------

    @property
    def _differs_by_blocks_only(self) -> bool:
        """True if all audiences see the same besides some blocks, once the public event is made."""
        return not (self._names.disguised or any(map(_is_private, self._check.asked)))

    @property
    def _has_different_blocks(self) -> bool:
        """True if audiences are told different blocks.

        A note for the GMs alone makes no difference at a table without a channel for GMs. It stands
        in the panel that they open.
        """
        has_gm_place = self._game.state.settings.gm_place is not None
        for block in self._viewer.blocks:
            if block.hidden_from is not None:
                return True
            if block.visible_to is None:
                continue
            if has_gm_place or block.visible_to or not isinstance(block, Note):
                return True
        return False

    def _audiences(self, took: Iterable[CheckStep], *, is_open: bool = False) -> Iterator[Audience]:
        """Yield the audiences that may know of the check: all players, single players, the GMs.

        Single players are those who may know more than all. If all steps are open (*is_open*),
        audiences that are told the same as all players are left out. The public event is made
        before the next audience is yielded.
        """
        check = self._check
        if check.gm_only:
            yield GMS
            return
        public = check.visibility == "public"
        if public:
            yield EVERYONE
            if is_open and self._differs_by_blocks_only:
                if not self._has_different_blocks:
                    return  # nearly every step of every check ends here
                if not any(block.visible_to or block.hidden_from for block in self._viewer.blocks):
                    yield GMS  # no block is for a single player
                    return
        gms = self._game.state.settings.gms
        for person in self._informed_people(took, public=public):
            if person not in gms:
                yield Audience(people=(person,))
        yield GMS

    def _informed_people(self, took: Iterable[CheckStep], *, public: bool) -> Iterable[str]:
        """Return the participants who may know more of the check than all players."""
        characters = [*informed_characters(self._game, self._check)]
        if public:
            for asked in self._check.asked:
                if _is_private(asked):
                    characters += asked.named
            characters += [step.who for step in took if step.secret or step.visible_to is not None]
        people: dict[str, None] = {}
        for who in characters:
            people |= dict.fromkeys(self._names.players(who))
        return people

    # --- one event --------------------------------------------------------------------------------

    def _event(
        self,
        audience: Audience,
        steps: tuple[_TakenStep, ...],
        *,
        revealed: bool,
        computable: bool,
    ) -> CheckChanged:
        """Return the event for an audience, with the steps that it may know of."""
        event = self._viewer.view(audience)
        views = [
            self._step_view(taken.step, audience)
            for taken in steps
            if self._may_know_step(taken, audience)
        ]
        changes: dict[str, Any] = {
            "took": tuple(views),
            "revealed": revealed,
            "computable": computable,
        }
        if views:
            head = _head_of(views)
            changes |= {"by": self._game.actor.id, "by_gm": self._gm_acts, "step": head.step}
            if head.step in ("chosen", "passed"):
                changes |= {"who": head.who, "said": head.said}
        return event.replace(**changes)

    def _may_know_step(self, taken: _TakenStep, audience: Audience) -> bool:
        """Return whether an audience may know of a step."""
        step, names = taken.step, self._names
        if step.visible_to is not None and not can_audience_see(step.visible_to, audience, names):
            return False
        return not taken.is_secret or can_audience_see((step.who,), audience, names)

    def _step_view(self, step: CheckStep, audience: Audience) -> StepView:
        names = self._names
        said = None if step.said is None else text_for_audience(step.said, audience, names)
        who = names.ref_for(step.who, audience) if step.who else None
        how = _answer_mode(self._game, step)
        return StepView(step.step, who, said, how, by=self._absent_owner(step))

    def _absent_owner(self, step: CheckStep) -> str:
        """Return the participant because of whose absence a step was taken; empty for others."""
        character = self._game.state.characters.get(step.who)
        return (character.owner or "") if step.how == "away" and character is not None else ""

    def _looks_as_before(self, was: AnyCheck, before: TableState, event: CheckChanged) -> bool:
        """Return whether an audience sees the same of the check as before."""
        earlier = CheckViewer(self._game.with_state(before), was).view(event.audience)
        return all(getattr(earlier, name) == getattr(event, name) for name in _LOOKS)

    def _reveals(
        self, was: AnyCheck | None, before: TableState, steps: tuple[_TakenStep, ...]
    ) -> bool:
        """Return whether a participant has learned dice, a result, or another's choice."""
        game = self._game
        for taken in steps:
            step = taken.step
            if step.secret and not taken.is_secret:
                return True
            by_order = step.how in ("order", "away")
            if by_order and not may_answer(game.state, game.actor, step.who, game.at):
                return True
        data, dice_have_fallen = self._check.data, self._course.dice_have_fallen
        if not dice_have_fallen(data) or (was is not None and was.data is data):
            return False
        if was is None or not dice_have_fallen(was.data):
            return True
        blocks_before = describe_check(game.with_state(before), was, self._course)
        return blocks_before != self._viewer.blocks

    def _is_computable(
        self, was: AnyCheck | None, before: TableState, steps: tuple[_TakenStep, ...]
    ) -> bool:
        """Return whether players could have computed all that a step revealed.

        If so, its player may undo the step. The journal entry tells whether dice were drawn.
        """
        game, check, dice_have_fallen = self._game, self._check, self._course.dice_have_fallen
        if was is None or not dice_have_fallen(was.data) or not dice_have_fallen(check.data):
            return False
        if check.hidden or not check.is_public:
            return False
        for taken in steps:
            if taken.step.secret or taken.step.how in ("order", "away"):
                return False
        for who in cast_of(game, check):
            character = game.state.characters.get(who)
            if character is None or character.owner is None:
                return False  # only GMs know an NPC's sheet
        blocks_before = describe_check(game.with_state(before), was, self._course)
        blocks = (*blocks_before, *self._viewer.blocks)
        return all(block.visible_to is None and block.hidden_from is None for block in blocks)

    # --- calls ------------------------------------------------------------------------------------

    def _with_calls(
        self, events: list[CheckChanged], calls: tuple[Call, ...], *, again: bool = False
    ) -> tuple[CheckChanged, ...]:
        """Return the events with the participants that they call.

        An event that says no more than the public one is left out. With *again*, the GMs are called
        even if a GM has acted, since their buttons stand nowhere else.
        """
        if not calls and len(events) == 1 and events[0].audience.everyone:
            return tuple(events)
        first = events[0] if events else None
        public_event = first if first is not None and first.audience.everyone else None
        with_calls: list[CheckChanged] = []
        for event in events:
            is_public = event is public_event
            repeats = public_event is not None and not is_public and _is_same(event, public_event)
            people, gms = self._called_by(event, public_event, calls, again=again)
            # The copy in the GM channel has lost its buttons with the undone step. An event that
            # every audience reads alike has no copy.
            has_copy = self._game.state.settings.gm_place is not None and not repeats
            needed = bool(people) or gms or (again and event.audience.gms and has_copy)
            if repeats and not needed:
                continue
            quiet = not is_public and not needed and self._needs_no_message(event, again=again)
            spared = gms_away(self._game) if gms else ()
            with_calls.append(event.replace(ping=people, ping_gms=gms, quiet=quiet, spared=spared))
        return tuple(with_calls)

    def _called_by(
        self,
        event: CheckChanged,
        public_event: CheckChanged | None,
        calls: tuple[Call, ...],
        *,
        again: bool,
    ) -> tuple[tuple[str, ...], bool]:
        """Return the participants that an event calls, and whether it calls the GMs.

        The public event makes the calls about prompts that everybody may know of, the others make
        the rest.
        """
        is_public = event is public_event
        gms_may_be_called = again or not self._gm_acts
        people: dict[str, None] = {}
        gms = False
        for who, visible_to in calls:
            is_public_call = public_event is not None and visible_to is None
            if is_public != is_public_call:
                continue
            players, for_gms = players_called(self._game, who)
            if for_gms and gms_may_be_called and (is_public or event.audience.gms):
                gms = True
            for player in players:
                is_told = is_public or player in event.audience.people
                if is_told and player != self._game.actor.id:
                    people[player] = None
        return tuple(people), gms

    def _needs_no_message(self, event: CheckChanged, *, again: bool) -> bool:
        """Return whether an event that calls nobody needs no message.

        The public message shows a public check. GMs need no message after an act of their own, nor
        before dice have fallen: they can look.
        """
        check = self._check
        if check.is_public:
            return True
        by_gm = self._gm_acts and not again
        return event.audience.gms and (by_gm or not self._course.dice_have_fallen(check.data))


def _head_of(views: list[StepView]) -> StepView:
    """Return the step by which an event of several steps is named."""
    kinds = [view.step for view in views]
    head = next(kind for kind in _HEADS if kind in kinds)
    return views[kinds.index(head)]


def _answer_mode(game: Game, step: CheckStep) -> AnsweredBy | Literal["stand-in"]:
    """Return how a step was answered; "stand-in" if for another participant's character."""
    character = game.state.characters.get(step.who)
    own = character is None or character.owner in (None, game.actor.id)
    return step.how if own or step.how != "self" else "stand-in"


def _is_private(asked: OpenPrompt) -> bool:
    """Return whether audiences see different things of a prompt."""
    return asked.prompt.secret or asked.prompt.visible_to is not None


def _is_open(taken: _TakenStep) -> bool:
    """Return whether every participant who sees the check learns of a step."""
    return taken.step.visible_to is None and not taken.is_secret


def _is_same(one: CheckChanged, other: CheckChanged) -> bool:
    """Return whether two events differ in nothing but their audience."""
    return one.blocks == other.blocks and one.replace(audience=other.audience) == other


def _taken_steps(took: tuple[CheckStep, ...]) -> tuple[_TakenStep, ...]:
    """Return the steps that were taken, without those that show in the check by themselves.

    A step is secret until its stage is over.
    """
    steps: list[_TakenStep] = []
    stage_is_over = False
    for step in reversed(took):
        if step.step not in _BY_ITSELF:
            steps.append(_TakenStep(step, step.secret and not stage_is_over))
        stage_is_over = stage_is_over or step.step in _ENDS
    return tuple(reversed(steps))
