"""Sample characters, and how their values fit the points of a draft (EGO-CHR-01, EGO-CHR-02)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from rules.core import data_rows
from rules.core.json_reader import Reader
from rules.systems.ego.character.creation import creation_budget
from rules.systems.ego.character.sheet import CHARACTER, sheet_of_draft
from rules.systems.ego.formulas import costs
from rules.table.system import Completion, Game

_SAMPLES: Final = data_rows.from_json(
    tuple[dict[str, Any], ...], data_rows.json_loader("rules.systems.ego", "samples")()
)
#: Fields that cost points.
_PRICED: Final = (*costs.ABILITIES, "skills", "specialties", "advantages")


def samples(game: Game) -> tuple[Mapping[str, Any], ...]:
    """Return the sample characters whose gear is priced in the table's own money."""
    own = [each for each in _SAMPLES if each["money"] == game.setting("currency")]
    return tuple({key: each[key] for key in each if key != "money"} for each in own)


def _object_of(texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what can be read of a draft's texts."""
    found: dict[str, Any] = {}
    for key, field in CHARACTER.by_key.items():
        text = str(texts.get(key) or "")
        if text.strip():
            found[key] = field.parse_text(Reader(), key, text)
    return found


def _least_price(keys: Sequence[str]) -> int:
    """Return the points that the least scores of these abilities cost."""
    return sum(costs.A_POINT * costs.MIN_SCORES.get(each, 0) for each in keys)


def _complete_ability(
    key: str,
    game: Game,
    draft: Mapping[str, Any],
    sample: Mapping[str, str],
    pool: Sequence[str],
) -> str:
    """Return the sample's score, scaled by the points that the draft has left.

    The sample's share for the fields that are still empty is kept for them.
    """
    own = str(draft.get(key) or "")
    if own.strip():
        return own
    empty = [each for each in _PRICED if not str(draft.get(each) or "").strip()]
    typed = sheet_of_draft(game, _object_of(draft))
    left = creation_budget(game, typed).left + _least_price(empty)
    offered = sheet_of_draft(game, _object_of({each: sample.get(each) for each in empty}))
    filled = [each for each in costs.ABILITIES if each not in empty]
    wanted = creation_budget(game, offered).total - _least_price(filled)
    most = costs.maxima(dict(typed.maxima))[key]
    score = int(sample[key]) * max(0, left) // max(1, wanted)
    return str(max(costs.MIN_SCORES[key], min(most, score)))


#: Completions of fields that need more than the sample's value.
COMPLETIONS: Final[Mapping[str, Completion]] = {
    key: partial(_complete_ability, key) for key in costs.ABILITIES
}
