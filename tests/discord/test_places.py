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
from simcord.backend.errors import BackendError
from simcord.builders import ChannelHandle

from tests.attack.forged_requests import commands, send
from tests.discord.barmore import ILKA, MAREK
from tests.discord.world import World, controls, said, secret_room, texts
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
#: What a client refuses to do, so that nothing happens.
_REFUSED: Final = (AssertionError, BackendError)


async def open_table(world: World, system: str) -> ChannelHandle:
    """A table with Ana's Marek and Ben's Ilka, also played in a vault that only Ana and the GM can
    view; Ana has done this and that there.
    """
    await world.setup(system=system)
    for name, who in (("Marek", world.ana), ("Ilka", world.ben)):
        sheet = {**SHEETS[system](name), "name": name}
        await world.hand_in(who, f"{name}.json", json.dumps(sheet))
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
            shown = texts(said(await who.slash(world.zone, command)))
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
