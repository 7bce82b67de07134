"""Care through Discord: first aid, medicine, healing rolls, dying and being saved, falls; rounds,
time and undo.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.masterbook.table import FIGHTER, bring, newest, open_table, sheet
from tests.discord.world import World, menu, message_of, private, refusal_of, texts

MEDIC: dict[str, Any] = {"mind": 10, "skills": [{"name": "Medicine", "adds": 3}]}


async def _hurt(world: World, **harm: Any) -> None:
    """Vesna as hurt as that."""
    text = ", ".join(f"{key} {number}" for key, number in harm.items())
    await bring(world, world.gina, "Vesna", FIGHTER | {"harm": text}, replace=True)


async def _heals(world: World, who: Any, dice: tuple[int, ...], method: str, **options: Any) -> str:
    world.dice.lay(*dice)
    await who.slash(world.zone, "heal", method=method, **options)
    return await newest(world)


async def _passes(world: World, span: str) -> str:
    before = {each.id for each in world.messages()}
    await world.gina.slash(world.zone, "gm time", advance=span)
    # Besides what has passed there may be calls to what is due.
    return "\n".join(texts(each) for each in world.messages() if each.id not in before)


async def _harm(world: World) -> Any:
    return (await sheet(world, "Vesna")).harm


@pytest.mark.rule("MB-HEAL-02", "MB-HEAL-07", "MB-SKILL-FIRST-AID", "MB-DMG-08")
async def test_first_aid_once_for_each_helper(world: World) -> None:
    await open_table(world)
    assert "Who do you treat?" in refusal_of(
        await world.ben.slash(world.zone, "heal", method="wounds")
    )
    await _hurt(world, wounds=2, shock=3, k=600)
    text = await _heals(world, world.ben, (1, 2), "wounds", target="Vesna")
    assert text.startswith("## ✗ Failure: Vesna is still hurt (2 against 11)"), text
    again = {"method": "wounds", "target": "Vesna"}
    assert "tried these wounds already" in refusal_of(
        await world.ben.slash(world.zone, "heal", **again)
    )
    called = await world.ben.slash(world.zone, "heal", method="First aid: wounds", target="Vesna")
    assert "tried these wounds already" in refusal_of(called), "as the suggestions call it"
    bare = await world.ben.slash(world.zone, "heal", method="first aid", target="Vesna")
    assert "tried these wounds already" in refusal_of(bare), "without more, it is for wounds"
    vague = refusal_of(await world.ben.slash(world.zone, "heal", method="aid"))
    assert "“First aid: wounds” or “First aid: shock, K and O”" in vague, vague
    text = await _heals(world, world.gina, (9, 9), "wounds", target="Vesna", **{"as": "Thug"})
    assert "Vesna is patched up (penalties as for 1 wound) and is clear of shock." in text, text
    harm = await _harm(world)
    assert (harm.wounds, harm.aided, harm.shock, harm.k) == (2, True, 0, 0)
    await world.gina.slash(world.zone, "gm undo")
    assert (await _harm(world)).aided is False


@pytest.mark.rule("MB-VAL-05", "MB-DMG-02")
async def test_who_runs_into_something_is_hurt_by_the_speed(world: World) -> None:
    await open_table(world, sheets={"Vesna": {"armour": [{"name": "Flak jacket", "add": 8}]}})
    both = await world.ana.slash(world.zone, "mb fall", meters=400, collides=True, acrobatics=True)
    assert "Acrobatics can't soften a collision" in refusal_of(both)
    # 400 m a round are 13; no bonus is too low here, and all of the armor counts.
    world.dice.lay(1, 1)
    await world.ana.slash(world.zone, "mb fall", meters=400, collides=True)
    text = await newest(world)
    assert text.startswith("## Vesna hits something at 400 m a round and takes no damage\n"), text
    assert "Impact:** 3 against Toughness 18" in text and not (await _harm(world)).shock, text
    world.dice.lay(10, 10)
    await world.ana.slash(world.zone, "mb fall", meters=400, collides=True)
    text = await newest(world)
    assert "22 against Toughness 18: 4 damage points" in text and (await _harm(world)).shock == 3, (
        text
    )
    await world.gina.slash(world.zone, "gm undo")
    assert not (await _harm(world)).shock


@pytest.mark.rule("MB-HEAL-01", "MB-HEAL-06", "MB-SKILL-MEDICINE")
async def test_medicine_over_a_week(world: World) -> None:
    await open_table(world)
    await bring(world, world.ben, "Ute", MEDIC)
    await _hurt(world, wounds=3)
    assert "3 days" in refusal_of(await world.ana.slash(world.zone, "heal", method="healing"))
    told = await _passes(world, "3 days")
    assert "Vesna can make a healing roll (difficulty 14)" in told, told
    await world.restart()
    text = await _heals(world, world.ben, (9, 8), "medicine", target="Vesna", **{"as": "Ute"})
    assert "at the next healing roll" in text, text
    so = {"method": "medicine", "target": "Vesna", "as": "Ute"}
    assert "already treated Vesna" in refusal_of(await world.ben.slash(world.zone, "heal", **so))
    text = await _heals(world, world.ana, (9, 5), "healing")
    assert text.startswith("## ✓ Success") and "a medic's help (+3)" in text, text
    assert "Vesna heals to 2 wounds." in text
    assert (await _harm(world)).wounds == 2
    await world.gina.slash(world.zone, "gm undo")
    assert (await _harm(world)).wounds == 3
    await _heals(world, world.ana, (9, 5), "healing")
    await _passes(world, "1 day")
    text = await _heals(world, world.ana, (1, 2), "healing")
    assert "doesn't heal (2 wounds left)" in text, text
    assert "is due in" in refusal_of(await world.ana.slash(world.zone, "heal", method="healing"))


@pytest.mark.rule("MB-DMG-09", "MB-DMG-10", "MB-HEAL-03", "MB-HEAL-04", "MB-HEAL-05", "MB-DMG-05")
async def test_bleeding_out_and_saved_in_the_one_round(world: World) -> None:
    await open_table(world)
    await _hurt(world, wounds=5, shock=7)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")

    async def round_() -> str:
        number = next(iter((await world.state()).encounters.values())).round
        while next(iter((await world.state()).encounters.values())).round == number:
            await world.gina.slash(world.zone, "initiative next")
        return world.told(world.ana)

    assert "Vesna is dying (1 round left)" in await round_()
    assert "Vesna dies" in await round_()
    assert (await _harm(world)).dead
    await world.restart()
    text = await _heals(world, world.ben, (10, 10, 10, 5, 5), "wounds", target="Vesna")
    assert "Vesna is alive again, mortally wounded" in text, text
    await world.gina.slash(world.zone, "gm undo")
    await round_()
    await round_()
    late = {"method": "wounds", "target": "Vesna"}
    assert "too late" in refusal_of(await world.ben.slash(world.zone, "heal", **late))


@pytest.mark.rule("MB-DMO-04", "MB-HEAL-05", "MB-DMG-06", "MB-DMG-07")
async def test_bleeding_stops_and_the_dying_are_stable(world: World) -> None:
    await open_table(world)
    await _hurt(world, wounds=1, bleeders=2)
    told = await _passes(world, "1 minute")
    assert "shock from bleeding" in told, told
    text = await _heals(world, world.ben, (8, 8), "bleeding", target="Vesna")
    assert "against 10" in text and "Vesna stops bleeding" in text, text
    await _hurt(world, wounds=5)
    text = await _heals(world, world.ben, (2, 2), "steady", target="Vesna")
    assert "against 22" in text
    so = {"method": "steady", "target": "Vesna"}
    assert "Try again in 1 minute" in refusal_of(await world.ben.slash(world.zone, "heal", **so))
    assert "unconscious" in world.told(world.ana) or (await _harm(world)).out
    assert "out cold" in refusal_of(
        await world.ana.slash(world.zone, "heal", method="shock", target="Boris")
    )


@pytest.mark.rule("MB-FALL-01", "MB-LP-03")
async def test_a_fall_says_what_it_does_before_anybody_passes(world: World) -> None:
    await open_table(world, live=False, step_in_minutes=10)
    world.dice.lay(5, 5)
    await world.ana.slash(world.zone, "mb fall", meters=12, weight=80)
    while "unless changed" not in await newest(world):
        panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
        await world.press(world.ana, panel, "Accept result")
    text = await newest(world)
    head = "## Vesna falls 12 m: unless changed, is hurt (knockdown, O and 3 shock)"
    assert text.startswith(head), text
    await world.restart()
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    assert "is hurt" in texts(panel), texts(panel)


@pytest.mark.rule("MB-FALL-01", "MB-SKILL-ACROBATICS", "MB-DIE-07")
async def test_a_fall_that_acrobatics_softens(world: World) -> None:
    await open_table(world)
    no_weight = await world.ana.slash(world.zone, "mb fall", meters=20)
    assert "How heavy is Vesna?" in refusal_of(no_weight)
    world.dice.lay(5, 5)
    await world.ana.slash(world.zone, "mb fall", meters=20, weight=80)
    text = await newest(world)
    assert (
        text.startswith("## Vesna falls 20 m and is hurt (knockdown, K and 3 shock)\n")
        and text.count("Vesna falls") == 1
        and "16 against Toughness" in text
    ), text
    await world.gina.slash(world.zone, "gm undo")
    world.dice.lay(1, 2, 6, 6)
    await world.ana.slash(world.zone, "mb fall", meters=20, weight=80, acrobatics=True)
    text = await newest(world)
    assert "16 against Toughness 9: 7 damage points" in text or "damage points" in text, text
    await world.gina.slash(world.zone, "gm undo")
    # Equal is the first row of the Damage column, and no miss.
    world.dice.lay(5, 5)
    await world.ana.slash(world.zone, "mb fall", meters=2, weight=40)
    text = await newest(world)
    assert "Landing:** 10 against Toughness 10: 0 damage points" in text and "1 shock" in text, text
    before = await _harm(world)
    assert before != type(before)()
    await world.gina.slash(world.zone, "gm undo")
    assert await _harm(world) == type(before)()


async def test_a_wound_that_is_gone_when_the_healing_roll_falls(world: World) -> None:
    """What a GM has mended while the dice lay open heals no more, and nothing is stuck."""
    await open_table(world, step_in_minutes=10)
    await _hurt(world, wounds=3, waited=300_000)
    await _heals(world, world.ana, (9, 8), "healing")
    await _hurt(world, shock=1)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Accept result")
    assert not (await world.state()).checks["c1"].is_open
    assert (await _harm(world)).wounds == 0


@pytest.mark.rule("MB-HEAL-03", "MB-DMG-06", "MB-DMO-04")
async def test_somebody_out_cold_is_brought_round(world: World) -> None:
    await open_table(world)
    await _hurt(world, wounds=1, shock=9, bleeders=1, out_for=60)
    assert (await _harm(world)).out
    text = await _heals(world, world.ben, (9, 9), "shock", target="Vesna")
    assert "wakes up" in text, text
    assert not (await _harm(world)).out and (await _harm(world)).bleeders == 1
    await world.gina.slash(world.zone, "gm undo")
    assert (await _harm(world)).out


@pytest.mark.rule("MB-LP-03", "MB-FALL-01", "MB-SKILL-ACROBATICS")
async def test_a_life_point_takes_packages_off_a_fall(world: World) -> None:
    tumbler = {
        "skills": [
            {"name": "Acrobatics", "adds": 1, "specializations": {"reducing damage from falls": 2}}
        ]
    }
    await open_table(world, sheets={"Vesna": tumbler}, step_in_minutes=10)
    world.dice.lay(6, 6, 1, 1)
    await world.ana.slash(world.zone, "mb fall", meters=100, weight=80, acrobatics=True)
    assert "Acrobatics (reducing damage from falls) 12" in await newest(world)
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(
        world.ana, panel, "Spend a Life Point (5 left): take off up to 3 pieces of damage…"
    )
    packages = [
        each["value"]
        for each in menu(panel, "What to take off")["options"]
        if "wound" in each["value"]
    ]
    await world.choose(world.ana, panel, "What to take off", packages[1])
    await world.press(
        world.ana, panel, "Spend a Life Point (5 left): take off up to 3 pieces of damage"
    )
    text = await newest(world)
    assert "Vesna spends a Life Point: 2 wounds off. Left: " in text, text
    assert (await sheet(world, "Vesna")).life_points == 4
    hurt = (await _harm(world)).wounds
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).life_points == 5 and hurt >= 0


@pytest.mark.rule("MB-DMG-05", "MB-DMG-09", "MB-DMG-10")
async def test_the_gm_sets_by_hand_what_somebody_has_taken(world: World) -> None:
    await open_table(world)

    async def sets(what: str, value: str) -> str:
        given = {"character": "Vesna", "what": what, "value": value}
        return private(await world.gina.slash(world.zone, "gm adjust", **given))

    offered = await world.gina.autocomplete(world.zone, "gm adjust", "what", "", character="Vesna")
    assert {"wounds", "shock", "bleeders", "knockout"} <= {each["value"] for each in offered}
    assert "Wounds: 0 → 5, unconscious" in await sets("wounds", "5")
    assert "Shock: 0 → 99, dead" in await sets("shock", "99")
    assert (await _harm(world)).dead
    assert "Shock: 99 → 1, unconscious" in await sets("shock", "1")
    assert "Wounds: 5 → 4, unconscious" in await sets("wounds", "4")
    assert "Shock: 1 → 0, awake again" in await sets("shock", "0")
    assert "Wounds: 4 → 1." in await sets("wounds", "1")
    assert "Rounds knocked out: 0 → 3, unconscious" in await sets("knockout", "3")
    assert "Rounds knocked out: 3 → 0, awake again" in await sets("knockout", "0")
    assert "Bleeding wounds: 0 → 2" in await sets("bleeders", "2")
    wrong = {"character": "Vesna", "what": "wounds", "value": "99"}
    assert "Use 0 to" in refusal_of(await world.gina.slash(world.zone, "gm adjust", **wrong))
    harm = await _harm(world)
    assert (harm.wounds, harm.shock, harm.bleeders, harm.out, harm.dead) == (1, 0, 2, False, False)
    await world.gina.slash(world.zone, "gm undo")
    assert (await _harm(world)).bleeders == 0


@pytest.mark.rule("MB-DMG-05", "MB-DMG-09", "MB-HEAL-01", "MB-HEAL-05", "MB-HEAL-07")
async def test_the_stabilized_recover_no_shock_by_themselves(world: World) -> None:
    await open_table(world)
    await bring(world, world.ben, "Ute", MEDIC)
    await _hurt(world, wounds=5, shock=4)
    await _heals(world, world.ben, (10, 10, 10, 10, 10, 5), "steady", target="Vesna")
    assert (await _harm(world)).stable
    # Neither a moment nor half a day takes any of it off, and nobody dies of it.
    for span in ("5 minutes", "12 hours"):
        told = await _passes(world, span)
        assert "shock" not in told, told
        harm = await _harm(world)
        assert (harm.shock, harm.wounds, harm.out, harm.dead) == (4, 5, True, False), span
    # Medicine does, all at once; she stays as wounded as she is.
    await _heals(
        world, world.ben, (9, 9), "shock", target="Vesna", skill="Medicine", **{"as": "Ute"}
    )
    harm = await _harm(world)
    assert (harm.shock, harm.wounds, harm.stable, harm.out) == (0, 5, True, True)
    await world.gina.slash(world.zone, "gm undo")
    told = await _passes(world, "12 hours")
    assert "can make a healing roll (difficulty 18)" in told, told
    # Once the wound is better, shock goes as anybody's does.
    await _heals(world, world.ana, (10, 10, 9, 9), "healing")
    harm = await _harm(world)
    assert (harm.wounds, harm.shock, harm.out) == (4, 4, False)
    await _passes(world, "3 minutes")
    assert (await _harm(world)).shock == 1


@pytest.mark.rule("MB-DMG-05", "MB-HEAL-03")
async def test_the_mortally_wounded_who_are_patched_up_recover_like_the_incapacitated(
    world: World,
) -> None:
    await open_table(world)
    await _hurt(world, wounds=5, shock=3, aided=1)
    assert not (await _harm(world)).out
    await _passes(world, "2 minutes")
    harm = await _harm(world)
    assert (harm.wounds, harm.aided, harm.shock) == (5, True, 1)


@pytest.mark.rule("MB-SKILL-MEDICINE", "MB-SKILL-03")
async def test_a_medic_helps_with_the_best_of_their_fields(world: World) -> None:
    await open_table(
        world,
        rules={"medicine_macroskill": "on"},
        sheets={"Vesna": {"harm": "wounds 1, waited 90000"}},
    )
    fields = [
        {"name": "Medicine", "focus": name, "adds": adds}
        for name, adds in (("eyes", 1), ("bones", 3))
    ]
    await bring(world, world.ben, "Ute", {"mind": 10, "skills": fields})
    text = await _heals(world, world.ben, (5, 5), "medicine", target="Vesna", **{"as": "Ute"})
    assert "Medicine: bones 13" in text, text


@pytest.mark.rule("MB-SKILL-05", "MB-HEAL-02", "MB-SKILL-FIRST-AID")
async def test_a_medic_who_has_learned_no_first_aid_treats_with_medicine(world: World) -> None:
    await open_table(world)
    await bring(world, world.ben, "Ute", MEDIC)
    await _hurt(world, wounds=2, shock=3)
    text = await _heals(world, world.ben, (5, 5), "wounds", target="Vesna", **{"as": "Ute"})
    assert "Medicine 13" in text and "13 against 11" in text, text
    await _hurt(world, wounds=2, shock=3)
    aid = {"target": "Vesna", "as": "Ute", "skill": "First Aid"}
    assert "First Aid 8" in await _heals(world, world.ben, (5, 5), "shock", **aid)


@pytest.mark.rule("MB-HEAL-02")
async def test_first_aid_by_its_name_is_for_wounds(world: World) -> None:
    await open_table(world, sheets={"Boris": {"harm": "wounds 1, shock 3"}})
    world.dice.lay(9, 9)
    await world.ana.slash(
        world.zone, "heal", method="First aid", target="Boris", approach="bandages"
    )
    text = await newest(world)
    assert "patched up (no penalties)" in text, text
