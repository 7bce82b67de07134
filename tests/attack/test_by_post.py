"""Forged presses of buttons for play by post: by strangers, former deputies, and with nonsense."""

from __future__ import annotations

from typing import Any

import pytest

from bot.presenters.errors import FAULT
from tests.discord.world import World, message_of, secret_room, texts

#: What only Ana and the GM know, and what only the GM knows.
WORDS, NPC, IDEA = "xwordsx", "Zorvath", "xideax"
CANARIES = (WORDS, NPC, IDEA)
#: A number that is no entry, user or time.
_FAR = "999999999999999"
#: Buttons by what stands in their ids after the table. `-` is the table's first place.
FORGED = (
    *("more:1:h1.1:rule", "more:1:h1.2:own", "more:1:c9.1:rule", f"more:1:h1.{_FAR}:x"),
    *("tell:1:0:99", "tell:1:x:y", f"tell:1:{_FAR}:3", "tell:9:0:9"),
    *(f"recap:1:0:{_FAR}:5:here", f"recap:1:{_FAR}:0:{_FAR}:span", "recap:1:5:2:0:x", "since:9"),
    *("absent:1:-:p2:treat", "absent:1:-:p2:act", "absent:1:-:zz:act", "absent:1:zz:p2:treat"),
    *("absent:1:-:p2:end.5.k1", "absent:1:-:p2:back.k1", "absent:1:-::treat"),
    *("words:1:-:k1", "words:1:-:k3", "words:1:-:zz", "cover:1:pause:0", f"cover:1:pause:{_FAR}"),
    *("cover:1:deputy:0", "deputy:1:p3:0", "deputy:1:zz:0", f"deputy:1:p3:{_FAR}"),
    *("seat:1:k1:open", "seat:1:k1:give:p3", "seat:1:k1:notes:p3", "seat:1:k3:look:p2"),
    *("seat:1:k3:ask", f"notice:{_FAR}", "notice:1", "notify:zz", "notify:nudge"),
)


@pytest.fixture
def block_turns() -> bool:
    return True


async def _secrets(world: World) -> None:
    """A table on which something waits that Ben may not know of, and Ben as deputy no longer."""
    await world.table(gm_channel=True)
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.gina.slash(world.zone, "gm npc add", name=NPC, stage="off")
    await world.ana.slash(world.zone, "orders words", text=WORDS)
    await world.ana.slash(world.zone, "check", visibility="private", approach=IDEA)
    await world.ana.slash(vault, "check", approach=IDEA)
    await world.ana.slash(world.zone, "away", until="3 days")
    asked = await world.gina.slash(world.zone, "gm deputy", user=world.ben)
    await world.press(world.gina, message_of(asked), "Make deputy")
    await world.gina.slash(world.zone, "gm deputy", user=world.ben, back=True)


async def _press(world: World, who: Any, forged: str) -> str:
    pressed = world.emit(who, f"sg:{forged}", values=(_FAR,))
    await world.env.settle()
    answer = "" if pressed.response is None else texts(pressed.response)
    return "\n".join([answer, *map(texts, pressed.followups)])


@pytest.mark.parametrize("person", ["a stranger", "a former deputy"])
async def test_forged_presses_change_and_show_nothing(world: World, person: str) -> None:
    await _secrets(world)
    who = world.ben if person == "a former deputy" else world.member("eve")
    await world.restart()
    before, count = await world.state(), await world.revision()
    for forged in FORGED:
        answer = await _press(world, who, forged)
        assert not [canary for canary in CANARIES if canary in answer], (forged, answer)
        assert FAULT not in answer, forged
        assert await world.revision() == count, forged
    assert await world.state() == before


async def test_no_forged_press_of_a_gm_is_a_fault(world: World) -> None:
    await _secrets(world)
    for forged in FORGED:
        answer = await _press(world, world.gina, forged)
        assert answer.strip() and FAULT not in answer, forged
