"""Trees of traits: which score counts for what the GM names (BAR-TRAIT).

A campaign has a tree of abilities and a tree of attributes. A character has scores in some of the
nodes, by name; names are compared without regard to case.
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
from rules.table.forms import Form, Pick, Rows, Typed, Values, plain_options

Activity = Literal["physical", "mental"]
Via = Literal["own", "ancestor", "descendant", "none"]
#: What one does, by what governs it; of these kinds are Wounds as well.
ACTIVITIES: Final[tuple[Activity, ...]] = ("physical", "mental")

#: The traits of a check by what they are said under, and the trees in which they stand.
TREES: Final = {"skill": "abilities", "attribute": "attributes"}
MOST_NODES: Final = 300
#: Levels of a tree, its roots included.
MAX_DEPTH: Final = 12
#: Longest name of anything on a sheet or in a campaign, and longest other text there, in
#: characters.
LONGEST_NAME: Final = 60
LONGEST_TEXT: Final = 300


class Node(Record):
    """One trait: its parent's name, None for a root; `activity` stands at roots of attributes and
    is inherited.
    """

    name: str
    parent: str | None
    activity: Activity | None = None


#: Traits as they were written down: unique names, known parents, no circles (`check_traits` sees to
#: that).
Tree = tuple[Node, ...]


class TraitTrees(Record):
    """A campaign's two trees, and where they come from."""

    abilities: Tree
    attributes: Tree
    origin: str = ""


class ResolvedTrait(Record):
    """Which trait stands in for the one `wanted`: its name (None: nothing, and the score is 0), and
    by which way.

    Made of nothing it is what counts where no trait is wanted.
    """

    wanted: str = ""
    used: str | None = None
    score: int = 0
    via: Via = "none"

    @property
    def name(self) -> str:
        """Which one counts, or would."""
        return self.used or self.wanted

    def text_params(self) -> dict[str, Any]:
        """What a line says of it."""
        return {"name": self.wanted, "used": self.used, "score": self.score, "via": self.via}


#: Scores by the names of traits, in the order in which they were written down.
Scores = tuple[tuple[str, int], ...]
#: What counts for a trait, and, where the player has to name one of several below it, those.
StandIn = tuple[ResolvedTrait, tuple[str, ...]]

# --- looking things up ----------------------------------------------------------------------------


_MOST_FOUND: Final = 1024


class _Index:
    """The nodes of a tree by name, what is above each, branch by branch, and what was found for
    whoever looked.
    """

    __slots__ = ("above", "by_key", "found")

    def __init__(self, tree: Tree) -> None:
        self.found = lru_cache(_MOST_FOUND)(partial(_find_stand_in, tree))
        self.by_key = {name_key(node.name): node for node in tree}
        places = {node.name: place for place, node in enumerate(tree)}
        branches = sorted(
            map(self._branch, tree), key=lambda branch: [places[name] for name in branch]
        )
        self.above = {name: tuple(reversed(above)) for *above, name in branches}

    def _branch(self, node: Node) -> tuple[str, ...]:
        """The names from the root down to it."""
        return (
            *(self._branch(self.by_key[name_key(node.parent)]) if node.parent else ()),
            node.name,
        )

    def get(self, name: str) -> Node | None:
        return self.by_key.get(name_key(name))


_index: Final = memo_by_identity(_Index)


def _node(tree: Tree, name: str) -> Node:
    found = _index(tree).get(name)
    if found is None:
        near = similar_or_first(name, [node.name for node in tree])
        raise NotFound("not-in-tree", field="trait", value=name[:LONGEST_NAME], nearest=near)
    return found


def find_trait(tree: Tree, text: str, field: str = "trait") -> str:
    """The name of the trait meant: written in any case, or a beginning that fits one only
    (BAR-TRAIT).

    Raises NotFound("not-in-tree" or "ambiguous-choice", field, value, nearest).
    """
    exact = _index(tree).get(text)
    if exact is not None:
        return exact.name
    return unique_match([node.name for node in tree], text, field=field, unknown="not-in-tree")


def ancestors(tree: Tree, name: str) -> tuple[str, ...]:
    """The names above a trait, the nearest first. NotFound("not-in-tree")."""
    return _index(tree).above[_node(tree, name).name]


def activity_of(tree: Tree, name: str) -> Activity | None:
    """What kind of activity an attribute governs: its own, or that of the nearest trait above which
    has one.

    None in trees that do not say, such as those of abilities. NotFound("not-in-tree").
    """
    found: list[Activity | None] = [
        _node(tree, each).activity for each in (name, *ancestors(tree, name))
    ]
    return next(filter(None, found), None)


# --- scores ---------------------------------------------------------------------------------------


def _by_key(scores: Mapping[str, int]) -> dict[str, int]:
    return {name_key(name): score for name, score in scores.items()}


def resolve_trait(
    tree: Tree, scores: Mapping[str, int], wanted: str, descendant: str | None = None
) -> ResolvedTrait:
    """Which score counts for the trait the GM wants (BAR-TRAIT).

    Its own; else that of the nearest ancestor that has one, which needs nobody's leave; else that
    of the `descendant` (one of `usable_descendants`) which the player named and the GM accepted;
    else 0. NotFound("not-in-tree").
    """
    known, node = _by_key(scores), _node(tree, wanted)
    above, named = (
        ancestors(tree, node.name),
        () if descendant is None else (_node(tree, descendant).name,),
    )
    below = tuple(name for name in named if node.name in ancestors(tree, name))
    ways: dict[Via, tuple[str, ...]] = {"own": (node.name,), "ancestor": above, "descendant": below}
    for via, names in ways.items():
        for name in names:
            if (score := known.get(name_key(name))) is not None:
                return ResolvedTrait(node.name, name, score, via)
    return ResolvedTrait(node.name)


def resolve_stand_in(
    tree: Tree, own: Scores, wanted: str, use: Sequence[str] = (), *, justifications: bool = True
) -> StandIn:
    """What counts for the trait that is wanted (BAR-TRAIT); it is kept, since every look at a check
    asks for it.

    With `justifications` a lone descendant stands in by itself, of several the first to `use`.
    Raises as `resolve_trait`.
    """
    return _index(tree).found(own, wanted, tuple(use), justifications)


def _find_stand_in(
    tree: Tree, own: Scores, wanted: str, use: Sequence[str], justifications: bool
) -> StandIn:
    scores = dict(own)
    found = resolve_trait(tree, scores, wanted)
    if found.via != "none" or not justifications:
        return found, ()
    below = usable_descendants(tree, scores, found.wanted)
    alone = below[0] if len(below) == 1 else None
    chosen = next((each for each in use if each in below), alone)
    return (found, below) if chosen is None else (resolve_trait(tree, scores, wanted, chosen), ())


def usable_descendants(tree: Tree, scores: Mapping[str, int], wanted: str) -> tuple[str, ...]:
    """The traits below the wanted one that have a score, branch by branch: what a player may
    justify (BAR-TRAIT).

    NotFound("not-in-tree").
    """
    known, node = _by_key(scores), _node(tree, wanted)
    below = [name for name, above in _index(tree).above.items() if node.name in above]
    return tuple([name for name in below if name_key(name) in known])


def supporting_abilities(
    tree: Tree, scores: Mapping[str, int], wanted: str | None, used: str | None = None
) -> tuple[str, ...]:
    """The abilities with points that may support (BAR-TRAIT): all where none is wanted.

    That is not the wanted one, none of its ancestors, and not the descendant `used` in its place.
    """
    if not wanted:
        return tuple([name for name, score in scores.items() if score > 0])
    known, node = _by_key(scores), _node(tree, wanted)
    out = {used, node.name, *ancestors(tree, node.name)}
    able = [each.name for each in tree if known.get(name_key(each.name), 0) > 0]
    return tuple([name for name in able if name not in out])


def outline(tree: Tree, scores: Mapping[str, int]) -> tuple[tuple[int, str, int | None], ...]:
    """The branches that hold scores, as lines of depth (0 for roots), name and score.

    What has a score and no place in the tree comes last, at depth 0.
    """
    index, known = _index(tree), _by_key(scores)
    scored = {name: known.get(name_key(name)) for name in index.above}
    shown = {
        each
        for name, score in scored.items()
        if score is not None
        for each in (name, *index.above[name])
    }
    found = [
        (len(index.above[name]), name, score) for name, score in scored.items() if name in shown
    ]
    found += [(0, name, score) for name, score in scores.items() if index.get(name) is None]
    return tuple(found)


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
    """The node of a row; one that names no parent is a root."""
    return ATTRIBUTE_FORM.make_record(Node, {"parent": None, **row})


TREE_FORM: Final = Form.of(
    Typed("origin", most=LONGEST_TEXT, long=True, blank=True),
    *[
        Rows(of, form, most=MOST_NODES, needed=True, into=node_of, back=form.changed_values)
        for of, form in zip(TREES.values(), (ABILITY_FORM, ATTRIBUTE_FORM), strict=True)
    ],
)
#: Rows by the keys of their names, each with its place.
_Rows = dict[str, tuple[str, Values]]


def check_traits(reader: Reader, values: Values, place: str) -> None:
    """Note what is wrong with a campaign's trees besides their rows.

    "duplicate-field", "unknown-parent", "trait-circle", "tree-too-deep"; "missing-attribute" for
    what a rule names, and "missing-field" for a root of the attributes that does not say which
    activity it governs.
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
    """The nodes of a tree; names that come twice and how the nodes hang together are noted."""
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
    """Parents that are not there, circles, and branches that go too deep."""
    names: dict[str, str] = {key: row["name"] for key, (_, row) in nodes.items()}
    parents = {
        key: above and name_key(above)
        for key, (_, row) in nodes.items()
        for above in [row.get("parent")]
    }
    in_circle: set[str] = set()

    def note(place: str, value: str | None, what: str, **about: Param) -> None:
        reader.add_problem("bad-tree", place, value, "mend-tree", what=what, **about)

    for key, (path, row) in nodes.items():
        above, way = parents[key], [key]  # from here upwards
        if above is not None and above not in nodes:
            near = reader.suggestions_for(row["parent"], names.values())
            note(f"{path}.parent", row["parent"], "unknown-parent", nearest=near)
        while above in nodes and above not in way:
            way.append(above)
            above = parents[above]
        if above == key and key not in in_circle:
            in_circle.update(way)
            circle = tuple([names[each] for each in way[:10]])
            note(f"{path}.parent", row["parent"], "trait-circle", names=circle)
        elif above not in way and len(way) == MAX_DEPTH + 1:
            note(path, row["name"], "tree-too-deep", highest=MAX_DEPTH)


#: What a campaign begins with.
DEFAULT_TRAITS: Final = TREE_FORM.make_record(TraitTrees, TREE_FORM.read_json(TREE_DATA))
