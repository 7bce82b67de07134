"""Views of a check: what each audience may see of it as it stands."""

from __future__ import annotations

from rules.table.absence import is_absent
from rules.table.blocks import (
    Audience,
    Block,
    Ref,
    Text,
    blocks_for_audience,
    can_audience_see,
)
from rules.table.check import (
    PASS,
    AnyCheck,
    OpenPrompt,
    Prompt,
)
from rules.table.checks.audience_names import TableNames
from rules.table.checks.available_moves import is_behind_neutral_button
from rules.table.checks.calls import (
    called_characters,
)
from rules.table.checks.deaths import stage_of
from rules.table.checks.described_blocks import describe_check
from rules.table.checks.procedure import AnyProcedure
from rules.table.checks.prompt_times import can_take_more_time
from rules.table.checks.stages import ProposalStage, can_hold
from rules.table.checks.step_in_time import step_in_until
from rules.table.events import (
    GMS,
    CheckChanged,
    PromptView,
    ShownOption,
)
from rules.table.permissions import is_gm
from rules.table.state import SYSTEM
from rules.table.system import Game


def check_view(game: Game, check: AnyCheck, audience: Audience) -> CheckChanged:
    """Return the check as it stands, as every member of the audience may see it."""
    return CheckViewer(game, check).view(audience)


def view_for_actor(game: Game, check: AnyCheck) -> CheckChanged:
    """Return the check as the acting participant may see it."""
    gm = is_gm(game.state, game.actor)
    return check_view(game, check, GMS if gm else Audience(people=(game.actor.id,)))


class CheckViewer:
    """One check as each audience may see it."""

    def __init__(self, game: Game, check: AnyCheck) -> None:
        self.game = game
        self.check = check
        self.names = TableNames(game.state, game.at)
        self.course: AnyProcedure = game.system.procedures[check.kind]
        self.blocks = describe_check(game, check, self.course)
        #: Blocks as every audience but the GMs alone reads them, by the block's identity.
        self._shared_blocks: dict[int, Block] = {}

    def view(self, audience: Audience) -> CheckChanged:
        """Return the check as an audience may see it."""
        check, names = self.check, self.names
        character = self.game.state.characters.get(check.actor)
        asked: list[PromptView] = []
        react = False
        for pending in check.asked:
            visible_to = pending.prompt.visible_to
            if visible_to is None or can_audience_see(visible_to, audience, names):
                asked.append(self._prompt_view(pending, audience))
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
            blocks=self.blocks_for(audience),
            asked=tuple(asked),
            over=over,
            react=react,
            held_by=() if over else self._held_by(),
            step_in_until=self._step_in_until,
            actor=names.ref_for(check.actor, audience) if check.actor else None,
            owner=None if character is None else character.owner,
            target=None if check.target is None else names.ref_for(check.target, audience),
            characters=self._named_characters(audience),
            visibility=check.visibility,
            gm_only=check.gm_only,
            group=check.group,
        )

    def _named_characters(self, audience: Audience) -> tuple[str, ...]:
        """Return the actor and the target, if an audience knows a name of them."""
        named: list[str] = []
        for who in dict.fromkeys([self.check.actor, self.check.target]):
            if who and self.names.ref_for(who, audience).name:
                named.append(who)
        return tuple(named)

    def _has_neutral_choice(self) -> bool:
        """Return whether the neutral button leads to more than the prompts behind it."""
        game, check = self.game, self.check
        stage = self.course.stages.get(check.stage)
        rolls = isinstance(stage, ProposalStage) and stage.offers_roll_choice(game, check)
        return rolls or bool(check.held_for) or can_hold(game, check)

    def _held_by(self) -> tuple[str, ...]:
        """Return the participants who want a say before the check stands."""
        characters = self.game.state.characters
        owners = [characters[who].owner for who in self.check.held_for if who in characters]
        return tuple(dict.fromkeys([owner for owner in owners if owner is not None]))

    @property
    def _step_in_until(self) -> int | None:
        """Time until which players may change the result; None: they may not, or not any more."""
        check, stages = self.check, self.course.stages.values()
        if check.visibility == "blind" or not any(stage.step_in for stage in stages):
            return None
        if not self.course.dice_have_fallen(check.data):
            return None
        until = step_in_until(self.game.state.settings, check, self.game.at)
        return None if until is not None and until < self.game.at else until

    def blocks_for(self, audience: Audience) -> tuple[Block, ...]:
        """Return the blocks of the check as an audience reads them."""
        shared = self._shared_blocks
        if audience.gms and not audience.people:
            # The GMs read the same blocks if no character was named so far that GMs call otherwise.
            # A copy keeps their own blocks out of the shared ones.
            shared = {} if self.names.disguised else dict(shared)
        return blocks_for_audience(self.blocks, audience, self.names, shared)

    def _prompt_view(self, asked: OpenPrompt, audience: Audience) -> PromptView:
        """Return a prompt as an audience sees it.

        A secret prompt names every character it has asked.
        """
        prompt, names = asked.prompt, self.names
        who: list[Ref] = []
        people: dict[str, None] = {}
        away: dict[str, None] = {}
        gms = False
        names_all = prompt.secret and prompt.wait is not None
        for character in asked.named if names_all else called_characters(asked):
            if players := names.players(character):
                who.append(names.ref_for(character, audience))
                people |= dict.fromkeys(players)
                if is_absent(self.game.state, character, self.game.at):
                    away[players[0]] = None
            else:
                gms = True
        due = None if self.game.state.settings.pause is not None else asked.due
        choices = self._choices(asked) if prompt.shown else ()
        return PromptView(
            prompt.key,
            asked.number,
            tuple(who),
            tuple(people),
            gms,
            due,
            prompt.button,
            self._is_about_result(prompt),
            choices,
            tuple(away),
            can_take_more_time(self.game.state, asked),
            None if due is None else _clock_answer(prompt, tuple(who), choices),
        )

    def _is_about_result(self, prompt: Prompt) -> bool:
        """Return whether a prompt is about a result that lies there and may still change.

        One with a button of its own can be passed on the message before dice fall, too.
        """
        if prompt.wait == "means" and prompt.button is None:
            return self.course.dice_have_fallen(self.check.data)
        return prompt.wait in ("react", "means")

    def _choices(self, asked: OpenPrompt) -> tuple[ShownOption, ...]:
        stage, prompt = stage_of(self.game, self.check), asked.prompt
        first = (prompt.who or ("",))[0]
        choices: list[ShownOption] = []
        for option in stage.options(self.game, self.check, prompt.key, first):
            if option.line and option.short:
                choices.append(ShownOption(option.value, option.line, option.short))
        return tuple(choices)


def _clock_answer(
    prompt: Prompt, who: tuple[Ref, ...], choices: tuple[ShownOption, ...]
) -> Text | None:
    """Return what the clock answers to a prompt; None if it is an option that isn't shown."""
    what, choice = "passed", None
    if prompt.default not in (None, PASS):
        chosen = [option for option in choices if option.value == prompt.default]
        if not chosen:
            return None
        what, choice = "chosen", chosen[0].button
    elif prompt.wait != "answer":
        what = "final"
    return Text("wait-default", {"what": what, "who": who, "count": len(who), "choice": choice})
