"""Attacks on MasterBook's special effects: hidden numbers, others' rights, races, endless time."""

from __future__ import annotations

import time
from typing import Any, Final

import pytest
from simcord.backend.errors import SetupError

from rules.registry import read_only_game
from rules.systems.masterbook.effects.state import effects_of, running_effects
from tests.attack.forged_requests import no_faults
from tests.discord.masterbook.cards.deck import who
from tests.discord.masterbook.effect_table import (
    EVEN,
    advance_time,
    cast_effect,
    effect,
    everything,
    open_effect_table,
    said_since,
)
from tests.discord.masterbook.table import THUG, bring, newest, open_table, sheet
from tests.discord.rounds import acts, gather, next_turn
from tests.discord.world import World, labels, message_of, private, refusal_of, texts

NEAR: Final = {"with": "meters 3"}
BOOST: Final = effect(
    "Boost", action="raise", traits=["Strength"], effect_value=17, duration_value=8
)
SWITCHED: Final = BOOST | {"switch": "on_off", "duration_value": 20}
INSIGHT: Final = effect(
    "Insight", action="points", resisted_by="Willpower", effect_value=14, duration_value=8
)
CANDLE: Final = {"kind": "component", "text": "a candle", "level": 2}
#: Longer than a life, every round of it.
BURN: Final = effect("Burn", action="damage", duration_value=60, every_round=True)


def caster(*effects: dict[str, Any]) -> dict[str, Any]:
    """Return the sheet of a thug with Conjuration 11."""
    skills = [*THUG["skills"], {"name": "Conjuration", "adds": 3}]
    known = [{"blueprint": each, "learned": True, "approved": True} for each in effects]
    return {"skills": skills, "mind": 8, "effects": known}


async def npc_casts(world: World, name: str, **options: Any) -> tuple[str, str]:
    """Cast an effect as the thug, for all to see; what the channel is told, and what the GM is."""
    before = {each.id for each in world.messages()}
    world.dice.lay(*EVEN)
    given = {"as": "Thug", "visibility": "public"} | options
    result = await world.gina.slash(world.zone, "effect cast", effect=name, **given)
    mine = [texts(each) for each in (result.response, *result.followups) if each is not None]
    return said_since(world, before), "\n".join(mine)


# --- hidden numbers -------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-24", "MB-SFX-25")
@pytest.mark.parametrize(
    ("known", "seen"),
    [(BOOST, "Boris: Strength 9 → 12."), (INSIGHT, "Boris: reached.")],
)
async def test_players_read_no_effect_value_of_an_npc(
    world: World, known: dict[str, Any], seen: str
) -> None:
    await open_effect_table(world, sheets={"Thug": caster(known)}, gm_channel=True)
    told, mine = await npc_casts(world, known["name"], target="Boris", **NEAR)
    assert seen in told, told
    value = str(known["effect_value"])
    assert value not in told and "point" not in told, told
    assert f"({value} against 9)" in mine, mine


@pytest.mark.rule("MB-SFX-29")
async def test_players_read_neither_value_nor_number_of_an_npcs_charges(world: World) -> None:
    rod = effect("Rod", action="words", charges=4)
    ward = effect("Alarm", action="words", charges=3, ward="the door opens", duration_value=8)
    await open_effect_table(world, sheets={"Thug": caster(rod, ward)}, gm_channel=True)
    for name in ("Rod", "Alarm"):
        world.dice.lay(*EVEN)
        await world.gina.slash(world.zone, "effect cast", effect=name, **{"as": "Thug"})
    before = {each.id for each in world.messages()}
    public = {"as": "Thug", "visibility": "public"}
    await world.gina.slash(world.zone, "effect use", charge="Rod", target="Boris", **public)
    await world.gina.slash(world.zone, "effect ward", character="Thug", number=0)
    told = said_since(world, before)
    assert "Rod goes off" in told and "Alarm goes off" in told, told
    assert "left" not in told and "effect value" not in told, told


@pytest.mark.rule("MB-SFX-28")
async def test_players_read_nothing_of_an_effect_that_an_npc_maintains(world: World) -> None:
    keep = BOOST | {"name": "Keep", "maintenance": True, "duration_value": 5}
    await open_effect_table(world, sheets={"Thug": caster(keep)}, gm_channel=True)
    await npc_casts(world, "Keep", target="Boris", **NEAR)
    assert "maintain" not in await advance_time(world, "1 min")
    before = {each.id for each in world.messages()}
    panel = message_of(await world.gina.slash(world.zone, "effect running"))
    world.dice.lay(*EVEN)
    await world.press(world.gina, panel, "Maintain Keep (DN 4, FV 0)")
    assert world.dice.left == 0
    assert said_since(world, before) == ""


async def test_only_casters_list_their_effects(world: World) -> None:
    await open_effect_table(world, SWITCHED, sheets={"Thug": caster(SWITCHED)}, gm_channel=True)
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    await npc_casts(world, "Boost", target="Boris", **NEAR)
    seen = message_of(await world.ben.slash(world.zone, "effect running"))
    assert texts(seen).count("Boost on Boris") == 2 and not labels(seen), texts(seen)
    assert "Thug" not in texts(seen) and texts(seen).count("Strength") == 1, texts(seen)
    assert private(await world.ana.slash(world.zone, "effect running")).count("Boost on") == 1
    for command in ("effect steer", "effect end"):
        assert not await world.ben.autocomplete(world.zone, command, "effect", "")


HUSH: Final = SWITCHED | {"name": "Hush", "duration_value": 8, "target_changes": 3}
VISIBILITIES: Final = [("Vesna", "private"), ("Vesna", "blind"), ("Thug", "private")]


async def secretly(world: World, name: str, caster: str, visibility: str, **options: Any) -> None:
    """Cast an effect on Boris that not everybody knows of."""
    world.dice.lay(*EVEN)
    given = {"as": caster, "visibility": visibility, "target": "Boris"} | NEAR | options
    person = world.gina if caster == "Thug" else world.ana
    await person.slash(world.zone, "effect cast", effect=name, **given)
    assert world.dice.left == 0


@pytest.mark.rule("MB-SFX-26", "MB-SFX-33")
@pytest.mark.parametrize(("caster_name", "visibility"), VISIBILITIES)
async def test_nobody_else_hears_what_becomes_of_a_secret_effect(
    world: World, caster_name: str, visibility: str
) -> None:
    await open_effect_table(world, HUSH, sheets={"Thug": caster(HUSH)}, gm_channel=True)
    await secretly(world, "Hush", caster_name, visibility)
    for options in (
        {"do": "off"},
        {"do": "on"},
        {"do": "range", "meters": 5},
        {"do": "target", "target": "Vesna"},
        {"do": "target", "target": "Boris", "meters": 2},
    ):
        message_of(await world.gina.slash(world.zone, "effect steer", effect="Hush", **options))
    await advance_time(world, "1 min")
    assert not running_effects_left(await world.state())
    seen = [world.told(world.ben), *world.visible_to(world.ben)]
    named = [each for each in seen if "Hush" in each]
    assert not named, [each[max(0, each.index("Hush") - 900) :][:1800] for each in named]
    if visibility == "blind":
        mine = private(await world.ana.slash(world.zone, "effect running"))
        assert "Hush" not in mine, mine
    everything_of_gm = "\n".join(world.visible_to(world.gina)) + world.told(world.gina)
    assert "Hush on Boris ends" in everything_of_gm, everything_of_gm


def running_effects_left(state: Any) -> list[Any]:
    """Return the effects that run at a table."""
    return [*running_effects(read_only_game(state))]


@pytest.mark.rule("MB-SFX-26")
async def test_a_blind_casting_is_not_told_by_what_runs(world: World) -> None:
    await open_effect_table(world, HUSH, gm_channel=True)
    await secretly(world, "Hush", "Vesna", "blind")
    mine = private(await world.ana.slash(world.zone, "effect running"))
    assert "Hush" not in mine, mine
    for command in ("effect steer", "effect end", "effect disbelieve"):
        assert not await world.ana.autocomplete(world.zone, command, "effect", "")
    refusal_of(await world.ana.slash(world.zone, "effect steer", effect="Hush", do="off"))
    assert "Hush on Boris" in private(await world.gina.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-28")
@pytest.mark.parametrize(("caster_name", "visibility"), VISIBILITIES)
async def test_nobody_else_is_told_that_a_secret_effect_may_be_maintained(
    world: World, caster_name: str, visibility: str
) -> None:
    keep = BOOST | {"name": "Hush", "maintenance": True, "duration_value": 5}
    await open_effect_table(world, keep, sheets={"Thug": caster(keep)}, gm_channel=True)
    await secretly(world, "Hush", caster_name, visibility)
    await advance_time(world, "1 min")
    called = world.ana if visibility == "private" and caster_name == "Vesna" else world.gina
    panel = message_of(await called.slash(world.zone, "effect running"))
    assert "Maintain Hush (DN 4, FV 0)" in labels(panel), texts(panel)
    await advance_time(world, "1 min")
    assert "Hush" not in world.told(world.ben)
    if visibility == "blind":
        assert "run out" not in world.told(world.ana)


@pytest.mark.rule("MB-SFX-26")
async def test_a_secret_effect_that_strikes_is_not_named(world: World) -> None:
    burn = BURN | {"name": "Hush", "effect_value": 14, "duration_value": 8}
    await open_effect_table(world, sheets={"Thug": caster(burn)}, gm_channel=True)
    await secretly(world, "Hush", "Thug", "private")
    told = await advance_time(world, "1 min")
    assert "Boris" in told and "Hush" not in told, told


@pytest.mark.rule("MB-SFX-26")
async def test_a_sheet_names_no_secret_effect(world: World) -> None:
    secret = INSIGHT | {"name": "Hush"}
    await open_effect_table(world, sheets={"Thug": caster(secret)}, gm_channel=True)
    await secretly(world, "Hush", "Thug", "private")
    assert "Hush" not in private(await world.ben.slash(world.zone, "character show"))
    await npc_casts(world, "Hush", target="Boris", **NEAR)
    assert "Hush" in private(await world.ben.slash(world.zone, "character show"))


@pytest.mark.rule("MB-SFX-33")
async def test_players_do_not_read_how_often_an_npcs_effect_may_go_on(world: World) -> None:
    await open_effect_table(world, HUSH, sheets={"Thug": caster(HUSH)}, gm_channel=True)
    await npc_casts(world, "Hush", target="Boris", **NEAR)
    before = {each.id for each in world.messages()}
    options = {"effect": "Hush", "do": "target", "target": "Vesna"}
    await world.gina.slash(world.zone, "effect steer", **options)
    told = said_since(world, before)
    assert "Hush goes on to another target" in told and "to go" not in told, told


@pytest.mark.rule("MB-SFX-29")
async def test_players_are_offered_no_wards_and_no_values_of_npcs(world: World) -> None:
    ward = effect("Alarm", action="words", charges=3, ward="the door opens", duration_value=8)
    rods = [INSIGHT | {"charges": 2, "holder": "object", "effect_value": each} for each in (13, 17)]
    sheets = {"Thug": caster(ward, rods[0] | {"name": "Rod"})}
    await open_effect_table(world, sheets=sheets, gm_channel=True)
    await bring(world, world.gina, "Crook", THUG | caster(rods[1] | {"name": "Rod"}), npc=True)
    for name, known in (("Thug", "Alarm"), ("Thug", "Rod"), ("Crook", "Rod")):
        world.dice.lay(*EVEN)
        given = {"as": name, "with": "into a wand"}
        await world.gina.slash(world.zone, "effect cast", effect=known, **given)
        if known == "Rod":
            given = {"charge": "Rod", "give": "Boris", "as": name}
            await world.gina.slash(world.zone, "effect use", **given)
    assert not await world.ben.autocomplete(world.zone, "effect ward", "ward", "")
    assert await world.gina.autocomplete(world.zone, "effect ward", "ward", "")
    offered = await world.ben.autocomplete(world.zone, "effect use", "charge", "")
    names = [each["name"] for each in offered]
    assert len(names) == 2 and not any("value" in each for each in names), names


async def test_refusals_call_an_npc_by_its_alias(world: World) -> None:
    await open_effect_table(world, HUSH, gm_channel=True)
    await bring(world, world.gina, "Zorvath", THUG, npc=True)
    await world.gina.slash(world.zone, "gm npc alias", npc="Zorvath", alias="the mask")
    await world.gina.slash(world.zone, "gm npc reveal", npc="Zorvath", stage="aliased")
    await cast_effect(world, "Hush", target="the mask", **NEAR)
    given = {"effect": "Hush", "do": "target", "target": "the mask"}
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", **given))
    assert "It's on the mask already" in why, why
    await cast_effect(world, "Hush", target="Boris", **NEAR)
    given = {"effect": f"{await who(world, 'Vesna')}.2", "do": "range", "target": "the mask"}
    why = refusal_of(await world.ana.slash(world.zone, "effect steer", meters=3, **given))
    assert "Hush isn't on the mask" in why, why
    assert "Zorvath" not in world.told(world.ana)


async def test_an_effect_is_meant_whose_name_begins_another(world: World) -> None:
    await open_effect_table(world, HUSH, HUSH | {"name": "Hush, louder"})
    for name in ("Hush", "Hush, louder"):
        await cast_effect(world, name, target="Boris", **NEAR)
    message_of(await world.ana.slash(world.zone, "effect steer", effect="hush", do="off"))
    assert "Hush on Boris is off" in texts(world.last()), texts(world.last())


# --- others' rights -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("effect cast", {"effect": "Boost", "target": "Boris"}),
        ("effect learn", {"effect": "Illusionary Fireball"}),
        ("effect use", {"charge": "Rod"}),
        ("effect use", {"charge": "Rod", "give": "Boris"}),
        ("effect disbelieve", {"effect": "Boost"}),
        ("effect build", {}),
    ],
)
async def test_nobody_acts_for_anothers_character(
    world: World, command: str, options: dict[str, Any]
) -> None:
    await open_effect_table(world, SWITCHED, effect("Rod", action="words", charges=4))
    await cast_effect(world, "Rod", **{"with": "into a rod"})
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    before = await world.revision()
    given = options | {"as": "Vesna"}
    why = refusal_of(await world.ben.slash(world.zone, command, **given))
    assert "You have no character “Vesna”" in why, why
    assert await world.revision() == before


@pytest.mark.parametrize(
    "do", ["off", "on", "target", "move", "value", "maintain", "end", "range", "x"]
)
@pytest.mark.parametrize("person", ["ana", "ben"])
async def test_forged_buttons_do_no_more_than_real_ones(world: World, person: str, do: str) -> None:
    await open_effect_table(world, SWITCHED)
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    code = f"{await who(world, 'Vesna')}.1"
    with no_faults():
        world.emit(getattr(world, person), f"sg:own:1:effect running:effect={code};do={do}")
        await world.env.settle()
    (running,) = running_effects(read_only_game(await world.state()))
    assert running.suspended is (person == "ana" and do == "off")


@pytest.mark.parametrize(
    "button",
    [
        "effect list:owner={owner};blueprint=abc",
        "effect list:owner={owner};blueprint=abc;answer=allow",
        "effect share:offer=1",
        "effect share:offer=1;answer=allow",
        "effect quick:feedback=mind",
        "effect ward:character=Vesna;number=0",
        "effect end:effect={owner}.1",
    ],
)
async def test_players_forge_no_buttons_of_gms(world: World, button: str) -> None:
    await open_effect_table(world, SWITCHED)
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    before = await world.revision()
    owner = await who(world, "Vesna")
    with no_faults():
        for person in (world.ana, world.ben):
            world.emit(person, f"sg:own:1:{button.format(owner=owner)}")
            await world.env.settle()
    assert await world.revision() == before


# --- bad names ------------------------------------------------------------------------------------


async def test_an_effects_name_neither_pings_nor_breaks_a_message(world: World) -> None:
    name = "@everyone **<@1>** `||" + "ž" * 50
    loud = SWITCHED | {"name": name, "maintenance": True, "target_changes": 3, "movement": True}
    await open_effect_table(world, loud)
    given = {"target": "Boris", "with": "meters 3, at @here <@&1> ||`"}
    await cast_effect(world, "@everyone", **(given | NEAR))
    private(await world.ana.slash(world.zone, "effect running"))
    await advance_time(world, "3 hours")
    for request in world.env.http_requests:
        if isinstance(request.json, dict):
            assert "everyone" not in request.json.get("allowed_mentions", {}).get("parse", ())


# --- races ----------------------------------------------------------------------------------------


async def tick_all(world: World, check: str) -> Any:
    """Tick everything that a casting needs; the panel that can be sent now."""
    panel = message_of(await world.press(world.ana, world.card(check), "Show what you have"))
    return message_of(await world.choose(world.ana, panel, "What you have", "have: 0"))


@pytest.mark.rule("MB-SFX-20")
@pytest.mark.parametrize("seconds", [18, 0])
async def test_a_second_casting_waits_for_the_first(world: World, seconds: int) -> None:
    slow = effect("Slow", cast_time_value=18, conditions=[CANDLE])
    other = effect("Other", cast_time_value=seconds, conditions=[CANDLE])
    rules = {"effect_interrupt_feedback": "on"}
    await open_effect_table(world, slow, other | {"given": {"dn": 12, "fv": 12}}, rules=rules)
    for name in ("Slow", "Other"):
        await world.ana.slash(world.zone, "effect cast", effect=name)
    await world.press(world.ana, await tick_all(world, "c1"), "Show what you have")
    panel = await tick_all(world, "c2")
    assert "Vesna is casting" in texts(panel), texts(panel)
    with pytest.raises(SetupError, match="disabled"):
        await world.press(world.ana, panel, "Show what you have")
    assert "show what you have" in texts(world.card("c2"))
    await advance_time(world, "2 hours")
    world.dice.lay(*EVEN)
    panel = message_of(await world.press(world.ana, world.newest("Cast"), "Cast"))
    await world.press(world.ana, panel, "Cast it now")
    assert world.dice.left == 0
    assert not (await world.state()).checks["c1"].is_open
    assert (await sheet(world, "Vesna")).harm.wounds == 0


@pytest.mark.rule("MB-SFX-S17")
async def test_a_half_answered_community_survives_a_restart(world: World) -> None:
    ring = {"kind": "community", "helpers": 2, "participation": "dn8", "text": "a ring"}
    await open_effect_table(world, effect("Ring", conditions=[ring]))
    await world.ana.slash(world.zone, "effect cast", effect="Ring", **{"with": "help Boris"})
    panel = message_of(await world.press(world.ben, world.card("c1"), "Help"))
    await world.press(world.ben, panel, "Roll Willpower 9 against 8")
    await world.restart()
    # What the table adds from now on counts for castings that are declared from now on.
    await world.gina.slash(world.zone, "gm settings", setting="effect_world_difficulty", value="5")
    assert "1 of 2 helpers ready" in await newest(world)
    assert "still has open checks" in refusal_of(
        await world.ben.slash(world.zone, "character retire")
    )
    panel = message_of(await world.press(world.gina, world.card("c1"), "GM: roll for the group"))
    await world.press(world.gina, panel, "The group fails")
    text = await newest(world)
    assert "The helpers fail" in text, text


# --- silence --------------------------------------------------------------------------------------

RING: Final = {"kind": "community", "helpers": 2, "participation": "dn8", "text": "a ring"}
NIGHT: Final = {"kind": "other", "level": 3, "text": "only at night"}
SILENCES: Final = {
    "attitude": effect("Call", skill="Summoning", action="general", resisted_by="Willpower"),
    "strength": effect("Lift", action="movement", movement=True, effect_value=14),
    "number": effect("Blink", action="general", effect_value=14),
    "helpers": effect("Ring", action="words", conditions=[RING]),
    "condition": effect("Moon", action="words", conditions=[NIGHT]),
    "components": effect("Torch", action="words", conditions=[CANDLE]),
}


@pytest.mark.rule("MB-SFX-20")
@pytest.mark.parametrize("silence", SILENCES)
async def test_a_fight_goes_on_whatever_an_effect_waits_for(world: World, silence: str) -> None:
    skills = [{"name": "Summoning", "adds": 5}, {"name": "Conjuration", "adds": 3}]
    known = {"blueprint": SILENCES[silence], "learned": True, "approved": True}
    vesna = {"skills": skills, "mind": 8, "effects": [known]}
    await open_table(world, sheets={"Vesna": vesna, "Boris": {"weight": 70}}, gm_channel=True)
    await gather(world)
    # Vesna's initiative is higher, so that Boris comes next.
    await next_turn(world, 9, 9, 1, 1)
    assert await acts(world) == "Vesna"
    with no_faults():
        world.dice.lay(9, 9)
        given = {"effect": SILENCES[silence]["name"], "target": "Boris"} | NEAR
        await world.ana.slash(world.zone, "effect cast", **given)
        waiting = message_of(await world.gina.slash(world.zone, "initiative next"))
        assert "Close them" in labels(waiting), texts(waiting)
        await world.press(world.gina, waiting, "Close them")
    assert not [each for each in (await world.state()).checks.values() if each.is_open]
    assert await acts(world) == "Boris"


# --- endless time ---------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-26")
@pytest.mark.parametrize("value", [1, 11])
async def test_years_of_strikes_take_no_time(world: World, value: int) -> None:
    await open_effect_table(world, BURN | {"effect_value": value})
    await cast_effect(world, "Burn", target="Boris", **NEAR)
    begun = time.process_time()
    for _ in range(3):
        await advance_time(world, "300 days")
    assert time.process_time() - begun < 20
    found = effects_of(read_only_game(await world.state()), await who(world, "Vesna"))
    (running,) = found.running
    assert len(running.harm) <= 1, "one entry for each character, however long it burns"
    assert bool(running.harm) is (value == 11)
    assert "Boris" in everything(world)


@pytest.mark.rule("MB-SFX-20", "MB-SFX-21")
async def test_odds_of_huge_figures_take_no_time(world: World) -> None:
    huge = effect(
        "Doom", action="words", conditions=[{"kind": "component", "on": "dn", "level": 1}]
    )
    figures = {"dn": 9000, "fv": 9000, "artifact": True}
    await open_effect_table(world, huge | {"given": figures})
    await world.ana.slash(world.zone, "effect cast", effect="Doom")
    begun = time.monotonic()
    text = private(await world.ana.slash(world.zone, "odds", check="c1"))
    assert time.monotonic() - begun < 20
    assert "Feedback 9000: unhurt 0%" in text, text
