"""Refusals and trouble: every code gives a card that says what is wrong and what to do."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from bot.presenters.errors import error_cards, fix_rows
from bot.presenters.language.limits import CUSTOM_ID
from bot.presenters.language.text import Names
from bot.presenters.language.words import LOCALE
from bot.presenters.layout import Layout
from bot.storage.errors import StaleTable, StorageUnavailable, TableUnreadable
from rules.core.errors import (
    Impossible,
    InvalidInput,
    NotFound,
    NotPermitted,
    Outdated,
    Param,
    Problems,
    RulesError,
)
from rules.systems.ebb.sheet import read_sheet
from rules.table.actions import (
    Actor,
    ChangeGms,
    ChangeSettings,
    Choose,
    UseCharacter,
)
from rules.table.journal.undo import Entry, check_undo
from rules.table.lookup import only_or_active
from tests.presenters.code_list import ERRORS, collect
from tests.presenters.discord_limits import check
from tests.presenters.scenes import (
    ANA,
    BO,
    BY,
    GM,
    NAMES,
    People,
    answer,
    answered_check,
    body,
    choose,
    do,
    everything,
    propose,
    refusal_text,
    roll,
    small,
    table,
    title,
)


def error_card(error: BaseException, names: Names | None = None, **gms: tuple[str, ...]) -> Layout:
    """The first card of an error."""
    return error_cards(error, names, **gms)[0]


def error_of(act: Callable[[], object]) -> RulesError:
    with pytest.raises(RulesError) as caught:
        act()
    return caught.value


def text_of(act: Callable[[], object]) -> str:
    card = error_card(error_of(act), NAMES)
    check(card)
    return refusal_text(card)


def test_texts() -> None:
    state = table()
    proposed = propose(state)[0]
    ready = answered_check(state)
    assert text_of(lambda: choose(proposed, "rule", "free")) == "Only the GM can do that."
    assert text_of(lambda: answer(proposed, difficulty="diffcult")) == (
        "No difficulty “diffcult”. Did you mean “Difficult” or “Very Difficult”?"
    )
    assert text_of(lambda: choose(proposed, "rule", "roll", GM)) == (
        "A roll needs a difficulty. Give a level or a number."
    )
    assert text_of(lambda: answer(proposed, difficulty="10", flaw=9)) == (
        "`flaw`: invalid value: 9. Use a number from 1 to 2."
    )
    assert text_of(lambda: answer(proposed, difficulty="10", modifier=99)) == (
        "`modifier`: invalid value: 99. Use a number from −20 to 20."
    )
    assert text_of(lambda: propose(state, skill="Climbin_")) == (
        "No ability “Climbin\\_” on this sheet. Did you mean “Climbing”?"
    )
    assert text_of(lambda: propose(state, BO)) == (
        "You don't play at this table. Make a character with /character create, or bring one in "
        "with /character import. Until then, you can use /roll and /odds dice."
    )
    assert text_of(lambda: only_or_active((), "as", several="which-character")) == (
        "No character yet. Make one with /character create, or bring one in with /character import."
    )
    first = next(iter(ready.characters.values()))
    joined = ready.with_character(first.replace(id="k9", name="Ilka", owner=BO.id))
    assert text_of(lambda: choose(joined, "ready", "roll", BO)) == (
        "Pilgrim belongs to <@22>, so only they can do that."
    )
    old = Choose(who=ANA, **BY, check="c1", prompt="ready", number=1, option="roll")
    assert text_of(lambda: do(ready, old)) == (
        "That has moved on. The GM has answered, or the roll has been adjusted. Use the "
        "buttons on the latest "
        "message, or /moves."
    )
    assert text_of(lambda: do(state, UseCharacter(who=ANA, **BY, character="Pilgram"))) == (
        "Nobody called “Pilgram” to choose here. Did you mean “Pilgrim”?"
    )
    assert text_of(lambda: do(state, ChangeGms(who=GM, **BY, remove="p1"))) == (
        "<@11> is the last GM, and a table needs one. Add somebody else first with /gm members."
    )
    assert text_of(
        lambda: do(state, ChangeSettings(who=GM, **BY, values={"step_in_time": -1}))
    ) == ("Invalid value: `step_in_minutes` goes from 0 to 60 days. Use 0 to turn it off.")
    assert text_of(lambda: choose(roll(ready, 5, 5)[0], "react", "luck:Fitness")) == (
        "You can't choose that right now. /moves lists what you can do."
    )
    entries = [
        Entry(4, "p1", "Choose", frozenset({"check:c1"}), False, False, False),
        Entry(5, "p2", "Choose", frozenset({"check:c1"}), True, True, False),
    ]
    assert text_of(lambda: check_undo(state, GM, entries, 4, all_dependents=False)) == (
        "You can't undo #4 alone: #5 builds on it. Undo those first, newest first; the GM "
        "can undo all of them "
        "together, with /gm undo and `dependents`."
    )
    assert text_of(lambda: check_undo(state, ANA, entries, None, all_dependents=False)) == (
        "#5 rolled dice, so only the GM can undo it, with /gm undo."
    )


def test_who_may_is_named_and_nobody_is_pinged() -> None:
    card = error_card(NotPermitted("gm-only"), NAMES, gms=("p1",), gm_roles=("900",))
    assert refusal_text(card) == "Only the GM can do that. Ask <@11> and <@&900>."
    assert (card.call, card.mentions, card.role_mentions) == ("", (), ())
    assert small(card) == "Nothing has changed."


def test_what_is_wrong_is_the_head() -> None:
    named = error_card(
        NotFound("mb-unknown-weapon", field="weapon", value="St. Olaf. Axe", allowed=("Axe", "Gun"))
    )
    assert (title(named), body(named)) == ("You have no “St. Olaf. Axe” at hand", "Use Axe or Gun.")
    long = error_card(
        NotFound("mb-unknown-weapon", field="weapon", value="x" * 90, allowed=("Axe",))
    )
    assert title(long) == "That won't work" and body(long).startswith("You have no “xxx"), (
        "too long for a head"
    )
    pointed = error_card(InvalidInput("dice-not-closed", field="dice", value="(2d6", column=0))
    assert title(pointed) == "That won't work" and body(pointed).startswith("```"), (
        "the dice come first"
    )


def test_no_head_ends_within_a_name() -> None:
    owned = NotPermitted("owner-only", character="Dr. Ishaan Vell", owner="p3")
    assert title(error_card(owned, NAMES)).startswith("Dr. Ishaan Vell belongs to <@33>")
    last = error_card(
        NotFound("mb-unknown-weapon", field="weapon", value="Mr. K.", allowed=("Axe",))
    )
    assert title(last) == "You have no “Mr. K.” at hand"


def test_what_was_typed_is_escaped() -> None:
    error = NotFound("unknown-ability", field="ability", value="**@everyone**", nearest=("`x`",))
    told = refusal_text(error_card(error))
    assert "@everyone" not in told
    assert r"\*\*" in told
    assert r"\`x\`" in told


BROKEN = {
    "name": "",
    "agee": 3,
    "age": -4,
    "fate": "2",
    "abilities": [{"name": "Climbing", "group": "Fitnes", "die": "d20"}, {"name": "climbing"}],
    "drawbacks": ["Old", "x" * 301],
}


def test_every_violation_of_a_sheet_is_listed() -> None:
    error = error_of(lambda: read_sheet(BROKEN, new=True))
    assert isinstance(error, Problems)
    (card,) = error_cards(error, NAMES)
    assert title(card) == f"Fix {len(error.problems)} things in this sheet"
    lines = body(card).split("\n")
    assert lines[0] == "1. `agee`: unknown field. Rename it or remove it. Did you mean “age”?"
    assert "2. `name`: missing. Fill it in." in lines
    assert "3. `age`: invalid value: −4. Use a number from 0 to 999." in lines
    assert "9. `fate`: invalid value: “2”. Write a whole number, without quotation marks." in lines
    assert any(
        line.endswith(
            "`abilities[0].die`: invalid die: “d20”. Use one of these: d4, d6, d8, d10 and d12."
        )
        for line in lines
    )
    assert any(
        line.endswith("`abilities`: you have 2 and need 10. Add 8 entries.") for line in lines
    )
    assert len(lines) == len(error.problems)
    one = error_of(
        lambda: read_sheet({"name": "A", "abilities": [], "drawbacks": [], "x": 1}, new=False)
    )
    assert title(error_card(one)) == "Fix 1 thing in this sheet"


def test_a_long_list_is_paged_and_never_cut() -> None:
    data = {
        "name": "A",
        "abilities": [{"name": f"*{n}*", "die": "d20"} for n in range(60)],
        "drawbacks": [],
    }
    error = error_of(lambda: read_sheet(data, new=True))
    assert isinstance(error, Problems)
    cards = error_cards(error, NAMES)
    assert len(cards) > 1
    for number, card in enumerate(cards, 1):
        check(card)
        assert small(card) == f"Page {number} of {len(cards)}. Nothing has changed."
    lines = "\n".join(body(card) for card in cards).split("\n")
    assert [line.partition(".")[0] for line in lines] == [
        str(n + 1) for n in range(len(error.problems))
    ]


KINDS = (InvalidInput, NotFound, NotPermitted, Outdated, Impossible)


def error_codes() -> list[str]:
    begin = ("waits-", "setting-", "settings-", "form-")
    codes, _, _ = collect()
    lines = {code for code in codes if code.startswith(begin)}
    # Of these what is refused and what is told begin alike.
    lines |= {
        code
        for code in codes - collect(ERRORS)[0]
        if code.startswith(("ebb-", "bar-", "ego-", "mb-"))
    }
    files = ("messages.toml", "labels.toml", "panels.toml")
    labels = {
        code
        for name in files
        for code in tomllib.loads((LOCALE / name).read_text(encoding="utf-8"))
    }
    return sorted(
        codes
        - lines
        - (labels - collect(ERRORS)[0])
        - {
            "hidden-difficulty",
            "pace-says",
            "rose",
            "points-called",
            "points-spent",
            "rise-choice",
            "roll-dice",
            "sheet-items",
            "standing-order",
        }
    )


def test_every_code_gives_a_card() -> None:
    long = "@everyone **x** " * 40
    examples: tuple[dict[str, Param], ...] = (
        {"field": "approach", "value": "x", "allowed": "something else"},
        {"field": long, "value": long, "allowed": (long,) * 20, "nearest": (long,) * 3},
        {"field": "f", "allowed": ("a", "b"), "owner": "p77", "character": long, "gms": ("p1",)},
        {"field": "f", "value": -3, "lowest": 0, "highest": 5, "have": 1, "need": 2, "most": 20},
    )
    # No cases of their own: whoever only collects tests would read all the source for them.
    for code, kind, params in product(error_codes(), KINDS, examples):
        cards = error_cards(kind(code, **params), NAMES)
        for card in cards:
            check(card)
        text = "\n".join(map(everything, cards))
        assert "@everyone" not in text, code
        assert not re.search(r"\bNone\b(?! of your)", text), code
        assert refusal_text(cards[-1]).endswith((".", "?", "…", "”")), code


@pytest.mark.parametrize(
    "reason", ["full", "read-only", "locked", "damaged", "unreachable", "unknown"]
)
def test_storage_in_trouble_says_what_stands_and_who_has_to_act(reason: Any) -> None:
    card = error_card(StorageUnavailable(reason, "database or disk is full at /secret/path"))
    check(card)
    assert "Nothing has changed" in body(card)
    assert "runs this bot" in body(card)
    assert "/secret/path" not in everything(card)


def test_a_commit_in_doubt_does_not_claim_that_nothing_has_changed() -> None:
    card = error_card(StorageUnavailable("in-doubt", "server closed the connection"))
    check(card)
    assert title(card) == "I can't tell whether this was saved"
    assert "/table last" in body(card)
    assert "Nothing has changed" not in body(card)


def test_a_database_that_is_gone_is_told_to_whoever_runs_the_bot() -> None:
    card = error_card(StorageUnavailable("lost", "deleted"))
    check(card)
    assert title(card) == "The database files aren't in place"
    assert "I've stopped saving; tell whoever runs the bot." in body(card)
    assert "deleted" not in everything(card)


@pytest.mark.parametrize(("reason", "needle"), [("damaged", "backup"), ("newer", "update")])
def test_a_table_that_cannot_be_read(reason: Any, needle: str) -> None:
    card = error_card(TableUnreadable(7, "character:k1", reason))
    assert needle in body(card)
    assert "exactly as it is" in body(card)


def test_other_trouble() -> None:
    assert title(error_card(StaleTable())) == "Somebody was faster"
    for error in (RuntimeError("secret 9137"), Outdated("unexpected")):
        card = error_card(error)
        assert title(card) == "Something went wrong"
        assert "9137" not in everything(card)
        assert "Nothing has changed" not in everything(card), "that is not known"


def test_somebody_who_is_gone_has_no_mention() -> None:
    error = NotPermitted("owner-only", character="Pilgrim", owner="p2")
    assert "<@" not in refusal_text(error_card(error, People({})))
    assert (
        refusal_text(error_card(error)) == "Pilgrim belongs to somebody, so only they can do that."
    )


def test_actor_is_a_participant() -> None:
    assert Actor("p2") == ANA


def test_gms_may_close_as_many_checks_as_one_button_can_name() -> None:
    def rows(error: Exception, *, gm: bool = True) -> list[str]:
        return [each.id for row in fix_rows(7, error, gm=gm) for each in row]

    few = Impossible("round-open", checks=("c1", "c12"))
    opens = ["sg:chk:7:c1", "sg:chk:7:c12"]
    assert (rows(few), rows(few, gm=False)) == ([*opens, "sg:close:7:c1.c12"], opens)
    assert rows(Impossible("no-encounter")) == []
    *_, longest = rows(
        Impossible("round-open", checks=tuple(f"c{number}" for number in range(1000, 1050)))
    )
    assert len(longest) <= CUSTOM_ID
    assert longest.startswith("sg:close:7:c1000.c1001.")
