"""Making a character with points: guided, every fault at once, money and purchases."""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.systems.ego.character.sheet import title_with_field
from rules.systems.ego.formulas.body import read_height
from tests.discord.ego.play import (
    DIRK,
    STEPS,
    bring,
    open_creation_panel,
    open_table,
    plain,
    sheet,
    write,
)
from tests.discord.world import (
    World,
    controls,
    labels,
    menu,
    message_of,
    private,
    public,
    refusal_of,
    selected_values,
)


@pytest.mark.rule(
    "EGO-CHR-01", "EGO-CHR-02", "EGO-CHR-04", "EGO-SKL-01", "EGO-KAR-01", "EGO-SHT-01"
)
async def test_every_step_shows_the_points_that_are_left(world: World) -> None:
    await open_table(world)
    panel = await open_creation_panel(world)
    await write(world, world.ana, panel, name="Dirk", race="Human")
    await world.choose(world.ana, panel, STEPS, "abilities")
    await write(world, world.ana, panel, muscle="8", agility="8", intellect="6", vitality="8")
    assert "10 points left of 100" in plain(panel)
    assert "Muscle 3, Agility 3, Intellect 2, Vitality 3" in plain(panel)
    assert "Karma 11, Stun 16, Action Points 3" in plain(panel)
    await world.press(world.ana, panel, "Next step")
    await write(
        world, world.ana, panel, skills="Gun Combat 3\nStealth 1", specialties="Sharpshooter 1"
    )
    assert "2 points left of 100" in plain(panel)
    assert "Gun Combat 6, Stealth 4" in plain(panel)
    await world.choose(world.ana, panel, STEPS, "traits")
    await write(world, world.ana, panel, advantages="agile")
    assert "no points left of 100" in plain(panel)
    await world.press(world.ana, panel, "Next step")
    await write(world, world.ana, panel, arms="Dagger", armour="Leather")
    await world.restart()
    await world.choose(world.ana, panel, STEPS, "who")
    await world.choose(world.ana, panel, STEPS, "things")
    assert "costs 28" in plain(panel)
    await world.press(world.ana, panel, "Review")
    assert "no points left of 100" in plain(panel), "so that nobody forgets any"
    await world.press(world.ana, panel, "Join the table")
    made = await sheet(world, "Dirk")
    assert (made.karma, made.funds, made.advantages) == (11, 0, ("Agile",))
    assert made.armour is not None and (made.armour.ar, made.armour.full) == (5, 5)
    await world.gina.slash(world.zone, "gm undo")
    assert not (await world.state()).characters


@pytest.mark.rule("EGO-SKL-03", "EGO-SPC-03", "EGO-ADV-02", "EGO-FX-01")
async def test_everything_there_is_can_be_picked_from_menus(world: World) -> None:
    await open_table(world, cbp=200)
    panel = await open_creation_panel(world)
    await write(world, world.ana, panel, name="Dirk")
    await world.choose(world.ana, panel, STEPS, "skills")
    for level in (1, 2):
        await world.choose(world.ana, panel, "Add or raise a skill", f"Gun Combat {level}")
    await world.choose(world.ana, panel, "Add or raise a skill", "Pilot (ground) 1")
    await write(world, world.ana, panel, skills="Gun Combat 2\nPilot (ground) 1\nMagic 1")
    await world.choose(world.ana, panel, "Add or raise a specialty", "Sharpshooter 1")
    await world.restart()
    await world.choose(world.ana, panel, "Add or raise a skill", "Climbing 1")
    await world.press(world.ana, panel, "Next step")
    for _ in range(2):
        await world.choose(world.ana, panel, "Add a power", "Fire; magic")
    await world.press(world.ana, panel, "Next step")
    for times in (1, 2):
        await world.choose(world.ana, panel, "Advantages", f"Lucky ({times})")
    await world.choose(world.ana, panel, "Disadvantages", "Unlucky (1)")
    await world.press(world.ana, panel, "Next step")
    await world.choose(world.ana, panel, "Add a weapon", "Dagger")
    await world.press(world.ana, panel, "Review")
    await world.press(world.ana, panel, "Join the table")
    made = await sheet(world, "Dirk")
    assert {title_with_field(each.name, each.field): each.level for each in made.skills} == {
        "Gun Combat": 2, "Pilot (ground)": 1, "Magic": 1, "Climbing": 1,
    }  # fmt: skip
    assert [(each.name, each.level) for each in made.specialties] == [("Sharpshooter", 1)]
    assert [(each.name, each.source) for each in made.powers] == [("Fire", "magic")]
    assert (made.advantages, made.disadvantages) == (("Lucky", "Lucky"), ("Unlucky",))
    assert [each.name for each in made.arms] == ["Dagger"]


ENTRIES: Final = "Change or remove an entry"


async def _entry(world: World, panel: Any, line: str) -> None:
    """Open the entry that begins with these words."""
    if ENTRIES not in [each.get("placeholder") for each in controls(panel)]:
        await world.press(world.ana, panel, "More… (1 of 2)")
    options = menu(panel, ENTRIES)["options"]
    value = next(each["value"] for each in options if each["label"].startswith(line))
    await world.choose(world.ana, panel, ENTRIES, value)


@pytest.mark.rule(
    "EGO-CHR-01", "EGO-CHR-02", "EGO-SKL-01", "EGO-SPC-01", "EGO-POW-01", "EGO-ADV-01", "EGO-EQP-01"
)
async def test_a_character_is_made_by_menus_and_buttons(world: World) -> None:
    await open_table(world, starting_funds="100")
    ana, panel = world.ana, await open_creation_panel(world)
    await write(world, ana, panel, name="Dirk")  # the only dialog
    await world.press(ana, panel, "Add maximum")
    await world.choose(ana, panel, "Ability", "agility")
    await world.choose(ana, panel, "Change", "2")
    await world.press(ana, panel, "Done")
    assert "The changes come to +2" in plain(panel)
    await world.press(ana, panel, "Add maximum")
    await world.choose(ana, panel, "Ability", "vitality")
    await world.choose(ana, panel, "Change", "-2")
    await world.press(ana, panel, "Done")
    assert "Fix this here" not in plain(panel)
    await world.press(ana, panel, "Next step")
    for score, steps in (("muscle", 2), ("agility", 4), ("vitality", 3)):
        await world.choose(ana, panel, "Ability", score)
        for _ in range(steps):
            await world.press(ana, panel, "+1")
    await world.press(ana, panel, "−1")
    assert "Ability: Vitality 3" in plain(panel)
    assert "2. Abilities · 73 left" in plain(panel)
    await world.restart()
    await world.press(ana, panel, "Next step")
    await world.press(ana, panel, "Add skill")
    await world.choose(ana, panel, "Skill", "Pilot")
    assert "Fill in Subject first" in plain(panel)
    await world.choose(ana, panel, "Subject", "ground")
    await world.choose(ana, panel, "Level", "2")
    assert "Pilot (ground) 2: 4 dice" in plain(panel)
    await world.restart()
    await world.press(ana, panel, "Done")
    await world.choose(ana, panel, "Add or raise a skill", "Stealth 1")
    await world.choose(ana, panel, "Add or raise a skill", "Superpowers 1")
    await _entry(world, panel, "Stealth")
    assert "Stealth 1: 3 dice" in plain(panel)
    await world.choose(ana, panel, "Level", "3")
    await world.press(ana, panel, "Done")
    await world.press(ana, panel, "Add specialty")
    await world.choose(ana, panel, "Specialty", "Sharpshooter")
    assert "Sharpshooter 1 needs Gun Combat 2" in plain(panel)
    await world.press(ana, panel, "Done")
    assert "Sharpshooter at 1 needs its skill at 2" in plain(panel)
    await _entry(world, panel, "Sharpshooter")
    await world.press(ana, panel, "Remove")
    await world.press(ana, panel, "Remove")
    assert "Fix this here" not in plain(panel)
    await world.press(ana, panel, "Next step")
    assert "4. Powers · 2 left" in plain(panel)
    await world.press(ana, panel, "Add power")
    await world.choose(ana, panel, "Effect", "Flight")
    await world.choose(ana, panel, "Rating", "2")
    assert "Superpowers: 2 of 2 rating levels used" in plain(panel)
    await world.press(ana, panel, "Done")
    await world.press(ana, panel, "Next step")
    await world.choose(ana, panel, "Advantages", "Lucky (1)")
    await world.choose(ana, panel, "Disadvantages", "Unlucky (1)")
    await _entry(world, panel, "Lucky")
    await world.choose(ana, panel, "Advantage", "Agile")
    await world.press(ana, panel, "Done")
    await world.press(ana, panel, "Next step")
    await world.choose(ana, panel, "Armor", "Leather")
    await world.choose(ana, panel, "Add a weapon", "Dagger")
    assert "Dagger goes with Melee Combat" in plain(panel), "a warning refuses nothing"
    await _entry(world, panel, "Dagger")
    await world.choose(ana, panel, "Drawn", "drawn")
    await world.press(ana, panel, "Done")
    await world.press(ana, panel, "Add armor")
    await world.choose(ana, panel, "Armor", "Padded")
    await world.press(ana, panel, "Done")
    await world.press(ana, panel, "Review")
    assert "points aren't spent" in plain(panel)
    await world.press(ana, panel, "Join the table")
    made = await sheet(world, "Dirk")
    assert (made.muscle, made.agility, made.intellect, made.vitality) == (2, 4, 0, 3)
    assert dict(made.maxima) == {"agility": 2, "vitality": -2}
    levels = {title_with_field(each.name, each.field): each.level for each in made.skills}
    assert levels == {"Pilot (ground)": 2, "Stealth": 3, "Superpowers": 1}
    assert made.specialties == ()
    assert [(each.name, each.rating, each.source) for each in made.powers] == [
        ("Flight", 2, "superpowers")
    ]
    assert (made.advantages, made.disadvantages) == (("Agile",), ("Unlucky",))
    assert [(each.name, each.drawn) for each in made.arms] == [("Dagger", True)]
    assert made.armour is not None and made.armour.name == "Leather"
    assert [each.name for each in made.spare_armour] == ["Padded"]


@pytest.mark.rule("EGO-CHR-01", "EGO-CHR-02")
async def test_a_fresh_draft_is_within_its_points(world: World) -> None:
    """Scores are bought from the least there is: 0, and 1 of Vitality."""
    await open_table(world)
    panel = await open_creation_panel(world)
    assert "97 points left of 100: abilities 3," in plain(panel)
    await write(world, world.ana, panel, name="Wisp")
    await world.choose(world.ana, panel, STEPS, "abilities")
    assert "97 points left of 100" in plain(panel) and "From 0" in plain(panel)
    await world.press(world.ana, panel, "Review")
    assert "Fix" not in plain(panel)
    await world.press(world.ana, panel, "Join the table")
    made = await sheet(world, "Wisp")
    assert (made.muscle, made.agility, made.intellect, made.vitality) == (0, 0, 0, 1)
    # So is a file that leaves them out, and of those in play nothing changes.
    private(await bring(world, world.ben, {"name": "Reed", "agility": 5}))
    made = await sheet(world, "Reed")
    assert (made.muscle, made.agility, made.vitality) == (0, 5, 1)
    await bring(world, world.gina, {"name": "Guard"}, npc=True)
    assert (await sheet(world, "Guard")).muscle == 10


@pytest.mark.rule("EGO-CHR-01")
async def test_a_field_that_is_emptied_again_is_as_if_nobody_had_written_in_it(
    world: World,
) -> None:
    await open_table(world)
    panel = await open_creation_panel(world)
    await write(world, world.ana, panel, name="Dirk", race="Elf", height="72")
    await write(world, world.ana, panel, name="Dirk", race="", height="")
    assert "Fix this here" not in plain(panel)
    await world.choose(world.ana, panel, STEPS, "abilities")
    assert "Muscle, Agility, Intellect, Vitality: Nothing yet. From 0 to 16" in plain(panel), (
        "said once"
    )
    await write(world, world.ana, panel, agility="8")
    assert "Muscle: Nothing yet. From 0 to 16" in plain(panel)
    assert "Agility: 8" in plain(
        panel
    ) and "Intellect, Vitality: Nothing yet. From 0 to 16" in plain(panel)
    await write(world, world.ana, panel, muscle="8", agility="8", intellect="8", vitality="8")
    await write(world, world.ana, panel, muscle="8", agility="8", intellect="8", vitality="")
    assert "25 points left of 100" in plain(panel)
    await write(world, world.ana, panel, muscle="8", agility="8", intellect="8", vitality="8")
    await world.press(world.ana, panel, "Review")
    await world.press(world.ana, panel, "Join the table")
    made = await sheet(world, "Dirk")
    assert (made.race, made.height) == ("Human", 72)


@pytest.mark.rule(
    "EGO-CHR-01", "EGO-CHR-02", "EGO-ADV-01", "EGO-SPC-01", "EGO-POW-01", "EGO-RAC-01"
)
async def test_everything_that_is_wrong_is_said_at_once_with_its_fix(world: World) -> None:
    await open_table(world)
    worse: dict[str, Any] = {
        **DIRK,
        "agility": 17,
        "maxima": {"muscle": 2},
        "skills": [{"name": "Gun Combat", "level": 1}, {"name": "Superpowers", "level": 1}],
        "advantages": ["Agile", "Agile"],
        "powers": [{"name": "Natural Weapon", "rating": 5}],
    }
    text = private(await bring(world, world.ana, worse))
    for part in (
        "124 points spent of 100", "Take 24 points back",
        "can't be 17", "Use 0 to 16",
        "the changes come to +2", "Take as much from one maximum as you add to another",
        "Sharpshooter at 1 needs its skill at 2", "Raise the skill to 2 first (2 points)",
        "Agile appears 2 times", "Take it 1 time at most",
        "Natural Weapon can't begin at 5", "Use 1 to 4",
        "the ratings come to 5, and Superpowers gives 2", "raise Superpowers to 3",
    ):  # fmt: skip
        assert part in text, (part, text)
    assert not (await world.state()).characters
    # GMs' NPCs and those who have grown elsewhere are exempt.
    await bring(world, world.gina, {**DIRK, "agility": 17, "name": "Boss"}, npc=True)
    assert (await sheet(world, "Boss")).agility == 17


@pytest.mark.rule("EGO-EQP-01")
async def test_money_is_rolled_once_and_spent(world: World) -> None:
    await open_table(world, starting_funds="3d6x10")
    await bring(world, world.ana, DIRK)
    world.dice.lay(3, 4, 4)
    assert "3, 4, 4 × 10 = 110 gp starting funds" in public(
        await world.ana.slash(world.zone, "ego funds")
    )
    refusal_of(await world.ana.slash(world.zone, "ego funds"))
    bought = public(await world.ana.slash(world.zone, "ego buy", what="Leather"))
    assert "Bought: Leather for 25 gp; 85 gp left" in bought
    await world.ana.slash(world.zone, "ego buy", what="dagger", count=2)
    made = await sheet(world, "Dirk")
    assert made.funds == 79 and [each.name for each in made.arms] == ["Dagger", "Dagger"]
    assert made.armour is not None and made.armour.ar == 5
    text = refusal_of(await world.ana.slash(world.zone, "ego buy", what="Powered armor"))
    assert "That costs 1000 gp, but you have 79 gp: 921 gp short." in text
    assert "its `price`" in refusal_of(await world.ana.slash(world.zone, "ego buy", what="Rope"))
    await world.ana.slash(world.zone, "ego buy", what="Rope", price=9)
    assert "GM" in refusal_of(await world.ana.slash(world.zone, "ego buy", what="Dagger", price=0))
    await world.restart()
    assert (await sheet(world, "Dirk")).funds == 70
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).funds == 79


@pytest.mark.rule("EGO-EQP-01")
async def test_a_fixed_sum_is_spent_on_what_is_carried_at_the_start(world: World) -> None:
    await open_table(world, starting_funds="100")
    armed = {**DIRK, "armour": "Leather", "arms": [{"name": "Sword, Long"}]}
    await bring(world, world.ana, armed)
    assert (await sheet(world, "Dirk")).funds == 65
    rich = {**DIRK, "name": "Rich", "armour": "Ballistic vest", "arms": [{"name": "Maul"}]}
    assert "the gear costs 120 gp, and you begin with 100 gp" in private(
        await bring(world, world.ben, rich)
    )


@pytest.mark.rule("EGO-LFT-01", "EGO-MOV-01", "EGO-SIZ-01", "EGO-RNG-03")
async def test_what_a_body_can_do(world: World) -> None:
    await open_table(world)
    await bring(world, world.ana, DIRK)
    text = private(await world.ana.slash(world.zone, "ego lift"))
    for part in ("160 pounds", "320 pounds", "480 pounds", "80 pounds"):
        assert part in text
    text = private(await world.ana.slash(world.zone, "ego throw", weight=16))
    assert "2.5 yards" in text and "10 yards" in text
    text = private(await world.ana.slash(world.zone, "ego move"))
    for part in ("12 feet a round", "24 feet a round", "36 feet a round", "Medium"):
        assert part in text


@pytest.mark.rule("EGO-RAC-01", "EGO-MOV-01")
async def test_what_the_fields_suggest_is_accepted_as_it_stands(world: World) -> None:
    await open_table(world)
    panel = await open_creation_panel(world)
    for height, maxima in (
        ("5'8\"", "agility 2, vitality -2"),
        ("172 cm", "agility 2; vitality −2"),
        ("5 ft 8 in", "agility 2\nvitality -2"),
        ("68", "Agility: 2, Vitality: -2"),
        ("1.72 m", "agility 2, vitality -2"),
    ):
        await write(world, world.ana, panel, name="Dirk", race="Elf", height=height, maxima=maxima)
        assert "Fix this here" not in plain(panel), plain(panel)
        await world.choose(world.ana, panel, STEPS, "traits")
        await write(world, world.ana, panel, advantages="Lucky, Attractive")
        assert "isn't" not in plain(panel), plain(panel)
        await world.choose(world.ana, panel, STEPS, "who")
    wrong = await write(
        world,
        world.ana,
        panel,
        name="Dirk",
        race="Elf",
        height="tall",
        maxima="luck 2, wit 4, pluck",
    )
    told = plain(panel)
    for part in ("tall", "luck", "wit", "pluck"):
        assert part in told, (part, told, wrong)
    assert "more." not in told
    await world.choose(world.ana, panel, STEPS, "powers")
    assert "Superpowers, Magic or Psionics on the skills step" in plain(panel)
    await world.choose(world.ana, panel, STEPS, "skills")
    await write(world, world.ana, panel, skills="Magic 1", specialties="")
    await world.choose(world.ana, panel, STEPS, "powers")
    assert "Superpowers, Magic or Psionics on" not in plain(panel)


@pytest.mark.rule("EGO-MOV-01", "EGO-SIZ-01")
def test_heights_are_read_in_feet_and_in_meters() -> None:
    typed = ["5'8\"", "5’8", "6'", "5 ft 8", "68 in", "172 cm", "1.72 m", "1,72m"]
    assert [read_height(each) for each in typed] == [68, 68, 72, 68, 68, 68, 68, 68]
    assert [read_height(each) for each in ("tall", "5'8'9", "", "-3 cm")] == [None] * 4


@pytest.mark.rule("EGO-SHT-01", "EGO-POW-01")
async def test_entries_of_a_character_in_play_are_changed_by_menus(world: World) -> None:
    await open_table(world)
    powers = [{"name": "Fire", "rating": 2}, {"name": "Air", "rating": 0, "source": "magic"}]
    await bring(world, world.ana, {**DIRK, "powers": powers}, grown=True)
    panel = message_of(await world.gina.slash(world.zone, "character edit", character="Dirk"))
    await world.choose(world.gina, panel, STEPS, "powers")
    assert "Powers:\nFire 2\nAir; magic" in plain(panel)
    options = menu(panel, ENTRIES)["options"]
    await world.choose(world.gina, panel, ENTRIES, options[0]["value"])
    assert selected_values(panel, "Source") == ["superpowers"]
    await world.choose(world.gina, panel, "Rating", "4")
    await world.press(world.gina, panel, "Done")
    await world.press(world.gina, panel, "Review")
    await world.press(world.gina, panel, labels(panel)[0])
    made = await sheet(world, "Dirk")
    assert [(each.name, each.rating, each.source) for each in made.powers] == [
        ("Fire", 4, "superpowers"),
        ("Air", 0, "magic"),
    ]
    assert [each.title for each in made.skills] == ["Gun Combat", "Stealth"], "all else stays"
