"""The kinds of cards as rows, and what stands on each card: where it may lie, when it may be
played, what it does.

MB-CARD-02, MB-CARD-D01 to MB-CARD-D03, MB-CARD-E01 to MB-CARD-P05.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Literal, TypeVar, cast

from rules.core.data_rows import from_json, json_loader
from rules.core.record import Record
from rules.systems.masterbook.settings import SETTINGS

T = TypeVar("T")

Type = Literal["enhancement", "subplot", "picture", "blank"]
Drawn = Literal["to_hand", "face_up", "gamemaster"]
Held = Literal["pool", "hand_or_pool"]
Target = Literal["self", "other_character", "any_character"]
Due = Literal["end_of_act", "end_of_adventure", "end_of_adventure_if_unused", "gamemaster"]
#: When a card may be played (MB-CARD-13).
Window = Literal[
    "pre_roll",
    "roll_pending",
    "effect_pending",
    "after_resolution",
    "any_between_actions",
    "initiative_revealed",
    "before_next_flip",
    "life_point_windows",
]
#: What playing a card does; a card without one lies before its owner, or only the GM reads it.
Op = Literal[
    "",
    "modify_total",
    "modify_all_totals",
    "modify_effect_value",
    "life_point",
    "extra_action",
    "retry_action",
    "cancel_action",
    "give_and_draw",
    "all_draw",
    "take_discard_top",
    "initiative_control",
    "gm_hint",
    "gm_text",
    "any_card",
    "campaign",
]
#: How the table reads a rule of its settings.
Setting = Callable[[str], Any]
default_setting: Final[Setting] = SETTINGS.defaults.get


class Award(Record):
    """Life Points that a subplot pays, and how many for one that came late or was hardly played."""

    when: Due
    life_points: int
    reduced: int | None = None


class CardKind(Record):
    """One kind of card.

    `scope` are the attributes whose numbers `amount` may go on; `late` those numbers for which
    `effect_pending` is open where it is not for all. With `replacement_draw` another card is drawn
    for it, and `on_draw` is where it goes then. What `betrays` has to work against another player's
    character. `count` are actions or cards, `skill_points` what it is worth when turned in,
    `also_effect_value` what goes on an effect value besides. What is `rolled` goes on totals alone;
    `treat_as_trained` rolls as of somebody trained. A subplot that is not `lasting` is never made
    permanent. `summary` says in words what it does. A deck's file calls these things as it is done
    here.
    """

    key: str
    name: str
    type: Type
    copies: int = 0
    op: Op = ""
    amount: int = 0
    scope: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    late: tuple[str, ...] = ()
    in_rounds_from: Held = "pool"
    outside_rounds: bool = True
    counts_in_hand: bool = False
    replacement_draw: bool = False
    on_draw: Drawn = "to_hand"
    count: int = 0
    target: Target = "self"
    also_effect_value: int = 0
    rolled: bool = False
    treat_as_trained: bool = False
    betrays: bool = False
    skill_points: int = 0
    lasting: bool = True
    award: Award | None = None
    summary: str = ""


class Mode(Record):
    """How far a table plays with the deck (MB-CARD-N02)."""

    key: str
    lines: bool = False
    awards: bool = False
    hands: bool = False


_LISTS: Final = cast("Mapping[str, object]", json_loader("rules.systems.masterbook", "cards")())


def read_list(name: str, kind: type[T]) -> tuple[T, ...]:
    """A list of `data/cards.json`, as rows of one kind."""
    return from_json(tuple[kind, ...], _LISTS[name], name)


KINDS: Final[Mapping[str, CardKind]] = {each.key: each for each in read_list("kinds", CardKind)}
MODES: Final[Mapping[str, Mode]] = {each.key: each for each in read_list("modes", Mode)}


class _Limit(Record, rename={"from_": "from"}):
    """From so many characters on each is dealt so many cards."""

    from_: int
    cards: int


_LIMITS: Final = read_list("limits", _Limit)


def card_limit(characters: int) -> int:
    """How many cards each of so many characters is dealt (MB-CARD-04)."""
    return next(each.cards for each in reversed(_LIMITS) if characters >= each.from_)


def counts(kind: CardKind, setting: Setting = default_setting) -> bool:
    """Whether a card of a hand counts against the limit (MB-CARD-06)."""
    return kind.counts_in_hand and (
        kind.key != "opportunity" or setting("opportunity_counts_in_hand")
    )


# --- what stands on a card ------------------------------------------------------------------------

#: Effects of an initiative line; empty: none. `skill` names one of `SKILLS`.
LineEffect = Literal[
    "",
    "fatigued",
    "flurry",
    "inspiration",
    "setback",
    "stymied",
    "up",
    "breaks",
    "skill",
    "confused",
]
Side = Literal["P", "G"]
Box = Literal["letters", "complication", "possible_setback", "critical_problem"]
LETTERS: Final = ("A", "B", "C", "D")


class InitiativeLine(Record):
    """One initiative line: who acts first, what befalls each side, which skill takes cards away
    (MB-CARD-02).
    """

    first: Side = "P"
    players: LineEffect = ""
    gms: LineEffect = ""
    skill: str = ""

    def effect_on(self, side: Side) -> LineEffect:
        """What befalls a side."""
        return self.players if side == "P" else self.gms

    @property
    def sides(self) -> tuple[Side, Side]:
        """The sides in the order in which they act (MB-CARD-I02)."""
        return ("P", "G") if self.first == "P" else ("G", "P")


class Face(Record):
    """One card: its number is its id, its kind the key of a `CardKind`; what is None the card does
    not show.
    """

    id: str
    kind: str
    standard: InitiativeLine | None = None
    dramatic: InitiativeLine | None = None
    box: Box | None = None
    letters: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    text: str = ""
    in_play: bool = True

    def line(self, scene: str) -> InitiativeLine:
        """Its line in such a scene (MB-CARD-I04); one without does nothing."""
        return (self.dramatic if scene == "dramatic" else self.standard) or InitiativeLine()


@cache
def default_faces() -> Mapping[str, Face]:
    """The project's own deck, made by a fixed rule from what is known of the cards (MB-CARD-D01 to
    MB-CARD-D03).
    """
    return {each.id: each for each in read_list("faces", Face)}
