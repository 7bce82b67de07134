"""Names as people type them: who is meant, and who is like it."""

from __future__ import annotations

import pytest

from rules.core.errors import InvalidInput
from rules.core.json_reader import read_name_or_number
from rules.core.name_matching import (
    clean_name,
    lookalike_key,
    matches,
    name_key,
    similar_names,
    similar_or_first,
    speaker_key,
)

NAMES = ("Ana", "Anatol", "Old  Marek", "", "Bo")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ana", ("Ana",)),
        ("an", ("Ana", "Anatol")),
        (" OLD marek ", ("Old  Marek",)),
        ("old m", ("Old  Marek",)),
        ("b", ("Bo",)),
        ("x", ()),
        ("", ()),
        ("  ", ()),
    ],
)
def test_the_very_name_comes_before_its_beginning(text: str, expected: tuple[str, ...]) -> None:
    assert matches(NAMES, text, str) == expected


def test_an_id_means_just_one_and_nobody_without_a_name() -> None:
    ids = {"Ana": "k1", "Anatol": "k2", "": "k3"}
    assert matches(NAMES, "K2", str, ids.get) == ("Anatol",)
    assert matches(NAMES, "k3", str, ids.get) == ()
    assert matches(NAMES, "k", str, ids.get) == ()


def test_similar_names() -> None:
    assert name_key(" Old\n MAREK ") == "old marek"
    assert similar_names("Anattol", NAMES) == ("Anatol", "Ana")
    assert similar_names("marec", NAMES) == ("Old  Marek",), "one word of it will do"
    assert similar_names("zzz", NAMES) == ()
    assert similar_or_first("zzz", "abcdefg") == tuple("abcde")
    assert similar_names("x" * 100_000, NAMES) == ()


@pytest.mark.parametrize(
    "name",
    [
        "Ma\u200brek",
        "Ma\u00adrek",
        "\u2060",
        "\u3164",
        "Marek\ufe0f",
        "\u202e",
        "\u2066x",
        "a\U000e0100",
    ],
)
def test_what_nobody_can_see_is_no_part_of_a_name(name: str) -> None:
    with pytest.raises(InvalidInput) as found:
        clean_name(name)
    assert found.value.code == "hidden-sign"
    assert str(found.value.params["sign"]).startswith("U+")


@pytest.mark.parametrize(
    "name", ["Marek", "Zoé", "❤\ufe0f Rose", "می\u200cخواهم", "Марек", "Łukasz 2", "O’Neill"]
)
def test_names_of_all_scripts(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    "name", ["the GMs", "The  GM", "GM", "Storyguide", "@everyone", "th\u0435 GM"]
)
def test_nobody_is_called_as_messages_call_others(name: str) -> None:
    with pytest.raises(InvalidInput) as found:
        clean_name(name)
    assert found.value.code == "reserved-name"


@pytest.mark.parametrize(
    ("name", "other"),
    [("Marek", "\u041carek"), ("Marek", "ＭＡＲＥＫ"), ("Anna", "\u0391nna"), ("x", "\u0445")],
)
def test_names_that_look_alike(name: str, other: str) -> None:
    assert lookalike_key(name) == lookalike_key(other)
    assert name_key(name) != name_key(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *[("Paul", "PauI"), ("Bill", "Bi11"), ("Oona", "0ona"), ("Warner", "VVamer")],
        *[("Gina", "Gina."), ("Gina", "G ina"), ("Gina", "Gina (GM)"), ("Gina", "the GM Gina")],
        *[("Gina", "G\u00edna"), ("Gina", "G\u0456n\u0430"), ("Gina", "Gi\u0307na")],
        *[("Gina", "\u0262ina"), ("Gina", "\ua7acina"), ("Gina", "\U0001f156ina")],
        *[("Gina", "\U0001f1ecina"), ("Gina", "\u13c0ina"), ("Ben", "\ua4d0en")],
        *[("Ben", "Be\u0578"), ("\u0423ve", "Yve")],
    ],
)
def test_speakers_that_look_alike(name: str, other: str) -> None:
    assert speaker_key(name) == speaker_key(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *[("Ana", "Anna"), ("Ben", "Bern"), ("Ana", "Ana of the Rim"), ("GM", "Bot")],
        *[("\u0418\u0432\u0430\u043d", "\u0418\u0432\u043e"), ("\u674e", "\u738b")],
        ("\U0001f642", "\U0001f643"),
    ],
)
def test_speakers_that_look_different(name: str, other: str) -> None:
    assert speaker_key(name) != speaker_key(other)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        *[("12", "12"), ("+012 ", "12"), ("12 M", "12"), ("-3", "-3"), ("\u22123", "-3")],
        *[
            ("me", "medium"),
            ("Point-blank", "point_blank"),
            ("point b", "point_blank"),
            ("mid range", "mid-range"),
        ],
    ],
)
def test_a_name_or_a_number_is_read_in_its_one_form(text: str, read: str) -> None:
    names = ("point_blank", "mid-range", "medium")
    assert (
        read_name_or_number(text, names, -3, 12, field="range", unknown="no-range", unit="m")
        == read
    )


@pytest.mark.parametrize("text", ["", " ", "13", "-4", "9" * 40, "\u00b2", "far", "mi", "1.5"])
def test_what_is_neither_name_nor_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_name_or_number(
            text, ("mile", "mid"), -3, 12, field="range", unknown="no-range", unit="m"
        )
    told = {
        "field": "range",
        "value": text,
        "allowed": ("mile", "mid"),
        "nearest": ("mile", "mid") if text == "mi" else (),
        "lowest": -3,
        "highest": 12,
    }
    assert (caught.value.code, caught.value.params) == ("no-range", told)
