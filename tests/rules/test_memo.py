"""What is kept of an object by the object itself."""

from __future__ import annotations

from rules.core import memo as module
from rules.core.memo import memo_by_identity
from rules.systems.ebb.sheet import effective_attributes


def test_it_is_made_once_for_each_object() -> None:
    made: list[tuple[str, ...]] = []

    @memo_by_identity
    def words(of: tuple[str, ...]) -> str:
        """In words."""
        made.append(of)
        return " ".join(of)

    one, same = tuple("ab"), tuple("ab")
    assert [words(one), words(one), words(same)] == ["a b"] * 3
    assert list(map(id, made)) == [id(one), id(same)]  # found by the object, not by what it equals
    assert words.__doc__ == "In words."


def test_there_are_never_too_many_and_none_is_taken_for_another() -> None:
    @memo_by_identity
    def double(of: tuple[int, ...]) -> int:
        return of[0] * 2

    for number in range(3 * module._MOST):
        assert double((number,)) == 2 * number


def test_it_keeps_what_it_was_asked_about() -> None:
    """Else the next object could lie where one has been, and be taken for it."""

    @memo_by_identity
    def first(of: list[int]) -> int:
        return of[0]

    assert [first([number]) for number in range(50)] == list(range(50))
    assert effective_attributes.__name__ == "effective_attributes"
