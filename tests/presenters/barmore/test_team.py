"""Cards of many who do something together."""

from __future__ import annotations

from bot.presenters.events import event_cards
from bot.presenters.render import to_messages
from bot.presenters.scene import Scene
from rules.core.rng import KeyedStreams
from rules.table.actions import AddNpcs
from tests.presenters.scenes import NAMES
from tests.rules.barmore.play import Play
from tests.sample_table import ANN, GM


def test_many_helpers_with_much_to_say_still_fit() -> None:
    name = "Q" * 70
    play = Play().do(AddNpcs, GM, name=name, count=20, stage="revealed")
    play.begin(ANN, "team", mode="either_or", skill="Boats", approach="b" * 1000)
    for number in range(1, 21):
        play.choose(
            GM, "join", "join", as_=f"{name} {number}", skill="Athletics", approach="a" * 1000
        )
        _require_cards(play)
    play.answer("12")
    play.choose(ANN, "ready", "roll", rng=KeyedStreams(b"p" * 32, b"s" * 32, "team"))
    _require_cards(play)


def _require_cards(play: Play) -> None:
    for card in event_cards(play.events, Scene(7, play.state, NAMES, {}), 5):
        assert to_messages(card)
