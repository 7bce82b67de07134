"""`/gm amend` of the deeds of each game: attacks, awards, cards, effects and Action Points.

Each is previewed and carried out. The sheet, the line that tells of it, the old messages and
`/table last` follow; the amendment's undo puts everything back.
"""

from __future__ import annotations

from rules.systems.ego.character.combat_values import points_of
from rules.systems.masterbook.character.sheet import attribute
from tests.discord import barmore
from tests.discord.amend_steps import carry_out, correct, entry_of, preview, undo_exactly
from tests.discord.ego import table as ego
from tests.discord.masterbook import table as masterbook
from tests.discord.masterbook.cards import test_play as cards
from tests.discord.masterbook.effect_table import cast_effect, effect, knows
from tests.discord.rounds import board_text, gather, next_turn
from tests.discord.world import World, labels, private, texts

BOOST = effect("Boost", action="raise", traits=["Strength"], effect_value=17, duration_value=8)
RIFLE = {"weapon": "rifle", "skill": "Rifles", "attribute": "Alertness"}


async def _last(world: World) -> str:
    """Return what Ana reads of the latest results."""
    return private(await world.ana.slash(world.zone, "table last"))


def _message(world: World, words: str) -> str:
    """Return the newest message that says these words."""
    said = [texts(message) for message in world.messages()]
    return next(text for text in reversed(said) if words in text)


async def test_an_attack_and_awards_of_ebb(world: World) -> None:
    await world.table(step_in_minutes=0)
    for name in ("Sidor", "Pavel"):
        await world.gina.slash(world.zone, "gm npc add", name=name, stage="revealed")
    await world.ana.slash(world.zone, "attack", target="Sidor", approach="so", **RIFLE)
    await world.rule(level="Tricky")
    world.dice.lay(6, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    before, begin = await world.state(), await entry_of(world, "Begin")
    told = await correct(world, begin, "target: Pavel, weapon: knife")
    assert "Marek's result is now Hit: Pavel is hit" in told
    card = texts(world.card())
    assert "Marek attacks Pavel" in card and "**Weapon:** knife" in card
    assert "Pavel is hit" in await _last(world) and "Sidor" not in await _last(world)
    await undo_exactly(world, before)
    assert "Sidor is hit" in texts(world.card()) and "Sidor is hit" in await _last(world)
    told = await correct(world, await entry_of(world, "Choose", 0), "difficulty: Legendary")
    assert "is now Miss: Sidor isn't hit, 10 against 22" in told
    assert "10 against 22" in await _last(world)
    log = private(await world.gina.slash(world.zone, "gm log"))
    assert "corrected #8 and #9" in log and "Corrected something" not in log
    await undo_exactly(world, before)
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=2)
    before = await world.state()
    told = await correct(world, await entry_of(world, "Award"), "amount: 5, to: Marek")
    assert "Marek: 5 Fate points, 8 now." in told and "Ilka" not in told
    await undo_exactly(world, before)


async def test_a_value_set_by_hand_is_told_to_whose_it_is(world: World) -> None:
    """The owner was told in private, and is told of the correction there, too."""
    await barmore.bar_table(world)
    wound = {"what": "new wound", "value": "physical 3"}
    await world.gina.slash(world.zone, "gm adjust", character="Marek", **wound)
    before = await world.state()
    await carry_out(
        world, await preview(world, await entry_of(world, "Adjust"), "value: physical 12")
    )
    (now,) = (await barmore.sheet_of(world, "Marek")).wounds
    assert now.name == "Mortal"
    stub = world.newest("Show")
    assert "Mortal" not in texts(stub)
    assert "New Wound: #1 Mortal (physical)." in private(await world.press(world.ana, stub, "Show"))
    assert "Mortal" not in world.told(world.ben)
    await undo_exactly(world, before)
    (then,) = (await barmore.sheet_of(world, "Marek")).wounds
    assert then.name == "Light"
    await carry_out(world, await preview(world, await entry_of(world, "Adjust")))
    assert (await barmore.sheet_of(world, "Marek")).wounds == ()
    await undo_exactly(world, before)
    opened = await world.press(world.ana, world.newest("Show"), "Show")
    assert "#1 Light (physical)" in private(opened), "what was told in private can be opened again"


async def test_an_attack_of_barmore(world: World) -> None:
    await barmore.bar_table(world)
    boathook = {"weapon": "Boathook", "skill": "Boats", "approach": "low"}
    await world.ana.slash(world.zone, "attack", target="Ilka", **boathook)
    await barmore.rule(world, None)
    panel = await barmore.side(world, world.ben, "Defend", "Athletics")
    world.dice.lay(8, 8, 8, 8, 1, 1)
    await world.press(world.ben, panel, "Defend")
    before = await world.state()
    assert [wound.degree for wound in (await barmore.sheet_of(world, "Ilka")).wounds] == [9]
    told = await correct(world, await entry_of(world, "Begin"), "weapon: Lamp")
    assert "Marek's attack" in told
    assert [wound.degree for wound in (await barmore.sheet_of(world, "Ilka")).wounds] == [8]
    assert "**Weapon:** Lamp" in texts(world.card())
    await undo_exactly(world, before)
    assert "**Weapon:** Boathook" in texts(world.card())


async def test_action_points_and_karma_of_ego(world: World) -> None:
    await ego.open_table(world)
    await gather(world, "Orc")
    await next_turn(world, 6, 6, 6, 6, 1, 1, 1, 1, 1, 1)
    await world.ana.slash(world.zone, "ego act", action="draw", weapon=ego.PISTOL)
    before, act = await world.state(), await entry_of(world, "Act")
    told = await correct(world, act, f"weapon: {ego.RIFLE}")
    assert "Draws Assault rifle. 1 Action Point, 3 left." in told
    drawn = [arm.name for arm in (await ego.sheet(world, "Vesna")).arms if arm.drawn]
    assert drawn == [ego.SWORD, ego.RIFLE]
    await undo_exactly(world, before)
    told = await correct(world, act)
    assert "falls away" in told and "Undone (#" in _message(world, "Vesna acts")
    assert "4 of 4 Action Points" in board_text(world)
    await undo_exactly(world, before)
    assert "3 of 4 Action Points" in board_text(world)
    await next_turn(world)
    await world.ben.slash(world.zone, "ego act", action="stand up")
    before, act = await world.state(), await entry_of(world, "Act")
    told = await correct(world, act, "action: bars the gate, seconds: 40")
    assert "Bars the gate. 6 Action Points" in told
    points = points_of(await ego.sheet(world, "Boris"))
    assert (points.spent, points.alone) == (6, True)
    await undo_exactly(world, before)
    assert "Stands up." in await correct(world, act, "action: stands up"), "the words alone change"
    await undo_exactly(world, before)
    await world.gina.slash(world.zone, "gm award", kind="karma", amount=2)
    before = await world.state()
    assert "Vesna: 2 Karma, 7 now." in await correct(
        world, await entry_of(world, "Award"), "to: Vesna"
    )
    assert (await ego.sheet(world, "Boris")).karma == 5
    await undo_exactly(world, before)


async def test_the_damage_of_an_attack_of_ego(world: World) -> None:
    await ego.open_table(world)
    await ego.attack(world, world.gina, "Vesna", **{"as": "Orc"})
    dice = (*ego.misses(4), 5, 5, *ego.misses(3), *(6,) * 4)
    assert "Vesna takes 7 damage" in await ego.meet(world, world.ana, "Pass", *dice)
    before, card = await world.state(), texts(world.card())
    assert (await ego.sheet(world, "Vesna")).lethal == 7
    panel = await preview(world, await entry_of(world, "Begin"))
    assert "Can't stand any more" in texts(panel), "the defense goes along"
    assert "3 steps fall away" in await carry_out(world, panel)
    assert (await ego.sheet(world, "Vesna")).lethal == 0
    assert texts(world.card()).startswith("## Undone (#")
    assert "no results" in (await _last(world)).casefold()
    await undo_exactly(world, before)
    assert (await ego.sheet(world, "Vesna")).lethal == 7
    assert texts(world.card()) == card and "Vesna takes 7 damage" in await _last(world)


async def test_an_attack_and_an_effect_of_masterbook(world: World) -> None:
    await masterbook.open_table(world, sheets={"Vesna": knows(BOOST)})
    await masterbook.attack(world, world.ana, "Thug", 6, 7, weapon="Knife", approach="go")
    before = await world.state()
    told = await correct(world, await entry_of(world, "Begin"), "weapon: unarmed")
    assert "Vesna's attack" in told
    harm = (await masterbook.sheet(world, "Thug")).harm
    assert (harm.wounds, harm.shock) == (0, 3)
    assert "Unarmed Combat 10" in await _last(world)
    await undo_exactly(world, before)
    assert (await masterbook.sheet(world, "Thug")).harm.wounds == 1
    assert "Knife, Melee Combat 11" in texts(world.card())
    await cast_effect(world, "Boost", target="Boris", **{"with": "meters 3"})
    before, cast = await world.state(), await entry_of(world, "Begin")
    assert "Thug: Strength rises." in await correct(world, cast, "target: Thug")
    assert attribute(await masterbook.sheet(world, "Boris"), "strength") == 9
    await undo_exactly(world, before)
    assert attribute(await masterbook.sheet(world, "Boris"), "strength") == 12
    await correct(world, cast)
    assert _message(world, "Boost takes hold").startswith("## Undone (#")
    assert texts(world.card("c2")).startswith("## Undone (#")
    await undo_exactly(world, before)
    assert _message(world, "Boost takes hold").startswith("## Boost takes hold")
    assert "Final" in texts(world.card("c2")), "it is as it was, and stays the check's own message"
    await world.gina.slash(world.zone, "gm award", kind="life_points", amount=1)
    before = await world.state()
    told = await correct(world, await entry_of(world, "Award"), "amount: 2")
    assert "Boris: 2 Life Points, 2 now." in told
    await undo_exactly(world, before)


async def test_a_card_that_was_played(world: World) -> None:
    """What it is played on may change; cards that players have seen may not lie otherwise."""
    first = (cards.HERO, cards.IDEA, cards.RALLY, cards.SUPPORTER, cards.PRESENCE, cards.ACTION)
    await cards.begin(world, *first, **cards.BY_DAYS)
    world.dice.lay(2, 3)
    await world.ana.slash(world.zone, "check", **cards.HIDES)
    await cards.pass_all(world, world.ana)
    assert "9 against 8" in await cards.reacts(world, world.ben, "Play Supporter")
    before, lie = await world.state(), await cards.cards(world)
    told = await correct(world, await entry_of(world, "Begin"), "difficulty: Hard")
    assert "Vesna's result is now Failure, 9 against 13" in told
    assert "9 against 13" in await _last(world) and await cards.cards(world) == lie
    await undo_exactly(world, before)
    begun = await entry_of(world, "Begin")
    told = await correct(world, begun, "difficulty: Easy")
    assert "Supporter played" in told and "corrected #" not in told, "no undone correction"
    await undo_exactly(world, before)
    played = await entry_of(world, "Choose")
    form = private(await world.gina.slash(world.zone, "gm amend", entry=played))
    assert "It was: Answer: Play Supporter for Vesna" in form, form
    panel = await preview(world, played)
    assert "cards that players may have seen would lie otherwise" in texts(panel)
    assert labels(panel) == ["Leave it"], texts(panel)
    assert "will be told" not in texts(panel)
