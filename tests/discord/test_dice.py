"""`/roll`, `/roll-save` and the odds of dice: at a table, and where no table is."""

from __future__ import annotations

from typing import Any

import pytest

from bot.services.replay import replay
from rules.core.dice import parse, throw
from rules.core.rng import KeyedStreams
from tests.discord.world import (
    World,
    button,
    labels,
    message_of,
    private,
    public,
    refusal_of,
    texts,
)

STUB = "rivate message"


async def _roll(
    world: World, *faces: int, dice: str = "2d6+1", who: Any = None, **options: Any
) -> Any:
    world.dice.lay(*faces)
    result = await (who or world.ana).slash(world.zone, "roll", dice=dice, **options)
    assert world.dice.left == 0
    return result


async def _choices(
    world: World, command: str, option: str, typed: str, who: Any = None
) -> list[str]:
    found = await (who or world.ana).autocomplete(world.zone, command, option, typed)
    return [choice["value"] for choice in found]


def _free(world: World, channel: Any = None) -> int | None:
    return world.bot.tables.places.table_id(f"free:{(channel or world.zone).id}")


# --- what a roll says -----------------------------------------------------------------------------


async def test_the_total_comes_first_then_every_die(world: World) -> None:
    text = public(
        await _roll(world, 5, 6, 3, 1, dice="4d6kh3 + 2 [rope]", reason="over *the* wall")
    )
    assert text.splitlines() == [
        "## Ana rolls 16",
        r"> over \*the\* wall",
        "4d6kh3 (5, 6, 3; not 1) + 2 [rope] = **16**",
        "-# #2",
        "Roll again",
    ]


@pytest.mark.parametrize(
    ("dice", "faces", "told"),
    [
        ("5d6>4", (5, 6, 1, 2, 5), "Ana rolls 3 successes"),
        ("3x 1d6", (1, 2, 3), "**Totals:** 1, 2, 3"),
    ],
)
async def test_results(world: World, dice: str, faces: tuple[int, ...], told: str) -> None:
    assert told in public(await _roll(world, *faces, dice=dice))


@pytest.mark.parametrize(
    ("dice", "faces", "told"),
    [
        ("adv", (3, 17), "1d20 adv (17; not 3) = **17**"),
        ("1d20+5 # stealth", (9,), "> stealth"),
        ("3d6!!", (6, 1, 2, 6, 3), "3d6!! (6+6+3, 1, 2) = **18**"),
        ("2 4d6k3", (5, 6, 3, 1, 1, 1, 1, 1), "2\\. 4d6kh3 (1, 1, 1; not 1) = **3**"),
        ("[[1d20+5]]", (9,), "1d20 (9) + 5 = **14**"),
    ],
)
async def test_dice_as_they_are_written_elsewhere(
    world: World, dice: str, faces: tuple[int, ...], told: str
) -> None:
    text = public(await _roll(world, *faces, dice=dice)).replace("\\>", ">")
    assert told in text
    again = public(await world.press(world.ben, world.last(), "Roll again")).replace("\\>", ">")
    assert told.split(" = ")[0].split(" (")[0].lstrip("(") in again


async def test_odds_read_dice_as_rolls_do(world: World) -> None:
    for dice, told in (("4d6k3", "4d6kh3: 12.24 on average"), ("3d6!!", "3d6!!: 12.6 on average")):
        assert told in private(await world.ana.slash(world.zone, "odds", dice=dice))
    assert "No exact odds" in refusal_of(await world.ana.slash(world.zone, "odds", dice="3d6!!>=9"))
    assert "ro to reroll once" in refusal_of(
        await world.ana.slash(world.zone, "odds", dice="3d6r1")
    )
    assert "ro to reroll once" in refusal_of(
        await world.ana.slash(world.zone, "roll-save", name="hit", dice="3d6r1")
    )


async def test_dice_that_are_too_many_come_as_a_file(world: World) -> None:
    result = await world.ana.slash(world.zone, "roll", dice="20x 40d6 + 1")
    text = public(result)
    assert text.count("**Totals:**") == 1
    assert "The file has every die." in text
    (file,) = message_of(result).attachments
    assert file.filename == "dice.txt"


@pytest.mark.parametrize(
    ("dice", "told"),
    [
        ("3d6r1", "Type ro to reroll once, or rr to reroll until it's gone"),
        ("4d6 §", "isn't dice notation"),
        ("2000d6", "1000"),
    ],
)
async def test_what_cannot_be_thrown_is_pointed_at(world: World, dice: str, told: str) -> None:
    text = refusal_of(await world.ana.slash(world.zone, "roll", dice=dice))
    assert told in text
    assert "^" in text


# --- where no table is ----------------------------------------------------------------------------


async def test_a_place_without_a_table_keeps_a_journal_that_can_be_replayed(world: World) -> None:
    await world.ana.slash(world.zone, "roll", dice="2d6")
    await world.ben.slash(world.zone, "draw-card")
    table_id = _free(world)
    assert table_id is not None
    tables = world.bot.tables
    table = await tables.get(table_id)
    rows = await tables.store.entries(table_id)
    assert [row.kind for row, _ in rows] == ["CreateTable", "RollDice", "DrawCards"]
    assert table.state.settings.gms == ()
    assert len(world.messages()) == 2, "that it was opened is not said"
    await world.restart()
    assert (
        await replay(world.bot.tables.store, table_id)
        == (await world.bot.tables.get(table_id)).state
    )
    row = rows[1][0]
    seeds = {each.stream: each.seed for each in table.seeds}
    rng = KeyedStreams(seeds["public"], seeds["secret"], row.request_id)
    (again,) = throw(parse("2d6"), rng.public)
    assert f"Ana rolls {again.total}" in texts(world.messages()[0])


async def test_a_table_opened_later_takes_precedence(world: World) -> None:
    first = message_of(await world.ana.slash(world.zone, "roll", dice="1d6"))
    free = _free(world)
    await world.table()
    assert _free(world) == free
    text = public(await world.ana.slash(world.zone, "roll", dice="{Climbing}"))
    assert "[Climbing]" in text
    assert (await world.state()).settings.system == "ebb"
    assert "Ben rolls" in public(await world.press(world.ben, first, "Roll again"))


async def test_a_thread_without_a_table_has_one_of_its_own(world: World) -> None:
    thread = world.thread()
    await world.ana.slash(thread, "roll", dice="1d6")
    assert _free(world, thread) is not None
    assert _free(world) is None
    await world.setup()
    await world.ana.slash(thread, "roll", dice="1d6")
    table_id = world.bot.tables.places.table_id(str(world.zone.id))
    assert table_id is not None
    assert (await world.bot.tables.get(table_id)).revision == 2, (
        "a thread goes with its channel's table"
    )


async def test_nobody_leads_where_no_table_is(world: World) -> None:
    await world.gina.slash(world.zone, "roll", dice="1d6")
    table_id = _free(world)
    for command in ("table show", "gm undo", "gm takeover", "table fair rotate"):
        assert "No table here" in refusal_of(await world.gina.slash(world.zone, command))
    late = world.emit(world.gina, f"sg:release:{table_id}")
    await world.env.settle()
    assert "Only the GM" in refusal_of(late)
    assert "no GM could see" in refusal_of(
        await world.ana.slash(world.zone, "roll", dice="1d6", visibility="blind")
    )
    assert "no characters" in refusal_of(
        await world.ana.slash(world.zone, "roll", dice="{Climbing}")
    )
    assert "no characters" in refusal_of(
        await world.ana.slash(world.zone, "roll", dice="1d6", **{"as": "Marek"})
    )


async def test_the_free_system_is_not_offered(world: World) -> None:
    (request,) = [request for request in world.env.http_requests if request.method == "PUT"]
    assert isinstance(request.json, list)
    (setup,) = [command for command in request.json if command["name"] == "setup"]
    (system,) = [option for option in setup["options"] if option["name"] == "game"]
    assert "free" not in [choice["value"] for choice in system["choices"]]


async def test_a_private_roll_without_a_table_is_for_oneself_alone(world: World) -> None:
    text = private(await _roll(world, 3, 4, visibility="private"))
    assert "Ana rolls 8" in text
    assert "see" not in text.replace("Ana rolls 8", ""), "Discord itself says whose it is"
    assert world.messages() == []


# --- who sees it ----------------------------------------------------------------------------------


@pytest.mark.parametrize("gm_channel", [True, False])
async def test_a_private_roll_is_for_oneself_and_the_gms(world: World, gm_channel: bool) -> None:
    await world.table(gm_channel=gm_channel)
    assert "Ana rolls 8" in private(
        await _roll(world, 3, 4, visibility="private", reason="a secret plan")
    )
    if gm_channel:
        assert "Ana rolls 8" in texts(world.last(world.gm_room))
    else:
        stub = world.last()
        assert STUB in texts(stub)
        assert "Ana rolls 8" in private(await world.press(world.gina, stub, "Show"))
        refusal_of(await world.press(world.ben, stub, "Show"))
    assert "a secret plan" not in world.told(world.ben)
    assert "rolls 8" not in world.told(world.ben)


async def test_a_blind_roll_is_for_the_gms_alone(world: World) -> None:
    await world.table(gm_channel=True)
    text = private(await _roll(world, 3, 4, visibility="blind"))
    assert "Ana rolls blind" in text
    assert labels(message_of(await _roll(world, 3, 4, visibility="blind"))) == []
    assert "Ana rolls 8" in texts(world.last(world.gm_room))
    for player in (world.ana, world.ben):
        assert "rolls 8" not in world.told(player)


async def test_the_gms_own_private_roll_is_told_to_nobody(world: World) -> None:
    await world.table()
    count = len(world.messages())
    text = private(await _roll(world, 3, 4, who=world.gina, visibility="private"))
    assert "Only GMs see this." in text
    assert len(world.messages()) == count


async def test_private_rolls_draw_from_the_secret_seed(world: World) -> None:
    await world.table()
    private(await world.ana.slash(world.zone, "roll", dice="2d6", visibility="private"))
    table_id = world.bot.tables.places.table_id(str(world.zone.id)) or 0
    ((row, _),) = await world.bot.tables.store.entries(table_id, limit=1)
    assert (row.draws, row.secret_draws) == (2, 2)
    assert "secret rolls" in private(
        await world.ana.slash(world.zone, "table fair show", entry=row.seq)
    )


async def test_a_roll_is_not_taken_back(world: World) -> None:
    """Nothing of the table changes by it, and dice that fell have fallen."""
    await world.table()
    await world.ana.slash(world.zone, "roll", dice="2d6")
    text = refusal_of(await world.gina.slash(world.zone, "gm undo", entry=await world.revision()))
    assert "changed nothing" in text


async def test_a_roll_is_among_the_last_results(world: World) -> None:
    await world.table()
    await _roll(world, 3, 4)
    await _roll(world, 6, 6, visibility="private")
    assert "Ana rolls 8" in private(await world.ben.slash(world.zone, "table last"))
    assert "Ana rolls 13" not in private(await world.ben.slash(world.zone, "table last"))
    assert "Ana rolls 13" in private(await world.ana.slash(world.zone, "table last"))


async def test_somebody_the_players_do_not_know_rolls_without_a_name(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    result = await world.gina.slash(world.zone, "roll", dice="1d6", **{"as": "Sidor"})
    private(result)
    assert "Somebody rolls" in texts(world.last())
    assert "Sidor" not in world.told(world.ana)
    public(await world.ana.slash(world.zone, "roll", dice="1d6", **{"as": "Marek"}))
    assert "Marek rolls" in texts(world.last())


# --- once more ------------------------------------------------------------------------------------


async def test_anybody_may_roll_the_same_again_also_after_a_restart(world: World) -> None:
    await world.table()
    first = message_of(await _roll(world, 3, 4, reason="the door"))
    await world.restart()
    world.dice.lay(6, 6)
    again = await world.press(world.ben, first, "Roll again")
    assert "Ben rolls 13" in public(again)
    assert "the door" in public(again)
    world.dice.lay(1, 1)
    assert "Ana rolls 3" in public(await world.press(world.ana, message_of(again), "Roll again"))


async def test_a_private_roll_again_stays_private(world: World) -> None:
    await world.table()
    first = message_of(await _roll(world, 3, 4, visibility="private"))
    world.dice.lay(6, 6)
    assert "Ana rolls 13" in private(await world.press(world.ana, first, "Roll again"))
    pressed = world.emit(world.ben, button(first, "Roll again"))
    await world.env.settle()
    refusal_of(pressed)
    assert "rolls 13" not in world.told(world.ben)


@pytest.mark.parametrize("rest", ["1", "1:99", "1:x", "99:2", "1:1"])
async def test_a_button_that_means_nothing(world: World, rest: str) -> None:
    await world.table()
    pressed = world.emit(world.ana, f"sg:again:{rest}")
    await world.env.settle()
    refusal_of(pressed)


# --- by name --------------------------------------------------------------------------------------


async def test_saved_rolls(world: World) -> None:
    text = private(await world.ana.slash(world.zone, "roll-save", name="The Axe", dice="1d20+5"))
    assert "Saved: The Axe" in text
    world.dice.lay(12)
    assert "Ana rolls 17" in public(await world.ana.slash(world.zone, "roll", dice="the  axe"))
    assert await _choices(world, "roll", "dice", "ax") == ["The Axe"]
    assert await _choices(world, "roll-save", "name", "") == ["The Axe"]
    assert await _choices(world, "roll", "dice", "", world.ben) == []
    await world.restart()
    assert "1d20+5: 15.5 on average" in private(
        await world.ana.slash(world.zone, "odds", dice="the axe")
    )
    assert "“The Axe”" in refusal_of(await world.ana.slash(world.zone, "roll", dice="the ax"))
    assert "isn't dice notation" in refusal_of(
        await world.ben.slash(world.zone, "roll", dice="the axe")
    )
    assert "Deleted" in private(await world.ana.slash(world.zone, "roll-save", name="the axe"))
    refusal_of(await world.ana.slash(world.zone, "roll-save", name="the axe"))


@pytest.mark.parametrize(
    ("name", "dice", "told"),
    [
        ("d20", "1d6", "already means dice or a number"),
        ("12", "1d6", "already means dice or a number"),
        ("{x}", "1d6", "Choose another"),
        ("axe", "1d6 +", "Something is missing"),
        ("axe", "{Climbing}}", "could never roll"),
    ],
)
async def test_what_cannot_be_saved(world: World, name: str, dice: str, told: str) -> None:
    assert told in refusal_of(await world.ana.slash(world.zone, "roll-save", name=name, dice=dice))


async def test_twenty_five_rolls_are_kept(world: World) -> None:
    for number in range(25):
        private(await world.ana.slash(world.zone, "roll-save", name=f"roll {number}", dice="1d6"))
    assert "25 saved rolls" in refusal_of(
        await world.ana.slash(world.zone, "roll-save", name="more", dice="1d6")
    )
    private(await world.ana.slash(world.zone, "roll-save", name="Roll 3", dice="1d8"))


async def test_numbers_of_the_character(world: World) -> None:
    await world.table()
    text = public(await _roll(world, 7, 3, dice="{climb} + d6 + {Fitness}"))
    assert "Marek rolls 11" in text
    assert "1d8 (7) [Climbing] + 1d6 (3) + 1 [Fitness] = **11**" in text
    assert f"Rolled by {world.ana.mention}." in text
    text = refusal_of(await world.ana.slash(world.zone, "roll", dice="{Climing}"))
    assert "“Climbing”" in text
    assert "{Climbing}" in await _choices(world, "roll", "dice", "{cli")
    assert "d6+{Climbing}" in await _choices(world, "roll", "dice", "d6+{cli")
    private(
        await world.ana.slash(world.zone, "roll-save", name="climb", dice="{Climbing}+{Fitness}d6")
    )
    assert "Marek rolls 13" in public(await _roll(world, 7, 6, dice="climb"))
    again = await world.press(world.ben, world.last(), "Roll again")
    assert "Ben rolls" in public(again)
    assert "[Climbing]" in public(again)
    text = public(await _roll(world, 12, 3, dice="1d20+Fitness - climbing # over the wall"))
    assert "1d20 (12) + 1 [Fitness] − 1d8 (3) [Climbing] = **10**" in text
    assert "> over the wall" in text
    assert "“Climbing”" in refusal_of(
        await world.ana.slash(world.zone, "roll", dice="1d20+Climing")
    )


async def test_a_roll_that_cannot_be_rolled_now_is_kept_and_says_so(world: World) -> None:
    saved = {"name": "jump", "dice": "1d20+Climbing"}
    assert "can't be rolled right now" in private(
        await world.ana.slash(world.zone, "roll-save", **saved)
    )
    await world.restart()
    await world.table()
    assert "can't be rolled" not in private(await world.ana.slash(world.zone, "roll-save", **saved))
    assert "Marek rolls" in public(await world.ana.slash(world.zone, "roll", dice="jump"))


# --- odds -----------------------------------------------------------------------------------------


async def test_the_odds_of_dice_where_no_table_is(world: World) -> None:
    result = await world.ana.slash(world.zone, "odds", dice="3d6")
    text = private(result)
    assert text.startswith("## 3d6: 10.5 on average\n")
    assert "From 3 to 18 · 80%: 7–14" in text
    assert "or more" not in text, "what the picture shows is not told twice"
    (picture,) = message_of(result).attachments
    alt = str(picture.description)
    assert "18: 0.5%; 18 or more: 0.5%." in alt
    assert "11: 12.5%; 11 or more: 50%." in alt
    below = private(await world.ana.slash(world.zone, "odds", dice="3d6-20"))
    assert "80%: −13 to −6" in below, "no dash beside a minus"
    assert "80%: 7\n" in private(await world.ana.slash(world.zone, "odds", dice="1d1+6"))
    assert _free(world) is None, "looking at odds opens nothing"


async def test_odds_of_many_totals_and_of_endless_dice(world: World) -> None:
    (picture,) = message_of(await world.ana.slash(world.zone, "odds", dice="8d20")).attachments
    alt = str(picture.description)
    assert 10 <= alt.count(" or more: ") <= 20
    assert len(alt) <= 1024
    assert alt.startswith("Chance of each total. 8–")
    assert "add up to at most 1 in " in private(
        await world.ana.slash(world.zone, "odds", dice="1d6e6")
    )


async def test_odds_of_dice_refuse_clearly(world: World) -> None:
    await world.table()
    assert "works alone" in refusal_of(
        await world.ana.slash(world.zone, "odds", dice="1d6", skill="Climbing")
    )
    assert "exact odds" in refusal_of(await world.ana.slash(world.zone, "odds", dice="4d6kh1rr1"))
    assert "isn't dice notation" in refusal_of(
        await world.ana.slash(world.zone, "odds", dice="banana")
    )
    assert "1d8 \\[Climbing\\]: 4.5 on average" in private(
        await world.ana.slash(world.zone, "odds", dice="{Climbing}")
    )
