"""A table from a file: shown first, brought in when the GM says so."""

from __future__ import annotations

from typing import Any

from bot.presenters.transfer import import_card, import_dropped_card
from bot.services.transfer import for_import
from bot.ui.desk import Desk, Seat
from bot.ui.drafts import Draft, Drafts
from bot.ui.router import Press, Router
from rules.core.errors import Outdated
from rules.registry import system_of
from rules.table.actions import ImportTable
from rules.table.people import require_gm
from rules.table.transfer import Plan, plan_import, require_empty

KIND = "import"


class ImportPanel:
    """Opened by `/gm import`, lives as `sg:imp:<draft>:<control>`."""

    def __init__(self, desk: Desk, drafts: Drafts, router: Router) -> None:
        self._desk = desk
        self._drafts = drafts
        router.add("imp", self.press)

    async def open(self, seat: Seat, file: dict[str, Any]) -> None:
        """Read the whole file, keep it, and ask. Raises as `rules.table.transfer.plan_import`."""
        require_gm(seat.table.state, seat.actor)
        require_empty(seat.table.state)
        data, names = for_import(file)
        plan = self._plan(seat, data, {})
        owners = {key: _clean(names[key]) for key in plan.owners if key in names}
        values = {"data": data, "names": owners, "chosen": []}
        draft = await self._drafts.new(KIND, seat.table.id, seat.interaction.user.id, values)
        await self._show(seat, draft, plan)

    async def press(self, press: Press) -> None:
        """A choice of owners, or the decision."""
        async with self._desk.answering(press.interaction, update=True) as ack:
            draft = await self._drafts.load(press.text(0), KIND, press.interaction.user.id)
            seat = await self._desk.take_seat(ack, draft.table_id)
            require_gm(seat.table.state, seat.actor)
            control, values = press.text(1), draft.values
            if control == "drop":
                await self._drafts.drop(draft)
                await seat.show(import_dropped_card())
                return
            matches = _matches(seat, values["names"])
            if control == "who":
                values["chosen"] = [owner for owner in press.values if owner in matches]
                await self._drafts.save(draft)
                await self._show(seat, draft, self._plan(seat, values["data"], {}))
            elif control == "go":
                owners = {owner: matches[owner] for owner in values["chosen"] if owner in matches}
                await seat.perform(ImportTable(**seat.by, data=values["data"], owners=owners))
                await self._drafts.drop(draft)
            else:
                raise Outdated("unknown-control")

    def _plan(self, seat: Seat, data: dict[str, Any], owners: dict[str, str]) -> Plan:
        state = seat.table.state
        action = ImportTable(**seat.by, data=data, owners=owners)
        return plan_import(state, action, data, system_of(state))

    async def _show(self, seat: Seat, draft: Draft, plan: Plan) -> None:
        names: dict[str, str] = draft.values["names"]
        mention = seat.scene.names.mention
        matches = {owner: mention(who) for owner, who in _matches(seat, names).items()}
        await seat.show(import_card(draft.id, plan, names, matches, draft.values["chosen"]))


def _matches(seat: Seat, names: dict[str, str]) -> dict[str, str]:
    """The owners of whose name there is exactly one person at this table, with who that is."""
    found = {owner: seat.table.directory.named(name) for owner, name in names.items()}
    return {owner: who[0] for owner, who in found.items() if len(who) == 1}


def _clean(name: str) -> str:
    return name[:100].encode("utf-8", "replace").decode()
