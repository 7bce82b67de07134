"""The GM's panel for answering a proposal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.presenters.answer import answer_card, ask_modal, note_modal, number_modal
from bot.presenters.card import Modal
from bot.presenters.errors import describe_error
from bot.presenters.systems import SYSTEM_WORDS
from bot.ui.desk import Desk, Seat
from bot.ui.drafts import Draft, Drafts
from bot.ui.retry import Retries
from bot.ui.router import Press, Router
from rules.core.errors import InvalidInput, Outdated, RulesError
from rules.registry import system_of
from rules.table.actions import Answer, AskBack
from rules.table.people import require_gm
from rules.table.state import AnyChallenge, AnyCharacter
from rules.table.views import check_view, target_of

KIND = "answer"
_KINDS = ("roll", "yardstick", "free", "cannot")


class AnswerPanel:
    """Opens with `sg:ans:<table>:<challenge>:<step>`, lives as `sg:ap:<draft>:<control>`."""

    def __init__(self, desk: Desk, drafts: Drafts, router: Router, retries: Retries) -> None:
        self._desk = desk
        self._retries = retries
        self._drafts = drafts
        router.add("ans", self.open)
        router.add("ap", self.press)
        router.add("apm", self.typed)
        router.add("ask", self.ask)
        router.add("askm", self.asked)

    async def open(self, press: Press) -> None:
        """The Answer button: a private panel for a GM."""
        async with self._desk.answering(press.interaction) as ack:
            seat = await self._desk.take_seat(ack, press.number(0))
            challenge = _current(seat, press.text(1), press.number(2))
            system = system_of(seat.table.state)
            difficulty, switches, modifier = system.suggest(challenge)
            values: dict[str, Any] = {
                "challenge": challenge.id,
                "step": challenge.step,
                "difficulty": difficulty,
                "switches": list(switches),
                "strike": list(system.refused(challenge)),
                "modifier": modifier,
                "against": system.against(challenge),
                "hidden": challenge.hidden,
                "note": challenge.note,
            }
            draft = await self._drafts.new(KIND, seat.table.id, press.interaction.user.id, values)
            await self._show(seat, draft, challenge)

    async def press(self, press: Press) -> None:
        """Any control of the panel."""
        draft = await self._load(press)
        if draft is None:
            return
        control = press.text(1)
        if control in ("note", "number"):
            async with self._desk.answering(press.interaction) as ack:
                seat = await self._desk.take_seat(ack, draft.table_id)
                challenge = _current(seat, draft.values["challenge"], draft.values["step"])
                await seat.dialogue(_dialogue(seat, draft, challenge, note=control == "note"))
            return
        async with self._desk.answering(press.interaction, update=True) as ack:
            seat = await self._desk.take_seat(ack, draft.table_id)
            values = draft.values
            challenge = _current(seat, values["challenge"], values["step"])
            if control in _KINDS:
                await seat.perform(_answer(seat, draft, control))
                return
            if control == "level":
                values["difficulty"] = press.values[0]
            elif control == "switches":
                values["switches"] = list(press.values)
            elif control == "strike":
                values["strike"] = list(press.values)
            elif control == "claim":
                _toggle(seat, values, challenge, press.number(2))
            elif control == "hidden":
                values["hidden"] = not values["hidden"]
            else:
                raise Outdated("unknown-control")
            await self._drafts.save(draft)
            await self._show(seat, draft, challenge)

    async def typed(self, press: Press) -> None:
        """What a dialogue of the panel brought back."""
        draft = await self._load(press)
        if draft is None:
            return
        async with self._desk.answering(press.interaction, update=True) as ack:
            seat = await self._desk.take_seat(ack, draft.table_id)
            challenge = _current(seat, draft.values["challenge"], draft.values["step"])
            modal = _dialogue(seat, draft, challenge, note="note" in press.inputs)
            async with self._retries.keeping(seat, modal, press.inputs):
                if "note" in press.inputs:
                    draft.values["note"] = press.inputs["note"]
                if press.inputs.get("difficulty"):
                    draft.values["difficulty"] = press.inputs["difficulty"]
                for field in ("modifier", "against"):
                    if field in press.inputs:
                        draft.values[field] = _whole_number(field, press.inputs[field])
                _supposed(seat, draft, challenge)  # refuses what was typed before it is kept
                await self._drafts.save(draft)
                await self._show(seat, draft, challenge)

    async def ask(self, press: Press) -> None:
        """Ask back: a dialogue for the question."""
        table_id, name, step = press.number(0), press.text(1), press.number(2)
        async with self._desk.answering(press.interaction) as ack:
            seat = await self._desk.take_seat(ack, table_id)
            _current(seat, name, step)
            await seat.dialogue(ask_modal(table_id, name, step))

    async def asked(self, press: Press) -> None:
        """The question, as typed."""
        async with self._desk.answering(press.interaction) as ack:
            seat = await self._desk.take_seat(ack, press.number(0))
            name, step = press.text(1), press.number(2)
            async with self._retries.keeping(seat, ask_modal(seat.table.id, name, step), press.inputs):
                question = press.inputs.get("question", "")
                await seat.perform(AskBack(**seat.by, challenge=name, step=step, question=question))

    async def _load(self, press: Press) -> Draft | None:
        async with self._desk.answering(press.interaction):
            return await self._drafts.load(press.text(0), KIND, press.interaction.user.id)
        return None

    async def _show(self, seat: Seat, draft: Draft, challenge: AnyChallenge) -> None:
        state = seat.table.state
        system = system_of(state)
        view = check_view(state, system, challenge, gm=True)
        ruled, problem = None, ""
        try:
            supposed = _supposed(seat, draft, challenge)
            ruled = None if supposed is None else check_view(state, system, supposed, gm=True)
        except RulesError as error:
            # Menus that contradict each other stay as they were chosen, with what is wrong beside them.
            problem = describe_error(error, seat.scene.names)
        await seat.show(
            answer_card(
                seat.table.id,
                draft.id,
                draft.values,
                system,
                challenge,
                view,
                ruled,
                target=_set_against(seat, challenge),
                problem=problem,
            )
        )


def _set_against(seat: Seat, challenge: AnyChallenge) -> AnyCharacter | None:
    """Whoever sets something against it; whom one treats does not."""
    if challenge.kind not in ("attack", "contest"):
        return None
    return target_of(seat.table.state, challenge)


def _toggle(seat: Seat, values: dict[str, Any], challenge: AnyChallenge, number: int) -> None:
    """Refuse what the player claims, or accept it after all."""
    claims = system_of(seat.table.state).claims(challenge)
    if number >= len(claims):
        raise Outdated("unknown-control")
    claim = claims[number].value
    refused: list[str] = values["strike"]
    values["strike"] = [each for each in refused if each != claim] if claim in refused else [*refused, claim]


def _dialogue(seat: Seat, draft: Draft, challenge: AnyChallenge, *, note: bool) -> Modal:
    if note:
        return note_modal(draft.id, draft.values)
    system = system_of(seat.table.state)
    return number_modal(
        draft.id,
        draft.values,
        SYSTEM_WORDS[system.key],
        kind=challenge.kind,
        opposed=challenge.opposed,
        measured=system.measured(challenge),
        levels=system.difficulties(_set_against(seat, challenge)),
    )


def _supposed(seat: Seat, draft: Draft, challenge: AnyChallenge) -> AnyChallenge | None:
    """The challenge as this answer would leave it, None as long as nothing can be said of it.

    RulesError for an answer that is none.
    """
    state = seat.table.state
    kind = "roll"
    if system_of(state).measured(challenge) and draft.values["difficulty"] is None:
        if challenge.opposed:
            return None
        kind = "yardstick"
    character = state.characters[challenge.character]
    ruling = system_of(state).rule(character, challenge, _answer(seat, draft, kind))
    return replace(challenge, status="answered", answer=kind, ruling=ruling)


def _current(seat: Seat, name: str, step: int) -> AnyChallenge:
    require_gm(seat.table.state, seat.actor)
    challenge = seat.table.state.challenges.get(name)
    if challenge is None or challenge.step != step or challenge.status not in ("proposed", "answered"):
        raise Outdated("check-moved-on", check=name, status=challenge.status if challenge else None)
    return challenge


def _answer(seat: Seat, draft: Draft, kind: Any) -> Answer:
    values = draft.values
    return Answer(
        **seat.by,
        challenge=values["challenge"],
        step=values["step"],
        kind=kind,
        difficulty=values["difficulty"],
        switches=tuple(values["switches"]),
        strike=tuple(values["strike"]),
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
