"""`/table fair`: a past roll is computed again, by the very script of the documentation, from what
a player can see.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.discord.amend_steps import correct, entry_of
from tests.discord.world import World, button, message_of, private, public, refusal_of, texts

SCRIPT = re.compile(r"```python\n(.*?)```", re.DOTALL)
HEX = re.compile(r"`([0-9a-f]{64})`")
REQUEST = re.compile(r"Request:\*\* `([^`]+)`")
DICE = re.compile(r"d10 \((\d+).*?d8 \((\d+)")


def compute_roll(folder: Path, seed: str, request: str, *sides: int) -> tuple[str, str]:
    """Fingerprint and faces as the documentation's script gives them."""
    script = folder / "fair.py"
    found = SCRIPT.search(Path("docs/fair-dice.md").read_text(encoding="utf-8"))
    assert found is not None
    script.write_text(found[1], encoding="utf-8")
    command = [sys.executable, str(script), seed, request, *map(str, sides)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    fingerprint, faces = done.stdout.splitlines()
    return fingerprint.removeprefix("fingerprint: "), faces.removeprefix("faces: ")


async def roll_live(world: World, **options: Any) -> int:
    """A live check with the dice as the seed has them; returns the number of its entry."""
    await world.propose(skill="Climbing", attribute="Fitness", difficulty="Tricky", **options)
    return await world.revision()


async def fair(world: World, who: Any, entry: int) -> str:
    return private(await who.slash(world.zone, "table fair show", entry=entry))


async def test_a_past_roll_is_computed_again(world: World, tmp_path: Path) -> None:
    await world.table(live=True)
    seq = await roll_live(world)
    roll = texts(world.last())
    before = await fair(world, world.ben, seq)
    assert "still in use" in before
    (published,) = HEX.findall(before)
    overview = private(await world.ben.slash(world.zone, "table fair show"))
    assert published in overview
    assert published in texts(world.messages()[0]), (
        "the fingerprint was published when the table opened"
    )

    told = public(await world.gina.slash(world.zone, "table fair rotate"))
    seed, following = HEX.findall(told)
    await world.restart()
    after = await fair(world, world.ben, seq)
    assert seed in after
    request = REQUEST.findall(after)[0]
    fingerprint, faces = compute_roll(tmp_path, seed, request, 10, 8)
    assert fingerprint == published
    shown = DICE.search(roll)
    assert shown is not None
    main, ability = shown.groups()
    if main != "10":
        assert faces == f"{main} {ability}"
    else:
        assert faces.startswith("10 ")

    later = await fair(world, world.ben, await roll_live(world))
    assert following in later
    assert "still in use" in later
    assert seed in private(await world.ana.slash(world.zone, "table fair show"))


async def test_the_dice_of_a_step_in_are_computed_again(world: World, tmp_path: Path) -> None:
    """What is shown as the request is what the choice's die is drawn for."""
    await world.table(live=True, wait_for_everybody=False)
    await world.propose(skill="Climbing", attribute="Fitness", difficulty="Legendary")
    panel = message_of(await world.press(world.ana, world.card(), "Step in"))
    await world.press(world.ana, panel, "Re-roll d8")
    (check,) = (await world.state()).checks.values()
    seq = await world.revision()
    seed, _ = HEX.findall(public(await world.gina.slash(world.zone, "table fair rotate")))
    shown = await fair(world, world.ben, seq)
    (request,) = REQUEST.findall(shown)
    assert request.startswith(f"step-in:{check.id}:open:")
    _, faces = compute_roll(tmp_path, seed, request, 8)
    assert faces == str(check.data.roll.abilities[-1])


async def test_the_new_dice_of_a_correction_are_computed_again(
    world: World, tmp_path: Path
) -> None:
    await world.table(step_in_minutes=0)
    await world.propose(skill="Running", attribute="Fitness")
    await world.rule(level="Legendary")
    await world.press(world.ana, world.card(), "Roll")
    none = private(await world.ben.slash(world.zone, "table fair show"))
    assert "Corrections" not in none
    told = await correct(world, await entry_of(world, "Begin"), "skill: Climbing")
    assert "New dice were rolled" in told
    seq, check = await world.revision(), await world.check()
    assert check.data.roll.abilities[0] is not None
    seed, _ = HEX.findall(public(await world.gina.slash(world.zone, "table fair rotate")))
    shown = await fair(world, world.ben, seq)
    assert " draw" not in shown, "some may be for rolls that others don't know of"
    assert "1 draw" in await fair(world, world.gina, seq)
    (request,) = REQUEST.findall(shown)
    assert request.endswith(f"/{await entry_of(world, 'Choose')}")
    _, faces = compute_roll(tmp_path, seed, request, 8)
    assert faces == str(check.data.roll.abilities[0])


async def test_the_seeds_are_listed_with_the_corrections(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1, to="Marek")
    award = await world.revision()
    await correct(world, award)
    line = "Corrections that you were told of:** 1\n"
    assert line in private(await world.ben.slash(world.zone, "table fair show"))
    await world.gina.slash(world.zone, "gm undo", entry=await world.revision())
    undone = line.replace("1", "1, 1 undone since")
    assert undone in private(await world.ben.slash(world.zone, "table fair show"))
    await world.gina.slash(world.zone, "gm npc add", name="Sidor")
    await correct(world, await world.revision())
    assert undone in private(await world.ben.slash(world.zone, "table fair show"))
    gms = private(await world.gina.slash(world.zone, "table fair show"))
    assert "told of:** 2, 1 undone since" in gms, "players weren't told of Sidor"


async def test_secret_rolls_have_a_seed_of_their_own(world: World) -> None:
    await world.table(gm_channel=True, live=True)
    await world.propose(skill="Climbing", attribute="Fitness", visibility="blind")
    await world.rule(world.newest("Answer", world.gm_room))
    moves = message_of(await world.ana.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.ana, moves, "Open · h1"))
    await world.press(world.ana, panel, "Roll")
    seq = await world.revision()
    assert "secret rolls" in await fair(world, world.gina, seq)
    warning = await world.gina.slash(world.zone, "table fair rotate", rolls="secret")
    assert "You can't undo this" in private(warning)
    forged = world.emit(world.ben, button(message_of(warning), "Reveal it"))
    await world.env.settle()
    assert "GM" in refusal_of(forged)
    private(await world.press(world.gina, message_of(warning), "Reveal it"))
    announced = texts(world.last())
    assert "secret rolls" in announced
    assert HEX.findall(announced)[0] in await fair(world, world.gina, seq)


async def test_who_may_what(world: World) -> None:
    await world.table(live=True)
    seq = await roll_live(world, visibility="private")
    assert "gm" in refusal_of(await world.ana.slash(world.zone, "table fair rotate")).casefold()
    for entry in (1, seq + 50):
        assert "rolled no dice" in refusal_of(
            await world.ana.slash(world.zone, "table fair show", entry=entry)
        )
