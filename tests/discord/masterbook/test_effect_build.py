"""`/effect build`: special effects built through the panel, from an empty page to the sheet."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from rules.systems.masterbook.formulas.effect_blueprint import KnownEffect, Rush
from rules.systems.masterbook.formulas.effect_rows import READY_MADE
from tests.discord.masterbook.table import FIGHTER, bring, open_table, sheet
from tests.discord.test_make_one_for_me import Counter
from tests.discord.world import (
    World,
    controls,
    dialog_values,
    head,
    labels,
    menu,
    menus,
    message_of,
    private,
    refusal_of,
    texts,
)

FIREBALL, BELT = READY_MADE[0], READY_MADE[1]
CASTER: Final = FIGHTER | {
    "mind": 12,
    "intellect": 12,
    "skills": [
        *FIGHTER["skills"],
        {"name": "Conjuration", "adds": 2},
        {"name": "Super-science", "adds": 3},
    ],
}
STEPS, ENTRIES, ADD = "Go to a step", "Change or remove an entry", "Add a condition"


class Builder(Counter):
    """Somebody at the panel of an effect."""

    async def build(self, who: Any = None, **options: Any) -> None:
        self.who = who or self.world.ana
        self.panel = message_of(await self.who.slash(self.world.zone, "effect build", **options))

    async def press(self, label: str) -> Any:
        return await self.world.press(self.who, self.panel, label)

    async def choose(self, placeholder: str, value: str) -> None:
        await self.turn_to(placeholder)
        await self.world.choose(self.who, self.panel, placeholder, value)

    async def turn_to(self, placeholder: str) -> None:
        """Turn to the page of menus on which one stands."""
        for _ in range(5):
            if menus(self.panel, placeholder):
                return
            more = [label for label in labels(self.panel) if label.startswith("More…")]
            assert more, (placeholder, labels(self.panel))
            await self.press(more[0])
        raise AssertionError(placeholder)

    async def switch_on(self, key: str) -> None:
        """Choose an entry of a menu that several fields share."""
        for _ in range(5):
            for each in controls(self.panel):
                values = [option["value"] for option in each.get("options", ())]
                if key in values:
                    held = [o["value"] for o in each["options"] if o.get("default")]
                    name = each["placeholder"]
                    await self.world.choose(self.who, self.panel, name, *held, key)
                    return
            more = [label for label in labels(self.panel) if label.startswith("More…")]
            await self.press(more[0])
        raise AssertionError(key)

    async def go(self, step: str) -> None:
        await self.world.choose(self.who, self.panel, STEPS, step)

    async def write(self, label: str = "Write…", **values: str) -> None:
        """Fill in the dialog behind a button; the label is its beginning."""
        name = next(each for each in labels(self.panel) if each.startswith(label))
        asked = await self.press(name)
        await self.who.submit_modal(asked, {**dialog_values(asked), **values})

    async def add(self, kind: str, level: str = "", typed: dict[str, str] | None = None) -> None:
        """Add a condition of this kind, which lowers the feedback."""
        place = next(
            option["value"]
            for option in menu(self.panel, ADD)["options"]
            if option["label"] == kind
        )
        await self.choose(ADD, place)
        await self.choose("Lowers", "fv")
        if level:
            title = {"Component": "Rarity"}.get(kind, "Complexity")
            await self.choose(title, level)
        if typed:
            button = next(each for each in labels(self.panel) if each.endswith("…"))
            await self.write(button, **typed)

    def entries(self, placeholder: str) -> list[str]:
        return [option["label"] for option in menu(self.panel, placeholder)["options"]]


async def open_panel(world: World, rules: dict[str, str] | None = None, **options: Any) -> Builder:
    """Ana's panel; Vesna casts with Conjuration 14 and Super-science 15."""
    await open_table(world, sheets={"Vesna": CASTER}, rules=rules)
    ana = Builder(world)
    await ana.build(**options)
    return ana


async def kept_effect(world: World, name: str = "Vesna") -> tuple[KnownEffect, ...]:
    return (await sheet(world, name)).effects


# --- whole effects --------------------------------------------------------------------------------


@pytest.mark.rule(
    *("MB-SFX-40", "MB-SFX-41", "MB-SFX-10", "MB-SFX-11", "MB-SFX-S00", "MB-SFX-S01", "MB-SFX-S02"),
    *("MB-SFX-S03", "MB-SFX-S04", "MB-SFX-S05", "MB-SFX-S06", "MB-SFX-S08", "MB-SFX-S10"),
    *("MB-SFX-S11", "MB-SFX-S12", "MB-SFX-S15", "MB-SFX-S16", "MB-SFX-S18", "MB-SFX-S19"),
    *("MB-SFX-S20", "MB-SFX-S21", "MB-SFX-S25"),
)
async def test_the_books_fireball_is_built_step_by_step(world: World) -> None:
    ana = await open_panel(world)
    await ana.choose("Skill", "Conjuration")
    await ana.write(name=FIREBALL.name, summary=FIREBALL.summary, description=FIREBALL.description)
    await ana.press("Next step")
    await ana.write(
        effect_value="20", range_value="50 m", duration_value="10 s", cast_time_value="4 h 10"
    )
    assert "isn't a measure" in ana.text and "4 h 10" in ana.text
    await ana.write(cast_time_value="15,000 s")
    assert "### 43 after the basics" in ana.text
    assert "Range: 60 m (9, up)" in ana.text
    assert "Speed: 60 m/s (9), as fast as the range" in ana.text
    assert "Cast time: 4 hours and 10 minutes (21)" in ana.text
    assert head(ana.panel) == "DN 11, FV 11 · worksheet total 22"
    await ana.go("targets")
    await ana.choose("Area", "sphere 2")
    await ana.write("Write…", traits="toughness, Perception")
    await ana.press("Next step")
    await ana.choose("Charges", "5")
    await ana.choose("Weaker at will", "10")
    await ana.choose("Ending it early", "off")
    await ana.switch_on("movement")
    await ana.choose("Charges are in", "mind")
    assert head(ana.panel) == "DN 32, FV 32 · worksheet total 64"
    assert "With Conjuration 14 you make it under 1% of the time." in ana.text
    await world.restart()
    await ana.go("split")
    await ana.choose("DN before conditions", "32")
    await ana.go("conditions")
    lines = "\n".join(
        (
            "component DN 4; a carved ivory wand",
            "component DN 2; incense that burns throughout; destroyed",
            "component DN 2; a flint that is scraped away; destroyed",
            "component DN 2; a candle that burns down; destroyed",
            "concentration FV 1 hour",
        )
    )
    await ana.write("Write…", conditions=lines)
    assert "Components: 16 of 16 used." in ana.text
    await ana.add("Gesture", "1", {"text": "light the incense"})
    assert "FV 26 → DN 16, FV 25" in ana.text
    await ana.press("Done")
    await ana.add("Gesture", "1", {"text": "strike the flint"})
    await ana.press("Done")
    await ana.add("Gesture", "2", {"text": "draw a circle around the target"})
    await ana.switch_on("at_release")
    await ana.press("Done")
    await ana.add("Incantation", "1", {"text": "a loud word in an old tongue"})
    await ana.switch_on("addons: foreign_tongue")
    await ana.switch_on("addons: very_loud")
    await ana.switch_on("at_release")
    await ana.press("Done")
    assert head(ana.panel) == "DN 16, FV 19 · worksheet total 64"
    odds = "13% of the time: its own roll 40%, those for its conditions 33%."
    assert f"With Conjuration 14 you make it {odds}" in ana.text
    assert "Just made, it costs you 5 wounds" in ana.text
    await ana.go("totals")
    assert "15. Charges: 64 (+10)" in ana.text
    await ana.go("play")
    await ana.choose("How it takes hold", "damage")
    await ana.choose("Resisted by", "Toughness")
    await ana.choose("Roll to hit", "casting")
    await ana.press("Review")
    assert "Conjuration · DN 16 · FV 19 · EV 20 (15)" in ana.text
    await ana.press("Save effect")
    assert "Vesna writes down Illusionary Fireball: DN 16, FV 19." in ana.text
    assert "Both are a third higher until it's learned: `/effect learn`" in ana.text
    # The speed follows the range, as nothing else was said.
    assert await kept_effect(world) == (KnownEffect(FIREBALL.replace(speed_value=None)),)


@pytest.mark.rule("MB-SFX-91", "MB-SFX-92", "MB-SFX-93", "MB-SFX-S12", "MB-SFX-S14", "MB-SFX-40")
async def test_the_books_flight_belt_is_rushed_in_play(world: World) -> None:
    rules = {"effect_component_cap": "off", "effect_rush": "on"}
    await open_table(world, sheets={"Vesna": CASTER}, rules=rules)
    await world.gina.slash(world.zone, "mb adventure start", name="The jungle")
    ana = Builder(world)
    await ana.build()
    await ana.choose("Skill", "Super-science")
    await ana.write(name=BELT.name, summary=BELT.summary, description=BELT.description)
    await ana.press("Next step")
    await ana.write(
        effect_value="15",
        range_value="0",
        speed_value="0",
        duration_value="1 hour",
        cast_time_value="10 minutes",
    )
    await ana.go("extras")
    await ana.choose("Ending it early", "off")
    assert ana.entries("Ending it early")[1].endswith("Off: +4")
    await ana.switch_on("movement")
    await ana.switch_on("focus_targets: 1")
    assert head(ana.panel) == "DN 16, FV 16 · worksheet total 32"
    await ana.go("split")
    await ana.choose("DN before conditions", "16")
    await ana.go("conditions")
    lines = "component DN 6; parts of a jet engine\ncomponent FV 4; jet fuel"
    await ana.write("Write…", conditions=lines)
    await ana.go("play")
    await ana.choose("How it takes hold", "movement")
    await ana.switch_on("on_self")
    await ana.write("Write…", resisting_number="100 kg")
    assert "Not learned: DN 10 → 14, FV 12 → 16; designing takes 25 minutes" in ana.text
    await ana.go("hurry")
    await ana.choose("Rush", "6")
    await ana.choose("Where the points go", "2/4")
    rushed = (
        "Not learned and rushed: DN 10 → 16, FV 12 → 22; designing takes 1 minute and 40 seconds"
    )
    assert rushed in ana.text
    await ana.press("Review")
    await ana.press("Save effect")
    (known,) = await kept_effect(world)
    assert known == KnownEffect(BELT, rush=Rush(6, 2, 4), undesigned=True)


async def test_a_template_is_a_whole_effect_in_three_choices(world: World) -> None:
    ana = await open_panel(world)
    await ana.choose("Begin with", "bolt")
    await ana.choose("Skill", "Conjuration")
    await ana.write(name="Spark")
    await ana.press("Review")
    await ana.press("Save effect")
    (known,) = await kept_effect(world)
    assert (known.name, known.learned, known.blueprint.range_value) == ("Spark", False, 9)
    await ana.build(like="spark")
    await ana.go("basics")
    await ana.press("+1")
    await ana.press("Review")
    await ana.press("Save effect")
    (changed,) = await kept_effect(world)
    assert changed.blueprint.effect_value == known.blueprint.effect_value + 1


async def test_a_copy_keeps_a_number_of_zero_and_a_long_description(world: World) -> None:
    lift = {
        "name": "Lift",
        "skill": "Conjuration",
        "action": "movement",
        "movement": True,
        "resisting_number": 0,
        "description": "Lift. " * 300 + "Done.",
    }
    caster = CASTER | {"effects": [{"blueprint": lift, "approved": True}]}
    await open_table(world, sheets={"Vesna": caster})
    ana = Builder(world)
    await ana.build(like="lift")
    await ana.go("idea")
    await ana.write(name="Second Lift")
    await ana.press("Review")
    await ana.press("Save effect")
    first, second = (known.blueprint for known in await kept_effect(world))
    assert second.resisting_number == 0
    assert second == first.replace(name="Second Lift")


async def test_a_sheet_takes_as_many_built_effects_as_its_file(world: World) -> None:
    many = [{"blueprint": {"name": f"Spark {n}", "skill": "Conjuration"}} for n in range(50)]
    await open_table(world, sheets={"Vesna": CASTER | {"effects": many}})
    ana = Builder(world)
    await ana.build(like="fireball")
    await ana.press("Review")
    why = refusal_of(await ana.press("Save effect"))
    assert "A sheet holds 50 effects" in why, why
    assert len(await kept_effect(world)) == 50


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-40")
async def test_nothing_is_lost_by_what_is_wrong(world: World) -> None:
    ana = await open_panel(world, like="fireball")
    await ana.go("basics")
    await ana.write(range_value="-5 m", cast_time_value="30")
    assert "isn't a measure" in ana.text and "50 m" in ana.text
    await ana.write(range_value="9")
    assert "Cast time 30 is too long: 21 at most." in ana.text
    await ana.write(cast_time_value="21")
    await ana.go("split")
    await ana.write("Write…", dn_share="60")
    assert "A DN of 60 out of 64 makes one figure more than twice" in ana.text
    await ana.press("Review")
    assert "Fix 2 things first" in ana.text
    saves = [each for each in controls(ana.panel) if each.get("label") == "Save effect"]
    assert [each["disabled"] for each in saves] == [True]
    await ana.press("Back to steps")
    await ana.go("split")
    await ana.write("Write…", dn_share="60:1")
    assert "“60:1” doesn't split 64. Write the DN before conditions, 22 to 42," in ana.text
    assert "or both figures: 32/32" in ana.text, ana.text
    await ana.write("Write…", dn_share="60:4")
    assert "A DN of 60 out of 64 makes one figure more than twice" in ana.text
    await ana.write("Write…", dn_share="DN 40, FV 24")
    assert "more than twice" not in ana.text and "doesn't split" not in ana.text
    await ana.write("Write…", dn_share="32")
    await ana.go("conditions")
    many = "\n".join(f"component DN 1; pebble {number}" for number in range(100))
    await ana.write("Write…", conditions=many)
    assert "too many entries: 100; use 25 at most" in ana.text
    await ana.write("Write…", conditions="a wand\ncomponent DN 4; a wand")
    assert "isn't a condition" in ana.text and "component DN 4; a carved wand" in ana.text
    await ana.go("idea")
    asked = await ana.press("Write…")
    assert asked.modal is not None
    world.emit_modal(world.ana, asked.modal["custom_id"], description="x" * 5000)
    await ana.go("play")
    await ana.go("idea")
    assert "too long, with 5000 characters" in ana.text, ana.text[ana.text.find("too long") :][:90]
    await ana.press("Discard draft")
    assert await kept_effect(world) == ()


@pytest.mark.rule("MB-SFX-22", "MB-SFX-40")
async def test_only_skills_that_sheets_have_are_rolled(world: World) -> None:
    ana = await open_panel(world, like="fireball")
    await ana.go("play")
    await ana.write("Write…", to_hit="Zen Flute", resisted_by="Karma")
    assert "Roll to hit: there's no “Zen Flute” to choose" in ana.text, ana.text
    assert "Resisted by: there's no “Karma” to choose" in ana.text, ana.text
    await ana.write("Write…", to_hit="casting", resisted_by="Willpower")
    assert "to choose" not in ana.text, ana.text
    bolt = {"name": "Bolt", "skill": "Conjuration", "to_hit": "Zen Flute"}
    zed = {"name": "Zed"} | CASTER | {"effects": [{"blueprint": bolt}]}
    told = refusal_of(await world.hand_in(world.ben, "zed.json", json.dumps(zed), grown=True))
    assert "“Zen Flute” isn't on the list" in told, told


@pytest.mark.rule("MB-SFX-40", "MB-SFX-S15")
async def test_a_total_that_no_casting_reaches_is_refused(world: World) -> None:
    ana = await open_panel(world, like="fireball")
    await ana.go("extras")
    await ana.write("Write…", extras=", ".join(f"bell {number} 100" for number in range(10)))
    wanted = "The subtotal is 1064: 1000 at most. This step costs 1010 of it. Buy less here."
    assert f"Elements of this world: {wanted}" in ana.text, ana.text
    await ana.write("Write…", extras="bell 100")
    assert "The subtotal is" not in ana.text


async def test_the_last_look_leads_to_what_is_wrong(world: World) -> None:
    ana = await open_panel(world, like="fireball")
    await ana.go("extras")
    await ana.switch_on("maintenance")
    assert "A charged effect can't be maintained." in ana.text
    await ana.press("Review")
    title = next(each["placeholder"] for each in controls(ana.panel) if "options" in each)
    found = menu(ana.panel, title)["options"]
    assert found[0]["label"].endswith("Extras")
    await ana.choose(title, found[0]["value"])
    assert "Step 4 of 8: Extras" in ana.text


# --- who may --------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-10", "MB-SFX-12")
async def test_only_who_casts_effects_builds_them(world: World) -> None:
    await open_table(world, sheets={"Vesna": CASTER})
    text = refusal_of(await world.ben.slash(world.zone, "effect build"))
    assert "no adds in a skill that casts effects" in text
    ana = Builder(world)
    await ana.build()
    assert len(ana.entries("Skill")) == 2
    text = refusal_of(await world.ana.slash(world.zone, "effect build", like="firebell"))
    assert "No effect" in text and "Illusionary Fireball" in text
    gina = Builder(world)
    await gina.build(world.gina, **{"as": "Thug"})
    assert len(gina.entries("Skill")) == 8


async def test_a_blueprint_is_told_to_its_owner_and_the_gms(world: World) -> None:
    ana = await open_panel(world, like="fireball")
    before = {each.id for each in world.messages()}
    await ana.press("Review")
    await ana.press("Save effect")
    assert "Only you and the GMs see this" in ana.text
    new = [texts(each) for each in world.messages() if each.id not in before]
    assert not [text for text in new if "Fireball" in text]
    log = private(await world.ben.slash(world.zone, "table last"))
    assert "Fireball" not in log


async def test_a_learned_effect_keeps_its_name(world: World) -> None:
    await open_table(world, sheets={"Vesna": CASTER}, life_points=2)
    ana = Builder(world)
    await ana.build(like="fireball")
    await ana.press("Review")
    await ana.press("Save effect")
    private(await world.ana.slash(world.zone, "effect learn", effect="illusionary"))
    await ana.build(like="fireball")
    await ana.press("Review")
    text = refusal_of(await ana.press("Save effect"))
    assert "Give this one another name" in text
    assert [each.learned for each in await kept_effect(world)] == [True]
    await ana.build(like="fireball")
    await ana.write(name="Greater Fireball")
    await ana.press("Review")
    await ana.press("Save effect")
    assert [each.learned for each in await kept_effect(world)] == [True, False]


async def test_feedback_is_read_as_the_table_reads_it(world: World) -> None:
    ana = await open_panel(world, rules={"effect_feedback_resist": "mind"}, like="fireball")
    assert "Just made, it costs you knockdown and KO" in ana.text
    await world.gina.slash(world.zone, "gm settings", setting="effect_world_difficulty", value="5")
    await ana.go("basics")
    assert "The world changes these figures at every cast." in ana.text
    await bring(world, world.ana, "Vesna", CASTER | {"mind": 13}, replace=True)
    await ana.go("basics")
    assert "With Conjuration 15" in ana.text


@pytest.mark.rule("MB-SFX-S06", "MB-SFX-S17", "MB-SFX-S22", "MB-SFX-S23", "MB-SFX-S24", "MB-SFX-41")
async def test_menus_show_prices_and_what_becomes_of_the_figures(world: World) -> None:
    ana = await open_panel(world, like="flight belt")
    await ana.go("targets")
    assert "Sphere 2 m" in "\n".join(ana.entries("Area"))
    details = [option.get("description") for option in menu(ana.panel, "Area")["options"]]
    assert "+10 (subtotal +11) · +2 to hit" in details
    await ana.go("conditions")
    fits = [option.get("description") for option in menu(ana.panel, ADD)["options"]]
    assert "Hardly ever for super-science" in fits
    for kind, title in (("Community", "Helpers"), ("Related skill", "Difficulty")):
        await ana.add(kind)
        await ana.turn_to(title)
        assert all("DN" in label for label in ana.entries(title)[1:]), ana.entries(title)
        await ana.press("Back")
        await ana.press("Discard")
    await ana.add("Other condition", typed={"text": "only in sunlight"})
    await ana.choose("How rarely met", "2")
    await ana.press("Done")
    assert "FV −2 · only in sunlight" in ana.entries(ENTRIES)
    await ana.choose(ENTRIES, menu(ana.panel, ENTRIES)["options"][2]["value"])
    await ana.press("Remove")
    await ana.press("Remove")  # it is asked about first
    assert "FV −2 · only in sunlight" not in ana.entries(ENTRIES)
    await ana.choose("Illusion", "10")
    await ana.choose("Points of the illusion", "4/0")
    assert "Illusion: " in ana.text


@pytest.mark.rule("MB-SFX-41", "MB-SFX-S21")
@pytest.mark.parametrize(("step", "points"), [("0", 3), ("1", 2), ("2", 1)])
async def test_an_ill_fitting_condition_counts_less(world: World, step: str, points: int) -> None:
    ana = await open_panel(world, {"effect_ill_fitting_step": step})
    await ana.go("idea")
    await ana.write(name="Ray")
    await ana.choose("Skill", "Super-science")
    await ana.go("conditions")
    await ana.add("Incantation", "3", {"text": "a formula"})
    await ana.press("Done")
    assert f"FV −{points} · a formula" in ana.entries(ENTRIES)[0], ana.entries(ENTRIES)
    assert ana.text.startswith(f"## DN 7, FV {8 - points} · worksheet total 15"), ana.text
    await ana.press("Review")
    levels = {"0": "", "1": ", and counts 1 level less", "2": ", and counts 2 levels less"}
    assert f"hardly suits super-science{levels[step]}. The GM may" in ana.text, ana.text
    await ana.press("Save effect")
    shown = private(await world.ana.slash(world.zone, "effect show", effect="Ray"))
    assert f"FV −{points} · a formula" in shown, shown


# --- drafts ---------------------------------------------------------------------------------------


async def test_a_closed_panel_keeps_its_draft_until_it_is_sent_or_discarded(world: World) -> None:
    ana = await open_panel(world)
    await ana.choose("Begin with", "bolt")
    await ana.choose("Skill", "Conjuration")
    await ana.write(name="Spark")
    assert "kept for 30 days" in ana.text
    await world.restart()
    again = Builder(world)
    await again.build()
    assert head(again.panel) == head(ana.panel) and "Spark" in again.text, again.text
    await again.press("Review")
    await again.press("Save effect")
    assert [known.name for known in await kept_effect(world)] == ["Spark"]
    await again.build()
    assert "Spark" not in again.text
    await again.write(name="Ember")
    await again.press("Discard draft")
    again.panel = message_of(await again.press("Discard"))
    assert head(again.panel) == "Draft discarded", again.text
    await again.build()
    assert "Ember" not in again.text


async def test_a_copy_has_a_draft_of_its_own(world: World) -> None:
    ana = await open_panel(world)
    await ana.write(name="Ember")
    await ana.build(like="fireball")
    assert "Ember" not in ana.text and "Illusionary Fireball" in ana.text
    await ana.write(name="Blaze")
    await ana.build()
    assert "Ember" in ana.text and "Blaze" not in ana.text
    await ana.build(like="fireball")
    assert "Blaze" in ana.text
    assert (await kept_effect(world)) == ()
