"""Labels of menus and buttons at the sample tables: short, never cut in brackets or words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bot.presenters.language.limits import utf16_length
from bot.samples import load_sample, sample_keys
from tests.discord.world import World, controls, labels, message_of

#: What a phone shows of a button, and of an entry in a menu.
BUTTON = 24
ENTRY = 36
#: Names of people and things that players typed stand whole in these buttons.
NAMED = ("Raise ", "Play ")


def _faults(message: Any) -> Iterator[str]:
    """Labels that are too long or cut where they may not be."""
    for control in controls(message):
        label = control.get("label")
        if label and not label.startswith(NAMED):
            if utf16_length(label) > BUTTON:
                yield f"button over {BUTTON}: {label}"
            yield from _cut_faults(label)
        for option in control.get("options") or ():
            if utf16_length(option["label"]) > ENTRY:
                yield f"entry over {ENTRY}: {option['label']}"
            yield from _cut_faults(option["label"])


def _cut_faults(label: str) -> Iterator[str]:
    if label.count("(") != label.count(")"):
        yield f"brackets: {label}"
    if label.endswith((",…", " …", "(…")):
        yield f"cut badly: {label}"


async def _pages(world: World, who: Any, panel: Any) -> list[str]:
    """The faults of all pages of a panel."""
    found: list[str] = []
    for _ in range(6):
        found += _faults(panel)
        if not any(label.startswith("More…") for label in labels(panel)):
            break
        await world.press(who, panel, "More…")
    return found


async def _seated(world: World, key: str) -> None:
    """A table with the sample's characters, all of Ana, and its NPCs, known to players."""
    sample = load_sample(key)
    await world.setup(system=sample.system)
    for player in sample.players:
        for data in player.characters:
            text = json.dumps(data)
            await world.hand_in(world.ana, "character.json", text, grown=True)
    for npc in sample.npcs:
        await world.hand_in(world.gina, "npc.json", json.dumps(npc.data), grown=True, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=npc.data["name"])


@pytest.mark.parametrize("key", sample_keys())
async def test_labels_of_panels_fit_a_phone(world: World, key: str) -> None:
    await _seated(world, key)
    actor = (await world.state()).characters["k1"].name
    npc = load_sample(key).npcs[0].data["name"]
    faults: list[str] = []
    for who, name in ((world.ana, actor), (world.gina, npc)):
        for command in ("attack", "check", "contest"):
            panel = message_of(await who.slash(world.zone, command, **{"as": name}))
            faults += await _pages(world, who, panel)
    for command in ("character show", "moves", "odds", "table show"):
        panel = message_of(await world.ana.slash(world.zone, command))
        faults += await _pages(world, world.ana, panel)
    assert not faults, "\n".join(dict.fromkeys(faults))


@pytest.mark.parametrize("key", sample_keys())
async def test_labels_of_settings_fit_a_phone(world: World, key: str) -> None:
    await world.setup(system=load_sample(key).system)
    panel = message_of(await world.gina.slash(world.zone, "gm settings"))
    (turn,) = [each for each in controls(panel) if each.get("placeholder") == "Page"]
    faults: list[str] = []
    for page in turn["options"]:
        await world.choose(world.gina, panel, "Page", page["value"])
        faults += _faults(panel)
    assert not faults, "\n".join(dict.fromkeys(faults))
