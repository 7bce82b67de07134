"""Settings of a table and its campaign, and opening a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.json_reader import Reader, value_for_error
from rules.core.name_matching import clean_name, name_key, unique_match
from rules.table import actions
from rules.table.blocks import Text
from rules.table.checks.access import can_go_on
from rules.table.checks.check_actions import refresh_open_checks
from rules.table.checks.prompt_times import with_new_times
from rules.table.clock.clock_settings import rest_of_turns_under_way, turn_time_under_way
from rules.table.events import EVERYONE, Audience, Notice
from rules.table.forms.fields import NO_CONTEXT, Flag, Number, Option, Pick, Typed, spoken_value
from rules.table.forms.form import Field, Form, read_field
from rules.table.outcome import Outcome
from rules.table.settings.choice_rows import number_without, setting_field
from rules.table.settings.pace import BY_POST, PACE_LABELS, PACES, is_new_pace, pace_of, pace_text
from rules.table.state import DAY, HOUR, SYSTEM, Settings, TableState
from rules.table.system import Game, Page, System
from rules.table.times.duration import parse_span

NAME_MAX = 80
MINUTE: Final = 60
#: Longest time that a setting may have, in seconds.
LONGEST = 60 * DAY
#: Most deadlines in a row that a table excuses.
MAX_EXCUSED: Final = 20
#: Settings that are fields of `Settings`; the others are in `Settings.own`.
_IN_RECORD: Final = frozenset(Settings.__struct_fields__) - {"system", "gms", "gm_roles", "own"}
#: Channel for messages to the GMs. It has commands of its own.
_GM_PLACE: Final = Typed("gm_place", blank=True, title=Text("setting-gm-place"))


def _table_name(value: str) -> str:
    """Return the canonical form of a table's name. Raises InvalidInput("bad-name")."""
    clean = " ".join(value.split())
    if not 1 <= len(clean) <= NAME_MAX:
        raise InvalidInput("bad-name", field="name", value=value, lowest=1, highest=NAME_MAX)
    return clean_name(clean)


def create(system: System, action: actions.CreateTable) -> Outcome:
    """Return the outcome with a new table. The caller has checked that the place is free.

    The bot itself opens tables for free rolls: they have no GM, and no participant is told of
    them.

    Raises InvalidInput("unknown-system") for a participant who asks for such a table.
    """
    if not system.playable:
        if action.who.id != SYSTEM:
            raise InvalidInput("unknown-system", field="system", value=action.system, allowed=())
        return Outcome(TableState(Settings(_table_name(action.name), action.system, ())), ())
    campaign = system.campaign.read(action.campaign or {})
    name = _table_name(action.name)
    settings = Settings(name, action.system, (action.who.id,), gm_place=action.gm_place)
    settings = with_settings(settings, _changed_settings(settings, system, action.settings))
    params = {
        "name": settings.name,
        "plays": system.name,
        "gm": action.who.id,
        "gm_place": action.gm_place,
        "pace": pace_text(settings, settings_form(system)),
    }
    return Outcome(TableState(settings, campaign=campaign), (Notice("table-open", params),))


def change_campaign(state: TableState, action: actions.ChangeCampaign, game: Game) -> Outcome:
    """Replace the table's campaign.

    Raises as the system's `Campaign.read`; InvalidInput("nothing-to-change"),
    Impossible("campaign-in-use") if an open check could not go on with it,
    ("campaign-in-use-by") if a part of the system's own could not.
    """
    rules = game.system.campaign
    campaign = rules.read(action.data)
    if campaign == state.campaign:
        raise InvalidInput("nothing-to-change", field="file", value=None)
    changed = game.with_state(state.replace(campaign=campaign))
    for check in state.checks.values():
        if not can_go_on(changed, check):
            raise Impossible("campaign-in-use", check=check.id)
    for name in rules.stranded(changed).values():
        raise Impossible("campaign-in-use-by", name=name)
    announce = rules.announce or rules.describe
    event = Notice("campaign-changed", lines=announce(changed.campaign), by=action.who.id)
    return Outcome(changed.state, (event,))


class DurationField(Number, kw_only=True):
    """Duration in seconds, typed as `2h 30m`, or `none` for 0."""

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        typed = text.strip()
        try:
            if typed == "0" or number_without(typed) == 0:
                return 0
            return parse_span(typed, place) * MINUTE
        except InvalidInput as error:
            reader.problems.append(error)
        return None

    def format_text(self, value: Any) -> str:
        spans = ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes"))
        unit, name = next((span for span in spans if value % span[0] == 0), spans[-1])
        return f"{value // unit} {name}" if value else "none"


def _duration_setting(key: str, default: int, *offered: int, low: int = 0) -> Number:
    """Return the setting of a duration; with *low* 0 it can be switched off."""
    name = key.replace("_", "-")

    def label(seconds: int) -> Text:
        if not seconds:
            return Text(f"setting-{name}-never")
        return Text("setting-lasting", {"seconds": seconds})

    return setting_field(
        DurationField(
            key,
            low=low,
            high=LONGEST,
            offered=offered if low else (0, *offered),
            label=label,
            default=default,
            needed=True,
        )
    )


_MINUTES: Final = (5 * MINUTE, 10 * MINUTE, 30 * MINUTE)
_DAYS: Final = (HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY)
_REVEAL: Final = (
    Option("verdict", Text("setting-reveal-verdict")),
    Option("degree", Text("setting-reveal-degree")),
    Option("all", Text("setting-reveal-all")),
)
#: Form of the settings that all tables have.
SHARED_SETTINGS: Final = Form.of(
    setting_field(Typed("name", most=NAME_MAX, read=_table_name, needed=True, blank=True)),
    setting_field(Flag("live", default=False)),
    setting_field(Pick("reveal", choices=_REVEAL, default="verdict", needed=True)),
    _duration_setting("answer_time", DAY, *_MINUTES, *_DAYS, low=MINUTE),
    _duration_setting("turn_time", 2 * DAY, *_DAYS),
    setting_field(Flag("attacks_at_once", default=False)),
    setting_field(Flag("roll_when_answered", default=False)),
    setting_field(Flag("player_undo", default=True)),
    setting_field(Flag("approve", default=False)),
    setting_field(Flag("guest_cards", default=False)),
    setting_field(Flag("block_turns", default=False)),
    setting_field(
        Number("excused", high=MAX_EXCUSED, default=2, needed=True, typed=number_without)
    ),
    _duration_setting("silence", 7 * DAY, 3 * DAY, 5 * DAY, 7 * DAY, 14 * DAY),
    setting_field(Flag("speaking", default=True)),
)
#: Settings for rule systems in which players can spend points or cards on rolled dice.
REACTION_SETTINGS: Final = (
    _duration_setting("step_in_time", DAY, *_MINUTES, *_DAYS),
    setting_field(Flag("wait_for_everybody", default=False)),
    setting_field(Flag("open_points", default=True)),
    setting_field(Flag("step_in_late", default=True)),
)
_ON: Final = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}


def find_setting(system: System, name: str) -> Field:
    """Return the setting with a name, or the only one that begins so.

    Raises NotFound("unknown-setting", "ambiguous-choice").
    """
    fields, typed = settings_form(system).fields, name.replace("_", " ")
    return unique_match(
        fields,
        typed,
        lambda field: spoken_value(field.key),
        field="setting",
        unknown="unknown-setting",
    )


def typed_setting(system: System, name: str, text: str) -> tuple[str, Any]:
    """Return the key of the setting that was typed, and its value as JSON.

    Raises as `find_setting`, and NotFound("unknown-choice") for a switch that is neither on nor
    off.
    """
    field = find_setting(system, name)
    if isinstance(field, Flag):
        switch = _ON.get(name_key(text))
        if switch is None:
            shown = value_for_error(text)
            raise NotFound("unknown-choice", field=field.key, value=shown, nearest=("on", "off"))
        return field.key, switch
    reader = Reader()
    value = field.parse_text(reader, field.key, text)
    for problem in reader.problems:
        raise problem
    return field.key, value


def settings_form(system: System) -> Form:
    """Return the form of all settings of a table with this system."""
    shared = SHARED_SETTINGS.fields
    if not allows_blocks(system):
        shared = tuple(field for field in shared if field.key != "block_turns")
    return Form((*shared, *system.settings.fields))


def allows_blocks(system: System) -> bool:
    """Return whether players' characters may act in any order in these rules.

    They may not on a timeline, or where whole sides act in turn.
    """
    turns = system.turns
    return turns is None or (not turns.timeline and turns.block is None)


#: Pages of the shared settings, and the keys on each. The page `rules` has the system's settings
#: without a topic. A page for each of the system's topics follows.
_PAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "waiting": (
        "answer_time",
        "step_in_time",
        "turn_time",
        "wait_for_everybody",
        "open_points",
        "step_in_late",
        "attacks_at_once",
        "roll_when_answered",
    ),
    "difficulties": ("live", "reveal"),
    "turns": ("block_turns",),
    "rules": (),
    "people": ("player_undo", "approve", "guest_cards", "speaking"),
    "absence": ("excused", "silence"),
    "table": ("name",),
}


def settings_pages(form: Form) -> tuple[Page, ...]:
    """Return the settings in pages, each with one topic."""
    shared_keys: set[str] = set()
    for keys in _PAGES.values():
        shared_keys.update(keys)
    pages: list[Page] = []
    for name, keys in _PAGES.items():
        if keys:
            shared = tuple(form.by_key[key] for key in keys if key in form.by_key)
            if shared:
                pages.append(_settings_page(name, shared))
        else:
            own = [field for field in form.fields if field.key not in shared_keys]
            pages += _topic_pages(name, own)
    return tuple(pages)


def _topic_pages(name: str, fields: Iterable[Field]) -> list[Page]:
    """Return a page for each topic; fields without one are on the page with this name."""
    by_topic: dict[str, list[Field]] = {}
    for field in fields:
        topic = name if field.topic is None else field.topic.code.removeprefix("settings-topic-")
        by_topic.setdefault(topic, []).append(field)
    return [_settings_page(topic, tuple(group)) for topic, group in by_topic.items()]


def _settings_page(topic: str, fields: tuple[Field, ...]) -> Page:
    return Page(topic, Text(f"settings-topic-{topic}"), Form(fields))


def setting_value(settings: Settings, field: Field) -> Any:
    """Return a table's value of a setting."""
    if field.key in _IN_RECORD:
        return getattr(settings, field.key)
    return settings.own.get(field.key, field.default)


def write_settings(settings: Settings, system: System) -> dict[str, Any]:
    return {field.key: setting_value(settings, field) for field in settings_form(system).fields}


def change_settings(state: TableState, action: actions.ChangeSettings, game: Game) -> Outcome:
    """Change the settings of an action.

    Raises Impossible("setting-unused") for a setting that the system doesn't have,
    InvalidInput("nothing-to-change"), and as `read_setting`.
    """
    changes = _changed_settings(state.settings, game.system, action.values)
    if not changes:
        raise InvalidInput("nothing-to-change", field="settings", value=None)
    now, form = with_settings(state.settings, changes), settings_form(game.system)
    lines = _change_lines(state, now, changes, form)
    checks = {key: with_new_times(now, check, action.at) for key, check in state.checks.items()}
    new_times = any(checks[key] is not check for key, check in state.checks.items())
    if new_times or ("turn_time" in changes and state.encounters):
        lines += (Text("settings-times-changed"),)
    event = Notice("settings-changed", lines=lines)
    if "turn_time" in changes:
        now = now.replace(
            turn_time_since=action.at,
            turn_time_before=turn_time_under_way(state.settings, action.at),
            rest_before=rest_of_turns_under_way(state.settings, action.at),
        )
    state = state.replace(settings=now, checks=checks)
    if _DECIDE_WAITS.isdisjoint(changes):
        return Outcome(state, (event,))
    after, events = refresh_open_checks(game.with_state(state))
    return Outcome(after.state, (event, *events))


def _change_lines(
    state: TableState, now: Settings, changes: Mapping[str, Any], form: Form
) -> tuple[Text, ...]:
    """Return a line for each changed setting: its name, both values and what the new one does.

    A new pace has a line of its own instead of one for each setting that it sets.
    """
    before = state.settings
    keys = list(changes)
    lines: list[Text] = []
    if is_new_pace(before, now, form):
        lines.append(_pace_line(before, now, form))
        keys = [key for key in changes if key not in PACES[BY_POST]]
    # Initiative that runs already goes on as it is.
    running = bool(state.encounters)
    for key in keys:
        field, value = form.by_key.get(key, _GM_PLACE), changes[key]
        does = Text(f"setting-does-{key.replace('_', '-')}", {"value": value, "running": running})
        params = {
            "setting": field.title,
            "before": value_text(field, setting_value(before, field)),
            "after": value_text(field, value),
            "does": does,
        }
        lines.append(Text("setting-changed", params))
    return tuple(lines)


def _pace_line(before: Settings, now: Settings, form: Form) -> Text:
    """Return the line on a new pace."""
    was = pace_of(before, form)
    params = {
        "setting": Text("setting-pace"),
        "before": Text("pace-own") if was is None else PACE_LABELS[was],
        "after": PACE_LABELS[pace_of(now, form) or BY_POST],
        "does": pace_text(now, form),
    }
    return Text("setting-changed", params)


def value_text(field: Field, value: Any) -> Text:
    """Return the words for a value of a setting."""
    if isinstance(field, Flag):
        return Text("setting-switch", {"on": value})
    if field is _GM_PLACE:
        return Text("setting-place", {"place": value})
    if isinstance(field, Number) and field.label is not None:
        return field.label(value)
    if isinstance(field, Pick):
        for option in field.options(NO_CONTEXT):
            if option.value == value:
                return option.label
    if not value:
        return Text("setting-no-value")
    return Text("as-written", {"text": str(value)})


#: Settings that decide which participants open checks wait for.
_DECIDE_WAITS: Final = frozenset(("wait_for_everybody", "open_points", "step_in_time"))


def _changed_settings(
    settings: Settings, system: System, values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the given values, read, that differ from the settings. Raises as `change_settings`."""
    known = settings_form(system).by_key | {_GM_PLACE.key: _GM_PLACE}
    changes: dict[str, Any] = {}
    for key, value in sorted(values.items()):
        if key not in known:
            raise Impossible("setting-unused", field=value_for_error(key), name=system.name)
        read = read_setting(known[key], value)
        if known[key] is _GM_PLACE:
            read = read or None
        if read != setting_value(settings, known[key]):
            changes[key] = read
    return changes


def read_setting(field: Field, value: object) -> Any:
    """Return the stored value of a setting from JSON.

    Raises InvalidInput("bad-duration"), and as `read_field`.
    """
    if isinstance(field, DurationField) and isinstance(value, int):
        if not field.low <= value <= field.high:
            raise InvalidInput(
                "bad-duration", field=field.key, value=value, low=field.low, most=field.high // DAY
            )
    read = read_field(field, value)
    return False if read is None and isinstance(field, Flag) else read


def with_settings(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Return the settings with these stored values, in the record or in `own`."""
    recorded = {key: value for key, value in changes.items() if key in _IN_RECORD}
    own = {key: value for key, value in changes.items() if key not in recorded}
    return settings.replace(**recorded, own={**settings.own, **own})


def rotate_seed(state: TableState, action: actions.RotateSeed, game: Game) -> Outcome:
    """Tell all participants the old seed and the fingerprint of the new one.

    The state itself holds no seeds.
    """
    params = {"stream": action.stream, "revealed": action.revealed, "next": action.next}
    event = Notice("seed-rotated", params, by=action.who.id)
    return Outcome(state, (event,))


def begin_anew(state: TableState, action: actions.BeginAnew, game: Game) -> Outcome:
    """Tell all participants that a copy was restored, and the former seed of open rolls."""
    audience = EVERYONE if action.place else Audience()
    params = {"revealed": action.revealed, "next": action.next}
    event = Notice("restored", params, audience=audience, by=action.who.id)
    return Outcome(state, (event,))


def change_person(state: TableState, action: actions.ChangePerson, game: Game) -> Outcome:
    person = state.person(action.who.id).replace(plain=action.plain)
    event = Notice(
        "plain-text", {"plain": action.plain}, audience=Audience(people=(action.who.id,))
    )
    return Outcome(state.with_person(person), (event,))
