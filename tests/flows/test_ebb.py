"""Random flows of EBB through the commands, with a referee: 25 with every change, 2,000 at
night.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import pytest

from tests.flows import ebb_aftermath as life
from tests.flows import ebb_stories as stories
from tests.flows.ebb_play import Referee
from tests.flows.ebb_stories import Story
from tests.flows.flow_table import Flow, meeting

#: What is played whole in each flow of a kind, with the rules that some of its flows meet.
KINDS: Final[dict[str, tuple[Sequence[Story], set[str]]]] = {
    "checks": (
        (stories.check, stories.check, life.specialist),
        {
            "EBB-LADDER",
            "EBB-SHIFT",
            "EBB-ROLL",
            "EBB-CRIT",
            "EBB-FAIL",
            "EBB-PROPOSAL",
            "EBB-SPECIALIST",
        },
    ),
    "attacks": (
        (
            partial(stories.opposed, command="attack"),
            partial(stories.against_npc, command="attack"),
            partial(stories.ambush, command="attack"),
        ),
        {"EBB-ATTACK", "EBB-OPPOSED", "EBB-INJURY"},
    ),
    "contests": (
        (
            partial(stories.opposed, command="contest"),
            partial(stories.against_npc, command="contest"),
            partial(stories.ambush, command="contest"),
            life.initiative,
        ),
        {"EBB-OPPOSED", "EBB-ROUND"},
    ),
    "recovery": ((life.treat, life.rest, life.session, stories.check), {"EBB-HEAL"}),
    "growth": (
        (
            life.learn,
            life.advance,
            life.award,
            life.adjust,
            life.hand_in,
            life.generated,
            stories.idea_odds,
        ),
        {
            "EBB-CHAR",
            "EBB-DRAWBACK",
            "EBB-TIER",
            "EBB-FATE",
            "EBB-LUCK",
            "EBB-ANOMALY",
            "EBB-ARTEFACT",
        },
    ),
}
EVERY: Final = [story for played, _ in KINDS.values() for story in played]


async def played(flow: Flow, kind: str) -> None:
    """One flow: everything of its kind in any order, and something else between."""
    ref = Referee(flow)
    await ref.begin()
    told = [*KINDS[kind][0], flow.pick(EVERY)]
    flow.chance.shuffle(told)
    for story in told:
        await story(ref)
        await ref.settled(flow.pick(list(ref.people.values())))
    await ref.settled()
    await ref.shown(flow.pick(ref.players))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_bot_and_the_referee_agree(kind: str) -> None:
    meeting(KINDS[kind][1], len(KINDS), partial(played, kind=kind))
