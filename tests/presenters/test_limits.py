"""Texts are brought into Discord's limits without being torn, and cards beyond them are noticed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.presenters.control_limits import check_controls, check_modal
from bot.presenters.controls import Button, Input, Modal, Option, Rows, Select
from bot.presenters.language.limits import clip, split_pages, utf16_length
from bot.presenters.language.text import user_text
from bot.presenters.layout import Layout, Section, build_layout
from bot.presenters.render import is_layout, to_messages
from tests.presenters.discord_limits import check

ROOT = Path(__file__).resolve().parents[2]
FACE = "\U0001f600"


def test_size_counts_what_takes_two_units_twice() -> None:
    assert utf16_length("abc") == 3
    assert utf16_length(FACE) == 2
    assert utf16_length("é\ud83d") == 2


@pytest.mark.parametrize(
    ("text", "most", "clipped"),
    [
        ("short", 5, "short"),
        ("longer text", 8, "longer…"),
        ("longer text", 7, "longer…"),
        (FACE * 4, 6, FACE * 2 + "…"),
        ("abc\\*def", 5, "abc…"),
        ("ab\\\\cdef", 5, "ab\\\\…"),
        ("hello <@123456> there", 12, "hello…"),
        ("hello \\<@123456> there", 12, "hello \\<@12…"),
        ("see <t:1000:R> now", 10, "see…"),
        ("cafe\u0301s", 5, "caf…"),
        ("\U0001f468\u200d\U0001f469xx", 6, "\U0001f468\u200d\U0001f469…"),
        ("\U0001f468\u200d\U0001f469xx", 5, "…"),
    ],
)
def test_clip(text: str, most: int, clipped: str) -> None:
    assert clip(text, most) == clipped


@given(st.text(max_size=300), st.integers(1, 120))
def test_clip_stays_within_the_limit_and_tears_no_escape(text: str, most: int) -> None:
    shown = user_text(text, lines=True)
    clipped = clip(shown, most)
    assert utf16_length(clipped) <= most
    if clipped != shown:
        assert clipped.endswith("…")
        tail = clipped[:-1]
        assert (len(tail) - len(tail.rstrip("\\"))) % 2 == 0


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=120), max_size=20),
    st.integers(20, 90),
)
def test_pages_leave_nothing_out(lines: list[str], most: int) -> None:
    found = split_pages(lines, most)
    assert all(0 < utf16_length(page) <= most for page in found)
    assert "".join("".join(found).split()) == "".join("".join(lines).split())


def test_pages_break_at_lines_and_then_at_spaces() -> None:
    assert split_pages(["one", "two", "three"], 8) == ["one\ntwo", "three"]
    assert split_pages(["one two three four"], 9) == ["one two", "three", "four"]
    assert split_pages([], 10) == []


def _buttons(count: int) -> tuple[Button, ...]:
    return tuple(Button(f"sg:x:{number}", "Press") for number in range(count))


@pytest.mark.parametrize(
    ("rows", "limit"),
    [
        ((_buttons(6),), "5 wide"),
        (((*_buttons(1), Select("x", "p", (Option("v", "l"),))),), "5 wide"),
        (((),), "an empty row"),
        (((Button("sg:x", "a"), Button("sg:x", "b")),), "twice"),
        (((Button("x" * 101, "a"),),), "custom id over 100"),
        (((Button("x", "a" * 81),),), "label over 80"),
        (((Button("x", ""),),), "label over 80"),
        (((Select("x", "p"),),), "1 to 25 options"),
        (((Select("x", "p", tuple(Option(str(n), "l") for n in range(26))),),), "1 to 25 options"),
        (((Select("x", "p", (Option("v", "l"), Option("v", "k"))),),), "an option's value twice"),
        (((Select("x", "p", (Option("v", "l" * 101),)),),), "option label over 100"),
        (((Select("x", "p", (Option("v" * 101, "l"),)),),), "option value over 100"),
        (((Select("x", "p", (Option("v", "l", "d" * 101),)),),), "option description over 100"),
        (((Select("x", "p" * 151, (Option("v", "l"),)),),), "placeholder over 150"),
        (((Select("x", "p", (Option("v", "l"),), 1, 2),),), "more than it offers"),
    ],
)
def test_controls_beyond_a_limit_are_named(rows: Rows, limit: str) -> None:
    with pytest.raises(ValueError, match=limit):
        check_controls(rows)


def test_rows_beyond_five_follow_in_a_message_of_their_own() -> None:
    rows = tuple((button,) for button in _buttons(6))
    sent = to_messages(build_layout("own", "t", rows=rows), plain=True)
    assert [len(each["view"].to_components()) for each in sent] == [5, 1]
    assert all(each["content"] for each in sent)


def test_a_card_beyond_a_limit_is_named() -> None:
    with pytest.raises(ValueError, match="twice"):
        to_messages(
            build_layout(
                "own", "t", Section("a", Button("sg:x", "a")), rows=((Button("sg:x", "b"),),)
            )
        )
    with pytest.raises(ValueError, match="more than 40 parts"):
        to_messages(build_layout("own", "t", rows=tuple((button,) for button in _buttons(20))))


def test_a_card_at_the_limits_passes() -> None:
    options = tuple(Option(str(number), "l" * 100, "d" * 100) for number in range(25))
    select = Select("s" * 100, "p" * 150, options, 0, 25)
    rows = ((select,), _buttons(5), (Select("x", "p", kind="channel"),))
    card = Layout(
        "own", (*build_layout("own", "t" * 256, "b" * 3600, rows=rows).pieces,), call="c" * 2000
    )
    assert [is_layout(message) for message in to_messages(card)] == [True, False]
    check(card)


@given(st.text(max_size=3000), st.text(max_size=9000), st.text(max_size=3000))
def test_a_card_with_texts_of_any_length_can_be_sent(head: str, body: str, call: str) -> None:
    check(Layout("own", build_layout("own", f"t{head}", f"b{body}").pieces, call=f"c{call}"))


@pytest.mark.parametrize(
    ("modal", "limit"),
    [
        (Modal("m", "t" * 46, (Input("i", "l"),)), "title over 45"),
        (Modal("m", "t", ()), "1 to 5 inputs"),
        (Modal("m", "t", tuple(Input(str(n), "l") for n in range(6))), "1 to 5 inputs"),
        (Modal("m", "t", (Input("i", "l" * 46),)), "label over 45"),
        (Modal("m", "t", (Input("i", "l", most=4001),)), "length over 4000"),
        (Modal("m", "t", (Input("i", "l", "v" * 11, most=10),)), "longer than the input takes"),
        (Modal("m", "t", (Input("i", "l"), Input("i", "k"))), "id twice"),
    ],
)
def test_a_dialog_beyond_a_limit_is_named(modal: Modal, limit: str) -> None:
    with pytest.raises(ValueError, match=limit):
        check_modal(modal)


def test_commands_cut_nothing_by_numbers_of_their_own() -> None:
    """How many choices and options there may be, and how long, only the limits know."""
    found = [
        (path.name, line.strip())
        for path in sorted((ROOT / "cogs").glob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\[:(25|100)\]|^_?(OFFERED|CHOICES|TEXT)\b.*= \d", line)
    ]
    assert found == []


def test_what_all_systems_share_names_no_code_of_one() -> None:
    """A card says what its blocks say of themselves."""
    rooms = ("bot/presenters", "bot/presenters/checks", "bot/presenters/forms")
    shared = [path for room in rooms for path in (ROOT / room).glob("*.py")]
    shared += (ROOT / "rules/table").rglob("*.py")
    found = [
        re.findall(r'"(?:mb|ego|ebb|bar)-[a-z-]+"', path.read_text(encoding="utf-8"))
        for path in shared
    ]
    assert [each for codes in found for each in codes] == []
