"""The words of `with` through Discord, in all systems: what autocomplete offers, and what is said
of a slip.
"""

from __future__ import annotations

from string import ascii_lowercase
from typing import Any

import pytest

from rules.registry import read_only_game
from rules.table.forms.entry_fields import Lines, Rows
from rules.table.forms.fields import FormContext
from rules.table.forms.form import Form
from tests.discord.barmore import MAREK, bar_table
from tests.discord.barmore import bring as bring_barmore
from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.world import World, refusal_of


async def offered_words(world: World, command: str, who: Any = None, **more: Any) -> list[str]:
    """Every word that autocomplete offers, whatever letter is typed."""
    found: dict[str, None] = {}
    asks = who or world.ana
    for letter in ascii_lowercase:
        for each in await asks.autocomplete(world.zone, command, "with", letter, **more):
            found[each["value"]] = None
    return [*found]


async def test_ego_offers_what_is_typed_with_an_example(world: World) -> None:
    await ego_table(world)
    attack = await offered_words(world, "attack")
    for word in ("to damage: 1", "shots: 1", "weight: 2", "caught: name 10", "karma damage: 1"):
        assert word in attack, (word, attack)
    assert {"seconds: 30", "toward: name"} <= {*await offered_words(world, "check")}
    assert not [
        each for each in await offered_words(world, "ego use") if each.startswith("points")
    ], "the command has an option of its own"


async def test_masterbook_offers_what_is_typed_with_an_example(world: World) -> None:
    await masterbook_table(world)
    attack = await offered_words(world, "attack")
    for word in ("also: name 3", "shots: 2", "together: name"):
        assert word in attack, (word, attack)
    assert "group: 2" not in attack, "that is the GMs'"
    assert "group: 2" in await offered_words(world, "attack", world.gina, **{"as": "Thug"})
    taunt = await offered_words(world, "mb interact", skill="Taunt", target="Boris")
    assert "rows: appropriate 1" in taunt, taunt
    told = refusal_of(
        await world.ana.slash(
            world.zone, "mb interact", target="Boris", skill="Taunt", **{"with": "fitting: 2"}
        )
    )
    assert "circumstance: appropriate" in told, told


async def test_barmore_offers_what_is_typed_with_an_example(world: World) -> None:
    await bar_table(world)
    await bring_barmore(world, world.ana, MAREK)
    words = await offered_words(world, "check")
    assert any(each.startswith("support") for each in words), words


@pytest.mark.parametrize("system", ["ebb", "ego", "barmore", "masterbook"])
async def test_every_word_is_offered_in_every_system(world: World, system: str) -> None:
    """No field can be said in `with` of which no word is ever shown."""
    await world.setup(system=system)
    game = read_only_game(await world.state())
    for kind, course in game.system.procedures.items():
        for field in () if course.form is None else course.form.fields:
            if isinstance(field, Lines | Rows) or callable(field.choices):
                continue
            asking = FormContext(game)
            if field.hidden_if(asking, field.key) is None:
                assert Form((field,)).word_options(asking), (kind, field.key)


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("rnge 8", "range 8"),
        ("rnge: 8", "range: 8"),
        ("to damge 1", "to damage 1"),
        ("brst", "burst"),
    ],
)
async def test_a_slip_keeps_the_number_that_was_typed(world: World, slip: str, meant: str) -> None:
    await ego_table(world)
    shot = {"weapon": "Assault rifle", "with": slip}
    told = refusal_of(await world.ana.slash(world.zone, "attack", target="Orc", **shot))
    assert f"`with` has no “{slip}”. Did you mean “{meant}”?" in told, told
