"""Opening a table, leading it, and what it agrees on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rules.core.errors import Impossible, InvalidInput, NotFound, Param
from rules.core.rng import Streams
from rules.table.actions import (
    ChangeCampaign,
    ChangeGms,
    ChangePerson,
    ChangeSettings,
    CreateTable,
    RotateSeed,
    TakeOver,
)
from rules.table.checks.access import stands as check_stands
from rules.table.checks.views import participants, stands
from rules.table.events import (
    EVERYONE,
    Audience,
    CampaignChanged,
    Event,
    GmsChanged,
    PersonChanged,
    SeedRotated,
    SettingsChanged,
    TableCreated,
)
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.state import DAY, SYSTEM, Settings, TableState
from rules.table.system import Game, System, read_campaign

NAME_MAX = 80
#: Longest reminder and window, in seconds.
LONGEST = 60 * DAY
#: How many GMs and GM roles a table may name.
GMS_MAX = 20


def _name(value: str) -> str:
    clean = " ".join(value.split())
    if not 1 <= len(clean) <= NAME_MAX:
        raise InvalidInput("bad-name", field="name", value=value, lowest=1, highest=NAME_MAX)
    return clean


def create(system: System, action: CreateTable) -> Outcome:
    """A new table. The caller has checked that the place is free.

    Where nobody plays by rules the house itself opens one: nobody leads it, and nobody is told of it.
    InvalidInput("unknown-system") when somebody else asks for such a table.
    """
    if not system.playable:
        if action.who.id != SYSTEM:
            raise InvalidInput("unknown-system", field="system", value=action.system, allowed=())
        return Outcome(TableState(Settings(_name(action.name), action.system, ())), ())
    campaign = read_campaign(system, action.campaign or {})
    settings = Settings(_name(action.name), action.system, (action.who.id,), gm_place=action.gm_place)
    event = TableCreated(name=settings.name, system=action.system, gm=action.who.id, gm_place=action.gm_place)
    return Outcome(TableState(settings, campaign=campaign), (event,))


def change_campaign(state: TableState, action: ChangeCampaign, rng: Streams, game: Game) -> Outcome:
    """What the table has agreed on in the terms of its system becomes another.

    Raises as the system's `read_campaign`; InvalidInput("nothing-to-change"), Impossible("campaign-in-use")
    while an open check could not go on with it, ("campaign-in-use-by") for what the system keeps of its own.
    """
    require_gm(state, action.who)
    campaign = read_campaign(game.system, action.data)
    if campaign == state.campaign:
        raise InvalidInput("nothing-to-change", field="file", value=None)
    changed = game.with_(replace(state, campaign=campaign))
    for challenge in state.challenges.values():
        if not stands(changed, challenge, *participants(state, challenge)):
            raise Impossible("campaign-in-use", check=challenge.id)
    for check in state.checks.values():
        if not check_stands(changed, check):
            raise Impossible("campaign-in-use", check=check.id)
    for name in changed.stranded().values():
        raise Impossible("campaign-in-use-by", name=name)
    event = CampaignChanged(lines=changed.describe_campaign(), by=action.who.id)
    return Outcome(changed.state, (event,))


def change_gms(state: TableState, action: ChangeGms) -> Outcome:
    """Add or remove one GM or role; a table never loses its last."""
    require_gm(state, action.who)
    settings = state.settings
    gms, roles = settings.gms, settings.gm_roles
    given = [x for x in (action.add, action.remove, action.add_role, action.remove_role) if x is not None]
    if len(given) != 1:
        raise InvalidInput("one-change", field="members", value=len(given))
    subject = given[0]
    if action.add is not None:
        how = "added"
        if subject in gms:
            raise Impossible("already-gm", who=subject)
        gms = (*gms, subject)
    elif action.add_role is not None:
        how = "role_added"
        if subject in roles:
            raise Impossible("already-gm-role", role=subject)
        roles = (*roles, subject)
    elif action.remove is not None:
        how = "removed"
        if subject not in gms:
            raise NotFound("not-a-gm", field="remove", value=None, who=subject, nearest=())
        gms = tuple(gm for gm in gms if gm != subject)
    else:
        how = "role_removed"
        if subject not in roles:
            raise NotFound("not-a-gm-role", field="remove_role", value=None, role=subject, nearest=())
        roles = tuple(role for role in roles if role != subject)
    if not gms and how == "removed":
        raise Impossible("last-gm", who=subject)
    if len(gms) + len(roles) > GMS_MAX:
        raise Impossible("too-many-gms", most=GMS_MAX)
    changed = replace(settings, gms=gms, gm_roles=roles)
    event = GmsChanged(how=how, subject=subject, gms=gms, gm_roles=roles)
    return Outcome(replace(state, settings=changed), (event,))


def take_over(state: TableState, action: TakeOver) -> Outcome:
    """Somebody leads an orphaned table again. That nobody leads it any more was checked by the caller."""
    if action.who.id in state.settings.gms:
        raise Impossible("already-gm", who=action.who.id)
    changed = replace(state.settings, gms=(action.who.id,), gm_roles=())
    event = GmsChanged(how="taken_over", subject=action.who.id, gms=changed.gms, gm_roles=changed.gm_roles)
    return Outcome(replace(state, settings=changed), (event,))


def _seconds(field: str, value: int) -> int:
    if not 0 <= value <= LONGEST:
        raise InvalidInput("bad-duration", field=field, value=value, most=LONGEST // DAY)
    return value


def change_settings(state: TableState, action: ChangeSettings, rng: Streams, game: Game) -> Outcome:
    """Change what is given. Impossible("setting-unused") for what means nothing in this system."""
    require_gm(state, action.who)
    for field in sorted(game.system.unused):
        if getattr(action, field) is not None:
            raise Impossible("setting-unused", field=field, name=game.system.name)
    return set_settings(state, action)


def set_settings(state: TableState, action: ChangeSettings) -> Outcome:
    """Change what is given, whatever the system; InvalidInput("nothing-to-change") when nothing is."""
    require_gm(state, action.who)
    values: dict[str, Any] = {}
    if action.name is not None:
        values["name"] = _name(action.name)
    for field in ("live", "reveal", "player_undo", "approve", "house_initiative", "hit_default"):
        value = getattr(action, field)
        if value is not None:
            values[field] = value
    for field in ("remind_after", "window", "hit_window"):
        value = getattr(action, field)
        if value is not None:
            values[field] = _seconds(field, value)
    if action.gm_place is not None:
        values["gm_place"] = action.gm_place or None
    settings = state.settings
    values = {field: value for field, value in values.items() if getattr(settings, field) != value}
    if not values:
        raise InvalidInput("nothing-to-change", field="settings", value=None)
    changes: dict[str, Param] = dict(values)
    events: tuple[Event, ...] = (SettingsChanged(audience=EVERYONE, changes=changes),)
    return Outcome(replace(state, settings=replace(settings, **values)), events)


def rotate_seed(state: TableState, action: RotateSeed) -> Outcome:
    """Everybody is told the old seed and the fingerprint of the new one; what they are is not the table's."""
    require_gm(state, action.who)
    event = SeedRotated(stream=action.stream, revealed=action.revealed, next=action.next, by=action.who.id)
    return Outcome(state, (event,))


def change_person(state: TableState, action: ChangePerson) -> Outcome:
    """A participant's own preference."""
    person = replace(state.person(action.who.id), plain=action.plain)
    event = PersonChanged(audience=Audience(people=(action.who.id,)), plain=action.plain)
    return Outcome(replace(state, people={**state.people, person.id: person}), (event,))
