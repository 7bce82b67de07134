"""`/attack`: on NPCs, on another's character, what a hit does, and who sees which part of
it when.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ebb.sheet import Injury, effective_attributes
from tests.discord.world import (
    DAY,
    HOUR,
    World,
    button,
    controls,
    labels,
    menu,
    message_of,
    pings,
    private,
    public,
    refusal_of,
    selected_values,
    texts,
)

IDEA = "from behind the rusted bus"
DEFENSE = "flat behind the curb"
ABILITY, ATTRIBUTE, HARDER, WHOM = "Skill", "Attribute", "All the rest", "Target"
STAND, CHANGE, REWORD = "Accept result", "Change the hit", "Reword the injury"
SOFTEN = "Take a flesh wound"
SAVE = "Save the injury"
SOFT, FULL, SHORT = "Flesh wound: Fitness 1 → 0", "Full damage", "Flesh wound"

#: Abilities none of which makes anybody fit.
_UNFIT = [{"name": f"Ability {number}", "group": "Zone", "die": "d6"} for number in range(10)]


async def _attack(world: World, who: Any = None, **options: Any) -> Any:
    """`/attack` on Ilka; Ana unless told otherwise."""
    given: dict[str, Any] = {
        "target": "Ilka",
        "weapon": "rifle",
        "skill": "Rifles",
        "attribute": "Alertness",
        "approach": IDEA,
    }
    given |= options
    return await (who or world.ana).slash(
        world.zone, "attack", **{name: value for name, value in given.items() if value is not None}
    )


async def _defend(world: World, who: Any = None, faces: tuple[int, ...] = ()) -> Any:
    """Open the panel, choose, describe, and answer last: the dice show these faces.

    Returns what the panel becomes.
    """
    who = who or world.ben
    panel = message_of(await world.press(who, world.newest("Defend"), "Defend"))
    await world.choose(who, panel, ABILITY, "Running")
    await world.choose(who, panel, ATTRIBUTE, "Fitness")
    await who.submit_modal(await world.press(who, panel, "Approach…"), {"approach": DEFENSE})
    world.dice.lay(*faces)
    return await world.press(who, panel, "Defend")


async def _answered(world: World, **options: Any) -> None:
    await _attack(world, **options)
    await world.rule(level=None)


async def _rolled(world: World, *faces: int) -> Any:
    """Ana's attack on Ilka, answered, met and rolled: its card."""
    await _answered(world)
    await _defend(world, faces=faces)
    assert world.dice.left == 0
    return world.card()


async def _hit(world: World) -> Any:
    """Ilka is hit, and Ben lets it stand: the card that asks what the hit does."""
    await world.spend(await _rolled(world, 9, 4, 5, 3), STAND, world.ben)
    return world.card()


async def _forged(world: World, who: Any, custom_id: str, message: Any = None) -> str:
    """Something that nobody's client would send, and the refusal."""
    found = world.emit(who, custom_id, message)
    await world.env.settle()
    return refusal_of(found)


async def _ilka(world: World) -> Any:
    state = await world.state()
    return next(each.sheet for each in state.characters.values() if each.name == "Ilka")


# --- against NPCs ---------------------------------------------------------------------------------


@pytest.mark.rule("EBB-ATTACK")
async def test_an_attack_on_npcs_goes_like_a_check(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    proposal = await _attack(world, target="Sidor")
    text = public(proposal)
    assert "Marek attacks Sidor" in text
    assert "**Weapon:** rifle" in text
    assert f"> {IDEA}" in text
    await world.rule(level="Tricky")
    world.dice.lay(6, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    rolled = texts(world.card())
    assert "## ✓ Hit so far" in rolled
    assert "d10 (6) + d6 (3) + Alertness 1 = **10**" in rolled
    assert "✓ Hit so far: unless changed, Sidor is hurt (10 against 10)" in rolled
    await world.spend(world.card(), STAND)
    settled = texts(world.card())
    # Whether there is a sheet nobody is told: what it does is the GM's to say.
    assert settled.startswith("## ✓ Hit: Sidor is hit; the GM says how badly")
    assert "New injury" not in settled and "-# Final" in settled
    assert not (await world.check()).is_open
    assert not [each for each in world.messages() if world.gina.id in pings(each, world.env)]
    assert "GM" in refusal_of(await world.press(world.ana, world.card(), CHANGE))
    panel = message_of(await world.press(world.gina, world.card(), CHANGE))
    assert labels(panel)[:2] == [FULL, "Tell it as it is: rifle (light)"]
    assert not {SOFT, SHORT} & {*labels(panel)}
    await world.restart()
    dialog = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(dialog, {"text": "a limp"})
    await world.press(world.gina, panel, FULL)
    settled = texts(world.card())
    assert "New injury: a limp (light)." in settled and "rifle (light)" not in settled
    assert "-# Final" in settled


async def test_who_misses_is_told_that_the_chance_is_lost(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    await _attack(world, target="Sidor")
    await world.rule(level="Tricky")
    world.dice.lay(5, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    rolled = texts(world.card())
    assert "Miss so far" in rolled
    assert "The chance is lost." in rolled
    assert "Another character can try" not in rolled


async def test_whom_players_do_not_know_they_cannot_name(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Quillon")
    await world.gina.slash(world.zone, "gm npc add", name="Zadornov", alias="the hooded man")
    names = [
        choice["name"]
        for choice in await world.ana.autocomplete(world.zone, "attack", "target", "")
    ]
    assert names == ["Ilka", "Marek", "the hooded man"]
    for name in ("Quillon", "Zadornov"):
        text = refusal_of(await _attack(world, target=name))
        assert f"You don't know anybody called “{name}” here." in text
    answer = public(await _attack(world, target="the hooded man"))
    assert "Marek attacks the hooded man" in answer
    assert "Zadornov" not in world.told(world.ben)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "## Answer Marek" in texts(panel)


async def test_a_gm_names_somebody_unknown_in_private(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Quillon")
    await world.gina.slash(world.zone, "gm npc add", name="Zadornov", alias="the hooded man")
    private(await _attack(world, world.gina, target="Ilka", skill=None, **{"as": "Zadornov"}))
    assert "the hooded man attacks Ilka" in texts(world.card())
    private(await _attack(world, world.gina, target="Zadornov", skill=None, **{"as": "Quillon"}))
    assert "Somebody attacks the hooded man" in texts(world.card())
    for who in (world.ana, world.ben):
        assert not [name for name in ("Quillon", "Zadornov") if name in world.told(who)]


# --- against each other ---------------------------------------------------------------------------


@pytest.mark.rule("EBB-OPPOSED", "EBB-ATTACK")
async def test_both_sides_choose_in_secret_and_roll_together(world: World) -> None:
    await world.table()
    private(await _attack(world))
    assert "Marek attacks Ilka" in texts(world.card())
    assert IDEA not in texts(world.card())
    call = world.last()
    assert call.content == f"{world.gina.mention}, your call: Marek attacks Ilka"
    assert pings(call, world.env) == [world.gina.id]
    panel = message_of(await world.press(world.gina, call, "Answer"))
    assert (
        IDEA in texts(panel)
        and "Marek attacks Ilka" in texts(panel)
        and "**With:**" in texts(panel)
    )
    assert "Roll how well" not in labels(panel)
    dialog = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(dialog, {"modifier": "2", "against": "-1"})
    assert "+2 to the total" in texts(panel)
    assert "**Against:** -1" in texts(panel)
    private(await world.press(world.gina, panel, "Call for a roll"))
    asked = world.last()
    assert asked.content == f"{world.ben.mention}, Marek attacks Ilka: choose a defense"
    assert pings(asked, world.env) == [world.ben.id]
    assert texts(world.card()).startswith("## Marek attacks Ilka: choose a defense\n")
    assert "Defend" in labels(world.card())
    assert "Roll" not in labels(world.card())
    locked = await _defend(world, faces=(7, 4, 5, 3))
    assert private(locked).startswith("## Defense chosen")
    assert not [each for each in world.messages() if world.ana.id in pings(each, world.env)], (
        "the last answer rolls, and nobody has to press Roll"
    )
    rolled = texts(world.card())
    assert "Hit so far, 2 extra results" in rolled
    assert "Marek: d10 (7) + d6 (4) + Alertness 1 + modifier 2 = **14**" in rolled
    assert "Ilka: d10 (5) + d6 (3) + Fitness 1 − modifier 1 = **8**" in rolled
    assert f"> {IDEA}" in rolled
    assert f"> **Ilka:** {DEFENSE}" in rolled


async def _forged_react(world: World, who: Any) -> str:
    """What the neutral button says to somebody, whether their client shows it or not."""
    found = world.emit(who, "sg:chk:1:c1")
    await world.env.settle()
    return private(found)


async def test_nothing_of_either_choice_leaks_before_the_roll(world: World) -> None:
    await world.table(gm_channel=True)
    mine, theirs = "attackcanary", "defensecanary"
    await _attack(world, approach=mine, **{"with": "flaw"})
    await world.rule(level=None, options=("flaw: 1",), note=f"{mine} noted")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    await world.choose(world.ben, panel, ABILITY, "Climbing")
    await world.choose(world.ben, panel, HARDER, "drawback")
    await world.ben.submit_modal(
        await world.press(world.ben, panel, "Approach…"), {"approach": theirs}
    )
    eve = world.member("eve")
    for who, secrets in (
        (world.ben, (mine, "(professional)", "the idea has a flaw")),
        (world.ana, (theirs, "(veteran)", "defies a drawback")),
        (eve, (mine, theirs, "(professional)", "(veteran)", "flaw", "drawback")),
    ):
        react = await _forged_react(world, who)
        more = [
            await who.slash(world.zone, name)
            for name in ("table show", "moves", "table last", "spend")
        ]
        shown = world.told(who) + react + "".join(map(private, more))
        assert not [secret for secret in secrets if secret in shown], who
    assert mine in world.told(world.ana)
    assert theirs in texts(panel)
    assert mine in world.told(world.gina)
    world.dice.lay(7, 4, 5, 3)
    await world.press(world.ben, panel, "Defend")
    assert world.dice.left == 0
    assert mine in world.told(eve)
    assert theirs in world.told(eve)


async def test_only_the_owner_or_a_gm_defends_and_the_panel_says_what_is_wrong(
    world: World,
) -> None:
    await world.table()
    await _attack(world)
    assert "The proposal has changed." in await _forged(world, world.ben, "sg:chq:1:c1.1:face")
    await world.rule(level=None)
    asked = world.newest("Defend")
    assert "Ilka belongs to" in refusal_of(await world.press(world.ana, asked, "Defend"))
    await _forged(world, world.ana, "sg:cho:1:c1.2:ready:k1:roll")
    assert not (await world.check()).data.is_rolled, "Ilka has not chosen a defense yet"
    panel = message_of(await world.press(world.ben, asked, "Defend"))
    assert [option["value"] for option in menu(panel, HARDER)["options"]][:2] == [
        "flaw: 1",
        "flaw: 2",
    ]
    assert "First say how you do it" in texts(panel)
    early = await world.press(world.ben, panel, "Defend")
    assert early.modal is not None and early.modal["components"][0]["label"] == "Approach"
    await world.choose(world.ben, panel, HARDER, "flaw: 1", "flaw: 2")
    assert "That panel belongs to somebody else." in await _forged(
        world, world.ana, button(panel, "Approach…"), panel
    )
    # A GM may defend for them, with the main die alone.
    mine = message_of(await world.press(world.gina, asked, "Defend"))
    world.dice.lay(7, 4, 5)
    await world.press(world.gina, mine, "Defend")
    assert "Ilka: d10 (5) = **5**" in texts(world.card())
    assert "The dice have been rolled." in refusal_of(
        await world.choose(world.ben, panel, ABILITY, "Running")
    )


async def test_a_defense_may_be_changed_until_it_is_sent(world: World) -> None:
    await world.table()
    await _answered(world)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    await world.choose(world.ben, panel, ABILITY, "Running")
    await world.choose(world.ben, panel, ATTRIBUTE, "Fitness")
    dialog = await world.press(world.ben, panel, "Approach…")
    await world.ben.submit_modal(dialog, {"approach": DEFENSE})
    assert selected_values(panel, ABILITY) == ["Running"]
    await world.choose(world.ben, panel, ABILITY, "Climbing")
    world.dice.lay(7, 4, 5, 8)
    await world.press(world.ben, panel, "Defend")
    assert "Ilka: d10 (5) + d8 (8) + Fitness 1 = **14**" in texts(world.card())


@pytest.mark.rule("EBB-FATE")
async def test_both_sides_react_and_only_the_loser_closes_it(world: World) -> None:
    await world.table()
    rolled = await _rolled(world, 7, 4, 5, 1)
    again = "Re-roll d6"
    mine = message_of(await world.press(world.ana, rolled, "React"))
    assert labels(mine) == [again]
    theirs = message_of(await world.press(world.ben, rolled, "React"))
    assert labels(theirs) == [again, STAND]
    world.dice.lay(6)
    private(await world.press(world.ben, theirs, again))
    spent = texts(world.card())
    assert "1 Fate point spent: d6 re-rolled, shows 6; 2 Fate points left." in spent
    assert "Ilka: d10 (5) + d6 (1→6) + Fitness 1 = **12**" in spent
    number = (await world.check()).asked[0].number
    refusal = await _forged(world, world.ana, f"sg:cho:1:c1.{number}:react:k2:reroll", world.last())
    assert "Ilka belongs to" in refusal
    private(
        await world.press(
            world.ben, message_of(await world.press(world.ben, world.card(), "React")), STAND
        )
    )
    assert (await world.check()).stage == "struck", (
        "a tie is the acting side's, so Ben may close it"
    )


async def test_a_private_attack_is_between_the_two_and_the_gm(world: World) -> None:
    await world.table()
    private(await _attack(world, visibility="private"))
    assert "Marek" not in "\n".join(texts(message) for message in world.messages()[4:])
    stubs = [message for message in world.messages() if "Show" in labels(message)]
    eve = world.member("eve")
    for stub in stubs:
        assert "You don't play at this table." in refusal_of(await world.press(eve, stub, "Show"))
    shown = [await world.press(world.ben, stub, "Show") for stub in stubs]
    opened = [private(each) for each in shown]
    assert any("Marek attacks Ilka" in text and IDEA not in text for text in opened)
    assert "h1 ·" not in private(await eve.slash(world.zone, "table show"))
    assert "h1 ·" in private(await world.ben.slash(world.zone, "table show"))


# --- hits -----------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-INJURY")
async def test_a_hit_is_softened_days_and_restarts_later(world: World) -> None:
    await world.table(answer_hours=72)
    card = await _hit(world)
    assert texts(card).startswith(
        "## Hit, 1 extra result: Ilka chooses between a flesh wound and full damage\n"
    )
    assert "Ben decides how to take it." in texts(card)
    assert labels(card) == [SHORT, FULL, "React"], "each beside what it means, and the die"
    assert "1 Fitness, no injury" in texts(card) and "1 → 0" not in texts(card), (
        "a sheet is its owner's"
    )
    await world.restart()
    await world.env.advance_time(2 * DAY)
    await world.restart()
    card = world.card()
    assert "Ilka belongs to" in refusal_of(await world.press(world.ana, card, SHORT))
    assert "Flesh wound or Full damage" in private(await world.ben.slash(world.zone, "moves"))
    await world.restart()
    await world.press(world.ben, card, SHORT)
    taken = texts(world.card())
    assert "Flesh wound: Fitness 1 → 0." in taken
    sheet = await _ilka(world)
    assert (effective_attributes(sheet)["Fitness"], sheet.injuries) == (0, ())
    assert "The check is over." in await _forged(world, world.ben, "sg:cho:1:c1.5:hit:k2:in-full")


@pytest.mark.rule("EBB-INJURY")
async def test_a_full_hit_gets_the_gms_words(world: World) -> None:
    await world.table()
    await world.press(world.ben, await _hit(world), FULL)
    told = texts(world.card())
    assert told.startswith("## Hit, 1 extra result: Ilka is hurt (injury)\n")
    assert "New injury: rifle (light)." in told and "-# Final" in told
    assert not [each for each in world.messages() if world.gina.id in pings(each, world.env)]
    assert (await _ilka(world)).injuries == (Injury("rifle"),), "the weapon names it at once"
    assert labels(world.card()) == [REWORD, SOFTEN, "Step in"]
    assert "GM" in refusal_of(await world.press(world.ben, world.card(), REWORD))
    await world.restart()
    panel = message_of(await world.press(world.gina, world.card(), REWORD))
    dialog = await world.press(world.gina, panel, "Write…")
    assert dialog.modal is not None
    assert dialog.modal["components"][0]["component"].get("value") == "rifle"
    await world.gina.submit_modal(dialog, {"text": "x", "part": "", "severity": "awful"})
    assert "**Severity:** there's no “awful” to choose" in texts(panel)
    assert texts(panel).startswith("## Answer Ilka"), "it is about whoever was hit"
    # The menu mends it, too.
    (dead,) = [each for each in controls(panel) if each.get("label") == SAVE]
    assert dead["disabled"]
    await world.choose(world.gina, panel, "Severity", "serious")
    (alive,) = [each for each in controls(panel) if each.get("label") == SAVE]
    assert not alive.get("disabled") and "awful" not in texts(panel)
    dialog = await world.press(world.gina, panel, "Write…")
    assert dialog.modal is not None
    assert [row["component"].get("value") or "" for row in dialog.modal["components"]] == [
        "x",
        "",
        "serious",
    ]
    words = {"text": "A broken *arm*", "part": "left arm", "severity": "severe"}
    await world.gina.submit_modal(dialog, words)
    private(await world.press(world.gina, panel, SAVE))
    assert "New injury: A broken \\*arm\\* (left arm, severe)." in texts(world.card())
    assert (await _ilka(world)).injuries == (Injury("A broken *arm*", "left arm", "severe"),)
    assert labels(world.card()) == [REWORD, "Step in"], "the GM has spoken"
    undone = private(await world.gina.slash(world.zone, "gm undo"))
    assert undone.startswith("## Undone: the new words for the injury\n")
    assert (await _ilka(world)).injuries == (Injury("rifle"),)
    assert "New injury: rifle (light)." in texts(world.card())


@pytest.mark.rule("EBB-INJURY")
async def test_until_the_gm_rewords_it_a_full_hit_can_still_be_softened(world: World) -> None:
    await world.table()
    await world.press(world.ben, await _hit(world), FULL)
    await world.restart()
    assert "Ilka belongs to" in refusal_of(await world.press(world.ana, world.card(), SOFTEN))
    panel = message_of(await world.press(world.ben, world.card(), SOFTEN))
    assert SOFT in texts(panel)
    await world.press(world.ben, panel, SHORT)
    sheet = await _ilka(world)
    assert (effective_attributes(sheet)["Fitness"], sheet.injuries) == (0, ())
    assert "Flesh wound: Fitness 1 → 0." in texts(world.card())
    assert labels(world.card()) == ["Step in"]


@pytest.mark.rule("EBB-INJURY")
async def test_without_fitness_there_is_nothing_to_choose(world: World) -> None:
    await world.table()
    await world.bring(world.ben, "Ilka", replace=True, abilities=_UNFIT)
    await _attack(world)
    await world.rule(level=None)
    panel = message_of(await world.press(world.gina, world.card(), "Defend"))
    world.dice.lay(9, 4, 5)
    await world.press(world.gina, panel, "Defend")
    await world.press(world.ana, world.card(), STAND)  # of the two Ilka has no die to roll again
    assert "Ilka is hurt (injury)" in texts(world.card())
    assert not {SHORT, FULL} & {*labels(world.card())}
    assert "Yours to decide" not in private(await world.ben.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.gina, world.card(), REWORD))
    await world.gina.submit_modal(
        await world.press(world.gina, panel, "Write…"), {"text": "A broken arm"}
    )
    await world.press(world.gina, panel, SAVE)
    assert "New injury: A broken arm (light)." in texts(world.card())


async def test_a_gm_chooses_for_the_owner(world: World) -> None:
    await world.table()
    card = await _hit(world)
    panel = message_of(await world.press(world.gina, card, FULL))
    assert "Write…" in labels(panel), "with it a GM says what the injury is"
    await world.press(world.gina, card, SHORT)
    assert "Flesh wound: Fitness 1 → 0" in texts(world.card())
    assert not (await world.check()).is_open


@pytest.mark.rule("EBB-INJURY")
@pytest.mark.parametrize("default", ["soften", "suffer"])
async def test_for_who_does_not_choose_it_is_decided(world: World, default: str) -> None:
    await world.table(answer_hours=5, hit_default=default)
    await _hit(world)
    await world.bot.close()
    await world.env.advance_time(10 * HOUR)
    await world.restart()
    await world.env.settle()
    sheet = await _ilka(world)
    told = texts(world.card())
    assert "-# Final" in told
    if default == "soften":
        assert "Flesh wound" in told
        assert sheet.injuries == ()
    else:
        assert "New injury: rifle (light)." in told
        assert sheet.injuries == (Injury("rifle"),)
    assert not (await world.check()).is_open


@pytest.mark.rule("EBB-ATTACK", "EBB-INJURY")
async def test_an_npc_with_a_sheet_is_hit(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    await _attack(world, target="Sidor")
    await world.rule(level="Easy")
    world.dice.lay(6, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    told = texts(world.card())
    assert told.startswith("## ✓ Hit, 2 extra results: Sidor is hit; the GM says how badly")
    sidor = next(each for each in (await world.state()).characters.values() if each.name == "Sidor")
    assert effective_attributes(sidor.sheet)["Fitness"] == 0, "as the table agreed, at once"
    assert not [each for each in world.messages() if world.gina.id in pings(each, world.env)]
    assert "Fitness" not in told, "what is left is not for the players"
    refusal_of(await world.press(world.ana, world.card(), CHANGE))
    panel = message_of(await world.press(world.gina, world.card(), CHANGE))
    dialog = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(dialog, {"text": "a shot leg", "severity": "serious"})
    await world.press(world.gina, panel, FULL)
    told = texts(world.card())
    assert told.startswith("## ✓ Hit, 2 extra results: Sidor is badly hurt (injury)")
    panel = message_of(await world.press(world.gina, world.card(), CHANGE))
    assert "a shot leg" in texts(panel) and SOFT in labels(panel)
    await world.press(world.gina, panel, SOFT)
    assert "is badly hurt (flesh wound)" in texts(world.card())
    assert "Fitness" not in texts(world.card())
    assert "Fitness" not in world.told(world.ana).partition("Easy (8)")[2]


@pytest.mark.rule("EBB-INJURY")
async def test_a_gm_who_wants_to_be_asked_takes_the_hit_of_an_npc(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    await world.gina.slash(world.zone, "orders npc", npc="Sidor", ask=True)
    await _attack(world, target="Sidor")
    await world.rule(level="Easy")
    world.dice.lay(6, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert "Waiting for the GM" in texts(world.card())
    call = world.last()
    assert call.content.startswith(f"{world.gina.mention}, ✓ Hit, 2 extra results: Sidor is hit")
    assert pings(call, world.env) == [world.gina.id]
    assert refusal_of(await world.press(world.ana, call, labels(call)[0]))
    panel = message_of(await world.press(world.gina, call, labels(call)[0]))
    assert labels(panel)[:2] == ["Flesh wound", FULL] and SOFT in texts(panel)
    await world.press(world.gina, panel, SHORT)
    told = texts(world.card())
    assert "lesh wound" in told
    assert "Fitness" not in told, "what is left is not for the players"
    assert "Fitness" not in world.told(world.ana).replace(SOFT, "").partition("Easy (8)")[2]


async def test_each_step_can_be_taken_back(world: World) -> None:
    await world.table()
    await world.press(world.ben, await _hit(world), SHORT)
    assert effective_attributes(await _ilka(world))["Fitness"] == 0
    # Nothing hidden stands behind it: who chose it may choose anew.
    undone = private(await world.ben.slash(world.zone, "table undo"))
    assert undone.startswith("## Undone: Ilka's flesh wound\n")
    assert effective_attributes(await _ilka(world))["Fitness"] == 1
    await world.press(world.ben, world.card(), SHORT)
    assert effective_attributes(await _ilka(world))["Fitness"] == 0
    seen = []
    for _ in range(5):
        private(await world.gina.slash(world.zone, "gm undo"))
        check = (await world.state()).checks.get("c1")
        seen.append((check.stage, check.data.defense is not None) if check else None)
        if len(seen) == 1:
            assert effective_attributes(await _ilka(world))["Fitness"] == 1
            assert SHORT in labels(world.card())
    assert seen == [
        ("struck", True),
        ("open", True),
        ("ready", False),
        ("proposed", False),
        None,
    ]
    assert (await _ilka(world)).sacrificed == ()


# --- the panel ------------------------------------------------------------------------------------


async def test_without_options_a_panel_asks_for_everything(world: World) -> None:
    await world.table()
    opened = await world.ana.slash(world.zone, "attack")
    panel = message_of(opened)
    assert "## Marek: who do you attack?" in private(opened)
    assert "**Target:** Pick somebody in the menu." in private(opened)
    assert [option["label"] for option in menu(panel, WHOM)["options"]] == [
        "Target: choose…",
        "Ilka",
    ]
    await world.choose(world.ana, panel, ABILITY, "Rifles")
    dialog = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(dialog, {"approach": IDEA, "weapon": "shotgun"})
    nobody = refusal_of(await world.press(world.ana, panel, "Send"))
    assert "Pick somebody in the menu." in nobody
    await world.choose(world.ana, panel, WHOM, "k2")
    assert selected_values(panel, WHOM) == ["k2"] and "## Marek: how do you attack?" in texts(panel)
    private(await world.press(world.ana, panel, "Send"))
    check = await world.check()
    assert (check.kind, check.target, check.data.tool, check.data.opposed) == (
        "attack",
        "k2",
        "shotgun",
        True,
    )
    assert "**Weapon:** shotgun" in texts(world.card())
    assert IDEA not in texts(world.card())
    revised = message_of(await world.press(world.ana, world.card(), "Edit"))
    await world.choose(world.ana, revised, ATTRIBUTE, "Alertness")
    private(await world.press(world.ana, revised, "Save changes"))
    assert (await world.check()).data.request.attribute == "Alertness"
    assert IDEA not in world.told(world.ben)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"target": None}, "Who do you attack? Name them with `target`."),
        ({"target": "Marek"}, "You can't target yourself with that."),
        ({"difficulty": "Tricky"}, "Both sides roll against each other here."),
        ({"skill": "Juggling"}, "No ability “Juggling” on this sheet. For example: “Climbing”, "),
        ({"as": "Ilka"}, "to act as here"),
    ],
)
async def test_what_does_not_fit_is_refused(
    world: World, options: dict[str, Any], expected: str
) -> None:
    await world.table()
    before = await world.revision()
    assert expected in refusal_of(await _attack(world, **options))
    assert await world.revision() == before


async def test_a_gms_secret_roll_is_nobodys_to_open(world: World) -> None:
    await world.table()
    world.dice.lay(4, 3)
    await world.gina.slash(
        world.zone, "gm roll", **{"as": "Marek", "skill": "Climbing", "difficulty": "9137"}
    )
    for prompt in ("own", "rule", "ready", "react", "stand", "face", "hit", "words"):
        for number in range(1, 4):
            for forged in (
                f"sg:chq:1:h1.{number}:{prompt}",
                f"sg:cho:1:h1.{number}:{prompt}:k1:roll",
                f"sg:cho:1:h1.{number}:{prompt}:-:pass",
                f"sg:chm:1:h1.{number}:{prompt}:k1:0",
            ):
                text = await _forged(world, world.ana, forged)
                assert "9137" not in text
                assert "Climbing" not in text
    assert "That check is gone" in await _forged(world, world.ana, "sg:chk:1:h1")
    assert "9137" not in world.told(world.ana)
