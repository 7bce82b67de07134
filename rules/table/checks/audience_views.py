"""Events about a check: one for each audience, with what that audience may know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, cast

from rules.core.errors import RulesError
from rules.table.absence import is_absent
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Audience,
    Block,
    Fact,
    Note,
    Ref,
    Text,
    blocks_for_audience,
    can_audience_see,
    first_verdict,
    text_for_audience,
)
from rules.table.check import (
    OVER,
    AnsweredBy,
    AnyCheck,
    OpenPrompt,
    OutOfTurn,
    Prompt,
)
from rules.table.checks.access import cast_of, informed_characters, may_answer, players_of
from rules.table.checks.available_moves import is_behind_neutral_button
from rules.table.checks.calls import (
    Call,
    called_characters,
    calls_again,
    calls_of,
    gms_away,
    players_called,
)
from rules.table.checks.deaths import death_blocks, stage_of
from rules.table.checks.engine import CheckAdvance, CheckStep
from rules.table.checks.procedure import AnyProcedure
from rules.table.checks.prompt_times import can_take_more_time
from rules.table.checks.shared_blocks import ROLL_BUTTONS
from rules.table.checks.stages import ProposalData, ProposalStage, can_hold
from rules.table.events import (
    EVERYONE,
    GMS,
    CheckChanged,
    Event,
    PromptView,
    ShownOption,
    StepKind,
    StepView,
)
from rules.table.permissions import is_gm, public_name
from rules.table.state import SYSTEM, TableState
from rules.table.step_in_time import step_in_until
from rules.table.system import Game, is_npc

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
_ROLLED_BLIND: Final = Note(Text("check-rolled-blind"), FOR_EVERYONE, GMS_ONLY)
_ROLLS_WHEN_ANSWERED: Final = Note(Text("rolls-when-answered"), FOR_EVERYONE)
#: Fields of an event that a reader sees.
_LOOKS: Final = ("blocks", "asked", "over", "react", "held_by", "actor", "target", "owner")


def check_view(game: Game, check: AnyCheck, audience: Audience) -> CheckChanged:
    """Return the check as it stands, as every member of the audience may see it."""
    return CheckAudience(game, check).view(audience)


def view_for_actor(game: Game, check: AnyCheck) -> CheckChanged:
    """Return the check as the acting participant may see it."""
    gm = is_gm(game.state, game.actor)
    return check_view(game, check, GMS if gm else Audience(people=(game.actor.id,)))


def events_for(before: TableState, advance: CheckAdvance) -> tuple[Event, ...]:
    """Return the events of an advanced check and its other events; `before` is the earlier
    table.
    """
    events = CheckAudience(advance.game, advance.check).happened(before, advance.took)
    return (*events, *advance.events)


def reopened_events(before: TableState, game: Game, check: AnyCheck) -> tuple[Event, ...]:
    """Return the events of a check that an undo has restored; `before` is the table before the
    undo.
    """
    return CheckAudience(game, check).reopened(before)


class TableNames:
    """Names and players of characters at one time, for `blocks_for_audience`.

    Every participant who may answer for a character plays it. `disguised` tells whether a named
    character has different names for different audiences.
    """

    __slots__ = ("_at", "_known", "_played", "_state", "disguised")

    def __init__(self, state: TableState, at: int = 0) -> None:
        self._state, self._at = state, at
        self._known: tuple[dict[str, Ref], dict[str, Ref]] = {}, {}
        self._played: dict[str, tuple[str, ...]] = {}
        self.disguised = False

    def ref_for(self, character: str, audience: Audience) -> Ref:
        """Return the real name for GMs alone, else the public name; empty if the character is
        gone.
        """
        gms = audience.gms and not (audience.everyone or audience.people)
        known = self._known[gms]
        if character not in known:
            known[character] = self._called(character, gms=gms)
        return known[character]

    def _called(self, character: str, *, gms: bool) -> Ref:
        found = self._state.characters.get(character)
        if found is None:
            return Ref()
        self.disguised |= found.stage != "revealed"
        if gms:
            return Ref(name=found.name, alias=found.alias if found.stage == "aliased" else "")
        return Ref(name=public_name(found))

    def players(self, character: str) -> tuple[str, ...]:
        """Return the character's owner and the participants who may answer for it."""
        if character not in self._played:
            self._played[character] = players_of(self._state, character, self._at)
        return self._played[character]


class CheckAudience:
    """One check, and the participants who are told of it."""

    def __init__(self, game: Game, check: AnyCheck) -> None:
        self._game = game
        self._check = check
        self._names = TableNames(game.state, game.at)
        self._course: AnyProcedure = game.system.procedures[check.kind]
        self._blocks = _described(game, check, self._course)
        self._told: dict[int, Block] = {}  # as all others read them than the GMs by themselves

    # --- as it stands -----------------------------------------------------------------------------

    def view(self, audience: Audience) -> CheckChanged:
        check, names = self._check, self._names
        character = self._game.state.characters.get(check.actor)
        asked: list[PromptView] = []
        react = False
        for pending in check.asked:
            if pending.prompt.visible_to is None or can_audience_see(
                pending.prompt.visible_to, audience, names
            ):
                asked.append(self._awaited(pending, audience))
                react = react or is_behind_neutral_button(pending)
        over = not check.is_open or (bool(check.asked) and not asked)
        react = react or (bool(asked) and self._has_neutral_choice())
        return CheckChanged(
            audience=audience,
            check=check.id,
            kind=check.kind,
            place=check.place,
            step="over" if over else "moved",
            by=SYSTEM,
            blocks=self._read_by(audience),
            asked=tuple(asked),
            over=over,
            react=react,
            held_by=() if over else self._held_by(),
            step_in_until=self._step_in_until,
            actor=names.ref_for(check.actor, audience) if check.actor else None,
            owner=None if character is None else character.owner,
            target=None if check.target is None else names.ref_for(check.target, audience),
            characters=tuple(
                [
                    who
                    for who in dict.fromkeys([check.actor, check.target])
                    if who and names.ref_for(who, audience).name
                ]
            ),
            visibility=check.visibility,
            gm_only=check.gm_only,
        )

    def _has_neutral_choice(self) -> bool:
        """Return whether the neutral button leads to more than the prompts behind it."""
        game, check = self._game, self._check
        stage = self._course.stages.get(check.stage)
        rolls = isinstance(stage, ProposalStage) and stage.offers_roll_choice(game, check)
        return rolls or bool(check.held_for) or can_hold(game, check)

    def _held_by(self) -> tuple[str, ...]:
        """Return the participants who want a say before the check stands."""
        characters = self._game.state.characters
        owners = [characters[who].owner for who in self._check.held_for if who in characters]
        return tuple(dict.fromkeys([owner for owner in owners if owner is not None]))

    @property
    def _step_in_until(self) -> int | None:
        """Time until which players may change the result; None: they may not, or not any more."""
        check, stages = self._check, self._course.stages.values()
        if check.visibility == "blind" or not any(stage.step_in for stage in stages):
            return None
        if not self._course.dice_have_fallen(check.data):
            return None
        until = step_in_until(self._game.state.settings, check, self._game.at)
        return None if until is not None and until < self._game.at else until

    def _read_by(self, audience: Audience) -> tuple[Block, ...]:
        told = self._told
        if audience.gms and not audience.people:
            # The GMs read the same blocks if no character was named so far that GMs call otherwise.
            # A copy keeps their own blocks out of the shared ones.
            told = {} if self._names.disguised else dict(told)
        return blocks_for_audience(self._blocks, audience, self._names, told)

    def _awaited(self, asked: OpenPrompt, audience: Audience) -> PromptView:
        """Return a prompt as an audience sees it. A secret prompt names every character it has
        asked.
        """
        prompt, names = asked.prompt, self._names
        who: list[Ref] = []
        people: dict[str, None] = {}
        away: dict[str, None] = {}
        gms = False
        for each in asked.named if prompt.secret and prompt.wait else called_characters(asked):
            if players := names.players(each):
                who.append(names.ref_for(each, audience))
                people |= dict.fromkeys(players)
                if is_absent(self._game.state, each, self._game.at):
                    away[players[0]] = None
            else:
                gms = True
        return PromptView(
            prompt.key,
            asked.number,
            tuple(who),
            tuple(people),
            gms,
            None if self._game.state.settings.pause is not None else asked.due,
            prompt.button,
            self._is_about_result(prompt),
            self._choices(asked) if prompt.shown else (),
            tuple(away),
            can_take_more_time(self._game.state, asked),
        )

    def _is_about_result(self, prompt: Prompt) -> bool:
        """Return whether a prompt is about a result that lies there and may still change.

        One with a button of its own can be passed on the message before dice fall, too.
        """
        if prompt.wait == "means" and prompt.button is None:
            return self._course.dice_have_fallen(self._check.data)
        return prompt.wait in ("react", "means")

    def _choices(self, asked: OpenPrompt) -> tuple[ShownOption, ...]:
        stage, prompt = stage_of(self._game, self._check), asked.prompt
        first = (prompt.who or ("",))[0]
        choices: list[ShownOption] = []
        for option in stage.options(self._game, self._check, prompt.key, first):
            if option.line and option.short:
                choices.append(ShownOption(option.value, option.line, option.short))
        return tuple(choices)

    # --- what happened ----------------------------------------------------------------------------

    def reopened(self, before: TableState) -> tuple[CheckChanged, ...]:
        """Return an event for each audience that sees something new in a restored check."""
        by, was = self._game.actor.id, before.checks.get(self._check.id)
        found = [
            self.view(audience).replace(step="reopened", by=by) for audience in self._audiences(())
        ]
        if was is not None:
            found = [each for each in found if not self._as_before(was, before, each)]
        # The message that called them was taken away with the undone step.
        return self._apart(found, calls_again(self._check), again=True)

    def happened(self, before: TableState, took: tuple[CheckStep, ...]) -> tuple[CheckChanged, ...]:
        """Return one event for each audience that notices something."""
        check = self._check
        was = before.checks.get(check.id)
        done = _done(took)
        openly = was is None or all(each.visible_to is None and not kept for each, kept in done)
        revealed = self._reveals(was, before, done)
        calls = calls_of(check, was, took, self._names.players)
        computable = revealed and self._is_computable(was, before, done)
        found: list[CheckChanged] = []
        for audience in self._audiences(took, openly=openly):
            if openly and found and self._alike_but_for_blocks:
                blocks = self._read_by(audience)
                if found[0].audience.everyone and blocks == found[0].blocks:
                    continue
                event = found[0].replace(audience=audience, blocks=blocks)
            else:
                event = self._event(audience, done, revealed=revealed, computable=computable)
            if openly or event.took or was is None or not self._as_before(was, before, event):
                found.append(event)
        if (
            check.visibility == "public"
            and found
            and not (check.gm_only or found[0].audience.everyone)
        ):
            found = [each.replace(secret=True) for each in found]
        return self._apart(found, calls)

    @property
    def _alike_but_for_blocks(self) -> bool:
        """Whether all audiences see the same besides some blocks, once the public event is made."""
        return not (self._names.disguised or any(map(_is_private, self._check.asked)))

    @property
    def _apart_by_blocks(self) -> bool:
        """Whether audiences are told different blocks.

        A note for the GMs alone makes no difference at a table without a channel for GMs. It stands
        in the panel that they open.
        """
        told = self._game.state.settings.gm_place is not None
        for block in self._blocks:
            if block.hidden_from is not None or (
                block.visible_to is not None
                and (told or block.visible_to or not isinstance(block, Note))
            ):
                return True
        return False

    def _audiences(self, took: Iterable[CheckStep], *, openly: bool = False) -> Iterator[Audience]:
        """Yield the audiences that may know of the check: all players, each who may know more, the
        GMs.

        If it happens `openly`, audiences that are told the same as all players are left out. The
        public event is made before the next audience is yielded.
        """
        check = self._check
        if check.gm_only:
            yield GMS
            return
        public = check.visibility == "public"
        if public:
            yield EVERYONE
            if openly and self._alike_but_for_blocks:
                if not self._apart_by_blocks:
                    return  # nearly every step of every check ends here
                if not any(block.visible_to or block.hidden_from for block in self._blocks):
                    yield GMS  # no block is for anybody besides
                    return
        who = [*informed_characters(self._game, check)]
        if public:
            who += [each for asked in check.asked if _is_private(asked) for each in asked.named]
            who += [step.who for step in took if step.secret or step.visible_to is not None]
        people = dict.fromkeys([person for each in who for person in self._names.players(each)])
        gms = self._game.state.settings.gms
        yield from [Audience(people=(each,)) for each in people if each not in gms]
        yield GMS

    def _event(
        self,
        audience: Audience,
        done: tuple[tuple[CheckStep, bool], ...],
        *,
        revealed: bool,
        computable: bool,
    ) -> CheckChanged:
        event = self.view(audience)
        names = self._names
        taken: list[StepView] = []
        for step, kept in done:
            # Of a secret step, only the character's players and the GMs learn while its stage goes
            # on.
            open_to = step.visible_to is None or can_audience_see(step.visible_to, audience, names)
            if open_to and (not kept or can_audience_see((step.who,), audience, names)):
                said = None if step.said is None else text_for_audience(step.said, audience, names)
                who = names.ref_for(step.who, audience) if step.who else None
                by = self._owner_away(step)
                taken.append(StepView(step.step, who, said, _how(self._game, step), by=by))
        more: dict[str, Any] = {
            "took": tuple(taken),
            "revealed": revealed,
            "computable": computable,
        }
        if taken:
            more["by"], more["by_gm"] = (
                self._game.actor.id,
                is_gm(self._game.state, self._game.actor),
            )
            steps = [view.step for view in taken]
            head = taken[steps.index(next(filter(steps.__contains__, _HEADS)))]
            more["step"] = head.step
            if head.step in ("chosen", "passed"):
                more["who"], more["said"] = head.who, head.said
        return event.replace(**more)

    def _owner_away(self, step: CheckStep) -> str:
        """Return the participant because of whose absence a step was taken; empty for others."""
        character = self._game.state.characters.get(step.who)
        return (character.owner or "") if step.how == "away" and character is not None else ""

    def _as_before(self, was: AnyCheck, before: TableState, event: CheckChanged) -> bool:
        """Return whether an audience sees the same of the check as before."""
        earlier = CheckAudience(self._game.with_state(before), was).view(event.audience)
        return all(getattr(earlier, name) == getattr(event, name) for name in _LOOKS)

    def _reveals(
        self, was: AnyCheck | None, before: TableState, done: tuple[tuple[CheckStep, bool], ...]
    ) -> bool:
        """Return whether a participant has learned something new: dice, a result, or another's
        choice.
        """
        game = self._game
        for step, kept in done:
            if step.secret and not kept:
                return True
            if step.how in ("order", "away") and not may_answer(
                game.state, game.actor, step.who, game.at
            ):
                return True
        data, dice_have_fallen = self._check.data, self._course.dice_have_fallen
        if not dice_have_fallen(data) or (was is not None and was.data is data):
            return False
        if was is None or not dice_have_fallen(was.data):
            return True
        return _described(game.with_state(before), was, self._course) != self._blocks

    def _is_computable(
        self, was: AnyCheck | None, before: TableState, done: tuple[tuple[CheckStep, bool], ...]
    ) -> bool:
        """Return whether players could have computed all that a step revealed.

        If so, its player may undo the step. The journal entry tells whether dice were drawn.
        """
        game, check, dice_have_fallen = self._game, self._check, self._course.dice_have_fallen
        if was is None or not dice_have_fallen(was.data) or not dice_have_fallen(check.data):
            return False
        if check.hidden or check.visibility != "public" or check.gm_only:
            return False
        if any(step.secret or step.how in ("order", "away") for step, _ in done):
            return False
        for who in cast_of(game, check):
            character = game.state.characters.get(who)
            if character is None or character.owner is None:
                return False  # only GMs know an NPC's sheet
        blocks = (*_described(game.with_state(before), was, self._course), *self._blocks)
        return all(block.visible_to is None and block.hidden_from is None for block in blocks)

    # --- who is called ----------------------------------------------------------------------------

    def _apart(
        self, events: list[CheckChanged], calls: tuple[Call, ...], *, again: bool = False
    ) -> tuple[CheckChanged, ...]:
        """Return the events with the participants that they call.

        An event that says no more than the public one is left out. `again`: the GMs are called even
        if a GM has done it, since their buttons stand nowhere else.
        """
        if not calls and len(events) == 1 and events[0].audience.everyone:
            return tuple(events)
        by, by_gm = self._game.actor.id, is_gm(self._game.state, self._game.actor) and not again
        public = self._check.visibility == "public" and not self._check.gm_only
        whole = events[0] if events and events[0].audience.everyone else None
        alike = [] if whole is None else [each for each in events[1:] if _alike(each, whole)]
        found: list[CheckChanged] = []
        for event in cast("list[Any]", events):
            openly, gms = event is whole, False
            people: dict[str, None] = {}
            for who, seen in calls:
                if openly == (whole is not None and seen is None):
                    players, for_gms = players_called(self._game, who)
                    gms |= for_gms and not by_gm and (openly or event.audience.gms)
                    for player in players:
                        if player != by and (openly or player in event.audience.people):
                            people[player] = None
            # The copy in the GM channel has lost its buttons with the undone step. An event that
            # every audience reads alike has no copy.
            copied = again and event.audience.gms and self._game.state.settings.gm_place is not None
            copied = copied and not any(event is each for each in alike)
            said = bool(people) or gms or copied
            if not said and any(event is each for each in alike):
                continue
            # GMs need no message while no dice have fallen and nothing asks them: they can look.
            idle = event.audience.gms and (
                by_gm or not self._course.dice_have_fallen(self._check.data)
            )
            quiet = not openly and not said and (public or idle)
            spared = gms_away(self._game) if gms else ()
            found.append(
                event.replace(ping=tuple(people), ping_gms=gms, quiet=quiet, spared=spared)
            )
        return tuple(found)


def _described(game: Game, check: AnyCheck, course: AnyProcedure) -> tuple[Block, ...]:
    """Return the blocks of a check.

    If the GMs are asked in secret, the blocks are those of a check that is over. Every player
    learns that blind dice have fallen.
    """
    secret = bool(check.asked) and all(asked.prompt.visible_to == GMS_ONLY for asked in check.asked)
    blocks = course.describe(game, check.replace(stage=OVER) if secret else check)
    data = check.data
    if isinstance(data, ProposalData) and data.rolls_when_answered and not data.answer:
        blocks = (*blocks, _ROLLS_WHEN_ANSWERED)
    blocks = death_blocks(check, blocks)
    if check.out_of_turn is not None:
        blocks = (*blocks, Note(turn_line(game, check.out_of_turn), FOR_EVERYONE))
    blocks = (*blocks, *_step_in_notes(check, blocks))
    blocks = (*blocks, *_next_roll_facts(game, check, course))
    blind = (
        check.visibility == "blind" and not check.gm_only and course.dice_have_fallen(check.data)
    )
    return (*blocks, _ROLLED_BLIND) if blind else blocks


def _next_roll_facts(game: Game, check: AnyCheck, course: AnyProcedure) -> tuple[Fact, ...]:
    """Return the dice of the roll that is asked for, and its chance against an open difficulty."""
    asked = next(
        (pending.prompt for pending in check.asked if pending.prompt.button in ROLL_BUTTONS),
        None,
    )
    if asked is None or course.next_roll is None:
        return ()
    try:
        found = course.next_roll(game, check)
    except RulesError:
        return ()
    if found is None:
        return ()
    chance = None
    if found.chance is not None and not check.hidden:
        chance = Text("percent", {"share": str(found.chance)})
    who = next(iter(asked.who or ()), check.actor)
    seen = GMS_ONLY if is_npc(game, who) else FOR_EVERYONE
    return (Fact(Text("check-next-roll", {"chance": chance}), found.dice, seen),)


def _step_in_notes(check: AnyCheck, blocks: tuple[Block, ...]) -> tuple[Note, ...]:
    """Return a line for each choice made after the result."""
    verdict = first_verdict(blocks)
    found: list[Note] = []
    for step_in in check.step_ins:
        changed = verdict is not None and verdict.worked != step_in.worked
        was = None
        if changed and step_in.worked is not None:
            was = "success" if step_in.worked else "failure"
        said = Text(step_in.code, step_in.params) if step_in.code else None
        if any(isinstance(block, Note) and block.text == said for block in blocks):
            said = None  # it stands there already
        text = Text("stepped-in", {"who": Ref(step_in.who), "said": said, "was": was})
        found.append(Note(text, FOR_EVERYONE))
    return tuple(found)


def turn_line(game: Game, turn: OutOfTurn) -> Text:
    """Return the line that a check began out of turn."""
    who = turn.who
    named = Ref(who) if who in game.state.characters else turn.name or None
    if turn.ends:
        return Text("out-of-turn", {"busy": named, "ends": turn.ends})
    return Text("out-of-turn", {"who": named})


def _how(game: Game, took: CheckStep) -> AnsweredBy | Literal["stand-in"]:
    """Return how a step was answered; "stand-in" if for another participant's character."""
    character = game.state.characters.get(took.who)
    own = character is None or character.owner in (None, game.actor.id)
    return took.how if own or took.how != "self" else "stand-in"


def _is_private(asked: OpenPrompt) -> bool:
    """Return whether audiences see different things of a prompt."""
    return asked.prompt.secret or asked.prompt.visible_to is not None


def _alike(one: CheckChanged, other: CheckChanged) -> bool:
    return one.blocks == other.blocks and one.replace(audience=other.audience) == other


def _done(took: tuple[CheckStep, ...]) -> tuple[tuple[CheckStep, bool], ...]:
    """Return the steps that were taken, each with whether it is still secret.

    A step is secret until its stage is over.
    """
    found: list[tuple[CheckStep, bool]] = []
    ended = False
    for step in reversed(took):
        if step.step not in _BY_ITSELF:
            found.append((step, step.secret and not ended))
        ended = ended or step.step in _ENDS
    return tuple(found[::-1])
