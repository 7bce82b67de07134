"""Everything that a system offers is chosen once: it is told, it does something, and it can be taken back."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.property.barmore import fare as barmore
from tests.property.chosen import Chooser
from tests.property.ebb import fare as ebb
from tests.property.ego import fare as ego
from tests.property.masterbook import fare as masterbook


@pytest.mark.parametrize(
    "fare", [ebb, barmore, ego, masterbook], ids=lambda fare: fare.__name__.split(".")[-2]
)
def test_everything_is_chosen_once(fare: ModuleType) -> None:
    """Refused is only what a fare says, and silent or without effect too, settings included."""
    chosen = Chooser(fare.FARE).everything()
    refused = {key.partition("=")[0]: why for key, why in chosen.unchosen().items()}
    assert refused == fare.REFUSED
    assert sorted({*chosen.untold()} - fare.SILENT) == []
    assert sorted({*chosen.idle()} - fare.SILENT) == []
    silent = [each for each in chosen.silent() if each.split()[1].partition("=")[0] not in fare.ELSEWHERE]
    assert silent == []
