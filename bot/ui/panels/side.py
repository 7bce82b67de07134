"""Private panels in which somebody chooses what they bring: a defence, the other side of a contest, or help."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from bot.presenters.errors import describe_error
from bot.presenters.propose import NOTHING
from bot.presenters.side import SideWords, defence_words, help_words, side_card, side_modal
from bot.ui.context import Context
from bot.ui.drafts import Draft, Drafts
from bot.ui.interactions import Interactions
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, NotFound, Outdated, RulesError
from rules.registry import look
from rules.table.actions import Defend, Join
from rules.table.checks.views import check_view, may_see, target_of
from rules.table.lookup import acting_as, playable
from rules.table.permissions import is_gm, require_owner
from rules.table.state import AnyChallenge, AnyCharacter
from rules.table.system import Choice, Game


class SidePanel(ABC):
    """Skill, attribute, options and idea of one side of a challenge, kept as a draft until they are sent.

    It lives as `sg:<route>:<draft>:<control>`; its dialogue comes back as `sg:<route>m:<draft>`.
    """

    #: What its drafts are called, the piece of the ids that opens it, and that of its controls.
    kind: str
    opening: str
    route: str

    def __init__(self, interactions: Interactions, drafts: Drafts, router: Router) -> None:
        self._interactions = interactions
        self._drafts = drafts
        router.add(self.opening, self.open)
        router.add(self.route, self.press)
        router.add(f"{self.route}m", self.typed)

    # --- what differs -----------------------------------------------------------------------------------------

    @abstractmethod
    def begin(self, ctx: Context, name: str, revision: int) -> tuple[AnyChallenge, dict[str, Any]]:
        """The challenge as somebody opens the panel for it, and what is filled in: `approach`, perhaps `as`."""

    @abstractmethod
    def current(self, ctx: Context, values: dict[str, Any]) -> tuple[AnyChallenge, AnyCharacter]:
        """The challenge and whose side it is now. RulesError where nothing can be chosen any more."""

    @abstractmethod
    def action(self, ctx: Context, values: dict[str, Any]) -> Defend | Join:
        """What the choices come to."""

    @abstractmethod
    def read(
        self, ctx: Context, challenge: AnyChallenge, character: AnyCharacter, values: dict[str, Any]
    ) -> None:
        """RulesError where the choices do not fit together."""

    @abstractmethod
    def words(self, ctx: Context, challenge: AnyChallenge, character: AnyCharacter) -> SideWords:
        """What is said of this side."""

    @abstractmethod
    def options(self, game: Game, challenge: AnyChallenge, character: AnyCharacter) -> tuple[Choice, ...]:
        """What makes it easier or harder."""

    def others(self, ctx: Context, challenge: AnyChallenge) -> tuple[AnyCharacter, ...]:
        """Everybody who could be on this side; empty where that is not for whoever chooses."""
        return ()

    # --- what is the same -------------------------------------------------------------------------------------

    async def open(self, press: Press) -> None:
        """A button: a fresh private panel."""
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, press.number(0))
            challenge, values = self.begin(ctx, press.text(1), press.number(2))
            values = {
                "challenge": challenge.id,
                "revision": challenge.revision,
                "skill": None,
                "attribute": None,
                "options": [],
                **values,
            }
            draft = await self._drafts.new(self.kind, ctx.table.id, press.interaction.user.id, values)
            await self._show(ctx, draft)

    async def press(self, press: Press) -> None:
        """Any control of the panel."""
        draft = await self._load(press)
        if draft is None:
            return
        control, values = press.text(1), draft.values
        if control == "describe":
            async with self._interactions.answering(press.interaction) as response:
                ctx = await self._interactions.context(response, draft.table_id)
                challenge, character = self.current(ctx, values)
                needed = look(ctx.table.state).course.needs_approach
                words = self.words(ctx, challenge, character)
                await ctx.dialogue(side_modal(self.route, draft.id, words, values["approach"], needed=needed))
            return
        async with self._interactions.answering(press.interaction, update=True) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            challenge, character = self.current(ctx, values)
            if control == "send":
                await ctx.perform(self.action(ctx, values))
                return
            if control in ("skill", "attribute"):
                values[control] = None if press.values[0] == NOTHING else press.values[0]
            elif control == "options":
                values["options"] = list(press.values)
            elif control == "as" and self.others(ctx, challenge):
                able = self.others(ctx, challenge)
                at = next((i for i, other in enumerate(able) if other.id == character.id), 0)
                following = able[(at + 1) % len(able)]
                values |= {"as": following.id, "skill": None, "attribute": None, "options": []}
            else:
                raise Outdated("unknown-control")
            await self._drafts.save(draft)
            await self._show(ctx, draft)

    async def typed(self, press: Press) -> None:
        """What they do, in words."""
        draft = await self._load(press)
        if draft is None:
            return
        async with self._interactions.answering(press.interaction, update=True) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            self.current(ctx, draft.values)
            draft.values["approach"] = press.inputs.get("approach", "")
            await self._drafts.save(draft)
            await self._show(ctx, draft)

    async def _load(self, press: Press) -> Draft | None:
        async with self._interactions.answering(press.interaction):
            return await self._drafts.load(press.text(0), self.kind, press.interaction.user.id)
        return None

    async def _show(self, ctx: Context, draft: Draft) -> None:
        state = ctx.table.state
        game = look(state)
        challenge, character = self.current(ctx, draft.values)
        view = check_view(state, game, challenge, gm=ctx.gm, who=ctx.actor.id)
        problem = ""
        try:
            self.read(ctx, challenge, character, draft.values)
        except RulesError as error:
            # Menus that contradict each other stay as they were chosen, with what is wrong beside them.
            problem = describe_error(error, ctx.scene.names)
        await ctx.show(
            side_card(
                self.route,
                draft.id,
                draft.values,
                self.words(ctx, challenge, character),
                view,
                game,
                character,
                self.options(game, challenge, character),
                several=len(self.others(ctx, challenge)) > 1,
                problem=problem,
            )
        )


def _known(ctx: Context, name: str) -> AnyChallenge:
    """A challenge that whoever asks may know of. Outdated where there is none any more."""
    challenge = ctx.table.state.challenges.get(name)
    if challenge is None or not may_see(ctx.table.state, challenge, ctx.actor):
        raise Outdated("check-moved-on", check=name, status=None)
    return challenge


def _said(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """What `Defend` and `Join` have in common."""
    return {
        **ctx.by,
        "challenge": values["challenge"],
        "skill": values["skill"],
        "attribute": values["attribute"],
        "approach": values["approach"],
        "options": tuple(values["options"]),
    }


class DefendPanel(SidePanel):
    """For the owner of whoever is attacked, or whom a contest is with, or a GM.

    Opens with `sg:def:<table>:<challenge>:<revision>`.
    """

    kind, opening, route = "defend", "def", "dp"

    def begin(self, ctx: Context, name: str, revision: int) -> tuple[AnyChallenge, dict[str, Any]]:
        challenge, _ = self.current(ctx, {"challenge": name, "revision": revision})
        return challenge, {"approach": challenge.defence_approach}

    def current(self, ctx: Context, values: dict[str, Any]) -> tuple[AnyChallenge, AnyCharacter]:
        """As it was shown, for those who may choose."""
        state = ctx.table.state
        challenge = _known(ctx, values["challenge"])
        target = target_of(state, challenge)
        if challenge.revision != values["revision"] or challenge.status != "answered":
            raise Outdated("check-moved-on", check=challenge.id, status=challenge.status)
        if target is None or not challenge.opposed:
            raise Impossible("not-opposed", check=challenge.id)
        if not is_gm(state, ctx.actor):
            require_owner(state, ctx.actor, target)
        return challenge, target

    def action(self, ctx: Context, values: dict[str, Any]) -> Defend:
        return Defend(**_said(ctx, values), revision=values["revision"])

    def read(
        self, ctx: Context, challenge: AnyChallenge, character: AnyCharacter, values: dict[str, Any]
    ) -> None:
        look(ctx.table.state).course.defend(character, self.action(ctx, values))

    def words(self, ctx: Context, challenge: AnyChallenge, character: AnyCharacter) -> SideWords:
        state = ctx.table.state
        return defence_words(check_view(state, look(state), challenge, gm=ctx.gm, who=ctx.actor.id))

    def options(self, game: Game, challenge: AnyChallenge, character: AnyCharacter) -> tuple[Choice, ...]:
        """A contest is met as it is begun."""
        if challenge.kind == "contest":
            return game.course.options(gm=False, character=character, kind="contest")
        return game.course.defence_options()


class JoinPanel(SidePanel):
    """For whoever joins in what others do, or changes what they bring: `sg:join:<table>:<challenge>:<revision>`.

    What others do meanwhile, or the GM's answer, does not put it out of date as long as one can still join in.
    """

    kind, opening, route = "join", "join", "jp"

    def begin(self, ctx: Context, name: str, revision: int) -> tuple[AnyChallenge, dict[str, Any]]:
        challenge = _joinable(ctx, name)
        able = self.others(ctx, challenge)
        if not able:
            leader = ctx.table.state.characters[challenge.character]
            if any(each.id == leader.id for each in playable(ctx.table.state, ctx.actor)):
                raise Impossible("leads-it", name=leader.name)
            raise NotFound("no-character", field="as", value=None)
        there = {each.character: each.approach for each in challenge.helpers}
        helping = [each for each in able if each.id in there]
        character = (helping or [_usual(ctx, able)])[0]
        return challenge, {"as": character.id, "approach": there.get(character.id, "")}

    def current(self, ctx: Context, values: dict[str, Any]) -> tuple[AnyChallenge, AnyCharacter]:
        challenge = _joinable(ctx, values["challenge"])
        return challenge, acting_as(ctx.table.state, ctx.actor, values["as"])

    def action(self, ctx: Context, values: dict[str, Any]) -> Join:
        challenge, character = self.current(ctx, values)
        return Join(**_said(ctx, values), revision=challenge.revision, as_=character.id)

    def read(
        self, ctx: Context, challenge: AnyChallenge, character: AnyCharacter, values: dict[str, Any]
    ) -> None:
        look(ctx.table.state).course.join(character, challenge, self.action(ctx, values))

    def words(self, ctx: Context, challenge: AnyChallenge, character: AnyCharacter) -> SideWords:
        state = ctx.table.state
        view = check_view(state, look(state), challenge, gm=ctx.gm, who=ctx.actor.id)
        there = any(each.character == character.id for each in challenge.helpers)
        return help_words(view, character, there=there)

    def options(self, game: Game, challenge: AnyChallenge, character: AnyCharacter) -> tuple[Choice, ...]:
        return game.course.options(gm=False, character=character, kind="team")

    def others(self, ctx: Context, challenge: AnyChallenge) -> tuple[AnyCharacter, ...]:
        mine = playable(ctx.table.state, ctx.actor)
        return tuple(each for each in mine if each.id != challenge.character)


def _joinable(ctx: Context, name: str) -> AnyChallenge:
    challenge = _known(ctx, name)
    if challenge.kind != "team":
        raise Impossible("not-a-team", check=challenge.id)
    if challenge.status not in ("proposed", "answered"):
        raise Outdated("check-moved-on", check=challenge.id, status=challenge.status)
    return challenge


def _usual(ctx: Context, able: tuple[AnyCharacter, ...]) -> AnyCharacter:
    """Whoever acts when nothing is said, if they are among these; else the first."""
    try:
        acting = acting_as(ctx.table.state, ctx.actor, None, ctx.place)
    except RulesError:
        return able[0]
    return acting if acting in able else able[0]
