"""What characters own: armor, magazines, thrown weapons, what it costs, and their luck."""

from __future__ import annotations

import json
from typing import Any

import pytest
from simcord import OptionError

from rules.systems.ego.character.combat_values import wear
from rules.systems.ego.character.sheet import WornArmor, with_suits
from tests.discord.ego import play
from tests.discord.ego.play import DIRK, bring, plain, sheet
from tests.discord.ego.table import attack, misses, open_table, refused_attack
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, head, menu, message_of, private, public, refusal_of
from tests.rules.ego.play import HERO, Play


async def _dirk(world: World, funds: int = 0, **more: Any) -> None:
    """Bring in Ana's Dirk with that much money."""
    await bring(world, world.ana, {**DIRK, "funds": funds, **more}, grown=True)


async def _shown(world: World) -> str:
    """What Ana reads of her sheet, without what makes it bold."""
    return plain(message_of(await world.ana.slash(world.zone, "character show")))


async def _exported(world: World) -> dict[str, Any]:
    """The file of Ana's character."""
    (file,) = message_of(await world.ana.slash(world.zone, "character export")).attachments
    return json.loads(await file.read())


@pytest.mark.rule("EGO-ARM-01")
async def test_armor_that_is_bought_stands_beside_the_old_one(world: World) -> None:
    await play.open_table(world)
    await _dirk(world, 500, armour="Chain 9/10")
    await world.ana.slash(world.zone, "ego buy", what="Padded")
    chain, padded, plate = (
        WornArmor("Chain", 9, 10),
        WornArmor("Padded", 3, 3),
        WornArmor("Plate", 12, 12),
    )
    made = await sheet(world, "Dirk")
    assert (made.armour, made.spare_armour) == (chain, (padded,)), "the best one counts"
    await world.ana.slash(world.zone, "ego buy", what="Plate", count=2)
    made = await sheet(world, "Dirk")
    assert (made.armour, made.spare_armour) == (plate, (plate, chain, padded))
    await world.restart()
    shown = await _shown(world)
    assert "Plate, AR 12" in shown
    file = await _exported(world)
    assert file["spare_armour"] == ["Plate 12/12", "Chain 9/10", "Padded 3/3"]
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).armour == chain
    assert "Chain, AR 9 of 10" in await _shown(world)
    await bring(world, world.ben, {**file, "name": "Twin"}, grown=True)
    twin = await sheet(world, "Twin")
    assert (twin.armour, twin.spare_armour) == (plate, (plate, chain, padded))
    bad = private(
        await bring(world, world.ben, {**file, "spare_armour": ["Paded"]}, grown=True, replace=True)
    )
    assert "Did you mean" in bad and "Padded" in bad


@pytest.mark.rule("EGO-ARM-01", "EGO-ARM-02")
def test_armor_that_wears_down_stays_worn() -> None:
    studded, leather = WornArmor("Studded", 5, 6), WornArmor("Leather", 5, 5)
    dressed = with_suits(HERO, (studded, leather))
    worn = wear(Play(anna=dressed).game(), dressed, 5)
    assert (worn.armour, worn.spare_armour) == (WornArmor("Studded", 4, 6), (leather,))


@pytest.mark.rule("EGO-ARM-01", "EGO-ARM-02")
async def test_no_suit_is_changed_in_a_fight_until_the_sheet_says_so(world: World) -> None:
    await open_table(world, boris={"armour": "Studded 5/6", "spare_armour": ["Leather 5/5"]})
    await gather(world)
    await next_turn(world, *misses(8))
    await world.gina.slash(world.zone, "ego fall", who="Boris", damage=7)
    await next_turn(world)
    told = await next_turn(world, *misses(8))
    assert "Boris's armor wears: AR 5 → 4" in told, told
    made = await sheet(world, "Boris")
    studded, leather = WornArmor("Studded", 4, 6), WornArmor("Leather", 5, 5)
    assert (made.armour, made.spare_armour) == (studded, (leather,))
    (sent,) = message_of(await world.ben.slash(world.zone, "character export")).attachments
    file = json.loads(await sent.read())
    await bring(world, world.ben, {**file, "notes": "Worn out."}, grown=True, replace=True)
    assert (await sheet(world, "Boris")).armour == studded, "another line of the sheet"
    swapped = {"armour": "Leather 5/5", "spare_armour": ["Studded 4/6"]}
    await bring(world, world.ben, file | swapped, grown=True, replace=True)
    assert (await sheet(world, "Boris")).armour == leather


@pytest.mark.rule("EGO-RNG-05", "EGO-EQP-01")
async def test_a_gun_that_is_bought_counts_its_rounds(world: World) -> None:
    await play.open_table(world, currency="$", step_in_minutes=0)
    await _dirk(world, 6000, muscle=10)
    plainly = public(await world.ana.slash(world.zone, "ego buy", what="Med Cal, automatic"))
    assert "for $550; $5450 left" in plainly
    assert "Its rounds aren't counted: /ego magazine says how many it holds" in plainly.replace(
        "`", ""
    )
    bought = public(await world.ana.slash(world.zone, "ego buy", what="Assault rifle", magazine=30))
    assert "for $1200, loaded with 30 rounds; $4250 left" in bought
    assert "30 of 30 rounds" in await _shown(world)
    assert "no rounds" in refusal_of(
        await world.ana.slash(world.zone, "ego buy", what="Leather", magazine=3)
    )
    # Discord sends no number beyond the limits of an option.
    for size in (0, 1001):
        with pytest.raises(OptionError, match="'holds' of 'ego magazine' must be"):
            await world.ana.slash(world.zone, "ego magazine", weapon="med", holds=size)
        with pytest.raises(OptionError, match="'magazine' of 'ego buy' must be"):
            await world.ana.slash(world.zone, "ego buy", what="Assault rifle", magazine=size)
    said_ = public(await world.ana.slash(world.zone, "ego magazine", weapon="med", holds=7))
    assert "Med Cal, automatic holds 7 rounds" in said_
    pistol, rifle = (await sheet(world, "Dirk")).arms
    assert (pistol.rounds, pistol.magazine, rifle.rounds) == (7, 7, 30)
    # Whose magazine is known a GM alone changes.
    refusal_of(await world.ana.slash(world.zone, "ego magazine", weapon="med", holds=99))
    await world.gina.slash(world.zone, "ego magazine", weapon="med", holds=5, **{"as": "Dirk"})
    assert (await sheet(world, "Dirk")).arms[0].rounds == 5
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).arms[0].rounds == 7


@pytest.mark.rule("EGO-RNG-04", "EGO-AP-03")
async def test_ammunition_that_is_bought_is_what_one_reloads_with(world: World) -> None:
    await play.open_table(world, currency="$", step_in_minutes=0)
    gun = {"name": "Med Cal, automatic", "drawn": True, "rounds": 0, "magazine": 7}
    await _dirk(world, 100, arms=[gun])
    no_price = refusal_of(
        await world.ana.slash(world.zone, "ego buy", what="Med Cal, automatic", ammunition=True)
    )
    assert "its `price`" in no_price
    bought = public(
        await world.ana.slash(
            world.zone, "ego buy", what="Med Cal, automatic", ammunition=True, price=20, count=2
        )
    )
    assert "ammunition for Med Cal, automatic × 2 for $40: 14 spare rounds; $60 left" in bought
    reloaded = public(await world.ana.slash(world.zone, "ego act", action="reload"))
    assert "Reloads Med Cal, automatic: 0 → 7 rounds, 7 spare" in reloaded
    assert "7 of 7 rounds, 7 spare" in await _shown(world)
    (file_arm,) = (await _exported(world))["arms"]
    assert file_arm["spare"] == 7
    await world.gina.slash(world.zone, "gm undo")
    (arm,) = (await sheet(world, "Dirk")).arms
    assert (arm.rounds, arm.spare) == (0, 14)


@pytest.mark.rule("EGO-EQP-01")
async def test_a_price_in_other_money_is_for_a_gm_to_convert(world: World) -> None:
    await play.open_table(world)
    await _dirk(world, 1000)
    text = refusal_of(await world.ana.slash(world.zone, "ego buy", what="Shotgun"))
    assert "Shotgun costs $700, and money here is counted in gold pieces" in text
    assert (await sheet(world, "Dirk")).arms == ()
    refusal_of(await world.ana.slash(world.zone, "ego buy", what="Shotgun", price=7))
    dear = {"what": "Shotgun", "price": 2000}
    text = refusal_of(await world.gina.slash(world.zone, "ego buy", **dear, **{"as": "Dirk"}))
    assert "costs 2000 gp, but Dirk has 1000 gp: 1000 gp short" in text, "it isn't the GM's"
    assert "/gm adjust what:funds" in text
    text = refusal_of(await world.ana.slash(world.zone, "ego buy", what="Plate", count=100))
    assert "but you have 1000 gp" in text
    await world.gina.slash(world.zone, "ego buy", what="Shotgun", price=70, **{"as": "Dirk"})
    made = await sheet(world, "Dirk")
    assert (made.funds, [arm.name for arm in made.arms]) == (930, ["Shotgun"])
    assert "Funds 930 gp" in await _shown(world)
    await world.gina.slash(world.zone, "gm settings", setting="starting_funds", value="2000")
    armed = {**DIRK, "name": "Eve", "arms": [{"name": "Shotgun"}]}
    wrong = private(await bring(world, world.ben, armed))
    assert "Shotgun is priced in dollars" in wrong


@pytest.mark.rule("EGO-EQP-01")
async def test_starting_money_pays_for_the_gear_that_is_carried(world: World) -> None:
    await play.open_table(world, starting_funds="3d6x10")
    await bring(world, world.ana, {**DIRK, "armour": "Leather", "arms": [{"name": "Dagger"}]})
    world.dice.lay(3, 4, 4)
    told = public(await world.ana.slash(world.zone, "ego funds"))
    assert "3, 4, 4 × 10 = 110 gp starting funds, less 28 gp for the gear carried: 82 gp" in told
    assert (await sheet(world, "Dirk")).funds == 82


@pytest.mark.rule("EGO-RNG-03", "EGO-AOE-01")
async def test_a_grenade_that_is_thrown_is_gone(world: World) -> None:
    grenade = {"name": "Frag Grenade", "weight": 1}
    await open_table(
        world, boris={"arms": [grenade, grenade, {"name": "Hunting Knife", "weight": 2}]}
    )
    zero = await refused_attack(
        world, world.ben, "Orc", weapon="Frag Grenade", **{"with": "range 40, weight 0"}
    )
    assert "weight" in zero and "1 to" in zero
    # A weapon that is not at hand is refused by its own name, not for a burst of another one.
    sprayed = {"weapon": "Gatling gun", "with": "burst, range 40"}
    text = await refused_attack(world, world.ben, "Orc", **sprayed)
    assert "no “Gatling gun” at hand" in text, text
    thrown = await attack(
        world, world.ben, "Orc", *misses(7), weapon="Frag Grenade", **{"with": "range 40"}
    )
    assert "Boris: Frag Grenade 2 → 1" in thrown and "drawn first" in thrown
    names = [arm.name for arm in (await sheet(world, "Boris")).arms]
    assert names == ["Frag Grenade", "Hunting Knife"]
    await attack(
        world, world.ben, "Orc", *misses(7), weapon="Hunting Knife", **{"with": "thrown, range 10"}
    )
    assert [arm.drawn for arm in (await sheet(world, "Boris")).arms] == [False, False]
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo")
    assert len((await sheet(world, "Boris")).arms) == 3


@pytest.mark.rule("EGO-ADV-02")
async def test_luck_is_whole_again_as_a_session_starts(world: World) -> None:
    await play.open_table(world)
    used = {**DIRK, "advantages": ["Lucky"], "disadvantages": ["Unlucky"], "lucky": 1, "unlucky": 1}
    await bring(world, world.ana, used, grown=True)
    # Used before the first session, and between two.
    for _ in range(2):
        begins = public(await world.gina.slash(world.zone, "session start"))
        assert "Dirk can use luck again." in begins
        made = await sheet(world, "Dirk")
        assert (made.lucky, made.unlucky) == (0, 0)
        await world.gina.slash(world.zone, "session end")
        await bring(world, world.ana, used, grown=True, replace=True)
    await world.gina.slash(world.zone, "session start")
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).lucky == 1


@pytest.mark.rule("EGO-EQP-01", "EGO-RNG-05")
async def test_the_price_list_opens_as_a_form(world: World) -> None:
    await play.open_table(world, currency="$")
    await _dirk(world, 2000)
    panel = message_of(await world.ana.slash(world.zone, "ego buy", count=2))
    assert head(panel) == "Dirk goes shopping" and "Money: $2000" in plain(panel)
    assert "Fill in Goods first" in plain(panel) and "How many: 2" in plain(panel)
    goods = menu(panel, "Goods")["options"]
    assert len(goods) == 25 and goods[-1]["label"].startswith("More…")
    await world.ana.submit_modal(
        await world.press(world.ana, panel, "Write…"), {"what": "Moon Rocket", "price": ""}
    )
    refusal = refusal_of(await world.press(world.ana, panel, "Buy"))
    assert "isn't on the price list" in refusal and "Nothing has changed" in refusal
    await world.restart()
    await world.ana.submit_modal(
        await world.press(world.ana, panel, "Write…"), {"what": "Assault rifle", "price": ""}
    )
    assert "$400 more than you have" in plain(panel)
    refusal = refusal_of(await world.press(world.ana, panel, "Buy"))
    assert "That costs $2400, but you have $2000" in refusal
    await world.choose(world.ana, panel, "How many", "1")
    assert "Costs $1200, $800 left of $2000" in plain(panel)
    await world.ana.submit_modal(
        await world.press(world.ana, panel, "Write…"),
        {"what": "Assault rifle", "price": "", "magazine": "30"},
    )
    await world.press(world.ana, panel, "Buy")
    told = plain(world.last())
    assert "Bought: Assault rifle for $1200" in told and "$800 left" in told, "everybody reads it"
    made = await sheet(world, "Dirk")
    assert made.funds == 800
    assert [(each.name, each.rounds, each.magazine) for each in made.arms] == [
        ("Assault rifle", 30, 30)
    ]
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).funds == 2000
    assert "as" in refusal_of(await world.gina.slash(world.zone, "ego buy"))
    shop = message_of(await world.gina.slash(world.zone, "ego buy", **{"as": "Dirk"}))
    assert head(shop) == "Dirk goes shopping"
