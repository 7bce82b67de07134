"""Everything that can be asked or suggested while hidden things wait tells nobody what they may not
know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import discord
from discord import app_commands

from tests.discord.barmore import bar_table, bring, rule, side
from tests.discord.world import World, controls, message_of, texts

#: The GM's Difficulty, as it is written and as it is typed.
LEVELS = ("−83", "-83")
HIDDEN, MASKED, ALIAS = "Zorvath", "Ymirsson", "the pale one"
#: What is typed is repeated in refusals, so that guesses are not quite the names.
GUESSES = ("Zorvat", "Ymirs")
SCORES = {
    "abilities": {"Firearms": 27},
    "attributes": {"Speed": 3},
    "weapons": [{"name": "Nightneedle", "modifier": 9}],
    "notes": "poisoner of wells",
}
NPCS = (
    HIDDEN,
    MASKED,
    "Firearms 27",
    "Firearms: 27",
    "Nightneedle",
    "poisoner of wells",
    "27 Add",
    "28 Add",
)
ANAS = ("Rapier 4", "d10-1 (", "Chosen: d10-1")
BENS = ("xbensidex", "Knives 2", "d4+2 (", "Chosen: d4+2")
CHANCE = "ad a chance"


def commands(world: World) -> Iterator[tuple[str, app_commands.Command[Any, ..., Any]]]:
    """Every command that can be seen on the server, by its whole name."""
    for guild in (None, discord.Object(world.guild.id)):
        for command in world.bot.tree.walk_commands(guild=guild):
            if isinstance(command, app_commands.Command):
                yield command.qualified_name, command


async def suggestions(world: World, who: Any) -> int:
    """Have every option of every command completed, from nothing and from what a guess
    begins with.
    """
    asked = 0
    for name, command in commands(world):
        for option in command.parameters:
            if option.autocomplete:
                for typed in ("", "z", "-8", "k3"):
                    await who.autocomplete(world.zone, name, option.display_name, typed)
                    asked += 1
    return asked


async def questions(world: World, who: Any) -> str:
    """Ask for everything there is to ask; returns what came as files."""
    state = await world.state()
    checks, names = list(state.checks), (*GUESSES, ALIAS, "Ilka", "k3", "k4")
    asked: list[tuple[str, dict[str, Any]]] = [
        *[
            (name, {})
            for name in ("moves", "table show", "table last", "table doctor", "table fair show")
        ],
        *[
            (name, {})
            for name in ("character list", "character export", "initiative show", "session show")
        ],
        *[(name, {}) for name in ("barmore task show", "barmore task roll", "help")],
        *[
            (name, {})
            for name in ("gm log", "gm npc list", "gm settings", "gm campaign", "gm undo")
        ],
        *[("gm export", {"what": what, "journal": True}) for what in ("full", "players")],
        ("privacy export", {}),
        *[("odds", {"check": check}) for check in checks],
        *[("spend", {"check": check}) for check in checks],
        *[("barmore team join", {"check": check, "skill": "Athletics"}) for check in checks],
        *[("character show", {"character": name}) for name in names],
        *[("character export", {"character": name}) for name in names],
        *[("odds", {"skill": "Firearms", "as": name}) for name in names],
        *[("odds", {"skill": "Firearms", "target": name}) for name in names[:3]],
        *[("barmore act", {"action": "aloud", "cost": "1", "as": name}) for name in names],
        *[("contest", {"target": name}) for name in GUESSES],
        *[("barmore task show", {"task": task}) for task in ("t1", "t2", "t3")],
        *[("table fair show", {"entry": entry}) for entry in range(1, await world.revision() + 1)],
    ]
    files: list[str] = []
    for command, options in asked:
        known = {
            option.display_name
            for name, each in commands(world)
            if name == command
            for option in each.parameters
        }
        result = await who.slash(
            world.zone, command, **{key: value for key, value in options.items() if key in known}
        )
        for message in [result.response, *result.followups]:
            if message is not None:
                assert "fault in Storyguide" not in texts(message), command
                files += [
                    (await each.read()).decode("utf-8", "replace") for each in message.attachments
                ]
    return "\n".join(files)


async def presses(world: World, who: Any) -> None:
    """Press everything that stands in the channel."""
    for message in world.messages()[-25:]:
        for control in [
            each for each in controls(message) if "label" in each and not each.get("disabled")
        ]:
            if control["label"] not in ("Roll", "Roll on"):
                world.emit(who, control["custom_id"], message)
                await world.env.settle()


async def busy(world: World) -> None:
    """A contest with both sides locked in, an either/or answered in secret, hidden work, and people
    nobody knows.
    """
    await bar_table(world, gm_channel=True)
    gina = world.gina
    await bring(world, gina, {"name": HIDDEN, **SCORES}, npc=True)
    await bring(world, gina, {"name": MASKED, **SCORES}, npc=True)
    await gina.slash(world.zone, "gm npc alias", npc=MASKED, alias=ALIAS)
    await gina.slash(world.zone, "gm npc reveal", npc=MASKED, stage="aliased")
    mine = {
        "target": "Ilka",
        "skill": "Rapier",
        "approach": "xanasidex",
        "with": "die: d10-1, convert: 2",
    }
    await world.ana.slash(world.zone, "contest", **mine)
    await rule(world, None)
    # What stands in for Blades the GM has yet to judge: no dice fall.
    panel = await side(world, world.ben, "Respond", "Blades", Die="d4+2")
    modal = await world.press(world.ben, panel, "Approach…")
    await world.ben.submit_modal(modal, {"approach": "xbensidex"})
    await world.press(world.ben, panel, "Respond")
    team = {"mode": "either or", "skill": "Athletics", "approach": "pull"}
    await world.ana.slash(world.zone, "barmore team start", **team)
    await world.ben.slash(world.zone, "barmore team join", check="c2", skill="Athletics")
    await rule(world, LEVELS[1], hidden=True, options=("chances: 1",))
    work = {"difficulty": LEVELS[1], "required": 40, "every": "1 hour", "hidden": True}
    await gina.slash(world.zone, "barmore task start", name="Mend the hull", who="Marek", **work)
    await gina.slash(world.zone, "barmore task start", name="Sink the ferry", who=HIDDEN, **work)
    attack = {
        "target": "Marek",
        "skill": "Firearms",
        "approach": "unseen",
        "visibility": "private",
        "as": HIDDEN,
    }
    await gina.slash(world.zone, "attack", **attack)
    await world.ana.slash(world.zone, "attack", target=ALIAS, skill="Rapier", approach="low")
    await rule(world, None)


async def test_nothing_hidden_is_told_whatever_is_asked(world: World) -> None:
    await busy(world)
    state = await world.state()
    assert len(state.checks) >= 4 and len(state.own) == 2
    cora = world.member("cora")
    for told, secrets in ((world.ana, BENS), (world.ben, ANAS), (cora, (*ANAS, *BENS))):
        heard = world.told(told)
        for secret in (*secrets, *LEVELS, *NPCS, CHANCE):
            assert secret not in heard, (told.name, secret)
    files: dict[Any, str] = {}
    for who in (world.ana, world.ben, cora):
        await presses(world, who)
        files[who] = await questions(world, who)
        assert await suggestions(world, who) > 150
    # Lists of dice to choose from name every die, so that of the sides only what is theirs alone is
    # looked for.
    for who, sides in (
        (world.ana, BENS[:2]),
        (world.ben, ANAS[:2]),
        (cora, (*ANAS[:2], *BENS[:2])),
    ):
        heard = world.told(who) + files[who]
        for secret in (*sides, *LEVELS, *NPCS, CHANCE, "Sink the ferry"):
            assert secret not in heard, f"{who.name}: {secret}: …{_around(heard, secret)}…"
    found = world.told(world.gina)
    for secret in ("xanasidex", "−83", HIDDEN, MASKED, "Sink the ferry"):
        assert secret in found, f"the search would find {secret}"


async def test_after_the_roll_the_number_and_the_names_stay_hidden(world: World) -> None:
    await busy(world)
    await world.gina.slash(world.zone, "gm settings", reveal="verdict")
    await world.ana.slash(world.zone, "barmore team roll", check="c2")
    panel = message_of(await world.press(world.ana, world.newest("Roll on"), "Roll on"))
    await world.press(world.ana, panel, "Roll d8")
    await world.ana.slash(world.zone, "moves")
    for who in (world.ana, world.ben):
        await presses(world, who)
        await questions(world, who)
        heard = world.told(who)
        for secret in (*LEVELS, *NPCS, "Sink the ferry"):
            assert secret not in heard, f"{who.name}: {secret}: …{_around(heard, secret)}…"
    assert CHANCE in world.told(world.ben), "what was drawn shows with the dice"


def _around(text: str, secret: str) -> str:
    at = text.index(secret)
    return text[max(0, at - 400) : at + 60]
