"""The profile of a campaign's world: read, written, described."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import Problems
from rules.systems.masterbook import SYSTEM
from rules.systems.masterbook.character.world_profile import (
    MasterbookCampaign,
    WorldProfile,
    preset_for_genre,
    read_world,
    write_world,
)

CAMPAIGN = SYSTEM.campaign


@pytest.mark.rule("MB-GM-13")
def test_a_profile_is_written_as_it_is_read() -> None:
    sample = CAMPAIGN.sample()
    read = CAMPAIGN.read(sample)
    assert isinstance(read, MasterbookCampaign)
    assert read.world.genre == "pulp_fiction" and read.weapons
    assert CAMPAIGN.write(read) == sample
    assert CAMPAIGN.read({}) == CAMPAIGN.default == MasterbookCampaign()
    assert write_world(WorldProfile()) == {}


@pytest.mark.rule("MB-GM-13", "MB-GM-15")
def test_limits_of_a_world_are_texts_and_only_gms_read_its_secrets() -> None:
    campaign = CAMPAIGN.read(
        {
            "world": {
                "genre": "custom",
                "tone": "grim",
                "world_awareness": {"Vesna": "all of it"},
                "history": ["The dam broke"],
                "overall_goal": "Find the heir",
                "adventure_types": "heists",
            }
        }
    )
    described = [line.code for line in CAMPAIGN.describe(campaign)]
    texts = ["mb-world-text"] * 3
    assert described == ["mb-world-genre", "mb-world-text", "mb-world-awareness", *texts]
    assert CAMPAIGN.announce is not None
    announced = [line.code for line in CAMPAIGN.announce(campaign)]
    assert announced == ["mb-world-genre", "mb-world-text"]


@pytest.mark.rule("MB-GM-13")
def test_a_genre_proposes_a_preset() -> None:
    genres = ("high_fantasy", "pulp_fiction", "low_fantasy", "real_world", "science_fiction")
    assert [preset_for_genre(genre) for genre in genres] == [*genres]
    assert preset_for_genre("custom") is preset_for_genre(None) is None


@pytest.mark.rule("MB-GM-13")
@pytest.mark.parametrize(
    ("world", "code", "place"),
    [
        (3, "bad-row", "world"),
        ({"genre": "western"}, "bad-row", "world.genre"),
        ({"moon": "two"}, "bad-row", "world.moon"),
        ({"tone": "x" * 501}, "too-long", "world.tone"),
        ({"history": ["x"] * 51}, "too-many-entries", "world.history"),
        (
            {"special_effects": {"difficulty_adjust": 21}},
            "out-of-range",
            "world.special_effects.difficulty_adjust",
        ),
    ],
)
def test_what_is_wrong_with_a_profile_is_told_with_its_place(
    world: Any, code: str, place: str
) -> None:
    with pytest.raises(Problems) as told:
        read_world(world)
    problem = told.value.problems[0]
    assert (problem.code, problem.params["field"]) == (code, place)
