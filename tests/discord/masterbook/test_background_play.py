"""What Advantages and Compensations do in play, by `/mb background`."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from rules.registry import read_only_game
from rules.systems.masterbook.background.state import open_matters, state_of
from rules.systems.masterbook.checks.action_economy import LINE
from rules.systems.masterbook.checks.background_memory import recognitions_by
from rules.systems.masterbook.formulas.interaction import SETBACK, STYMIED
from rules.table.marks import marks_of
from tests.discord.masterbook.cards.deck import begin, who
from tests.discord.masterbook.table import FIGHTER, attack, newest, open_table, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, head, labels, message_of, private, public, refusal_of, texts

FAME, FAME_AT_HOME = "Fame (CI): the eclipse", "Fame (CII): the eclipse; own culture: the hills"
LUCK: Final = "Luck (CII)"
PRICE: Final = "Price (CI): Luck (CII); price: a candle; life points: 1"
DEAR: Final = "Price (CII): Luck (CII); price: a candle; life points: 3"
COLT: Final = "Colt .45 revolver"


def options(*lines: str) -> dict[str, list[str]]:
    """Return a sheet's options: Advantages of these lines, the rest Compensations."""
    gains = ("Fame", "Luck", "Contacts", "Wealth", "Equipment", "Trademark")
    advantages = [line for line in lines if line.startswith(gains)]
    return {
        "advantages": advantages,
        "compensations": [line for line in lines if line not in advantages],
    }


async def open_table_with_lines(
    world: World, *lines: str, npc: tuple[str, ...] = (), **more: Any
) -> None:
    """Open a table with a GM channel where Vesna has these options, and Thug those of *npc*."""
    sheets = {"Vesna": options(*lines), "Thug": options(*npc)}
    await open_table(world, gm_channel=True, sheets=sheets, **more)


async def background(world: World, person: Any, name: str, **values: Any) -> Any:
    return await person.slash(world.zone, name, **values)


async def gms_read(world: World, name: str, **values: Any) -> str:
    """What the GMs read after a command of theirs."""
    await background(world, world.gina, name, **values)
    return texts(world.last(world.gm_room))


async def all_read(world: World, name: str, **values: Any) -> str:
    """What everybody reads after a command of the GM."""
    return public(await background(world, world.gina, name, **values))


async def shown_sheet(world: World, character: str = "Vesna") -> str:
    return private(await background(world, world.gina, "mb background show", character=character))


async def award_option(world: World, line: str) -> None:
    """Have the GM give Vesna an option."""
    await background(world, world.gina, "mb background award", character="Vesna", option=line)


async def moves(world: World) -> Any:
    return message_of(await world.gina.slash(world.zone, "moves"))


async def game_of(world: World) -> Any:
    return read_only_game(await world.state())


async def end_adventure(world: World) -> None:
    """Play an act that the GMs are not warned about, and end the adventure."""
    await play_act(world)
    await world.gina.slash(world.zone, "mb adventure end")


async def play_act(world: World) -> None:
    for kind in ("standard", "dramatic"):
        await world.gina.slash(world.zone, "mb adventure scene", what="start", kind=kind)


# --- show and find --------------------------------------------------------------------------------


async def test_a_player_reads_the_own_background_and_a_gm_anybodys(world: World) -> None:
    await open_table_with_lines(world, FAME, "Bigotry (CI): sailors", npc=("Enemy (CI): Vesna",))
    own = private(await background(world, world.ana, "mb background show"))
    assert "Vesna's background" in own
    assert "Fame (CI): the eclipse" in own and "recognized on 15+" in own.casefold()
    assert "Bigotry (CI): sailors" in own
    assert "Enemy (CI): Vesna" in await shown_sheet(world, "Thug")
    refusal_of(await background(world, world.ana, "mb background show", character="Thug"))
    refusal_of(await background(world, world.ana, "mb background show", character="Boris"))
    nothing = private(await background(world, world.ben, "mb background show"))
    assert "Boris has no Advantages and no Compensations" in nothing


@pytest.mark.rule("MB-BG-56")
async def test_show_says_what_prices_will_cost(world: World) -> None:
    year = "Price (CII): Fame (CI); price: a year; life points: 3"
    favor = "Price (CI): Luck (CII); price: a favor"
    await open_table_with_lines(world, LUCK, FAME, PRICE, year, npc=(LUCK, favor))
    pay = {"character": "Vesna", "name": "mb background pay"}
    await background(world, world.gina, **pay, used=LUCK)
    text = private(await background(world, world.ana, "mb background show"))
    first = text.splitlines()[1]
    assert first == "Prices take up to 4 Life Points when the adventure ends.", text
    assert text.count("if its Advantage was used") == 1, text
    assert "3 Life Points when the adventure ends, if its Advantage was used" in text
    assert "1 Life Point when the adventure ends" in text
    await background(world, world.gina, **pay, used=FAME)
    text = await shown_sheet(world)
    assert "Prices take 4 Life Points when the adventure ends." in text and "if its" not in text
    assert "Prices take" not in await shown_sheet(world, "Thug"), "a favor costs no Life Points"


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("Fame (CI)", ["An Advantage of column 1", "what the fame is for"], ["CII"]),
        ("fame", ["Fame (CI)", "Fame (CII)", "Fame (CIII)"], ["Enemy"]),
        ("persuasion", ["Fame (CI)"], ["Enemy"]),
        ("dodge", ["Skill Bonus (CI)", "Additional Skill Adds (CI)"], ["Fame"]),
        ("foe", ["Enemy (CII)", "Enemy (CIII)"], ["Fame"]),
        ("hardiness", ["A special ability of column 4"], []),
    ],
)
async def test_find_says_what_an_option_is(
    world: World, text: str, wanted: list[str], unwanted: list[str]
) -> None:
    await open_table_with_lines(world)
    found = private(await background(world, world.ana, "mb background find", text=text))
    assert all(each in found for each in wanted), found
    assert not any(each in found for each in unwanted), found


async def test_find_suggests_the_nearest_name(world: World) -> None:
    await open_table_with_lines(world)
    told = refusal_of(await background(world, world.ana, "mb background find", text="Enemi (CI)"))
    assert "Enemy (CI)" in told


# --- recognition ----------------------------------------------------------------------------------


@pytest.mark.rule("MB-BG-14", "MB-BG-25")
async def test_the_gm_rolls_in_secret_whether_somebody_is_recognized(world: World) -> None:
    await open_table_with_lines(world, FAME)
    world.dice.lay(9, 5)
    told = await gms_read(world, "mb background recognize", character="Vesna", by="Thug")
    assert "Vesna isn't recognized by Thug" in told and "14 against 15" in told
    known = refusal_of(
        await background(world, world.gina, "mb background recognize", character="Vesna", by="Thug")
    )
    assert "You've rolled this in this adventure" in known
    world.dice.lay(10, 2, 3)
    told = await gms_read(world, "mb background recognize", character="Vesna", by="Boris")
    assert "Vesna is recognized by Boris" in told and "15 against 15" in told
    assert "Persuasion, Interrogation and Charm −2 difficulty" in told
    assert "recognized" not in "".join(texts(each) for each in world.messages())


@pytest.mark.rule("MB-BG-14")
async def test_players_read_of_it_once_the_gm_tells_them(world: World) -> None:
    await open_table_with_lines(world, FAME)
    world.dice.lay(9, 5, 10, 9)
    await gms_read(world, "mb background recognize", character="Vesna", by="Thug", modifier=1)
    await world.restart()
    await world.press(world.gina, await moves(world), "Tell the players")
    assert "Thug recognizes Vesna" in texts(world.last())
    await world.gina.slash(world.zone, "gm undo")
    assert "Tell the players" in labels(await moves(world))


@pytest.mark.rule("MB-BG-14", "MB-BG-25")
async def test_who_gives_a_famous_name_at_home_needs_no_roll(world: World) -> None:
    await open_table_with_lines(world, FAME_AT_HOME)
    told = await gms_read(
        world, "mb background recognize", character="Vesna", where="home", announced=True
    )
    assert "Vesna is recognized" in told and "no roll" in told
    world.dice.lay(4, 3)
    told = await gms_read(world, "mb background recognize", character="Vesna", where="home")
    assert "isn't recognized" in told and "7 against 8" in told
    world.dice.lay(4, 4)
    told = await gms_read(world, "mb background recognize", character="Vesna", announced=True)
    assert "8 against 15" in told


@pytest.mark.rule("MB-BG-51", "MB-BG-33", "MB-BG-14")
@pytest.mark.parametrize(
    ("option", "effect"),
    [
        ("Infamy (CI): smuggling", "Every interaction +2 difficulty"),
        ("Infamy (CII): smuggling", "Every interaction +4 difficulty"),
        ("Infamy (CIII): smuggling", "Hostile to the point of violence"),
        ("Fame (CI): the eclipse", "Small perks"),
        ("Trademark Specialization (CII): Fire Combat (pistols)", "The style is known"),
    ],
)
async def test_each_way_to_be_known_says_what_follows(
    world: World, option: str, effect: str
) -> None:
    await open_table_with_lines(world)
    without = await background(world, world.gina, "mb background recognize", character="Vesna")
    assert "no Fame, Infamy or trademark" in refusal_of(without)
    await award_option(world, option)
    world.dice.lay(8, 8)
    assert effect in await gms_read(world, "mb background recognize", character="Vesna", by="Thug")


@pytest.mark.rule("MB-BG-14", "MB-BG-51")
async def test_who_is_recognized_is_easier_or_harder_to_listen_to(world: World) -> None:
    await open_table_with_lines(world, FAME)
    game = await game_of(world)
    vesna, thug = await who(world, "Vesna"), await who(world, "Thug")
    assert recognitions_by(game, vesna, thug) == ()
    world.dice.lay(9, 8)
    await gms_read(world, "mb background recognize", character="Vesna", by="Thug")
    known = recognitions_by(await game_of(world), vesna, thug)
    assert [each.recognition.difficulty for each in known] == [-2]
    await end_adventure(world)
    assert recognitions_by(await game_of(world), vesna, thug) == ()


async def ask_recognition(world: World, *faces: int) -> list[str]:
    """Have Ana ask whether Vesna is recognized, and the GM roll; all that players read of it."""
    before = len(world.messages())
    told = [private(await background(world, world.ana, "mb background recognize", by="Thug"))]
    world.dice.lay(*faces)
    panel = message_of(await world.press(world.gina, await moves(world), "Roll for it"))
    await world.press(world.gina, panel, "Roll in secret")
    assert world.dice.left == 0
    told += [texts(each) for each in world.messages()[before:]]
    own = await world.ana.slash(world.zone, "moves")
    return [*told, str(own.response and texts(own.response))]


@pytest.mark.rule("MB-BG-14")
async def test_what_a_player_reads_does_not_depend_on_the_secret_dice(world: World) -> None:
    await open_table_with_lines(world, FAME)
    missed = await ask_recognition(world, 1, 1)
    assert "You asked the GM: is Vesna recognized?" in missed[0]
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo")
    hit = await ask_recognition(world, 9, 9)
    assert without_numbers(hit) == without_numbers(missed)
    assert "recognized by" not in "\n".join(hit)


def without_numbers(told: list[str]) -> list[str]:
    """Return texts without the numbers of their entries in the log."""
    return [re.sub(r"#\d+", "", each) for each in told]


# --- contacts -------------------------------------------------------------------------------------


@pytest.mark.rule("MB-BG-22")
@pytest.mark.parametrize(
    ("column", "rule"),
    [
        ("CI", "A small favor, at a modest price"),
        ("CII", "Stronger help"),
        ("CIII", "Exceptional or uncanny help"),
        ("CIV", "great help only if you want it"),
    ],
)
async def test_a_contact_helps_only_if_the_gm_says_so(world: World, column: str, rule: str) -> None:
    await open_table_with_lines(world)
    without = await background(world, world.ana, "mb background contact", asks="a boat")
    assert "Vesna has nothing of the kind" in refusal_of(without)
    await background(
        world,
        world.gina,
        "mb background award",
        character="Vesna",
        option=f"Contacts ({column}): Zora",
    )
    assert "You asked the GM" in private(
        await background(world, world.ana, "mb background contact", asks="a boat")
    )
    room = "\n".join(texts(each) for each in world.messages(world.gm_room))
    assert rule in room and "a boat" in room and "Vesna asks for help" in room
    for answer, told in (("later", "lets Vesna wait"), ("refuses", "won't help Vesna")):
        panel = message_of(await world.press(world.gina, await moves(world), "Answer"))
        await world.choose(world.gina, panel, "Answer", answer)
        await world.press(world.gina, panel, "Answer")
        assert told in texts(world.last(world.gm_room))
    state = await game_of(world)
    assert not list(open_matters(state))


# --- quirks ---------------------------------------------------------------------------------------


async def call_on_quirk(world: World, *faces: int, character: str = "Vesna", **values: Any) -> str:
    """What everybody reads of a Quirk that the GM calls on."""
    world.dice.lay(*faces)
    await background(world, world.gina, "mb background quirk", character=character, **values)
    assert world.dice.left == 0
    return await newest(world)


@pytest.mark.rule("MB-BG-57")
@pytest.mark.parametrize(("column", "number"), [("CI", 8), ("CII", 12), ("CIII", 16)])
async def test_a_quirk_is_resisted_with_willpower(world: World, column: str, number: int) -> None:
    await open_table_with_lines(world)
    without = await background(world, world.gina, "mb background quirk", character="Vesna")
    assert "nothing of the kind" in refusal_of(without)
    line = f"Quirk ({column}): steals; pattern: kleptomania"
    await award_option(world, line)
    # Willpower 9: 9 on the dice are −1, 17 are +6.
    text = await call_on_quirk(world, 5, 2)
    assert f"against {number}" in text.replace("\u00a0", " "), text
    assert "Vesna gives in" in text and "Stealing is tried at +2 difficulty" in text


@pytest.mark.rule("MB-BG-57")
async def test_meeting_the_number_resists_and_the_gm_raises_it_afterwards(world: World) -> None:
    await open_table_with_lines(world, "Quirk (CI): steals")
    text = await call_on_quirk(world, 5, 5)
    assert "Vesna resists" in text and "gives in" not in text, text
    told = await gms_read(world, "mb background quirk", character="Vesna", harder=3)
    assert "against 11 now" in told
    await world.restart()
    assert "difficulty 11 by now" in await shown_sheet(world)
    assert "Vesna gives in" in await call_on_quirk(world, 5, 5)
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo")
    assert "by now" not in await shown_sheet(world)


@pytest.mark.rule("MB-BG-57", "MB-DIE-02")
async def test_without_willpower_confidence_resists_and_tens_lie(world: World) -> None:
    unwilled = [each for each in FIGHTER["skills"] if each["name"] != "Willpower"]
    vesna = options("Quirk (CIII): afraid of bosses") | {"skills": unwilled}
    await open_table(world, gm_channel=True, sheets={"Vesna": vesna})
    text = await call_on_quirk(world, 10, 8)
    assert "Confidence 8" in text and "15 against 16" in text and "gives in" in text, text


@pytest.mark.rule("MB-BG-57", "MB-LP-01")
async def test_a_player_may_spend_a_life_point_against_a_quirk(world: World) -> None:
    await open_table_with_lines(world, "Quirk (CII): steals", step_in_minutes=10, life_points=2)
    world.dice.lay(5, 5)
    await background(world, world.gina, "mb background quirk", character="Vesna")
    card = world.card("c1")
    assert "unless changed, Vesna gives in" in texts(card)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(6, 4)
    label = next(each for each in labels(panel) if "Life Point" in each)
    await world.press(world.ana, panel, label)
    assert (await sheet(world, "Vesna")).life_points == 1


async def test_the_quirk_of_an_npc_is_for_the_gms(world: World) -> None:
    await open_table_with_lines(world, npc=("Quirk (CI): drinks",))
    before = [texts(each) for each in world.messages()]
    world.dice.lay(5, 4)
    told = private(await background(world, world.gina, "mb background quirk", character="Thug"))
    assert "drinks" in told and "Thug resists" in told
    assert [texts(each) for each in world.messages()] == before
    refusal_of(await background(world, world.ana, "mb background quirk", character="Vesna"))


# --- heels ----------------------------------------------------------------------------------------


@pytest.mark.rule("MB-BG-40")
async def test_an_allergy_takes_an_endurance_roll(world: World) -> None:
    await open_table_with_lines(world, "Achilles' Heel (CIII): cats; pattern: allergy")
    world.dice.lay(8, 5)
    await background(world, world.gina, "mb background heel", character="Vesna")
    text = await newest(world)
    assert "11 against 12" in text and "1 wound" in text, text
    assert (await sheet(world, "Vesna")).harm.wounds == 1
    world.dice.lay(8, 6)
    await background(world, world.gina, "mb background heel", character="Vesna")
    assert "Success" in await newest(world)
    assert (await sheet(world, "Vesna")).harm.wounds == 1


@pytest.mark.rule("MB-BG-40")
async def test_an_allergy_costs_the_action_of_the_round(world: World) -> None:
    await open_table_with_lines(world, "Achilles' Heel (CIII): cats; pattern: allergy")
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 1, 1, 5, 5)
    world.dice.lay(8, 6)
    await background(world, world.gina, "mb background heel", character="Vesna")
    stopped = await world.ana.slash(
        world.zone, "attack", target="Thug", weapon="Knife", approach="stab"
    )
    assert "no action left" in refusal_of(stopped).casefold() or "already" in refusal_of(stopped)


@pytest.mark.rule("MB-BG-40", "MB-LP-03")
async def test_the_wound_of_a_soaking_can_be_bought_off(world: World) -> None:
    heel = "Achilles' Heel (CIII): rain; pattern: water-harm"
    await open_table_with_lines(world, heel, step_in_minutes=10, life_points=2)
    await background(world, world.gina, "mb background heel", character="Vesna")
    text = await newest(world)
    assert "unless changed" in text.casefold() and "1 wound" in text, text
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    assert any("Life Point" in each for each in labels(panel))
    assert (await sheet(world, "Vesna")).harm.wounds == 0


@pytest.mark.rule("MB-BG-40")
async def test_attackers_with_guns_get_more_while_somebody_freezes(world: World) -> None:
    await open_table_with_lines(world, npc=("Achilles' Heel (CIII): guns; pattern: firearms",))
    shot = {"weapon": COLT, "approach": "shoot", "with": "range: long"}
    plain = await attack(world, world.ana, "Thug", 1, 1, **shot)
    told = await gms_read(world, "mb background heel", character="Thug")
    assert "Thug freezes: firearms get +4 this round" in told
    frozen = await attack(world, world.ana, "Thug", 1, 1, **shot)
    assert "frozen before guns (+4)" in frozen and "frozen" not in plain
    assert "frozen" not in await stab(world)


@pytest.mark.rule("MB-BG-40")
async def test_panic_near_water_makes_everything_harder(world: World) -> None:
    await open_table_with_lines(world, "Achilles' Heel (CIII): the sea; pattern: water-panic")
    missing = await background(world, world.gina, "mb background heel", character="Vesna")
    assert "how near the water is" in refusal_of(missing)
    told = await all_read(world, "mb background heel", character="Vesna", water="in")
    assert "everything is 4 harder" in told
    assert "panic near water (−4)" in await stab(world)
    await all_read(world, "mb background heel", character="Vesna", water="wet")
    assert "panic near water (−2)" in await stab(world)
    await all_read(world, "mb background heel", character="Vesna", water="out")
    assert "panic" not in await stab(world)


async def stab(world: World) -> str:
    """What everybody reads of a stab of Vesna's that misses."""
    return await attack(world, world.ana, "Thug", 1, 2, weapon="Knife", approach="stab")


async def test_other_heels_say_their_effect(world: World) -> None:
    await open_table_with_lines(world, "Achilles' Heel (CIII): mirrors; effect: cannot look away")
    assert "cannot look away" in await all_read(world, "mb background heel", character="Vesna")
    await award_option(world, "Achilles' Heel (CIII): smooth talk; pattern: con")
    told = await all_read(
        world, "mb background heel", character="Vesna", heel="Achilles' Heel (CIII): smooth talk"
    )
    assert "resists con at +8" in told
    several = refusal_of(
        await background(world, world.gina, "mb background heel", character="Vesna")
    )
    assert "mirrors" in several and "smooth talk" in several


# --- prices and debts -----------------------------------------------------------------------------


async def ends(world: World) -> str:
    """Return the GMs' text about prices and debts at the end of an adventure."""
    before = len(world.messages(world.gm_room))
    await end_adventure(world)
    return "\n".join(texts(each) for each in world.messages(world.gm_room)[before:])


@pytest.mark.rule("MB-BG-56", "MB-BG-13")
async def test_a_price_is_paid_if_its_advantage_was_used(world: World) -> None:
    await open_table_with_lines(world, LUCK, PRICE, life_points=2)
    await gms_read(world, "mb background pay", character="Vesna", used=LUCK)
    assert "used in this adventure" in await shown_sheet(world)
    assert "Vesna has paid" in await ends(world)
    assert (await sheet(world, "Vesna")).life_points == 2, "2, 1 for the act, less the price"
    await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
    assert "used in this adventure" not in await shown_sheet(world)


@pytest.mark.rule("MB-BG-56")
async def test_an_unpaid_price_takes_its_advantage_until_it_is_paid(world: World) -> None:
    await open_table_with_lines(world, LUCK, DEAR, life_points=0)
    await gms_read(world, "mb background pay", character="Vesna", used=LUCK)
    assert "can't pay" in await ends(world)
    vesna = await sheet(world, "Vesna")
    assert vesna.advantages[0].state == "suspended"
    assert "not paid" in await shown_sheet(world)
    poor = refusal_of(await background(world, world.ana, "mb background pay"))
    assert "takes 3 Life Points" in poor, poor
    await world.gina.slash(world.zone, "gm award", kind="Life Points", amount=2, to="Vesna")
    private(await background(world, world.ana, "mb background pay"))
    vesna = await sheet(world, "Vesna")
    assert not vesna.advantages[0].state and vesna.life_points == 0


@pytest.mark.rule("MB-BG-56")
async def test_a_price_missed_twice_takes_both_for_good(world: World) -> None:
    await open_table_with_lines(world, LUCK, PRICE)
    for _ in range(2):
        await gms_read(world, "mb background pay", character="Vesna", unpaid=True)
    vesna = await sheet(world, "Vesna")
    assert [each.state for each in (*vesna.advantages, *vesna.compensations)] == ["lost", "lost"]


@pytest.mark.rule("MB-BG-56")
async def test_the_gm_is_asked_about_a_price_whose_use_nobody_noted(world: World) -> None:
    await open_table_with_lines(world, LUCK, PRICE, life_points=2)
    assert "1 Life Point, if it was used" in await ends(world)
    assert (await sheet(world, "Vesna")).life_points == 3, "2, and 1 for the act"
    await world.press(world.gina, await moves(world), "Pay 1 Life Point")
    assert (await sheet(world, "Vesna")).life_points == 2


@pytest.mark.rule("MB-BG-47", "MB-BG-48", "MB-BG-49", "MB-BG-56", "MB-BG-57")
@pytest.mark.parametrize(
    ("line", "moment", "text"),
    [
        ("Enemy (CI): Orlok; motive: revenge", "start", "where does the enemy come in"),
        ("Enemy (CII): Orlok; motive: revenge", "start", "where does the enemy come in"),
        ("Enemy (CIII): Orlok; motive: revenge", "start", "where does the enemy come in"),
        ("Employed (CII): the press", "start", "does the employer allow it"),
        ("Employed (CIII): the press", "end", "hands in the loot"),
        ("Debt (CI): the bank", "end", "owes a share of the profit"),
        ("Debt (CII): the mob", "end", "owes a share of the profit"),
        ("Debt (CIII): the mob", "end", "hands over all goods"),
        ("Debt (CIII): the mob", "start", "say what is lent back"),
        ("Price (CII): Luck (CII); price: a favor", "end", "owes a fee or favor"),
        ("Quirk (CII): pills; pattern: dependency", "act", "was the need met"),
    ],
)
async def test_the_gms_are_reminded_in_one_message(
    world: World, line: str, moment: str, text: str
) -> None:
    await open_table_with_lines(world, LUCK)
    await reach(world, moment)
    assert text not in texts(world.last(world.gm_room))
    await award_option(world, line)
    before = len(world.messages(world.gm_room))
    await reach(world, moment)
    assert len(world.messages(world.gm_room)) == before + 1
    assert text in texts(world.last(world.gm_room))
    assert text in texts(await moves(world))
    assert text in private(await background(world, world.gina, "mb background due"))


async def reach(world: World, moment: str) -> None:
    """Start or end an adventure, or end an act."""
    if moment == "start":
        await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
    elif moment == "end":
        await end_adventure(world)
    else:
        await play_act(world)
        await world.gina.slash(world.zone, "mb adventure act", what="end")


@pytest.mark.rule("MB-BG-47", "MB-BG-13")
async def test_a_debt_takes_all_goods_until_the_next_adventure(world: World) -> None:
    await open_table_with_lines(world, "Debt (CIII): the mob")
    await ends(world)
    await world.press(world.gina, await moves(world), "Paid")
    assert "All goods are with the lender" in await shown_sheet(world)
    assert "Nothing is due" in private(await background(world, world.gina, "mb background due"))
    await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
    assert "All goods are with the lender" not in await shown_sheet(world)


async def test_reminders_come_with_cards_too(world: World) -> None:
    enemy = {"compensations": ["Enemy (CI): Orlok", "Debt (CI): the bank"]}
    await begin(world, 39, 44, 16, gm_channel=True, sheets={"Vesna": enemy})
    room = "\n".join(texts(each) for each in world.messages(world.gm_room))
    assert "where does the enemy come in" in room
    await world.gina.slash(world.zone, "mb adventure end")
    room = "\n".join(texts(each) for each in world.messages(world.gm_room))
    assert "owes a share of the profit" in room


# --- flaws and changes ----------------------------------------------------------------------------


@pytest.mark.rule("MB-BG-41", "MB-BG-45")
@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("Advantage Flaw (CI): Luck (CII); flaw: rattles", "is stymied until the scene ends"),
        ("Advantage Flaw (CII): Luck (CII); flaw: rattles", "is set back"),
        ("Advantage Flaw (CIII): Luck (CII); flaw: rattles", "until the scene ends"),
        ("Burn-out (CIII): Luck (CII); trigger: the ring breaks", "for good"),
    ],
)
async def test_a_flaw_strikes_or_holds_off(world: World, line: str, text: str) -> None:
    await open_table_with_lines(world, LUCK)
    without = await background(world, world.gina, "mb background flaw", character="Vesna")
    assert "nothing of the kind" in refusal_of(without)
    await award_option(world, line)
    before = await sheet(world, "Vesna")
    assert "holds off" in await all_read(world, "mb background flaw", character="Vesna", holds=True)
    assert await sheet(world, "Vesna") == before
    assert text in await all_read(world, "mb background flaw", character="Vesna")
    state, vesna = await world.state(), await who(world, "Vesna")
    now = (await sheet(world, "Vesna")).advantages[0].state
    stymied, setback = marks_of(state, vesna, LINE, STYMIED), marks_of(state, vesna, SETBACK)
    column = line.partition("(")[2].partition(")")[0]
    expected = {"CI": (1, 0, ""), "CII": (0, 1, ""), "CIII": (0, 0, "suspended")}[column]
    if line.startswith("Burn-out"):
        expected = (0, 0, "lost")
    assert (len(stymied), len(setback), now) == expected


@pytest.mark.rule("MB-BG-41", "MB-BG-45")
async def test_what_a_flaw_takes_comes_back_and_what_burns_out_does_not(world: World) -> None:
    flaw = "Advantage Flaw (CIII): Luck (CII); flaw: rattles; extra disadvantage: shakes"
    await open_table_with_lines(
        world, LUCK, flaw, "Burn-out (CIII): Luck (CII); trigger: the ring breaks"
    )
    told = await all_read(world, "mb background flaw", character="Vesna", flaw="Advantage Flaw")
    assert "shakes" in told
    assert "off because of a flaw" in await shown_sheet(world)
    await world.restart()
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    assert "Vesna has Luck (CII) back" in "".join(texts(each) for each in world.messages()[-2:])
    assert (await sheet(world, "Vesna")).advantages[0].state == ""
    await all_read(world, "mb background flaw", character="Vesna", flaw="Burn-out")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    assert (await sheet(world, "Vesna")).advantages[0].state == "lost"
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).advantages[0].state == ""


@pytest.mark.rule("MB-BG-10")
async def test_options_are_gained_and_lost_in_play(world: World) -> None:
    await open_table_with_lines(world, "Enemy (CI): Orlok; motive: revenge")
    told = await all_read(world, "mb background award", character="Vesna", option="Wealth (CI)")
    assert "Vesna gains Wealth (CI)" in told
    assert "Wealth (CI)" in await shown_sheet(world)
    told = await all_read(world, "mb background lose", character="Vesna", option="Enemy (CI)")
    assert "Vesna is rid of Enemy (CI): Orlok" in told
    assert "resolved" in await shown_sheet(world)
    await world.gina.slash(world.zone, "gm undo")
    assert "resolved" not in await shown_sheet(world)
    told = await all_read(world, "mb background lose", character="Vesna", option="Wealth (CI)")
    assert "Vesna loses Wealth (CI)" in told
    await all_read(world, "mb background award", character="Vesna", option="Wealth (CI)")
    assert len((await sheet(world, "Vesna")).advantages) == 1
    wrong = refusal_of(
        await background(
            world, world.gina, "mb background award", character="Vesna", option="Wealht (CI)"
        )
    )
    assert "Wealth (CI)" in wrong
    refusal_of(
        await background(
            world, world.ana, "mb background award", character="Vesna", option="Wealth (CI)"
        )
    )


@pytest.mark.rule("MB-BG-34", "MB-BG-44", "MB-BG-48")
@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("Wealth (CI)", "about $1,000"),
        ("Wealth (CII)", "carries about $5,000"),
        ("Wealth (CIII): an entail", "an estate"),
        ("Bigotry (CI): sailors", "mild bias"),
        ("Bigotry (CII): sailors", "hatred"),
        ("Employed (CI): a clerk", "a job with duties"),
        ("custom (CIV): the sun burns", "the sun burns"),
    ],
)
async def test_what_has_no_number_is_shown(world: World, line: str, text: str) -> None:
    await open_table_with_lines(world)
    assert text not in (await shown_sheet(world)).casefold()
    side = {"side": "compensation"} if line.startswith("custom") else {}
    await background(
        world, world.gina, "mb background award", character="Vesna", option=line, **side
    )
    assert text in (await shown_sheet(world)).casefold()


@pytest.mark.rule("MB-BG-13")
async def test_the_state_of_a_background_outlives_a_restart(world: World) -> None:
    await open_table_with_lines(world, LUCK, PRICE)
    await gms_read(world, "mb background pay", character="Vesna", used=LUCK)
    await world.restart()
    game = await game_of(world)
    assert state_of(game, await who(world, "Vesna")).used == (LUCK,)


async def test_texts_fit_a_phone(world: World) -> None:
    await open_table_with_lines(world, FAME, "Quirk (CI): steals", LUCK, PRICE)
    world.dice.lay(9, 9)
    await gms_read(world, "mb background recognize", character="Vesna")
    heads = [head(world.last(world.gm_room))]
    heads += [(await shown_sheet(world)).splitlines()[0].removeprefix("## ")]
    assert all(len(each) <= 30 for each in heads), heads
