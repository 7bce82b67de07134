"""Classes of stored objects by name."""

from __future__ import annotations

import pytest

from bot.storage import codec
from rules.table.actions import action_class
from rules.table.outcome import Outcome
from rules.table.system import System


@pytest.mark.parametrize("name", ["Begin", "Buy"])
def test_two_classes_of_actions_of_one_name_are_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal stores an action by the name of its class: shared, or a system's own."""
    other = action_class(name, [("what", str)], __name__)
    system = System("other", "Other", actions={other: lambda game, action: Outcome(game.state, ())})
    monkeypatch.setattr(codec, "SYSTEMS", {**codec.SYSTEMS, "other": system})
    with pytest.raises(ValueError, match=f"two classes of actions are called {name}"):
        codec._action_classes()
