"""What the fields of actions may hold: whatever cannot be read again is refused before anything is
made of it.
"""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest

from bot.services.action_fields import check_fields
from rules.core.errors import InvalidInput
from rules.core.rng import ScriptedRng
from rules.registry import SYSTEMS
from rules.table import actions
from rules.table.actions import (
    Action,
    Actor,
    AddToEncounter,
    Begin,
    ChangeGms,
    ChangePerson,
    Choose,
    SetOrder,
)
from rules.table.state import Settings, TableState
from tests.sample_table import GM, by, resolve

_SYSTEMS_OWN = [kind for system in SYSTEMS.values() for kind in system.actions]
_KINDS = [
    kind
    for kind in (*vars(actions).values(), *_SYSTEMS_OWN)
    if isinstance(kind, type) and issubclass(kind, Action)
]


@pytest.mark.parametrize("kind", _KINDS, ids=lambda kind: kind.__name__)
def test_no_field_holds_what_it_is_not_made_for(kind: type[Any]) -> None:
    hints = get_type_hints(kind)
    usual = {str: "x", int: 1, bool: True, tuple: (), dict: {}}
    for field in kind.__struct_fields__:
        if hints[field] is Actor:
            continue
        for wrong in (1.5, object(), b"x", frozenset[str]()):
            given = {
                name: usual.get(getattr(hints[name], "__origin__", hints[name])) for name in hints
            }
            made = kind(**given | {field: wrong})
            with pytest.raises(InvalidInput) as found:
                check_fields(made)
            assert found.value.code == "wrong-type"


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        *[(ChangePerson, {"plain": value}) for value in ("x", 5, 1.5, None)],
        *[(AddToEncounter, {"name": "Rock", "score": value}) for value in ("x", 1.5, True)],
        (SetOrder, {"prompt": "react", "option": "pass", "keep": "fate", "keep_amount": "x"}),
    ],
)
def test_refused(kind: type[Any], given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as found:
        check_fields(kind(**by(GM), **given))
    assert found.value.code == "wrong-type"


@pytest.mark.parametrize("role", ["²", "9" * 30])
def test_an_id_that_discord_never_gives(role: str) -> None:
    state = TableState(Settings("T", "ebb", ("p1",)))
    with pytest.raises(InvalidInput) as found:
        resolve(state, ChangeGms(**by(GM), add_role=role), ScriptedRng(()))
    assert found.value.code == "wrong-type"


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"how": "x" * 5000}, "too-long"),
        ({"how": "\ud800"}, "unprintable-text"),
        ({"how": 1 << 60}, "out-of-range"),
        ({"how": [1] * 1000}, "too-many-entries"),
        ({"how": {str(each): 1 for each in range(99)}}, "too-many-entries"),
        ({"how": [[[[1]]]]}, "wrong-type"),
        ({"how": 1.5}, "wrong-type"),
    ],
)
def test_values_for_a_check_are_bounded(values: dict[str, Any], code: str) -> None:
    about = {"prompt": "react", "number": 1, "option": "roll"}
    for action in (
        Begin(**by(GM), kind="check", values=values),
        Choose(**by(GM), check="c1", **about, values=values),
        SetOrder(**by(GM), prompt="react", option="pass", values=values),
    ):
        with pytest.raises(InvalidInput, match=code):
            check_fields(action)
