"""Cards as discord.py sends them: nothing stored, nobody pinged by accident, nothing lost in plain text."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord.webhook.async_ import async_context
from hypothesis import given
from hypothesis import strategies as st

from bot.presenters.controls import Button, Card, Field, Input, Modal, Option, Select
from bot.presenters.limits import size
from bot.presenters.render import plain_text, to_messages, to_modal
from tests.presenters.scenes import answer, answered, card_of, propose, roll, table
from tests.profiles import examples

FULL = Card(
    "Title 1",
    "Body 2",
    (Field("Name 3", "Value 4"), Field("Name 5", "Value 6", inline=True)),
    "Footer 7",
    "good",
    ((Button("sg:a", "Press", "primary"), Button("sg:b", "Off", disabled=True)),),
    "<@8> and <@&9>, look.",
    (8,),
    (9,),
)


def texts(messages: list[dict[str, Any]]) -> str:
    """Everything that somebody who gets the messages can read."""
    parts: list[str] = []
    for message in messages:
        parts.append(message.get("content") or "")
        embed = message.get("embed")
        if embed is not None:
            parts += [embed.title or "", embed.description or "", embed.footer.text or ""]
            parts += [f"{field.name}\n{field.value}" for field in embed.fields]
    return "\n".join(parts)


def sendable(message: dict[str, Any]) -> None:
    """What Discord checks."""
    assert size(message.get("content") or "") <= 2000
    embed = message.get("embed")
    assert embed is not None or message.get("content")
    if embed is not None:
        assert 0 < size(embed.title or "") <= 256
        assert size(embed.description or "") <= 4096
        assert len(embed) <= 6000
        for field in embed.fields:
            assert 0 < size(field.name or "") <= 256
            assert 0 < size(field.value or "") <= 1024


async def test_embed_form() -> None:
    (message,) = to_messages(FULL)
    embed = message["embed"]
    assert message["content"] == FULL.call
    assert (embed.title, embed.description, embed.footer.text) == ("Title 1", "Body 2", "Footer 7")
    assert [(field.name, field.value, field.inline) for field in embed.fields] == [
        ("Name 3", "Value 4", False),
        ("Name 5", "Value 6", True),
    ]
    assert message["view"].to_components() == [
        {
            "type": 1,
            "components": [
                {"type": 2, "style": 1, "disabled": False, "label": "Press", "custom_id": "sg:a"},
                {"type": 2, "style": 2, "disabled": True, "label": "Off", "custom_id": "sg:b"},
            ],
        }
    ]
    assert set(to_messages(Card("Only a title"))[0]) == {"embed", "allowed_mentions"}


async def test_plain_form_is_text_alone() -> None:
    (message,) = to_messages(FULL, plain=True)
    assert message["content"] == (
        "<@8> and <@&9>, look.\nTitle 1\nBody 2\nName 3: Value 4\nName 5: Value 6\nFooter 7"
    )
    assert "embed" not in message
    assert message["view"].to_components() == to_messages(FULL)[0]["view"].to_components()


async def test_only_those_meant_are_pinged() -> None:
    (message,) = to_messages(FULL)
    assert message["allowed_mentions"].to_dict() == {
        "parse": [],
        "users": [8],
        "roles": [9],
    }
    nobody = to_messages(Card("t", "<@8> @everyone"))[0]["allowed_mentions"]
    assert nobody.to_dict() == {"parse": []}
    long = to_messages(Card("t", "word " * 3000, call="<@8>", mentions=(8,)), plain=True)
    assert [message["allowed_mentions"].to_dict().get("users") for message in long] == (
        [[8]] + [None] * (len(long) - 1)
    )


async def test_views_are_stopped_so_that_nothing_keeps_them() -> None:
    view = to_messages(FULL)[0]["view"]
    assert view.is_finished()
    assert view.timeout is None


async def test_menus() -> None:
    options = (Option("a", "A", "first", default=True), Option("b", "B"))
    card = Card(
        "t",
        rows=((Select("sg:s", "Choose", options, 0, 2),), (Select("sg:c", "Where", kind="channel"),)),
    )
    first, second = to_messages(card)[0]["view"].to_components()
    menu = first["components"][0]
    assert (menu["type"], menu["custom_id"], menu["min_values"], menu["max_values"]) == (3, "sg:s", 0, 2)
    assert menu["options"][0] == {"label": "A", "value": "a", "description": "first", "default": True}
    channels = second["components"][0]
    assert (channels["type"], channels["channel_types"]) == (8, [0])


async def test_buttons_that_discord_would_refuse_are_an_error() -> None:
    with pytest.raises(ValueError, match="twice"):
        to_messages(Card("t", rows=((Button("sg:a", "A"), Button("sg:a", "B")),)))


MODAL = Modal(
    "sg:m:1",
    "Say how",
    (
        Input("approach", "Your idea", "as it was", "what you do", long=True, most=500),
        Input("bonus", "Bonus", required=False, most=6),
    ),
)


async def test_dialogue() -> None:
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


async def test_a_dialogue_is_sent_and_not_kept() -> None:
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


async def test_long_cards_become_several_messages_and_lose_nothing() -> None:
    lines = [f"line {number}: some text that takes room" for number in range(600)]
    card = Card("Long", "\n".join(lines), footer="The end", rows=((Button("sg:a", "A"),),), call="<@8>")
    for plain in (False, True):
        messages = to_messages(card, plain=plain)
        assert len(messages) > 1
        for message in messages:
            sendable(message)
        read = texts(messages)
        assert all(line in read for line in lines)
        assert "The end" in read
        assert ["view" in message for message in messages] == [False] * (len(messages) - 1) + [True]


PARTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5000).filter(str.strip)


@examples(60)
@given(
    PARTS,
    PARTS,
    st.lists(st.tuples(PARTS, PARTS), max_size=30),
    st.text("abc \n*", max_size=3000),
    st.booleans(),
)
def test_whatever_a_card_holds_can_be_sent(
    title: str, body: str, fields: list[tuple[str, str]], footer: str, plain: bool
) -> None:
    card = Card(title[:256], body * 3, tuple(Field(name, value) for name, value in fields), footer)
    for message in to_messages(card, plain=plain):
        sendable(message)


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


async def test_plain_text_holds_every_number_and_name() -> None:
    state = answered(table(), note="It is wet and 3 m high.", options=("flaw",))
    hidden = answer(propose(table())[0], difficulty="14", hidden=True)[1]
    events = [propose(table(), options=("dilemma",))[1][0], *hidden, roll(state, 10, 7, 4)[1][0]]
    for event in events:
        for changes in ({}, {"closed": True}, {"undone_by": 20, "taken_back_by": "p1"}):
            card = card_of(event, **changes)
            shown, plain = to_messages(card), to_messages(card, plain=True)
            assert words_of(texts(shown)) <= words_of(texts(plain))
            assert "embed" not in plain[0]


def test_plain_text_has_no_empty_lines_for_what_is_not_there() -> None:
    assert plain_text(Card("Title")) == "Title"
