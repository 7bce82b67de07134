"""Trees of traits, and the score that counts for the trait that a GM names (BAR-TRAIT).

A campaign has a tree of abilities and a tree of attributes. A character has scores in some of the
nodes, by name. Names are compared without case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final, Literal

from rules.core.errors import NotFound, Param
from rules.core.json_reader import Reader
from rules.core.memo import memo_by_identity
from rules.core.name_matching import name_key, similar_or_first, unique_match
from rules.core.record import Record
from rules.systems.barmore.reference_rows import NAMED_ATTRIBUTES, TREE_DATA
from rules.table.check import Values
from rules.table.forms.entry_fields import Rows
from rules.table.forms.fields import Pick, Typed, plain_options
from rules.table.forms.form import Form

Activity = Literal["physical", "mental"]
Via = Literal["own", "ancestor", "descendant", "none"]
#: Kinds of activity by what governs them. Wounds have the same kinds.
ACTIVITIES: Final[tuple[Activity, ...]] = ("physical", "mental")

#: Options that name the traits of a check, and the trees of these.
TREES: Final = {"skill": "abilities", "attribute": "attributes"}
MOST_NODES: Final = 300
#: Levels of a tree, its roots included.
MAX_DEPTH: Final = 12
#: Longest name of anything on a sheet or in a campaign, and longest other text there, in
#: characters.
LONGEST_NAME: Final = 60
LONGEST_TEXT: Final = 300


class Node(Record):
    """One trait of a tree."""

    name: str
    #: Name of the parent; None for a root.
    parent: str | None
    #: Kind of activity that an attribute governs. It stands at roots and is inherited.
    activity: Activity | None = None


#: Traits in the order of the file: unique names, known parents, no circles. `check_traits` makes
#: sure of that.
Tree = tuple[Node, ...]


class TraitTrees(Record):
    """A campaign's two trees, and their origin."""

    abilities: Tree
    attributes: Tree
    origin: str = ""


class ResolvedTrait(Record):
    """The trait that counts for a wanted one. The default is that of a check without a trait."""

    #: Trait that is wanted.
    wanted: str = ""
    #: Trait that counts; None if none does, and the score is 0.
    used: str | None = None
    score: int = 0
    #: Relation of the trait that counts to the wanted one.
    via: Via = "none"

    @property
    def name(self) -> str:
        """Name of the trait that counts; without one, of the wanted trait."""
        return self.used or self.wanted

    def text_params(self) -> dict[str, Any]:
        """Return the parameters of a text about it."""
        return {"name": self.wanted, "used": self.used, "score": self.score, "via": self.via}


#: Scores by the names of traits, in the order of the file.
Scores = tuple[tuple[str, int], ...]
#: The trait that counts, and the descendants of which the player has to name one.
StandIn = tuple[ResolvedTrait, tuple[str, ...]]

# --- looking things up ----------------------------------------------------------------------------


_MOST_FOUND: Final = 1024


class _Index:
    """Index of a tree: its nodes by name, and the ancestors of each, branch by branch.

    `find_stand_in` keeps the results of earlier searches.
    """

    __slots__ = ("above", "by_key", "find_stand_in")

    def __init__(self, tree: Tree) -> None:
        self.find_stand_in = lru_cache(_MOST_FOUND)(partial(_find_stand_in, tree))
        self.by_key = {name_key(node.name): node for node in tree}
        places = {node.name: place for place, node in enumerate(tree)}
        branches = sorted(
            map(self._branch, tree), key=lambda branch: [places[name] for name in branch]
        )
        self.above = {name: tuple(reversed(above)) for *above, name in branches}

    def _branch(self, node: Node) -> tuple[str, ...]:
        """Return the names from the root down to a node."""
        if not node.parent:
            return (node.name,)
        return (*self._branch(self.by_key[name_key(node.parent)]), node.name)

    def get(self, name: str) -> Node | None:
        """Return the node of that name; None if there is none."""
        return self.by_key.get(name_key(name))


_index: Final = memo_by_identity(_Index)


def _node(tree: Tree, name: str) -> Node:
    """Return the node of that name; raises NotFound("not-in-tree")."""
    node = _index(tree).get(name)
    if node is None:
        near = similar_or_first(name, [node.name for node in tree])
        raise NotFound("not-in-tree", field="trait", value=name[:LONGEST_NAME], nearest=near)
    return node


def find_trait(tree: Tree, text: str, field: str = "trait") -> str:
    """Return the name of the trait that a text means, in any case (BAR-TRAIT).

    The text may be the beginning of a single name. Raises NotFound("not-in-tree") or
    NotFound("ambiguous-choice").
    """
    exact = _index(tree).get(text)
    if exact is not None:
        return exact.name
    return unique_match([node.name for node in tree], text, field=field, unknown="not-in-tree")


def ancestors(tree: Tree, name: str) -> tuple[str, ...]:
    """Return the names above a trait, the nearest first; raises NotFound("not-in-tree")."""
    return _index(tree).above[_node(tree, name).name]


def activity_of(tree: Tree, name: str) -> Activity | None:
    """Return the kind of activity that an attribute governs.

    It is its own, or that of the nearest ancestor that has one. Returns None in trees without
    activities, such as those of abilities. Raises NotFound("not-in-tree").
    """
    activities: list[Activity | None] = [
        _node(tree, trait).activity for trait in (name, *ancestors(tree, name))
    ]
    return next(filter(None, activities), None)


# --- scores ---------------------------------------------------------------------------------------


def _scores_by_key(scores: Mapping[str, int]) -> dict[str, int]:
    """Return scores by the compared form of their names."""
    return {name_key(name): score for name, score in scores.items()}


def resolve_trait(
    tree: Tree, scores: Mapping[str, int], wanted: str, descendant: str | None = None
) -> ResolvedTrait:
    """Return the trait that counts for the one that the GM wants (BAR-TRAIT).

    The first of these that has a score counts:

    - the wanted trait itself;
    - its nearest ancestor, without the GM's consent;
    - the *descendant* (one of `usable_descendants`) that the player named and the GM accepted.

    If none has one, the score is 0. Raises NotFound("not-in-tree").
    """
    known, node = _scores_by_key(scores), _node(tree, wanted)
    above = ancestors(tree, node.name)
    named = () if descendant is None else (_node(tree, descendant).name,)
    below = tuple(name for name in named if node.name in ancestors(tree, name))
    ways: dict[Via, tuple[str, ...]] = {"own": (node.name,), "ancestor": above, "descendant": below}
    for via, names in ways.items():
        for name in names:
            score = known.get(name_key(name))
            if score is not None:
                return ResolvedTrait(node.name, name, score, via)
    return ResolvedTrait(node.name)


def resolve_stand_in(
    tree: Tree, own: Scores, wanted: str, use: Sequence[str] = (), *, justifications: bool = True
) -> StandIn:
    """Return what counts for the wanted trait (BAR-TRAIT).

    With *justifications* a single descendant stands in by itself; of several it is the first in
    *use*. Raises as `resolve_trait`. Results are kept, since each view of a check asks for them.
    """
    return _index(tree).find_stand_in(own, wanted, tuple(use), justifications)


def _find_stand_in(
    tree: Tree, own: Scores, wanted: str, use: Sequence[str], justifications: bool
) -> StandIn:
    """Return what counts for the wanted trait, as `resolve_stand_in`."""
    scores = dict(own)
    resolved = resolve_trait(tree, scores, wanted)
    if resolved.via != "none" or not justifications:
        return resolved, ()
    below = usable_descendants(tree, scores, resolved.wanted)
    single = below[0] if len(below) == 1 else None
    chosen = next((name for name in use if name in below), single)
    if chosen is None:
        return resolved, below
    return resolve_trait(tree, scores, wanted, chosen), ()


def usable_descendants(tree: Tree, scores: Mapping[str, int], wanted: str) -> tuple[str, ...]:
    """Return the traits with a score below the wanted one, branch by branch (BAR-TRAIT).

    A player may justify each of them. Raises NotFound("not-in-tree").
    """
    known, node = _scores_by_key(scores), _node(tree, wanted)
    below = [name for name, above in _index(tree).above.items() if node.name in above]
    return tuple([name for name in below if name_key(name) in known])


def supporting_abilities(
    tree: Tree, scores: Mapping[str, int], wanted: str | None, used: str | None = None
) -> tuple[str, ...]:
    """Return the abilities with points that may support the wanted one (BAR-TRAIT).

    The wanted ability, its ancestors and the descendant *used* in its place may not. Without a
    wanted ability all may.
    """
    if not wanted:
        return tuple([name for name, score in scores.items() if score > 0])
    known, node = _scores_by_key(scores), _node(tree, wanted)
    excluded = {used, node.name, *ancestors(tree, node.name)}
    able = [trait.name for trait in tree if known.get(name_key(trait.name), 0) > 0]
    return tuple([name for name in able if name not in excluded])


def outline(tree: Tree, scores: Mapping[str, int]) -> tuple[tuple[int, str, int | None], ...]:
    """Return the branches that hold scores, as lines of depth (0 for roots), name and score.

    Traits with a score and no place in the tree come last, at depth 0.
    """
    index, known = _index(tree), _scores_by_key(scores)
    scored = {name: known.get(name_key(name)) for name in index.above}
    shown: set[str] = set()
    for name, score in scored.items():
        if score is not None:
            shown.update((name, *index.above[name]))
    lines = [
        (len(index.above[name]), name, score) for name, score in scored.items() if name in shown
    ]
    lines += [(0, name, score) for name, score in scores.items() if index.get(name) is None]
    return tuple(lines)


# --- reading and writing --------------------------------------------------------------------------


ABILITY_FORM: Final = Form.of(
    Typed("name", most=LONGEST_NAME, needed=True, read=str.strip),
    Typed("parent", most=LONGEST_NAME, null=True, read=str.strip),
)
ATTRIBUTE_FORM: Final = Form(
    (
        *ABILITY_FORM.fields,
        Pick("activity", choices=plain_options(ACTIVITIES), unknown="wrong-type", null=True),
    )
)


def node_of(row: Values) -> Node:
    """Return the node of a row; a row without a parent is a root."""
    return ATTRIBUTE_FORM.make_record(Node, {"parent": None, **row})


TREE_FORM: Final = Form.of(
    Typed("origin", most=LONGEST_TEXT, long=True, blank=True),
    *[
        Rows(of, form, most=MOST_NODES, needed=True, into=node_of, back=form.changed_values)
        for of, form in zip(TREES.values(), (ABILITY_FORM, ATTRIBUTE_FORM), strict=True)
    ],
)
#: Rows by the compared form of their names, each with its path.
_Rows = dict[str, tuple[str, Values]]


def check_traits(reader: Reader, values: Values, place: str) -> None:
    """Note what is wrong with a campaign's trees besides their rows.

    Notes "duplicate-field", "unknown-parent", "trait-circle" and "tree-too-deep". An attribute
    that a rule names and the tree lacks is a "missing-attribute". A root of the attributes without
    an activity is a "missing-field".
    """
    trees = {
        of: check_nodes(reader, f"{place}.{of}", values[of])
        for of in TREES.values()
        if of in values
    }
    field, nodes = f"{place}.attributes", trees.get("attributes")
    if nodes is None:
        return
    for name in NAMED_ATTRIBUTES:
        if name_key(name) not in nodes:
            reader.add_problem(
                "bad-tree", field, name, "mend-tree", what="missing-attribute", need=name
            )
    for path, row in nodes.values():
        if row.get("parent") is None and row.get("activity") is None:
            reader.add_problem(
                "missing-field", f"{path}.activity", None, "choose-allowed", allowed=ACTIVITIES
            )


def check_nodes(reader: Reader, field: str, rows: Sequence[Values]) -> _Rows:
    """Return the nodes of a tree; note repeated names, and parents that do not fit."""
    if not rows:
        reader.add_problem("missing-field", f"{field}[0]", None, "add-field")
    nodes: _Rows = {}
    reader.note_repeated_names(field, rows)
    for number, row in enumerate(rows):
        if name := row.get("name", ""):
            nodes.setdefault(name_key(name), (f"{field}[{number}]", row))
    _check_parents(reader, nodes)
    return nodes


def _check_parents(reader: Reader, nodes: _Rows) -> None:
    """Note parents that do not exist, circles, and branches that are too deep."""
    names: dict[str, str] = {key: row["name"] for key, (_, row) in nodes.items()}
    parents: dict[str, str | None] = {}
    for key, (_, row) in nodes.items():
        parent: str | None = row.get("parent")
        parents[key] = parent and name_key(parent)
    in_circle: set[str] = set()

    def note(place: str, value: str | None, what: str, **about: Param) -> None:
        reader.add_problem("bad-tree", place, value, "mend-tree", what=what, **about)

    for key, (path, row) in nodes.items():
        above, way = parents[key], [key]  # the way from this node upward
        if above is not None and above not in nodes:
            near = reader.suggestions_for(row["parent"], names.values())
            note(f"{path}.parent", row["parent"], "unknown-parent", nearest=near)
        while above in nodes and above not in way:
            way.append(above)
            above = parents[above]
        if above == key and key not in in_circle:
            in_circle.update(way)
            circle = tuple([names[node] for node in way[:10]])
            note(f"{path}.parent", row["parent"], "trait-circle", names=circle)
        elif above not in way and len(way) == MAX_DEPTH + 1:
            note(path, row["name"], "tree-too-deep", highest=MAX_DEPTH)


#: Trees that a campaign begins with.
DEFAULT_TRAITS: Final = TREE_FORM.make_record(TraitTrees, TREE_FORM.read_json(TREE_DATA))
