"""Cards about tables, people, characters, moves and odds; the help."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, get_args

import pytest

from bot.presenters import character as people
from bot.presenters import table as cards
from bot.presenters.board import private_turn_card
from bot.presenters.checks import move_lists, open_lines
from bot.presenters.controls import Button, Select
from bot.presenters.events import event_cards
from bot.presenters.first_steps import first_steps_card
from bot.presenters.help import TOPICS, HelpReader, help_card, topics_of_game
from bot.presenters.language.text import duration, percent
from bot.presenters.language.words import phrase, say, say_bare
from bot.presenters.layout import Layout, Row, controls_of
from bot.presenters.log import entry_texts, undo_others_card, undone_card
from bot.presenters.names import DirectoryNames, gm_mentions, people_mentions
from bot.presenters.odds import odds_line
from bot.presenters.pending_matters import offer_lines, todo_card, todo_lines
from bot.presenters.render import to_messages
from bot.presenters.scene import Scene
from bot.presenters.settings_panel import setting_meaning
from bot.services.directory import Directory
from bot.storage.row_records import Member
from rules.core.errors import Impossible
from rules.registry import PLAYABLE, SYSTEMS, read_only_game
from rules.table.actions import Actor, ChangeSettings
from rules.table.blocks import Ref, Text
from rules.table.checks.audience_views import check_view
from rules.table.checks.available_moves import available_moves
from rules.table.events import (
    EVERYONE,
    GMS,
    BoardChanged,
    Event,
    Notice,
    StepView,
    Undone,
)
from rules.table.readable_places import EVERYWHERE
from rules.table.settings.pace import (
    BY_POST,
    PACE_LABELS,
    PACES,
    pace_meaning,
    pace_of,
    pace_text,
    pace_values,
)
from rules.table.settings.table_settings import settings_form
from rules.table.state import Character, Reveal, Settings, TableState
from tests.presenters.discord_limits import check
from tests.presenters.scenes import (
    ANA,
    BO,
    BY,
    GM,
    NAMES,
    SHEET,
    answered_check,
    body,
    do,
    entry,
    everything,
    ids,
    labels,
    odds,
    propose,
    roll,
    small,
    table,
    title,
)
from tests.sample_table import open_game
from tests.tiny import playing_tiny

SEEDS = {"public": "ab" * 32, "secret": "cd" * 32}


def scene(state: TableState) -> Scene:
    return Scene(7, state, NAMES, SEEDS)


def told_text(event: Event) -> Layout:
    (card,) = event_cards([event], scene(table()), 1)
    return card


def settings_changed(changes: dict[str, Any]) -> Event:
    """The event of this change of settings at a new table."""
    _, (event,) = do(table(), ChangeSettings(who=GM, **BY, values=changes))
    return event


def test_a_new_table_says_what_to_do_next_and_publishes_its_seeds() -> None:
    event = Notice(
        "table-open", {"name": "The *Zone*", "plays": "EBB", "gm": "p1", "gm_place": None}
    )
    card = told_text(event)
    check(card)
    assert title(card) == r"The \*Zone\* is open"
    assert body(card).startswith(
        "<@11> is the GM. The table plays EBB.\nMake a character with `/character create`"
    )
    for needle in ("/character import", "/check", *SEEDS.values()):
        assert needle in body(card)
    assert "Secrets for the GMs go to <#555>." in body(
        told_text(event.replace(params={**event.params, "gm_place": "555"}))
    )


@pytest.mark.parametrize("how", ["added", "removed", "role_added", "role_removed", "taken_over"])
def test_gms(how: Any) -> None:
    subject = "900" if how.startswith("role") else "p2"
    event = Notice("gms", {"how": how, "subject": subject, "gms": ("p1",), "gm_roles": ("900",)})
    card = told_text(event)
    check(card)
    assert ("<@&900>" if how.startswith("role") else "<@22>") in body(card)
    assert body(card).endswith("The GMs are <@11> and <@&900>.")
    assert card.mentions == ()


def test_settings_say_what_they_mean() -> None:
    changes = {
        "live": True,
        "reveal": "degree",
        "step_in_time": 5400,
        "answer_time": 3600,
        "player_undo": False,
    }
    card = told_text(settings_changed(changes))
    assert title(card) == "Settings changed"
    assert body(card).split("\n") == [
        "- Answers: 1 day → 1 hour. Answers are due in 1 hour.",
        "- Live play: off → on. Players can set an open difficulty themselves and roll at once.",
        "- Players can undo: on → off. Only GMs can undo.",
        "- Hidden difficulties: pass or fail → how well it went. Against a hidden difficulty, "
        "players see how well it went, but not the total or anything that gives it away.",
        "- Stepping in: 1 day → 1 hour and 30 minutes. "
        "Others can step in for 1 hour and 30 minutes after a result.",
    ]
    for reveal in get_args(Reveal):
        assert setting_meaning("reveal", reveal)
    card = told_text(settings_changed({"name": "everyone *x*", "gm_place": "77"}))
    assert r"everyone \*x\*" in body(card)
    assert "GM channel: none → <#77>. Secrets for the GMs go to <#77>." in body(card)


def test_one_change_of_a_setting_heads_its_message() -> None:
    card = told_text(settings_changed({"reveal": "all"}))
    check(card)
    assert title(card) == "Hidden difficulties: pass or fail → everything, once rolled"
    assert body(card) == (
        "Players see a hidden difficulty with the result, once the dice are rolled."
    )
    (receipt,) = event_cards([settings_changed({"reveal": "all"})], scene(table()), 1, private=True)
    assert "Hidden difficulties: pass or fail → everything, once rolled" in title(receipt)


def test_a_new_pace_is_one_change() -> None:
    changes = pace_values(settings_form(SYSTEMS["ebb"]), "table")
    card = told_text(settings_changed(changes))
    assert title(card) == "Pace: By post → At the table"
    assert body(card).startswith("This table plays at the table: answers in 10 minutes")
    card = told_text(settings_changed({**changes, "approve": True}))
    assert title(card) == "Settings changed"
    assert body(card).startswith("- Pace: By post → At the table. This table plays")


def test_new_times_are_told_where_somebody_waits() -> None:
    state, _ = propose(table())

    def changed(**values: Any) -> Layout:
        _, (event, *_) = do(state, ChangeSettings(who=GM, **BY, values=values))
        return told_text(event)

    card = changed(answer_time=3600)
    assert body(card).split("\n") == [
        "Answers are due in 1 hour.",
        "Whatever is already waiting gets the new times, too.",
    ]
    assert "already" not in body(changed(approve=True))


def test_people_and_characters() -> None:
    assert "plain text" in body(told_text(Notice("plain-text", {"plain": True})))
    assert "as formatted messages" in body(told_text(Notice("plain-text", {"plain": False})))
    about = {"name": "Pil*grim", "owner": "p2"}
    event = Notice("character-imported", about, characters=("k1",), by="p2")
    assert body(told_text(event)) == (r"<@22> plays Pil\*grim.")
    assert "The import replaced the old one." in body(
        told_text(event.replace(what="character-replaced"))
    )
    assert "an NPC" in body(told_text(event.replace(params={"name": "Iwo", "owner": None})))
    assert (
        title(told_text(event.replace(what="character-chosen", params={"name": "Pilgrim"})))
        == "You act as Pilgrim"
    )


def test_undone() -> None:
    card = undone_card(
        Undone(
            entries=(9, 7),
            by="p1",
            by_gm=True,
            kinds=(("Choose", "p2"), ("Begin", "p2")),
            rolled=True,
        ),
        NAMES,
    )
    assert title(card) == "Undone: 2 steps"
    assert (
        body(card)
        == "- #7: Ana started a check\n- #9: Ana answered in a check\nNew rolls use fresh dice."
    )
    assert "The GM undid #7 and #9" in everything(card)
    vesna = Ref(name="Ves*na")
    rerolled = StepView("chosen", vesna, Text("ebb-spent", {"die": "d8", "face": 5, "left": 2}))
    card = undone_card(
        Undone(entries=(9,), by="p2", kinds=(("Choose", "p2"),), deeds=(rerolled,)), NAMES
    )
    assert title(card) == r"Undone: Ves\*na's Fate re-roll"
    assert body(card) == "", "nothing was rolled"
    other = StepView("chosen", vesna, Text("ebb-take-in-full"))
    deeds = (other, StepView("begun", vesna))
    card = undone_card(
        Undone(entries=(9, 8), by="p2", kinds=(("Choose", "p2"), ("Begin", "p2")), deeds=deeds),
        NAMES,
    )
    assert r"- #8: Ves\*na's check" in body(card)
    assert r"- #9: Ves\*na's choice of full damage" in body(card)
    card = undone_card(Undone(entries=tuple(range(1, 2000)), by="p2"), NAMES)
    check(card)
    assert "<@22> undid" in everything(card)


def shown_table(state: TableState, who: Actor) -> str:
    """What /table show says to somebody."""
    gm = who == GM
    checks = open_lines(scene(state), read_only_game(state, who, BY["at"], EVERYWHERE))
    card = cards.table_card(scene(state), ("100",), who=who, gm=gm, checks=checks)
    check(card)
    return everything(card)


def test_table_show_keeps_what_is_not_for_everybody() -> None:
    state, _ = propose(table(), visibility="private")
    for_ana = shown_table(state, ANA)
    assert "You can play in <#100>." in for_ana
    assert "- Pilgrim (<@22>)" in for_ana
    (private,) = state.checks
    what = "Pilgrim, Climbing d6 (professional) and Fitness 2"
    assert f"- {private}, {what}: waiting for the GM" in for_ana
    assert "Warden" not in for_ana
    assert private not in shown_table(state, BO)
    for_gm = shown_table(state, GM)
    assert "- Warden (NPC)" in for_gm
    assert private in for_gm
    assert f"- c1, {what}: waiting for Pilgrim" in shown_table(
        roll(answered_check(table()), 5, 5)[0], BO
    )


async def test_a_crowded_table_is_shown_in_full() -> None:
    state = table()
    crowd = {f"k{n}": Character(f"k{n}", f"{'*' * 70}{n:04}", "p2", SHEET) for n in range(200)}
    state = state.replace(characters=crowd)
    shown = to_messages(cards.table_card(scene(state), (), who=GM, gm=True))
    text = str([message["view"].to_components() for message in shown])
    assert all(f"{n:04} (" in text for n in range(200))
    card = people.characters_card(scene(state), read_only_game(state, ANA))
    assert len(to_messages(card)) > 1


def test_character_sheet() -> None:
    character = Character("k1", "Pilgrim", "p2", SHEET)
    state = table()
    state = state.replace(characters={**state.characters, "k1": character})
    card = people.sheet_card(scene(state), character, own=True, gm=False)
    check(card)
    assert small(card) == (
        "Played by <@22>. Only they and the GMs can see this sheet.\nEverybody sees: 3 Fate"
    )
    assert body(card) == (
        "## Pilgrim\n"
        "Scout\n"
        "**Fate:** 3 points\n"
        "**Health:** Badly hurt.\nA deep cut (left arm, serious, untreated).\n"
        "**Fitness 2:** Climbing d6, Running d6, Brawl d4\n"
        "**Alertness 0 of 1:** Spotting d8\n"
        "Intellect 0\nWillpower 0\nCharisma 0\n"
        "**Education 1:** First aid d6\n"
        "Technical 0\nZone 0"
    )
    assert ids(card) == [
        *(f"sg:sheet:7:k1:{verb}" for verb in ("check", "attack", "edit")),
        "sg:page:7:k1",
    ]
    story = people.sheet_card(scene(state), character, own=True, gm=False, shown="3")
    assert "**Country:** Ukraine" in body(story)
    assert "Has seen too much." in body(story)
    npc = people.sheet_card(scene(state), character.replace(owner=None), own=True, gm=True)
    assert "An NPC. Only the GMs can see this sheet." in small(npc)


def test_characters() -> None:
    card = people.characters_card(scene(table()), read_only_game(table(), ANA))
    assert body(card) == "- Pilgrim (<@22>) · 3 Fate: your main character"
    card = people.characters_card(scene(table()), read_only_game(table(), GM))
    assert "Warden (NPC)" in body(card)
    nobody = table().replace(characters={})
    card = people.characters_card(scene(nobody), read_only_game(nobody, ANA))
    assert "/character create" in body(card)


def listed_lines(state: TableState, who: Actor) -> Layout:
    game = open_game(state, who, BY["at"])
    audience = GMS if who == GM else EVERYONE
    views = {key: check_view(game, each, audience) for key, each in state.checks.items()}
    yours, offers = move_lists(scene(state), available_moves(game), views, gm=who == GM)
    lines = todo_lines(scene(state), yours, game=game, place="100", gm=who == GM)
    return todo_card(lines, (), gm=who == GM, offers=offer_lines(scene(state), offers, game))


def test_moves() -> None:
    state = answered_check(table())
    card = listed_lines(state, ANA)
    check(card)
    assert body(card) == (
        "**Yours to decide**\n"
        "c1 · Pilgrim, Climbing d6 (professional) and Fitness 2: Roll or Luck: Fitness; Withdraw\n"
        "-# “I climb the drainpipe and swing in through the window.”"
    )
    assert (labels(card), ids(card)) == (["Open · c1"], ["sg:chk:7:c1"])
    card = listed_lines(roll(state, 5, 5)[0], ANA)
    assert "Re-roll d6 or Accept result" in body(card)
    assert "Nothing to do right now" in body(listed_lines(state, BO))


def test_more_moves_than_buttons() -> None:
    state = table()
    for _ in range(30):
        state, _ = propose(state)
    card = listed_lines(state, GM)
    check(card)
    assert to_messages(card, plain=True)
    assert 0 < len(ids(card)) <= 25
    assert all(f"c{number} · Pilgrim" in body(card) for number in range(1, 31))


def test_overviews() -> None:
    card = cards.members_card(scene(table(gm_roles=("900",))), gm=False)
    assert "- <@11>\n- everybody with <@&900>" in body(card)
    card = cards.gm_channel_card(7)
    check(card)
    assert ids(card) == ["sg:gmch:7", "sg:nogm:7"]
    assert ids(cards.gm_channel_card(7, declined=True)) == []
    assert phrase("last-results", count=0).endswith("\nNo results yet.")
    assert "\nThe latest result that you can see" in phrase("last-results", count=1)
    assert "\nThe latest 5 results," in phrase("last-results", count=5)


def test_the_journal() -> None:
    rows = [entry(4, "p2", "Begin"), entry(5, "p1", "Choose"), entry(6, "system", "Due")]
    done = [
        StepView("begun", Ref(name="Vesna")),
        StepView("chosen", Ref(name="Vesna"), Text("answer-let-roll")),
        None,
    ]
    entries = list(zip(rows, done, strict=True))
    assert entry_texts(entries, NAMES) == [
        "#4 · Vesna's check",
        "#5 · the GM's call for Vesna's roll",
        "#6 · Storyguide let a deadline pass",
    ]
    error = Impossible("undo-others-first", entry=3, others=("#4", "#5"))
    card = undo_others_card(7, error, entries, NAMES)
    check(card)
    assert body(card) == (
        "You can't undo #3 alone. Later entries build on it:\n"
        "- #5 · the GM's call for Vesna's roll\n"
        "- #4 · Vesna's check"
    )
    assert labels(card) == ["Undo all 3"]
    assert ids(card) == ["sg:undo:7:3:5"]


def test_odds() -> None:
    (found,) = odds(answered_check(table(), difficulty="Tricky")).tables
    # An automatic failure is as likely at every level: it would only stand in each line once more.
    assert odds_line(found) == "Tricky (10): 65% · 1+ extra 35%"
    assert percent(Fraction(1, 1000)) == "under 1%"
    assert percent(Fraction(999, 1000)) == "over 99%"
    assert (percent(Fraction(0)), percent(Fraction(1))) == ("0%", "100%")


COMMANDS = (
    "/setup",
    "/check",
    "/moves",
    "/help",
    *(f"/character {name}" for name in ("import", "show", "list", "use")),
    *(f"/gm {name}" for name in ("members", "undo", "settings", "channel", "takeover")),
    *(f"/table {name}" for name in ("show", "last", "undo", "plain")),
)


def _pages(topic: str, system: str | None = None, reader: HelpReader | None = None) -> list[Layout]:
    """Every page of a topic; there is one more as long as it has More."""
    found = [help_card(topic, system, reader or HelpReader())]
    while any(isinstance(each, Row) and "More" in str(each) for each in found[-1].pieces):
        found.append(help_card(topic, system, reader or HelpReader(), len(found)))
    return found


def test_help() -> None:
    pages = [card for topic in TOPICS for card in _pages(topic, "ebb")]
    for card in (
        *pages,
        *(
            card
            for key in SYSTEMS
            for topic in (*TOPICS, *topics_of_game(key))
            for card in _pages(topic, key)
        ),
    ):
        check(card)
        # About one and a half screens of a phone.
        assert 0 < len(body(card)) <= 1300
    text = "\n".join(body(card) for card in pages)
    for command in COMMANDS:
        assert f"`{command}`" in "".join(
            body(card) for topic in TOPICS if "commands" in topic for card in _pages(topic)
        )
    assert "near miss" in text
    reader = HelpReader(gm=False, ids={"check": 7, "table": 9})
    mine = "".join(
        body(card)
        for topic in ("commands", "table-commands")
        for card in _pages(topic, None, reader)
    )
    assert "</check:7>" in mine
    assert "</table undo:9>" in mine
    assert "`/moves`" in mine
    assert "/gm" not in mine
    assert help_card("no such topic") == help_card() == help_card("start")
    for key in PLAYABLE:
        assert help_card("", key) == help_card("play", key) != help_card("start", key)


def test_help_lists_only_what_these_rules_have(monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(system: str | None) -> set[str]:
        found = "".join(body(card) for topic in TOPICS for card in _pages(topic, system))
        return {each for each in sometimes if f"`/{each}`" in found}

    grow = {"character learn", "character advance", "character improve"}
    sometimes = {"attack", "contest", "heal", "gm award", "gm adjust", *grow}
    for system in (None, "ebb", "ego", "masterbook"):
        assert listed(system) == sometimes
    assert listed("barmore") == sometimes - grow - {"gm award"}
    with playing_tiny(monkeypatch):
        assert listed("tiny") == {"gm adjust"}


def test_names() -> None:
    names = DirectoryNames(
        Directory([Member("p1", "11", "Gil *the* GM"), Member("p2", "22", "Ana")])
    )
    assert names.mention("p1") == "<@11>"
    assert names.user_id("p2") == 22
    assert names.name("p1") == r"Gil \*the\* GM"
    assert names.mention("p9") == "somebody who is no longer here"
    assert names.user_id("p9") is None
    assert names.name("system") == "Storyguide"
    called = gm_mentions(names, ("p1", "p9"), ("900", "not a role"))
    assert called.text == "<@11>, somebody who is no longer here and <@&900>"
    assert (called.users, called.roles) == ((11,), (900,))
    assert gm_mentions(names, (), ()).text == "the GM"
    assert people_mentions(names, ("p2",)).text == "<@22>"


def test_the_first_steps_are_one_message_however_many_play() -> None:
    many = {f"k{n}": Character(f"k{n}", f"{n} {'x' * 70}", f"p{n + 2}", SHEET) for n in range(60)}
    card = first_steps_card(scene(table().replace(characters=many)), frozenset({"character"}))
    assert len(to_messages(card)) == 1
    assert "and 50 more" in body(card)


def test_who_leads_is_named_in_a_menu_without_markdown() -> None:
    known = Directory([Member("p1", "501", "An_na")])
    card = cards.members_card(Scene(7, table(), DirectoryNames(known), {}), gm=True)
    (menu,) = [each for each in controls_of(card) if isinstance(each, Select) and each.options]
    assert [option.label for option in menu.options] == ["An_na"]


@pytest.mark.parametrize(("spent", "blue"), [(True, ["End turn"]), (False, [])])
def test_whoever_has_nothing_left_in_their_turn_has_done_in_blue(
    spent: bool, blue: list[str]
) -> None:
    event = BoardChanged(place="7", step="turn", name="Ana", round=1, turn=1, spent=spent)
    shown = controls_of(private_turn_card(event, scene(table()), still=True))
    buttons = [each for each in shown if isinstance(each, Button)]
    assert [each.label for each in buttons if each.style == "primary"] == blue


@pytest.mark.parametrize("pace", PACES)
def test_every_pace_has_its_label_meaning_button_and_line(pace: str) -> None:
    values, form = PACES[pace], settings_form(SYSTEMS["ebb"])
    label = say_bare(PACE_LABELS[pace])
    meaning = say(pace_meaning(pace, steps=True))
    assert meaning.startswith(f"**{label}**: ")
    for key in ("answer_time", "step_in_time", "turn_time"):
        assert (duration(values[key]) if values[key] else "no limit") in meaning, key
    menu = cards.system_choice_card(SYSTEMS, pace)
    assert f"sg:setup:-:{pace}" in ids(menu) and label in labels(menu)
    assert meaning in body(menu)
    settings = table().settings.replace(**values)
    assert pace_of(settings, form) == pace
    assert f"plays {label[0].lower()}{label[1:]}" in say(pace_text(settings, form))


def test_paces_set_the_same_and_a_new_table_plays_by_post() -> None:
    assert PACES.keys() == PACE_LABELS.keys()
    new = Settings("Hills", "ebb", ())
    form = settings_form(SYSTEMS["ebb"])
    for key, value in PACES[BY_POST].items():
        # A table from before it could be chosen keeps turns one at a time.
        if key != "block_turns":
            assert getattr(new, key) == value == form.by_key[key].default, key
    for values in PACES.values():
        assert values.keys() == PACES[BY_POST].keys()
