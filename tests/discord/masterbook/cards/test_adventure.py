"""Adventures with cards through Discord: the first deal, subplots, scenes, acts, awards."""

from __future__ import annotations

import json
import re

import pytest

from rules.systems.masterbook.deck.card_definitions import Award
from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, DRAW_PILE, FACE, HAND
from tests.discord.masterbook.cards.deck import answers, begin, cards, clock, names, who, whole
from tests.discord.masterbook.table import newest, open_table, sheet
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, labels, message_of, private, public, refusal_of, texts

#: Cards of the default deck by number.
HERO, IDEA, RALLY, CLAIM, PRESENCE, ACTION, EFFECT, HASTE = 39, 44, 61, 16, 56, 1, 30, 35
NEMESIS, ROMANCE, SUSPICION, MARTYR, CAMPAIGN, DISASTER = 93, 97, 99, 89, 85, 101


@pytest.mark.rule("MB-CARD-04")
async def test_an_adventure_deals_to_everybody_in_one_message(world: World) -> None:
    await open_table(world, life_points=5)
    started = await world.gina.slash(world.zone, "mb adventure act", what="start", name="Night")
    assert public(started).startswith("## Act 1: Night")
    await world.gina.slash(world.zone, "gm settings", setting="cards_mode", value="full")
    assert "Only the GM" in refusal_of(await world.ana.slash(world.zone, "mb adventure start"))
    await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
    everything = [texts(each) for each in world.messages()]
    told = [each for each in everything if "The adventure begins" in each]
    assert len(told) == 1
    # Before they are dealt, cards are shuffled, and none of them has come back from anywhere.
    before = everything[everything.index(told[0]) - 1]
    assert "All cards shuffled" in before and "came back" not in before, before
    assert "Each player holds 3 cards" in told[0]
    assert "Vesna draws 3 cards." in told[0] and "Boris draws 3 cards." in told[0]
    deck = whole(await cards(world))
    assert [len(deck.at(HAND, each.who)) for each in deck.deal.seats] == [3, 3]
    await world.restart()
    assert await cards(world) == deck
    assert "under way already" in refusal_of(
        await world.gina.slash(world.zone, "mb adventure start")
    )
    await world.gina.slash(world.zone, "gm undo")
    assert "masterbook" not in (await world.state()).decks


@pytest.mark.rule("MB-CARD-05", "MB-CARD-S00")
async def test_a_pending_subplot_waits_for_gm_and_player_while_the_story_goes_on(
    world: World,
) -> None:
    deck = await begin(world, HERO, IDEA, NEMESIS, RALLY, CLAIM, PRESENCE, ACTION, life_points=5)
    vesna = await who(world, "Vesna")
    assert names(deck, deck.at(HAND, vesna)) == ["Hero", "Idea", "Rally"]
    assert deck.seat(vesna).pending == (str(NEMESIS),)
    assert "Nemesis" in await newest(world)
    await world.gina.slash(
        world.zone, "mb adventure scene", what="start", kind="dramatic", name="The gate"
    )
    await world.restart()
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Keep it?", "Keep")
    deck = whole(await cards(world))
    assert (deck.seat(vesna).pending, deck.at(FACE, vesna)) == ((), (str(NEMESIS),))
    assert "Vesna keeps Nemesis" in await newest(world)
    assert (await sheet(world, "Vesna")).life_points == 5
    await world.gina.slash(world.zone, "gm undo")
    assert (await cards(world)).seat(vesna).pending == (str(NEMESIS),)
    await answers(world, world.ana, "Keep it?", "Decline")
    assert (await sheet(world, "Vesna")).life_points == 6


@pytest.mark.rule("MB-CARD-05")
async def test_no_clock_decides_on_a_subplot(world: World) -> None:
    await begin(world, NEMESIS, HERO, IDEA, RALLY, CLAIM, PRESENCE, ACTION)
    vesna = await who(world, "Vesna")
    moves = private(await world.gina.slash(world.zone, "moves"))
    assert "Vesna draws a subplot, Nemesis: Allow or Disallow" in moves, moves
    await world.env.advance_time(8 * 24 * 3600)
    assert (await cards(world)).seat(vesna).pending == (str(NEMESIS),)
    # It holds up neither a fight nor the scene.
    await gather(world)
    for _ in range(4):
        await next_turn(world)
    await world.gina.slash(world.zone, "initiative end")
    await answers(world, world.gina, "Answer", "Allow", "c1")
    await world.env.advance_time(8 * 24 * 3600)
    assert (await cards(world)).seat(vesna).pending == (str(NEMESIS),)
    await answers(world, world.ana, "Keep it?", "Keep", "c1")
    deck = whole(await cards(world))
    assert (deck.seat(vesna).pending, deck.at(FACE, vesna)) == ((), (str(NEMESIS),))


@pytest.mark.rule("MB-CARD-S00")
async def test_a_third_subplot_pays_instead(world: World) -> None:
    deck = await begin(world, NEMESIS, ROMANCE, SUSPICION, HERO, IDEA, RALLY, life_points=5)
    vesna = await who(world, "Vesna")
    for _ in range(2):
        await answers(world, world.gina, "Answer", "Allow")
        await answers(world, world.ana, "Keep it?", "Keep")
    await answers(world, world.gina, "Answer", "Disallow")
    assert (await newest(world)).startswith("## Not allowed by the GM")
    deck = whole(await cards(world))
    assert names(deck, deck.at(FACE, vesna)) == ["Nemesis", "Romance"]
    assert (await sheet(world, "Vesna")).life_points == 6
    assert "Vesna declines Suspicion: discarded" in await newest(world)


@pytest.mark.rule("MB-CARD-14", "MB-CARD-X02", "MB-CARD-S07")
async def test_scenes_fill_hands_up_and_acts_pay(world: World) -> None:
    await begin(world, HERO, IDEA, NEMESIS, RALLY, CLAIM, PRESENCE, ACTION, life_points=5)
    await world.gina.slash(world.zone, "gm settings", setting="award_overflow", value="offer")
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Keep it?", "Keep")
    await world.gina.slash(world.zone, "mb adventure scene", what="start", kind="standard")
    assert "Act 1, scene 1" in texts(world.last())
    await world.ana.slash(world.zone, "card discard", card="Hero")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    # Who is called reads what for, told once.
    called = texts(world.newest("Choose cards"))
    assert re.search(r"Vesna and Boris, choose cards\. Due <t:\d+:R>\.\nChoose cards$", called)
    panel = message_of(await world.press(world.ana, world.newest("Choose cards"), "Choose cards"))
    assert "Presence" not in texts(panel)
    panel = message_of(await world.choose(world.ana, panel, "Cards", f"cards: {IDEA}"))
    # She held three, and has played one.
    await world.press(world.ana, panel, "Discard some of 2 cards, then draw up to 3")
    deck = whole(await cards(world))
    assert len(deck.at(HAND, vesna)) == 3 and deck.at(DISCARD_PILE)[:2] == (str(IDEA), str(HERO))
    await world.restart()
    drawn = message_of(await world.ben.slash(world.zone, "draw-card"))
    assert "No draw" not in texts(drawn)
    await world.press(world.ben, drawn, "Your hand")
    deck = whole(await cards(world))
    assert [each.due for each in deck.deal.seats] == ["", ""]
    assert "Vesna draws 2 cards" in await newest(world)
    await world.gina.slash(world.zone, "mb adventure scene", what="start", kind="dramatic")
    await world.gina.slash(world.zone, "mb adventure act", what="end", number=1)
    text = await newest(world)
    assert "each character gets 3 Life Points, for 2 scenes and +1 by the GM" in text, text
    assert "Vesna: Nemesis pays 1 Life Point if it was played." in text, text
    await answers(world, world.gina, "Pay", "Pay for all")
    # Two scenes and one more for a hard act; Nemesis pays one besides.
    assert (await sheet(world, "Vesna")).life_points == 9
    assert (await sheet(world, "Boris")).life_points == 8
    now = await clock(world)
    assert (now.act, now.scene) == (2, 0)
    await world.gina.slash(world.zone, "mb adventure end", number=1)
    await answers(world, world.gina, "Pay", "Pay for all")
    text = await newest(world)
    assert text.startswith("## The adventure is over") and "for 2 acts and +1 by the GM" in text, (
        text
    )
    deck = whole(await cards(world))
    assert (deck.deal.limit, deck.at(HAND, vesna), deck.at(FACE, vesna)) == (0, (), ())
    # Two acts and one for great play; Nemesis of the last act would be the eleventh.
    assert (await sheet(world, "Vesna")).life_points == 10
    assert (await sheet(world, "Boris")).life_points == 10
    # What is more than ten waits to be turned into skill points, until the next adventure.
    assert [(await sheet(world, each)).surplus for each in ("Vesna", "Boris")] == [3, 1]
    lost = "Vesna can hold only 10 Life Points; 3 would be lost unless converted to 9 skill points."
    assert f"{lost} Use `/mb convert`" in text, text
    await world.restart()
    await world.gina.slash(world.zone, "mb adventure start")
    assert (await sheet(world, "Vesna")).surplus == 0
    assert len(whole(await cards(world)).at(HAND, boris)) == 3


@pytest.mark.rule("MB-CARD-S05", "MB-CARD-P02", "MB-CARD-S02")
async def test_a_martyr_who_backs_out_owes_and_a_campaign_card_makes_subplots_last(
    world: World,
) -> None:
    await begin(
        world, MARTYR, HERO, IDEA, RALLY, NEMESIS, CAMPAIGN, CLAIM, ACTION, PRESENCE, life_points=5
    )
    vesna, boris = await who(world, "Vesna"), await who(world, "Boris")
    for check, person in (("c1", world.ana), ("c2", world.ben)):
        await answers(world, world.gina, "Answer", "Allow", check)
        await answers(world, person, "Keep it?", "Keep", check)
    await world.ben.slash(world.zone, "mb card campaign", subplot="Nemesis")
    await answers(world, world.gina, "Answer", "Allow")
    deck = whole(await cards(world))
    assert (deck.seat(boris).permanent, deck.at(FACE, boris)) == (("nemesis",), ())
    assert names(deck, deck.at(HAND, boris)) == ["Claim", "Action", "Presence"]
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure act", what="end", number=-1)
    await answers(world, world.gina, "Pay", "Pay for all")
    assert [(await sheet(world, name)).life_points for name in ("Vesna", "Boris")] == [6, 6]
    await world.gina.slash(world.zone, "mb card martyr", how="named", character="Vesna")
    await world.gina.slash(world.zone, "gm award", kind="life_points", amount=1, to="Vesna")
    answer = await world.gina.slash(world.zone, "mb card martyr", how="out", character="Vesna")
    assert "Vesna backs out and owes 2 Life Points" in texts(message_of(answer))
    assert (await sheet(world, "Vesna")).life_points == 5
    assert (await cards(world)).seat(vesna).debt == 0
    ended = await world.gina.slash(world.zone, "mb card use", character="Boris", card="Nemesis")
    assert "Nemesis is over for Boris" in texts(message_of(ended))


@pytest.mark.rule("MB-CARD-P01", "MB-CARD-P03", "MB-CARD-15", "MB-CARD-04")
async def test_gms_use_what_lies_face_up_and_deal_people_in_and_out(world: World) -> None:
    await begin(
        world,
        DISASTER,
        HERO,
        IDEA,
        RALLY,
        CLAIM,
        ACTION,
        PRESENCE,
        rules={"exceptional_roleplaying_card": "on"},
    )
    vesna = await who(world, "Vesna")
    assert "Only the GM" in refusal_of(
        await world.ana.slash(world.zone, "mb card use", character="Vesna", card="Disaster")
    )
    used = await world.gina.slash(world.zone, "mb card use", character="Vesna", card="Disaster")
    assert "Vesna's Disaster comes true, and the card is spent" in texts(message_of(used))
    await world.gina.slash(world.zone, "mb card seat", how="bonus", character="Vesna")
    assert len((await cards(world)).at(HAND, vesna)) == 4
    assert "used that" in refusal_of(
        await world.gina.slash(world.zone, "mb card seat", how="bonus", character="Vesna")
    )
    await world.gina.slash(world.zone, "mb card seat", how="leaves", character="Vesna")
    deck = whole(await cards(world))
    assert deck.deal.seat(vesna) is None
    await world.gina.slash(world.zone, "mb card seat", how="joins", character="Vesna")
    assert [each.who for each in whole(await cards(world)).deal.seats][-1] == vesna


@pytest.mark.rule("MB-CARD-D05", "MB-CARD-D06", "MB-CARD-B01")
async def test_a_table_brings_its_own_deck_and_gms_look_at_it(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, CLAIM, ACTION, PRESENCE)
    seen = private(await world.gina.slash(world.zone, "mb deck peek", number=2))
    top = (await cards(world)).at(DRAW_PILE)[:2]
    assert all(f"({each})" in seen for each in top)
    assert "The GM looks at the top 2 cards of the deck" in texts(world.last())
    await world.gina.slash(world.zone, "mb deck stack", cards=f"Haste, {EFFECT}")
    deck = whole(await cards(world))
    assert names(deck, deck.at(DRAW_PILE)[:2]) == ["Effect", "Haste"]
    assert "lays 2 cards" in texts(world.last()) and "Haste" not in texts(world.last())
    assert "Only the GM" in refusal_of(await world.ana.slash(world.zone, "mb deck peek", number=2))
    line = {"first": "P"}
    rows = [
        {
            "number": at,
            "name": "hero",
            "standard": line,
            "dramatic": line,
            "critical": {"kind": "complication"},
        }
        for at in range(1, 41)
    ]
    bad = {
        "format": "masterbook-deck",
        "format_version": 1,
        "deck_id": "ours",
        "title": "Ours",
        "cards": rows,
    }
    faulty = json.dumps(bad | {"cards": [*rows, {"number": 7, "name": "nobody"}]})
    told = texts(
        message_of(
            await world.gina.slash(world.zone, "deck import", file=("ours.json", faulty.encode()))
        )
    )
    assert "card 7" in told.casefold() and "twice" in told
    own = {
        "name": "The Debt",
        "type": "subplot",
        "summary": "Somebody wants their money.",
        "award": {},
    }
    faulty = json.dumps(bad | {"definitions": {"debt": own}})
    told = texts(
        message_of(
            await world.gina.slash(world.zone, "deck import", file=("ours.json", faulty.encode()))
        )
    )
    assert "definitions.debt.award.life_points" in told, told
    own["award"] = {"when": "gamemaster", "life_points": 2}
    bad |= {"definitions": {"debt": own}, "cards": [*rows[:-1], rows[-1] | {"name": "debt"}]}
    await world.gina.slash(world.zone, "deck import", file=("ours.json", json.dumps(bad).encode()))
    assert len((await cards(world)).faces) == 108  # a running adventure keeps its deck
    await world.gina.slash(world.zone, "mb adventure end")
    await world.gina.slash(world.zone, "mb adventure start")
    deck = whole(await cards(world))
    assert len(deck.faces) == 40
    assert {deck.kind(each).key for each in deck.faces} == {"hero", "debt"}
    assert deck.kinds["debt"].award == Award("gamemaster", 2)


def own_deck(title: str, first: int, *top: str) -> bytes:
    """A deck of 60 cards, `first` and up: some on top, else Hero; a subplot of its own where one of
    them is `debt`.
    """
    own = {"name": "The Debt", "type": "subplot", "summary": "Somebody wants their money."}
    defined = (
        {"debt": own | {"award": {"when": "end_of_act", "life_points": 2}}} if "debt" in top else {}
    )
    line, box = {"first": "P"}, {"kind": "complication"}
    rows = [
        {"number": at, "name": name, "standard": line, "dramatic": line, "critical": box}
        for at, name in enumerate([*top, *["hero"] * (60 - len(top))], first)
    ]
    file = {
        "format": "masterbook-deck",
        "format_version": 1,
        "deck_id": title.casefold(),
        "title": title,
        "cards": rows,
    }
    return json.dumps(file | {"definitions": defined}).encode()


OURS = own_deck("Ours", 200, "debt", "campaign")


async def _import(world: World, deck: bytes) -> None:
    await world.gina.slash(world.zone, "deck import", file=("deck.json", deck))


async def _lasting_debt(world: World) -> None:
    """An adventure with a deck of one's own, in which a subplot of that deck stays with Vesna."""
    await open_table(world, rules={"cards_mode": "full"})
    await _import(world, OURS)
    world.dice.lay(*range(60, 1, -1))  # as it came
    await world.gina.slash(world.zone, "mb adventure start")
    await answers(world, world.gina, "Answer", "Allow")
    await answers(world, world.ana, "Keep it?", "Keep")
    await world.ana.slash(world.zone, "mb card campaign", subplot="The Debt")
    await answers(world, world.gina, "Answer", "Allow")
    assert (await cards(world)).seat(await who(world, "Vesna")).permanent == ("debt",)


async def _end(world: World) -> None:
    await world.gina.slash(world.zone, "mb adventure end")
    if "Pay" in labels(world.card()):
        await answers(world, world.gina, "Pay", "Pay for all")


@pytest.mark.parametrize("during", [True, False])
@pytest.mark.rule("MB-CARD-S02", "MB-CARD-X04", "MB-CARD-D06")
async def test_what_stays_for_the_campaign_outlasts_the_deck(world: World, during: bool) -> None:
    await _lasting_debt(world)
    if during:
        await _import(world, own_deck("Other", 300))
        await _end(world)
    else:
        await _end(world)
        await world.gina.slash(world.zone, "deck remove", deck="Ours")
        await _import(world, own_deck("Other", 300))
    await world.gina.slash(world.zone, "mb adventure start")
    deck = whole(await cards(world))
    assert {deck.kind(each).key for each in deck.faces} == {"hero"}
    assert deck.seat(await who(world, "Vesna")).permanent == ("debt",)
    # A deck that does not have it neither pays it nor ends it.
    none = refusal_of(
        await world.gina.slash(world.zone, "mb card use", character="Vesna", card="The Debt")
    )
    assert "No such card" in none
    await world.gina.slash(world.zone, "mb adventure act", what="end")
    assert "The Debt" not in texts(world.card())
    await _end(world)
    await _import(world, OURS)
    await world.gina.slash(world.zone, "mb adventure start")
    ended = await world.gina.slash(world.zone, "mb card use", character="Vesna", card="The Debt")
    assert "The Debt is over for Vesna" in texts(message_of(ended))


async def test_a_deck_that_is_taken_away_between_adventures_leaves_none_of_its_cards(
    world: World,
) -> None:
    await _lasting_debt(world)
    await _end(world)
    await world.gina.slash(world.zone, "deck remove", deck="Ours")
    await world.restart()
    whole(await cards(world))
    shown = texts(message_of(await world.gina.slash(world.zone, "mb deck peek", number=3)))
    assert "The Debt" not in shown, shown
    for _ in ("the look", "the deck"):
        await world.gina.slash(world.zone, "gm undo")
    assert whole(await cards(world)).at(DRAW_PILE)[0] in map(str, range(200, 260))


async def test_the_deck_of_the_rules_is_that_by_its_name_too(world: World) -> None:
    await begin(world, HERO, IDEA, RALLY, CLAIM, ACTION, PRESENCE)
    before = await cards(world)
    for name in ("MasterBook", "master", "masterbook"):
        assert "Only the GM" in refusal_of(
            await world.ana.slash(world.zone, "deck shuffle", deck=name)
        )
        hand = message_of(await world.ana.slash(world.zone, "card hand", deck=name))
        assert "Rally" in texts(hand) and "Draw a card" not in labels(hand)
        assert "Draw" not in labels(
            message_of(await world.ana.slash(world.zone, "deck info", deck=name))
        )
    assert await cards(world) == before
    assert "No deck" in refusal_of(await world.ana.slash(world.zone, "deck shuffle", deck="Tarot"))


@pytest.mark.rule("MB-CARD-14")
async def test_a_scene_after_which_nobody_draws_ends_in_words(world: World) -> None:
    await begin(world)
    await world.gina.slash(world.zone, "mb adventure scene", what="start", kind="standard")
    for name in ("Vesna", "Boris"):
        await world.gina.slash(world.zone, "mb card seat", how="leaves", character=name)
    ended = await world.gina.slash(world.zone, "mb adventure scene", what="end")
    assert "Act 1, scene 1 is over; nobody draws" in texts(message_of(ended))


@pytest.mark.rule("MB-CARD-04")
async def test_whoever_holds_cards_does_not_undo_their_coming(world: World) -> None:
    before = await begin(world, HERO, IDEA, RALLY, CLAIM, PRESENCE, EFFECT)
    boris = await who(world, "Boris")
    text = refusal_of(await world.ben.slash(world.zone, "table undo"))
    assert "builds on" in text, text
    assert await cards(world) == before
    await world.gina.slash(world.zone, "mb adventure end")
    await world.restart()
    assert boris in (await world.state()).characters


@pytest.mark.rule("MB-CARD-D06")
async def test_a_deck_is_not_undone_while_its_cards_are_held(world: World) -> None:
    await open_table(world, rules={"cards_mode": "full"})
    await _import(world, own_deck("Ours", 200))
    brought = await world.revision()
    await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
    assert "build on it" in refusal_of(await world.gina.slash(world.zone, "gm undo", entry=brought))
    assert "hand 3" in private(await world.ana.slash(world.zone, "card hand"))
    await world.gina.slash(world.zone, "gm undo", entry=brought, dependents=True)
    state = await world.state()
    assert "masterbook" not in state.decks and not state.own
    await world.restart()
    assert "no cards" in private(await world.ana.slash(world.zone, "card hand"))


@pytest.mark.rule("MB-CARD-X02", "MB-GM-03")
async def test_an_act_without_scenes_says_why_it_pays_nothing(world: World) -> None:
    await begin(world)
    await world.gina.slash(world.zone, "mb adventure act", what="end")
    text = "\n".join(texts(each) for each in world.messages())
    assert "No Life Points, as no scene was played." in text, text
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "mb adventure act", what="end", number=2)
    text = "\n".join(texts(each) for each in world.messages())
    assert "Each character gets 2 Life Points, by the GM's word." in text, text


@pytest.mark.rule("MB-SKILL-IMP-06")
async def test_in_an_adventure_skills_grow_by_lessons_alone(world: World) -> None:
    await begin(world)
    for _ in range(4):
        await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=10)
    for command, skill in (("advance", "Dodge"), ("learn", "Charm")):
        told = refusal_of(await world.ana.slash(world.zone, f"character {command}", skill=skill))
        assert "in mid-adventure" in told and "`/mb study during:True`" in told, told
    await world.ana.slash(world.zone, "character advance", skill="Agility")
    assert (await sheet(world, "Vesna")).agility == 10, "that is no skill"
    await world.gina.slash(world.zone, "mb adventure end")
    await world.ana.slash(world.zone, "character advance", skill="Dodge")
    vesna = await sheet(world, "Vesna")
    assert next(each.adds for each in vesna.skills if each.name == "Dodge") == 3
