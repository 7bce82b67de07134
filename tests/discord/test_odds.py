"""`/odds`: exact chances in words and as a picture, and nothing of a hidden difficulty."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.world import (
    World,
    dialog_values,
    gallery,
    head,
    labels,
    menu,
    message_of,
    private,
    refusal_of,
    texts,
)

CANARY = "9137"


async def _odds(world: World, who: Any = None, **options: Any) -> Any:
    return await (who or world.ana).slash(world.zone, "odds", **options)


def _alt(world: World, result: Any) -> str:
    """What the picture of an answer shows, in words; there has to be one, and the card has to show
    it.
    """
    message = message_of(result).message
    (attachment,) = message.attachments
    assert attachment.filename == "odds.png"
    assert gallery(message)
    assert attachment.description
    assert len(attachment.description) <= 1024
    return attachment.description


async def _suggested(world: World, who: Any) -> list[str]:
    found = await who.autocomplete(world.zone, "odds", "check", "")
    return [choice["value"] for choice in found]


@pytest.mark.rule("EBB-FATE", "EBB-LUCK")
async def test_odds_before_the_roll(world: World) -> None:
    await world.table()
    result = await _odds(world, skill="Climbing", attribute="Fitness", difficulty="Tricky")
    text = private(result)
    assert text.startswith("## Marek: 64% against 10\n")
    assert "Climbing d8 (veteran), Fitness 1" in text
    assert "automatic failure 10%" in text
    alt = _alt(world, result)
    assert alt.startswith("Chances of success. As it is: 63.8%, 1+ extra ")
    assert "With a re-roll (1 Fate): " in alt
    assert "Sacrifice 1 Fitness: 100%" in alt
    assert "Sacrifice" not in text, "what the picture shows is not told twice"
    assert (await world.state()).checks == {}


async def test_the_levels_side_by_side(world: World) -> None:
    await world.table()
    result = await _odds(
        world, skill="climb", attribute="fit", modifier=2, **{"with": "drawback, injured"}
    )
    text = private(result)
    assert "Modifiers: defies a drawback (1 level harder); uses an injured body part" in text
    assert "+2 to the total" in text
    assert "The hardest difficulty at 50% or better: " in text
    assert "Certain against all of them: sacrifice 1 Fitness." in text
    alt = _alt(world, result)
    assert alt.count(" with a re-roll (1 Fate) ") == 7
    assert alt.startswith("Chances of success. Tricky 10: as it is ")
    assert "Easy" not in alt


async def test_plain_text_has_the_whole_table_and_no_picture(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "table plain", on=True)
    result = await _odds(world, skill="Climbing", attribute="Fitness")
    text = private(result)
    assert message_of(result).message.attachments == []
    assert message_of(result).message.embeds == []
    for level in ("Easy 4", "Routine 7", "Very Difficult 16", "Legendary 22"):
        assert level in text


async def test_a_slow_answer_keeps_its_picture(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr("bot.delivery.response.DEFER_AFTER", 0.0)
    result = await _odds(world, skill="Climbing", difficulty="10")
    assert "% against 10\n" in private(result)
    assert _alt(world, result)


async def test_the_check_as_ruled(world: World) -> None:
    await world.table()
    await world.answered(options=("flaw: 1",), disallow=("attribute",))
    assert await _suggested(world, world.ana) == ["c1"]
    assert await _suggested(world, world.gina) == ["c1"]
    assert await _suggested(world, world.ben) == []
    found = await world.ana.autocomplete(world.zone, "odds", "check", "")
    assert found[0]["name"] == "c1 · Marek: up the drainpipe, slowly"
    text = private(await _odds(world, check="c1"))
    assert "% against 13\n" in text
    assert "check c1" in text
    assert "Fitness (disallowed by the GM)" in text
    assert "Marek's" not in text
    assert "belongs to" in refusal_of(await _odds(world, world.ben, check="c1"))
    assert "leave" in refusal_of(await _odds(world, check="c1", skill="Climbing")).casefold()


async def test_only_an_answered_check_has_odds(world: World) -> None:
    await world.table()
    await world.propose()
    assert "The GM hasn't answered this proposal yet." in refusal_of(await _odds(world, check="c1"))
    assert "That check is gone" in refusal_of(await _odds(world, check="c5"))
    await world.rolled(5, 4)
    assert "The dice have been rolled" in refusal_of(await _odds(world, check="c2"))
    assert await _suggested(world, world.ana) == []


async def test_others_do_not_learn_of_a_private_check(world: World) -> None:
    await world.table()
    proposal = await world.propose(skill="Climbing", visibility="private")
    stub = world.newest("Show")
    assert message_of(proposal)
    opened = message_of(await world.press(world.gina, stub, "Show"))
    await world.rule(opened)
    unknown = refusal_of(await _odds(world, world.ben, check="c9"))
    assert refusal_of(await _odds(world, world.ben, check="h1")) == unknown
    assert await _suggested(world, world.ben) == []
    assert "check h1" in private(await _odds(world, check="h1"))


@pytest.mark.parametrize("gm_channel", [True, False])
async def test_a_hidden_difficulty_has_no_odds_for_players(world: World, gm_channel: bool) -> None:
    await world.table(gm_channel=gm_channel)
    await world.answered(number=CANARY, hidden=True)
    assert await _suggested(world, world.ana) == []
    text = refusal_of(await _odds(world, check="c1"))
    assert "The GM keeps this difficulty hidden" in text
    assert await _suggested(world, world.gina) == ["c1"]
    shown = private(await _odds(world, world.gina, check="c1"))
    assert f"% against {CANARY}\n" in shown
    for who in (world.ana, world.ben):
        assert CANARY not in world.told(who)
        assert CANARY not in "\n".join(world.visible_to(who))


async def test_the_picture_is_one(world: World) -> None:
    await world.table()
    result = await _odds(world, skill="Climbing", attribute="Fitness")
    (attachment,) = message_of(result).message.attachments
    image = Image.open(io.BytesIO(await attachment.read()))
    assert image.format == "PNG"
    assert image.width == 720
    assert image.height <= 7 * 92 + 48


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"skill": "Swimming"}, "No ability “Swimming” on this sheet"),
        ({"attribute": "Charm", "difficulty": "10"}, "No attribute"),
        ({"difficulty": "Quite hard"}, "No difficulty"),
        ({"with": "banana"}, "has no “banana”."),
        ({"as": "Ilka"}, "You have no character"),
    ],
)
async def test_bad_options_are_refused(world: World, options: dict[str, Any], text: str) -> None:
    await world.table()
    assert text in refusal_of(await _odds(world, **options))


async def test_options_are_completed(world: World) -> None:
    await world.table()
    for option, typed, expected in (
        ("skill", "climb", "Climbing"),
        ("attribute", "fit", "Fitness"),
        ("difficulty", "tri", "Tricky"),
        ("with", "draw", "drawback"),
    ):
        found = await world.ana.autocomplete(world.zone, "odds", option, typed)
        assert [choice["value"] for choice in found][:1] == [expected]
    (mine,) = await world.ana.autocomplete(world.zone, "odds", "as", "")
    assert mine["name"] == "Marek"


# --- in menus -------------------------------------------------------------------------------------


def _labels(message: Any, placeholder: str) -> list[str]:
    return [option["label"] for option in menu(message, placeholder)["options"]]


async def test_difficulties_carry_their_odds(world: World) -> None:
    await world.table(live=True)
    panel = message_of(await world.ana.slash(world.zone, "check"))
    assert _labels(panel, "Difficulty")[3] == "Tricky (10) · 10%"
    panel = message_of(await world.choose(world.ana, panel, "Skill", "Climbing"))
    panel = message_of(await world.choose(world.ana, panel, "Attribute", "Fitness"))
    assert _labels(panel, "Difficulty")[3] == "Tricky (10) · 64%"
    await world.gina.slash(world.zone, "gm settings", live=False)
    await world.propose(skill="Climbing", attribute="Fitness")
    answer = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert _labels(answer, "Difficulty")[:3] == [
        "Difficulty: choose…",
        "Easy (4) · 90%",
        "Routine (7) · 82%",
    ]
    changed = message_of(await world.choose(world.gina, answer, "Difficulty", "Tricky"))
    assert "Difficulty: Tricky (10) · 64%" in _labels(changed, "Difficulty")
    flawed = message_of(await world.choose(world.gina, changed, "All the rest", "flaw: 1"))
    assert "Difficulty: Tricky (10) · 36%" in _labels(flawed, "Difficulty"), (
        "as it would be with all that is chosen"
    )
    await world.restart()
    private(await world.press(world.gina, flawed, "Call for a roll"))


# --- from odds to a check -------------------------------------------------------------------------


async def test_the_neighboring_levels_stand_below(world: World) -> None:
    await world.table()
    text = private(await _odds(world, skill="Climbing", attribute="Fitness", difficulty="Tricky"))
    assert "Easier: Routine 7, 82% · Harder: Difficult 13, 36%" in text
    between = private(await _odds(world, skill="Climbing", attribute="Fitness", difficulty="8"))
    assert "Easier: Routine 7, 82% · Harder: Tricky 10, 64%" in between
    assert "Easier" not in private(await _odds(world, skill="Climbing", difficulty="Easy"))
    assert "Harder" not in private(await _odds(world, skill="Climbing")), (
        "they stand side by side anyway"
    )


async def test_a_check_is_proposed_as_it_was_asked_about(world: World) -> None:
    await world.table()
    answer = message_of(
        await _odds(
            world, skill="climb", attribute="fit", difficulty="tricky", **{"with": "dilemma: 1"}
        )
    )
    await world.restart()
    panel = message_of(await world.press(world.ana, answer, "Propose check"))
    shown = texts(panel)
    assert shown.startswith("## Marek: what do you try?")
    assert panel.message.attachments == []
    modal = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(modal, {**dialog_values(modal), "approach": "up the drainpipe"})
    await world.press(world.ana, panel, "Send")
    card = texts(world.card())
    assert card.startswith(
        "## Waiting for the GM\nMarek: Climbing d8 (veteran) and Fitness 1\n> up the drainpipe"
    )
    check = await world.check()
    assert check.data.asked["difficulty"] == "Tricky"
    assert "Propose check" not in labels(message_of(await _odds(world, dice="3d6")))


async def test_odds_of_a_check_propose_none(world: World) -> None:
    await world.table()
    await world.answered()
    assert "Propose check" not in labels(message_of(await _odds(world, check="c1")))
    assert "No character yet" in refusal_of(await _odds(world, world.gina, skill="Climbing"))


async def test_without_options_a_panel_tells_the_odds_of_what_is_chosen(world: World) -> None:
    await ego_table(world)
    before = await world.revision()
    panel = message_of(await world.ana.slash(world.zone, "odds"))
    assert head(panel) == "Vesna: what do you try?"
    await world.choose(world.ana, panel, "Skill", "Gun Combat")
    await world.choose(world.ana, panel, "Difficulty", "Moderate")
    assert "74%" in texts(panel)
    assert await world.revision() == before


async def test_without_a_character_it_says_what_to_give(world: World) -> None:
    await ego_table(world)
    text = private(await world.gina.slash(world.zone, "odds"))
    assert text.startswith("## The odds of what?") and "/odds skill:" in text
    assert "dice:" in text and "/odds check" in text


@pytest.mark.parametrize(
    ("system", "slip", "meant"),
    [
        ("ego", "Harrd", "Hard"),
        ("ego", "Hrad", "Hard"),
        ("ego", "Near Imposible", "Near Impossible"),
        ("masterbook", "Averge", "Average"),
        ("ebb", "Trickie", "Tricky"),
    ],
)
async def test_a_misspelled_level_is_asked_about(
    world: World, system: str, slip: str, meant: str
) -> None:
    """As everywhere else where a name is nearly right."""
    if system == "ego":
        await ego_table(world)
    elif system == "masterbook":
        await masterbook_table(world)
    else:
        await world.table()
    skill = {"ego": "Acrobatics", "masterbook": "Stealth", "ebb": "Climbing"}[system]
    for command, more in (("check", {"approach": "so"}), ("odds", {})):
        told = refusal_of(
            await world.ana.slash(world.zone, command, skill=skill, difficulty=slip, **more)
        )
        assert f"“{slip}”" in told and "Did you mean" in told and f"“{meant}”" in told, told
        assert "Choose" not in told, "one next step"


async def test_the_menu_has_every_level_of_the_scale(world: World) -> None:
    await ego_table(world, live=False)
    await world.ana.slash(world.zone, "check", skill="Acrobatics", approach="over the wall")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    levels = [each["value"] for each in menu(panel, "Difficulty")["options"]]
    assert levels[1:] == ["Automatic", "Easy", "Moderate", "Hard", "Very Hard", "Near Impossible"]
    await world.choose(world.gina, panel, "Difficulty", "Near Impossible")
    assert "How many successes does Near Impossible take?" in texts(panel)
    await world.gina.slash(
        world.zone, "gm settings", setting="near_impossible_successes", value="6"
    )
    await world.choose(world.gina, panel, "Difficulty", "Near Impossible")
    await world.press(world.gina, panel, "Call for a roll")
    assert "roll 7 dice against Near Impossible (6): 1%" in texts(world.card())
