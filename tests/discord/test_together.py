"""Teams, contests, timelines and campaigns through Discord, with a system that has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from rules.table.state import Kind
from tests.discord.world import (
    World,
    button,
    chosen,
    controls,
    labels,
    menu,
    pings,
    private,
    public,
    refused,
    said,
    texts,
)
from tests.together import Pact, playing_together

ABILITY, ATTRIBUTE, WAY, WHOM = "Ability", "Attribute", "In which way", "Against whom"
LEVEL, FITS = "Difficulty you have in mind", "What makes it easier or harder"
IDEA, HELP = "we heave the slab aside", "with the crowbar, from the left"


@pytest.fixture(autouse=True)
def together(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with playing_together(monkeypatch):
        yield


async def _panel(world: World, monkeypatch: pytest.MonkeyPatch, kind: Kind, who: Any = None) -> Any:
    """The panel for a proposal of that kind, as a system's own command opens it."""
    proposals = world.bot.proposals
    with monkeypatch.context() as patch:
        patch.setattr(proposals, "open", partial(proposals.open, kind=kind))
        return said(await (who or world.ana).slash(world.zone, "check"))


async def _force(world: World, who: Any, custom_id: str) -> Any:
    """Press a button that is not there, or not any more."""
    pressed = world.emit(who, custom_id)
    await world.env.settle()
    return pressed


async def _team(world: World, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Marek has begun something with others: the public card."""
    panel = await _panel(world, monkeypatch, "team")
    await world.choose(world.ana, panel, ABILITY, "Climbing")
    await world.ana.submit_modal(await world.press(world.ana, panel, "Describe…"), {"approach": IDEA})
    return said(await world.press(world.ana, panel, "Propose to the GM"))


# --- teams --------------------------------------------------------------------------------------------------


async def test_a_team_is_put_together_in_panels(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.table()
    panel = await _panel(world, monkeypatch, "team")
    assert "Marek begins something together with others" in texts(panel)
    assert "They depend on who joins in." in texts(panel)
    assert chosen(panel, WAY) == ["simple"]
    assert menu(panel, LEVEL) and labels(panel) == ["Describe…", "More…", "Propose to the GM"]
    await world.choose(world.ana, panel, WAY, "worst")
    await world.choose(world.ana, panel, ABILITY, "Climbing")
    await world.press(world.ana, panel, "More…")
    assert labels(panel) == ["Describe…", "Back", "Propose to the GM"]
    await world.choose(world.ana, panel, FITS, "flaw")
    await world.restart()
    await world.press(world.ana, panel, "Back")
    assert (chosen(panel, WAY), chosen(panel, ABILITY)) == (["worst"], ["Climbing"])
    sent = await world.press(world.ana, panel, "Propose to the GM")
    assert "Marek · Climbing" in public(sent) and "Way: worst." in public(sent), "it needs no idea here"
    check = await world.check()
    assert (check.kind, check.tool, check.request.adjustments.flaw) == ("team", "worst", 1)


async def test_several_join_in_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.table()
    await world.bring(world.ben, "Olga")
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    card = await _team(world, monkeypatch)
    assert labels(card) == ["Answer", "Join in", "React"]
    panel = said(await world.press(world.ben, card, "Join in"))
    assert "Ilka joins in" in texts(panel) and IDEA in texts(panel)
    theirs = said(await world.press(world.gina, card, "Join in"))
    assert "Sidor joins in" in texts(theirs)
    private(await world.press(world.gina, theirs, "Join in"))
    assert "**Sidor joins in.** Waiting for the GM's answer." in texts(world.last())
    await world.choose(world.ben, panel, ABILITY, "Running")
    await world.restart()
    await world.ben.submit_modal(await world.press(world.ben, panel, "Describe…"), {"approach": HELP})
    await world.press(world.ben, panel, "As Ilka")
    assert "Olga joins in" in texts(panel) and chosen(panel, ABILITY) == ["none"]
    await world.choose(world.ben, panel, ABILITY, "Rifles")
    await world.answer(world.newest("Answer"), level="Easy")
    private(await world.press(world.ben, panel, "Join in"))
    text = texts(world.last())
    assert "Marek and 2 others" in text and "**Olga joins in.**" in text and f"> {HELP}" in text
    assert [each.character for each in (await world.check()).helpers] == ["k4", "k3"]
    late = said(await world.press(world.ben, world.newest("Join in"), "Join in"))
    world.dice.lay(6, 3)
    rolled = said(await world.press(world.ana, world.newest("Roll"), "Roll"))
    assert pings(rolled.message, world.env) == [world.ben.id]
    assert "those who joined in" in texts(rolled) and "2 more at it." in texts(rolled)
    assert "moved on" in refused(await world.press(world.ben, late, "Change it"))


async def test_stepping_back_and_what_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.table()
    card = await _team(world, monkeypatch)
    assert "is in it already" in refused(await world.press(world.ana, card, "Join in"))
    panel = said(await world.press(world.ben, card, "Join in"))
    private(await world.press(world.ben, panel, "Join in"))
    again = said(
        await world.press(world.ben, said(await world.press(world.ben, world.last(), "React")), "Join in…")
    )
    assert "Change it" in labels(again)
    mine = said(await world.ben.slash(world.zone, "moves"))
    assert labels(mine) == ["Join in · c1", "Step back · c1"]
    left = await world.press(world.ben, mine, "Step back · c1")
    assert "**Ilka steps back.**" in public(left)
    assert not (await world.check()).helpers
    forged = await _force(world, world.ben, "sg:do:1:c1:1:leave:k1")
    assert "Nobody of yours is in it" in refused(forged)
    await world.propose()
    assert "no work of several" in refused(await _force(world, world.ben, "sg:join:1:c2:1"))


async def test_what_is_chosen_is_held_against_the_sheet(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    card = await _team(world, monkeypatch)
    panel = said(await world.press(world.ben, card, "Join in"))
    await world.choose(world.ben, panel, ABILITY, "Running")
    sheet: dict[str, Any] = {"abilities": [{"name": "Climbing", "group": "Fitness", "die": "d6"}]}
    await world.bring(world.ben, "Ilka", replace=True, drawbacks=["Proud"], grown=True, **sheet)
    await world.choose(world.ben, panel, ATTRIBUTE, "Fitness")
    assert "“Running” is no ability on this sheet." in texts(panel)
    await world.choose(world.ben, panel, ABILITY, "none")
    assert "is no ability" not in texts(panel)


# --- contests -----------------------------------------------------------------------------------------------


async def test_a_contest_is_proposed_answered_and_taken_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    panel = await _panel(world, monkeypatch, "contest")
    assert labels(panel) == ["Describe…", "More…", "Seen by everyone", "Propose to the GM"]
    assert "Say with `target` against whom." in refused(
        await world.press(world.ana, panel, "Propose to the GM")
    )
    await world.choose(world.ana, panel, WHOM, "k2")
    await world.press(world.ana, panel, "More…")
    assert [each["placeholder"] for each in _menus(panel)] == [FITS], "both roll against each other"
    await world.press(world.ana, panel, "Back")
    await world.choose(world.ana, panel, WAY, "indirect")
    await world.choose(world.ana, panel, ABILITY, "Running")
    await world.press(world.ana, panel, "More…")
    await world.choose(world.ana, panel, LEVEL, "Easy")
    await world.ana.submit_modal(await world.press(world.ana, panel, "Describe…"), {"approach": IDEA})
    private(await world.press(world.ana, panel, "Propose to the GM"))
    text = texts(world.last())
    assert "Marek against Ilka" in text and "Way: indirect." in text and IDEA not in text
    gms = said(await world.press(world.gina, world.last(), "Answer"))
    assert chosen(gms, "Difficulty before shifts") == ["Easy"]
    assert "Succeeds; roll how well" not in labels(gms)
    await world.press(world.gina, gms, "Accepted: Running, as justified")
    await world.restart()
    await world.press(world.gina, gms, "Refused: Running, as justified")
    await world.press(world.gina, gms, "Accepted: Running, as justified")
    private(await world.press(world.gina, gms, "Let them roll"))
    ruling = (await world.check()).ruling
    assert ruling is not None and ruling.disallow_ability
    waiting = world.newest("Take it up")
    assert pings(waiting, world.env) == [world.ben.id]
    mine = said(await world.press(world.ben, waiting, "Take it up"))
    assert "Ilka takes it up" in texts(mine) and "both roll against Easy" in texts(mine)
    await world.choose(world.ben, mine, ABILITY, "Climbing")
    private(await world.press(world.ben, mine, "Lock it in"))
    world.dice.lay(6, 2, 4)
    rolled = texts(said(await world.press(world.ana, world.newest("Roll"), "Roll")))
    assert IDEA in rolled and "**Ilka:**" in rolled and "attack" not in rolled and "defen" not in rolled
    assert world.dice.left == 0


def _menus(message: Any) -> list[dict[str, Any]]:
    return [each for each in controls(message) if each.get("placeholder")]


async def test_rules_without_teams_have_no_panel_for_them(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr("tests.together.Course.kinds", frozenset(("check",)))
    proposals = world.bot.proposals
    with monkeypatch.context() as patch:
        patch.setattr(proposals, "open", partial(proposals.open, kind="team"))
        text = refused(await world.ana.slash(world.zone, "check"))
    assert "The rules of this table, EBB, have nothing like that." in text


# --- timelines ----------------------------------------------------------------------------------------------


async def test_a_timeline_is_played_with_the_buttons_of_the_board(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    board = world.newest("Begin")
    assert labels(board) == ["Begin", "Join"]
    await world.press(world.ana, board, "Join")
    await world.press(world.ben, board, "Join")
    call = await world.press(world.gina, world.newest("Begin"), "Begin")
    assert "Phase 1: Marek can act" in public(call)
    board = world.newest("Nothing for now")
    stale = button(board, "Nothing for now")
    assert "Use `/begin`." in texts(board)
    assert "It is not your turn" in refused(await world.press(world.ben, board, "Nothing for now"))
    assert "Phase 1: Ilka can act" in public(await world.press(world.ana, board, "Nothing for now"))
    assert "in phase 1 Ilka acts" in refused(await _force(world, world.gina, stale))
    shown = private(await world.ana.slash(world.zone, "initiative show"))
    assert "Marek: does nothing" in shown
    assert "Marek can act now" in private(await world.ana.slash(world.zone, "initiative delay", back=True))


# --- campaigns ----------------------------------------------------------------------------------------------


async def test_a_table_is_opened_with_a_campaign_and_changes_it(world: World) -> None:
    options: dict[str, Any] = {"system": "ebb", "name": "The Dry Canal"}
    bad = ("campaign.json", json.dumps({"moon": "green"}).encode())
    assert "The moon has no green." in refused(
        await world.gina.slash(world.zone, "setup", file=bad, **options)
    )
    big = ("campaign.json", b" " * (256 * 1024 + 1))
    text = refused(await world.gina.slash(world.zone, "setup", file=big, **options))
    assert "A campaign comes in a file of up to 256 KiB." in text
    new = ("campaign.json", json.dumps({"moon": "new"}).encode())
    await world.gina.slash(world.zone, "setup", file=new, **options)
    assert (await world.state()).campaign == Pact("new")
    await world.bring(world.ana, "Marek")
    await world.restart()

    shown = await world.gina.slash(world.zone, "gm campaign")
    assert "The moon is new." in private(shown)
    (file,) = said(shown).attachments
    assert file.filename == "the-dry-canal-campaign.json"
    assert "GM" in refused(await world.ana.slash(world.zone, "gm campaign"))
    assert "GM" in refused(await world.ana.slash(world.zone, "gm campaign", file=new))
    refused(await world.gina.slash(world.zone, "gm campaign", file=new))
    assert "not valid JSON" in refused(
        await world.gina.slash(world.zone, "gm campaign", file=("x.json", b"{"))
    )
    full = ("campaign.json", json.dumps({"moon": "full"}).encode())
    private(await world.gina.slash(world.zone, "gm campaign", file=full))
    assert "The moon is full." in texts(world.last())
    assert (await world.state()).campaign == Pact("full")


async def test_what_was_typed_to_help_is_forgotten(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.table()
    panel = said(await world.press(world.ben, await _team(world, monkeypatch), "Join in"))
    await world.ben.submit_modal(await world.press(world.ben, panel, "Describe…"), {"approach": HELP})
    await world.press(world.ben, panel, "Join in")
    asked = said(await world.ben.slash(world.zone, "privacy delete"))
    (confirm,) = [label for label in labels(asked) if "elete" in label or "orget" in label][:1]
    await world.press(world.ben, asked, confirm)
    assert not (await world.check()).helpers
    await world.bot.close()
    assert HELP.encode() not in world.path.read_bytes()
