"""`/spend`: by name, from a list with buttons, and why nothing can be spent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import World, card, labels, message_of, private, refusal_of, texts

REROLL = "Re-roll the d8 for 1 of your 3 Fate"


async def _spend(world: World, who: Any = None, **options: Any) -> Any:
    return await (who or world.ana).slash(world.zone, "spend", **options)


async def _values(world: World, option: str, who: Any = None, **filled: Any) -> list[str]:
    found = await (who or world.ana).autocomplete(world.zone, "spend", option, "", **filled)
    return [choice["value"] for choice in found]


@pytest.mark.rule("EBB-FATE")
async def test_a_fate_point_for_the_newest_check(world: World) -> None:
    await world.table()
    await world.rolled(5, 2)
    world.dice.lay(8)
    text = private(await _spend(world, what="reroll"))
    assert "1 Fate point spent: d8 re-rolled, shows 8; 2 Fate points left" in text
    assert card(world).startswith("## ✓ Success so far, 1 extra result")
    assert "d8 (2→8)" in card(world)


@pytest.mark.rule("EBB-LUCK")
async def test_a_sacrifice_with_its_choice(world: World) -> None:
    await world.table()
    await world.answered(attribute=None)
    assert await _values(world, "what") == ["luck"]
    assert "Fitness" in await _values(world, "choice", what="luck")
    asked = refusal_of(await _spend(world, what="luck"))
    assert "Pick one with `choice`: Fitness, " in asked
    assert "right now. Use Fitness" in refusal_of(await _spend(world, choice="Charm", what="luck"))
    assert "1 Fitness sacrificed" in private(await _spend(world, choice="fit"))
    assert card(world).startswith("## ✓ Success, only just: 1 Fitness sacrificed\n")
    assert "Final" in card(world)


async def test_without_options_it_lists_what_is_possible(world: World) -> None:
    await world.table()
    await world.rolled(5, 2)
    await world.propose()
    panel = await _spend(world)
    text = private(panel)
    assert "What you can spend now" in text
    assert "Nothing to spend on:\nc2: It waits for the GM's answer" in text
    assert f"**Marek**, c1\n{REROLL}" in text
    assert labels(message_of(panel)) == ["Re-roll d8", "Open c2"], (
        "what the line says is not told twice"
    )
    world.dice.lay(3)
    assert "shows 3; 2 Fate points left" in private(
        await world.press(world.ana, message_of(panel), "Re-roll d8")
    )


async def test_it_says_why_nothing_can_be_spent(world: World) -> None:
    await world.setup()
    await world.bring(world.ana, "Marek", fate=0)
    nothing = await _spend(world)
    assert "You have no open check" in private(nothing)
    assert labels(message_of(nothing)) == ["Try something"]
    assert (await world.press(world.ana, message_of(nothing), "Try something")).response is not None
    await world.rolled(5, 2)
    panel = await _spend(world)
    assert "\nc1: You have no Fate points left" in private(panel)
    assert "Accept result" in labels(
        message_of(await world.press(world.ana, message_of(panel), "Open c1"))
    )
    assert "You can't spend anything there right now." in refusal_of(
        await _spend(world, what="reroll")
    )
    assert await _values(world, "what") == await _values(world, "check") == []


async def test_a_named_check(world: World) -> None:
    await world.table()
    await world.rolled(5, 2)
    await world.rolled(5, 3)
    assert await _values(world, "check") == ["c2", "c1"]
    found = await world.ana.autocomplete(world.zone, "spend", "what", "", check="c1")
    assert [choice["name"] for choice in found] == [REROLL]
    world.dice.lay(7)
    private(await _spend(world, what="reroll", check="c1"))
    text = card(world, "c1")
    assert "shows 7; 2 Fate points left" in text
    assert "d10 (5) + d8 (2→7) + Fitness 1 = **13**" in text
    assert "against 10" in text
    assert "d10 (5) + d8 (3) + Fitness 1 = **9**" in card(world, "c2")
    assert "That check is gone" in refusal_of(await _spend(world, what="reroll", check="c9"))


async def test_only_what_is_on_offer(world: World) -> None:
    await world.table()
    await world.rolled(5, 2)
    assert "You can't spend “luck” right now. Use reroll." in refusal_of(
        await _spend(world, what="luck")
    )
    assert "You have nothing to choose there" in refusal_of(
        await _spend(world, what="reroll", choice="Zone")
    )
    assert "belongs to" in refusal_of(await _spend(world, world.ben, what="reroll", check="c1"))
    assert "belongs to" in refusal_of(await _spend(world, world.gina, check="c1"))
    assert "You can't spend anything there right now." in refusal_of(
        await _spend(world, world.ben, what="reroll")
    )
    assert await _values(world, "what", world.ben) == []


async def test_what_is_over_is_over(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.rolled(5, 2)
    assert "The check is over" in refusal_of(await _spend(world, what="reroll", check="c1"))


async def test_a_private_spend_stays_private(world: World) -> None:
    await world.table()
    await world.propose(
        skill="Climbing", attribute="Fitness", visibility="private", approach="poison"
    )
    opened = message_of(await world.press(world.gina, world.newest("Show"), "Show"))
    await world.rule(opened)
    before = len(world.messages())
    text = private(await _spend(world, what="luck"))
    assert "1 Fitness sacrificed" in text
    assert "Only you and the GMs see this" in text
    assert "sacrificed" not in world.told(world.ben)
    assert "only just" not in world.told(world.ben)
    assert "poison" not in "\n".join(texts(message) for message in world.messages()[before:])


async def test_a_hidden_difficulty_stays_hidden(world: World) -> None:
    await world.table()
    message = await world.answered(number="9137", hidden=True)
    assert message
    await _spend(world)
    await _spend(world, what="luck", choice="Fitness")
    for who in (world.ana, world.ben):
        assert "9137" not in world.told(who)


async def test_a_gm_spends_for_their_npcs_without_naming_them(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Warden", npc=True)
    checked = await world.propose(
        world.gina, skill="Climbing", attribute="Fitness", **{"as": "Warden"}
    )
    await world.answer(message_of(checked))
    private(await _spend(world, world.gina))
    result = await _spend(world, world.gina, what="luck", **{"as": "Warden"})
    assert "1 Fitness sacrificed" in "\n".join(map(texts, [message_of(result), world.last()]))
