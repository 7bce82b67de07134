"""Ready characters, and the traits of the campaign's trees to pick from (BAR-TRAIT)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from rules.core.data_rows import json_loader
from rules.core.name_matching import name_key
from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN, Campaign
from rules.systems.barmore.reference_rows import NAMED_ATTRIBUTES
from rules.systems.barmore.trait_trees import Tree, ancestors, outline
from rules.table.blocks import Text
from rules.table.forms.entry_fields import read_score, split_scores
from rules.table.forms.fields import FormContext, Option, list_lines

#: Scores of a sample character in the first abilities of a campaign's own tree.
_SAMPLE_ABILITIES: Final = (4, 3, 2, 2, 1)

_ROSTER: Final = json_loader("rules.systems.barmore", "roster")


def roster(campaign: Campaign) -> tuple[dict[str, object], ...]:
    """Return the ready characters, made for the trees that ship.

    A campaign with trees of its own has none.
    """
    if campaign.traits != DEFAULT_CAMPAIGN.traits:
        return ()
    return tuple(cast("list[dict[str, object]]", _ROSTER()))


def samples(campaign: Campaign) -> tuple[Mapping[str, Any], ...]:
    """Return the ready characters, with scores in the campaign's own trees."""
    ready = tuple(cast("list[dict[str, Any]]", _ROSTER()))
    if campaign.traits == DEFAULT_CAMPAIGN.traits:
        return ready
    names = [name for _, name, _ in _branches(campaign.traits.abilities)]
    scores = {
        "attributes": dict.fromkeys(NAMED_ATTRIBUTES, 1),
        "abilities": dict(zip(names, _SAMPLE_ABILITIES, strict=False)),
    }
    return tuple({**character, **scores} for character in ready)


def _branches(tree: Tree) -> tuple[tuple[int, str, int | None], ...]:
    """Return the traits of a tree, branch by branch."""
    return outline(tree, dict.fromkeys((node.name for node in tree), 0))


def _drafted_scores(text: object) -> dict[str, tuple[str, int]]:
    """Return the scores of a draft, with the names as typed; unreadable entries are left out."""
    scores: dict[str, tuple[str, int]] = {}
    for line in list_lines(str(text or "")):
        for entry in split_scores(line):
            if (score := read_score(entry)) is not None:
                scores[name_key(score[0])] = score
    return scores


def trait_choices(of: str, lowest: int, highest: int, asking: FormContext) -> Iterable[Option]:
    """Yield each drafted trait a point lower, then each trait of the tree a point higher."""
    tree: Tree = getattr(asking.campaign.traits, of)
    drafted = _drafted_scores(asking.values.get(of))
    for name, score in drafted.values():
        if score > lowest:
            about = {"name": name, "before": score, "score": score - 1}
            yield Option(f"{name} {score - 1}", Text("bar-pick-trait", about))
    for _, name, _ in _branches(tree):
        _, score = drafted.get(name_key(name), (name, 0))
        if score < highest:
            above = ancestors(tree, name)
            about = {"name": name, "score": score + 1, "root": above[-1] if above else None}
            yield Option(f"{name} {score + 1}", Text("bar-pick-trait", about))


def with_picked_trait(text: str, chosen: str) -> str:
    """Return a draft with the chosen score in place of the trait's entry, or at the end."""
    picked = read_score(chosen)
    lines: list[str] = []
    placed = False
    for line in list_lines(text):
        for entry in split_scores(line):
            score = read_score(entry)
            same = score and picked and name_key(score[0]) == name_key(picked[0])
            lines.append(chosen if same else entry)
            placed = placed or bool(same)
    return "\n".join(lines if placed else (*lines, chosen))
