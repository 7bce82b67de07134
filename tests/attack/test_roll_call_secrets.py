"""Calls for rolls: the same play with and without a secret looks the same to who isn't told."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.discord.separate_world import separate_world
from tests.discord.test_whispers import begun
from tests.discord.world import (
    DAY,
    World,
    labels,
    message_of,
    private,
    refusal_of,
    texts,
)

CALL: Mapping[str, Any] = {"skill": "Climbing", "attribute": "Fitness", "difficulty": "Tricky"}
SEAL = "Xcanary: the ferryman's boots are dry."
_LOOKS = (
    ("moves", {}),
    ("table last", {}),
    ("recap", {"since": "3 days"}),
    ("log", {"text": "Climbing"}),
)

Script = Callable[[World, Mapping[str, Any]], Awaitable[None]]


async def _played_now(world: World, options: Mapping[str, Any]) -> None:
    """Ana succeeds and Ben fails by their own presses; then the GM looks at the details."""
    await world.gina.slash(world.zone, "gm call", **{**CALL, **options})
    for who, faces in ((world.ana, (8, 7)), (world.ben, (2, 2))):
        world.dice.lay(*faces)
        await world.press(who, world.newest("Roll"), "Roll")
    await world.press(world.gina, world.newest("Details"), "Details")
    await world.restart()
    await world.env.settle()


async def _rolled_by_the_clock(world: World, options: Mapping[str, Any]) -> None:
    """Nobody rolls until the end; Ben's character fails, Ana's succeeds."""
    await world.gina.slash(world.zone, "gm call", until="1 day", **{**CALL, **options})
    world.dice.lay(2, 2, 8, 7)
    await world.env.advance_time(DAY + 60)


async def _ended_by_the_gm(world: World, options: Mapping[str, Any]) -> None:
    """The GM calls one more, rolls what is missing, and takes that back."""
    await world.gina.slash(world.zone, "gm call", who="Marek", **{**CALL, **options})
    details = message_of(await world.press(world.gina, world.newest("Details"), "Details"))
    added = world.emit(world.gina, "sg:rolls:1:g1:add", details, (await _ilka(world),))
    await world.env.settle()
    private(added)
    world.dice.lay(8, 7, 2, 2)
    await world.press(world.gina, details, "Roll what's missing")
    await world.gina.slash(world.zone, "gm undo")


async def _ilka(world: World) -> str:
    state = await world.state()
    return next(who.id for who in state.characters.values() if who.name == "Ilka")


async def seen(folder: Path, script: Script, options: Mapping[str, Any], name: str) -> list[str]:
    """Every request that reaches a player in a play of its own, in order, and what they look up."""
    async with separate_world(folder) as world:
        await world.table(step_in_minutes=0)
        await script(world, options)
        who = getattr(world, name)
        for command, given in _LOOKS:
            await who.slash(world.zone, command, **given)
        requests = [each for each in world.env.http_requests if world.reaches(who, each)]
        ids: dict[str, str] = {}
        return [
            _plain(f"{each.method} {each.path} {json.dumps(each.json)}", ids) for each in requests
        ]


def _plain(text: str, ids: dict[str, str]) -> str:
    """Return a request with Discord's ids numbered as they come, and without random tokens."""
    text = re.sub(r"[0-9a-f]{64}", "HEX", text)
    text = re.sub(r'"nonce": "[^"]*"', "NONCE", text)
    return re.sub(
        r"\b[kp][2-9a-hjkmnp-z]{8}\b|\d{15,}",
        lambda found: ids.setdefault(found[0], f"ID{len(ids)}"),
        text,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "reader"),
    [
        (_played_now, "ben"),
        (_rolled_by_the_clock, "ben"),
        (_ended_by_the_gm, "ben"),
    ],
)
async def test_a_sealed_text_shows_in_nothing_that_others_get(
    tmp_path: Path, script: Script, reader: str
) -> None:
    without = await seen(tmp_path / "without", script, {}, reader)
    sealed = await seen(tmp_path / "sealed", script, {"seal": SEAL}, reader)
    assert sealed == without
    assert "Xcanary" not in "".join(sealed)


@pytest.mark.slow
async def test_two_hidden_difficulties_with_one_verdict_look_alike(tmp_path: Path) -> None:
    one = await seen(tmp_path / "one", _played_now, {"hidden": True}, "ben")
    other_options = {"hidden": True, "difficulty": "Routine", "seal": SEAL}
    other = await seen(tmp_path / "other", _played_now, other_options, "ben")
    assert one == other
    assert not any(word in text for text in other for word in ("Tricky", "Routine", "Xcanary"))


async def _name_deputy(world: World) -> None:
    asked = message_of(await world.gina.slash(world.zone, "gm deputy", user=world.ben))
    await world.press(world.gina, asked, labels(asked)[0])


async def test_a_deputy_sees_the_sealed_text_only_while_in_office(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", seal=SEAL, **CALL)
    await _name_deputy(world)
    assert SEAL in private(await world.press(world.ben, world.newest("Details"), "Details"))
    await world.gina.slash(world.zone, "gm deputy", user=world.ben, back=True)
    theirs = message_of(await world.press(world.ben, world.newest("Details"), "Details"))
    assert SEAL not in texts(theirs) and "Tell everyone" not in labels(theirs)
    refused = world.emit(world.ben, "sg:rolls:1:g1:open", theirs)
    await world.env.settle()
    refusal_of(refused)


async def test_a_retired_characters_player_may_still_read_what_was_earned(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", seal=SEAL, until="1 day", **CALL)
    world.dice.lay(2, 2, 8, 7)
    await world.env.advance_time(DAY + 60)
    await world.env.advance_time(DAY * 3)
    private(await world.ana.slash(world.zone, "character retire", character="Marek"))
    moves = await world.ana.slash(world.zone, "moves")
    assert SEAL in private(await world.press(world.ana, message_of(moves), "Read it"))
    assert SEAL not in world.told(world.ben)


async def test_exports_for_players_hold_neither_text_nor_readers(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", seal=SEAL, **CALL)
    world.dice.lay(8, 7)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    shared = await world.gina.slash(world.zone, "gm export", what="players", journal=True)
    story = await world.ben.slash(world.zone, "chronicle")
    own = await world.ben.slash(world.zone, "privacy export")
    for answer in (shared, story, own):
        (file, *_) = message_of(answer).attachments
        content = (await file.read()).decode()
        assert "Xcanary" not in content and "seals_read" not in content
    assert "Xcanary" not in world.told(world.ben)


async def test_a_forged_id_does_not_tell_of_a_call_in_a_whisper_scene(world: World) -> None:
    await world.table(step_in_minutes=0)
    thread = await begun(world)
    await world.gina.slash(thread, "gm call", seal=SEAL, text="Xwords", **CALL)
    await world.env.settle()
    before = await world.state()
    answers: dict[str, set[str]] = {}
    for verb in ("show", "roll", "read", "open", "end", "drop", "zz"):
        for call in ("g1", "g2"):
            pressed = world.emit(world.ben, f"sg:rolls:1:{call}:{verb}")
            await world.env.settle()
            answers.setdefault(verb, set()).add(refusal_of(pressed).replace(call, ""))
    assert all(len(texts) == 1 for texts in answers.values()), answers
    assert await world.state() == before
