"""Opening a table, leading it, and what it agrees on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.reading import Reader
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
from rules.table.checks.access import stands
from rules.table.checks.machine import retimed
from rules.table.events import (
    EVERYONE,
    Audience,
    CampaignChanged,
    Event,
    GmsChanged,
    Line,
    PersonChanged,
    SeedRotated,
    SettingsChanged,
    TableCreated,
)
from rules.table.forms import NOBODY, Field, Flag, Form, Number, Option, Pick, Typed
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.state import DAY, SYSTEM, Settings, TableState
from rules.table.system import Game, System, read_campaign

NAME_MAX = 80
MINUTE: Final = 60
HOUR: Final = 3600
#: Longest reminder and window, in seconds.
LONGEST = 60 * DAY
#: How many GMs and GM roles a table may name.
GMS_MAX = 20
#: What stands in the record of settings itself.
_IN_RECORD: Final = frozenset(
    ("name", "live", "reveal", "remind_after", "window", "player_undo", "approve", "hit_window", "gm_place")
)


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
    for check in state.checks.values():
        if not stands(changed, check):
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


def _time(key: str, title: Line, help_: Line, usual: int, offered: tuple[int, ...]) -> Number:
    return Number(
        key,
        title=title,
        help=help_,
        low=0,
        high=LONGEST,
        offered=offered,
        label=_lasting,
        usual=usual,
        needed=True,
    )


def _lasting(seconds: int) -> Line:
    return Line("setting-lasting", {"seconds": seconds}) if seconds else Line("setting-never")


_MINUTES: Final = (5 * MINUTE, 10 * MINUTE, 30 * MINUTE)
_DAYS: Final = (6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY)
#: What every table agrees on.
SHARED: Final = Form(
    (
        Typed(
            "name",
            title=Line("setting-name"),
            help=Line("setting-name-help"),
            most=NAME_MAX,
            read=_name,
            needed=True,
            blank=True,
        ),
        Flag("live", title=Line("setting-live"), help=Line("setting-live-help"), usual=False),
        Pick(
            "reveal",
            title=Line("setting-reveal"),
            help=Line("setting-reveal-help"),
            among=(
                Option("verdict", Line("setting-reveal-verdict")),
                Option("degree", Line("setting-reveal-degree")),
                Option("all", Line("setting-reveal-all")),
            ),
            usual="verdict",
            needed=True,
        ),
        _time("remind_after", Line("setting-remind"), Line("setting-remind-help"), DAY, (0, HOUR, *_DAYS)),
        Flag(
            "player_undo",
            title=Line("setting-player-undo"),
            help=Line("setting-player-undo-help"),
            usual=True,
        ),
        Flag("approve", title=Line("setting-approve"), help=Line("setting-approve-help"), usual=False),
    )
)
#: What some rules have a use for, by key: how long a result stays open, and how long somebody who is hit may choose.
SOME: Final[Mapping[str, Number]] = {
    each.key: each
    for each in (
        _time(
            "window", Line("setting-window"), Line("setting-window-help"), DAY, (0, *_MINUTES, HOUR, *_DAYS)
        ),
        _time(
            "hit_window",
            Line("setting-hit-window"),
            Line("setting-hit-window-help"),
            3 * DAY,
            (0, *_MINUTES, HOUR, *_DAYS),
        ),
    )
}


def settings_form(system: System) -> Form:
    """Everything that a table of this system agrees on."""
    return Form((*SHARED.fields, *system.settings.fields))


def setting_of(settings: Settings, field: Field) -> Any:
    """What a table agreed on of one of these: the shared ones stand in the record."""
    if field.key in _IN_RECORD:
        return getattr(settings, field.key)
    return settings.own.get(field.key, field.usual)


def write_settings(settings: Settings, system: System) -> dict[str, Any]:
    """Everything that a table agreed on, by key."""
    return {field.key: setting_of(settings, field) for field in settings_form(system).fields}


def settings_values(settings: Settings, form: Form) -> dict[str, Any]:
    """What a table agreed on, as values of this form: what is off is not among them."""
    values = {field.key: setting_of(settings, field) for field in form.fields}
    return {key: value for key, value in values.items() if value is not False}


def settings_changed(by: Mapping[str, Any], changes: Mapping[str, Any]) -> ChangeSettings:
    """The action for these values by key; `by` is what every action begins with."""
    own = {key: value for key, value in changes.items() if key not in _IN_RECORD}
    shared = {key: value for key, value in changes.items() if key in _IN_RECORD}
    return ChangeSettings(**by, **shared, own=own)


def change_settings(state: TableState, action: ChangeSettings, rng: Streams, game: Game) -> Outcome:
    """Change what is given.

    Impossible("setting-unused") for what means nothing in this system, InvalidInput("nothing-to-change") when nothing
    is given, and as `read_setting`.
    """
    require_gm(state, action.who)
    settings = state.settings
    fields = {field.key: field for field in settings_form(game.system).fields}
    given = {key: value for key in sorted(_IN_RECORD) if (value := getattr(action, key)) is not None}
    changes: dict[str, Any] = {}
    for key, value in (given | action.own).items():
        if key not in fields and key != "gm_place":
            raise Impossible("setting-unused", field=key, name=game.system.name)
        read = (value or None) if key == "gm_place" else read_setting(fields[key], value)
        if read != (settings.gm_place if key == "gm_place" else setting_of(settings, fields[key])):
            changes[key] = read
    if not changes:
        raise InvalidInput("nothing-to-change", field="settings", value=None)
    events: tuple[Event, ...] = (SettingsChanged(audience=EVERYONE, changes=changes),)
    now = with_settings(settings, changes)
    checks = {key: retimed(now, check) for key, check in state.checks.items()}
    return Outcome(replace(state, settings=now, checks=checks), events)


def read_setting(field: Field, value: object) -> Any:
    """A value of a setting, of JSON, as it is kept. InvalidInput("bad-duration"), and as fields read."""
    if isinstance(field, Number) and isinstance(value, int) and not field.low <= value <= field.high:
        raise InvalidInput("bad-duration", field=field.key, value=value, most=field.high // DAY)
    reader = Reader()
    read = field.json(reader, field.key, value, NOBODY)
    if reader.problems:
        raise reader.problems[0]
    return False if read is None and isinstance(field, Flag) else read


def with_settings(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """The settings with these, which have been read, each in its place."""
    recorded = {key: value for key, value in changes.items() if key in _IN_RECORD}
    own = {key: value for key, value in changes.items() if key not in recorded}
    return replace(settings, **recorded, own={**settings.own, **own})


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
