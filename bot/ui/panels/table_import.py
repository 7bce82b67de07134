"""Import of a table from a file: previewed, then brought in on the GM's decision.

The file goes into an empty table, or opens a new one.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import discord

from bot.delivery.response import Response
from bot.presenters.catalog_cards import card
from bot.presenters.render import to_messages
from bot.presenters.table import gm_channel_card
from bot.presenters.transfer import import_card
from bot.services.imports import ImportPreview, is_long_import, read_table_file
from bot.services.table_opening import InitialContents, unique_users_by_name
from bot.ui.context import Context
from bot.ui.drafts import Draft, Drafts, new_draft
from bot.ui.interactions import Interactions, create_table_action, require_founder
from bot.ui.router import Press, Router
from bot.worker_process import WorkerFailed, WorkerProcess
from rules.core.errors import Impossible, Outdated
from rules.core.record import to_plain
from rules.table.actions import CreateTable, ImportTable
from rules.table.state import TableState
from rules.table.transfer import require_empty

KIND = "import"
#: Table id in the draft of a table that is not opened yet.
NO_TABLE: Final = 0


class ImportPanel:
    """Panel of `/gm import`; its controls are `sg:imp:<draft>:<control>`."""

    def __init__(
        self,
        interactions: Interactions,
        drafts: Drafts,
        router: Router,
        aside: WorkerProcess,
        opened: Callable[[int, str], Awaitable[None]],
    ) -> None:
        """`opened` gets the server and the system of a table that was opened."""
        self._interactions = interactions
        self._drafts = drafts
        self._aside = aside
        self._opened = opened
        router.add("imp", self.press)

    async def open(self, response: Response, ctx: Context | None, file: discord.Attachment) -> None:
        """Read the whole file, keep it in a draft, and ask the GM.

        Without a table, one will be opened for it. Raises NotPermitted, and as `_read`.
        """
        if ctx is None:
            require_founder(response.interaction)
        else:
            ctx.require_gm()
            response.plain = ctx.plain
            require_empty(ctx.table.state)
        here = response.interaction
        opens = create_table_action(here, self._interactions.clock(), system="")
        into = opens if ctx is None else ctx.table.state
        values = await self._read(response, file, into)
        draft = new_draft(KIND, ctx.table.id if ctx else NO_TABLE, here.user.id, values)
        await self._drafts.save(draft)
        await self._show(response, ctx, draft)

    async def _read(
        self, response: Response, file: discord.Attachment, into: TableState | CreateTable
    ) -> dict[str, Any]:
        """Return what a draft keeps of a file.

        Raises as `Uploads.fetch` and `read_table_file`, and Impossible("import-failed").
        """
        content = await self._interactions.uploads.fetch(response, file, "table")
        if not is_long_import(content):
            text, preview, names = read_table_file(content, into)
        else:
            try:
                text, preview, names = await self._aside.run_for(
                    response.interaction.user.id, read_table_file, content, into
                )
            except WorkerFailed:
                raise Impossible("import-failed") from None
        return {"file": text, "brought": to_plain(preview), "names": names, "chosen": []}

    async def press(self, press: Press) -> None:
        """Handle a choice of owners, or the decision."""
        async with self._interactions.respond_to(press.interaction, update=True) as response:
            draft = await self._drafts.load(press.text(0), KIND, press.interaction.user.id)
            ctx: Context | None = None
            if draft.table_id != NO_TABLE:
                ctx = await self._interactions.context(response, draft.table_id)
                response.plain = ctx.plain
                ctx.require_gm()
            control, values = press.text(1), draft.values
            if control == "drop":
                await self._drafts.drop(draft)
                await response.show(card("waiting", "import-dropped", None))
                return
            if ctx is None:
                require_founder(press.interaction)
            matches = await self._matches(response, ctx, values["names"])
            if control == "who":
                values["chosen"] = [owner for owner in press.values if owner in matches]
                await self._drafts.save(draft)
                await self._show(response, ctx, draft)
            elif control == "go":
                owners: dict[str, Any] = {
                    owner: matches[owner] for owner in values["chosen"] if owner in matches
                }
                data = json.loads(values["file"])
                if ctx is not None:
                    await ctx.perform(ImportTable(**ctx.origin, data=data, owners=owners))
                else:
                    await self._open_table(
                        response, _preview_of(draft), InitialContents(data, owners)
                    )
                await self._drafts.drop(draft)
            else:
                raise Outdated("unknown-control")

    async def _open_table(
        self, response: Response, preview: ImportPreview, filling: InitialContents
    ) -> None:
        """Open the table, answer, and ask for its GM channel."""
        interactions, here = self._interactions, response.interaction
        action = create_table_action(
            here, interactions.clock(), system=preview.system, name=preview.name
        )
        done = await interactions.open_table(response, action, filling)
        if not done.repeated:
            await response.whisper(to_messages(gm_channel_card(done.table.id)))
        await self._opened(int(done.table.guild), action.system)

    async def _matches(
        self, response: Response, ctx: Context | None, names: dict[str, str]
    ) -> Mapping[str, str | tuple[str, str]]:
        """Return the owners whose name has exactly one match, with that participant.

        Names are matched at the table. Without a table they are matched at the server's tables;
        then the match is a user id and a name, and the founder counts as known.
        """
        if ctx is None:
            here = response.interaction
            founder = (str(here.user.id), here.user.display_name)
            return await unique_users_by_name(
                self._interactions.tables, str(here.guild_id), names, founder
            )
        directory = ctx.table.directory
        matches = {owner: directory.participants_named(name) for owner, name in names.items()}
        return {owner: ids[0] for owner, ids in matches.items() if len(ids) == 1}

    async def _show(self, response: Response, ctx: Context | None, draft: Draft) -> None:
        names: dict[str, str] = draft.values["names"]
        matches: dict[str, str] = {}
        for owner, who in (await self._matches(response, ctx, names)).items():
            matches[owner] = f"<@{who[0]}>" if ctx is None else ctx.scene.names.mention(str(who))
        chosen, new = draft.values["chosen"], ctx is None
        await response.show(
            import_card(draft.id, _preview_of(draft), names, matches, chosen, new=new)
        )


def _preview_of(draft: Draft) -> ImportPreview:
    kept = draft.values["brought"]
    characters = tuple([(owner, name) for owner, name in kept["characters"]])
    decks, parts = tuple(kept["decks"]), tuple(kept["parts"])
    return ImportPreview(kept["name"], kept["system"], characters, decks, parts)
