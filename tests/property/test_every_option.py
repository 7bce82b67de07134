"""Everything that a system offers is chosen once: it is told, it does something, and it can be
taken back.
"""

from __future__ import annotations

from types import ModuleType

import pytest

from rules.registry import read_only_game
from rules.systems.masterbook.deck.table_deck import require_cards
from tests.property.barmore import sample_inputs as barmore
from tests.property.ebb import sample_inputs as ebb
from tests.property.ego import sample_inputs as ego
from tests.property.every_option import Chooser
from tests.property.masterbook import card_inputs as deck
from tests.property.masterbook import sample_inputs as masterbook


@pytest.mark.slow
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
    silent = [
        each for each in chosen.silent() if each.split()[1].partition("=")[0] not in fare.ELSEWHERE
    ]
    assert silent == []


@pytest.mark.slow
def test_every_card_of_the_deck_is_chosen_once() -> None:
    """Each kind is played, drawn or used somewhere, with everything that comes of it; each card
    opens rounds.
    """
    chosen = Chooser(deck.FARE).everything()
    refused = {key: why for key, why in chosen.unchosen().items() if deck.is_about_cards(key)}
    # Which of them is played between actions is asked below, by kind.
    assert {
        key: why for key, why in refused.items() if "/card play card=" not in key
    } == deck.REFUSED
    untold, idle = (
        {*filter(deck.is_about_cards, found)} for found in (chosen.untold(), chosen.idle())
    )
    assert sorted((untold | idle) - deck.SILENT) == []
    done = [key for key, each in chosen.found.items() if each.done]
    assert [kind for kind in deck.KINDS if not any(deck.is_of(kind, key) for key in done)] == [
        "blank"
    ]
    for card, scene, deed in deck.FLIPS:
        run = chosen.done(deed)
        flip = require_cards(read_only_game(run.state)).deal.round
        assert flip is not None and (flip.card, flip.scene) == (card, scene)
        face = deck.FACES[card]
        assert require_cards(read_only_game(run.state)).lines == (
            face.dramatic if scene == "dramatic" else face.standard
        )
        assert deck.KINDS[face.kind].name in run.ended().told, deed.name


def test_every_setting_of_the_deck_does_something() -> None:
    chosen = Chooser(deck.AGREED)
    chosen.settings()
    silent = {each.split()[1].partition("=")[0] for each in chosen.silent()}
    assert sorted(silent) == sorted(deck.ELSEWHERE)
