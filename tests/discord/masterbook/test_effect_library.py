"""The library of effects, learning, sharing and quick effects, by `/effect`."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from rules.systems.masterbook.formulas.effect_blueprint import GivenFigures
from tests.discord.masterbook.table import FIGHTER, open_table, sheet
from tests.discord.masterbook.test_creation_pages import option_value
from tests.discord.test_make_one_for_me import STEPS, Counter
from tests.discord.world import World, labels, menu, message_of, private, refusal_of, texts

MAGE: Final[dict[str, Any]] = {
    "life_points": 5,
    "mind": 11,
    "skills": [*FIGHTER["skills"], {"name": "Conjuration", "adds": 3}],
}
FIREBALL: Final = "Illusionary Fireball"


async def open_mages_table(
    world: World, *, sheets: dict[str, Any] | None = None, **settings: Any
) -> None:
    """Open a table where Ana's Vesna conjures."""
    own = {"Vesna": MAGE, **(sheets or {})}
    await open_table(world, gm_channel=True, sheets=own, **settings)


@pytest.mark.rule("MB-SFX-12", "MB-SFX-13")
async def test_an_effect_of_the_library_is_learned_for_a_life_point(world: World) -> None:
    await open_mages_table(world)
    listed = private(await world.ana.slash(world.zone, "effect list"))
    assert FIREBALL in listed and "DN 16, FV 19, EV 20" in listed
    answer = private(await world.ana.slash(world.zone, "effect learn", effect="illusionary"))
    assert "Vesna learns Illusionary Fireball" in answer
    assert "1 of 5 effects of Conjuration known" in answer
    assert "1 Life Point spent, 4 left" in answer
    vesna = await sheet(world, "Vesna")
    assert vesna.life_points == 4 and vesna.effects[0].learned
    again = refusal_of(await world.ana.slash(world.zone, "effect learn", effect=FIREBALL))
    assert "knows “Illusionary Fireball” already" in again
    shown = private(await world.ana.slash(world.zone, "character show"))
    assert "Effects" in shown


@pytest.mark.rule("MB-SFX-12", "MB-SFX-13")
async def test_learning_is_refused_with_the_reason(world: World) -> None:
    await open_mages_table(
        world, rules={"effect_skill_points_each": "6", "effect_learning_cost": "3"}
    )
    ben = refusal_of(await world.ben.slash(world.zone, "effect learn", effect=FIREBALL))
    assert "Boris needs an add in Conjuration" in ben
    nothing = refusal_of(await world.ana.slash(world.zone, "effect learn", effect="Wish"))
    assert "No effect “Wish” here" in nothing
    private(await world.ana.slash(world.zone, "effect learn", effect=FIREBALL))
    names = ("Second", "Third", "Fourth")
    await _library(world, *({"name": name, "skill": "Conjuration"} for name in names))
    poor = refusal_of(await world.ana.slash(world.zone, "effect learn", effect="Second"))
    assert "That costs 3 points, and you have 2 Life Points" in poor
    await world.gina.slash(
        world.zone, "gm settings", setting="effect_learning_cost", value="nothing"
    )
    for name in ("Second", "Third"):
        private(await world.ana.slash(world.zone, "effect learn", effect=name))
    full = refusal_of(await world.ana.slash(world.zone, "effect learn", effect="Fourth"))
    assert "Vesna knows 3 of 3 effects of Conjuration" in full


async def _library(world: World, *rows: dict[str, Any]) -> None:
    """Put effects into the campaign's library by its file."""
    text = json.dumps({"effects": [*rows]}).encode()
    private(await world.gina.slash(world.zone, "gm campaign", file=("rows.json", text)))


@pytest.mark.rule("MB-SFX-13")
async def test_effects_to_learn_stand_among_the_steps_of_growth(world: World) -> None:
    known = [{"blueprint": {"name": "Glow", "skill": "Conjuration"}}]
    await open_mages_table(world, sheets={"Vesna": MAGE | {"effects": known}})
    offered = await world.ana.autocomplete(world.zone, "character advance", "skill", "glow")
    assert "effect Glow" in [choice["value"] for choice in offered]
    await world.ana.slash(world.zone, "character advance", skill="effect Glow")
    assert "Vesna learns Glow" in texts(world.last())
    vesna = await sheet(world, "Vesna")
    assert vesna.effects[0].learned and vesna.life_points == 4


@pytest.mark.rule("MB-SFX-21")
async def test_gms_are_asked_once_how_feedback_is_read(world: World) -> None:
    await open_mages_table(world)
    private(await world.ana.slash(world.zone, "effect learn", effect=FIREBALL))
    asked = world.newest("Take off Mind", world.gm_room)
    assert "costs 5 wounds" in texts(asked) and "Mind 9, costs 2 wounds" in texts(asked)
    waits = private(await world.gina.slash(world.zone, "moves"))
    assert "costs 5 wounds" in waits
    await world.press(world.gina, asked, "Read it in full")
    state = await world.state()
    assert state.settings.own["effect_feedback_resist"] == "none"
    assert "costs 5 wounds" not in private(await world.gina.slash(world.zone, "moves"))
    await world.gina.slash(
        world.zone, "gm settings", setting="effect_feedback_resist", value="mind"
    )
    assert (await world.state()).settings.own["effect_feedback_resist"] == "mind"


@pytest.mark.rule("MB-SFX-11", "MB-SFX-93")
async def test_an_effect_is_shown_with_its_picture_and_its_worksheet(world: World) -> None:
    own = [{"blueprint": {"name": "Glow", "skill": "Conjuration", "description": "Light."}}]
    await open_mages_table(world, sheets={"Vesna": MAGE | {"effects": own}})
    ready = await world.ana.slash(world.zone, "effect show", effect=FIREBALL)
    assert "DN **16** · FV **19** · EV **20** (15)" in private(ready)
    files = {file.filename: file for file in message_of(ready).attachments}
    assert set(files) == {"sheet.png", "print.png", "illusionary-fireball.txt"}
    spoken = files["sheet.png"].description
    assert spoken is not None and "Conjuration, DN 16" in spoken and "**" not in spoken, spoken
    # Unlearned, a third more.
    glow = private(await world.ana.slash(world.zone, "effect show", effect="Glow"))
    assert "Light." in glow and "DN **10** · FV **11**" in glow and "not learned" in glow
    assert "No effect “Glow” here" in refusal_of(
        await world.ben.slash(world.zone, "effect show", effect="Glow")
    )
    for_gm = await world.gina.slash(world.zone, "effect show", effect="Glow", character="Vesna")
    assert "not learned" in private(for_gm)


async def test_lists_tell_whom_what_they_may_read(world: World) -> None:
    own = [{"blueprint": {"name": "Glow", "skill": "Conjuration"}}]
    thug = {"effects": [{"blueprint": {"name": "Curse", "skill": "Faith"}}]}
    await open_mages_table(world, sheets={"Vesna": MAGE | {"effects": own}, "Thug": thug})
    assert "Glow" in private(await world.ana.slash(world.zone, "effect list"))
    ben = private(await world.ben.slash(world.zone, "effect list"))
    assert "Glow" not in ben and "Curse" not in ben and FIREBALL in ben
    gina = private(await world.gina.slash(world.zone, "effect list"))
    assert "Glow" in gina and "Curse" in gina
    only = private(await world.gina.slash(world.zone, "effect list", character="Thug"))
    assert "Curse" in only and "Glow" not in only and FIREBALL not in only
    found = private(await world.ana.slash(world.zone, "effect list", text="faith"))
    assert "Blessed Crops" in found and FIREBALL not in found
    nothing = private(await world.ana.slash(world.zone, "effect list", text="xyzzy"))
    assert "No effects found" in nothing
    assert "Thug" not in refusal_of(
        await world.ben.slash(world.zone, "effect list", character="Vesna")
    )


@pytest.mark.rule("MB-SFX-15", "MB-SFX-90")
async def test_gms_give_quick_effects_and_artifacts(world: World) -> None:
    await open_mages_table(world)
    assert "Only the GM" in refusal_of(await world.ana.slash(world.zone, "effect quick"))
    panel = message_of(await world.gina.slash(world.zone, "effect quick", character="Vesna"))
    assert "Effect for Vesna" in texts(panel)
    await world.choose(world.gina, panel, "Skill", "Conjuration")
    first, second = [label for label in labels(panel) if label.endswith("…")]
    figures = {
        "name": "Spark",
        "effect_value": "20",
        "dn": "30",
        "fv": "3",
        "summary": "It stings.",
    }
    await world.gina.submit_modal(await world.press(world.gina, panel, first), figures)
    measures = {"range_value": "60 m", "duration_value": "5", "cast_time_value": "10"}
    dialog = await world.press(world.gina, panel, second)
    await world.gina.submit_modal(dialog, {"speed_value": "", "description": "", **measures})
    # 20 + 9 + 9 + 5 = 43: half of it to its double, the cast time taken off.
    assert "12 to 76 together" in texts(panel)
    wrong = await world.press(world.gina, panel, "Give to Vesna")
    assert "more than twice the other" in private(wrong) or "more than twice the other" in texts(
        panel
    )
    assert not (await sheet(world, "Vesna")).effects
    dialog = await world.press(world.gina, panel, first)
    await world.gina.submit_modal(dialog, {**figures, "fv": "15"})
    await world.press(world.gina, panel, "Give to Vesna")
    (known,) = (await sheet(world, "Vesna")).effects
    assert known.learned and known.approved
    assert known.blueprint.given == GivenFigures(30, 15)
    assert known.blueprint.range_value == 9 and known.blueprint.cast_time_value == 10
    assert "DN **30** · FV **15**" in private(
        await world.ana.slash(world.zone, "effect show", effect="Spark")
    )


@pytest.mark.rule("MB-SFX-15")
async def test_artifacts_have_any_figures_and_cannot_be_copied(world: World) -> None:
    own = {"name": "Orb", "skill": "Conjuration", "given": {"dn": 3, "fv": 40, "artifact": True}}
    await open_mages_table(world)
    await _library(world, own)
    assert "DN **3** · FV **40**" in private(
        await world.ana.slash(world.zone, "effect show", effect="Orb")
    )
    assert "can't be copied" in refusal_of(
        await world.ana.slash(world.zone, "effect learn", effect="Orb")
    )


@pytest.mark.rule("MB-SFX-11")
async def test_a_player_shares_an_effect_by_the_gms_leave(world: World) -> None:
    own = [{"blueprint": {"name": "Glow", "skill": "Conjuration", "summary": "A light."}}]
    await open_mages_table(world, sheets={"Vesna": MAGE | {"effects": own}})
    private(await world.ana.slash(world.zone, "effect share", effect="Glow"))
    call = texts(world.newest("Answer", world.gm_room))
    assert "Vesna would share an effect. Glow" in call and call.count("A light.\n") == 1, call
    again = refusal_of(await world.ana.slash(world.zone, "effect share", effect="Glow"))
    assert "The GM has “Glow” already" in again
    assert "Glow" not in private(await world.ben.slash(world.zone, "effect list"))
    question = message_of(
        await world.press(world.gina, world.newest("Answer", world.gm_room), "Answer")
    )
    await world.choose(world.gina, question, "Answer", "allow")
    await world.press(world.gina, question, "Allow")
    assert "Glow" in private(await world.ben.slash(world.zone, "effect list"))
    assert "in the library already" in refusal_of(
        await world.gina.slash(world.zone, "effect share", effect="Glow")
    )


@pytest.mark.parametrize("answer", ["Allow", "Refuse"])
async def test_a_player_reads_the_answer_that_the_gm_gives_in_the_gm_channel(
    world: World, answer: str
) -> None:
    own = [{"blueprint": {"name": "Glow", "skill": "Conjuration"}}]
    await open_mages_table(world, sheets={"Vesna": MAGE | {"effects": own}})
    private(await world.ana.slash(world.zone, "effect share", effect="Glow"))
    question = message_of(
        await world.press(world.gina, world.newest("Answer", world.gm_room), "Answer")
    )
    await world.choose(world.gina, question, "Answer", answer.lower())
    await world.press(world.gina, question, answer)
    assert all("Show" not in labels(each) for each in world.messages(world.gm_room))
    told = private(await world.press(world.ana, world.newest("Show"), "Show"))
    assert "Glow" in told and ("in the library now" in told) == (answer == "Allow"), told


async def test_offers_are_told_apart_by_their_buttons(world: World) -> None:
    own = [{"blueprint": {"name": name, "skill": "Conjuration"}} for name in ("Glow", "Murk")]
    await open_mages_table(world, sheets={"Vesna": MAGE | {"effects": own}})
    for name in ("Glow", "Murk"):
        private(await world.ana.slash(world.zone, "effect share", effect=name))
    waits = message_of(await world.gina.slash(world.zone, "moves"))
    assert {"Answer: Glow", "Answer: Murk"} <= set(labels(waits)), labels(waits)
    assert "How does feedback hurt casters?" in texts(waits)


async def test_a_character_that_waits_for_the_gm_shares_nothing_yet(world: World) -> None:
    own = [{"blueprint": {"name": "Glow", "skill": "Conjuration"}}]
    await open_mages_table(world, sheets={"Vesna": MAGE | {"effects": own}}, approve=True)
    why = refusal_of(await world.ana.slash(world.zone, "effect share", effect="Glow"))
    assert "Vesna is waiting for the GM" in why, why


async def test_everybody_reads_how_the_gm_reads_feedback(world: World) -> None:
    await open_mages_table(world)
    private(await world.ana.slash(world.zone, "effect learn", effect=FIREBALL))
    asked = world.newest("Take off Mind", world.gm_room)
    await world.press(world.gina, asked, "Read it in full")
    assert "Casters take feedback in full" in texts(world.last())


@pytest.mark.rule("MB-SFX-12")
async def test_gms_agree_to_effects_where_they_look_at_characters(world: World) -> None:
    await open_mages_table(world)
    await world.gina.slash(world.zone, "gm settings", approve=True)
    asked = private(await world.ana.slash(world.zone, "effect learn", effect=FIREBALL))
    assert "Sent to the GM" in asked
    waits = refusal_of(await world.ana.slash(world.zone, "effect learn", effect=FIREBALL))
    assert "waits for the GM" in waits
    question = message_of(
        await world.press(world.gina, world.newest("Answer", world.gm_room), "Answer")
    )
    await world.choose(world.gina, question, "Answer", "allow")
    await world.press(world.gina, question, "Allow")
    learned = private(await world.ana.slash(world.zone, "effect learn", effect=FIREBALL))
    assert "1 of 5 effects" in learned


# --- new characters -------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-12", "MB-SFX-13", "MB-SFX-40")
async def test_a_new_characters_effects_are_checked_and_learned_in_play(world: World) -> None:
    await world.setup(system="masterbook", gm_channel=True)
    new = {
        "name": "Nura",
        **dict.fromkeys(("agility", "dexterity", "endurance", "strength"), 9),
        **dict.fromkeys(("intellect", "mind", "confidence", "charisma"), 8),
        "skills": [{"name": "Conjuration", "adds": 1}],
    }
    wrong = {"name": "Glow", "skill": "Conjuration", "cast_time_value": 40}
    given = {"name": "Orb", "skill": "Conjuration", "given": {"dn": 3, "fv": 40}}
    rows = [{"blueprint": wrong}, {"blueprint": given}]
    told = refusal_of(await _hand_in(world, {**new, "effects": rows}))
    assert "effects[0].cast_time_value" in told and "Only the GM sets the figures of “Orb”" in told
    claimed = {"blueprint": {"name": "Glow", "skill": "Conjuration"}, "learned": True}
    await world.gina.slash(world.zone, "gm settings", approve=True)
    await _hand_in(world, {**new, "effects": [FIREBALL, claimed]})
    told = "".join(map(texts, world.messages(world.gm_room)))
    assert "Learn Glow in play" in told
    assert "Effect: Glow (Conjuration) DN 7, FV 8" in told
    nura = await sheet(world, "Nura")
    assert [known.learned for known in nura.effects] == [False, False]


async def _hand_in(world: World, row: dict[str, Any]) -> Any:
    return await world.hand_in(world.ana, "nura.json", json.dumps(row))


@pytest.mark.rule("MB-SFX-12")
async def test_the_step_of_effects_copies_one_of_the_library(world: World) -> None:
    await world.setup(system="masterbook", gm_channel=True)
    ana = Counter(world)
    await ana.open()
    await ana.press("Make your own")
    steps = [option["label"] for option in menu(ana.panel, STEPS)["options"]]
    assert not any(step.startswith("Effects") for step in steps)
    await ana.choose(STEPS, "skills")
    await ana.write(skills="Conjuration 1")
    await ana.choose(STEPS, "effects")
    assert "Conjuration" in ana.text and "can be learned" in ana.text
    await ana.choose("Add an effect", option_value(ana.panel, "Add an effect", FIREBALL))
    assert f"Entry: {FIREBALL}: DN 16, FV 19\n" in ana.text
    await ana.press("Done")
    assert f"{FIREBALL}: DN 16, FV 19" in ana.text
