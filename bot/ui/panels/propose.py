"""A proposal made by selects: `/check` without options, and changing a proposal."""

from __future__ import annotations

from typing import Any, Final

from bot.presenters.attack import attack_modal, target_select
from bot.presenters.card import Modal, Select
from bot.presenters.errors import describe_error
from bot.presenters.propose import NOTHING, Offer, describe_modal, propose_card
from bot.ui.context import Context
from bot.ui.drafts import Draft, Drafts
from bot.ui.interactions import Interactions
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, InvalidInput, Outdated, RulesError
from rules.registry import look
from rules.table.actions import Propose, Revise
from rules.table.checks.proposing import needs_no_answer, outlined
from rules.table.checks.views import target_of
from rules.table.lookup import acting_as, known, playable
from rules.table.permissions import require_owner
from rules.table.state import AnyChallenge, AnyCharacter, Kind, Visibility
from rules.table.system import Game, OddsTable

KIND = "propose"
_VISIBILITIES = ("public", "private", "blind")


class ProposePanel:
    """Lives as `sg:pp:<draft>:<control>`; its dialogue comes back as `sg:ppm:<draft>`."""

    def __init__(self, interactions: Interactions, drafts: Drafts, router: Router) -> None:
        self._interactions = interactions
        self._drafts = drafts
        self._sending: set[str] = set()
        router.add("pp", self.press)
        router.add("ppm", self.typed)

    async def open(
        self,
        ctx: Context,
        as_: str | None = None,
        visibility: Visibility = "public",
        kind: Kind = "check",
    ) -> None:
        """A fresh proposal for the character who acts; an attack or a contest also asks whom it is done to.

        Impossible("not-in-these-rules") for a kind that the table's system has not.
        """
        game = look(ctx.table.state)
        if kind not in game.course.kinds:
            raise Impossible("not-in-these-rules", name=game.system.name)
        character = acting_as(ctx.table.state, ctx.actor, as_, ctx.place)
        usual = next((each.value for each in game.course.modes(kind)), "")
        values = {"visibility": visibility, "kind": kind, "tool": usual}
        await self._new(ctx, character, _blank(character) | values)

    async def revise(self, ctx: Context, challenge: AnyChallenge, revision: int) -> None:
        """The panel filled with a proposal that waits. Outdated for one that was answered since.

        The answer may be hidden, and the panel would be filled with it.
        """
        character = ctx.table.state.characters[challenge.character]
        require_owner(ctx.table.state, ctx.actor, character)
        if challenge.revision != revision or challenge.status != "proposed":
            raise Outdated("check-moved-on", check=challenge.id, status=challenge.status)
        game = look(ctx.table.state)
        difficulty, options, modifier = game.course.suggest(challenge)
        skill, attribute = game.course.proposed_traits(challenge)
        values = _blank(character) | {
            "challenge": challenge.id,
            "revision": challenge.revision,
            "skill": skill,
            "attribute": attribute,
            "difficulty": difficulty,
            "options": list(options),
            "modifier": modifier,
            "approach": challenge.approach,
            "visibility": challenge.visibility,
            "question": challenge.question,
            "kind": challenge.kind,
            "tool": challenge.tool,
            "target": challenge.target,
        }
        await self._new(ctx, character, values)

    async def _new(self, ctx: Context, character: AnyCharacter, values: dict[str, Any]) -> None:
        draft = await self._drafts.new(KIND, ctx.table.id, ctx.interaction.user.id, values)
        await self._show(ctx, draft, character)

    async def press(self, press: Press) -> None:
        """Any control of the panel."""
        draft = await self._load(press)
        if draft is None:
            return
        values, control = draft.values, press.text(1)
        if control == "describe":
            async with self._interactions.answering(press.interaction) as response:
                ctx = await self._interactions.context(response, draft.table_id)
                await ctx.dialogue(_dialogue(draft, needed=look(ctx.table.state).course.needs_approach))
            return
        if control == "send":
            await self._send(press, draft)
            return
        async with self._interactions.answering(press.interaction, update=True) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            character = self._character(ctx, draft)
            if control == "target":
                values["target"] = press.values[0]
            elif control == "mode":
                values["tool"] = press.values[0]
            elif control == "page":
                values["page"] = 0 if values.get("page") else 1
            elif control in ("skill", "attribute", "difficulty"):
                values[control] = None if press.values[0] == NOTHING else press.values[0]
            elif control == "options":
                values["options"] = list(press.values)
            elif control == "visibility":
                at = _VISIBILITIES.index(values["visibility"])
                values["visibility"] = _VISIBILITIES[(at + 1) % len(_VISIBILITIES)]
            elif control == "as":
                mine = playable(ctx.table.state, ctx.actor)
                at = next((i for i, other in enumerate(mine) if other.id == character.id), 0)
                character = mine[(at + 1) % len(mine)]
                values |= {"as": character.id, "skill": None, "attribute": None}
                if values.get("target") == character.id and _kind(values) in _AGAINST:
                    values["target"] = None
            else:
                raise Outdated("unknown-control")
            if control in ("target", "mode") and _kind(values) != "attack":
                outline = _outline(ctx, values, character)
                if outline is not None and not look(ctx.table.state).course.measured(outline):
                    values["difficulty"] = None  # both roll against each other
            await self._drafts.save(draft)
            await self._show(ctx, draft, character)

    async def typed(self, press: Press) -> None:
        """The idea in words."""
        draft = await self._load(press)
        if draft is None:
            return
        async with self._interactions.answering(press.interaction, update=True) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            draft.values["approach"] = press.inputs.get("approach", "")
            draft.values["tool"] = press.inputs.get("tool", draft.values.get("tool", ""))
            await self._drafts.save(draft)
            await self._show(ctx, draft, self._character(ctx, draft))

    async def _send(self, press: Press, draft: Draft) -> None:
        """Send the proposal or the change, once: the panel stays where it is, and its buttons with it."""
        if draft.id in self._sending:
            raise Outdated("panel-sent")
        self._sending.add(draft.id)
        try:
            if await self._propose(press, draft):
                draft.values["sent"] = True
                await self._drafts.save(draft)
        finally:
            self._sending.discard(draft.id)

    async def _propose(self, press: Press, draft: Draft) -> bool:
        """Whether it was accepted; a refusal has been told."""
        values = draft.values
        public = values["visibility"] == "public" and _kind(values) not in _AGAINST
        async with self._interactions.answering(press.interaction, public=public) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            character = self._character(ctx, draft)
            if not values["approach"] and look(ctx.table.state).course.needs_approach:
                raise InvalidInput("describe-first", field="approach", value="", allowed="your idea in words")
            outline = _outline(ctx, values, character)
            if values["visibility"] == "public" and outline is not None and not outline.opposed:
                response.go_public()
            if values["challenge"] is None:
                await ctx.perform(_proposal(ctx, values, character))
                return True
            await ctx.perform(
                Revise(
                    **ctx.by,
                    challenge=values["challenge"],
                    revision=values["revision"],
                    skill=values["skill"] or NOTHING,
                    attribute=values["attribute"] or NOTHING,
                    difficulty=values["difficulty"] or NOTHING,
                    approach=values["approach"],
                    options=tuple(values["options"]),
                    modifier=values["modifier"],
                )
            )
            return True
        return False

    async def _load(self, press: Press) -> Draft | None:
        async with self._interactions.answering(press.interaction):
            draft = await self._drafts.load(press.text(0), KIND, press.interaction.user.id)
            if draft.values.get("sent"):
                raise Outdated("panel-sent")
            return draft
        return None

    def _character(self, ctx: Context, draft: Draft) -> AnyCharacter:
        return acting_as(ctx.table.state, ctx.actor, draft.values["as"])

    async def _show(self, ctx: Context, draft: Draft, character: AnyCharacter) -> None:
        state = ctx.table.state
        game = look(state)
        values, kind = draft.values, _kind(draft.values)
        outline = _outline(ctx, values, character)
        measured = outline is not None and game.course.measured(outline)
        # What NPCs can set against it is for GMs alone.
        target = target_of(state, outline) if outline is not None and ctx.gm else None
        odds: tuple[OddsTable, ...] = ()
        problem = ""
        try:
            proposal = _proposal(ctx, values, character)
            game.course.propose(character, proposal)
        except RulesError as error:
            # Menus that contradict each other stay as they were chosen, with what is wrong beside them.
            problem = describe_error(error, ctx.scene.names)
        new = values["challenge"] is None
        # The weapon, and how hard it is to hit, are for an attack to say in other places.
        levels = game.course.difficulties(target) if measured and kind != "attack" else None
        unasked = needs_no_answer(state, character, values["visibility"], gm=ctx.gm)
        offer = Offer(
            _target_select(ctx, draft, character) if kind in _AGAINST else None,
            game.course.modes(kind) if new else (),
            levels,
            len(playable(state, ctx.actor)) > 1,
            unasked and values["difficulty"] is not None and kind != "team",
        )
        await ctx.show(propose_card(draft.id, values, game, character, odds, offer, problem=problem))


#: The kinds that are done to somebody else, who may choose in secret what to set against it.
_AGAINST: Final[frozenset[Kind]] = frozenset(("attack", "contest"))


def _kind(values: dict[str, Any]) -> Kind:
    return values.get("kind", "check")


def _theirs(game: Game, target: AnyCharacter | None) -> set[str]:
    """The difficulties that a target sets: how hard that makes it is not for everybody to know."""
    if target is None:
        return set()
    return {each.value for each in game.course.difficulties(target)} - {
        each.value for each in game.course.difficulties()
    }


def _outline(ctx: Context, values: dict[str, Any], character: AnyCharacter) -> AnyChallenge | None:
    """What is proposed as far as it is chosen; None as long as it is not clear, such as against whom."""
    state = ctx.table.state
    if values["challenge"] is not None:
        return state.challenges.get(values["challenge"])
    try:
        return outlined(state, _proposal(ctx, values, character), look(state))
    except RulesError:
        return None


def _proposal(ctx: Context, values: dict[str, Any], character: AnyCharacter) -> Propose:
    return Propose(
        **ctx.by,
        skill=values["skill"],
        attribute=values["attribute"],
        difficulty=values["difficulty"],
        approach=values["approach"],
        options=tuple(values["options"]),
        modifier=values["modifier"],
        as_=character.id,
        visibility=values["visibility"],
        kind=_kind(values),
        target=values.get("target"),
        tool=values.get("tool", ""),
    )


def _dialogue(draft: Draft, *, needed: bool) -> Modal:
    values = draft.values
    if _kind(values) == "attack" and values["challenge"] is None:
        tool = values.get("tool", "")
        return attack_modal(draft.id, values["approach"], tool, values["question"], needed=needed)
    return describe_modal(draft.id, values["approach"], values["question"], needed=needed)


def _target_select(ctx: Context, draft: Draft, character: AnyCharacter) -> Select | None:
    """Whom one may attack, or have a contest with; a proposal that was made stays with whom it was made on."""
    state, chosen = ctx.table.state, draft.values.get("target")
    targets = [each for each in known(state, ctx.actor) if each.id != character.id]
    if draft.values["challenge"] is not None:
        targets = [each for each in targets if each.id == chosen]
    contest = _kind(draft.values) == "contest"
    return target_select(draft.id, targets, chosen, gm=ctx.gm, contest=contest) if targets else None


def _blank(character: AnyCharacter) -> dict[str, Any]:
    return {
        "challenge": None,
        "revision": 0,
        "as": character.id,
        "skill": None,
        "attribute": None,
        "difficulty": None,
        "options": [],
        "modifier": 0,
        "approach": "",
        "visibility": "public",
        "question": "",
        "kind": "check",
        "tool": "",
        "target": None,
        "page": 0,
    }
