"""What was told in a place is shown only to those who can view it now, to those whom it concerns,
and to the GMs.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import discord
import pytest
from simcord.actors import MemberActor
from simcord.builders import ChannelHandle
from simcord.enums import ChannelType

from tests.attack.forged_requests import commands, send
from tests.discord.barmore import ILKA, MAREK
from tests.discord.world import (
    World,
    button,
    controls,
    message_of,
    private,
    public,
    refusal_of,
    secret_room,
    texts,
)
from tests.sample_table import ebb_character, ego_character, masterbook_character

#: What is written and rolled for behind closed doors, and nowhere else.
IDEA, REASON, ODD = "xvaultideax", "xvaultreasonx", "31d47"
CANARIES: Final = (IDEA, REASON, ODD, "xvaultroomx")
SKILLS: Final = {
    "ebb": "Climbing",
    "barmore": "Boats",
    "ego": "Stealth",
    "masterbook": "Stealth",
}
SHEETS: Final[dict[str, Callable[[str], dict[str, Any]]]] = {
    "ebb": ebb_character,
    "barmore": lambda name: MAREK if name == "Marek" else ILKA,
    "ego": ego_character,
    "masterbook": masterbook_character,
}


async def open_table(world: World, system: str) -> ChannelHandle:
    """A table with Ana's Marek and Ben's Ilka, also played in a vault that only Ana and the GM can
    view; Ana has done this and that there.
    """
    await world.setup(system=system)
    for name, who in (("Marek", world.ana), ("Ilka", world.ben)):
        sheet = {**SHEETS[system](name), "name": name}
        grown = {"grown": True} if system == "masterbook" else {}
        await world.hand_in(who, f"{name}.json", json.dumps(sheet), **grown)
    vault = secret_room(world.env, world.guild, "xvaultroomx", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    for dice in (ODD, "2d6"):
        await world.ana.slash(vault, "roll", dice=dice, reason=REASON)
    for number in range(2):
        await world.ana.slash(vault, "check", skill=SKILLS[system], approach=f"{IDEA} {number}")
    await world.gina.slash(vault, "initiative start")
    await world.ana.slash(vault, "initiative join")
    await world.gina.slash(vault, "initiative next")
    return vault


def read_by(world: World, who: MemberActor, since: int = 0) -> str:
    """Everything that ever reached this person, as they can read it now."""
    found = [
        json.dumps(request.json, ensure_ascii=False)
        for request in world.env.http_requests[since:]
        if isinstance(request.json, dict) and world.reaches(who, request)
    ]
    return "\n".join(found)


def leaks(world: World, who: MemberActor) -> list[str]:
    """What reached this person of what was told in the vault."""
    text = read_by(world, who)
    return [each for each in CANARIES if each in text]


async def everything_there(world: World, room: ChannelHandle, who: MemberActor) -> set[str]:
    """The ids of all that can be pressed in a room, and on what one person is shown there."""
    found = {each["custom_id"] for message in world.messages(room) for each in controls(message)}
    for command in ("moves", "table show", "table last", "spend", "initiative show"):
        answer = await who.slash(room, command)
        for message in (answer.response, *answer.followups):
            found |= {each["custom_id"] for each in controls(message)}
    return found


def forged_ids(entries: int) -> set[str]:
    """Ids that can be guessed."""
    checks = ("c1", "c2", "c3")
    prompts = ("rule", "own", "ready", "react", "join", "hit")
    found = {f"sg:chk:1:{check}" for check in checks}
    found |= {f"sg:chq:1:{check}.{n}:{p}" for check in checks for n in (1, 2) for p in prompts}
    found |= {f"sg:cha:1:{check}.1:{p}" for check in checks for p in prompts}
    found |= {f"sg:cho:1:{check}.1:{p}:g:pass" for check in checks for p in prompts}
    for number in range(1, entries + 2):
        found |= {f"sg:{route}:1:{number}" for route in ("last", "again", "undo")}
    found |= {f"sg:show:{row}" for row in range(1, 3 * entries)}
    return found | {"sg:table:1:there", "sg:table:1:settings", "sg:origin:1"}


@pytest.mark.slow
@pytest.mark.parametrize("system", SKILLS)
async def test_no_door_shows_what_was_told_behind_closed_doors(world: World, system: str) -> None:
    vault = await open_table(world, system)
    dora = world.member("dora")
    entries = await world.revision()
    pressed = await everything_there(world, vault, world.ana) | forged_ids(entries)
    before = await world.state()
    for who in (world.ana, world.gina):
        for command in ("table last", "table show"):
            shown = texts(message_of(await who.slash(world.zone, command)))
            assert IDEA in shown or REASON in shown, "those who can view it are shown it"
    for who in (world.ben, dora):
        await everything_there(world, world.zone, who)
        for custom_id in sorted(pressed):
            world.emit(who, custom_id, values=(str(entries),))
        await world.env.settle()
        assert not leaks(world, who)
        for command in commands(world):
            _try_command(world, who, command, entries)
            await world.env.settle()
            assert not leaks(world, who), command.qualified_name
    after = await world.state()
    for check in before.checks.values():
        assert after.checks[check.id] == check, "who cannot view a check cannot change it"


#: What is typed where an option has a name that tells what it takes.
_TYPED: Final = {"check": "c1", "dice": "2d6", "text": "c1"}
_PLAIN: Final = {
    discord.AppCommandOptionType.string: "c1",
    discord.AppCommandOptionType.integer: 1,
    discord.AppCommandOptionType.number: 1.0,
    discord.AppCommandOptionType.boolean: True,
}


def _try_command(world: World, who: MemberActor, command: Any, entries: int) -> None:
    """A command with no more options than it needs, with each of the others besides, and what each
    of them completes to.
    """
    if command.qualified_name in ("privacy delete", "setup"):
        return
    needed = {each.display_name: _value(each) for each in command.parameters if each.required}
    if None in needed.values():
        return
    send(world, who, command.qualified_name, needed)
    for each in command.parameters:
        value, name = _value(each), each.display_name
        if value is None:
            continue
        tried = [value]
        if name == "entry":
            tried = [*range(1, entries + 1)]
        for one in tried:
            send(world, who, command.qualified_name, needed | {name: one})
        if each.autocomplete and isinstance(value, str):
            for typed in ("", value):
                send(world, who, command.qualified_name, needed | {name: typed}, typing=name)


def _value(option: Any) -> Any:
    """A value that an option takes; None where that needs a person, a channel or a file."""
    if option.choices:
        return option.choices[0].value
    return _TYPED.get(option.display_name, _PLAIN.get(option.type))


# --- kinds of places ------------------------------------------------------------------------------


def thread_of(world: World, room: ChannelHandle, *, private: bool = False) -> ChannelHandle:
    """A thread that Gina has opened under a channel."""
    kind = ChannelType.PRIVATE_THREAD if private else ChannelType.PUBLIC_THREAD
    made = world.env.backend.create_thread(room.id, "in the tunnel", world.gina.id, type=kind)
    for who in (world.bot.user, world.ana) if private else ():
        assert who is not None
        world.env.backend.add_thread_member(made.id, who.id)
    return ChannelHandle(world.env, world.guild, made)


def archive(world: World, thread: ChannelHandle) -> None:
    world.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})


async def act_in(world: World, room: ChannelHandle) -> None:
    """Ana rolls and proposes something there."""
    await world.ana.slash(room, "roll", dice="2d6", reason=REASON)
    await world.ana.slash(room, "check", skill="Climbing", approach=IDEA)


async def is_shown(world: World, who: MemberActor) -> bool:
    """Return whether *who* is shown in #zone what was told elsewhere, by every door alike."""
    roll, check = await are_shown(world, who)
    assert roll == check
    return roll


async def are_shown(world: World, who: MemberActor) -> tuple[bool, bool]:
    """Return whether *who* is shown Ana's roll, and her check, in #zone by every door alike."""
    shown: list[bool] = []
    doors = (("table last", await _last_id(world), REASON), ("table show", "sg:chk:1:c1", IDEA))
    for command, custom_id, canary in doors:
        listed = canary in private(await who.slash(world.zone, command))
        opened = world.emit(who, custom_id)
        await world.env.settle()
        assert listed == (canary in private(opened)), command
        shown.append(listed)
    roll, check = shown
    for command in ("odds", "spend"):
        completed = await who.autocomplete(world.zone, command, "check", "")
        assert check or IDEA not in str(completed)
    return roll, check


async def _last_id(world: World) -> str:
    """The button that shows Ana's roll."""
    rows = await world.bot.tables.store.entries(1)
    seq = next(row.seq for row, _ in rows if row.kind == "RollDice" and REASON in row.action)
    return f"sg:last:1:{seq}"


@pytest.mark.parametrize("archived", [False, True])
async def test_a_thread_is_as_open_as_its_channel(world: World, archived: bool) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    thread = thread_of(world, vault)
    await act_in(world, thread)
    if archived:
        archive(world, thread)
    dora = world.member("dora")
    for who, shown in ((world.ana, True), (world.gina, True), (world.ben, False), (dora, False)):
        assert await is_shown(world, who) == shown, who.name
    world.let_read(vault, world.ben)
    assert await is_shown(world, world.ben), "as it is now"
    asked = len(world.requests("GET", f"/channels/{thread.id}"))
    await world.ben.slash(world.zone, "table last")
    assert len(world.requests("GET", f"/channels/{thread.id}")) == asked, "it was asked for before"
    world.env.backend.delete_overwrite(vault.id, world.ben.id)
    assert not await is_shown(world, world.ben), "as it is now"


@pytest.mark.parametrize("archived", [False, True])
async def test_a_private_thread_is_its_members(world: World, archived: bool) -> None:
    await world.table()
    thread = thread_of(world, world.zone, private=True)
    await act_in(world, thread)
    if archived:
        archive(world, thread)
    assert not await is_shown(world, world.ben)
    assert await is_shown(world, world.ana) and await is_shown(world, world.gina)
    world.env.backend.add_thread_member(thread.id, world.ben.id)
    assert await is_shown(world, world.ben)
    world.env.backend.remove_thread_member(thread.id, world.ben.id)
    assert not await is_shown(world, world.ben)


@pytest.mark.parametrize("kind", ["channel", "thread", "archived", "parent"])
async def test_a_place_that_is_gone_is_for_those_who_took_part(world: World, kind: str) -> None:
    await world.table()
    room = world.guild.create_text_channel("hall")
    await world.gina.slash(world.zone, "gm bind", channel=room)
    place = room if kind == "channel" else thread_of(world, room)
    await act_in(world, place)
    assert await is_shown(world, world.ben), "everybody can view it"
    dora = world.member("dora")
    await world.bring(dora, "Mira")
    await dora.slash(place, "roll", dice="1d6")
    if kind == "archived":
        archive(world, place)
        await world.ben.slash(world.zone, "table last")
    if kind == "parent":
        world.env.backend.delete_channel(place.id)
        world.env.backend.delete_channel(room.id)
    else:
        world.env.backend.delete_channel(place.id)
    await world.env.settle()
    # A public thread's open check goes on in its channel, for all who can view that one.
    goes_on = kind in ("thread", "archived")
    assert await are_shown(world, world.ben) == (False, goes_on), "he did nothing there"
    assert await are_shown(world, dora) == (True, kind != "parent")
    for who in (world.ana, world.gina):
        assert await is_shown(world, who), who.name
    asked = len(world.requests("GET", f"/channels/{place.id}"))
    await world.ben.slash(world.zone, "table last")
    assert len(world.requests("GET", f"/channels/{place.id}")) == asked, "it was asked for before"


async def test_discord_is_asked_only_for_what_a_command_shows(world: World) -> None:
    await world.table()
    thread = thread_of(world, world.zone, private=True)
    await act_in(world, thread)
    members = f"/channels/{thread.id}/thread-members/{world.ben.id}"
    for command, times in (("help", 0), ("table show", 1), ("moves", 1)):
        before = len(world.requests("GET", members))
        await world.ben.slash(world.zone, command)
        assert len(world.requests("GET", members)) - before == times, command
    await world.gina.slash(world.zone, "table show")
    assert not world.requests("GET", f"/channels/{thread.id}/thread-members/{world.gina.id}")


async def test_a_place_that_discord_does_not_tell_of_stays_closed(world: World) -> None:
    await world.table()
    thread = thread_of(world, world.zone)
    await act_in(world, thread)
    archive(world, thread)
    for status, code in ((403, 50001), (500, 0)):
        world.env.inject_error(
            "GET", f"/channels/{thread.id}", status=status, code=code, message="No", times=6
        )
        assert not await is_shown(world, world.ben), status
    assert await is_shown(world, world.ana) and await is_shown(world, world.ben)


# --- whose it is ----------------------------------------------------------------------------------


async def test_who_is_attacked_elsewhere_is_shown_it(world: World) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.ana.slash(vault, "attack", target="Ilka", skill="Rifles", approach=IDEA)
    for who, shown in ((world.ben, True), (world.member("dora"), False)):
        listed = private(await who.slash(world.zone, "table show"))
        assert ("Marek attacks Ilka" in listed) == shown
        opened = world.emit(who, "sg:chk:1:c1")
        await world.env.settle()
        assert ("Marek attacks Ilka" in private(opened)) == shown


async def shown_by_forged_ids(world: World, who: MemberActor) -> set[str]:
    """Which canaries somebody in #zone gets to read, by every number that a button may have."""
    texts_ = [private(await who.slash(world.zone, "table last"))]
    rows = range(1, 3 * await world.revision())
    ids = [f"sg:{route}:1:{seq}" for route in ("last", "origin") for seq in rows]
    for custom_id in (*ids, *(f"sg:show:{row}" for row in rows)):
        result = world.emit(who, custom_id)
        await world.env.settle()
        texts_.append(private(result))
    return {each for each in CANARIES if any(each in text for text in texts_)}


async def act_as(world: World, who: MemberActor, as_: str) -> None:
    """Behind closed doors somebody rolls as their character, and proposes something; an undo takes
    that back.
    """
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await who.slash(vault, "roll", dice=ODD, reason=REASON, **{"as": as_})
    await who.slash(vault, "check", skill="Climbing", approach=IDEA, **{"as": as_})
    (check,) = (await world.state()).checks.values()
    await world.gina.slash(world.zone, "gm undo", entry=await world.revision())
    assert check.approach == IDEA and not (await world.state()).checks


@pytest.mark.parametrize("freed", ["removed", "off", "waiting"])
async def test_whoever_takes_a_name_does_not_take_its_past(world: World, freed: str) -> None:
    await world.table(approve=freed == "waiting")
    await world.bring(world.gina, "Guard", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Guard")
    await act_as(world, world.gina, "Guard")
    if freed == "off":
        await world.gina.slash(world.zone, "gm npc reveal", npc="Guard", stage="off")
    else:
        await world.gina.slash(world.zone, "gm npc remove", npc="Guard")
    eve = world.member("eve")
    await world.bring(eve, "Guard")
    people = (await world.state()).characters.values()
    assert [each.approved for each in people if each.name == "Guard" and each.owner] == [
        freed != "waiting"
    ]
    assert await shown_by_forged_ids(world, eve) == set()


async def test_whoever_takes_the_name_of_somebody_forgotten_does_not_take_their_past(
    world: World,
) -> None:
    await world.table()
    await act_as(world, world.ana, "Marek")
    asked = message_of(await world.ana.slash(world.zone, "privacy delete"))
    await world.press(world.ana, asked, "Delete my data")
    if any(each.name == "Marek" for each in (await world.state()).characters.values()):
        await world.gina.slash(world.zone, "gm npc remove", npc="Marek")
    assert "Marek" not in {each.name for each in (await world.state()).characters.values()}
    eve = world.member("eve")
    await world.bring(eve, "Marek")
    assert await shown_by_forged_ids(world, eve) == set()


async def test_whoever_is_given_a_character_is_shown_its_past(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Guard", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Guard")
    await act_as(world, world.gina, "Guard")
    assert await shown_by_forged_ids(world, world.ben) == set()
    await world.gina.slash(world.zone, "character give", character="Guard", to=world.ben)
    assert await shown_by_forged_ids(world, world.ben) >= {REASON, IDEA}


async def test_open_dice_are_not_rolled_again_elsewhere(world: World) -> None:
    """In public it would tell what they were for, whoever presses."""
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    rolled = message_of(await world.ana.slash(vault, "roll", dice="2d6 [xnotex]", reason=REASON))
    again = button(rolled, "Roll again")
    for who in (world.ana, world.gina, world.ben):
        result = world.emit(who, again)
        await world.env.settle()
        assert "out of date" in refusal_of(result) or "moved on" in refusal_of(result)
    assert REASON not in "\n".join(map(texts, world.messages()))
    assert REASON in public(await world.ana.click(rolled, custom_id=again))


async def test_players_get_a_file_of_what_all_of_them_can_view(world: World) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await act_in(world, vault)
    await world.ben.slash(world.zone, "roll", dice="1d6", reason="xaloudx")

    async def exported(who: MemberActor, command: str, **options: Any) -> tuple[str, str]:
        result = await who.slash(world.zone, command, **options)
        (file,) = message_of(result).attachments
        return private(result), (await file.read()).decode()

    words, file = await exported(world.gina, "gm export", what="players", journal=True)
    assert "not every player can read" in words
    assert "xaloudx" in file and IDEA not in file and REASON not in file
    words, file = await exported(world.gina, "gm export", what="full", journal=True)
    assert IDEA in file and "not every player" not in words
    _, file = await exported(world.ana, "privacy export")
    assert IDEA in file, "one's own words are one's own, whatever the place"
    _, file = await exported(world.ben, "privacy export")
    assert IDEA not in file
    world.let_read(vault, world.ben)
    words, file = await exported(world.gina, "gm export", what="players", journal=True)
    assert IDEA in file and "not every player" not in words


async def test_the_board_of_a_place_is_pressed_only_by_who_can_view_it(world: World) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.gina.slash(vault, "initiative start")
    before = await world.state()
    result = world.emit(world.ben, f"sg:board:1:{vault.id}:0:0:join")
    await world.env.settle()
    refusal_of(result)
    assert (await world.state()).encounters == before.encounters
    joined = world.emit(world.ana, f"sg:board:1:{vault.id}:0:0:join")
    await world.env.settle()
    assert (await world.state()).encounters != before.encounters, private(joined)


async def test_the_table_names_only_places_that_one_can_view(world: World) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.gina.slash(vault, "initiative start")
    for command in ("table show", "table doctor"):
        for who, shown in ((world.ana, True), (world.gina, True), (world.ben, False)):
            text = private(await who.slash(world.zone, command))
            assert (f"<#{vault.id}>" in text) == shown, (who.name, command)


async def test_what_is_undone_is_named_only_where_it_was_told(world: World) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    for room, named in ((world.zone, True), (vault, False)):
        await world.ana.slash(room, "check", skill="Climbing", approach=IDEA)
        entry = await world.revision()
        await world.gina.slash(world.zone, "gm undo", entry=entry)
        (told,) = [text for text in map(texts, world.messages()) if f"undid #{entry}" in text]
        assert ("Marek" in told) == named, told


async def test_what_is_worked_on_elsewhere_is_not_listed(world: World) -> None:
    """Barmore's complex actions, and MasterBook's tasks."""
    dora = world.member("dora")
    vault = await open_table(world, "barmore")
    task = {"name": "xsafex", "who": "Marek", "required": 5, "every": "1 hour", "difficulty": "9"}
    await world.gina.slash(vault, "barmore task start", skill="Boats", **task)
    for who, shown in ((world.ana, True), (world.gina, True), (world.ben, False), (dora, False)):
        listed = private(await who.slash(world.zone, "barmore task show"))
        assert ("xsafex" in listed) == shown, who.name
        completed = await who.autocomplete(world.zone, "barmore task show", "task", "")
        assert ("xsafex" in str(completed)) == shown
        rolled = world.emit(who, "sg:own:1:task roll:task=t1")
        await world.env.settle()
        assert shown or "xsafex" not in private(rolled)


async def test_a_task_of_another_place_is_not_shown(world: World) -> None:
    vault = await open_table(world, "masterbook")
    await world.gina.slash(
        vault, "mb task start", name="xsafex", step_a="Stealth 12", rounds=5, shown=True
    )
    for who, shown in ((world.ana, True), (world.ben, False)):
        told = private(await who.slash(world.zone, "mb task show"))
        assert ("xsafex" in told) == shown, told
