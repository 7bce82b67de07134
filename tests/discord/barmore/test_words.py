"""What a table of Barmore's dice pool says in so many words: refusals, settings, cards."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.discord.barmore import ILKA, bar_table, bring, rule, side
from tests.discord.world import (
    World,
    card,
    labels,
    menu,
    message_of,
    private,
    public,
    refusal_of,
    texts,
)

REFUSED_NUMBERS: Final = (
    ({"difficulty": "hard"}, "`difficulty`: “hard” isn't a whole number from −100 to 1000."),
    ({"difficulty": "99999999"}, "`difficulty`: invalid value: 99999999. Use −100 to 1000."),
    (
        {"difficulty": "9" * 40},
        "invalid value: 9999999999999999999999999999999999999999. Use −100 to 1000.",
    ),
    ({"with": "convert: -1"}, "`convert`: invalid value: −1. Use 0 to 100."),
    ({"with": "convert: x"}, "`convert`: “x” isn't a whole number from 0 to 100."),
    ({"with": "phases extra: 101"}, "`phases extra`: invalid value: 101. Use 0 to 100."),
    (
        {"with": "phases saved: 1, phases extra: 2"},
        "Either rush it or take more time, in phases or by halving and doubling. Give only one:",
    ),
    (
        {"with": "halvings: 1, phases saved: 1"},
        "Either rush it or take more time, in phases or by halving and doubling. Give only one:",
    ),
)


async def test_numbers_are_refused_with_their_place_and_what_is_allowed(world: World) -> None:
    await bar_table(world)
    before = await world.revision()
    for options, words in REFUSED_NUMBERS:
        given = {"skill": "Boats", "approach": "row", **options}
        assert words in refusal_of(await world.ana.slash(world.zone, "check", **given))
        assert await world.revision() == before


async def test_times_that_make_no_work(world: World) -> None:
    await bar_table(world)
    given = {"name": "Pump", "who": "Marek", "difficulty": "15", "required": 8, "every": "0 hours"}
    text = refusal_of(await world.gina.slash(world.zone, "barmore task start", **given))
    assert "Invalid time: 0 minutes. One roll takes 1 minute to 36 days and 12 hours." in text
    text = refusal_of(
        await world.gina.slash(world.zone, "barmore task start", **{**given, "every": "soon"})
    )
    assert "“soon” isn't a length of time." in text and "minus" not in text


async def test_settings_that_mean_nothing_here_are_neither_shown_nor_taken(world: World) -> None:
    await bar_table(world)
    for text in (
        private(await world.gina.slash(world.zone, "gm settings")),
        private(
            await world.press(
                world.ana, message_of(await world.ana.slash(world.zone, "table show")), "Settings"
            )
        ),
    ):
        assert "This table plays by post: answers in 1 day, turns in 2 days." in text
        for word in ("step", "initiative is rolled", "sets initiative", "softens", "is hit"):
            assert word not in text
    for option, value in (("step_in_minutes", 5), ("open_points", False), ("step_in_late", False)):
        text = refusal_of(await world.gina.slash(world.zone, "gm settings", **{option: value}))
        assert f"This table plays Barmore's dice pool, which doesn't use `{option}`." in text
    for setting, value in (("house_initiative", "on"), ("hit_default", "suffer")):
        said_so = {"setting": setting, "value": value}
        text = refusal_of(await world.gina.slash(world.zone, "gm settings", **said_so))
        assert "This table has no setting" in text, text


async def test_other_rules_keep_every_setting(world: World) -> None:
    await world.setup()
    text = await world.pages(
        world.gina, message_of(await world.gina.slash(world.zone, "gm settings"))
    )
    for title in ("Stepping in", "House rule", "Undecided hits", "Wait for everybody"):
        assert title in text


@pytest.mark.rule("BAR-TRAIT")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"skill": "Boats", "with": "use: Rapier"},
            "you already have a score for Boats. Leave `use` out.",
        ),
        ({"with": "use: Rapier"}, "“Rapier” has nothing to stand in for: no trait is named."),
        (
            {"skill": "Medicine", "with": "use: Rapier"},
            "“Rapier” isn't below Medicine in the tree, so it can't stand in.",
        ),
        ({"skill": "Boats", "with": "mental"}, "“mental” is for attacks, and this isn't one."),
        (
            {"skill": "Boats", "with": "non-lethal"},
            "“non-lethal” is for attacks, and this isn't one.",
        ),
    ],
)
async def test_what_belongs_to_something_else_is_refused(
    world: World, options: dict[str, Any], words: str
) -> None:
    await bar_table(world)
    before = await world.revision()
    assert words in refusal_of(
        await world.ana.slash(world.zone, "check", **{"approach": "row", **options})
    )
    assert await world.revision() == before


def _offered(panel: Any) -> list[str]:
    return [each["value"] for each in menu(panel, "All the rest")["options"]]


async def test_a_gm_is_offered_what_the_check_can_use(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, "check", skill="Boats", approach="row")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    offered = _offered(panel)
    assert "halvings: 1" in offered
    assert "chances: 1" not in offered and "factor: 2" not in offered
    assert menu(panel, "Difficulty")
    await world.ana.slash(
        world.zone, "barmore team start", mode="either or", skill="Boats", approach="row"
    )
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "chances: 1" in _offered(panel) and "factor: 2" not in _offered(panel)


@pytest.mark.rule("BAR-TRAIT")
async def test_a_justification_wants_a_reason_and_nothing_else_does(world: World) -> None:
    await bar_table(world)
    text = public(await world.ana.slash(world.zone, "check", skill="Boats"))
    assert "Nobody has said why" not in text
    text = public(await world.ana.slash(world.zone, "check", skill="Blades"))
    assert "**Asks for:** Rapier stands in for Blades" in text
    assert "Say why Rapier should stand in for Blades." in text
    text = public(await world.ana.slash(world.zone, "check", skill="Blades", approach="fence"))
    assert "Nobody has said why" not in text


@pytest.mark.rule("BAR-TEAM")
async def test_a_team_is_full_at_some_time(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(
        world.zone, "barmore team start", mode="worst roller", skill="Boats", approach="row"
    )
    await world.gina.slash(world.zone, "gm npc add", name="Hand", count=20)
    for number in range(1, 21):
        given = {"check": "c1", "as": f"Hand {number}", "skill": "none"}
        await world.gina.slash(world.zone, "barmore team join", **given)
    before = await world.revision()
    assert "Join" not in labels(world.card("c1"))
    text = refusal_of(
        await world.ben.slash(world.zone, "barmore team join", check="c1", skill="Knives")
    )
    assert "The team is full: 20 helpers are in it already." in text
    assert await world.revision() == before
    assert len((await world.state()).checks["c1"].data.other_entries) == 20
    given = {"check": "c1", "as": "Hand 7", "leave": True}
    await world.gina.slash(world.zone, "barmore team join", **given)
    assert "Join" in labels(world.card("c1"))


@pytest.mark.rule("BAR-TEAM", "BAR-POOL")
async def test_nobody_joins_a_pool_that_could_not_be_rolled(world: World) -> None:
    await bar_table(world)
    start = {
        "mode": "simple addition",
        "skill": "Boats",
        "with": "phases extra: 90",
        "approach": "row",
    }
    await world.ana.slash(world.zone, "barmore team start", **start)
    before = await world.revision()
    given = {"check": "c1", "skill": "Knives", "with": "phases extra: 20"}
    text = refusal_of(await world.ben.slash(world.zone, "barmore team join", **given))
    assert "you can roll at most 100 at once" in text
    given = {"check": "c1", "skill": "Knives", "with": "phases saved: 9"}
    assert "no Add Dice left" in refusal_of(
        await world.ben.slash(world.zone, "barmore team join", **given)
    )
    assert await world.revision() == before


async def test_gms_are_called_where_they_are_and_not_in_what_one_player_sees(world: World) -> None:
    await bar_table(world)
    given = {"target": "Ilka", "skill": "Boats", "approach": "row faster"}
    text = private(await world.ana.slash(world.zone, "contest", **given))
    assert "your call" not in text
    assert "your call: Marek against Ilka" in texts(world.last())


async def test_a_gm_reads_of_a_wound_once(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    await world.gina.slash(
        world.zone, "gm adjust", character="Sidor", what="new wound", value="physical 4"
    )
    text = private(await world.gina.slash(world.zone, "character show", character="Sidor"))
    assert text.count("#1 Moderate (physical)") == 1
    assert "**Health:** Hurt" in text


@pytest.mark.rule("BAR-OPPOSED", "BAR-AUTO")
async def test_against_somebody_who_never_rolls_the_card_says_so(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(world.zone, "gm npc add", name="Rat", stage="revealed")
    await world.ana.slash(world.zone, "contest", target="Rat", skill="Boats", approach="row")
    assert "One side rolls against the other's total without dice." in card(world)


@pytest.mark.rule("BAR-OPPOSED")
async def test_both_pools_are_told_with_their_owner(world: World) -> None:
    await bar_table(world)
    given = {"target": "Ilka", "skill": "Boats", "approach": "row faster"}
    await world.ana.slash(world.zone, "contest", **given)
    await rule(world, None)
    panel = await side(world, world.ben, "Respond", "none")
    world.dice.lay(8, 8, 8, 8, 1)
    await world.press(world.ben, panel, "Respond")
    text = card(world)
    assert "**Marek, pool:** 4 Add Dice (1 Add Die to start, Boats: +3 Add Dice)" in text
    assert "**Ilka, pool:** 1 Add Die" in text
    assert "\nPool: " not in text


@pytest.mark.rule("BAR-OPPOSED")
async def test_the_panel_of_a_response_says_whose_pool_it_shows(world: World) -> None:
    await bar_table(world)
    await bring(world, world.gina, {**ILKA, "name": "Olga"}, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Olga")
    await world.ana.slash(world.zone, "attack", target="Olga", skill="Boats", approach="so")
    await rule(world, None)
    panel = message_of(await world.press(world.gina, world.newest("Defend"), "Defend"))
    assert "**Marek, pool:** 4 Add Dice" in texts(panel), texts(panel)
    assert "**Pool:**" not in texts(panel)


async def test_what_stands_below_another_trait_cannot_be_used(world: World) -> None:
    await bar_table(world)
    given = {"skill": "Blades", "approach": "fence", "with": "use: Boats"}
    text = refusal_of(await world.ana.slash(world.zone, "check", **given))
    assert "“Boats” isn't below Blades in the tree" in text
    assert "For example: “Rapier”." in text


async def test_the_journal_says_who_before_what(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(
        world.zone, "gm adjust", character="Marek", what="new wound", value="physical 4"
    )
    assert "Marek: New Wound" in private(await world.gina.slash(world.zone, "gm log"))
