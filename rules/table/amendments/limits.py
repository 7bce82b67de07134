"""Entries that can be amended, and who may amend them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.errors import Impossible, NotPermitted
from rules.table.actions import Action, Amend
from rules.table.amendments.entry_forms import is_changeable_kind, is_known_to_gms, is_secret_choice
from rules.table.events import Event
from rules.table.forms.typed_texts import one_line
from rules.table.gms.deputy_rights import with_deputy_limits
from rules.table.gms.gm_tools import REASON_MAX
from rules.table.permissions import is_gm, require_gm
from rules.table.state import TableState
from rules.table.system import Game

#: Most later entries that are carried out anew. With more, the amendment is refused.
MAX_REDONE: Final = 500
#: Most later entries that can't stand. With more, the amendment is refused.
MAX_CONFLICTS: Final = 40

#: Kinds of entries that can't be amended.
_FINAL: Final = frozenset(
    (
        *("CreateTable", "ImportTable", "Undo", "Amend", "ForgetPerson", "RotateSeed"),
        *("BeginAnew", "ChangePlaces", "ChangeGms", "NameDeputy", "TakeOver", "NoteDeparture"),
        *("StepIn", "AskToStepIn", "RefuseStepIn"),
    )
)
#: Beginnings of the keys of parts in which cards lie.
_CARD_PARTS: Final = ("deck:", "cards:", "deal")


def require_amendable(
    game: Game, number: int, action: Action, events: Iterable[Event], *, undo: bool
) -> None:
    """Require that an entry may be amended. *game* is the table before it.

    Raises:
        Impossible("amend-final"): entries of this kind can't be amended.
        Impossible("amend-no-values"): it has no values that can be changed.
        NotPermitted("amend-secret-choice"): a player chose in secret, so it can only be undone.
    """
    if not is_amendable_kind(type(action).__name__):
        raise Impossible("amend-final", entry=number)
    if undo:
        return
    if not is_changeable_kind(game, action):
        raise Impossible("amend-no-values", entry=number)
    is_known = is_gm(game.state, action.who) or is_known_to_gms(events)
    if is_secret_choice(game, action) or not is_known:
        raise NotPermitted("amend-secret-choice", entry=number)


def is_amendable_kind(kind: str) -> bool:
    """Return whether entries of a kind of action can be amended."""
    return kind not in _FINAL


def require_amender(state: TableState, action: Amend) -> None:
    """Raise NotPermitted("amend-gm-only") unless the actor is a GM.

    Deputies amend nothing: NotPermitted("deputy-may-not").
    """
    who = with_deputy_limits(state, action).who
    if not (is_gm(state, who) or who.as_player):
        raise NotPermitted("amend-gm-only")
    require_gm(state, who)


def amendment_reason(text: str) -> str:
    """Return the reason that a GM has typed, on one line.

    Raises InvalidInput("too-long"), ("unprintable-text").
    """
    return one_line("reason", text, REASON_MAX)


def require_unseen_cards(keys: Iterable[str], number: int) -> None:
    """Raise Impossible("amend-cards") if cards would lie otherwise, which players may have seen.

    *keys* are those of the parts that differ.
    """
    if any(key.startswith(_CARD_PARTS) for key in keys):
        raise Impossible("amend-cards", entry=number)
