"""Deputies: what they may do and read, how long, and what is left to them afterwards."""

from __future__ import annotations

import random
from typing import Any

from bot.ui.deputy_commands import DEPUTY_COMMANDS
from rules.registry import PLAYABLE
from rules.table import actions
from rules.table.gms.deputy_rights import DEPUTY_RIGHTS
from tests.attack.forged_requests import commands
from tests.attack.test_strangers import _options
from tests.discord.world import (
    DAY,
    MINUTE,
    World,
    labels,
    message_of,
    pings,
    private,
    refusal_of,
    select,
    texts,
)


async def named(world: World, who: Any = None, **options: Any) -> Any:
    """Ben becomes deputy."""
    question = await world.gina.slash(world.zone, "gm deputy", user=who or world.ben, **options)
    return await world.press(world.gina, message_of(question), "Make deputy")


async def test_a_gm_is_told_what_a_deputy_sees_before_naming_one(world: World) -> None:
    await world.table()
    asked = private(await world.gina.slash(world.zone, "gm deputy", user=world.ben, until="3 days"))
    assert "reads everything that GMs read" in asked
    assert "can't change settings" in asked
    count = await world.revision()
    await named(world, until="3 days")
    assert await world.revision() == count + 1
    assert f"{world.ben.mention} is deputy" in texts(world.last()).replace("@Ben", "")
    assert "deputy until" in private(await world.gina.slash(world.zone, "gm deputy"))


async def test_a_deputy_answers_for_the_gm_and_is_called(world: World) -> None:
    await world.table(approve=False)
    await named(world)
    await world.propose(skill="Climbing")
    call = world.newest("Answer")
    assert pings(call, world.env) == [world.gina.id, world.ben.id]
    await world.rule(who=world.ben)
    assert "## Marek, roll" in texts(world.card())


async def test_a_deputy_runs_npcs_and_their_turns(world: World) -> None:
    await world.table()
    await named(world)
    await world.ben.slash(world.zone, "gm npc add", name="Sidor", stage="off")
    assert "Sidor" in private(await world.ben.slash(world.zone, "gm npc list"))
    await world.ben.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative add", name="Sidor")
    private(await world.ben.slash(world.zone, "initiative next"))
    refusal_of(await world.ana.slash(world.zone, "gm npc list"))


async def test_a_deputy_may_do_nothing_else_of_the_gms(world: World) -> None:
    """Every command that a deputy may not give is refused, whatever its options, and changes
    nothing.
    """
    await world.table()
    await named(world)
    rng = random.Random(7)
    before, count = await world.state(), await world.revision()
    tried: set[str] = set()
    for command in list(commands(world)):
        name = command.qualified_name
        if DEPUTY_COMMANDS.get(name, True):
            continue
        tried.add(name)
        answer = await world.ben.slash(world.zone, name, **_options(world, command, rng))
        text = refusal_of(answer)
        if name == "gm takeover":
            continue
        assert "Only the GM can do that, not a deputy." in text, name
        assert world.gina.mention in text
    assert {"gm settings", "gm export", "gm members", "gm undo"} <= tried
    assert (await world.state(), await world.revision()) == (before, count)


async def test_every_command_for_gms_says_whether_a_deputy_may_give_it(world: World) -> None:
    await world.setup()
    for key in PLAYABLE:
        await world.bot.register_system_commands(world.guild.id, key)
    shared = {each.qualified_name: each for each in commands(world)}
    of_systems = {each for key in PLAYABLE for each in shared if each.startswith(_prefixes(key))}
    for_gms = {
        name
        for name, command in shared.items()
        if name.startswith("gm ") or command.description.startswith("GMs: ")
    } - of_systems
    assert for_gms <= DEPUTY_COMMANDS.keys()
    assert DEPUTY_COMMANDS.keys() <= shared.keys()


def _prefixes(key: str) -> tuple[str, ...]:
    return {"masterbook": ("mb ", "effect ")}.get(key, (f"{key} ",))


def test_every_shared_action_says_whether_a_deputy_does_it_as_a_gm() -> None:
    classes = {
        each
        for each in vars(actions).values()
        if isinstance(each, type)
        and issubclass(each, actions.Action)
        and each not in (actions.Action, actions.OnCharacter, actions.OnNpcs, actions.OnCheck)
    }
    assert classes == DEPUTY_RIGHTS.keys()


async def test_a_deputy_who_presses_a_gms_menu_is_refused(world: World) -> None:
    await world.table()
    panel = message_of(await world.gina.slash(world.zone, "gm members"))
    await named(world)
    count = await world.revision()
    gm = (await world.state()).settings.gms[0]
    control = select(panel, "Remove")
    forged = world.emit(world.ben, control, panel, values=(gm,))
    await world.env.settle()
    assert "Only the GM can do that, not a deputy." in refusal_of(forged)
    assert await world.revision() == count


async def test_a_deputy_asks_the_gm_for_a_correction(world: World) -> None:
    await world.table()
    await named(world)
    card = await world.answered()
    entry = await world.revision()
    dialog = await world.ben.context_menu(world.zone, "Amend", card)
    sent = await world.ben.submit_modal(dialog, {"text": "It was raining."})
    assert "Sent to the GM" in private(sent)
    for forged in (f"sg:request-entries:1:{entry}", f"sg:amend-open:1:{entry}"):
        pressed = world.emit(world.ben, forged)
        await world.env.settle()
        assert "Only the GM can do that, not a deputy." in refusal_of(pressed)
    moves = message_of(await world.ben.slash(world.zone, "moves"))
    assert "It was raining." in texts(moves) and "Leave as it is" not in labels(moves)


async def test_a_deputy_undoes_only_their_own_last_action(world: World) -> None:
    await world.table()
    await named(world)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    undone = private(await world.ben.slash(world.zone, "table undo"))
    assert "Ben imported a character" in undone
    assert "Sidor" in private(await world.gina.slash(world.zone, "gm npc list"))


async def test_a_term_ends_by_itself_and_by_hand(world: World) -> None:
    await world.table()
    await named(world, until="2 days")
    await world.restart()
    await world.env.advance_time(2 * DAY + MINUTE)
    assert "is no longer deputy" in texts(world.last())
    refusal_of(await world.ben.slash(world.zone, "gm npc list"))
    await named(world)
    private(await world.ben.slash(world.zone, "gm npc list"))
    await world.gina.slash(world.zone, "gm deputy", user=world.ben, back=True)
    assert "is no longer deputy" in texts(world.last())
    refusal_of(await world.ben.slash(world.zone, "gm npc list"))
    refused = await world.gina.slash(world.zone, "gm deputy", user=world.ben, back=True)
    assert "isn't a deputy here" in refusal_of(refused)
    await world.propose(skill="Climbing")
    assert pings(world.newest("Answer"), world.env) == [world.gina.id]


async def test_undo_takes_a_deputy_back(world: World) -> None:
    await world.table()
    await named(world)
    await world.gina.slash(world.zone, "gm undo")
    refusal_of(await world.ben.slash(world.zone, "gm npc list"))


async def test_a_former_deputy_learns_nothing_new(world: World) -> None:
    """What GMs were told in the term can be read again, and nothing of before or after."""
    await world.table()
    for name, step in (("Zqbefore", "before"), ("Zqduring", "during"), ("Zqafter", "after")):
        if step == "during":
            await named(world)
        if step == "after":
            await world.gina.slash(world.zone, "gm deputy", user=world.ben, back=True)
        await world.env.advance_time(MINUTE)
        await world.gina.slash(world.zone, "gm roll", note=name, **{"as": "Marek"})
        await world.env.advance_time(MINUTE)
    last = private(await world.ben.slash(world.zone, "table last"))
    assert "Zqbefore" not in last and "Zqafter" not in last
    assert "Zqduring" in last
    for command in ("moves", "table show", "table fair show", "character list"):
        text = private(await world.ben.slash(world.zone, command))
        assert "Zqafter" not in text and "Zqbefore" not in text
    other = private(await world.ana.slash(world.zone, "table last"))
    assert "Zq" not in other


async def test_the_gm_channel_may_be_open_to_a_deputy(world: World) -> None:
    await world.table(gm_channel=True)
    await named(world)
    world.let_read(world.gm_room, world.ben)
    await world.ana.slash(world.zone, "character retire", character="Marek")
    assert "Marek has no player" in texts(world.messages(world.gm_room)[-1])


async def test_who_cannot_be_deputy_is_refused(world: World) -> None:
    await world.table()
    text = refusal_of(await world.gina.slash(world.zone, "gm deputy", user=world.gina))
    assert "is already GM" in text
    robot = world.member("robot", bot=True)
    refusal_of(await world.gina.slash(world.zone, "gm deputy", user=robot))
    refusal_of(await world.gina.slash(world.zone, "gm deputy", until="3 days"))
    refusal_of(await world.gina.slash(world.zone, "gm deputy", user=world.ben, until="yesterday"))
    refusal_of(await world.ana.slash(world.zone, "gm deputy", user=world.ben))
