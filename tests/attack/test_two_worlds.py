"""Two tables that differ in a secret alone give an outsider the same bytes, at every door."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.attack.two_worlds import Play, Sweep, difference, play_both
from tests.discord.barmore import bar_table
from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.test_whispers import begun, private_thread
from tests.discord.world import DAY, HOUR, World, labels, message_of, private

pytestmark = pytest.mark.slow

Table = Callable[[World], Awaitable[Any]]


async def _looks(world: World) -> list[str]:
    return await Sweep(world, world.ben, skill="Climbing").everything()


async def _require_alike(
    folder: Path, one: Play, other: Play, canaries: tuple[str, ...] = ()
) -> None:
    seen, seen_of_other = await play_both(folder, one, other, _looks)
    assert seen == seen_of_other, difference(seen, seen_of_other)
    for canary in canaries:
        assert not [text for text in seen if canary in text], canary


# --- whisper scenes -------------------------------------------------------------------------------


def _whisper(name: str, skill: str, dice: str, faces: tuple[int, int], hours: int) -> Play:
    """A whisper scene of one character, which moves to another thread."""

    async def play(world: World) -> None:
        await world.table(gm_channel=True)
        cleo = world.member("cleo")
        await world.bring(cleo, "Sava")
        who = world.ana if name == "Marek" else cleo
        thread = await begun(world, name, title=f"Xtitle {name}")
        await who.slash(thread, "check", skill=skill, approach=f"Xwords {dice}")
        await world.env.settle()
        await world.env.advance_time(hours * HOUR)
        await world.rule(world.newest("Answer", thread))
        world.dice.lay(*faces)
        await world.press(who, world.newest("Roll", thread), "Roll")
        await world.env.settle()
        await who.slash(thread, "roll", dice=dice, reason=f"Xwords {dice}")
        await who.slash(thread, "say", text=f"Xwords {dice}")
        await world.env.settle()
        await world.gina.slash(thread, "gm call", skill=skill, difficulty="14", text="Xwords")
        await world.env.settle()
        await world.gina.slash(thread, "scene move", to=private_thread(world))
        await world.env.advance_time(DAY - hours * HOUR)
        await world.env.settle()

    return play


async def test_whisper_scenes_with_other_casts_and_contents_look_alike(tmp_path: Path) -> None:
    one = _whisper("Marek", "Climbing", "2d6", (9, 8), 1)
    other = _whisper("Sava", "Listening", "7d4", (2, 3), 5)
    await _require_alike(tmp_path, one, other, ("Xwords", "Xtitle"))


# --- private checks and hidden rolls --------------------------------------------------------------


def _private_rolls(skill: str, faces: tuple[int, int], difficulty: str, dice: str) -> Play:
    """A private check to its end, the GM's private roll, and blind and private dice."""

    async def play(world: World) -> None:
        await world.table(gm_channel=True)
        await world.ana.slash(
            world.zone, "check", skill=skill, approach="Xwords", visibility="private"
        )
        await world.env.settle()
        await world.rule(world.newest("Answer", world.gm_room), number=difficulty)
        moves = message_of(await world.ana.slash(world.zone, "moves"))
        opens = next(label for label in labels(moves) if label.startswith("Open"))
        panel = message_of(await world.press(world.ana, moves, opens))
        world.dice.lay(*faces)
        await world.press(world.ana, panel, "Roll")
        await world.env.advance_time(3 * DAY)
        note = {"as": "Marek", "skill": skill, "note": "Xnote", "difficulty": difficulty}
        await world.gina.slash(world.zone, "gm roll", **note)
        await world.gina.slash(world.zone, "roll", dice=dice, visibility="blind", reason="Xblind")
        await world.ana.slash(world.zone, "roll", dice=dice, visibility="private", reason="Xown")
        await world.env.settle()

    return play


async def test_private_checks_and_rolls_look_alike(tmp_path: Path) -> None:
    one = _private_rolls("Climbing", (9, 8), "7", "2d6")
    other = _private_rolls("Listening", (2, 3), "12", "5d4")
    await _require_alike(tmp_path, one, other, ("Xwords", "Xnote", "Xblind", "Xown"))


# --- calls for rolls ------------------------------------------------------------------------------

#: Tables at which Ana's character succeeds or fails alike at both difficulties, and Ben's fails.
_SYSTEMS: Final[dict[str, tuple[Table, str, tuple[str, str]]]] = {
    "ego": (
        lambda world: ego_table(world, live=False, boris={"agility": 3, "skills": []}),
        "Stealth",
        ("Moderate", "Easy"),
    ),
    "masterbook": (
        lambda world: masterbook_table(
            world, live=False, sheets={"Boris": {"agility": 2, "skills": []}}
        ),
        "Stealth",
        ("Average", "Difficult"),
    ),
    "barmore": (bar_table, "Brawling", ("15", "30")),
}


def _hidden_call(system: str, difficulty: int, seal: str) -> Play:
    """A call with a hidden difficulty: Ana rolls, and the GM rolls for Ben."""

    async def play(world: World) -> None:
        open_table, skill, difficulties = _SYSTEMS[system]
        await open_table(world)
        options = {"skill": skill, "difficulty": difficulties[difficulty], "hidden": True}
        if seal:
            options["seal"] = seal
        called = await world.gina.slash(world.zone, "gm call", until="2 days", **options)
        assert "Nothing has changed" not in private(called)
        await world.press(world.ana, world.newest("Roll"), "Roll")
        await world.env.settle()
        details = message_of(await world.press(world.gina, world.newest("Details"), "Details"))
        await world.press(world.gina, details, "Roll what's missing")
        await world.env.advance_time(3 * DAY)
        await world.restart()
        await world.env.settle()

    return play


@pytest.mark.parametrize("system", _SYSTEMS)
async def test_calls_with_other_hidden_numbers_and_texts_look_alike(
    tmp_path: Path, system: str
) -> None:
    one, other = _hidden_call(system, 0, ""), _hidden_call(system, 1, "Xcanary seal")
    await _require_alike(tmp_path, one, other, ("Xcanary",))
