"""What the presenters of one rule system bring: its words, and how its dice are read out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.presenters.card import Tone
from bot.presenters.text import Function, signed
from rules.table.events import CheckView


def _on_total(points: int) -> str:
    return f"{signed(points)} on the other side's total"


@dataclass(frozen=True, slots=True)
class SystemWords:
    """One rule system in words.

    Its codes begin with `prefix` and a dash. `functions` are the parts of its texts that need one.
    `dice` reads the dice of a check out by name, and whatever else stands in the sum. `tones` gives verdicts their
    tone; `refused` are codes of traits that do not count. `brief_odds` are the outcomes worth a place in one line of
    odds. `die_names` name the dice of what is drawn from the system's tables.
    `actions` say of the system's own actions in the journal what was done.
    `modifier` is what a GM's bonus or penalty is on, `modifier_of` the same of one side, 45 characters at most;
    `against` tells of the one for the other side.
    `own_part` is what the table's parts are that only this system has, one of them.
    `difficulty` stands above the menu of difficulties, `number` above the field for one, 45 characters at most.
    `claimed` and `claims` stand before what a proposal holds besides its traits, for everybody and for a GM.
    `needs_idea` tells whether a proposal without words lacks something.
    `timeline_hint` tells those who do nothing on a timeline how they begin something, in Markdown.
    """

    key: str
    prefix: str
    dice: Callable[[CheckView], tuple[str, ...]]
    tones: Mapping[str, Tone]
    refused: frozenset[str]
    brief_odds: frozenset[str]
    die_names: Mapping[str, str]
    functions: Mapping[str, Function] = field(default_factory=dict[str, Function])
    actions: Mapping[str, str] = field(default_factory=dict[str, str])
    own_part: str = ""
    timeline_hint: str = ""
    modifier: str = "Bonus or penalty on the total"
    modifier_of: str = "On the total of {side}"
    against: Callable[[int], str] = _on_total
    difficulty: str = "Difficulty before shifts"
    number: str = "Difficulty: a number or a level"
    claimed: str = "Claimed"
    claims: str = "The player claims"
    needs_idea: bool = True
