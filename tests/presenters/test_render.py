"""Cards as discord.py sends them: nothing stored, nobody pinged by accident, nothing lost in plain
text.
"""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord.webhook.async_ import async_context

from bot.presenters.controls import Button, Input, Modal, Option, Rows, Select
from bot.presenters.layout import Body, Layout, Section, build_layout, rows_of
from bot.presenters.render import Message, to_messages, to_modal, walk_components
from tests.presenters.discord_limits import check_message, components
from tests.presenters.scenes import answer, answered_check, call_of, card_of, propose, roll, table

ROWS: Rows = ((Button("sg:a", "Press", "primary"), Button("sg:b", "Off", disabled=True)),)
FULL = Layout(
    "good",
    build_layout("good", "Title 1", "Body 2", "Body 3", small="Footer 4", rows=ROWS).pieces,
    call="<@8> and <@&9>, look.",
    mentions=(8,),
    role_mentions=(9,),
)
CALL = Layout("open", rows_of(ROWS), None, "<@8>, look.", (8,))


def texts(messages: list[Message]) -> str:
    """Everything that somebody who gets the messages can read."""
    parts = [message.get("content") or "" for message in messages]
    parts += [
        each["content"]
        for message in messages
        for each in walk_components(components(message))
        if "content" in each
    ]
    return "\n".join(parts)


async def test_plain_form_is_text_alone() -> None:
    (message,) = to_messages(FULL, plain=True)
    assert message["content"] == "<@8> and <@&9>, look.\nTitle 1\nBody 2\nBody 3\nFooter 4"
    (row,) = components(message)
    (container,) = components(to_messages(FULL)[0])
    assert row == container["components"][-1]
    assert [each["label"] for each in row["components"]] == ["Press", "Off"]


async def test_one_button_stands_out_at_most() -> None:
    both = [
        Section("One", Button("sg:c", "Go", "primary")),
        Section("Two", Button("sg:d", "Go", "primary")),
    ]
    for spoken in (False, True):
        (message,) = to_messages(build_layout("own", "Head", *both, rows=ROWS), plain=spoken)
        styles = {
            each["custom_id"][:4]: each["style"]
            for each in walk_components(components(message))
            if "style" in each
        }
        assert styles == {"sg:c": 1, "sg:d": 2, "sg:a": 2, "sg:b": 2}, (
            "the first: what is expected next"
        )


async def test_a_call_is_an_ordinary_message_with_what_can_be_pressed() -> None:
    """The notification of a layout would be empty."""
    for spoken in (False, True):
        (message,) = to_messages(CALL, plain=spoken)
        check_message(message)
        assert message["content"] == "<@8>, look."
        assert message["allowed_mentions"].to_dict() == {"parse": [], "users": [8], "roles": []}
        assert [each["label"] for each in components(message)[0]["components"]] == ["Press", "Off"]
    (long,) = to_messages(Layout("open", (), None, "word " * 1000, (8,)))
    check_message(long)


async def test_only_those_meant_are_pinged() -> None:
    card, call = to_messages(FULL)
    assert card["allowed_mentions"].to_dict() == {"parse": []}
    assert call["allowed_mentions"].to_dict() == {"parse": [], "users": [8], "roles": [9]}
    (nobody,) = to_messages(build_layout("own", "t", "<@8> @everyone"), plain=True)
    assert nobody["allowed_mentions"].to_dict().get("users", []) == []
    long = Layout("own", (Body("word " * 3000),), call="<@8>", mentions=(8,))
    messages = to_messages(long, plain=True)
    assert [message["allowed_mentions"].to_dict().get("users") for message in messages] == (
        [[8]] + [None] * (len(messages) - 1)
    )


async def test_views_are_stopped_so_that_nothing_keeps_them() -> None:
    for message in (*to_messages(FULL), *to_messages(FULL, plain=True), *to_messages(CALL)):
        if "view" in message:
            assert message["view"].is_finished()
            assert message["view"].timeout is None


async def test_menus() -> None:
    options = (Option("a", "A", "first", default=True), Option("b", "B"))
    rows: Rows = (
        (Select("sg:s", "Choose", options, 0, 2),),
        (Select("sg:c", "Where", kind="channel"),),
    )
    (message,) = to_messages(Layout("own", rows_of(rows), call="Which?"))
    first, second = components(message)
    menu = first["components"][0]
    assert (menu["type"], menu["custom_id"], menu["min_values"], menu["max_values"]) == (
        3,
        "sg:s",
        0,
        2,
    )
    assert menu["options"][0] == {
        "label": "A",
        "value": "a",
        "description": "first",
        "default": True,
    }
    channels = second["components"][0]
    assert (channels["type"], channels["channel_types"]) == (8, [0])


MODAL = Modal(
    "sg:m:1",
    "Say how",
    (
        Input("approach", "Your idea", "as it was", "what you do", long=True, most=500),
        Input("bonus", "Bonus", required=False, most=6),
    ),
)


async def test_dialog() -> None:
    sent = to_modal(MODAL).to_dict()
    assert (sent["custom_id"], sent["title"]) == ("sg:m:1", "Say how")
    first, second = sent["components"]
    assert (first["type"], first["label"]) == (18, "Your idea")
    assert first["component"] == {
        "type": 4,
        "style": 2,
        "label": None,
        "custom_id": "approach",
        "required": True,
        "placeholder": "what you do",
        "value": "as it was",
        "max_length": 500,
    }
    assert second["component"]["required"] is False
    with pytest.raises(ValueError, match="title over 45"):
        to_modal(Modal("m", "t" * 46, MODAL.inputs))


async def test_a_dialog_is_sent_and_not_kept() -> None:
    """discord.py stores a modal that is not stopped, under its id, for ever."""
    stored: list[object] = []
    sent: list[Any] = []

    class Adapter:
        async def create_interaction_response(
            self, *args: object, params: Any, **rest: object
        ) -> dict[str, Any]:
            sent.append(params.payload)
            return {"interaction": {"id": "1", "type": 5}}

    http = SimpleNamespace(proxy=None, proxy_auth=None)
    state = SimpleNamespace(http=http, store_view=lambda view, *_: stored.append(view))
    parent: Any = SimpleNamespace(id=1, token="t", _session=None, _state=state, response=None)
    adapter: Any = Adapter()
    token = async_context.set(adapter)
    try:
        await discord.InteractionResponse(parent).send_modal(to_modal(MODAL))
    finally:
        async_context.reset(token)
    assert sent[0]["data"]["custom_id"] == "sg:m:1"
    assert stored == []


async def test_long_plain_text_becomes_several_messages_and_loses_nothing() -> None:
    lines = [f"line {number}: some text that takes room" for number in range(600)]
    card = Layout(
        "own", build_layout("own", "Long", *lines, small="The end", rows=ROWS).pieces, call="<@8>"
    )
    messages = to_messages(card, plain=True)
    assert len(messages) > 1
    for message in messages:
        check_message(message)
    read = texts(messages)
    assert all(line in read for line in lines)
    assert "The end" in read
    assert ["view" in message for message in messages] == [False] * (len(messages) - 1) + [True]


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


async def test_plain_text_holds_every_number_and_name() -> None:
    state = answered_check(table(), note="It is wet and 3 m high.", flaw=1)
    hidden = answer(propose(table())[0], difficulty="14", hidden=True)[1]
    events = [propose(table(), dilemma=1)[1][0], *hidden, roll(state, 10, 7, 4)[1][0]]
    for event in events:
        cards = [card_of(event), card_of(event, closed=True), card_of(event, undone_by=20)]
        for card in [*cards, *([call_of(event)] if event.ping_gms else [])]:
            shown, plain = to_messages(card), to_messages(card, plain=True)
            assert words_of(texts(shown)) <= words_of(texts(plain))
            assert "view" not in plain[0] or not plain[0]["view"].has_components_v2()


def test_plain_text_has_no_empty_lines_for_what_is_not_there() -> None:
    (message,) = to_messages(build_layout("own", "Title", "", small=""), plain=True)
    assert message["content"] == "Title"
