"""Kinds of cards as rows, and what each card says (MB-CARD-02, MB-CARD-D01 to MB-CARD-D03).

A row says where its cards may lie, when they may be played and what they do (MB-CARD-E01 to
MB-CARD-P05).
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
#: What playing a card does. A card without an operation lies before its owner, or is for the GM.
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
#: Returns the value of a table's setting, by its key.
Setting = Callable[[str], Any]
default_setting: Final[Setting] = SETTINGS.defaults.get


class Award(Record):
    """Life Points that a subplot pays."""

    when: Due
    life_points: int
    #: Life Points if the subplot came late or was hardly played.
    reduced: int | None = None


class CardKind(Record):
    """One kind of card. A deck file has the same names for these fields."""

    key: str
    name: str
    type: Type
    copies: int = 0
    op: Op = ""
    #: What the card adds to a number.
    amount: int = 0
    #: Attributes, or other words, for the numbers that `amount` may go on.
    scope: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    #: Numbers for which the window `effect_pending` is open; empty for all.
    late: tuple[str, ...] = ()
    in_rounds_from: Held = "pool"
    outside_rounds: bool = True
    counts_in_hand: bool = False
    #: Whether another card is drawn for it.
    replacement_draw: bool = False
    #: Where the card goes when it is drawn.
    on_draw: Drawn = "to_hand"
    #: Actions or cards that it gives.
    count: int = 0
    target: Target = "self"
    #: What it adds to an effect value besides.
    also_effect_value: int = 0
    #: Whether it goes on totals of rolls alone.
    rolled: bool = False
    #: Whether 10s roll again as if the character were trained.
    treat_as_trained: bool = False
    #: Whether it has to work against another player's character.
    betrays: bool = False
    #: Skill points for turning it in.
    skill_points: int = 0
    #: Whether the subplot may be made permanent.
    lasting: bool = True
    award: Award | None = None
    #: What it does, in words.
    summary: str = ""


class Mode(Record):
    """Parts of the card rules that a table plays with (MB-CARD-N02)."""

    key: str
    lines: bool = False
    awards: bool = False
    hands: bool = False


_LISTS: Final = cast("Mapping[str, object]", json_loader("rules.systems.masterbook", "cards")())


def read_list(name: str, kind: type[T]) -> tuple[T, ...]:
    """Return a list of `data/cards.json` as rows of one kind."""
    return from_json(tuple[kind, ...], _LISTS[name], name)


KINDS: Final[Mapping[str, CardKind]] = {kind.key: kind for kind in read_list("kinds", CardKind)}
MODES: Final[Mapping[str, Mode]] = {mode.key: mode for mode in read_list("modes", Mode)}


class _Limit(Record, rename={"from_": "from"}):
    """Cards dealt to each character from a number of characters on."""

    from_: int
    cards: int


_LIMITS: Final = read_list("limits", _Limit)


def card_limit(characters: int) -> int:
    """Return how many cards each of *characters* characters is dealt (MB-CARD-04)."""
    return next(limit.cards for limit in reversed(_LIMITS) if characters >= limit.from_)


def counts_against_limit(kind: CardKind, setting: Setting = default_setting) -> bool:
    """Return whether a card of a hand counts against the limit (MB-CARD-06)."""
    if not kind.counts_in_hand:
        return False
    return kind.key != "opportunity" or setting("opportunity_counts_in_hand")


# --- what stands on a card ------------------------------------------------------------------------

#: Effects of an initiative line; empty for none. `skill` is the effect that takes cards away.
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
    """One initiative line (MB-CARD-02)."""

    #: The side that acts first: players or GM.
    first: Side = "P"
    #: Effect on the players' side.
    players: LineEffect = ""
    #: Effect on the GM's side.
    gms: LineEffect = ""
    #: The skill with which the GM's side takes cards away.
    skill: str = ""

    def effect_on(self, side: Side) -> LineEffect:
        """Return the effect on a side."""
        return self.players if side == "P" else self.gms

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both sides in the order in which they act (MB-CARD-I02)."""
        return ("P", "G") if self.first == "P" else ("G", "P")


class Face(Record):
    """One card. A field that is None is not on the card."""

    #: Number of the card.
    id: str
    #: Key of its `CardKind`.
    kind: str
    standard: InitiativeLine | None = None
    dramatic: InitiativeLine | None = None
    #: What its critical box shows.
    box: Box | None = None
    #: Letters of its critical box.
    letters: tuple[str, ...] = ()
    #: Actions that earn a card.
    approved: tuple[str, ...] = ()
    text: str = ""
    in_play: bool = True

    def line(self, scene: str) -> InitiativeLine:
        """Return the line for a scene (MB-CARD-I04); without one, a line that does nothing."""
        return (self.dramatic if scene == "dramatic" else self.standard) or InitiativeLine()


@cache
def default_faces() -> Mapping[str, Face]:
    """Return the cards of the project's own deck by id (MB-CARD-D01 to MB-CARD-D03).

    A fixed rule made them from what is known of the cards.
    """
    return {face.id: face for face in read_list("faces", Face)}
