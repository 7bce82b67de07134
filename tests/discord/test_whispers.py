"""Whisper scenes: the cast's players and the GM are told what happens in one, nobody else."""

from __future__ import annotations

from typing import Any

import pytest
from simcord.builders import ChannelHandle

from bot.delivery import retries
from rules.table.played_scenes import StoryScene, scenes_of
from tests.discord.amend_steps import correct, entry_of
from tests.discord.world import (
    DAY,
    World,
    message_of,
    private,
    refusal_of,
    secret_room,
    texts,
)

TITLE = "Xwhisper"


async def begun(world: World, who: str | None = "Marek", **options: Any) -> ChannelHandle:
    """A whisper scene in a private thread of its own."""
    options = {"title": TITLE, "private": True, "who": who} | options
    private(await world.gina.slash(world.zone, "scene start", **options))
    await world.env.settle()
    return world.zone.threads[-1]


async def whispers(world: World) -> list[StoryScene]:
    """The whisper scenes as the table keeps them."""
    return [scene for scene in scenes_of(await world.state()) if scene.private]


async def look_everywhere(world: World, place: Any = None) -> str:
    """Let Ben look through every door, and return all that he was ever shown."""
    for command, options in (
        ("scene list", {}),
        ("recap", {"since": "2 days"}),
        ("recap", {}),
        ("log", {"text": "Xwords"}),
        ("log", {"text": "Xwhisper"}),
        ("moves", {}),
        ("table show", {}),
        ("table last", {}),
        ("table waiting", {}),
        ("table doctor", {}),
        ("initiative show", {}),
        ("chronicle", {"format": "Markdown"}),
        ("chronicle", {"format": "Markdown", "mine": True}),
        ("privacy export", {}),
    ):
        answer = await world.ben.slash(place or world.zone, command, **options)
        for file in message_of(answer).attachments:
            assert "Xw" not in (await file.read()).decode(errors="replace"), command
    told = world.told(world.ben)
    return told.replace("“Xwords”", "").replace("“Xwhisper”", "")


async def test_a_private_thread_opens_for_the_cast_and_the_gm(world: World) -> None:
    await world.table()
    thread = await begun(world)
    assert thread.name == TITLE
    assert world.may_read(world.ana, thread.id) and world.may_read(world.gina, thread.id)
    assert not world.may_read(world.ben, thread.id)
    shown = texts(world.last(thread))
    assert f"Scene: {TITLE}" in shown and "Only those in the scene and the GM" in shown
    assert TITLE not in world.told(world.ben)
    (scene,) = await whispers(world)
    assert (scene.number, scene.place, scene.opening) == (-1, str(thread.id), False)
    assert (await world.state()).counters.scene == 0
    assert TITLE in private(await world.ana.slash(world.zone, "scene list"))


async def played(world: World, thread: ChannelHandle) -> None:
    """Play in a whisper scene: a check, a roll, words, initiative, a call and an end."""
    await world.ana.slash(thread, "check", skill="Climbing", approach="Xwords by the wall")
    await world.env.settle()
    await world.ana.slash(thread, "roll", dice="2d6", reason="Xwords")
    await world.ana.slash(thread, "say", text="Xwords at the gate")
    await world.gina.slash(thread, "initiative start")
    await world.ana.slash(thread, "initiative join")
    await world.env.settle()
    await world.gina.slash(thread, "initiative end")
    await world.gina.slash(thread, "gm call", skill="Climbing", difficulty="14", text="Xwords")
    await world.env.settle()


async def test_nobody_else_is_told_what_happens(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await played(world, thread)
    await world.restart()
    assert "Xw" not in await look_everywhere(world)
    here = " ".join(texts(message) for message in world.messages(thread))
    for seen in ("Xwords by the wall", "2d6", "Initiative"):
        assert seen in here, seen
    said = [each for each in world.requests("POST", "/webhooks") if "Xwords at" in str(each.json)]
    assert [int(each.params["thread_id"]) for each in said] == [thread.id]
    mine = private(await world.ana.slash(world.zone, "recap", since="2 days"))
    assert TITLE in mine and "Xwords at the gate" in mine
    await world.gina.slash(thread, "scene end", summary="Xwords to the end")
    await world.gina.slash(thread, "scene summary", text="Xwords later")
    await world.env.settle()
    assert "Xw" not in await look_everywhere(world)
    assert "Xwords later" in private(await world.ana.slash(world.zone, "recap", since="2 days"))
    assert all("Xw" not in str(name) for name in await exported(world))


async def exported(world: World) -> list[str]:
    """The texts of the files that are made for players."""
    answer = message_of(await world.gina.slash(world.zone, "gm export", what="players"))
    return [(await file.read()).decode() for file in answer.attachments]


async def test_the_dialog_sums_a_whisper_scene_up(world: World) -> None:
    await world.table()
    thread = await begun(world)
    ended = message_of(await world.gina.slash(thread, "scene end"))
    dialog = await world.press(world.gina, ended, "Sum it up")
    private(await world.gina.submit_modal(dialog, {"text": "Xwords to the end."}))
    assert "Xwords to the end." in private(await world.ana.slash(world.zone, "scene list"))
    assert "Xw" not in await look_everywhere(world)


async def test_checks_in_a_whisper_scene_count_nothing(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await world.ana.slash(thread, "check", skill="Climbing", approach="so")
    await world.env.settle()
    state = await world.state()
    (check,) = state.open_checks
    assert check.id.startswith("h") and check.scene == -1 and state.counters.check == 0
    refused = refusal_of(await world.ben.slash(world.zone, "odds", check=check.id))
    assert check.approach not in refused


async def test_the_gm_brings_players_in_and_they_leave(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await world.ana.slash(thread, "roll", dice="1d6", reason="Xearly")
    private(await world.gina.slash(thread, "scene join", **{"as": "Ilka"}))
    await world.env.settle()
    assert world.may_read(world.ben, thread.id)
    assert "Ilka joins the scene" in texts(world.last(thread))
    await world.ana.slash(thread, "roll", dice="1d6", reason="Xlater")
    shown = private(await world.ben.slash(world.zone, "log", text="Xlater"))
    assert "Xlater" in shown.replace("“Xlater”", "")
    early = private(await world.ben.slash(world.zone, "log", text="Xearly"))
    assert "Nothing found" in early
    private(await world.ben.slash(thread, "scene leave"))
    await world.env.settle()
    assert (await whispers(world))[0].left != () and not world.may_read(world.ben, thread.id)
    await world.ana.slash(thread, "roll", dice="1d6", reason="Xlast")
    kept = private(await world.ben.slash(world.zone, "log", text="Xlater"))
    assert "Nothing found" not in kept
    assert "Nothing found" in private(await world.ben.slash(world.zone, "log", text="Xlast"))
    again = refusal_of(await world.ana.slash(thread, "scene join"))
    assert "Only the GM" in again


async def test_who_has_left_reads_no_name_of_a_thread_that_they_cant_see(world: World) -> None:
    await world.table()
    thread = await begun(world, "Marek, Ilka")
    await world.ben.slash(thread, "roll", dice="1d6", reason="Xlater")
    await world.ben.slash(thread, "say", text="Xwords")
    await world.ben.slash(thread, "check", skill="Climbing", approach="up the wall")
    await world.env.settle()
    doors = (("recap", {"since": "2 days"}), ("log", {"text": "Xlater"}), ("table waiting", {}))
    for command, options in doors:
        shown = private(await world.ben.slash(world.zone, command, **options))
        assert f"<#{thread.id}>" in shown, (command, shown)
    private(await world.ben.slash(thread, "scene leave"))
    await world.env.settle()
    for command, options in doors:
        shown = private(await world.ben.slash(world.zone, command, **options))
        assert str(thread.id) not in shown.replace(f"/{thread.id}/", ""), (command, shown)
        assert "Xlater" in shown or "Ilka" in shown, (command, shown)


async def test_who_is_given_a_character_of_the_cast_is_let_in(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await world.ana.slash(thread, "check", skill="Climbing", approach="Xwords by the wall")
    await world.env.settle()
    await world.gina.slash(thread, "character give", character="Marek", to=world.ben)
    await world.env.settle()
    assert "plays Marek from here on" in texts(world.last(thread))
    assert world.may_read(world.ben, thread.id) and not world.may_read(world.ana, thread.id)
    (scene,) = await whispers(world)
    assert len(scene.left) == 1
    await world.gina.slash(thread, "roll", dice="2d6", reason="Xreason")
    assert "Xreason" in texts(world.last(thread)), "nobody else reads along"
    assert "Xreason" not in world.told(world.ana)
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo")
    await world.env.settle()
    assert world.may_read(world.ana, thread.id) and not world.may_read(world.ben, thread.id)
    given = f"<@{world.ana.id}> plays Marek from here on"
    assert any(given in texts(message) for message in world.messages(thread))
    await world.gina.slash(thread, "roll", dice="2d6", reason="Xsecret")
    assert "Xsecret" in texts(world.last(thread)) and "Xsecret" not in world.told(world.ben)


@pytest.mark.parametrize("how", ["undo", "amend"])
async def test_a_gift_in_the_channel_that_is_taken_back_puts_the_thread_right(
    world: World, how: str
) -> None:
    await world.table()
    thread = await begun(world)
    await world.gina.slash(world.zone, "character give", character="Marek", to=world.ben)
    await world.env.settle()
    assert world.may_read(world.ben, thread.id) and not world.may_read(world.ana, thread.id)
    if how == "undo":
        await world.gina.slash(world.zone, "gm undo")
    else:
        await correct(world, await entry_of(world, "Give"))
    await world.env.settle()
    assert world.may_read(world.ana, thread.id) and not world.may_read(world.ben, thread.id)
    assert "plays Marek from here on" in texts(world.last(thread))
    await world.ana.slash(thread, "roll", dice="1d6", reason="Xsecret")
    assert "Xsecret" not in world.told(world.ben)


async def test_an_undone_join_takes_the_player_out_of_the_thread(world: World) -> None:
    await world.table()
    thread = await begun(world)
    private(await world.gina.slash(thread, "scene join", **{"as": "Ilka"}))
    await world.env.settle()
    assert world.may_read(world.ben, thread.id)
    await world.gina.slash(world.zone, "gm undo")
    await world.env.settle()
    assert world.may_read(world.ana, thread.id) and not world.may_read(world.ben, thread.id)
    assert "Undone" in texts(world.last(thread))


async def test_outsiders_take_no_part(world: World) -> None:
    await world.table()
    thread = await begun(world)
    world.env.backend.add_thread_member(thread.id, world.ben.id)
    refused = await world.ben.slash(thread, "check", skill="Climbing", approach="so")
    assert "You aren't in this scene" in refusal_of(refused)
    assert "No scene is open here" in refusal_of(await world.ben.slash(thread, "scene join"))
    attack = await world.ana.slash(
        thread, "attack", target="Ilka", skill="Rifles", approach="from behind"
    )
    assert "isn't in this scene" in refusal_of(attack)
    call = await world.gina.slash(thread, "gm call", skill="Climbing", difficulty="14", who="Ilka")
    assert "isn't in this scene" in refusal_of(call)
    assert (await world.state()).open_checks == []


async def test_a_pause_is_told_where_everybody_reads(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await world.gina.slash(thread, "gm pause", note="Holiday")
    await world.env.settle()
    assert "Holiday" in texts(world.last(world.zone)) and "Holiday" in world.told(world.ben)
    assert "Holiday" in private(await world.ben.slash(world.zone, "log", text="Holiday"))


async def test_an_attack_from_outside_stays_outside(world: World) -> None:
    await world.table()
    thread = await begun(world)
    count = len(world.messages(thread))
    await world.ben.slash(world.zone, "attack", target="Marek", skill="Rifles", approach="so")
    await world.env.settle()
    (check,) = (await world.state()).open_checks
    assert (check.place, check.scene, check.id) == (str(world.zone.id), 0, "c1")
    assert len(world.messages(thread)) == count


async def test_somebody_who_reads_along_is_told_nothing_more(world: World) -> None:
    await world.table()
    thread = await begun(world)
    world.env.backend.add_thread_member(thread.id, world.ben.id)
    await world.ana.slash(thread, "roll", dice="2d6", reason="Xwords")
    await world.ana.slash(thread, "say", text="Xwords")
    await world.ana.slash(thread, "check", skill="Climbing", approach="Xwords")
    await world.gina.slash(thread, "initiative start")
    await world.env.settle()
    assert "reads along here without being in the scene" in " ".join(
        texts(message) for message in world.messages(thread)
    )
    assert "Xwords" not in await look_everywhere(world, thread)
    stub = next(message for message in world.messages(thread) if "News of this" in texts(message))
    assert "Xwords" in private(await world.press(world.ana, stub, "Show"))
    refused = await world.press(world.ben, stub, "Show")
    assert "Xwords" not in texts(message_of(refused))
    doctor = private(await world.gina.slash(world.zone, "table doctor"))
    assert f"<@{world.ben.id}>" in doctor


async def test_words_that_an_outsider_keeps_out_of_the_channel_are_said_to_be(
    world: World,
) -> None:
    await world.table()
    thread = await begun(world)

    async def edit(text: str) -> Any:
        asked = await world.ana.context_menu(thread, "Who said this", message)
        dialog = await world.press(world.ana, message_of(asked), "Edit…")
        answer = await world.ana.submit_modal(dialog, {"text": text})
        await world.env.settle()
        return answer

    await world.ana.slash(thread, "say", text="Xbefore")
    await world.env.settle()
    message = next(each for each in world.messages(thread) if "Xbefore" in texts(each))
    world.env.backend.add_thread_member(thread.id, world.ben.id)
    told = private(await edit("Xwords"))
    assert "Edited: what Marek said" in told
    assert "The channel doesn't show the new words" in told and f"<@{world.ben.id}>" in told
    assert "Xwords" not in await look_everywhere(world, thread)
    stub = next(m for m in reversed(world.messages(thread)) if "News of this" in texts(m))
    assert "Xwords" in private(await world.press(world.ana, stub, "Show"))
    told = private(await world.ana.slash(thread, "say", text="Xmore"))
    assert "The channel doesn't show these words" in told
    world.env.backend.remove_thread_member(thread.id, world.ben.id)
    told = private(await edit("Xafter"))
    assert "doesn't show" not in told
    assert "Xafter" in "".join(map(texts, world.messages(thread)))


async def test_an_undone_edit_shows_no_outsider_what_was_said_before(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await world.ana.slash(thread, "say", text="Xwords")
    await world.env.settle()
    message = next(each for each in world.messages(thread) if "Xwords" in texts(each))
    asked = await world.ana.context_menu(thread, "Who said this", message)
    dialog = await world.press(world.ana, message_of(asked), "Edit…")
    await world.ana.submit_modal(dialog, {"text": "Xafter"})
    await world.env.settle()
    entry = await world.revision()
    world.env.backend.add_thread_member(thread.id, world.ben.id)
    private(await world.gina.slash(thread, "gm undo", entry=entry))
    await world.env.settle()
    assert "Xwords" not in "".join(map(texts, world.messages(thread)))
    assert "Xafter" in "".join(map(texts, world.messages(thread)))


async def test_a_whisper_scene_doesnt_start_where_others_read(world: World) -> None:
    await world.table()
    open_here = await world.gina.slash(
        world.zone, "scene start", title=TITLE, private=True, where="here", who="Marek"
    )
    assert "People outside of the scene read along here" in refusal_of(open_here)
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    private(
        await world.gina.slash(
            vault, "scene start", title=TITLE, private=True, where="here", who="Marek"
        )
    )
    await world.env.settle()
    assert [scene.place for scene in await whispers(world)] == [str(vault.id)]
    assert TITLE in texts(world.last(vault))
    world.let_read(vault, world.ben)
    await world.ana.slash(vault, "roll", dice="2d6", reason="Xwords")
    assert "Xw" not in (await look_everywhere(world, vault)).replace(TITLE, "", 1)


async def test_the_gms_answer_leads_to_the_private_thread(world: World) -> None:
    await world.table()
    options = {"title": TITLE, "private": True, "who": "Marek"}
    started = await world.gina.slash(world.zone, "scene start", **options)
    await world.env.settle()
    (scene,) = await whispers(world)
    assert scene.place != str(world.zone.id)
    assert f"It's played in <#{scene.place}>. With Marek." in private(started)
    assert not started.followups


async def test_without_a_private_thread_it_doesnt_begin_in_the_open(world: World) -> None:
    await world.table()
    world.env.inject_error("POST", "/channels/*/threads", status=403, code=50013, message="No")
    started = await world.gina.slash(
        world.zone, "scene start", title=TITLE, private=True, who="Marek"
    )
    await world.env.settle()
    assert "The whisper scene is over" in private(started)
    (scene,) = await whispers(world)
    assert scene.over is not None and TITLE not in world.told(world.ben)


async def test_an_undo_is_told_to_the_cast_alone(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await world.ana.slash(thread, "check", skill="Climbing", approach="Xwords")
    await world.env.settle()
    before = [texts(message) for message in world.messages()]
    await world.gina.slash(thread, "gm undo")
    await world.env.settle()
    assert "Undone" in " ".join(texts(message) for message in world.messages(thread))
    assert [texts(message) for message in world.messages()] == before
    before_last = len(world.messages(thread))
    await world.gina.slash(world.zone, "gm undo")
    await world.env.settle()
    told = " ".join(texts(message) for message in world.messages(thread)[before_last:])
    assert "Undone" in told and "Xw" not in world.told(world.ben)
    assert await whispers(world) == []
    assert [texts(message) for message in world.messages()] == before


async def test_a_bot_that_dies_before_the_thread_is_noted_finds_it_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr(retries, "SEND_RETRY_DELAYS", (DAY, DAY))

    async def die(*args: Any) -> None:
        raise OSError("gone")

    with monkeypatch.context() as dying:
        dying.setattr("bot.delivery.scene_threads.perform", die)
        thread = await begun(world)
        assert (await whispers(world))[0].opening
    count = len(world.messages(thread))
    await world.restart()
    await world.env.settle()
    assert [scene.place for scene in await whispers(world)] == [str(thread.id)]
    assert len(world.zone.threads) == 1 and len(world.messages(thread)) == count


async def test_a_gm_who_leaves_takes_the_title_along(world: World) -> None:
    await world.table()
    await begun(world)
    question = await world.gina.slash(world.zone, "privacy delete")
    await world.press(world.gina, message_of(question), "Delete my data")
    await world.env.settle()
    await world.env.advance_time(60)
    assert [scene.title for scene in await whispers(world)] == [""]


async def test_initiative_ends_before_the_scene(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await world.gina.slash(thread, "initiative start")
    refused = refusal_of(await world.gina.slash(thread, "scene end"))
    assert "Initiative is running here" in refused
    refused = refusal_of(await world.gina.slash(thread, "initiative add", name="Ilka"))
    assert "Ilka" in refused
    await world.gina.slash(thread, "initiative end")
    await world.gina.slash(thread, "scene end")
    assert (await whispers(world))[0].over is not None


async def test_the_cast_of_another_scene_tells_nothing(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "scene start", title="The quay", who="Marek, Ilka")
    shown = private(await world.ben.slash(world.zone, "scene list"))
    thread = await begun(world)
    assert private(await world.ben.slash(world.zone, "scene list")) == shown
    await world.gina.slash(thread, "scene end")
    await world.gina.slash(world.zone, "scene end")
    assert "The quay" in private(await world.ben.slash(world.zone, "scene list"))


async def test_who_was_in_a_whisper_scene_is_known_to_those_who_were_told(world: World) -> None:
    await world.table()
    vera = world.member("Vera")
    await world.bring(vera, "Odo")
    thread = await begun(world, "Marek, Ilka")
    await world.ana.slash(thread, "scene leave")
    await world.gina.slash(thread, "scene join", **{"as": "Odo"})
    await world.env.settle()
    for reader, marek, odo in (
        (world.gina, True, True),
        (world.ben, True, True),
        (vera, False, True),
        (world.ana, False, False),
    ):
        for who, found in (("Marek", marek), ("Odo", odo)):
            shown = private(await reader.slash(world.zone, "scene list", who=who))
            assert (TITLE in shown) is found, (reader.name, who, shown)


async def test_who_has_left_isnt_told_by_the_list_who_came_later_or_how_it_ended(
    world: World,
) -> None:
    await world.table()
    vera = world.member("Vera")
    await world.bring(vera, "Odo")
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    here = {"title": TITLE, "private": True, "where": "here", "who": "Marek"}
    await world.gina.slash(vault, "scene start", **here)
    await world.ana.slash(vault, "scene leave")
    await world.gina.slash(vault, "scene join", **{"as": "Odo"})
    await world.gina.slash(vault, "scene end", summary="Xsummary")
    shown = private(await world.ana.slash(world.zone, "scene list"))
    assert TITLE in shown and "Odo" not in shown and "Xsummary" not in shown
    assert TITLE in private(await world.ana.slash(world.zone, "scene list", who="Marek"))
    assert TITLE not in private(await world.ana.slash(world.zone, "scene list", who="Odo"))
    assert "Odo: Xsummary" in private(await world.gina.slash(world.zone, "scene list"))


async def test_the_chronicle_doesnt_tell_that_something_was_whispered(world: World) -> None:
    await world.table()
    thread, vault = await begun(world), private_thread(world)
    await world.ana.slash(thread, "roll", dice="2d6", reason="Xwords")
    await world.gina.slash(thread, "scene move", to=vault)
    await world.ana.slash(vault, "roll", dice="2d6", reason="Xwords")
    await world.env.settle()
    assert "Left out" not in texts(message_of(await world.ben.slash(world.zone, "chronicle")))
    shared = await world.gina.slash(world.zone, "gm export", what="players", journal=True)
    assert "Left out" not in texts(message_of(shared))


async def test_no_forged_press_opens_what_was_whispered(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await played(world, thread)
    world.env.backend.add_thread_member(thread.id, world.ben.id)
    count = await world.revision()
    rows = [f"show:{row}" for row in range(1, 40)]
    entries = [f"again:1:{entry}" for entry in range(1, count + 1)]
    for forged in (*rows, *entries):
        pressed = world.emit(world.ben, f"sg:{forged}")
        await world.env.settle()
        answers = [*pressed.followups]
        answers += [] if pressed.response is None else [pressed.response]
        assert not [answer for answer in answers if "Xw" in texts(answer)], forged
    assert await world.revision() == count


# --- moves ----------------------------------------------------------------------------------------


def private_thread(world: World, *readers: Any) -> ChannelHandle:
    """A private thread of the channel, made by the GM by hand."""
    made = world.env.backend.create_thread(world.zone.id, "Xelsewhere", world.gina.id, type=12)
    for reader in readers:
        world.env.backend.add_thread_member(made.id, reader.id)
    return ChannelHandle(world.env, world.guild, made)


async def test_a_whisper_scene_moves_only_where_its_cast_is_alone(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await played(world, thread)
    await world.gina.slash(thread, "initiative start")
    await world.ana.slash(thread, "initiative join")
    await world.env.settle()
    shared, vault = private_thread(world, world.ben), private_thread(world)
    in_public = await world.gina.slash(thread, "scene move", to=world.zone)
    assert "would read along there" in refusal_of(in_public)
    read_along = await world.gina.slash(thread, "scene move", to=shared)
    assert f"<@{world.ben.id}> would read along there" in refusal_of(read_along)
    alone = await world.gina.slash(thread, "initiative move", to=world.zone)
    assert "stays with it" in refusal_of(alone)
    before = [texts(each) for each in world.messages()]
    private(await world.gina.slash(thread, "scene move", to=vault))
    await world.env.settle()
    (scene,) = await whispers(world)
    assert (scene.place, scene.home) == (str(vault.id), "")
    assert world.may_read(world.ana, vault.id) and not world.may_read(world.ben, vault.id)
    assert [*(await world.state()).encounters] == [str(vault.id)]
    assert [texts(each) for each in world.messages()] == before
    there = " ".join(texts(each) for each in world.messages(vault))
    assert TITLE in there and "Xwords by the wall" in there
    await world.restart()
    assert "Xw" not in await look_everywhere(world)
    assert f"<#{vault.id}>" not in world.told(world.ben)
    private(await world.gina.slash(vault, "gm undo"))
    await world.env.settle()
    assert (await whispers(world))[0].place == str(thread.id)
    assert [texts(each) for each in world.messages()] == before
    assert "Xw" not in await look_everywhere(world)


async def test_nothing_public_moves_into_a_whisper_scene(world: World) -> None:
    await world.table()
    thread = await begun(world)
    await world.gina.slash(world.zone, "scene start", title="The quay")
    await world.gina.slash(world.zone, "initiative start")
    scene = await world.gina.slash(world.zone, "scene move", to=thread)
    assert "Another scene is open there" in refusal_of(scene)
    order = await world.gina.slash(world.zone, "initiative move", to=thread)
    assert "A whisper scene is open there" in refusal_of(order)
    only_gm = await world.ana.slash(world.zone, "scene move", to=thread, scene=TITLE)
    assert "Only the GM" in refusal_of(only_gm)


async def test_a_lost_private_thread_is_told_to_the_gm_alone(world: World) -> None:
    await world.table(gm_channel=True)
    thread = await begun(world)
    before = [texts(each) for each in world.messages()]
    world.env.backend.delete_channel(thread.id)
    await world.env.settle()
    await world.ana.slash(world.zone, "moves")
    await world.gina.slash(world.zone, "scene join", **{"as": "Ilka"})
    await world.env.advance_time(2 * DAY)
    await world.env.settle()
    assert [texts(each) for each in world.messages()] == before
    assert (await whispers(world))[0].place == str(thread.id)
    assert "Xw" not in await look_everywhere(world)
