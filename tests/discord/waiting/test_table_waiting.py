"""`/table waiting` and the times in `/moves`: who is waited for, as each reader may know it."""

from __future__ import annotations

import re

import pytest
from simcord.actors import MemberActor

from tests.discord.waiting.test_turn_deadlines import fight
from tests.discord.world import DAY, HOUR, MINUTE, World, labels, message_of, private, secret_room

_EMPTY = "Nobody is waited for"


@pytest.fixture
def patience() -> bool:
    return False


async def _waiting(world: World, who: MemberActor) -> str:
    shown = private(await who.slash(world.zone, "table waiting"))
    return re.sub(r"<t:\d+:R>", "<t>", shown).replace("\u00a0", " ")


async def _moves(world: World, who: MemberActor) -> str:
    shown = private(await who.slash(world.zone, "moves"))
    return re.sub(r"<t:\d+:(\w)>", r"<\1>", shown)


async def test_everybody_reads_who_is_waited_for(world: World) -> None:
    await fight(world)
    await world.propose(world.ben, approach="over the wall")
    await world.restart()
    for who in (world.gina, world.ana, world.ben):
        shown = await _waiting(world, who)
        assert "- **Marek**: Marek's turn, due <t>, then Marek delays" in shown
        assert "- **The GM**: Ilka's check `c1`, asked <t> · [show](https://" in shown
        assert "`/moves` has what is yours" in shown


async def test_a_table_that_waits_for_nobody_says_so(world: World) -> None:
    await world.table()
    shown = await _waiting(world, world.ana)
    assert _EMPTY in shown and "Try something with `/check`." in shown


@pytest.mark.parametrize("visibility", ["private", "blind"])
async def test_a_secret_check_is_listed_only_for_those_who_know_it(
    world: World, visibility: str
) -> None:
    await world.table()
    await world.propose(world.ana, visibility=visibility)
    assert _EMPTY in await _waiting(world, world.ben)
    for who in (world.gina, world.ana):
        assert "**The GM**: Marek's check `h1`" in await _waiting(world, who)


async def test_a_closed_room_is_listed_only_for_those_who_can_view_it(world: World) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.ana.slash(vault, "check", skill="Climbing")
    assert _EMPTY in await _waiting(world, world.ben)
    assert f"in <#{vault.id}>" in await _waiting(world, world.ana)


async def test_only_gms_read_what_has_stalled(world: World) -> None:
    await world.table()
    await world.propose(world.ana)
    await world.env.advance_time(4 * DAY + MINUTE)
    assert "**The GM**: Marek's check `c1`, stalled" in await _waiting(world, world.gina)
    assert "stalled" not in await _waiting(world, world.ana)
    # Who is waited for isn't said twice.
    await world.rule()
    assert "**Marek**: the check `c1`, asked" in await _waiting(world, world.gina)


async def test_a_new_character_is_listed_for_the_gm_and_its_player(world: World) -> None:
    await world.setup()
    await world.gina.slash(world.zone, "gm settings", approve=True)
    await world.bring(world.ana, "Marek")
    assert "**The GM**: Marek, a new character, asked <t>" in await _waiting(world, world.gina)
    assert "Marek" in await _waiting(world, world.ana)
    await world.bring(world.ben, "Ilka")
    assert "Marek" not in await _waiting(world, world.ben)


async def test_a_call_is_listed_once_with_who_has_still_to_roll(world: World) -> None:
    await world.table(step_in_minutes=0)
    climb = {"skill": "Climbing", "attribute": "Fitness", "difficulty": "Tricky"}
    await world.gina.slash(world.zone, "gm call", until="2 days", **climb)
    await world.propose(world.ben, approach="over the wall")
    listed = "- **Ilka and Marek**: a called roll of Climbing and Fitness, due <t>, then Storyguide"
    for who in (world.gina, world.ana):
        shown = await _waiting(world, who)
        assert shown.count("called roll") == 1 and f"{listed} rolls · [show](https://" in shown
        assert "**The GM**: Ilka's check" in shown, "other checks stay by themselves"
    world.dice.lay(8, 7)
    await world.press(world.ana, world.newest("Details"), "Roll")
    shown = await _waiting(world, world.ben)
    assert "- **Ilka**: a called roll of Climbing and Fitness" in shown
    assert "Marek" not in shown


# --- /moves ---------------------------------------------------------------------------------------


async def test_moves_say_that_a_turn_that_was_used_ends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fight(world, "the fire")
    monkeypatch.setattr("bot.presenters.pending_matters.turn_default", lambda *_: "ends")
    assert "Until <f>, then the turn ends." in await _moves(world, world.ana)


async def test_moves_say_since_when_and_until_when(world: World) -> None:
    await fight(world, "the fire")
    assert "Until <f>, then Marek delays." in await _moves(world, world.ana)
    await world.press(world.ana, world.newest("End turn"), "End turn")
    await world.press(world.ben, world.newest("End turn"), "End turn")
    await world.env.advance_time(HOUR)
    await world.propose(world.ben, approach="over the wall")
    assert "-# asked <R> · “over the wall”" in await _moves(world, world.gina)
    assert "the fire's turn. Attack or check, then End turn. Asked <R>." in await _moves(
        world, world.gina
    )


async def test_the_oldest_wait_comes_first(world: World) -> None:
    await world.table()
    await world.propose(world.ana)
    await world.env.advance_time(HOUR)
    await world.propose(world.ben)
    listed = message_of(await world.gina.slash(world.zone, "moves"))
    assert labels(listed) == ["Answer · c1", "Answer · c2"]
    calls = [message for message in world.messages() if "Answer" in labels(message)]
    await world.rule(calls[0])
    await world.env.advance_time(2 * HOUR)
    await world.gina.slash(world.zone, "gm undo")
    listed = message_of(await world.gina.slash(world.zone, "moves"))
    assert labels(listed) == ["Answer · c2", "Answer · c1"], "its time was given back"


async def test_one_press_in_moves_adds_nothing(world: World) -> None:
    await world.table(roll_when_answered=True)
    await world.propose(skill="Climbing", attribute="Fitness")
    world.dice.lay(2, 3)
    await world.rule(world.newest("Answer"))
    listed = message_of(await world.ana.slash(world.zone, "moves"))
    assert "Accept result · c1" in labels(listed)
    await world.restart()
    await world.press(world.ana, listed, "Accept result · c1")
    assert not (await world.state()).open_checks
