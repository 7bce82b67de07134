"""The private panel in which somebody who is attacked chooses a defence."""

from __future__ import annotations

from typing import Any

from bot.presenters.attack import defend_card, defend_modal
from bot.presenters.errors import describe_error
from bot.presenters.propose import NOTHING
from bot.ui.desk import Desk, Seat
from bot.ui.drafts import Draft, Drafts
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, Outdated, RulesError
from rules.registry import system_of
from rules.table.actions import Defend
from rules.table.people import is_gm, require_owner
from rules.table.state import AnyChallenge, AnyCharacter
from rules.table.views import check_view, may_see, target_of

KIND = "defend"


class DefendPanel:
    """Opens with `sg:def:<table>:<challenge>:<step>`, lives as `sg:dp:<draft>:<control>`."""

    def __init__(self, desk: Desk, drafts: Drafts, router: Router) -> None:
        self._desk = desk
        self._drafts = drafts
        router.add("def", self.open)
        router.add("dp", self.press)
        router.add("dpm", self.typed)

    async def open(self, press: Press) -> None:
        """The Defend button: a private panel for the owner of whoever is attacked, or a GM."""
        async with self._desk.answering(press.interaction) as ack:
            seat = await self._desk.take_seat(ack, press.number(0))
            challenge, target = _current(seat, press.text(1), press.number(2))
            values: dict[str, Any] = {
                "challenge": challenge.id,
                "step": challenge.step,
                "skill": None,
                "attribute": None,
                "switches": [],
                "approach": challenge.defence_approach,
            }
            draft = await self._drafts.new(KIND, seat.table.id, press.interaction.user.id, values)
            await self._show(seat, draft, challenge, target)

    async def press(self, press: Press) -> None:
        """Any control of the panel."""
        draft = await self._load(press)
        if draft is None:
            return
        control, values = press.text(1), draft.values
        if control == "describe":
            async with self._desk.answering(press.interaction) as ack:
                seat = await self._desk.take_seat(ack, draft.table_id)
                await seat.dialogue(defend_modal(draft.id, values["approach"]))
            return
        async with self._desk.answering(press.interaction, update=True) as ack:
            seat = await self._desk.take_seat(ack, draft.table_id)
            challenge, target = _current(seat, values["challenge"], values["step"])
            if control == "send":
                await seat.perform(_defence(seat, draft))
                return
            if control in ("skill", "attribute"):
                values[control] = None if press.values[0] == NOTHING else press.values[0]
            elif control == "switches":
                values["switches"] = list(press.values)
            else:
                raise Outdated("unknown-control")
            await self._drafts.save(draft)
            await self._show(seat, draft, challenge, target)

    async def typed(self, press: Press) -> None:
        """The defence in words."""
        draft = await self._load(press)
        if draft is None:
            return
        async with self._desk.answering(press.interaction, update=True) as ack:
            seat = await self._desk.take_seat(ack, draft.table_id)
            challenge, target = _current(seat, draft.values["challenge"], draft.values["step"])
            draft.values["approach"] = press.inputs.get("approach", "")
            await self._drafts.save(draft)
            await self._show(seat, draft, challenge, target)

    async def _load(self, press: Press) -> Draft | None:
        async with self._desk.answering(press.interaction):
            return await self._drafts.load(press.text(0), KIND, press.interaction.user.id)
        return None

    async def _show(self, seat: Seat, draft: Draft, challenge: AnyChallenge, target: AnyCharacter) -> None:
        state = seat.table.state
        system = system_of(state)
        view = check_view(state, system, challenge, gm=seat.gm, who=seat.actor.id)
        problem = ""
        try:
            system.defend(target, _defence(seat, draft))
        except RulesError as error:
            problem = describe_error(error, seat.scene.names)
        await seat.show(defend_card(draft.id, draft.values, system, target, view, problem=problem))


def _defence(seat: Seat, draft: Draft) -> Defend:
    values = draft.values
    return Defend(
        **seat.by,
        challenge=values["challenge"],
        step=values["step"],
        skill=values["skill"],
        attribute=values["attribute"],
        approach=values["approach"],
        switches=tuple(values["switches"]),
    )


def _current(seat: Seat, name: str, step: int) -> tuple[AnyChallenge, AnyCharacter]:
    """The attack as it was shown and whom it is made on, for those who may choose the defence."""
    state = seat.table.state
    challenge = state.challenges.get(name)
    if challenge is not None and not may_see(state, challenge, seat.actor):
        challenge = None
    target = None if challenge is None else target_of(state, challenge)
    if challenge is None or challenge.step != step or challenge.status != "answered":
        raise Outdated("check-moved-on", check=name, status=challenge.status if challenge else None)
    if target is None or not challenge.opposed:
        raise Impossible("not-opposed", check=name)
    if not is_gm(state, seat.actor):
        require_owner(state, seat.actor, target)
    return challenge, target
