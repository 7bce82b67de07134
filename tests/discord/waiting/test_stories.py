"""Stories of play and what each takes at most: visits, acts, messages and pings.

A number in `BOUNDS` may rise only with a reason: each says how often people have to come back
until something at the table is settled.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest

from tests.discord.ego.table import RIFLE, SWORD
from tests.discord.waiting.casts import (
    Cast,
    barmore_cast,
    ebb_cast,
    ego_cast,
    join_rounds,
    masterbook_cast,
)
from tests.discord.waiting.story import (
    Choose,
    Command,
    Counts,
    Press,
    Script,
    StoryError,
    Write,
)
from tests.discord.world import World, texts

#: What each story takes at most: by post, and at the table.
BOUNDS: Final[dict[str, tuple[Counts, Counts]]] = {
    # visits, acts, posts, posts in the GMs' room, pings
    "1: EBB check, failed": (Counts(3, 5, 2, 1, 2), Counts(1, 1, 0, 1, 0)),
    "2: EBB contest, the actor loses": (Counts(4, 9, 4, 3, 3), Counts(3, 7, 3, 3, 2)),
    "2b: EBB contest, the actor wins": (Counts(3, 8, 3, 1, 2), Counts(2, 6, 2, 1, 1)),
    # At the table, too, the GM names the number that an NPC is worth.
    "3: EBB attack on an NPC": (Counts(3, 5, 2, 0, 2), Counts(3, 5, 2, 0, 2)),
    "3b: EBB attack on a player's character": (Counts(2, 8, 2, 0, 1), Counts(2, 8, 2, 0, 1)),
    "4: Barmore check": (Counts(3, 7, 2, 0, 2), Counts(1, 1, 0, 0, 0)),
    "5: Barmore attack on a player's character": (Counts(3, 6, 3, 1, 2), Counts(2, 4, 2, 1, 1)),
    # At the table, too, the GM names the factor.
    "6: Barmore treatment": (Counts(3, 7, 2, 0, 2), Counts(3, 7, 2, 0, 2)),
    # Less than a check: the GM has said how hard it is when the action began.
    "6b: Barmore roll of a complex action": (Counts(1, 1, 0, 0, 0), Counts(1, 1, 0, 0, 0)),
    "7: EGO check, failed": (Counts(3, 5, 2, 0, 2), Counts(1, 1, 0, 0, 0)),
    "8: EGO sword on an NPC, missed": (Counts(3, 4, 2, 1, 2), Counts(1, 1, 0, 1, 0)),
    # The GMs' room keeps what the hit does to the NPC, though the GM's answer says it, too.
    "8b: EGO sword on an NPC, hit": (Counts(2, 3, 1, 1, 1), Counts(1, 1, 0, 1, 0)),
    "9: EGO orc on a player's character, hit": (Counts(2, 4, 2, 2, 1), Counts(2, 4, 2, 2, 1)),
    "9b: EGO orc on a player's character, missed": (Counts(2, 3, 2, 1, 1), Counts(2, 3, 2, 1, 1)),
    "10: EGO burst on an NPC, missed": (Counts(3, 4, 2, 0, 2), Counts(1, 1, 0, 0, 0)),
    "11: EGO round of five": (Counts(1, 1, 1, 0, 1), Counts(1, 1, 1, 0, 1)),
    # Each who asks before rounds is one more visit, call and card.
    "11b: EGO round of five, one of whom asks": (Counts(2, 2, 3, 0, 2), Counts(2, 2, 3, 0, 2)),
    # At the table, everybody knows the number: it is final at once.
    "12: MasterBook check without cards": (Counts(3, 6, 2, 2, 2), Counts(1, 1, 0, 0, 0)),
    "12b: MasterBook check with cards": (Counts(3, 6, 2, 2, 2), Counts(1, 1, 0, 0, 0)),
    # Each who asks before results stand is one more visit and call.
    "12d: MasterBook check with cards, and one who asks": (
        Counts(4, 7, 3, 3, 3),
        Counts(2, 2, 1, 0, 1),
    ),
    "12c: MasterBook check with cards and a Life Point": (
        Counts(3, 7, 2, 2, 2),
        Counts(1, 3, 0, 0, 0),
    ),
    "13: MasterBook attack on an NPC": (Counts(3, 4, 2, 1, 2), Counts(1, 2, 0, 2, 0)),
    "13b: MasterBook attack on an NPC, with cards": (Counts(3, 4, 2, 1, 2), Counts(1, 2, 0, 2, 0)),
    "14: MasterBook attack on a player's character, bought off": (
        Counts(2, 6, 2, 2, 1),
        Counts(2, 6, 2, 2, 1),
    ),
    "14b: MasterBook first round with cards": (Counts(1, 1, 1, 0, 1), Counts(1, 1, 1, 0, 1)),
    "14c: MasterBook taunt on an NPC": (Counts(3, 5, 2, 3, 2), Counts(1, 2, 0, 2, 0)),
}
#: What stories take by post with one switch on.
SWITCHED: Final[dict[tuple[str, str], Counts]] = {
    ("roll_when_answered", "1b"): Counts(2, 4, 1, 0, 1),
    ("roll_when_answered", "3"): Counts(2, 4, 1, 0, 1),
    ("roll_when_answered", "4"): Counts(2, 5, 1, 0, 1),
    ("roll_when_answered", "6"): Counts(2, 5, 1, 0, 1),
    ("attacks_at_once", "8"): Counts(1, 1, 0, 1, 0),
    ("attacks_at_once", "10"): Counts(1, 1, 0, 0, 0),
    ("attacks_at_once", "13"): Counts(1, 2, 0, 2, 0),
}


@pytest.fixture
def patience() -> bool:
    """Not here: tables wait for those who decide, and for nobody else."""
    return False


def press(label: str, when: str = "") -> Press:
    """A press that the story is about."""
    return Press(label, when)


def if_asked(label: str, when: str = "") -> Press:
    """A press on the way to what the story is about, where there is one."""
    return Press(label, when, optional=True)


def says(name: str, **options: Any) -> Command:
    """A command; `npc` and `words` stand for its options `as` and `with`."""
    names = {"npc": "as", "words": "with"}
    return Command(name, {names.get(key, key): value for key, value in options.items()})


ALLOWS: Final[Script] = (press("Call for a roll"),)


def sets(difficulty: str) -> Script:
    """What a GM does who answers a check with one of the difficulties on offer."""
    return (Choose("Difficulty", (difficulty,)), *ALLOWS)


TRICKY: Final = sets("Tricky")


# --- EBB ------------------------------------------------------------------------------------------


async def ebb_check(
    world: World, live: bool, *, faces: tuple[int, ...] = (2, 2), ends: str = "✗", **on: Any
) -> Counts:
    """At the table the player says how hard it is."""
    cast = await ebb_cast(world, live, **on)
    world.dice.lay(*faces)
    known = {"difficulty": "Tricky"} if live else {}
    check = says(
        "check", skill="Climbing", attribute="Fitness", approach="up the drainpipe", **known
    )
    return await cast.play("ana", ends, ana=[check], gina=() if live else TRICKY)


async def ebb_check_succeeds(world: World, live: bool, **on: Any) -> Counts:
    return await ebb_check(world, live, faces=(8, 6), ends="✓ ", **on)


async def _ebb_contest(world: World, live: bool, ends: str, *faces: int) -> Counts:
    cast = await ebb_cast(world, live)
    world.dice.lay(*faces)
    contest = says(
        "contest", target="Ilka", skill="Running", attribute="Fitness", approach="down the slope"
    )
    return await cast.play(
        "ana",
        ends,
        ana=[contest],
        gina=() if live else ALLOWS,
        ben=[
            Choose("Skill", ("Climbing",)),
            Write("Approach…", {"approach": "through the wood"}),
            press("Respond"),
        ],
    )


async def ebb_contest_lost(world: World, live: bool) -> Counts:
    return await _ebb_contest(world, live, "Ilka", 3, 3, 8, 8)


async def ebb_contest_won(world: World, live: bool) -> Counts:
    return await _ebb_contest(world, live, "Marek", 8, 5, 3, 3)


async def ebb_attack_on_npc(world: World, live: bool, **on: Any) -> Counts:
    cast = await ebb_cast(world, live, **on)
    world.dice.lay(6, 3)
    attack = says(
        "attack",
        target="Sidor",
        weapon="rifle",
        skill="Rifles",
        attribute="Alertness",
        approach="from behind the bus",
    )
    return await cast.play("ana", "Sidor", ana=[attack], gina=[*TRICKY, if_asked("Flesh wound")])


async def ebb_attack_on_player(world: World, live: bool) -> Counts:
    cast = await ebb_cast(world, live)
    world.dice.lay(5, 3)
    attack = says(
        "attack",
        npc="Sidor",
        target="Ilka",
        weapon="knife",
        approach="out of the dark",
        difficulty="Tricky",
    )
    evades = [
        press("Roll to evade"),
        Choose("Skill", ("Running",)),
        Choose("Attribute", ("Fitness",)),
        Write("Approach…", {"approach": "through the wood"}),
        press("Roll to evade"),
        press("Flesh wound"),
    ]
    return await cast.play("gina", "Flesh wound", gina=[attack], ben=evades)


# --- Barmore --------------------------------------------------------------------------------------


async def barmore_check(world: World, live: bool, **on: Any) -> Counts:
    """At the table the player says how hard it is."""
    cast = await barmore_cast(world, live, **on)
    known = {"difficulty": "15"} if live else {}
    check = says("check", skill="Boats", attribute="Speed", approach="up the river", **known)
    answer = (Write("Write…", {"difficulty": "15"}), *ALLOWS)
    return await cast.play("ana", "against", ana=[check], gina=() if live else answer)


async def barmore_attack_on_player(world: World, live: bool) -> Counts:
    cast = await barmore_cast(world, live)
    attack = says("attack", target="Ilka", weapon="Boathook", skill="Boats", approach="low")
    world.dice.lay(8, 8, 8, 8, 1, 1)
    return await cast.play(
        "ana",
        "Hit: Ilka",
        ana=[attack],
        gina=() if live else ALLOWS,
        ben=[Choose("Skill", ("Athletics",)), press("Defend")],
    )


async def barmore_treatment(world: World, live: bool, **on: Any) -> Counts:
    cast = await barmore_cast(world, live, **on)
    wound = {"what": "new wound", "value": "physical 2"}
    await world.gina.slash(world.zone, "gm adjust", character="Ilka", **wound)
    heals = says("heal", method="treat", target="Ilka", skill="Athletics", approach="bandages")
    world.dice.lay(8, 8, 8)
    answer = (Write("Write…", {"difficulty": "3", "factor": "3"}), *ALLOWS)
    return await cast.play("ana", "3 times as fast", ana=[heals], gina=answer)


async def barmore_complex_action(world: World, live: bool) -> Counts:
    cast = await barmore_cast(world, live)
    work = {"name": "Mend the hull", "who": "Marek", "difficulty": "10", "required": 9}
    await world.gina.slash(world.zone, "barmore task start", **work, every="1 hour", skill="Boats")
    return await cast.play("ana", ana=[says("barmore task roll")])


# --- EGO ------------------------------------------------------------------------------------------


async def ego_check(world: World, live: bool) -> Counts:
    """At the table the player says how hard it is."""
    cast = await ego_cast(world, live)
    known = {"difficulty": "Hard"} if live else {}
    world.dice.lay(1, 1, 1, 1, 1, 1)
    check = says("check", skill="Acrobatics", approach="along the wall", **known)
    return await cast.play("ana", "✗ Failure", ana=[check], gina=() if live else sets("Hard"))


async def _ego_attack(
    world: World, live: bool, on: Any, ends: str, *faces: int, **options: Any
) -> Counts:
    cast = await ego_cast(world, live, **on)
    world.dice.lay(*faces)
    attack = says("attack", target="Orc", **options)
    at_once = live or "attacks_at_once" in on
    return await cast.play("ana", ends, ana=[attack], gina=() if at_once else ALLOWS)


async def ego_sword_missed(world: World, live: bool, **on: Any) -> Counts:
    faces = (1,) * 11
    return await _ego_attack(world, live, on, "✗ Miss", *faces, weapon=SWORD, approach="high")


async def ego_sword_hit(world: World, live: bool) -> Counts:
    faces = (1, 1, *(5,) * 9, *(1,) * 6)
    return await _ego_attack(world, live, {}, "✓ Hit", *faces, weapon=SWORD, approach="high")


async def ego_burst_missed(world: World, live: bool, **on: Any) -> Counts:
    burst = {"weapon": RIFLE, "approach": "sweep", "words": "burst, range: short"}
    return await _ego_attack(world, live, on, "✗ Miss", *(1,) * 6, **burst)


async def _ego_orc(world: World, live: bool, ends: str, *faces: int) -> Counts:
    cast = await ego_cast(world, live)
    world.dice.lay(*faces)
    attack = says("attack", npc="Orc", target="Vesna")
    return await cast.play("gina", ends, gina=[attack], ana=[press("Parry")])


async def ego_orc_hits(world: World, live: bool) -> Counts:
    return await _ego_orc(world, live, "Hit", *(1,) * 9, *(5,) * 5, *(4,) * 4)


async def ego_orc_misses(world: World, live: bool) -> Counts:
    return await _ego_orc(world, live, "Miss", *(5,) * 9, *(1,) * 5)


async def ego_round(world: World, live: bool, **asks: bool) -> Counts:
    """Three of five have no Karma; with `asks`, Boris has set these switches of `/orders ask`."""
    cast = await ego_cast(world, live, (5, 5, 0, 0, 0))
    await _asks(world, asks)
    await join_rounds(cast)
    # Four dice of initiative each, the highest first.
    world.dice.lay(*[face for face in (6, 5, 4, 3, 2) for _ in range(4)])
    counts = await cast.play("gina", gina=[says("initiative next")])
    assert "**Vesna, you're up.**" in texts(world.last())
    return counts


async def ego_round_with_one_who_asks(world: World, live: bool) -> Counts:
    return await ego_round(world, live, rounds=True)


async def _asks(world: World, switches: dict[str, bool]) -> None:
    """Ben wants to be asked."""
    if switches:
        await world.ben.slash(world.zone, "orders ask", **switches)


# --- MasterBook -----------------------------------------------------------------------------------

KNIFE: Final = {"weapon": "Knife", "approach": "go for the arm"}


def hides(live: bool) -> Command:
    """At the table the player says how hard it is; then everybody knows the number."""
    known = {"difficulty": "Average"} if live else {}
    return says("check", skill="Stealth", approach="past the guard", **known)


async def masterbook_check(
    world: World, live: bool, *, cards: bool = False, **asks: bool
) -> Counts:
    """With `asks`, Boris has set these switches of `/orders ask`."""
    cast = await masterbook_cast(world, live, cards=cards)
    await _asks(world, asks)
    world.dice.lay(2, 3)
    answer = () if live else sets("Average")
    return await cast.play("ana", "✗ Failure", ana=[hides(live)], gina=answer)


async def masterbook_check_with_cards(world: World, live: bool) -> Counts:
    return await masterbook_check(world, live, cards=True)


async def masterbook_check_with_one_who_asks(world: World, live: bool) -> Counts:
    return await masterbook_check(world, live, cards=True, results=True)


async def masterbook_life_point(world: World, live: bool) -> Counts:
    cast = await masterbook_cast(world, live, cards=True)
    world.dice.lay(2, 3, 4, 5)
    rolls = () if live else (press("Roll", "Vesna, roll"),)
    spends = (if_asked("React"), if_asked("Step in"), press("Spend a Life Point"))
    answer = () if live else sets("Average")
    return await cast.play("ana", "✓", ana=[hides(live), *rolls, *spends], gina=answer)


async def masterbook_attack_on_npc(
    world: World, live: bool, *, cards: bool = False, **on: Any
) -> Counts:
    """Only GMs know how good the thug is: they read the result before Vesna lets it stand, too."""
    cast = await masterbook_cast(world, live, cards=cards, **on)
    world.dice.lay(6, 7)
    attack = says("attack", target="Thug", **KNIFE)
    at_once = live or "attacks_at_once" in on
    return await cast.play("ana", "✓ Hit", ana=[attack], gina=() if at_once else ALLOWS)


async def masterbook_attack_with_cards(world: World, live: bool) -> Counts:
    return await masterbook_attack_on_npc(world, live, cards=True)


async def masterbook_attack_on_player(world: World, live: bool) -> Counts:
    cast = await masterbook_cast(world, live)
    world.dice.lay(10, 9, 8, 1, 1)
    attack = says("attack", npc="Thug", target="Vesna", weapon="Baseball bat", approach="swings")
    buys_off = "take off up to 3 pieces of damage"
    defends = [
        press("Active: Melee"),
        if_asked("React", "wound"),
        if_asked(buys_off),
        Choose("What to take off", ("packages: wound:1",)),
        press(buys_off),
    ]
    return await cast.play("gina", "1 wound off", gina=[attack], ana=defends)


async def masterbook_round(world: World, live: bool) -> Counts:
    cast = await masterbook_cast(world, live, cards=True)
    await join_rounds(cast, "Thug")
    counts = await cast.play("gina", gina=[says("initiative next")])
    assert "you're up.**" in texts(world.last())
    return counts


async def masterbook_taunt(world: World, live: bool) -> Counts:
    """In a round that Vesna begins, as the first of two actions: her turn goes on."""
    cast = await masterbook_cast(world, live)
    await join_rounds(cast, "Thug")
    world.dice.lay(9, 9, *(6,) * 6, 1, 2)
    await world.gina.slash(world.zone, "initiative next")
    assert world.dice.left == 0
    await world.ana.slash(world.zone, "mb declare", actions=2)
    world.dice.lay(9, 9)
    taunt = says("mb interact", skill="Taunt", target="Thug", approach="his hat")
    return await cast.play("ana", "✓ Success", ana=[taunt], gina=() if live else ALLOWS)


# --- what they take -------------------------------------------------------------------------------

STORIES: Final[dict[str, Callable[..., Awaitable[Counts]]]] = {
    "1": ebb_check,
    "1b": ebb_check_succeeds,
    "2": ebb_contest_lost,
    "2b": ebb_contest_won,
    "3": ebb_attack_on_npc,
    "3b": ebb_attack_on_player,
    "4": barmore_check,
    "5": barmore_attack_on_player,
    "6": barmore_treatment,
    "6b": barmore_complex_action,
    "7": ego_check,
    "8": ego_sword_missed,
    "8b": ego_sword_hit,
    "9": ego_orc_hits,
    "9b": ego_orc_misses,
    "10": ego_burst_missed,
    "11": ego_round,
    "11b": ego_round_with_one_who_asks,
    "12": masterbook_check,
    "12b": masterbook_check_with_cards,
    "12c": masterbook_life_point,
    "12d": masterbook_check_with_one_who_asks,
    "13": masterbook_attack_on_npc,
    "13b": masterbook_attack_with_cards,
    "14": masterbook_attack_on_player,
    "14b": masterbook_round,
    "14c": masterbook_taunt,
}


@pytest.mark.parametrize("live", [False, True], ids=["by post", "at the table"])
@pytest.mark.parametrize("story", BOUNDS)
async def test_a_story_takes_no_more_than_its_bound(world: World, story: str, live: bool) -> None:
    counts = await STORIES[story.partition(":")[0]](world, live)
    assert world.dice.left == 0
    assert not counts.over(BOUNDS[story][live]), f"{story}: {counts}"


@pytest.mark.parametrize(("switch", "story"), SWITCHED)
async def test_a_switch_saves_visits_by_post(world: World, switch: str, story: str) -> None:
    counts = await STORIES[story](world, False, **{switch: True})
    assert world.dice.left == 0
    assert not counts.over(SWITCHED[switch, story]), f"{story} with {switch}: {counts}"


# --- what a story can't be played without ---------------------------------------------------------


async def _checks(cast: Cast, answer: Script = TRICKY) -> None:
    """Ana proposes a check, and the GM answers it."""
    check = says("check", skill="Climbing", approach="up the drainpipe")
    await cast.play("ana", ana=[check], gina=answer)


async def test_a_story_fails_that_waits_for_a_person_without_a_call(world: World) -> None:
    cast = await ebb_cast(world, False)
    # Cards name Marek, and calls go to Ana: for Ben, who answers to the name, there is none.
    cast.people["ana"].names, cast.people["ben"].names = ("Ana",), ("Marek",)
    with pytest.raises(StoryError, match="Marek is waited for and wasn't called"):
        await _checks(cast)


async def test_a_story_fails_that_waits_and_names_nobody(world: World) -> None:
    cast = await ebb_cast(world, False)
    cast.people["gina"].names = ("nobody at all",)
    with pytest.raises(StoryError, match="a card is open and names nobody"):
        await _checks(cast)


async def test_a_story_fails_when_who_is_waited_for_has_no_answer(world: World) -> None:
    cast = await ebb_cast(world, False)
    # Without a difficulty the panel has nothing for Gina to press.
    with pytest.raises(StoryError, match="the GM is waited for and can't answer"):
        await _checks(cast, answer=())


async def test_a_story_fails_that_leaves_out_what_it_is_about(world: World) -> None:
    cast = await ebb_cast(world, False)
    with pytest.raises(StoryError, match="the GM never came to"):
        await _checks(cast, answer=[*TRICKY, press("Resolve hit")])
