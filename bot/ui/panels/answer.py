"""The GM's panel for answering a proposal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.presenters.answer import answer_card, ask_modal, note_modal, number_modal
from bot.presenters.card import Modal
from bot.presenters.errors import describe_error
from bot.presenters.systems import SYSTEM_WORDS
from bot.ui.context import Context
from bot.ui.drafts import Draft, Drafts
from bot.ui.interactions import Interactions
from bot.ui.retry import Retries
from bot.ui.router import Press, Router
from rules.core.errors import InvalidInput, Outdated, RulesError
from rules.registry import look
from rules.table.actions import Answer, AskBack
from rules.table.checks.views import check_view, target_of
from rules.table.permissions import require_gm
from rules.table.state import AnyChallenge, AnyCharacter

KIND = "answer"
_KINDS = ("roll", "margin-only", "free", "cannot")


class AnswerPanel:
    """Opens with `sg:ans:<table>:<challenge>:<revision>`, lives as `sg:ap:<draft>:<control>`."""

    def __init__(self, interactions: Interactions, drafts: Drafts, router: Router, retries: Retries) -> None:
        self._interactions = interactions
        self._retries = retries
        self._drafts = drafts
        router.add("ans", self.open)
        router.add("ap", self.press)
        router.add("apm", self.typed)
        router.add("ask", self.ask)
        router.add("askm", self.asked)

    async def open(self, press: Press) -> None:
        """The Answer button: a private panel for a GM."""
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, press.number(0))
            challenge = _current(ctx, press.text(1), press.number(2))
            game = look(ctx.table.state)
            difficulty, options, modifier = game.course.suggest(challenge)
            values: dict[str, Any] = {
                "challenge": challenge.id,
                "revision": challenge.revision,
                "difficulty": difficulty,
                "options": list(options),
                "disallow": list(game.course.refused(challenge)),
                "modifier": modifier,
                "against": game.course.against(challenge),
                "hidden": challenge.hidden,
                "note": challenge.note,
            }
            draft = await self._drafts.new(KIND, ctx.table.id, press.interaction.user.id, values)
            await self._show(ctx, draft, challenge)

    async def press(self, press: Press) -> None:
        """Any control of the panel."""
        draft = await self._load(press)
        if draft is None:
            return
        control = press.text(1)
        if control in ("note", "number"):
            async with self._interactions.answering(press.interaction) as response:
                ctx = await self._interactions.context(response, draft.table_id)
                challenge = _current(ctx, draft.values["challenge"], draft.values["revision"])
                await ctx.dialogue(_dialogue(ctx, draft, challenge, note=control == "note"))
            return
        async with self._interactions.answering(press.interaction, update=True) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            values = draft.values
            challenge = _current(ctx, values["challenge"], values["revision"])
            if control in _KINDS:
                await ctx.perform(_answer(ctx, draft, control))
                return
            if control == "level":
                values["difficulty"] = press.values[0]
            elif control == "options":
                values["options"] = list(press.values)
            elif control == "disallow":
                values["disallow"] = list(press.values)
            elif control == "justification":
                _toggle(ctx, values, challenge, press.number(2))
            elif control == "hidden":
                values["hidden"] = not values["hidden"]
            else:
                raise Outdated("unknown-control")
            await self._drafts.save(draft)
            await self._show(ctx, draft, challenge)

    async def typed(self, press: Press) -> None:
        """What a dialogue of the panel brought back."""
        draft = await self._load(press)
        if draft is None:
            return
        async with self._interactions.answering(press.interaction, update=True) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            challenge = _current(ctx, draft.values["challenge"], draft.values["revision"])
            modal = _dialogue(ctx, draft, challenge, note="note" in press.inputs)
            async with self._retries.keeping(ctx, modal, press.inputs):
                if "note" in press.inputs:
                    draft.values["note"] = press.inputs["note"]
                if press.inputs.get("difficulty"):
                    draft.values["difficulty"] = press.inputs["difficulty"]
                for field in ("modifier", "against"):
                    if field in press.inputs:
                        draft.values[field] = _whole_number(field, press.inputs[field])
                _supposed(ctx, draft, challenge)  # refuses what was typed before it is kept
                await self._drafts.save(draft)
                await self._show(ctx, draft, challenge)

    async def ask(self, press: Press) -> None:
        """Ask back: a dialogue for the question."""
        table_id, name, revision = press.number(0), press.text(1), press.number(2)
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, table_id)
            _current(ctx, name, revision)
            await ctx.dialogue(ask_modal(table_id, name, revision))

    async def asked(self, press: Press) -> None:
        """The question, as typed."""
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, press.number(0))
            name, revision = press.text(1), press.number(2)
            async with self._retries.keeping(ctx, ask_modal(ctx.table.id, name, revision), press.inputs):
                question = press.inputs.get("question", "")
                await ctx.perform(AskBack(**ctx.by, challenge=name, revision=revision, question=question))

    async def _load(self, press: Press) -> Draft | None:
        async with self._interactions.answering(press.interaction):
            return await self._drafts.load(press.text(0), KIND, press.interaction.user.id)
        return None

    async def _show(self, ctx: Context, draft: Draft, challenge: AnyChallenge) -> None:
        state = ctx.table.state
        game = look(state)
        view = check_view(state, game, challenge, gm=True)
        ruled, problem = None, ""
        try:
            supposed = _supposed(ctx, draft, challenge)
            ruled = None if supposed is None else check_view(state, game, supposed, gm=True)
        except RulesError as error:
            # Menus that contradict each other stay as they were chosen, with what is wrong beside them.
            problem = describe_error(error, ctx.scene.names)
        await ctx.show(
            answer_card(
                ctx.table.id,
                draft.id,
                draft.values,
                game,
                challenge,
                view,
                ruled,
                target=_set_against(ctx, challenge),
                problem=problem,
            )
        )


def _set_against(ctx: Context, challenge: AnyChallenge) -> AnyCharacter | None:
    """Whoever sets something against it; whom one treats does not."""
    if challenge.kind not in ("attack", "contest"):
        return None
    return target_of(ctx.table.state, challenge)


def _toggle(ctx: Context, values: dict[str, Any], challenge: AnyChallenge, number: int) -> None:
    """Refuse what the player claims, or accept it after all."""
    justifications = look(ctx.table.state).course.justifications(challenge)
    if number >= len(justifications):
        raise Outdated("unknown-control")
    value = justifications[number].value
    refused: list[str] = values["disallow"]
    values["disallow"] = (
        [each for each in refused if each != value] if value in refused else [*refused, value]
    )


def _dialogue(ctx: Context, draft: Draft, challenge: AnyChallenge, *, note: bool) -> Modal:
    if note:
        return note_modal(draft.id, draft.values)
    game = look(ctx.table.state)
    return number_modal(
        draft.id,
        draft.values,
        SYSTEM_WORDS[game.system.key],
        kind=challenge.kind,
        opposed=challenge.opposed,
        measured=game.course.measured(challenge),
        levels=game.course.difficulties(_set_against(ctx, challenge)),
    )


def _supposed(ctx: Context, draft: Draft, challenge: AnyChallenge) -> AnyChallenge | None:
    """The challenge as this answer would leave it, None as long as nothing can be said of it.

    RulesError for an answer that is none.
    """
    state = ctx.table.state
    kind = "roll"
    if look(state).course.measured(challenge) and draft.values["difficulty"] is None:
        if challenge.opposed:
            return None
        kind = "margin-only"
    character = state.characters[challenge.character]
    ruling = look(state).course.rule(character, challenge, _answer(ctx, draft, kind))
    return replace(challenge, status="answered", answer=kind, ruling=ruling)


def _current(ctx: Context, name: str, revision: int) -> AnyChallenge:
    require_gm(ctx.table.state, ctx.actor)
    challenge = ctx.table.state.challenges.get(name)
    if (
        challenge is None
        or challenge.revision != revision
        or challenge.status not in ("proposed", "answered")
    ):
        raise Outdated("check-moved-on", check=name, status=challenge.status if challenge else None)
    return challenge


def _answer(ctx: Context, draft: Draft, kind: Any) -> Answer:
    values = draft.values
    return Answer(
        **ctx.by,
        challenge=values["challenge"],
        revision=values["revision"],
        kind=kind,
        difficulty=values["difficulty"],
        options=tuple(values["options"]),
        disallow=tuple(values["disallow"]),
        modifier=values["modifier"],
        against=values.get("against", 0),
        hidden=values["hidden"],
        note=values["note"],
    )


def _whole_number(field: str, text: str) -> int:
    plain = text.strip().replace("−", "-") or "0"
    try:
        return int(plain)
    except ValueError:
        raise InvalidInput("not-a-number", field=field, value=text[:40]) from None
