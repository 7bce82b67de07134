"""`/gm npc`: NPCs, in groups too, and what the players get to know of them."""

from __future__ import annotations

import json
from typing import Any

from simcord.actors import MemberActor

from tests.discord.world import (
    World,
    card,
    labels,
    menus,
    message_of,
    portrait,
    private,
    public,
    refusal_of,
    texts,
)
from tests.sample_table import ebb_character

GRAY = "the figure in gray"


async def npc(world: World, command: str, who: MemberActor | None = None, **options: Any) -> Any:
    """`/gm npc …`, by Gina unless told otherwise."""
    return await (who or world.gina).slash(world.zone, f"gm npc {command}", **options)


async def names(
    world: World, who: MemberActor, command: str, option: str, typed: str = ""
) -> list[str]:
    return [choice["name"] for choice in await who.autocomplete(world.zone, command, option, typed)]


def sheet(name: str | None, **changes: Any) -> tuple[str, bytes]:
    """A file with a sheet."""
    data = ebb_character(name or "", **changes)
    if name is None:
        del data["name"]
    return "sheet.json", json.dumps(data).encode()


HURT: dict[str, Any] = {
    "injuries": [{"text": "a broken arm", "part": "left arm", "severity": "light"}],
    "sacrificed": {"Zone": 1},
}


# --- the commands ---------------------------------------------------------------------------------


async def test_somebody_comes_in_off_stage(world: World) -> None:
    await world.table()
    count = len(world.messages())
    answer = private(await npc(world, "add", name="Iwo", notes="sells *everything*"))
    assert "Iwo: added" in answer
    assert "Players don't know about them." in answer
    assert len(world.messages()) == count
    listed = private(await npc(world, "list"))
    assert "**Iwo**: off stage; unhurt" in listed and r"-# sells \*everything\*" in listed
    assert "Iwo" in private(await world.gina.slash(world.zone, "character list"))
    for who in (world.ana, world.ben):
        assert "Iwo" not in private(await who.slash(world.zone, "character list"))
        assert "Iwo" not in world.told(who)


async def test_a_numbered_group_with_a_sheet(world: World) -> None:
    await world.table(gm_channel=True)
    answer = await npc(
        world,
        "add",
        count=3,
        alias="a shape",
        sheet=sheet("Bandit", **HURT),
        portrait="https://example.org/b.png",
    )
    assert "The rest is in" in private(answer)
    text = texts(world.last(world.gm_room))
    assert "They are Bandit 1, Bandit 2 and Bandit 3." in text
    assert "Players know them as a shape." in text
    assert "Added: a shape 1, a shape 2 and a shape 3" in texts(world.last())
    assert "Bandit: added" in texts(world.last(world.gm_room))
    private(await npc(world, "add", name="bandit"))
    listed = private(await npc(world, "list"))
    assert "**Bandit:** a group of 4" in listed
    assert (
        "**Bandit 2 (players know: a shape 2)**: players know the alias; hurt · a broken arm (left "
        "arm, light, untreated)" in listed
    )
    assert "· Zone 1 of 2" in listed
    assert "**Bandit 4**: off stage; unhurt" in listed
    mine = private(await world.ana.slash(world.zone, "character list"))
    assert "- a shape 2 (NPC): hurt\n" in mine
    assert "broken" not in mine
    for who in (world.ana, world.ben):
        assert "Bandit" not in world.told(who)


async def test_a_name_is_revealed(world: World) -> None:
    await world.table()
    await npc(world, "add", name="Iwo the quartermaster", alias=GRAY)
    assert "Added: the figure in gray" in texts(world.last())
    private(await npc(world, "reveal", npc="Iwo"))
    assert "The figure in gray is Iwo the quartermaster" in texts(world.last())
    count = len(world.messages())
    hidden = private(await npc(world, "reveal", npc="Iwo", stage="off"))
    assert "Players don't know about them." in hidden
    assert len(world.messages()) == count, "only the GMs hear of it"
    assert "Iwo" not in private(await world.ana.slash(world.zone, "character list"))
    private(await npc(world, "reveal", npc="Iwo", stage="aliased"))
    assert "Added: the figure in gray" in texts(world.last())
    private(await npc(world, "alias", npc="Iwo", alias="the man with the scar"))
    assert "The figure in gray is now called the man with the scar" in texts(world.last())
    assert "Players need something to call them" in refusal_of(
        await npc(world, "alias", npc="Iwo", alias="none")
    )
    assert "is like that already" in refusal_of(
        await npc(world, "reveal", npc="Iwo", stage="aliased")
    )


async def test_somebody_is_edited(world: World) -> None:
    await world.table()
    await npc(world, "add", name="Iwo", notes="old")
    changed = private(
        await npc(
            world,
            "edit",
            npc="Iwo",
            name="Ivo",
            notes="new",
            portrait="https://example.org/ivo.png",
            sheet=sheet(None, **HURT),
        )
    )
    for line in (
        "Ivo: changed",
        "Before: Iwo.",
        "Notes: new",
        "New portrait.",
        "New sheet.",
    ):
        assert line in changed
    shown = message_of(await world.gina.slash(world.zone, "character show", character="Ivo"))
    assert portrait(shown) == "https://example.org/ivo.png"
    told = await world.pages(world.gina, shown)
    for line in ("### Notes\nnew", "**Health:** Hurt.\nA broken arm", "Climbing d8"):
        assert line in told
    cleared = private(await npc(world, "edit", npc="Ivo", notes="none", portrait="None"))
    assert "Notes removed." in cleared
    assert "Portrait removed." in cleared
    bad = await npc(world, "edit", npc="Ivo", portrait="not an address")
    assert "`portrait`" in refusal_of(bad)
    bad = await npc(world, "edit", npc="Ivo", sheet=("x.json", b"{"))
    assert "isn't valid JSON" in refusal_of(bad)
    assert "things in this sheet" in refusal_of(
        await npc(world, "add", name="Rat", sheet=("x.json", b"{}"))
    )
    for who in (world.ana, world.ben):
        assert "Ivo" not in world.told(who)


async def test_what_cannot_be_done_says_what_to_do(world: World) -> None:
    await world.table()
    await npc(world, "add", name="Iwo")
    assert "Did you mean “Iwo”?" in refusal_of(await npc(world, "edit", npc="Ivo", notes="x"))
    assert "a character or a group called Marek" in refusal_of(
        await npc(world, "add", name="Marek")
    )
    assert "a character or a group called Iwo" in refusal_of(
        await npc(world, "edit", npc="Iwo", name="Ilka")
    ).replace("Ilka", "Iwo")
    assert "`name` is empty" in refusal_of(await npc(world, "add"))
    await world.propose(world.gina, attribute="Fitness", **{"as": "Iwo"})
    busy = refusal_of(await npc(world, "remove", npc="Iwo"))
    assert "Iwo can't go while checks are open: c1." in busy


async def test_somebody_goes_and_comes_back(world: World) -> None:
    await world.table(step_in_minutes=0)
    await npc(world, "add", name="Iwo", stage="revealed")
    world.dice.lay(4)
    await world.propose(world.gina, attribute="Fitness", difficulty="Easy", **{"as": "Iwo"})
    assert "d10 (4)" in card(world)
    before = await world.state()
    gone = private(await npc(world, "remove", npc="Iwo"))
    assert "Iwo has left this table." in gone
    assert "1 finished check was removed with them." in gone
    assert list((await world.state()).checks) == []
    react = world.emit(world.ana, "sg:chk:1:c1")
    await world.env.settle()
    assert "is gone" in refusal_of(react)
    await world.restart()
    assert "Iwo" not in private(await world.ana.slash(world.zone, "character list"))
    private(await world.gina.slash(world.zone, "gm undo"))
    state = await world.state()
    assert state.characters == before.characters
    assert state.checks["c1"].data == before.checks["c1"].data
    assert not state.checks["c1"].is_open
    await world.restart()
    assert (await world.state()).characters == before.characters
    react = world.emit(world.ana, "sg:chk:1:c1")
    await world.env.settle()
    assert "d10 (4)" in private(react)
    assert "d10 (4)" in card(world)


async def test_everything_can_be_taken_back(world: World) -> None:
    await world.table()
    states = [await world.state()]
    steps: tuple[tuple[str, dict[str, Any]], ...] = (
        ("add", {"name": "Bandit", "count": 3}),
        ("alias", {"npc": "Bandit", "alias": "a shape"}),
        ("reveal", {"npc": "Bandit", "stage": "aliased"}),
        ("edit", {"npc": "Bandit 2", "name": "Scarface"}),
        ("reveal", {"npc": "Scarface"}),
        ("remove", {"npc": "Bandit"}),
    )
    for command, options in steps:
        private(await npc(world, command, **options))
        states.append(await world.state())
    for before in reversed(states[:-1]):
        private(await world.gina.slash(world.zone, "gm undo"))
        assert (await world.state()).characters == before.characters


async def test_npcs_with_checks_are_not_taken_back_from_under_them(world: World) -> None:
    await world.table()
    await npc(world, "add", name="Iwo")
    await world.propose(world.gina, attribute="Fitness", **{"as": "Iwo"})
    entry = await world.revision()
    asked = await world.gina.slash(world.zone, "gm undo", entry=entry - 1)
    assert "Other entries first" in private(asked)
    private(await world.gina.slash(world.zone, "gm undo", entry=entry - 1, dependents=True))
    assert list((await world.state()).checks) == []


async def test_a_round_does_not_come_back_without_those_who_stood_in_it(world: World) -> None:
    await world.table()
    await npc(world, "add", name="Iwo")
    private(await world.gina.slash(world.zone, "initiative start"))
    private(await world.gina.slash(world.zone, "initiative add", name="Iwo"))
    ended = await world.revision() + 1
    private(await world.gina.slash(world.zone, "initiative end"))
    private(await npc(world, "remove", npc="Iwo"))
    asked = await world.gina.slash(world.zone, "gm undo", entry=ended)
    assert "Other entries first" in private(asked)
    private(await world.gina.slash(world.zone, "gm undo", entry=ended, dependents=True))
    state = await world.state()
    (encounter,) = state.encounters.values()
    assert {slot.character for slot in encounter.order} <= state.characters.keys()
    assert "Iwo" in {each.name for each in state.characters.values()}


# --- who may, and what is suggested to whom -------------------------------------------------------


async def test_only_gms_may_and_only_they_are_offered_anybody(world: World) -> None:
    await world.table()
    await npc(world, "add", name="Bandit", count=2, alias="a shape")
    await npc(world, "add", name="Iwo")
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("add", {"name": "Iwo"}),
        ("edit", {"npc": "Iwo", "notes": "x"}),
        ("remove", {"npc": "Iwo"}),
        ("reveal", {"npc": "Iwo"}),
        ("alias", {"npc": "Iwo", "alias": "x"}),
        ("list", {}),
    )
    for command, options in calls:
        assert "Only the GM can do that." in refusal_of(
            await npc(world, command, world.ana, **options)
        )
    for command in ("edit", "remove", "reveal", "alias"):
        assert await names(world, world.gina, f"gm npc {command}", "npc") == [
            "Bandit (all 2)",
            "Bandit 1 (players know: a shape 1)",
            "Bandit 2 (players know: a shape 2)",
            "Iwo",
        ]
        assert await names(world, world.gina, f"gm npc {command}", "npc", "iw") == ["Iwo"]
        assert await names(world, world.ana, f"gm npc {command}", "npc") == []
    for option in ("Bandit", "k3"):
        private(await npc(world, "edit", npc=option, notes=option))
    assert await names(world, world.gina, "check", "as", "ban") == [
        "Bandit 1 (players know: a shape 1)",
        "Bandit 2 (players know: a shape 2)",
    ]


async def test_players_look_at_somebody_they_know(world: World) -> None:
    await world.table()
    address = "https://example.org/iwo.png"
    await npc(
        world,
        "add",
        name="Iwo",
        alias=GRAY,
        portrait=address,
        notes="a traitor",
        sheet=sheet(None, **HURT),
    )
    assert await names(world, world.ana, "character show", "character") == ["Marek", GRAY]
    shown = message_of(await world.ana.slash(world.zone, "character show", character="the figure"))
    assert texts(shown) == f"## {GRAY}\nHurt.\n-# An NPC."
    assert portrait(shown) is None
    await npc(world, "reveal", npc="Iwo")
    shown = message_of(await world.ana.slash(world.zone, "character show", character="Iwo"))
    assert texts(shown) == "## Iwo\nHurt.\n-# An NPC."
    assert portrait(shown) == address
    full = await world.pages(
        world.gina,
        message_of(await world.gina.slash(world.zone, "character show", character="Iwo")),
    )
    assert "a traitor" in full
    assert "broken arm" in full
    assert "a traitor" not in world.told(world.ana)


# --- secrets --------------------------------------------------------------------------------------

HIDDEN, VEILED = "Quintessa Hollowmere", "Obadiah Thistlecroft"
CANARIES = ("Quintessa", "Hollowmere", "Obadiah", "Thistlecroft", "a cult of moths")


async def test_naming_somebody_hidden_is_never_answered_in_public(world: World) -> None:
    """The options of a command that is answered in public can be read by everybody."""
    await world.table()
    await npc(world, "add", name=HIDDEN)
    await npc(world, "add", name=VEILED, alias=GRAY)
    for name, shown in ((HIDDEN, "Somebody"), (VEILED, GRAY)):
        world.dice.lay(7)
        answer = await world.propose(
            world.gina, attribute="Fitness", difficulty="Easy", **{"as": name}
        )
        assert name in private(answer), "the GM sees who it is"
        assert f"\n{shown}: no skill (d10 only) and Fitness" in texts(world.last())
        assert "\nd10 (7)" in texts(world.last())
        assert name not in texts(world.last())
    world.dice.lay(7)
    by_id = await world.propose(world.gina, attribute="Fitness", difficulty="Easy", **{"as": "k3"})
    assert "\nSomebody: no skill (d10 only) and Fitness" in public(by_id)
    assert "Marek" in public(await world.propose(world.ana, **{"as": "Marek"}))


def _options(world: World) -> list[tuple[str, str]]:
    """Every option that completes, with the command it belongs to."""
    request = next(request for request in world.env.http_requests if request.method == "PUT")
    found: list[tuple[str, str]] = []

    def walk(name: str, node: dict[str, Any]) -> None:
        for option in node.get("options") or ():
            if option["type"] in (1, 2):
                walk(f"{name} {option['name']}", option)
            elif option.get("autocomplete"):
                found.append((name, option["name"]))

    for command in request.json:  # pyright: ignore[reportOptionalIterable]
        walk(command["name"], command)
    return found


async def _poke(world: World) -> None:
    """Everything players can list, complete, press and get wrong."""
    state = await world.state()
    pressed = world.last()
    for who in (world.ana, world.ben):
        for command in (
            "moves",
            "table show",
            "table last",
            "character list",
            "character show",
            "help",
        ):
            await who.slash(world.zone, command)
        for command, option in _options(world):
            for typed in ("", "k", "q"):
                await who.autocomplete(world.zone, command, option, typed)
        for typed in ("k3", "k4", "Q", "Quint", "O", "gray", "none such"):
            for command in ("character show", "character use"):
                await who.slash(world.zone, command, character=typed)
            await world.propose(who, **{"as": typed})
            for command in ("odds", "spend", "initiative join", "initiative delay"):
                await who.slash(world.zone, command, **{"as": typed})
            await who.slash(world.zone, "initiative remove", name=typed)
            if typed != "k4":
                await who.slash(world.zone, "attack", target=typed, approach="x")
            await who.slash(world.zone, "gm npc reveal", npc=typed)
        for check in state.checks.values():
            world.emit(who, f"sg:chk:1:{check.id}", pressed)
            for asked in check.asked:
                at = f"{check.id}.{asked.number}:{asked.prompt.key}"
                world.emit(who, f"sg:chq:1:{at}", pressed)
                for whose in ("-", "k1", "k2", "k3", "k4"):
                    for option in (
                        "roll",
                        "revise",
                        "withdraw",
                        "stand",
                        "reroll",
                        "face",
                        "hit",
                        "pass",
                    ):
                        world.emit(who, f"sg:cho:1:{at}:{whose}:{option}", pressed)
        await world.env.settle()


async def _press_own(world: World, check: str, prompt: str) -> None:
    """Gina rules, or rolls for somebody of hers."""
    asked = (await world.state()).checks[check].prompt(prompt)
    assert asked is not None
    pressed = world.emit(world.gina, f"sg:chq:1:{check}.{asked.number}:{prompt}")
    await world.env.settle()
    if prompt == "rule":
        panel = message_of(pressed)
        await world.choose(world.gina, panel, "Difficulty", "Tricky")
        private(await world.press(world.gina, panel, "Call for a roll"))


async def test_hidden_names_never_reach_the_players(world: World) -> None:
    await world.table(gm_channel=True)
    private(
        await npc(
            world, "add", name=HIDDEN, notes="a cult of moths", alias="someone else", stage="off"
        )
    )
    private(
        await npc(
            world,
            "add",
            name=VEILED,
            alias=GRAY,
            notes="a cult of moths",
            sheet=sheet(None, **HURT),
        )
    )
    await world.gina.slash(world.zone, "initiative start")
    for name in (HIDDEN, VEILED):
        private(await world.gina.slash(world.zone, "initiative add", name=name))
        await world.gina.slash(world.zone, "initiative next")
        await world.propose(world.gina, attribute="Fitness", **{"as": name})
        await _poke(world)
        state = await world.state()
        check = next(
            each for each in state.checks.values() if state.characters[each.actor].name == name
        )
        await _press_own(world, check.id, "rule")
        await _poke(world)
        world.dice.lay(6)
        await _press_own(world, check.id, "ready")
        assert (await world.state()).checks[check.id].data.is_rolled
        await _poke(world)
    await world.restart()
    await world.ana.slash(
        world.zone, "attack", target=GRAY, attribute="Fitness", approach="from behind"
    )
    strike = {"target": "Marek", "attribute": "Fitness", "approach": "suddenly", "as": VEILED}
    private(await world.gina.slash(world.zone, "attack", **strike))
    await _poke(world)
    private(await npc(world, "list"))
    private(await npc(world, "edit", npc=HIDDEN, portrait="https://example.org/q.png"))
    private(await npc(world, "reveal", npc=VEILED, stage="off"))
    await _poke(world)
    private(await world.gina.slash(world.zone, "gm undo"))
    for check in (await world.state()).checks.values():
        if asked := check.prompt("stand"):
            world.emit(world.gina, f"sg:cho:1:{check.id}.{asked.number}:stand:-:stand")
    await world.env.settle()
    await _poke(world)
    private(await npc(world, "remove", npc=HIDDEN))
    await _poke(world)
    gina = world.told(world.gina)
    for canary in CANARIES:
        assert canary in gina, "the hunt would find it"
        for who in (world.ana, world.ben):
            told = world.told(who)
            assert canary not in told, told[
                max(0, told.find(canary) - 300) : told.find(canary) + 60
            ]
    assert GRAY in world.told(world.ana)
    assert "Somebody" in world.told(world.ana)
    assert "someone else" not in world.told(world.ana)


async def test_a_player_may_take_a_hidden_name(world: World) -> None:
    await world.table()
    await npc(world, "add", name=HIDDEN)
    answer = private(await world.bring(world.ben, HIDDEN))
    assert "GM" not in answer
    assert "a character or a group called Quintessa Hollowmere" in refusal_of(
        await npc(world, "reveal", npc="k3")
    )
    private(await npc(world, "edit", npc="k3", name="Quintessa the elder"))
    private(await npc(world, "reveal", npc="k3"))


async def test_a_long_list_of_npcs_can_be_had_as_plain_text(world: World) -> None:
    await world.table()
    await npc(world, "add", name="Ghoul", count=7)
    await world.gina.slash(world.zone, "initiative start")
    await world.gina.slash(world.zone, "initiative add", name="Ghoul")
    await world.gina.slash(world.zone, "initiative next")
    await world.gina.slash(world.zone, "table plain", on=True)
    listed = await world.press(world.gina, world.newest("NPCs"), "NPCs")
    shown = [message_of(listed), *listed.followups]
    found = [label for message in shown for label in labels(message)]
    assert {"Attack · Ghoul 1", "More", "Delay", "End turn"} <= {*found}
    assert any(menus(message, "Reveal…") for message in shown)
    assert "Ghoul 1" in texts(shown[0])
    await world.press(world.gina, shown[-1], "End turn")
