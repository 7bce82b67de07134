"""Names as people type them: who is meant, and who is like it."""

from __future__ import annotations

import pytest

from rules.core.names import meant, name_key, similar, similar_or_first

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
    assert meant(NAMES, text, str) == expected


def test_an_id_means_just_one_and_nobody_without_a_name() -> None:
    ids = {"Ana": "k1", "Anatol": "k2", "": "k3"}
    assert meant(NAMES, "K2", str, ids.get) == ("Anatol",)
    assert meant(NAMES, "k3", str, ids.get) == ()
    assert meant(NAMES, "k", str, ids.get) == ()


def test_similar_names() -> None:
    assert name_key(" Old\n MAREK ") == "old marek"
    assert similar("Anattol", NAMES) == ("Anatol", "Ana")
    assert similar("marec", NAMES) == ("Old  Marek",), "one word of it will do"
    assert similar("zzz", NAMES) == ()
    assert similar_or_first("zzz", "abcdefg") == tuple("abcde")
    assert similar("x" * 100_000, NAMES) == ()
