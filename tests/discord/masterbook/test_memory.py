"""What MasterBook's characters remember of each other's talk, through Discord."""

from __future__ import annotations

from typing import Any, Final

import pytest
from simcord.results import InteractionResult

from tests.discord.masterbook.table import bring, newest, open_table
from tests.discord.masterbook.test_interaction import TALKER
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, message_of, private, refusal_of, texts

#: Initiative dice of a round: Vesna acts first, then the Thug, then Boris.
INITIATIVE: Final = (9, 9, 1, 1, 5, 5)


async def _fight(world: World) -> None:
    """Begin a fight of Vesna, Boris and the Thug; it is Vesna's turn."""
    await open_table(world, gm_channel=True)
    await gather(world, "Thug")
    await next_turn(world, *INITIATIVE)


async def _next_round(world: World) -> None:
    """Let the three turns of this round pass; it is Vesna's turn again."""
    await next_turn(world)
    await next_turn(world)
    await next_turn(world, *INITIATIVE)


async def _talks(world: World, skill: str, *faces: int, **more: Any) -> str:
    """Ana's Vesna works on the Thug; what the card says."""
    world.dice.lay(*faces)
    await world.ana.slash(
        world.zone, "mb interact", skill=skill, target="Thug", approach="so", **more
    )
    assert world.dice.left == 0
    return await newest(world)


async def _remembered(world: World) -> str:
    return private(await world.gina.slash(world.zone, "mb memory", target="Thug"))


async def _forget_fright(world: World) -> InteractionResult:
    """Have the GM say that the Thug forgets how Vesna frightened him."""
    fright = {"target": "Thug", "about": "Vesna", "what": "intimidation"}
    return await world.gina.slash(world.zone, "mb memory", **fright, forget=True)


@pytest.mark.rule("MB-INT-04", "MB-INT-03")
async def test_a_taunt_that_was_tried_before_counts_by_itself(world: World) -> None:
    await _fight(world)
    assert "Thug remembers nothing that counts" in await _remembered(world)
    assert "tried before" not in await _talks(world, "Taunt", 1, 1)
    told = await _remembered(world)
    assert "Vesna has tried a taunt on Thug before." in told, told
    await world.restart()
    await _next_round(world)
    text = await _talks(world, "Taunt", 1, 1)
    assert "tried before (−3)" in text, text
    # Another trick, and somebody else's, are new.
    await world.gina.slash(world.zone, "gm undo")
    assert "tried before" not in await _talks(world, "Trick", 1, 1)


@pytest.mark.rule("MB-INT-03")
async def test_fear_is_remembered_until_the_scene_is_over(world: World) -> None:
    await _fight(world)
    await _talks(world, "Intimidation", 9, 9)
    await _next_round(world)
    assert "frightened of you already (+1)" in await _talks(world, "Intimidation", 1, 1)
    private(await _forget_fright(world))
    told = texts(world.last(world.gm_room))
    assert "Thug forgets this about Vesna: intimidation." in told, told
    none = refusal_of(await _forget_fright(world))
    assert "Thug remembers nothing like that about Vesna" in none, none
    await world.gina.slash(world.zone, "gm undo")
    assert "frightened of Vesna" in await _remembered(world)
    await world.gina.slash(world.zone, "initiative end")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    assert "remembers nothing" in await _remembered(world)
    only = refusal_of(await world.ana.slash(world.zone, "mb memory", target="Thug"))
    assert "Only the GM" in only, only


@pytest.mark.rule("MB-INT-03", "MB-CARD-14")
@pytest.mark.parametrize("cards_mode", ["off", "full"])
async def test_fear_lasts_while_a_scene_elsewhere_begins_and_ends(
    world: World, cards_mode: str
) -> None:
    await open_table(world, gm_channel=True, rules={"cards_mode": cards_mode})
    if cards_mode == "full":
        await world.gina.slash(world.zone, "mb adventure start")
    thread, attic = world.thread(), world.thread("in the attic")
    await world.gina.slash(world.zone, "scene start", title="The gate", who="Vesna, Thug")
    fright = {"target": "Thug", "about": "Vesna", "what": "intimidation"}
    private(await world.gina.slash(world.zone, "mb memory", **fright))
    await world.gina.slash(world.zone, "scene move", to=thread)
    assert "frightened of Vesna" in await _remembered(world)
    await world.gina.slash(attic, "scene start", title="The attic", who="Boris")
    await world.gina.slash(world.zone, "scene start", title="Words", private=True, who="Vesna")
    await world.env.settle()
    assert "frightened of Vesna" in await _remembered(world)
    await world.gina.slash(world.zone.threads[-1], "scene end")
    await world.gina.slash(attic, "scene end")
    assert "frightened of Vesna" in await _remembered(world)
    await world.gina.slash(thread, "scene end")
    assert "remembers nothing" in await _remembered(world)


@pytest.mark.rule("MB-INT-07", "MB-INT-08")
async def test_charm_wins_an_attitude_that_lasts_for_the_adventure(world: World) -> None:
    await open_table(world, gm_channel=True, live=False)
    await bring(world, world.ana, "Nora", TALKER)
    nora = {"as": "Nora"}

    async def charmed(*chosen: str) -> int:
        """What the target's attitude adds to the difficulty of a charm that works."""
        await world.ana.slash(
            world.zone, "mb interact", skill="Charm", target="Thug", approach="so", **nora
        )
        card = world.newest("Answer", world.gm_room)
        panel = message_of(await world.press(world.gina, card, "Answer"))
        for each in chosen:
            await world.choose(world.gina, panel, "All the rest", each)
        await world.press(world.gina, panel, "Call for a roll")
        world.dice.lay(9, 9)
        await world.press(world.ana, world.newest("Roll"), "Roll")
        await world.press(world.ana, world.newest("Accept result"), "Accept result")
        check = await world.check(f"c{(await world.state()).counters.check}")
        return sum(number for _, number in check.data.theirs.modifiers)

    assert await charmed("rows: hostile 5") == 5
    assert "Thug toward Nora: friendly" in await _remembered(world)
    set_ = {"target": "Thug", "about": "Nora", "what": "hostile", "number": 7}
    private(await world.gina.slash(world.zone, "mb memory", **set_))
    told = texts(world.last(world.gm_room))
    assert "Thug toward Nora: hostile (+7)." in told, told
    assert "hostile" not in world.told(world.ana)
    wrong = refusal_of(await world.gina.slash(world.zone, "mb memory", **set_ | {"number": 30}))
    assert "hostile" in wrong and "+5" in wrong and "+10" in wrong, wrong
    assert await charmed() == 7
    assert await charmed() == 0, "a friendly acquaintance by now"
    await world.gina.slash(world.zone, "mb memory", **set_)
    assert await charmed("fresh") == 0, "the GM has left it out"
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    assert "Thug toward Nora: friendly" in await _remembered(world)
    await world.gina.slash(world.zone, "mb adventure start", name="The next one")
    assert "remembers nothing" in await _remembered(world)


@pytest.mark.rule("MB-INT-08")
@pytest.mark.parametrize(("target", "openly"), [("Boris", True), ("Thug", False)])
async def test_the_gm_hears_where_an_attitude_counts_in_the_open(
    world: World, target: str, openly: bool
) -> None:
    await open_table(world, gm_channel=True)
    private(
        await world.gina.slash(
            world.zone, "mb memory", target=target, about="Vesna", what="hostile"
        )
    )
    told = texts(world.last(world.gm_room))
    assert ("Players will notice" in told) == openly
    await world.ana.slash(
        world.zone, "mb interact", skill="Persuasion", target=target, approach="so"
    )
    assert ("**Difficulty:** 14" in await newest(world)) == openly
    assert ("**Difficulty:** hidden" in await newest(world)) != openly
    private(
        await world.gina.slash(
            world.zone, "mb memory", target=target, about="Vesna", what="hostile", forget=True
        )
    )
    assert ("Players will notice" in texts(world.last(world.gm_room))) == openly
