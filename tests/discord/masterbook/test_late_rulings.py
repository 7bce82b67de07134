"""Rulings that the table makes for the GM at once, and that the GM may still change."""

from __future__ import annotations

import pytest

from rules.systems.masterbook.checks.action_economy import TRAPPED
from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, HAND, POOL
from rules.systems.masterbook.rounds.task_state import task_at
from tests.discord.masterbook.cards.deck import begin, cards, names, who
from tests.discord.masterbook.cards.stacked_deck import order, rounds, whole
from tests.discord.masterbook.cards.test_round_hands import taunts
from tests.discord.masterbook.cards.test_skill_resolution import tried
from tests.discord.masterbook.table import newest, open_table
from tests.discord.masterbook.test_rounds import mark_value
from tests.discord.rounds import gather, next_turn
from tests.discord.world import World, labels, message_of, private, public, refusal_of, texts

HERO, IDEA, CLAIM, ACTION, SEIZE, EFFECT, RALLY, PRESENCE = 39, 44, 16, 5, 70, 30, 61, 56
HANDS = (SEIZE, HERO, IDEA, ACTION, CLAIM, EFFECT)
STEALTH = {"skill": "Stealth", "difficulty": "Average", "approach": "behind the crates"}


@pytest.fixture
def patience() -> bool:
    return False


async def _rules(world: World, label: str) -> str:
    """The GM changes a ruling by its button in `/moves`; what is told of it."""
    before = [each.id for each in world.messages()]
    moves = message_of(await world.gina.slash(world.zone, "moves"))
    await world.press(world.gina, moves, label)
    return "\n".join(texts(each) for each in world.messages() if each.id not in before)


async def _rulings(world: World) -> list[str]:
    """The rulings that the GM may still change."""
    moves = await world.gina.slash(world.zone, "moves")
    if moves.response is None and not moves.followups:
        return []
    return labels(message_of(moves))


@pytest.mark.rule("MB-CARD-I08")
async def test_a_setback_is_as_the_table_plays_it_until_somebody_has_acted(world: World) -> None:
    # 9: a setback of the NPCs.
    await begin(world, *HANDS, 14, 9, 25, RALLY)
    await gather(world, "Thug")
    await next_turn(world)
    for _ in range(2):
        await next_turn(world)
    text = await next_turn(world)
    assert "NPCs: setback" in text and "Waiting for the GM" not in text, text
    assert await order(world) == ["Boris", "Vesna"]
    instead = "Thug: a mishap instead of a lost action"
    assert instead in await _rulings(world)
    assert instead not in private(await world.ana.slash(world.zone, "moves"))
    await world.restart()
    assert instead in await _rules(world, instead)
    assert await order(world) == ["Boris", "Vesna", "Thug"]
    assert instead not in await _rulings(world)
    await world.gina.slash(world.zone, "gm undo")
    assert await order(world) == ["Boris", "Vesna"]
    public(await world.ben.slash(world.zone, "mb act", action="looks around"))
    assert instead not in await _rulings(world)


@pytest.mark.rule("MB-CARD-I08")
async def test_a_mishap_may_become_a_lost_action(world: World) -> None:
    await begin(world, *HANDS, 14, 9, 25, RALLY, rules={"setback_default": "gamemaster_event"})
    await gather(world, "Thug")
    await next_turn(world)
    for _ in range(2):
        await next_turn(world)
    await next_turn(world)
    assert await order(world) == ["Boris", "Vesna", "Thug"]
    await _rules(world, "Thug: a lost action instead of a mishap")
    assert await order(world) == ["Boris", "Vesna"]


@pytest.mark.rule("MB-CARD-I11")
async def test_how_a_side_has_broken_off_a_gm_says_meanwhile(world: World) -> None:
    # 19: the NPCs have to break off.
    await begin(world, *HANDS, 19, 14, RALLY)
    await gather(world, "Thug")
    assert "break off after this round" in await next_turn(world)
    await next_turn(world)
    await next_turn(world)
    text = await next_turn(world)
    assert "Waiting for the GM" not in text and await mark_value(world, "Thug", TRAPPED) == 0, text
    trapped = "The NPCs are trapped: +4 to all their difficulties"
    assert trapped in await _rules(world, trapped)
    assert await mark_value(world, "Thug", TRAPPED) == 4
    assert trapped not in await _rulings(world)


@pytest.mark.rule("MB-CARD-I12")
async def test_a_random_card_goes_and_the_gm_may_take_one_of_the_pool_instead(
    world: World,
) -> None:
    # 47: NPCs first, and a taunt of theirs takes a card.
    await begin(world, *HANDS, 14, 47, RALLY, gm_channel=True)
    boris = await who(world, "Boris")
    await gather(world, "Thug")
    await next_turn(world)
    public(await world.ben.slash(world.zone, "mb act", action="looks around"))
    public(await world.ben.slash(world.zone, "mb card pool", card="Claim"))
    for _ in range(2):
        await next_turn(world)
    assert "each success with taunt takes a card" in await next_turn(world)
    await taunts(world, world.gina, "Boris", as_="Thug")
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(9, 9, 1)
    await world.press(world.ben, panel, "Pass")
    assert world.dice.left == 0
    assert "The GM takes a card from Boris: Action." in await newest(world)
    instead = "Take Claim from the pool instead: Action goes back"
    assert instead in await _rules(world, instead)
    deck = await cards(world)
    assert names(deck, deck.at(HAND, boris))[-1] == "Action" and not deck.at(POOL, boris)
    assert deck.at(DISCARD_PILE)[0] == str(CLAIM)


@pytest.mark.rule("MB-CARD-L04")
async def test_bad_luck_is_a_mishap_until_the_gm_says_otherwise(world: World) -> None:
    await open_table(world, sheets={"Vesna": {"compensations": ["Bad Luck (CII)"]}})
    world.dice.lay(1, 2)
    await world.ana.slash(world.zone, "check", **STEALTH)
    assert not (await world.check("c1")).is_open
    stymied = "Vesna: stymied until the scene ends"
    assert stymied in await _rules(world, stymied)
    world.dice.lay(10, 4)
    await world.ana.slash(world.zone, "check", **STEALTH)
    assert world.dice.left == 0 and "2d10 (**10**, 4)" in await newest(world)


@pytest.mark.rule("MB-CARD-L04")
async def test_bad_luck_can_be_changed_until_the_next_check(world: World) -> None:
    await open_table(world, sheets={"Vesna": {"compensations": ["Bad Luck (CII)"]}})
    world.dice.lay(1, 2, 5, 6)
    await world.ana.slash(world.zone, "check", **STEALTH)
    told = refusal_of(await world.ana.slash(world.zone, "mb card ruling", ruling="c1:stymied"))
    assert "GM" in told, told
    await world.ana.slash(world.zone, "check", **STEALTH)
    told = refusal_of(await world.gina.slash(world.zone, "mb card ruling", ruling="c1:stymied"))
    assert "You can't change “c1:stymied” now" in told, told


@pytest.mark.rule("MB-CARD-C06")
async def test_a_critical_problem_raises_nothing_until_the_gm_says_so(world: World) -> None:
    await rounds(world)
    # 2: a critical problem.
    await next_turn(world, *whole(2, 14))
    await world.gina.slash(
        *(world.zone, "mb task start"),
        name="The ledge",
        shown=True,
        step_a="Stealth 10",
        step_b="Stealth, Agility 10",
    )
    await tried(world, world.ben, 1, 1)
    assert not (await world.check("c2")).is_open
    harder = "Each step left is harder by 2"
    assert harder in await _rules(world, harder)
    state = task_at(await world.state(), str(world.zone.id))
    assert state is not None and [each.dn for each in state.task.steps] == [12, 12]
    assert harder not in await _rulings(world)
