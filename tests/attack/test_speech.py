"""Speaking under a character's name, by somebody who wants more than a word in the story."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from typing import Any

import discord
import pytest

from bot.logs import set_up_logging
from tests.discord.test_speech import (
    DELETE,
    EDIT,
    WHO,
    change,
    edit,
    let,
    menu,
    said,
    speaking,
    spoken,
    words,
)
from tests.discord.test_whispers import begun
from tests.discord.world import World, message_of, private, refusal_of, texts


def _pings(world: World, message: Any) -> bool:
    stored = world.env.backend.get_message(world.zone.id, message.id)
    return bool(stored.ping_user_ids or stored.ping_role_ids or stored.mention_everyone)


@pytest.mark.parametrize("webhook", [True, False])
async def test_nothing_that_is_said_or_edited_pings(world: World, webhook: bool) -> None:
    await speaking(world)
    if not webhook:
        let(world, world.bot.user, allow=False, manage_webhooks=True)
    role = world.guild.create_role("watch", mentionable=True)
    calls = f"@everyone @here <@{world.ben.id}> <@!{world.gina.id}> <@&{role.id}>"
    private(await world.ana.slash(world.zone, "say", text=calls))
    await world.env.settle()
    message = words(world) if webhook else world.last()
    assert not _pings(world, message)
    await edit(world, message, f"Once more: {calls}")
    assert not _pings(world, world.last())
    for request in (*world.requests("POST", "/webhooks"), *world.requests("PATCH", "/webhooks")):
        if isinstance(request.json, dict) and "Once" in str(request.json.get("content")):
            assert request.json["allowed_mentions"] == {"parse": []}


@pytest.mark.parametrize(
    "text",
    [
        "[a map](https://example.org/map)",
        "[a map](<https://example.org/map>)",
        "[a map](https://example.org/map 'a title')",
        '[a map](https://example.org/map "a title")',
        "[a map](https://example.org/a_(b))",
        "[a [small] map](https://example.org/map)",
        "[a map](HTTPS://example.org/map)",
        "[\\] map](https://example.org/map)",
    ],
)
async def test_without_the_right_to_embed_links_no_address_hides(world: World, text: str) -> None:
    await speaking(world)
    let(world, world.ana, allow=False, embed_links=True)
    message = await said(world, text)
    assert "](" not in message.content and "example.org" in message.content
    assert message.flags.suppress_embeds
    await edit(world, message, f"Look: {text}")
    assert "](" not in words(world).content


async def test_the_bots_message_shows_markup_as_text(world: World) -> None:
    await world.table()
    let(world, world.bot.user, allow=False, manage_webhooks=True)
    text = "```\n# The GM says\n> so\n-# small\n**bold** ||gone|| [here](https://example.org)"
    await world.ana.slash(world.zone, "say", text=text)
    await world.env.settle()
    shown = texts(world.last())
    head, *lines = shown.splitlines()
    assert head == "## Marek"
    assert not any(line.startswith(("#", ">", "```")) for line in lines)
    assert "**bold**" not in shown and "||gone||" not in shown and "[here](" not in shown


@pytest.mark.parametrize(
    "name",
    [
        *["Gina", "G\u0456na", "B\u0435n", "Gina.", "Gina (GM)", "B\u00e9n", "GlNA"],
        *["\u13f4en", "8en", "9ina"],
    ],
)
async def test_nobody_takes_the_name_of_a_gm_or_a_member(world: World, name: str) -> None:
    await speaking(world)
    await world.bring(world.ana, name)
    refused = await world.ana.slash(world.zone, "say", text="Hand over the keys.", **{"as": name})
    assert refusal_of(refused)
    assert not spoken(world)


@pytest.mark.parametrize(
    ("name", "by_webhook"),
    [("x" * 80, True), ("Discordia", False), ("Uncle CLYDE", False), ("Marek the\u2003Tall", True)],
)
async def test_names_that_discord_takes_or_refuses(
    world: World, name: str, by_webhook: bool
) -> None:
    await speaking(world)
    await world.bring(world.ana, name)
    await world.ana.slash(world.zone, "say", text="Here.", **{"as": name})
    await world.env.settle()
    assert len(spoken(world)) == by_webhook
    if not by_webhook:
        assert "Here." in texts(world.last())


@pytest.mark.parametrize("text", ["\u200b", "\u2800 \u3164", "\u202e\u2060"])
async def test_what_shows_nothing_is_not_said(world: World, text: str) -> None:
    await speaking(world)
    assert "Nothing to say" in refusal_of(await world.ana.slash(world.zone, "say", text=text))
    assert not spoken(world)


async def test_deleting_does_not_shorten_slow_mode(world: World) -> None:
    await speaking(world)
    channel = world.env.bot.get_channel(world.zone.id)
    assert isinstance(channel, discord.TextChannel)
    channel.slowmode_delay = 60
    message = await said(world)
    await change(world, message, DELETE)
    await world.env.settle()
    assert not spoken(world)
    refused = await world.ana.slash(world.zone, "say", text="And again.")
    assert "Slow mode" in refusal_of(refused)


async def test_a_member_in_time_out_says_and_edits_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await speaking(world)
    message = await said(world)
    dialog = await change(world, message, EDIT)
    monkeypatch.setattr(discord.Member, "is_timed_out", lambda member: True)
    refused = await world.ana.slash(world.zone, "say", text="Still here.")
    assert "can't write in this channel" in refusal_of(refused)
    refused = await world.ana.submit_modal(dialog, {"text": "Changed."})
    assert "can't write in this channel" in refusal_of(refused)
    assert spoken(world) == [("Marek", "Who's there?")]


async def test_a_locked_thread_is_silent(world: World) -> None:
    await speaking(world)
    thread = world.thread()
    inside = world.env.bot.get_channel(thread.id)
    assert isinstance(inside, discord.Thread)
    inside.locked = True
    refused = await world.ana.slash(thread, "say", text="Hm.")
    assert "can't write in this channel" in refusal_of(refused)
    assert not spoken(world)


async def test_an_edit_of_a_message_that_is_gone_says_so(world: World) -> None:
    await speaking(world)
    message = await said(world)
    shown = message_of(await menu(world, world.ana, WHO, message))
    dialog = await world.press(world.ana, shown, EDIT)
    world.env.backend.delete_message(world.zone.id, message.id)
    before = await world.revision()
    refused = await world.ana.submit_modal(dialog, {"text": "Again?"})
    assert "That message was deleted" in refusal_of(refused)
    assert await world.revision() == before
    await world.press(world.ana, shown, DELETE)
    await world.env.settle()
    assert "there" not in private(await world.ben.slash(world.zone, "recap", since="3 days"))


@pytest.mark.parametrize("size", [2100, 3000, 3900, 4000])
async def test_a_long_post_is_two_messages_at_most(world: World, size: int) -> None:
    await speaking(world)
    paragraph = "The ferry rocks and the rope groans; nobody speaks of the lamp. " * 10
    text = "\n\n".join([paragraph.strip()] * 9)[:size].strip()
    dialog = await world.ana.slash(world.zone, "post")
    await world.ana.submit_modal(dialog, {"text": text})
    await world.env.settle()
    pages = [content for _, content in spoken(world)]
    assert len(pages) == 2
    if size < 4000:
        assert " ".join(pages).split() == text.split()
    assert "".join("".join(pages).split()) == "".join(text.split())


@pytest.fixture
def debug_log() -> Iterator[io.StringIO]:
    """The bot's log at DEBUG, as a process writes it."""
    root = logging.getLogger()
    handlers, level, source = root.handlers[:], root.level, logging._srcfile
    stream = io.StringIO()
    set_up_logging("DEBUG", stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    logging._srcfile = source
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = True
    for name in ("storyguide", "discord.client", "discord.gateway"):
        logging.getLogger(name).setLevel(logging.NOTSET)


async def test_a_webhooks_token_is_in_no_log_export_or_answer(
    world: World, debug_log: io.StringIO
) -> None:
    await speaking(world)
    message = await said(world)
    await edit(world, message, "Edited.")
    for code, status in ((50035, 400), (0, 500), (10015, 404)):
        world.env.inject_error("POST", "/webhooks/*", status=status, code=code, message="No")
        await world.ana.slash(world.zone, "say", text=f"Refused {code}.")
        await world.env.settle()
    doctor = private(await world.gina.slash(world.zone, "table doctor"))
    answer = await world.gina.slash(world.zone, "gm export", what="full", journal=True)
    (file, *_) = message_of(answer).attachments
    exported = (await file.read()).decode()
    await world.restart()
    await world.env.settle()
    tokens = [webhook.token for webhook in world.env.backend.webhooks.values()]
    assert tokens and "outbox" in debug_log.getvalue()
    for token in tokens:
        assert token not in debug_log.getvalue()
        assert token not in doctor and token not in exported
        assert not any(token in texts(shown) for shown in world.messages())


@pytest.mark.parametrize("verb", ["edsaid", "respeak", "unsay"])
async def test_a_forged_id_does_not_tell_who_spoke_in_a_whisper_scene(
    world: World, verb: str
) -> None:
    await world.table()
    thread = await begun(world)
    await world.ana.slash(thread, "say", text="Xwords")
    await world.env.settle()
    before = await world.revision()
    answers: set[str] = set()
    for said_id in ("s1", "s2"):
        forged = f"sg:{verb}:1:{said_id}"
        if verb == "respeak":
            pressed = world.emit_modal(world.ben, forged, text="Mine.")
        else:
            pressed = world.emit(world.ben, forged)
        await world.env.settle()
        answers.add(refusal_of(pressed))
    assert len(answers) == 1 and "Ana" not in answers.pop()
    assert await world.revision() == before
