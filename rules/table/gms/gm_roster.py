"""GMs of a table: adding and removing them, and taking over a table without GMs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.table import actions
from rules.table.events import Notice
from rules.table.forms.typed_texts import is_id
from rules.table.gm_office import TakeoverClaim, office_of, with_office
from rules.table.gms.gm_acts import CLAIM_TIME, gone_at
from rules.table.outcome import Outcome
from rules.table.state import Settings, TableState
from rules.table.system import Game

#: Most GMs, and most GM roles, of a table.
GMS_MAX = 20
#: Code of each change of a table's GMs, by the field of the action.
_GM_CHANGES: Final[Mapping[str, str]] = {
    "add": "added",
    "remove": "removed",
    "add_role": "role_added",
    "remove_role": "role_removed",
}


def change_gms(state: TableState, action: actions.ChangeGms, game: Game) -> Outcome:
    """Add or remove one GM or one role of GMs.

    Raises InvalidInput("one-change", "wrong-type"), NotFound("not-a-gm", "not-a-gm-role"),
    Impossible("already-gm", "already-gm-role", "last-gm", "too-many-gms").
    """
    changes: list[tuple[str, str]] = []
    for key in _GM_CHANGES:
        subject = getattr(action, key)
        if subject is not None:
            changes.append((key, subject))
    if len(changes) != 1:
        raise InvalidInput("one-change", field="members", value=len(changes))
    key, subject = changes[0]
    settings = state.settings
    if key.endswith("role"):
        changed = settings.replace(gm_roles=_changed_roles(settings.gm_roles, key, subject))
    else:
        changed = settings.replace(gms=_changed_gms(settings.gms, key, subject))
    if not changed.gms and key == "remove":
        raise Impossible("last-gm", who=subject)
    if len(changed.gms) + len(changed.gm_roles) > GMS_MAX:
        raise Impossible("too-many-gms", most=GMS_MAX)
    return _gms_outcome(state, changed, _GM_CHANGES[key], subject)


def _changed_gms(gms: tuple[str, ...], key: str, who: str) -> tuple[str, ...]:
    """Return the GMs after a change. Raises Impossible("already-gm"), NotFound("not-a-gm")."""
    if key == "add":
        if who in gms:
            raise Impossible("already-gm", who=who)
        return (*gms, who)
    if who not in gms:
        raise NotFound("not-a-gm", field=key, value=None, nearest=(), who=who)
    return tuple(gm for gm in gms if gm != who)


def _changed_roles(roles: tuple[str, ...], key: str, role: str) -> tuple[str, ...]:
    """Return the GM roles after a change.

    Raises InvalidInput("wrong-type"), Impossible("already-gm-role"), NotFound("not-a-gm-role").
    """
    if key == "add_role":
        if not is_id(role):
            raise InvalidInput("wrong-type", field=key, value=role[:100])
        if role in roles:
            raise Impossible("already-gm-role", role=role)
        return (*roles, role)
    if role not in roles:
        raise NotFound("not-a-gm-role", field=key, value=None, nearest=(), role=role)
    return tuple(other for other in roles if other != role)


def take_over(state: TableState, action: actions.TakeOver, game: Game) -> Outcome:
    """Make the actor GM of a table that has lost its GMs, which the caller has checked.

    With `after_silence` the GMs are there and silent. Then it begins a time in which any of them
    can stop it.

    Raises Impossible("already-gm"), ("gm-not-gone") if the GMs haven't been silent for long, and
    ("claim-open") if a claim to the table runs already.
    """
    if action.who.id in state.settings.gms:
        raise Impossible("already-gm", who=action.who.id)
    if action.after_silence:
        return _claim(state, action)
    changed = state.settings.replace(gms=(action.who.id,), gm_roles=())
    return _gms_outcome(state, changed, "taken_over", action.who.id)


def _claim(state: TableState, action: actions.TakeOver) -> Outcome:
    """Begin a claim to a table whose GMs are silent."""
    office, gone, who = office_of(state), gone_at(state), action.who.id
    if office.claim is not None:
        until = office.claim.since + CLAIM_TIME
        raise Impossible("claim-open", who=office.claim.by, until=until)
    if gone is None or gone > action.at:
        raise Impossible("gm-not-gone")
    claim = TakeoverClaim(who, action.at, action.place)
    params = {"who": who, "until": action.at + CLAIM_TIME}
    event = Notice("table-claimed", params, ping_gms=True, by=who)
    return Outcome(with_office(state, office.replace(claim=claim)), (event,))


def _gms_outcome(state: TableState, changed: Settings, how: str, subject: str) -> Outcome:
    """Return the outcome of a change of GMs; *subject* is a participant or a role."""
    params = {"how": how, "subject": subject, "gms": changed.gms, "gm_roles": changed.gm_roles}
    return Outcome(state.replace(settings=changed), (Notice("gms", params),))
