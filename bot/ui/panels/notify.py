"""The panel of `/notify`: changes of a user's wishes, and the test of direct messages."""

from __future__ import annotations

from typing import Final, Literal, cast

import discord

from bot.delivery.direct_messages import DirectMessages
from bot.delivery.response import Response
from bot.notices import NoticeDispatcher
from bot.presenters.notify import TIMES_ID, notify_card, times_dialog
from bot.presenters.render import to_modal
from bot.services.preferences import (
    MAX_NUDGE,
    MAX_PINGS,
    NEVER,
    Preference,
    load_preference,
    parse_minute,
    parse_zone,
    save_preference,
)
from bot.ui.interactions import Interactions
from bot.ui.panels.notice import NoticePanel
from bot.ui.router import Press, Router, parse_number
from rules.core.errors import InvalidInput, Outdated

#: Most users whose refused texts are kept, the newest.
_MOST_REFUSED: Final = 100
_PLACES: Final = ("here", "dm", "list")


class NotifyPanel:
    """Handlers of the controls below `/notify`. The user who presses changes their own wishes."""

    def __init__(
        self, interactions: Interactions, notices: NoticeDispatcher, router: Router
    ) -> None:
        self._interactions = interactions
        channels = interactions.outbox.channels
        self._direct = DirectMessages(channels, interactions.tables, interactions.clock)
        #: What users last typed into the dialog, if it was refused.
        self._refused: dict[str, dict[str, str]] = {}
        router.add("notify", self._press)
        NoticePanel(interactions, notices, router)

    async def show(self, response: Response) -> None:
        """Show a user's wishes."""
        user = str(response.interaction.user.id)
        store = self._interactions.tables.store
        await response.show(notify_card(await load_preference(store, user)))

    async def _press(self, press: Press) -> None:
        """Handle `sg:notify:<what>`: `how`, `nudge`, `most`, `bundle`, `next`, `times`, `save`
        and `test`.
        """
        store, what = self._interactions.tables.store, press.text(0)
        user = str(press.interaction.user.id)
        async with self._interactions.respond_to(press.interaction, update=True) as response:
            preference = await load_preference(store, user)
            if what == "times":
                await response.open_modal(
                    to_modal(times_dialog(preference, self._refused.get(user)))
                )
                return
            if what == "test":
                await self._test(response, press.interaction, preference)
                return
            if what == "save":
                changed = self._with_times(user, preference, press)
            else:
                changed = _changed(preference, what, press)
            await save_preference(store, user, changed)
            said = "needs-test" if changed.how == "dm" and not changed.dm else ""
            await response.show(notify_card(changed, said=said))

    def _with_times(self, user: str, preference: Preference, press: Press) -> Preference:
        """Return the wishes with what was typed into the dialog. An empty hour ends quiet hours.

        What is refused stands in the dialog again. Raises InvalidInput as `parse_zone` and
        `parse_minute`.
        """
        typed = {key: press.inputs.get(key, "").strip() for key in ("zone", "from", "to")}
        quiet = (0, 0)
        self._refused.pop(user, None)
        try:
            zone = parse_zone(typed["zone"])
            if typed["from"] or typed["to"]:
                quiet = (parse_minute(typed["from"], "from"), parse_minute(typed["to"], "to"))
        except InvalidInput as error:
            self._refused[user] = typed
            for oldest in [*self._refused][:-_MOST_REFUSED]:
                del self._refused[oldest]
            raise InvalidInput(error.code, **{**error.params, "retype": TIMES_ID}) from None
        return preference.replace(zone=zone, quiet=quiet)

    async def _test(
        self, response: Response, interaction: discord.Interaction, preference: Preference
    ) -> None:
        """Send a direct message, and show whether it arrived."""
        changed = await self._direct.test(interaction.user, str(interaction.id), preference)
        said = "sent" if changed.dm else "refused"
        await response.show(notify_card(changed, said=said))


def _changed(preference: Preference, what: str, press: Press) -> Preference:
    """Return a user's wishes after a choice.

    Raises Outdated("unknown-control").
    """
    match what:
        case "how" if press.choice in _PLACES:
            how = cast(Literal["here", "dm", "list"], press.choice)
            return preference.replace(how=how, refused=False)
        case "nudge":
            never = press.choice == str(NEVER)
            nudge = NEVER if never else min(parse_number(press.choice), MAX_NUDGE)
            return preference.replace(nudge=nudge)
        case "most":
            return preference.replace(most=min(parse_number(press.choice), MAX_PINGS))
        case "bundle":
            bundle = "morning" if press.text(1) == "morning" else "each"
            return preference.replace(bundle=bundle)
        case "next":
            return preference.replace(next=press.text(1) == "on")
        case _:
            raise Outdated("unknown-control")
