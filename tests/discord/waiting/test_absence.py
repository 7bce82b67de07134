"""Away: who is asked instead, what passes, and what somebody is told who comes back."""

from __future__ import annotations

import pytest

from rules.table.state import DAY
from tests.discord.ego.table import misses, open_table, sheet
from tests.discord.rounds import acts, gather, next_turn
from tests.discord.world import World, labels, message_of, pings, refusal_of, texts

HOUR = 3600


@pytest.fixture
def patience() -> bool:
    """Tables wait only for those who have something to decide."""
    return False


async def _orc_attacks_boris(world: World) -> None:
    await world.gina.slash(world.zone, "attack", target="Boris", **{"as": "Orc"})


async def test_a_stand_in_is_called_and_waited_for_as_the_owner_would_be(world: World) -> None:
    await open_table(world, live=False)
    eve = world.member("eve")
    await world.ben.slash(world.zone, "delegate", character="Boris", to=eve)
    await world.ben.slash(world.zone, "away", until="3 days")
    await _orc_attacks_boris(world)
    assert pings(world.last(), world.env) == [eve.id]
    asked = (await world.state()).checks["c1"].asked
    assert asked[0].waiting_for, "the defense isn't thrown away"
    panel = message_of(await world.press(eve, world.newest("Defend"), "Defend"))
    assert "Parry" in labels(panel)


async def test_without_a_stand_in_the_gms_answer_and_have_the_full_time(world: World) -> None:
    await open_table(world, live=False)
    deputy = world.member("eve")
    await world.ben.slash(world.zone, "away", until="3 days", note="at sea")
    await world.gina.slash(world.zone, "gm members", add=deputy)
    before = await sheet(world, "Boris")
    await _orc_attacks_boris(world)
    assert (await world.state()).checks["c1"].asked[0].waiting_for
    await world.restart()
    panel = message_of(await world.press(deputy, world.newest("Defend"), "Defend"))
    assert "Parry" in labels(panel)
    assert await sheet(world, "Boris") == before


async def test_a_gm_who_is_away_is_not_called_while_another_is_there(world: World) -> None:
    await world.table()
    eve = world.member("eve")
    await world.gina.slash(world.zone, "gm members", add=eve)
    await world.gina.slash(world.zone, "away", until="3 days")
    await world.propose(skill="Climbing")
    assert pings(world.last(), world.env) == [eve.id]
    await world.gina.slash(world.zone, "away", back=True)
    await world.env.advance_time(DAY)
    assert set(pings(world.last(), world.env)) == {world.gina.id, eve.id}


async def test_the_only_gm_is_called_though_they_are_away(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "away", until="3 days")
    await world.propose(skill="Climbing")
    assert pings(world.last(), world.env) == [world.gina.id]


async def test_own_dice_pass_at_once_and_the_card_says_why(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm settings", wait_for_everybody=True)
    await world.answered()
    await world.ana.slash(world.zone, "away")
    state = await world.state()
    assert state.checks["c1"].asked, "a roll of their own is not made for them"
    world.dice.lay(1, 2)
    await world.press(world.gina, world.newest("Roll"), "Roll")
    assert not (await world.state()).checks["c1"].is_open
    assert f"Marek passed: {world.ana.mention} is away" in texts(world.card("c1"))


async def test_who_goes_away_while_asked_hands_it_to_the_gms(world: World) -> None:
    await open_table(world, live=False)
    await _orc_attacks_boris(world)
    due = (await world.state()).checks["c1"].asked[0].due
    assert due is not None
    await world.env.advance_time(20 * HOUR)
    await world.ben.slash(world.zone, "away", until="3 days")
    call = next(each for each in reversed(world.messages()) if "you can answer" in each.content)
    assert world.gina.id in pings(call, world.env)
    assert "is away; you can answer for Boris" in call.content
    now = (await world.state()).checks["c1"].asked[0].due
    assert now == due + 20 * HOUR, "the GMs have the full time"
    panel = message_of(await world.press(world.gina, call, "Answer"))
    assert "Parry" in labels(panel)


@pytest.mark.parametrize(
    ("typed", "hours"), [("3d", 72), ("2030-12-24", None), ("Friday", None), ("tomorrow", None)]
)
async def test_until_takes_a_length_a_date_or_a_day(
    world: World, typed: str, hours: int | None
) -> None:
    await open_table(world)
    await world.ben.slash(world.zone, "away", until=typed)
    away = [
        each.away for key, each in (await world.state()).own.items() if key.startswith("orders:")
    ]
    assert away[0] is not None
    assert away[0].until is not None
    if hours is not None:
        assert away[0].until - away[0].since == hours * HOUR
    else:
        assert away[0].until % DAY == 0


@pytest.mark.parametrize("typed", ["soon", "2020-01-01", "-3 days", "Blursday"])
async def test_until_refuses_what_is_no_time_to_come(world: World, typed: str) -> None:
    await open_table(world)
    before = await world.revision()
    told = refusal_of(await world.ben.slash(world.zone, "away", until=typed))
    assert typed in told
    assert "until" in told
    assert "Friday" in told
    assert await world.revision() == before


async def test_an_absence_that_ends_is_told_of_in_private(world: World) -> None:
    await open_table(world, live=False)
    await world.ben.slash(world.zone, "away", until="2 days")
    await _orc_attacks_boris(world)
    panel = message_of(await world.press(world.gina, world.newest("Defend"), "Defend"))
    world.dice.lay(*misses(5))
    await world.press(world.gina, panel, "Pass")
    await world.restart()
    await world.env.advance_time(2 * DAY)
    stub = world.last()
    assert pings(stub, world.env) == [world.ben.id]
    assert "Boris" not in texts(stub)
    assert refusal_of(await world.press(world.ana, stub, "Show"))
    told = texts(message_of(await world.press(world.ben, stub, "Show")))
    assert "While you were away" in told
    assert "Orc attacks Boris" in told, told
    count = len(world.messages())
    await world.env.advance_time(30 * DAY)
    assert len(world.messages()) == count, "once"


async def test_who_says_that_they_are_back_reads_what_happened(world: World) -> None:
    await open_table(world, live=True)
    await world.ben.slash(world.zone, "away")
    await _orc_attacks_boris(world)
    panel = message_of(await world.press(world.gina, world.newest("Defend"), "Defend"))
    world.dice.lay(*misses(5))
    await world.press(world.gina, panel, "Pass")
    back = await world.ben.slash(world.zone, "away", back=True)
    told = "\n".join(texts(each) for each in back.followups)
    assert "While you were away" in told, told
    assert "Orc attacks Boris" in told, told


async def _boris_is_on_turn(world: World) -> None:
    await open_table(world, live=False)
    await gather(world)
    await next_turn(world, *misses(3), *(6,) * 3)
    assert await acts(world) == "Boris"


async def test_a_new_stand_in_is_called_to_a_turn_that_is_theirs_already(world: World) -> None:
    await _boris_is_on_turn(world)
    eve = world.member("eve")
    await world.ben.slash(world.zone, "away", until="9 days")
    await world.ben.slash(world.zone, "delegate", character="Boris", to=eve)
    call = next(
        each for each in world.messages() if "is away: the GM or a stand-in can act" in texts(each)
    )
    assert pings(call, world.env) == [eve.id]


async def test_a_stand_in_is_called_to_a_turn_as_its_player_goes_away(world: World) -> None:
    await _boris_is_on_turn(world)
    eve = world.member("eve")
    await world.ben.slash(world.zone, "delegate", character="Boris", to=eve)
    await world.ben.slash(world.zone, "away", until="9 days")
    assert eve.id in [one for each in world.messages() for one in pings(each, world.env)]
    assert "is away: the GM or a stand-in can act for" in "".join(
        texts(each) for each in world.messages()
    )


async def test_a_new_stand_in_is_called_to_a_check_that_waits(world: World) -> None:
    await open_table(world, live=False)
    eve = world.member("eve")
    await world.ben.slash(world.zone, "away", until="9 days")
    await _orc_attacks_boris(world)
    await world.ben.slash(world.zone, "delegate", character="Boris", to=eve)
    called = [each for each in world.messages() if eve.id in pings(each, world.env)]
    assert any("Boris" in texts(each) for each in called), [texts(each) for each in called]


async def test_who_comes_back_reads_of_a_turn_that_ran_out(world: World) -> None:
    await _boris_is_on_turn(world)
    await world.ben.slash(world.zone, "away", until="3 days")
    await world.env.advance_time(2 * DAY)
    back = await world.ben.slash(world.zone, "away", back=True)
    told = "\n".join(texts(each) for each in back.followups)
    assert "Time ran out: Boris" in told, told


async def test_who_comes_back_reads_that_nothing_happened(world: World) -> None:
    await open_table(world, live=False)
    await world.ben.slash(world.zone, "away", until="3 days")
    await world.env.advance_time(HOUR)
    back = await world.ben.slash(world.zone, "away", back=True)
    told = "\n".join(texts(each) for each in back.followups)
    assert "Nothing happened to your characters." in told, told


async def test_the_card_names_the_gm_who_decides_for_whoever_is_away(world: World) -> None:
    await open_table(world, live=False, step_in_minutes=60)
    await world.ben.slash(world.zone, "away", until="3 days")
    await _orc_attacks_boris(world)
    panel = message_of(await world.press(world.gina, world.newest("Defend"), "Defend"))
    world.dice.lay(1, 1, 1, 6, 6, 6)
    await world.press(world.gina, panel, "Pass")
    check = (await world.state()).checks["c1"]
    assert any(each.waiting_for for each in check.asked)
    text = texts(world.card("c1"))
    assert "he GM decides" in text and "Ben, spend" not in text and "Ben decides" not in text, text


async def test_a_gm_with_npcs_acts_for_an_absent_player_by_the_panel(world: World) -> None:
    await world.table(gm_channel=True)
    for name in ("Sidor", "Olga"):
        await world.gina.slash(world.zone, "gm npc add", name=name)
    await world.ana.slash(world.zone, "orders words", text="I climb on")
    await world.ana.slash(world.zone, "away", until="3 days")
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    told = world.newest("Take it as said", world.gm_room)
    panel = message_of(await world.press(world.gina, told, "Take it as said"))
    assert "I climb on" in texts(panel) and "to choose" not in texts(panel)
    await world.press(world.gina, panel, "Send")
    (check,) = (await world.state()).checks.values()
    marek = next(each for each in (await world.state()).characters.values() if each.name == "Marek")
    assert check.actor == marek.id
