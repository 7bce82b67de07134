"""The place bar on the page of the local table: its list of places, and the menu of a message."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, Final

import simcord

from bot.clock_bar.places import Places

#: Kinds of the page's actions that the place bar sends.
_LOOK: Final = "places"
_COMMAND: Final = "message_command"


def accept_place_moves(
    preview: simcord.Preview, channels: tuple[simcord.ChannelHandle, ...]
) -> None:
    """Have the page show any of the places, and run the commands of messages.

    All other actions go on to the page, in the place that it shows.
    """
    act, open_page = preview._action, preview._open_page
    places = Places(preview, channels)

    async def action(context_id: str | None, body: Any) -> dict[str, Any]:
        page = preview._get_page(context_id)
        if not isinstance(body, Mapping):
            return await act(context_id, body)
        if body.get("kind") == _LOOK:
            return _list_places(places, page)
        if body.get("kind") == _COMMAND:
            return await _run_message_command(preview, places, page, body)
        before = places.move(page, body)
        with places.acting_in(page.channel_id):
            answer = await act(context_id, body)
        if answer.get("rejected"):
            page.channel_id = before
        return answer

    def open_at_home(viewer_id: Any = None, target_id: Any = None) -> Any:
        with places.at_home():
            return open_page(viewer_id, target_id)

    preview._action = action
    preview._open_page = open_at_home


def _list_places(places: Places, page: Any) -> dict[str, Any]:
    """Return what the place bar shows: the places, and the commands of messages in this one."""
    lines = places.lines(page.viewer, page.channel_id)
    is_here = any(line.id == str(page.channel_id) for line in lines)
    return {
        "viewer": str(page.viewer.id),
        "shown": str(page.channel_id) if is_here else None,
        "places": [
            {
                "id": line.id,
                "name": line.name,
                "parent": line.parent,
                "unread": line.unread,
                "private": line.is_private,
                "archived": line.is_archived,
            }
            for line in lines
        ],
        "commands": places.message_commands(page.viewer, page.channel_id) if is_here else [],
    }


async def _run_message_command(
    preview: simcord.Preview, places: Places, page: Any, body: Mapping[str, Any]
) -> dict[str, Any]:
    """Run a command of a message's menu; its answer and its dialog appear on the page."""
    name, message_id = body.get("command"), body.get("message_id")
    if name not in places.message_commands(page.viewer, page.channel_id):
        return {"error": "This command isn't there any more."}
    try:
        message = preview.env.backend.get_message(page.channel_id, int(str(message_id)))
        with places.acting_in(page.channel_id) as channel:
            result = await page.viewer.context_menu(
                channel, name, simcord.ResponseMessage(preview.env, message)
            )
    except (ValueError, simcord.BackendError, simcord.SetupError):
        return {"error": "The message isn't there any more. Choose another one."}
    except TimeoutError:
        return {
            "error": "The bot is still at work on it. "
            "Press Refresh in a moment; on a phone it's under Tools."
        }
    if result.modal is not None:
        page.modal = result
        page.modal_handle = f"m_{secrets.token_urlsafe(12)}"
    await preview.refresh()
    return {"error": ""}
