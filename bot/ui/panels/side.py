"""Private panels in which somebody chooses what they bring: a defence, the other side of a contest, or help."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from bot.presenters.errors import describe_error
from bot.presenters.propose import NOTHING
from bot.presenters.side import SideWords, defence_words, help_words, side_card, side_modal
from bot.ui.desk import Desk, Seat
from bot.ui.drafts import Draft, Drafts
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, NotFound, Outdated, RulesError
from rules.registry import system_of
from rules.table.actions import Defend, Join
from rules.table.checks.views import check_view, may_see, target_of
from rules.table.lookup import acting_as, playable
from rules.table.permissions import is_gm, require_owner
from rules.table.state import AnyChallenge, AnyCharacter
from rules.table.system import Choice, System


class SidePanel(ABC):
    """Skill, attribute, switches and idea of one side of a challenge, kept as a draft until they are sent.

    It lives as `sg:<route>:<draft>:<control>`; its dialogue comes back as `sg:<route>m:<draft>`.
    """

    #: What its drafts are called, the piece of the ids that opens it, and that of its controls.
    kind: str
    opening: str
    route: str

    def __init__(self, desk: Desk, drafts: Drafts, router: Router) -> None:
        self._desk = desk
        self._drafts = drafts
        router.add(self.opening, self.open)
        router.add(self.route, self.press)
        router.add(f"{self.route}m", self.typed)

    # --- what differs -----------------------------------------------------------------------------------------

    @abstractmethod
    def begin(self, seat: Seat, name: str, step: int) -> tuple[AnyChallenge, dict[str, Any]]:
        """The challenge as somebody opens the panel for it, and what is filled in: `approach`, perhaps `as`."""

    @abstractmethod
    def current(self, seat: Seat, values: dict[str, Any]) -> tuple[AnyChallenge, AnyCharacter]:
        """The challenge and whose side it is now. RulesError where nothing can be chosen any more."""

    @abstractmethod
    def action(self, seat: Seat, values: dict[str, Any]) -> Defend | Join:
        """What the choices come to."""

    @abstractmethod
    def read(
        self, seat: Seat, challenge: AnyChallenge, character: AnyCharacter, values: dict[str, Any]
    ) -> None:
        """RulesError where the choices do not fit together."""

    @abstractmethod
    def words(self, seat: Seat, challenge: AnyChallenge, character: AnyCharacter) -> SideWords:
        """What is said of this side."""

    @abstractmethod
    def switches(
        self, system: System, challenge: AnyChallenge, character: AnyCharacter
    ) -> tuple[Choice, ...]:
        """What makes it easier or harder."""

    def others(self, seat: Seat, challenge: AnyChallenge) -> tuple[AnyCharacter, ...]:
        """Everybody who could be on this side; empty where that is not for whoever chooses."""
        return ()

    # --- what is the same -------------------------------------------------------------------------------------

    async def open(self, press: Press) -> None:
        """A button: a fresh private panel."""
        async with self._desk.answering(press.interaction) as ack:
            seat = await self._desk.take_seat(ack, press.number(0))
            challenge, values = self.begin(seat, press.text(1), press.number(2))
            values = {
                "challenge": challenge.id,
                "step": challenge.step,
                "skill": None,
                "attribute": None,
                "switches": [],
                **values,
            }
            draft = await self._drafts.new(self.kind, seat.table.id, press.interaction.user.id, values)
            await self._show(seat, draft)

    async def press(self, press: Press) -> None:
        """Any control of the panel."""
        draft = await self._load(press)
        if draft is None:
            return
        control, values = press.text(1), draft.values
        if control == "describe":
            async with self._desk.answering(press.interaction) as ack:
                seat = await self._desk.take_seat(ack, draft.table_id)
                challenge, character = self.current(seat, values)
                needed = system_of(seat.table.state).needs_approach
                words = self.words(seat, challenge, character)
                await seat.dialogue(
                    side_modal(self.route, draft.id, words, values["approach"], needed=needed)
                )
            return
        async with self._desk.answering(press.interaction, update=True) as ack:
            seat = await self._desk.take_seat(ack, draft.table_id)
            challenge, character = self.current(seat, values)
            if control == "send":
                await seat.perform(self.action(seat, values))
                return
            if control in ("skill", "attribute"):
                values[control] = None if press.values[0] == NOTHING else press.values[0]
            elif control == "switches":
                values["switches"] = list(press.values)
            elif control == "as" and self.others(seat, challenge):
                able = self.others(seat, challenge)
                at = next((i for i, other in enumerate(able) if other.id == character.id), 0)
                following = able[(at + 1) % len(able)]
                values |= {"as": following.id, "skill": None, "attribute": None, "switches": []}
            else:
                raise Outdated("unknown-control")
            await self._drafts.save(draft)
            await self._show(seat, draft)

    async def typed(self, press: Press) -> None:
        """What they do, in words."""
        draft = await self._load(press)
        if draft is None:
            return
        async with self._desk.answering(press.interaction, update=True) as ack:
            seat = await self._desk.take_seat(ack, draft.table_id)
            self.current(seat, draft.values)
            draft.values["approach"] = press.inputs.get("approach", "")
            await self._drafts.save(draft)
            await self._show(seat, draft)

    async def _load(self, press: Press) -> Draft | None:
        async with self._desk.answering(press.interaction):
            return await self._drafts.load(press.text(0), self.kind, press.interaction.user.id)
        return None

    async def _show(self, seat: Seat, draft: Draft) -> None:
        state = seat.table.state
        system = system_of(state)
        challenge, character = self.current(seat, draft.values)
        view = check_view(state, system, challenge, gm=seat.gm, who=seat.actor.id)
        problem = ""
        try:
            self.read(seat, challenge, character, draft.values)
        except RulesError as error:
            # Menus that contradict each other stay as they were chosen, with what is wrong beside them.
            problem = describe_error(error, seat.scene.names)
        await seat.show(
            side_card(
                self.route,
                draft.id,
                draft.values,
                self.words(seat, challenge, character),
                view,
                system,
                character,
                self.switches(system, challenge, character),
                several=len(self.others(seat, challenge)) > 1,
                problem=problem,
            )
        )


def _known(seat: Seat, name: str) -> AnyChallenge:
    """A challenge that whoever asks may know of. Outdated where there is none any more."""
    challenge = seat.table.state.challenges.get(name)
    if challenge is None or not may_see(seat.table.state, challenge, seat.actor):
        raise Outdated("check-moved-on", check=name, status=None)
    return challenge


def _said(seat: Seat, values: dict[str, Any]) -> dict[str, Any]:
    """What `Defend` and `Join` have in common."""
    return {
        **seat.by,
        "challenge": values["challenge"],
        "skill": values["skill"],
        "attribute": values["attribute"],
        "approach": values["approach"],
        "switches": tuple(values["switches"]),
    }


class DefendPanel(SidePanel):
    """For the owner of whoever is attacked, or whom a contest is with, or a GM: `sg:def:<table>:<challenge>:<step>`."""

    kind, opening, route = "defend", "def", "dp"

    def begin(self, seat: Seat, name: str, step: int) -> tuple[AnyChallenge, dict[str, Any]]:
        challenge, _ = self.current(seat, {"challenge": name, "step": step})
        return challenge, {"approach": challenge.defence_approach}

    def current(self, seat: Seat, values: dict[str, Any]) -> tuple[AnyChallenge, AnyCharacter]:
        """As it was shown, for those who may choose."""
        state = seat.table.state
        challenge = _known(seat, values["challenge"])
        target = target_of(state, challenge)
        if challenge.step != values["step"] or challenge.status != "answered":
            raise Outdated("check-moved-on", check=challenge.id, status=challenge.status)
        if target is None or not challenge.opposed:
            raise Impossible("not-opposed", check=challenge.id)
        if not is_gm(state, seat.actor):
            require_owner(state, seat.actor, target)
        return challenge, target

    def action(self, seat: Seat, values: dict[str, Any]) -> Defend:
        return Defend(**_said(seat, values), step=values["step"])

    def read(
        self, seat: Seat, challenge: AnyChallenge, character: AnyCharacter, values: dict[str, Any]
    ) -> None:
        system_of(seat.table.state).defend(character, self.action(seat, values))

    def words(self, seat: Seat, challenge: AnyChallenge, character: AnyCharacter) -> SideWords:
        state = seat.table.state
        return defence_words(check_view(state, system_of(state), challenge, gm=seat.gm, who=seat.actor.id))

    def switches(
        self, system: System, challenge: AnyChallenge, character: AnyCharacter
    ) -> tuple[Choice, ...]:
        """A contest is met as it is begun."""
        if challenge.kind == "contest":
            return system.switches(gm=False, character=character, kind="contest")
        return system.defence_switches()


class JoinPanel(SidePanel):
    """For whoever joins in what others do, or changes what they bring: `sg:join:<table>:<challenge>:<step>`.

    What others do meanwhile, or the GM's answer, does not put it out of date as long as one can still join in.
    """

    kind, opening, route = "join", "join", "jp"

    def begin(self, seat: Seat, name: str, step: int) -> tuple[AnyChallenge, dict[str, Any]]:
        challenge = _joinable(seat, name)
        able = self.others(seat, challenge)
        if not able:
            leader = seat.table.state.characters[challenge.character]
            if any(each.id == leader.id for each in playable(seat.table.state, seat.actor)):
                raise Impossible("leads-it", name=leader.name)
            raise NotFound("no-character", field="as", value=None)
        there = {each.character: each.approach for each in challenge.helpers}
        helping = [each for each in able if each.id in there]
        character = (helping or [_usual(seat, able)])[0]
        return challenge, {"as": character.id, "approach": there.get(character.id, "")}

    def current(self, seat: Seat, values: dict[str, Any]) -> tuple[AnyChallenge, AnyCharacter]:
        challenge = _joinable(seat, values["challenge"])
        return challenge, acting_as(seat.table.state, seat.actor, values["as"])

    def action(self, seat: Seat, values: dict[str, Any]) -> Join:
        challenge, character = self.current(seat, values)
        return Join(**_said(seat, values), step=challenge.step, as_=character.id)

    def read(
        self, seat: Seat, challenge: AnyChallenge, character: AnyCharacter, values: dict[str, Any]
    ) -> None:
        system_of(seat.table.state).join(character, challenge, self.action(seat, values))

    def words(self, seat: Seat, challenge: AnyChallenge, character: AnyCharacter) -> SideWords:
        state = seat.table.state
        view = check_view(state, system_of(state), challenge, gm=seat.gm, who=seat.actor.id)
        there = any(each.character == character.id for each in challenge.helpers)
        return help_words(view, character, there=there)

    def switches(
        self, system: System, challenge: AnyChallenge, character: AnyCharacter
    ) -> tuple[Choice, ...]:
        return system.switches(gm=False, character=character, kind="team")

    def others(self, seat: Seat, challenge: AnyChallenge) -> tuple[AnyCharacter, ...]:
        mine = playable(seat.table.state, seat.actor)
        return tuple(each for each in mine if each.id != challenge.character)


def _joinable(seat: Seat, name: str) -> AnyChallenge:
    challenge = _known(seat, name)
    if challenge.kind != "team":
        raise Impossible("not-a-team", check=challenge.id)
    if challenge.status not in ("proposed", "answered"):
        raise Outdated("check-moved-on", check=challenge.id, status=challenge.status)
    return challenge


def _usual(seat: Seat, able: tuple[AnyCharacter, ...]) -> AnyCharacter:
    """Whoever acts when nothing is said, if they are among these; else the first."""
    try:
        acting = acting_as(seat.table.state, seat.actor, None, seat.place)
    except RulesError:
        return able[0]
    return acting if acting in able else able[0]
