"""`/heal`: rest, treating an injury, and what a GM restores."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import World, card, labels, message_of, private, public, refusal_of, texts

BREAK = {"text": "Broken arm", "part": "left arm", "severity": "severe"}
BURN = {"text": "Burned hand"}


async def _table(world: World, *injuries: dict[str, str], **settings: Any) -> None:
    """A table where Marek has lost 1 Fitness and 2 Zone and has these injuries."""
    await world.setup()
    await world.bring(
        world.ana,
        "Marek",
        sacrificed={"Fitness": 1, "Zone": 2},
        injuries=list(injuries),
        grown=True,
    )
    await world.bring(world.ben, "Ilka")
    if settings:
        await world.gina.slash(world.zone, "gm settings", **settings)


async def _marek(world: World) -> Any:
    return next(
        each.sheet for each in (await world.state()).characters.values() if each.name == "Marek"
    )


async def _heal(world: World, who: Any = None, **options: Any) -> Any:
    return await (who or world.ana).slash(world.zone, "heal", **options)


@pytest.mark.rule("EBB-HEAL")
async def test_rest_waits_for_the_gm_and_restores_everything(world: World) -> None:
    await _table(world)
    proposal = await _heal(world, method="rest", approach="a week in the village")
    assert "Marek rests" in public(proposal)
    assert "> a week in the village" in public(proposal)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert labels(panel) == ["Allow the rest", "Refuse the rest", "Ask…", "Note…", "Cancel"]
    dialog = await world.press(world.gina, panel, "Note…")
    await world.gina.submit_modal(dialog, {"note": "The rain *stops*."})
    assert "The rain \\*stops\\*." in texts(panel)
    private(await world.press(world.gina, panel, "Allow the rest"))
    told = card(world)
    assert told.startswith("## ✓ There is enough time to rest: Marek is no longer badly hurt\n")
    assert "The rain \\*stops\\*." in told
    assert "Restored: Fitness +1, Zone +2." in told
    assert world.last().id == world.card().id, "nobody is called where there is nothing to be done"
    assert (await _marek(world)).sacrificed == ()
    private(await world.gina.slash(world.zone, "gm undo"))
    assert (await _marek(world)).sacrificed == (("Fitness", 1), ("Zone", 2))


async def test_there_may_be_no_time(world: World) -> None:
    await _table(world)
    proposal = message_of(await _heal(world, method="rest"))
    assert "No approach yet." not in texts(proposal)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Refuse the rest")
    assert card(world).startswith("## ✗ There is no time to rest\n")
    assert (await _marek(world)).sacrificed != ()


@pytest.mark.rule("EBB-HEAL")
@pytest.mark.parametrize("method", ["rest", "session"])
async def test_a_gm_restores_at_once(world: World, method: str) -> None:
    await _table(world)
    assert "Restored: Fitness +1, Zone +2." in public(
        await _heal(world, world.gina, method=method, target="Marek")
    )
    assert (await _marek(world)).sacrificed == ()
    again = public(await _heal(world, world.gina, method=method, target="Marek"))
    assert "Nothing to restore." in again


async def test_what_npcs_recover_is_the_gms_business(world: World) -> None:
    await _table(world)
    await world.gina.slash(world.zone, "gm npc add", name="Quillon")
    count = len(world.messages())
    assert "Quillon rests" in private(
        await _heal(world, world.gina, method="rest", target="Quillon")
    )
    assert len(world.messages()) == count
    assert "Quillon" not in world.told(world.ana)


@pytest.mark.rule("EBB-HEAL")
async def test_a_treatment_is_a_roll(world: World) -> None:
    await _table(world, BREAK, BURN, step_in_minutes=0)
    proposal = await _heal(
        world, method="treat", injury="Broken", skill="First aid", approach="a splint and a sling"
    )
    text = public(proposal)
    assert "Marek treats an injury" in text
    assert "**Injury:** Broken arm" in text
    await world.answer(message_of(proposal), level="Tricky")
    world.dice.lay(9, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert card(world).startswith(
        "## ✓ Success: Marek is treated and still badly hurt (12 against 10)\n"
    )
    assert "Broken arm is treated." in card(world)
    assert [injury.treated for injury in (await _marek(world)).injuries] == [True, False]


@pytest.mark.rule("EBB-HEAL")
async def test_somebody_else_treats_it_when_the_result_stands(world: World) -> None:
    await _table(world, BURN)
    proposal = await _heal(
        world, world.ben, method="treat", target="Marek", skill="First aid", approach="cold water"
    )
    assert "Ilka treats Marek" in public(proposal)
    assert "Burned" not in world.told(world.ben), "the sheet is not Ben's to read"
    await world.answer(message_of(proposal), level="Easy")
    world.dice.lay(6, 3)
    await world.press(world.ben, world.newest("Roll"), "Roll")
    assert not (await _marek(world)).injuries[0].treated
    react = message_of(await world.press(world.ben, world.newest("React"), "React"))
    private(await world.press(world.ben, react, "Accept result"))
    assert "Burned hand is treated." in card(world)
    assert (await _marek(world)).injuries[0].treated


async def test_a_treatment_that_fails_changes_nothing(world: World) -> None:
    await _table(world, BURN, step_in_minutes=0)
    proposal = await _heal(world, method="treat", skill="First aid", approach="cold water")
    await world.answer(message_of(proposal), level="Legendary")
    world.dice.lay(6, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert card(world).startswith("## ✗ ")
    assert "is treated" not in card(world)
    assert not (await _marek(world)).injuries[0].treated


@pytest.mark.rule("EBB-HEAL")
async def test_an_injury_that_is_not_named_is_the_worst(world: World) -> None:
    await _table(world, BURN, BREAK, step_in_minutes=0)
    proposal = await _heal(world, method="treat", skill="First aid", approach="cold water")
    assert "**Injury:**" not in public(proposal)
    await world.answer(message_of(proposal), level="Easy")
    world.dice.lay(6, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert "The worst injury is treated." in card(world)
    assert [injury.treated for injury in (await _marek(world)).injuries] == [False, True]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {"method": "pray"},
            "You can't recover by “pray”. For example: “Rest until every sacrificed "
            "point is back” or",
        ),
        ({"method": "session"}, "Only the GM can do that."),
        ({"method": "treat", "injury": "leg"}, "No untreated injury “leg” here."),
        ({"method": "rest", "target": "Ilka"}, "to act as here"),
        ({"method": "treat", "target": "Nobody"}, "You don't know anybody called “Nobody” here."),
    ],
)
async def test_what_does_not_fit_is_refused(
    world: World, options: dict[str, str], expected: str
) -> None:
    await _table(world, BREAK, BURN)
    before = await world.revision()
    assert expected in refusal_of(await _heal(world, **options))
    assert await world.revision() == before


async def test_without_an_injury_there_is_nothing_to_treat(world: World) -> None:
    await _table(world)
    assert "There's no untreated injury here." in refusal_of(
        await _heal(world, method="treat", approach="x")
    )


async def test_suggestions_tell_nobody_of_others_injuries(world: World) -> None:
    await _table(world, BREAK, BURN)

    async def found(who: Any, option: str, **filled: str) -> list[str]:
        return [
            each["name"]
            for each in await who.autocomplete(world.zone, "heal", option, "", **filled)
        ]

    assert await found(world.ana, "injury") == [
        "Broken arm (left arm, severe)",
        "Burned hand (light)",
    ]
    assert await found(world.gina, "injury", target="Marek") == [
        "Broken arm (left arm, severe)",
        "Burned hand (light)",
    ]
    assert await found(world.ben, "injury", target="Marek") == []
    assert await found(world.ben, "injury") == []
    assert len(await found(world.ana, "method")) == 2
    assert len(await found(world.gina, "method")) == 3
    assert await found(world.ana, "target") == ["Ilka", "Marek"]
