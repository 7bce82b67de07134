"""`/table pace`: how fast everybody answers, for those who may know."""

from __future__ import annotations

from simcord.actors import MemberActor

from tests.discord.world import DAY, HOUR, World, private


async def pace(world: World, who: MemberActor, **options: int) -> str:
    """What `/table pace` tells somebody."""
    return private(await who.slash(world.zone, "table pace", **options))


async def answered_after(world: World, gm: int, player: int, **options: str) -> None:
    """A check that Gina answers after so many seconds, and Ana rolls after so many more."""
    await world.propose(world.ana, skill="Climbing", attribute="Fitness", **options)
    await world.env.advance_time(gm)
    await world.rule()
    card = world.card()
    await world.env.advance_time(player)
    await world.press(world.ana, card, "Roll")


async def test_gms_read_everybody_and_players_themselves(world: World) -> None:
    await world.table()
    for gm, player in ((HOUR, 2 * HOUR), (3 * HOUR, 3 * HOUR), (2 * HOUR, 10 * HOUR)):
        await answered_after(world, gm, player)
    told = await pace(world, world.gina)
    assert "**The GM** usually answers within 2 hours." in told
    assert "**Ana** usually answers within 3 hours." in told and "Ben" not in told
    await world.restart()
    own = await pace(world, world.ana)
    assert "You usually answer within 3 hours." in own
    assert "The GM" not in own
    assert "Half of the answers came within these times." in own
    nothing = await pace(world, world.ben)
    assert "You've answered nothing here in 30 days." in nothing
    assert "these times" not in nothing and "secret answers don't count" in nothing


async def test_what_waits_and_what_was_missed(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    assert "You: no answers in that time. 1 thing waits now, asked <t:" in await pace(
        world, world.ben
    )
    await world.env.advance_time(3 * DAY)
    assert "**Ben**: no answers in that time. 1 missed deadline." in await pace(world, world.gina)
    assert "1 missed deadline" in await pace(world, world.ben)
    assert "missed" not in await pace(world, world.ana)


async def test_since_counts_only_the_last_days(world: World) -> None:
    await world.table()
    await answered_after(world, 5 * HOUR, 9 * HOUR)
    await world.env.advance_time(4 * DAY)
    await answered_after(world, HOUR, 2 * HOUR)
    told = await pace(world, world.gina, since=3)
    assert "The last 3 days." in told and "**The GM** answers within 1 hour." in told
    assert "**Ana** answers within 2 hours." in told
    assert "**The GM** answers within 5 hours." not in await pace(world, world.gina, since=1)
    told = await pace(world, world.gina)
    assert "The last 30 days." in told and "**Ana** answers within 9 hours." in told
    assert "**The GM** answers within 5 hours." in told
    await world.restart()
    await world.env.advance_time(2 * DAY)
    assert "no answers in that time. 1 missed" in await pace(world, world.ana, since=1)
    nothing = await pace(world, world.ben, since=1)
    assert "You've answered nothing here in the last day." in nothing
    assert "You answer within 2 hours." in await pace(world, world.ana, since=5)


async def test_a_deadline_missed_before_since_doesnt_count(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    await world.env.advance_time(8 * DAY)
    assert "missed" in await pace(world, world.ben, since=8)
    assert "missed" not in await pace(world, world.ben, since=2)


async def test_absences_of_the_only_gm_dont_count(world: World) -> None:
    await world.table()
    await world.propose(world.ana, skill="Climbing", attribute="Fitness")
    await world.env.advance_time(HOUR)
    await world.gina.slash(world.zone, "away", until="3 days")
    await world.env.advance_time(10 * HOUR)
    await world.gina.slash(world.zone, "away", back=True)
    await world.env.advance_time(HOUR)
    await world.rule()
    assert "**The GM** answers within 2 hours." in await pace(world, world.gina)


async def test_absences_of_one_gm_count_while_another_is_there(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm members", add=world.ben)
    await world.propose(world.ana, skill="Climbing", attribute="Fitness")
    await world.gina.slash(world.zone, "away", until="3 days")
    await world.env.advance_time(10 * HOUR)
    await world.rule(who=world.ben)
    assert "**The GM** answers within 10 hours." in await pace(world, world.gina)


async def test_a_missed_deadline_stays_with_the_player_of_that_time(world: World) -> None:
    await world.table(step_in_minutes=0)
    await answered_after(world, HOUR, 3 * HOUR)
    await world.gina.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    await world.env.advance_time(3 * DAY)
    assert "1 missed deadline" in await pace(world, world.ben)
    for character, to in (("Ilka", world.ana), ("Marek", world.ben)):
        await world.gina.slash(world.zone, "character give", character=character, to=to)
    await world.restart()
    told = await pace(world, world.gina)
    assert "**Ben**: no answers in that time. 1 missed deadline." in told
    assert "**Ana** answers within 3 hours." in told
    assert "missed" not in await pace(world, world.ana)
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo")
    assert "1 missed deadline" in await pace(world, world.ben)
    assert "missed" not in await pace(world, world.ana)


async def test_a_deadline_missed_after_a_gift_is_the_new_players(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "character give", character="Ilka", to=world.ana)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join", **{"as": "Ilka"})
    await world.gina.slash(world.zone, "initiative next")
    await world.env.advance_time(3 * DAY)
    await world.gina.slash(world.zone, "character give", character="Ilka", to=world.ben)
    assert "1 missed deadline" in await pace(world, world.ana)
    assert "missed" not in await pace(world, world.ben)
