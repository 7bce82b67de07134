"""What a table of Barmore's dice pool says in so many words: refusals, settings, cards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.barmore import bar_table
from tests.discord.world import World, menu, private, refused, said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"difficulty": "hard"}, "`difficulty`: “hard” is not a whole number from −100 to 1000."),
        ({"difficulty": "99999999"}, "`difficulty`: 99999999 is not possible; it goes from −100 to 1000."),
        ({"difficulty": "9" * 40}, "999 is not possible; it goes from −100 to 1000."),
        ({"with": "convert: -1"}, "`convert`: −1 is not possible; it goes from 0 to 100."),
        ({"with": "convert: x"}, "`convert`: “x” is not a whole number from 0 to 100."),
        ({"with": "phases extra: 101"}, "`phases extra`: 101 is not possible; it goes from 0 to 100."),
        (
            {"with": "phases saved: 1, phases extra: 2"},
            "A task is either hurried or given more time. Give phases saved or phases extra, not both.",
        ),
        (
            {"with": "halvings: 1, phases saved: 1"},
            "`halvings` does not fit here, where time is counted in phases. Use phases saved or phases extra.",
        ),
    ],
)
async def test_numbers_are_refused_with_their_place_and_what_is_allowed(
    world: World, options: dict[str, Any], words: str
) -> None:
    await bar_table(world)
    before = await world.revision()
    given = {"skill": "Boats", "approach": "row", **options}
    assert words in refused(await world.ana.slash(world.zone, "check", **given))
    assert await world.revision() == before


async def test_times_that_make_no_work(world: World) -> None:
    await bar_table(world)
    given = {"name": "Pump", "who": "Marek", "difficulty": "15", "required": 8, "every": "0 hours"}
    text = refused(await world.gina.slash(world.zone, "barmore task start", **given))
    assert "One roll takes 1 minute at least and 36 days and 12 hours at most; you gave no minutes." in text


async def test_settings_that_mean_nothing_here_are_neither_shown_nor_taken(world: World) -> None:
    await bar_table(world)
    for text in (
        private(await world.gina.slash(world.zone, "gm settings")),
        private(await world.ana.slash(world.zone, "table show")),
    ):
        assert "Play by post" in text
        for word in ("stays open", "order of action is rolled", "sets the order", "softens", "is hit"):
            assert word not in text
    for option, value in (
        ("window_minutes", 5),
        ("house_initiative", True),
        ("hit_default", "suffer"),
        ("hit_hours", 3),
    ):
        text = refused(await world.gina.slash(world.zone, "gm settings", **{option: value}))
        assert f"`{option}` means nothing at this table: Barmore's dice pool has no use for it." in text


async def test_other_rules_keep_every_setting(world: World) -> None:
    await world.setup()
    text = private(await world.gina.slash(world.zone, "gm settings"))
    for option in ("window_minutes", "house_initiative", "hit_default", "hit_hours"):
        assert f"`{option}`" in text


@pytest.mark.rule("BAR-TRAIT")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"skill": "Boats", "with": "use: Rapier"}, "there is a score for Boats already. Leave `use` out."),
        ({"with": "use: Rapier"}, "“Rapier” stands in for nothing here: no trait is named."),
        (
            {"skill": "Medicine", "with": "use: Rapier"},
            "“Rapier” does not stand below Medicine in the tree, so it cannot take its place.",
        ),
        ({"skill": "Boats", "with": "mental"}, "“mental” speaks of an attack, and this is none."),
        ({"skill": "Boats", "with": "non-lethal"}, "“non-lethal” speaks of an attack, and this is none."),
    ],
)
async def test_what_belongs_to_something_else_is_refused(
    world: World, options: dict[str, Any], words: str
) -> None:
    await bar_table(world)
    before = await world.revision()
    assert words in refused(await world.ana.slash(world.zone, "check", **{"approach": "row", **options}))
    assert await world.revision() == before


def _offered(panel: Any) -> list[str]:
    return [each["value"] for each in menu(panel, "What makes it easier or harder")["options"]]


async def test_a_gm_is_offered_what_the_check_can_use(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, "check", skill="Boats", approach="row")
    panel = said(await world.press(world.gina, world.newest("Answer"), "Answer"))
    offered = _offered(panel)
    assert "halvings: 1" in offered
    assert "chances: 1" not in offered and "factor: 2" not in offered
    assert menu(panel, "Difficulty")
    await world.ana.slash(world.zone, "barmore team start", mode="either or", skill="Boats", approach="row")
    panel = said(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "chances: 1" in _offered(panel) and "factor: 2" not in _offered(panel)
