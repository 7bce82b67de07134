"""What a player at a table of MasterBook might read off sideways: hidden traits by refusals, waits
and buttons.
"""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.discord.masterbook.table import THUG, bring, open_table, sheet
from tests.discord.rounds import gather
from tests.discord.world import World, card, labels, message_of, private, refusal_of, texts

UNLUCKY: Final = {"compensations": ["Bad Luck (CIII)"]}


def _told(world: World, since: int) -> str:
    """What Ana was shown, without numbers of checks and entries."""
    text = re.sub(r"\n.*## First steps.*", "", world.told(world.ana)[since:])
    return re.sub(r"\b[ch]\d+|#\d+|(?<=sg:show:)\d+|\"id\": \d+|\d{15,}", "N", text)


async def _blind(world: World, *faces: int) -> tuple[str, str]:
    count = len(world.told(world.ana))
    await world.ana.slash(world.zone, "check", skill="Stealth", approach="so", visibility="blind")
    world.dice.lay(*faces)
    await world.rule(world.newest("Answer", world.gm_room), number="25", level=None)
    if world.dice.left:
        moves = message_of(await world.ana.slash(world.zone, "moves"))
        panel = message_of(await world.press(world.ana, moves, labels(moves)[-1]))
        await world.press(world.ana, panel, "Roll")
    assert world.dice.left == 0
    assert "bad luck" not in world.told(world.ana)[count:]
    moves = await world.ana.slash(world.zone, "moves")
    return _told(world, count), private(moves)


async def test_blind_dice_tell_nothing_of_bad_luck(world: World) -> None:
    await open_table(world, gm_channel=True, sheets={"Vesna": UNLUCKY})
    await _blind(world, 4, 2)  # the first steps are told with it
    one = await _blind(world, 3, 2)
    two = await _blind(world, 2, 1)
    assert one == two
    panel = world.newest("GM: bad luck", world.gm_room)
    panel = message_of(await world.press(world.gina, panel, "GM: bad luck"))
    count = len(world.told(world.ana))
    await world.press(world.gina, panel, "Vesna: a mishap you describe")
    assert not (await world.state()).checks["h3"].is_open
    assert _told(world, count) == ""


async def _hit(world: World, who: str) -> str:
    count = len(world.told(world.ana))
    await world.gina.slash(world.zone, "attack", **{"as": who, "target": "Vesna", "approach": "so"})
    panel = message_of(await world.press(world.ana, world.last(), "Defend"))
    world.dice.lay(1, 1)
    await world.press(world.ana, panel, "Pass")
    return _told(world, count).replace("Unluck", "Thug")


async def test_bad_luck_of_an_npc_is_no_news(world: World) -> None:
    await open_table(world, gm_channel=True)
    await bring(world, world.gina, "Unluck", {**THUG, **UNLUCKY}, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Unluck")
    one = await _hit(world, "Unluck")
    two = await _hit(world, "Thug")
    assert one == two
    told: list[set[str]] = []
    for name in ("c1", "c2"):
        forged = [world.emit(world.ana, f"sg:chq:1:{name}.{n}:bad-luck") for n in range(1, 6)]
        forged += [
            world.emit(world.ana, f"sg:cho:1:{name}.{n}:bad-luck:k4:mishap") for n in range(1, 6)
        ]
        forged += [world.emit(world.ana, f"sg:chk:1:{name}")]
        await world.env.settle()
        odds = [await world.ana.slash(world.zone, each, check=name) for each in ("odds", "spend")]
        told.append(
            {
                private(each).replace(name, "N").replace("Unluck", "Thug")
                for each in (*forged, *odds)
            }
        )
    assert told[0] == told[1]
    # Dice of an NPC don't count: there is nothing to rule.
    assert not (await world.state()).checks["c1"].is_open
    assert "bad luck" not in " ".join(texts(each) for each in world.messages())
    own = message_of(await world.ana.slash(world.zone, "privacy export"))
    all_ = message_of(await world.gina.slash(world.zone, "gm export", what="players", journal=True))
    for file in (*own.attachments, *all_.attachments):
        text = (await file.read()).decode()
        assert (
            text and "bad-luck" not in text and "mishap" not in text and "luckless" not in text
        ), file.filename


async def _asks(world: World, teacher: str) -> tuple[str, str]:
    count = len(world.told(world.ana))
    asked = await world.ana.slash(world.zone, "mb study", skill="Dodge", teacher=teacher)
    return _told(world, count).replace(teacher, "N"), re.sub(
        r"[c#]\d+", "N", texts(message_of(asked)).replace(teacher, "N")
    )


async def test_whether_an_npc_can_teach_is_the_gms_to_say(world: World) -> None:
    await open_table(world)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=10, to="Vesna")
    teaching = [{"name": "Dodge", "adds": 5}, {"name": "Teaching", "focus": "Dodge", "adds": 4}]
    for name, skills in (("Warmup", []), ("Sensei", teaching), ("Fraud", [])):
        await bring(world, world.gina, name, {"skills": skills}, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)
    found = [await _asks(world, each) for each in ("Warmup", "Sensei", "Fraud")]
    assert found[1] == found[2]
    moves = message_of(await world.gina.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.gina, moves, "Answer · c3"))
    assert "Fraud can't teach that" in texts(panel)
    await world.press(world.gina, panel, "No")
    assert not (await world.state()).checks["c3"].is_open
    assert "can't teach" not in world.told(world.ana)
    # The one answer that there is stands in the panel before it is given.
    await _asks(world, "Fraud")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "Fraud can't teach that" in texts(panel) and labels(panel) == ["No"]
    assert (await world.state()).checks["c4"].is_open
    await world.press(world.gina, panel, "No")
    assert not (await world.state()).checks["c4"].is_open


async def test_whether_anothers_character_can_teach_no_refusal_tells(world: World) -> None:
    """Nobody reads another player's sheet."""
    teaching = [{"name": "Dodge", "adds": 5}, {"name": "Teaching", "focus": "Dodge", "adds": 4}]
    await open_table(world)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=10, to="Vesna")
    for name, skills in (("Warmup", []), ("Sensei", teaching), ("Fraud", [])):
        await bring(world, world.ben, name, {"skills": skills})
    found = [await _asks(world, each) for each in ("Warmup", "Sensei", "Fraud")]
    assert found[1] == found[2]
    moves = message_of(await world.gina.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.gina, moves, "Answer · c3"))
    assert "Fraud can't teach that" in texts(panel)
    assert "can't teach" not in world.told(world.ana)
    await bring(world, world.ana, "Pupil", {})
    own = await world.ana.slash(
        world.zone, "mb study", skill="Dodge", teacher="Pupil", **{"as": "Vesna"}
    )
    assert "Pupil can't teach that" in refusal_of(own)


async def _heals(world: World, method: str, target: str) -> str:
    count = len(world.told(world.ana))
    world.dice.lay(9, 9)
    await world.ana.slash(world.zone, "heal", target=target, method=method)
    assert world.dice.left == 0, method
    await world.gina.slash(world.zone, "gm undo")
    return _told(world, count).replace(target, "N")


@pytest.mark.parametrize("method", ["wounds", "shock", "bleeding", "medicine"])
async def test_a_patient_of_the_gms_is_not_felt_over_by_refusals(world: World, method: str) -> None:
    """How exactly an NPC is hurt only GMs read; a refusal would be free, and nobody would see the
    try.
    """
    medic = {"skills": [{"name": "First Aid", "adds": 2}, {"name": "Medicine", "adds": 2}]}
    await open_table(world, gm_channel=True, sheets={"Vesna": medic})
    found: dict[str, str] = {}
    hurt = (
        "wounds 1",
        "wounds 2, shock 2",
        "wounds 2, bleeders 1",
        "wounds 1, aided 1",
        "wounds 1, waited 100000",
    )
    for number, harm in enumerate(("wounds 1", *hurt)):
        name = f"Body{number}"
        await bring(world, world.gina, name, {**THUG, "harm": harm}, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)
        found[harm] = await _heals(world, method, name)
    assert len({*found.values()}) == 1, found


async def test_what_a_push_takes_out_of_an_npc_only_gms_read(world: World) -> None:
    await open_table(world, gm_channel=True)
    count = len(world.told(world.ana))
    world.dice.lay(9, 9)
    await world.gina.slash(world.zone, "mb move", how="running", push=True, **{"as": "Thug"})
    assert (await sheet(world, "Thug")).harm.shock
    told = world.told(world.ana)[count:]
    assert "Runs" in told and "shock" not in told, told
    looked = world.emit(world.gina, "sg:chk:1:c1")
    await world.env.settle()
    assert " shock" in private(looked)


async def test_how_npcs_recover_among_themselves_is_the_gms(world: World) -> None:
    """That there is somebody off stage, too."""
    await open_table(world, gm_channel=True)
    body = {
        **THUG,
        "harm": "wounds 2, waited 10000000",
        "skills": [{"name": "First Aid", "adds": 2}],
    }
    for name in ("Zorvath", "Ymir"):
        await bring(world, world.gina, name, body, npc=True)
    count = len(world.told(world.ana))
    await world.gina.slash(world.zone, "heal", method="healing", target="Zorvath")
    await world.gina.slash(world.zone, "heal", method="wounds", target="Zorvath", **{"as": "Ymir"})
    assert [each.kind for each in (await world.state()).checks.values()] == ["rest", "treat"]
    assert _told(world, count).strip() == ""


async def test_whether_somebody_unconscious_is_dying_is_not_felt_over(world: World) -> None:
    """All of them lie there alike; what stands there is that they are unconscious."""
    await open_table(world, gm_channel=True)
    found: dict[str, str] = {}
    for number, harm in enumerate(
        ("wounds 2, fainted", "wounds 5", "wounds 5, stable", "wounds 5, aided")
    ):
        name = f"Body{number}"
        await bring(world, world.gina, name, {**THUG, "harm": harm}, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)
        found[harm] = await _heals(world, "steady", name)
    assert len({*found.values()}) == 1, found


async def test_who_is_not_held_keeps_their_alias(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Zorvath", THUG, npc=True)
    await world.gina.slash(world.zone, "gm npc alias", npc="Zorvath", alias="the pale one")
    await world.gina.slash(world.zone, "gm npc reveal", npc="Zorvath", stage="aliased")
    hold = {"target": "the pale one", "approach": "so", "with": "hold"}
    assert "The pale one isn't held" in refusal_of(
        await world.ana.slash(world.zone, "attack", **hold)
    )
    assert "Zorvath" not in world.told(world.ana)


async def test_an_enlisted_npc_is_not_felt_over_by_refusals(world: World) -> None:
    """Whether they can at all is for the GM, who answers it."""
    await open_table(world, gm_channel=True)
    colt = {"name": "Colt .45 revolver", "magazine": 6, "drawn": True}
    found: list[str] = []
    for name, rounds, skills in (
        ("Pal0", 6, [{"name": "Fire Combat", "adds": 1}]),
        ("Pal1", 6, [{"name": "Fire Combat", "adds": 1}]),
        ("Pal2", 0, [{"name": "Fire Combat", "adds": 1}]),
        ("Pal3", 6, []),
    ):
        arms = [{**colt, "rounds": rounds}]
        await bring(world, world.gina, name, {**THUG, "arms": arms, "skills": skills}, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)
        count = len(world.told(world.ana))
        shot = {"weapon": "Colt", "with": f"range: 12, together: {name}", "approach": "so"}
        await world.ana.slash(world.zone, "attack", target="Thug", **shot)
        found.append(_told(world, count).replace(name, "Pal"))
    assert len({*found[1:]}) == 1
    moves = message_of(await world.gina.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.gina, moves, "Answer · c3"))
    assert "0 left" in texts(panel), texts(panel)
    # Nor does a player who joins hear of it.
    shot["with"] = "range: 12, together: Pal2, together: Boris"
    await world.ana.slash(world.zone, "attack", target="Thug", **shot)
    moves = message_of(await world.gina.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.gina, moves, "Answer · c5"))
    assert "0 left" in texts(panel), texts(panel)
    assert "0 left" not in world.told(world.ana) + world.told(world.ben)


async def test_whose_side_an_unknown_npc_is_on_only_the_gms_read(world: World) -> None:
    await open_table(world, gm_channel=True, rules={"cards_mode": "initiative_only"})
    await bring(world, world.gina, "Zorvath", THUG, npc=True)
    await gather(world, "Zorvath")
    side = {"target": "Zorvath", "side": "players"}
    await world.gina.slash(world.zone, "mb card side", **side)
    assert "Zorvath acts with the players" in texts(world.last(world.gm_room))
    assert "Zorvath" not in world.told(world.ana)


@pytest.mark.rule("MB-SKILL-IMP-04")
async def test_what_an_npc_has_learned_only_the_gms_read(world: World) -> None:
    skilled = {"skills": [{"name": "Dodge", "adds": 6}], "skill_points": 9}
    await open_table(world, gm_channel=True, sheets={"Thug": skilled})
    await world.gina.slash(world.zone, "mb study", skill="Dodge", **{"as": "Thug"})
    assert (await sheet(world, "Thug")).skills[0].adds == 7
    assert card(world).startswith("## ✓ Success\nThug takes a lesson\nA lesson in Dodge.")
    assert "→ 7" not in world.told(world.ana)


# --- against a hidden difficulty ------------------------------------------------------------------

_SWIMMER: Final = {"skills": [{"name": each, "adds": 1} for each in ("Running", "Swimming")]}


async def _against(world: World, number: str, *faces: int, **move: object) -> str:
    """Vesna moves against this number of the GM's; what Ana is told of it."""
    count = len(world.told(world.ana))
    pushed = {} if move["how"] == "swimming" else {"push": True}
    await world.ana.slash(world.zone, "mb move", **move, **pushed)
    world.dice.lay(*faces)
    await world.rule(world.newest("Answer"), number=number, level=None)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert world.dice.left == 0
    return world.told(world.ana)[count:]


@pytest.mark.rule("MB-SKL-02", "MB-PSH-01")
@pytest.mark.parametrize("how", ["running", "jumping"])
async def test_how_far_somebody_gets_against_a_hidden_number_the_gm_says(
    world: World, how: str
) -> None:
    await open_table(world, live=False)
    told = await _against(world, "9", 9, 9, how=how)
    assert (
        "a hidden difficulty" in told
        and " shock" not in told
        and " m." not in told
        and " m," not in told
    )
    assert (
        f"**{'Runs' if how == 'running' else 'Jumps'}.**" in told
        or "Runs." in told
        or "Jumps." in told
    )
    looked = world.emit(world.gina, "sg:chk:1:c1")
    await world.env.settle()
    assert " shock" in private(looked) and " m" in private(looked)


@pytest.mark.rule("MB-SKILL-SWIMMING")
async def test_whoever_goes_under_against_a_hidden_number_comes_up_against_one(
    world: World,
) -> None:
    """Neither their file nor the next try tells what it was."""
    await open_table(world, live=False, sheets={"Vesna": _SWIMMER})
    told = await _against(world, "23", 1, 1, how="swimming")
    assert "is drowning" in told and "against 23" not in told, told
    export = await world.ana.slash(world.zone, "character export")
    file = (await message_of(export).attachments[0].read()).decode()
    assert "drowning" in file and "23" not in file, file
    count = len(world.told(world.ana))
    await world.ana.slash(world.zone, "mb move", how="swimming", difficulty="2")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Call for a roll")
    result = (await world.state()).checks["c2"]
    assert (result.data.number, result.hidden) == (25, True)
    world.dice.lay(1, 1)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert "is drowning" in world.told(world.ana)[count:] and "against 25" not in world.told(
        world.ana
    )
    await world.ana.slash(world.zone, "mb move", how="swimming")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Call for a roll")
    assert (await world.state()).checks["c3"].data.number == 27
    world.dice.lay(10, 10, 9, 9)
    await world.press(world.ana, world.newest("Roll"), "Roll")


async def test_how_long_an_npc_lives_yet_only_gms_read(world: World) -> None:
    """The rounds that are left tell how much it can bear."""
    told: list[str] = []
    await open_table(world, gm_channel=True)
    for name, endurance in (("Body0", 8), ("Body1", 9), ("Body2", 14)):
        body = {**THUG, "endurance": endurance, "toughness": 22, "harm": "wounds 4"}
        await bring(world, world.gina, name, body, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)
        count = len(world.told(world.ana))
        world.dice.lay(9, 9)
        await world.ana.slash(world.zone, "attack", target=name, weapon="Knife", approach="so")
        assert world.dice.left == 0
        told.append(_told(world, count).replace(name, "N"))
    assert "dying" in told[1] and told[1] == told[2], told[1:]
