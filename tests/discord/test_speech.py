"""`/say`, `/post` and the menu of a message: words under a character's name, sent once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from simcord.actors import MemberActor
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.storage.store import SqlStore
from tests.discord.test_chronicle import book
from tests.discord.test_forum_posts import posts_of
from tests.discord.world import (
    World,
    dialog_values,
    is_layout,
    labels,
    message_of,
    private,
    refusal_of,
    texts,
)

MENU = "Post as my character"
WHO = "Who said this"
EDIT = "Edit…"
DELETE = "Delete"


def let(world: World, who: Any, allow: bool = True, **rights: bool) -> None:
    """Allow or deny rights in the channel to a member or the bot, in place of all others."""
    bits = discord.Permissions(**rights).value
    overwrite = Overwrite(
        who.id, OverwriteType.MEMBER, allow=bits if allow else 0, deny=0 if allow else bits
    )
    world.env.backend.set_overwrite(world.zone.id, overwrite)


async def speaking(world: World, **settings: Any) -> None:
    """A table in a channel where the bot may use webhooks."""
    await world.table(**settings)
    let(world, world.bot.user, manage_webhooks=True)


def spoken(world: World) -> list[tuple[str, str]]:
    """Name and text of every message of a webhook, oldest first."""
    found = [message for message in world.zone.history() if message.webhook_id is not None]
    return [(message.author.name, message.content) for message in found]


def words(world: World) -> discord.Message:
    """The newest message of a webhook."""
    return [message for message in world.zone.history() if message.webhook_id is not None][-1]


async def said(world: World, text: str = "Who's there?", who: MemberActor | None = None) -> Any:
    """`/say`, by Ana unless told otherwise; the message in the channel."""
    private(await (who or world.ana).slash(world.zone, "say", text=text))
    await world.env.settle()
    return words(world)


async def menu(world: World, who: MemberActor, name: str, message: Any) -> Any:
    """A command of a message's menu."""
    return await who.context_menu(world.zone, name, message)


async def change(world: World, message: Any, label: str) -> Any:
    """Press a button for what Ana said, below *Who said this*."""
    answer = await menu(world, world.ana, WHO, message)
    return await world.press(world.ana, message_of(answer), label)


async def edit(world: World, message: Any, text: str) -> Any:
    """Edit what Ana said."""
    dialog = await change(world, message, EDIT)
    answer = await world.ana.submit_modal(dialog, {"text": text})
    await world.env.settle()
    return answer


async def test_a_character_speaks_under_its_own_name(world: World) -> None:
    await speaking(world)
    answer = await world.ana.slash(world.zone, "say", text="Who's *there*?")
    assert private(answer).startswith("## Posted as Marek")
    assert not answer.followups
    await world.env.settle()
    assert spoken(world) == [("Marek", "Who's *there*?")]
    await said(world, "Nobody.", world.ben)
    assert spoken(world)[1:] == [("Ilka", "Nobody.")]
    assert len(world.env.backend.webhooks) == 1


async def test_nobody_is_pinged_by_what_a_character_says(world: World) -> None:
    await speaking(world)
    text = f"@everyone @here <@{world.ben.id}> <@&{world.guild.default_role.id}>"
    message = await said(world, text)
    assert message.content == text
    stored = world.env.backend.get_message(world.zone.id, message.id)
    assert not stored.ping_user_ids and not stored.ping_role_ids and not stored.mention_everyone


async def test_a_restart_sends_nothing_twice_and_uses_the_same_webhook(world: World) -> None:
    await speaking(world)
    await said(world)
    await world.restart()
    await world.env.settle()
    assert len(spoken(world)) == 1
    message = await said(world, "Still nobody?")
    assert len(spoken(world)) == 2 and len(world.env.backend.webhooks) == 1
    await edit(world, message, "Nobody at all?")
    assert spoken(world)[1] == ("Marek", "Nobody at all?")


@pytest.mark.parametrize("text", ["Who's there?", "a" * 1500 + "\n\n" + "b" * 1500])
async def test_words_whose_sending_was_not_recorded_are_found_again(
    world: World, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await speaking(world)
    await said(world, "The first words.")

    async def lost(*_: Any, **__: Any) -> None:
        return

    await world.bot.outbox.delivery_log.flush()
    with monkeypatch.context() as patch:
        patch.setattr(SqlStore, "mark_done", lost)
        dialog = await world.ana.slash(world.zone, "post")
        await world.ana.submit_modal(dialog, {"text": text})
        await world.env.settle()
        before = spoken(world)
        await world.bot.close()
    await world.restart()
    await world.env.settle()
    assert spoken(world) == before
    await edit(world, words(world), "Found.")
    assert spoken(world)[1:] == [("Marek", "Found.")]


async def test_words_that_never_reached_discord_are_sent_after_a_restart(world: World) -> None:
    await speaking(world)
    world.env.inject_error("POST", "/webhooks/*", status=503, code=0, message="Down", times=None)
    await world.ana.slash(world.zone, "say", text="Late.")
    await world.env.settle()
    assert not spoken(world)
    await world.bot.close()
    world.env.backend.faults.clear()
    await world.restart()
    await world.env.settle()
    assert spoken(world) == [("Marek", "Late.")]


async def test_long_words_are_cut_at_a_paragraph(world: World) -> None:
    await speaking(world)
    dialog = await world.ana.slash(world.zone, "post")
    assert dialog.modal is not None and dialog.modal["title"] == "Post as Marek"
    first, second = "a" * 1800, "b" * 1900
    await world.ana.submit_modal(dialog, {"text": f"{first}\n\n{second}"})
    await world.env.settle()
    assert spoken(world) == [("Marek", first), ("Marek", second)]
    shown = private(await menu(world, world.ben, WHO, words(world)))
    assert f"<@{world.ana.id}> said this as Marek" in shown
    await edit(world, words(world), "Shorter.")
    assert spoken(world) == [("Marek", "Shorter.")]


async def test_without_the_permission_the_bot_says_it_itself(world: World) -> None:
    await world.table()
    let(world, world.bot.user, allow=False, manage_webhooks=True)
    answer = await world.ana.slash(world.zone, "say", text="Who's there?")
    assert "Manage Webhooks to speak as Marek" in private(answer)
    await world.env.settle()
    message = world.last()
    assert message.webhook_id is None and is_layout(message)
    assert texts(message).startswith("## Marek\nWho's there?")
    shown = private(await menu(world, world.ben, WHO, message))
    assert f"<@{world.ana.id}> said this as Marek" in shown
    await edit(world, message, "Anybody?")
    assert "Anybody?" in texts(world.last()) and "there" not in texts(world.last())
    await change(world, world.last(), DELETE)
    await world.env.settle()
    assert all("Anybody?" not in texts(message) for message in world.messages())


async def test_a_name_that_discord_refuses_is_said_by_the_bot(world: World) -> None:
    await world.setup()
    let(world, world.bot.user, manage_webhooks=True)
    await world.bring(world.ana, "Clyde")
    answer = await world.ana.slash(world.zone, "say", text="Hands up.")
    assert "Discord doesn't let me use the name Clyde" in private(answer)
    await world.env.settle()
    assert not spoken(world) and "Hands up." in texts(world.last())


async def test_a_webhook_that_is_gone_is_made_anew(world: World) -> None:
    await speaking(world)
    await said(world)
    (webhook,) = world.env.backend.webhooks
    world.env.backend.delete_webhook(webhook)
    await said(world, "Once more.")
    assert spoken(world)[-1] == ("Marek", "Once more.")


async def test_a_channel_with_too_many_webhooks_hears_the_bot(world: World) -> None:
    await speaking(world)
    world.env.inject_error(
        "POST", f"/channels/{world.zone.id}/webhooks", status=400, code=30007, message="Too many"
    )
    result = await world.ana.slash(world.zone, "say", text="Who's there?")
    await world.env.settle()
    assert not spoken(world) and "Who's there?" in texts(world.last())
    hints = [texts(answer) for answer in result.followups]
    assert any("as many webhooks as Discord allows" in hint for hint in hints), hints
    again = await world.ana.slash(world.zone, "say", text="Hello?")
    await world.env.settle()
    assert not spoken(world) and not again.followups, "once a day is enough"


@pytest.mark.parametrize(
    ("code", "why"), [(50013, "permission Manage Webhooks"), (60003, "two-factor authentication")]
)
async def test_words_are_said_by_the_bot_where_discord_makes_no_webhook(
    world: World, code: int, why: str
) -> None:
    await speaking(world)
    path = f"/channels/{world.zone.id}/webhooks"
    world.env.inject_error("POST", path, status=403, code=code, message="No")
    result = await world.ana.slash(world.zone, "say", text="Who's there?")
    await world.env.settle()
    assert not spoken(world) and "Who's there?" in texts(world.last())
    (hint,) = [texts(answer) for answer in result.followups]
    assert why in hint and "as many webhooks" not in hint


async def test_words_that_a_webhook_may_not_post_are_said_by_the_bot(world: World) -> None:
    await speaking(world)
    await said(world)
    world.env.inject_error("POST", "/webhooks/*", status=403, code=50013, message="No")
    await world.ana.slash(world.zone, "say", text="Anybody?")
    await world.env.settle()
    assert len(spoken(world)) == 1 and "Anybody?" in texts(world.last())


async def test_a_second_page_that_is_refused_follows_the_first(world: World) -> None:
    await speaking(world)
    await said(world, "The first words.")
    dialog = await world.ana.slash(world.zone, "post")
    first, second = "a" * 1500, "b" * 1500
    with refused_once(second):
        await world.ana.submit_modal(dialog, {"text": f"{first}\n\n{second}"})
        await world.env.settle()
    await world.env.advance_time(60)
    assert spoken(world)[1:] == [("Marek", first), ("Marek", second)]
    assert second not in "".join(texts(each) for each in world.messages() if not each.webhook_id)


@contextmanager
def refused_once(page: str) -> Iterator[None]:
    """Let Discord refuse a webhook's message with a text, once."""
    send = discord.Webhook.send
    refused: list[str] = []

    async def refuse(webhook: discord.Webhook, text: str, **options: Any) -> Any:
        if text == page and not refused:
            refused.append(text)
            response = SimpleNamespace(status=400, reason="Bad Request")
            raise discord.HTTPException(response, {"code": 50000, "message": "No"})  # type: ignore[arg-type]
        return await send(webhook, text, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discord.Webhook, "send", refuse)
        yield


async def forgotten_thread(world: World) -> tuple[Any, Any]:
    """An archived thread with Ana's words, of which a bot that starts knows nothing."""
    thread = world.thread()
    private(await world.ana.slash(thread, "say", text="Down here."))
    await world.env.settle()
    (message,) = [each for each in thread.history() if each.webhook_id is not None]
    answer = await world.ana.context_menu(thread, WHO, message)
    guild = world.bot.get_guild(world.guild.id)
    assert guild is not None
    known = guild.get_thread(thread.id)
    assert known is not None
    await known.edit(archived=True)
    await world.env.settle()
    guild._remove_thread(known)
    return thread, answer


async def test_a_character_speaks_in_an_archived_thread(world: World) -> None:
    await speaking(world)
    thread, _ = await forgotten_thread(world)
    result = await world.ana.slash(thread, "say", text="Still here.")
    await world.env.settle()
    assert not result.followups, "the bot has its permission"
    said_there = [each.content for each in thread.history() if each.webhook_id is not None]
    assert said_there == ["Down here.", "Still here."]


async def test_words_in_an_archived_thread_are_edited_and_deleted(world: World) -> None:
    await speaking(world)
    thread, answer = await forgotten_thread(world)
    refuse_archived(world, "PATCH")
    dialog = await world.press(world.ana, message_of(answer), EDIT)
    private(await world.ana.submit_modal(dialog, {"text": "Up there."}))
    await world.env.settle()
    said_there = [each.content for each in thread.history() if each.webhook_id is not None]
    assert said_there == ["Up there."]
    refuse_archived(world, "DELETE")
    await world.press(world.ana, message_of(answer), DELETE)
    await world.env.settle()
    assert not [each for each in thread.history() if each.webhook_id is not None]


def refuse_archived(world: World, method: str) -> None:
    """Let Discord refuse a change of a webhook's message once, as in an archived thread."""
    (webhook,) = world.env.backend.webhooks
    path = f"/webhooks/{webhook}/*"
    world.env.inject_error(method, path, status=400, code=50083, message="Thread is archived")


async def test_only_the_speaker_edits_and_deletes(world: World) -> None:
    await speaking(world)
    message = await said(world)
    for who in (world.ben, world.gina):
        shown = message_of(await menu(world, who, WHO, message))
        assert not {EDIT, DELETE} & {*labels(shown)}
        for route in ("edsaid", "unsay"):
            refused = world.emit(who, f"sg:{route}:1:s1", message)
            await world.env.settle()
            assert "That has moved on." in refusal_of(refused), "as for words that aren't there"
    dialog = await change(world, message, EDIT)
    assert dialog_values(dialog) == {"text": "Who's there?"}
    answer = await edit(world, message, "Who *is* there?")
    assert "Edited" in private(answer)
    assert spoken(world) == [("Marek", "Who *is* there?")]
    shown = private(await menu(world, world.ben, WHO, message))
    assert f"<@{world.ana.id}> said this as Marek" in shown and "Edited once" in shown
    deleted = private(await change(world, message, DELETE))
    assert "You deleted it." in deleted and f"<@{world.ana.id}>" not in deleted
    await world.env.settle()
    assert not spoken(world)
    assert "Who" not in private(await world.ben.slash(world.zone, "recap", since="3 days"))


async def test_the_gms_log_says_that_words_were_deleted_and_not_which(world: World) -> None:
    await speaking(world)
    first = await said(world, "Xfirst words.")
    await edit(world, first, "Xsecond words.")
    await said(world, "Xundone words.")
    await world.gina.slash(world.zone, "gm undo")
    log = private(await world.gina.slash(world.zone, "gm log"))
    assert all(words in log for words in ("Xfirst", "Xsecond", "Xundone"))
    await change(world, first, DELETE)
    await world.env.settle()
    log = private(await world.gina.slash(world.zone, "gm log"))
    assert "deleted a character's words: Marek" in log
    assert "Xfirst" not in log and "Xsecond" not in log
    assert "Xundone" in log, "the GM took them back, not Ana"


async def test_the_gms_undo_deletes_the_words_and_an_undone_edit_brings_back_the_first(
    world: World,
) -> None:
    await speaking(world)
    message = await said(world)
    number = await world.revision()
    await edit(world, message, "Who *is* there?")
    await world.gina.slash(world.zone, "gm undo", entry=number + 1)
    await world.env.settle()
    assert spoken(world) == [("Marek", "Who's there?")]
    await world.gina.slash(world.zone, "gm undo", entry=number)
    await world.env.settle()
    assert not spoken(world)


async def test_a_message_deleted_by_hand_stays_gone(world: World) -> None:
    await speaking(world)
    message = await said(world)
    dialog = await change(world, message, EDIT)
    world.env.backend.delete_message(world.zone.id, message.id)
    await world.ana.submit_modal(dialog, {"text": "Again?"})
    await world.env.settle()
    assert not spoken(world)
    await said(world, "Still here.")
    assert spoken(world) == [("Marek", "Still here.")]


async def lose_webhook(world: World) -> None:
    """Delete the channel's webhook, as a server's administrator does in its settings."""
    (webhook,) = world.env.backend.webhooks
    world.env.backend.delete_webhook(webhook)


@pytest.mark.parametrize("restarted", [False, True])
async def test_words_of_a_deleted_webhook_cannot_be_edited(world: World, restarted: bool) -> None:
    await speaking(world)
    message = await said(world)
    dialog = await change(world, message, EDIT)
    await lose_webhook(world)
    if restarted:
        await world.restart()
    number = await world.revision()
    refused = refusal_of(await world.ana.submit_modal(dialog, {"text": "Again?"}))
    assert "the webhook that posted it was deleted" in refused and "/say" in refused
    assert "webhook" in refusal_of(await change(world, message, EDIT))
    await world.env.settle()
    assert spoken(world) == [("Marek", "Who's there?")]
    assert await world.revision() == number, "nothing is edited in the story"
    await said(world, "Still here.")
    assert "webhook" in refusal_of(await change(world, message, EDIT)), "another webhook speaks now"


async def test_deleted_words_of_a_deleted_webhook_may_have_to_stay(world: World) -> None:
    await speaking(world)
    message = await said(world)
    let(world, world.bot.user, allow=False, manage_messages=True)
    await lose_webhook(world)
    result = await change(world, message, DELETE)
    await world.env.settle()
    assert spoken(world) == [("Marek", "Who's there?")]
    hints = " ".join(texts(answer) for answer in result.followups)
    assert "The message still stands in the channel" in hints and str(message.id) in hints
    assert not world.env.backend.webhooks, "no webhook is made to delete a message"
    assert "Who" not in private(await world.ben.slash(world.zone, "recap", since="3 days"))


async def test_a_bot_that_may_manage_messages_deletes_those_of_a_deleted_webhook(
    world: World,
) -> None:
    await speaking(world)
    message = await said(world)
    await lose_webhook(world)
    result = await change(world, message, DELETE)
    await world.env.settle()
    assert not spoken(world) and not result.followups


async def test_a_second_page_that_was_deleted_by_hand_is_posted_again(world: World) -> None:
    await speaking(world)
    dialog = await world.ana.slash(world.zone, "post")
    await world.ana.submit_modal(dialog, {"text": f"{'a' * 1500}\n\n{'b' * 1500}"})
    await world.env.settle()
    first, second = [each for each in world.zone.history() if each.webhook_id is not None]
    world.env.backend.delete_message(world.zone.id, second.id)
    await edit(world, first, f"{'c' * 1500}\n\n{'d' * 1500}")
    assert spoken(world) == [("Marek", "c" * 1500), ("Marek", "d" * 1500)]


async def test_a_post_becomes_the_characters_words(world: World) -> None:
    await speaking(world)
    let(world, world.bot.user, manage_webhooks=True, manage_messages=True)
    post = await world.ana.send(world.zone, "Marek, out loud.")
    assert "isn't yours" in refusal_of(await menu(world, world.ben, MENU, post))
    await menu(world, world.ana, MENU, post)
    await world.env.settle()
    assert spoken(world) == [("Marek", "Marek, out loud.")]
    assert post.id not in [message.id for message in world.zone.history()]


async def test_a_post_that_cannot_be_deleted_is_told(world: World) -> None:
    await speaking(world)
    let(world, world.bot.user, allow=False, manage_messages=True)
    post = await world.ana.send(world.zone, "Marek, out loud.")
    answer = await menu(world, world.ana, MENU, post)
    assert "Your own post is still there" in private(answer)
    assert spoken(world) == [("Marek", "Marek, out loud.")]


async def test_a_moderator_who_does_not_play_reads_who_spoke(world: World) -> None:
    await speaking(world)
    message = await said(world)
    moderator = world.member("zed")
    shown = message_of(await menu(world, moderator, WHO, message))
    assert f"<@{world.ana.id}> said this as Marek" in texts(shown) and not labels(shown)
    assert "don't play" in refusal_of(await menu(world, moderator, MENU, message))


async def test_other_messages_were_said_by_no_character(world: World) -> None:
    await speaking(world)
    post = await world.ana.send(world.zone, "Hello.")
    assert "No character said that" in refusal_of(await menu(world, world.ana, WHO, post))


async def test_who_may_not_write_speaks_for_nobody(world: World) -> None:
    await speaking(world)
    let(world, world.ana, allow=False, send_messages=True)
    refused = await world.ana.slash(world.zone, "say", text="Let me!")
    assert "You can't write in this channel" in refusal_of(refused)
    assert not spoken(world)


async def test_who_may_not_write_in_threads_speaks_in_none(world: World) -> None:
    await speaking(world)
    let(world, world.ana, allow=False, send_messages_in_threads=True)
    thread = world.thread()
    refused = await world.ana.slash(thread, "say", text="Let me!")
    assert "You can't write in this channel" in refusal_of(refused)
    assert not thread.history()
    await said(world, "Up here I may.")


async def test_in_a_forum_post_the_forums_webhook_speaks(world: World) -> None:
    await speaking(world)
    forum = world.guild.create_forum_channel("tales")
    me, bits = world.bot.user, discord.Permissions(manage_webhooks=True).value
    assert me is not None
    overwrite = Overwrite(me.id, OverwriteType.MEMBER, allow=bits, deny=0)
    world.env.backend.set_overwrite(forum.id, overwrite)
    await world.gina.slash(world.zone, "gm bind", channel=forum)
    await world.gina.slash(world.zone, "scene start", title="The ferry", where="post")
    await world.env.settle()
    (post,) = posts_of(world, forum)
    assert not (await world.ana.slash(post, "say", text="Who steers?")).followups
    await world.env.settle()
    (message,) = [each for each in post.history() if each.webhook_id is not None]
    assert (message.author.name, message.content) == ("Marek", "Who steers?")
    (webhook,) = world.env.backend.webhooks.values()
    assert webhook.channel_id == forum.id


async def test_without_the_right_to_embed_links_show_no_preview(world: World) -> None:
    await speaking(world)
    let(world, world.ana, allow=False, embed_links=True)
    message = await said(world, "[a map](https://example.org/map)")
    assert message.content == "a map (<https://example.org/map>)"
    assert message.flags.suppress_embeds


async def test_slow_mode_counts_for_characters(world: World) -> None:
    await speaking(world)
    channel = world.env.bot.get_channel(world.zone.id)
    assert isinstance(channel, discord.TextChannel)
    channel.slowmode_delay = 60
    await said(world)
    refused = await world.ana.slash(world.zone, "say", text="And another thing.")
    assert "Slow mode" in refusal_of(refused)
    await said(world, "Quite.", world.ben)
    await world.env.advance_time(61)
    await said(world, "And another thing.")
    assert len(spoken(world)) == 3


async def test_nobody_speaks_under_another_members_name(world: World) -> None:
    await world.setup()
    let(world, world.bot.user, manage_webhooks=True)
    await world.bring(world.ben, "Ilka")
    await world.bring(world.ana, "Bеn")  # With a Cyrillic letter.
    refused = refusal_of(await world.ana.slash(world.zone, "say", text="I owe Ana money."))
    assert "member's name" in refused and not spoken(world)
    await world.bring(world.ana, "Ana")
    private(await world.ana.slash(world.zone, "say", text="I don't.", **{"as": "Ana"}))
    await world.env.settle()
    assert spoken(world) == [("Ana", "I don't.")]


async def test_a_gm_speaks_as_npcs_that_players_know(world: World) -> None:
    await speaking(world)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor")
    hidden = {"as": "Sidor"}
    refused = await world.gina.slash(world.zone, "say", text="Psst.", **hidden)
    assert "Players don't know Sidor" in refusal_of(refused)
    await world.gina.slash(world.zone, "gm npc alias", npc="Sidor", alias="The ferryman")
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor", stage="aliased")
    private(await world.gina.slash(world.zone, "say", text="Psst.", **hidden))
    await world.env.settle()
    assert spoken(world) == [("The ferryman", "Psst.")]
    shown = private(await menu(world, world.ana, WHO, words(world)))
    assert f"<@{world.gina.id}> said this as The ferryman" in shown and "Sidor" not in shown
    assert "Sidor" not in private(await world.ana.slash(world.zone, "recap", since="3 days"))
    refused = await world.ana.slash(world.zone, "say", text="Psst.", **hidden)
    assert "Sidor" not in refusal_of(refused).replace("“Sidor”", "")


async def test_speaking_can_be_switched_off(world: World) -> None:
    await speaking(world)
    await world.gina.slash(world.zone, "gm settings", setting="speaking", value="off")
    for command, options in (("say", {"text": "Hm."}), ("post", {})):
        refused = await world.ana.slash(world.zone, command, **options)
        assert "Speaking as a character is off" in refusal_of(refused)


async def test_the_story_quotes_what_was_said(world: World) -> None:
    await speaking(world)
    await said(world, "Mind the *eels*, they bite.")
    await said(world, "// back in ten minutes")
    shown = private(await world.ben.slash(world.zone, "recap", since="3 days"))
    assert "Marek: “Mind the" in shown and "ten minutes" not in shown
    found = private(await world.ben.slash(world.zone, "log", text="ten minutes"))
    assert "1 line" in found


async def test_a_players_deleted_data_takes_their_words_along(world: World) -> None:
    await speaking(world)
    message = await said(world, "Xcanary was here.")
    table = (await world.state()).own
    assert any(key.startswith("said:") for key in table)
    asked = await world.ana.slash(world.zone, "privacy delete")
    await world.press(world.ana, message_of(asked), "Delete my data")
    await world.env.settle()
    assert not any(key.startswith("said:") for key in (await world.state()).own)
    shown = private(await world.ben.slash(world.zone, "recap", since="3 days"))
    assert "Xcanary" not in shown
    assert message.content == "Xcanary was here."


async def test_no_token_of_a_webhook_is_kept_or_shown(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        await speaking(world)
        await said(world)
        world.env.inject_error("POST", "/webhooks/*", status=400, code=50035, message="No")
        await world.ana.slash(world.zone, "say", text="Refused.")
        await world.env.settle()
    (webhook,) = world.env.backend.webhooks.values()
    await world.bot.outbox.delivery_log.flush()
    stored = b"".join(file.read_bytes() for file in world.path.parent.glob(f"{world.path.name}*"))
    assert webhook.token.encode() not in stored
    logged = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert webhook.token not in logged
    assert all(webhook.token not in texts(message) for message in world.messages())


async def test_a_second_page_that_was_not_sent_follows_after_a_restart(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await speaking(world)
    send = discord.Webhook.send
    sent: list[str] = []

    async def fails_later(webhook: discord.Webhook, text: str, **options: Any) -> Any:
        if sent:
            raise OSError("the connection is gone")
        sent.append(text)
        return await send(webhook, text, **options)

    with monkeypatch.context() as patch:
        patch.setattr(discord.Webhook, "send", fails_later)
        dialog = await world.ana.slash(world.zone, "post")
        await world.ana.submit_modal(dialog, {"text": f"{'a' * 1500}\n\n{'b' * 1500}"})
        await world.env.settle()
        await world.bot.close()
    assert spoken(world) == [("Marek", "a" * 1500)]
    await world.restart()
    await world.env.settle()
    assert spoken(world) == [("Marek", "a" * 1500), ("Marek", "b" * 1500)]


async def test_in_a_thread_the_channels_webhook_speaks(world: World) -> None:
    await speaking(world)
    thread = world.thread()
    private(await world.ana.slash(thread, "say", text="Down here."))
    await world.env.settle()
    (webhook,) = world.env.backend.webhooks.values()
    assert webhook.channel_id == world.zone.id
    request = world.requests("POST", f"/webhooks/{webhook.id}")[-1]
    assert int(request.params["thread_id"]) == thread.id


async def test_the_chronicle_has_what_was_said_in_character(world: World) -> None:
    await speaking(world)
    await said(world, "Mind the *eels*.\n\nThey bite.")
    await said(world, "(( brb ))")
    text = await book(world, world.ben)
    assert "Marek says" in text and "Mind the" in text and "They bite." in text
    assert "brb" not in text
    assert "**Marek**, played by Ana" in text
