"""Classes of stored objects by name."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import defstruct

from bot.storage import codec
from rules.table.actions import Action
from rules.table.outcome import Outcome
from rules.table.system import System


@pytest.mark.parametrize("name", ["Begin", "Buy"])
def test_two_classes_of_actions_of_one_name_are_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal stores an action by the name of its class: shared, or a system's own."""
    other: Any = defstruct(name, [("what", str)], bases=(Action,), module=__name__, kw_only=True)
    system = System("other", "Other", actions={other: lambda game, action: Outcome(game.state, ())})
    monkeypatch.setattr(codec, "SYSTEMS", {**codec.SYSTEMS, "other": system})
    with pytest.raises(ValueError, match=f"two classes of actions are called {name}"):
        codec._action_classes()
