"""Which rules an imported character has to follow."""

from __future__ import annotations

import pytest

from rules.core.errors import Problems
from rules.table.actions import ImportCharacter
from tests.sample_table import ANN, GM, Session, by, ebb_character


def _raised(name: str) -> dict[str, object]:
    """A character with one more ability at d8 than the rules of creation allow."""
    data = ebb_character(name)
    data["abilities"][1]["die"] = "d8"
    return data


@pytest.mark.rule("EBB-CHAR")
async def test_a_newcomer_follows_the_rules_of_creation(session: Session) -> None:
    data = _raised("Newcomer") | {"fate": -1}
    with pytest.raises(Problems) as caught:
        await session.do(ImportCharacter(**by(ANN), data=data))
    codes = {problem.code for problem in caught.value.problems}
    assert "uneven-dice" in codes and len(codes) >= 2  # with everything else, at once
    await session.do(ImportCharacter(**by(ANN), data=_raised("Newcomer"), grown=True))
    await session.do(ImportCharacter(**by(ANN), data=_raised("newcomer"), overwrite=True))
    await session.do(ImportCharacter(**by(GM), data=_raised("Somebody"), npc=True))
    assert len((await session.state()).characters) == 4
