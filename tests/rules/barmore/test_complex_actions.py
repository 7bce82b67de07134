"""Complex actions over days: required degree, frequency, running total; who may do what, and who
sees what.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from rules.core.errors import InvalidInput
from rules.registry import read_only_game
from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN, write_campaign
from rules.systems.barmore.complex_actions import (
    MAX_TASKS,
    AcceptWish,
    DropTask,
    RollTask,
    StartTask,
    Task,
    find_task,
    is_public_task,
    task_blocks,
    tasks_of,
    visible_tasks,
)
from rules.systems.barmore.trait_trees import Node, Tree
from rules.table.actions import ChangeCampaign, RemoveNpc, Retire
from rules.table.blocks import Group, Roll, Text, Verdict
from rules.table.events import Reported
from rules.table.journal.undo import stranded_parts
from rules.table.state import TableState
from tests.rules.barmore.play import Play
from tests.sample_table import ANN, BEN, GM, open_game


def _started(play: Play | None = None, **fields: Any) -> Play:
    given = {
        "name": "Mend the hull",
        "difficulty": "10",
        "required": 5,
        "every": 60,
        "skill": "Boats",
        "as_": "Marek",
    }
    return (play or Play()).do(StartTask, GM, **(given | fields))


def _task(play: Play) -> Task:
    return tasks_of(play.state)[-1]


def _told(play: Play, *, gm: bool = False) -> Reported:
    found = [
        event for event in play.events if isinstance(event, Reported) and event.audience.gms == gm
    ]
    assert len(found) == 1
    return found[0]


def _rolled(event: Reported) -> tuple[Verdict | None, Roll | None]:
    verdict = next((block for block in event.blocks if isinstance(block, Verdict)), None)
    return verdict, next((block for block in event.blocks if isinstance(block, Roll)), None)


def _verdict(event: Reported) -> list[str]:
    told = _rolled(event)[0]
    assert told is not None
    return [
        str(each.params.get("how") or each.params["what"])
        for each in (told.text, told.degree)
        if each is not None
    ]


def _said(event: Reported, what: str) -> Mapping[str, Any]:
    """What the rows of a card say of this."""
    rows = [row for block in event.blocks if isinstance(block, Group) for (row,) in block.rows]
    return next(row.params for row in rows if isinstance(row, Text) and row.params["what"] == what)


@pytest.mark.rule("BAR-COMPLEX")
def test_levels_add_up_until_it_is_done() -> None:
    play = _started().do(RollTask, ANN, 8, 8, 4, 1, task="t1")  # 21: level 2
    _, roll = _rolled(_told(play))
    assert roll is not None and roll.result == 21
    assert _verdict(_told(play)) == ["success", "degree"]
    play.do(RollTask, ANN, 1, 1, 1, 1, task="t1")  # 4: a botch, level 1 away
    assert (_task(play).done, _verdict(_told(play))[0]) == (1, "botch")
    play.do(RollTask, ANN, 8, 8, 8, 8, task="t1")  # 32: level 4
    spent = _said(_told(play), "time")
    assert (spent["rolls"], spent["minutes"], _said(_told(play), "progress")["done"]) == (3, 180, 5)
    over = _said(_told(play), "progress")
    assert (over["dropped"], over["over"], _told(play).button) == (False, True, None)
    assert play.refused(RollTask, ANN, task="t1").params.get("why") == "over"


@pytest.mark.rule("BAR-COMPLEX")
def test_it_may_fall_below_nothing() -> None:
    play = _started(difficulty="40").do(RollTask, ANN, 2, 2, 2, 2, task="t1")
    assert _task(play).done == -6


def test_choices_belong_to_each_roll() -> None:
    play = _started().do(RollTask, ANN, task="t1", options=("no dice",))
    _, roll = _rolled(_told(play))
    assert roll is not None and (roll.result, roll.dice) == (20, ())
    assert (
        play.refused(RollTask, ANN, task="t1", options=("convert: 9",)).code == "too-many-converted"
    )


def test_a_button_that_was_shown_before_is_out_of_date() -> None:
    play = _started().do(RollTask, ANN, 8, 1, 1, 1, task="t1", rolls=0)
    assert play.refused(RollTask, ANN, task="t1", rolls=0).params.get("why") == "moved-on"
    play.do(RollTask, ANN, 8, 1, 1, 1, task="t1", rolls=1)


def test_only_who_works_on_it_rolls_and_gms_may_drop_it() -> None:
    play = _started()
    for who in (BEN, GM):
        assert play.refused(RollTask, who, task="t1").code == "owner-only"
    assert play.refused(DropTask, BEN, task="t1").code == "owner-only"
    play.do(DropTask, GM, task="t1")
    assert _said(_told(play), "progress")["dropped"] is True
    assert play.refused(DropTask, GM, task="t1").params.get("why") == "over"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"name": "  "}, "empty"),
        ({"difficulty": "none"}, "no-difficulty"),
        ({"difficulty": "x"}, "not-a-number"),
        ({"every": 0}, "bad-frequency"),
        ({"skill": "Flying"}, "not-in-tree"),
        ({"as_": "Nobody"}, "unknown-character"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], code: str) -> None:
    given = {
        "name": "x",
        "difficulty": "10",
        "required": 5,
        "every": 60,
        "skill": "Boats",
        "as_": "Marek",
    }
    assert Play().refused(StartTask, GM, **(given | changes)).code == code


def test_players_set_no_tasks() -> None:
    given: dict[str, Any] = {
        "name": "x",
        "difficulty": "10",
        "required": 5,
        "every": 60,
        "as_": "Marek",
    }
    assert Play().refused(StartTask, ANN, **given).code == "gm-only"


def test_there_are_not_endlessly_many() -> None:
    play = Play()
    for number in range(MAX_TASKS):
        _started(play, name=f"Work {number}")
    given: dict[str, Any] = {
        "name": "x",
        "difficulty": "10",
        "required": 5,
        "every": 60,
        "as_": "Marek",
    }
    assert play.refused(StartTask, GM, **given).code == "too-many-tasks"
    play.do(DropTask, GM, task="t1").do(StartTask, GM, **given)
    assert len(tasks_of(play.state)) == MAX_TASKS + 1


def test_one_finds_ones_own_without_naming_it() -> None:
    play = _started()
    _started(play, name="Sew", as_="Ilka", skill="Knives")
    assert find_task(open_game(play.state, BEN), None).name == "Sew"
    assert find_task(open_game(play.state, ANN), "mend").id == "t1"
    assert play.refused(RollTask, GM, task="sing").code == "unknown-task"
    _started(play, name="Paint")
    with pytest.raises(InvalidInput, match="which-one"):
        find_task(open_game(play.state, ANN), None)


@pytest.mark.parametrize("hidden", [True, False])
def test_hidden_ones_tell_players_no_totals(hidden: bool) -> None:
    play = _started(hidden=hidden, difficulty="17").do(RollTask, ANN, 8, 8, 4, 1, task="t1")
    public = _told(play)
    assert is_public_task(play.state, _task(play)) is not hidden
    roll = _rolled(public)[1]
    if not hidden:
        assert _said(public, "progress")["done"] == 0 and roll is not None and roll.result == 21
        return
    assert (roll, _verdict(public), _said(public, "progress")["done"]) == (
        None,
        ["success"],
        None,
    )
    play.do(RollTask, ANN, 8, 8, 8, 8, task="t1").do(RollTask, ANN, 8, 8, 8, 8, task="t1")
    assert (_said(_told(play), "progress")["over"], _told(play).button) == (True, None)
    assert "17" not in repr(public) and "17" not in repr(_told(play))
    assert "17" in repr(_told(play, gm=True))


def test_of_whom_players_know_nothing_they_hear_nothing() -> None:
    play = _started(as_="Spy")
    assert [event.audience.everyone for event in play.events] == [False]
    assert visible_tasks(open_game(play.state, ANN)) == ()
    assert play.refused(RollTask, ANN, task="t1").code == "unknown-task"
    assert len(visible_tasks(open_game(play.state, GM))) == 1


def test_what_npcs_can_do_is_not_told() -> None:
    play = _started(as_="Sidor", skill="Brawling")
    assert "score" not in repr(task_blocks(read_only_game(play.state), _task(play), gm=False))


def test_without_its_worker_it_waits_for_a_gm() -> None:
    play = _started().do(Retire, ANN, character="Marek")
    assert play.refused(RollTask, ANN, task="t1").params.get("why") == "worker"
    play.do(DropTask, GM, task="t1")


def test_others_have_no_such_thing() -> None:
    assert Play().refused(RollTask, GM, task="t1").code == "unknown-task"


def test_a_campaign_leaves_open_work_its_traits() -> None:
    play = _started()
    tree: dict[str, Any] = {"abilities": [{"name": "Cooking", "parent": None}]}
    old = DEFAULT_CAMPAIGN.traits.attributes
    tree["attributes"] = [
        {
            "name": node.name,
            "parent": node.parent,
            **({"activity": node.activity} if node.activity else {}),
        }
        for node in old
    ]
    refused = play.refused(ChangeCampaign, GM, data={"traits": tree})
    assert (refused.code, refused.params["name"]) == ("campaign-in-use-by", "Mend the hull")
    play.do(DropTask, GM, task="t1").do(ChangeCampaign, GM, data={"traits": tree})
    (task,) = tasks_of(play.state)
    work = next(
        text
        for text in task_blocks(read_only_game(play.state), task, gm=False)
        if text.params["what"] == "work"
    )
    assert [line.params["name"] for line in cast("tuple[Text, ...]", work.params["traits"])] == [
        "Boats"
    ]


def _stranded(state: TableState) -> dict[str, str]:
    game = read_only_game(state)
    return dict(game.system.campaign.stranded(game))


def test_taking_back_a_campaign_strands_the_work_begun_in_it() -> None:
    play = _started()
    gone = play.state.replace(characters={})
    assert _stranded(play.state) == {}
    assert _stranded(gone) == {"task:t1": "Mend the hull"}
    other = DEFAULT_CAMPAIGN.replace(
        traits=DEFAULT_CAMPAIGN.traits.replace(abilities=Tree((Node("Cooking", None, None),)))
    )
    assert _stranded(play.state.replace(campaign=other)) == {"task:t1": "Mend the hull"}
    earlier: Any = [{"campaign": other}]
    assert stranded_parts(read_only_game(play.state), earlier) == {"task:t1"}


def test_what_an_npc_worked_on_goes_with_it() -> None:
    play = _started(as_="Sidor").do(RemoveNpc, GM, npc="Sidor")
    assert tasks_of(play.state) == ()
    data = write_campaign(DEFAULT_CAMPAIGN.replace(minor_npcs=False))
    assert not play.do(ChangeCampaign, GM, data=data).state.campaign.minor_npcs


def test_nobody_rolls_for_somebody_who_is_out_of_play() -> None:
    play = (
        _started()
        .do(RollTask, ANN, task="t1", options=("doublings 1",))
        .do(Retire, ANN, character="Marek")
    )
    assert play.refused(AcceptWish, GM, task="t1").params.get("why") == "worker"
