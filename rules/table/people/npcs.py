"""NPCs and groups of them: adding, changing, revealing and removing them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.name_matching import (
    clean_name,
    find_one,
    lookalike_key,
    name_key,
    similar_or_first,
    unique_match,
)
from rules.table import marks
from rules.table.actions import Action, Actor, AddNpcs, ChangeNpc, OnNpcs, RemoveNpc
from rules.table.blocks import Text
from rules.table.checks.access import require_checks
from rules.table.checks.check_actions import checks_naming, drop_from_checks
from rules.table.checks.standing_orders import without_person
from rules.table.events import EVERYONE, GMS, Event
from rules.table.forms.form import read_field
from rules.table.forms.typed_texts import one_line
from rules.table.lookup import name_bearer
from rules.table.outcome import Outcome
from rules.table.people.characters import character_event, require_room, with_newcomers
from rules.table.people.common_fields import NOTES_FIELD, PORTRAIT_FIELD, TABLE_FORM
from rules.table.people.sheets import CharacterFields, read_object
from rules.table.permissions import public_name
from rules.table.state import AnyCharacter, Character, TableState
from rules.table.system import Game
from rules.table.turns.departures import calls_after_departure

#: Most NPCs that one action adds.
COUNT_MAX = 20
#: Longest name or alias, in characters.
NAME_MAX = 80
#: Text for several NPCs: `3 × Orc`.
_SEVERAL: Final = re.compile(r"(\d{1,2})\s*[x×]\s+(.*\S)\s*", re.IGNORECASE)


def npcs(state: TableState) -> tuple[AnyCharacter, ...]:
    """Return all NPCs by name; members of a group by number."""

    def rank(npc: AnyCharacter) -> tuple[str, int, str]:
        number = _number(npc.group, npc.name) or 0
        return name_key(npc.group or npc.name), number, name_key(npc.name)

    unowned = [character for character in state.characters.values() if character.owner is None]
    return tuple(sorted(unowned, key=rank))


def groups(state: TableState) -> dict[str, tuple[AnyCharacter, ...]]:
    """Return the groups of NPCs and their members, by name."""
    members: dict[str, tuple[AnyCharacter, ...]] = {}
    for npc in npcs(state):
        if npc.group:
            members[npc.group] = (*members.get(npc.group, ()), npc)
    return members


def _number(group: str, name: str) -> int | None:
    """Return the number of a group's member, 3 for `Bandit 3`; None for a name of another form."""
    head, _, tail = name_key(name).rpartition(" ")
    fits = head == name_key(group) and tail.isascii() and tail.isdecimal() and len(tail) < 10
    return int(tail) if fits else None


def _members(state: TableState, group: str) -> tuple[AnyCharacter, ...]:
    """Return the members of a group; none if there is no such group."""
    wanted = name_key(group)
    return tuple(npc for npc in npcs(state) if npc.group and name_key(npc.group) == wanted)


def find_npcs(state: TableState, text: str) -> tuple[str, tuple[AnyCharacter, ...]]:
    """Return the NPC or group that a GM's text means, and its name.

    The text is an id, the name of a group, a name, an alias, or the beginning of a name.

    Raises NotFound("unknown-npc") with the nearest names, InvalidInput("ambiguous-character").
    """
    pool, wanted = npcs(state), name_key(text)
    for npc in pool:
        if npc.id == wanted:
            return npc.name, (npc,)
    members = _members(state, text)
    if members:
        return members[0].group, members
    aliased = [npc for npc in pool if wanted and name_key(npc.alias) == wanted]
    if len(aliased) == 1 and not any(name_key(npc.name) == wanted for npc in pool):
        return aliased[0].name, (aliased[0],)
    npc = find_one(pool, text, field="npc", unknown="unknown-npc", ambiguous="ambiguous-character")
    return npc.name, (npc,)


def _read_fields(game: Game, data: Mapping[str, object], name: str) -> CharacterFields:
    """Return the fields of a file's object, with *name* if it has none."""
    if "name" not in data and name:
        data = {**data, "name": name}
    return read_object(game, data, new=False)


def _require_free_names(
    state: TableState,
    action: Action,
    npc: AnyCharacter,
    old: AnyCharacter | None,
    own: Collection[str],
) -> None:
    """Require that no other character has an NPC's new name or alias; *own* are ids to ignore.

    A name that becomes known to players counts as new. Until then, a player's character may have
    the same one.

    Raises Impossible("npc-name-taken").
    """
    known_before = "" if old is None else public_name(old)
    old_name = None if old is None else old.name
    old_alias = None if old is None else old.alias
    for name, before in ((npc.name, old_name), (npc.alias, old_alias)):
        becomes_known = name == public_name(npc) and name != known_before
        if not name or (name == before and not becomes_known):
            continue
        if name_bearer(state, action.who, name, own) is not None:
            raise Impossible("npc-name-taken", name=name)
    if not npc.group and _members(state, npc.name):
        raise Impossible("npc-name-taken", name=npc.name)


def _alias(action: OnNpcs) -> str:
    """Return the alias of an action in its canonical form; empty for none."""
    return clean_name(one_line("alias", action.alias or "", NAME_MAX))


def _require_alias(npc: AnyCharacter) -> None:
    if npc.stage == "aliased" and not npc.alias:
        raise InvalidInput("needs-alias", field="alias", value="")


def stage_line(npc: AnyCharacter) -> Text:
    """Return the line on how players know an NPC, for GMs."""
    if npc.stage == "aliased":
        return Text("npc-aliased", {"alias": npc.alias})
    if npc.stage == "revealed":
        return Text("npc-revealed")
    return Text("npc-off")


def _reveal_lines(
    before: Mapping[str, AnyCharacter], after: Sequence[AnyCharacter]
) -> tuple[Text, ...]:
    """Return the lines for players: NPCs that they know now, and new names of known ones.

    A name that replaces an alias says who was behind it. Another alias, or another name of an NPC
    whose name was known, says what the NPC is called now. An NPC that goes back behind an alias
    gets no line.
    """
    new_names: list[str] = []
    renamed: list[Text] = []
    for npc in after:
        old = before.get(npc.id)
        was, now = "" if old is None else public_name(old), public_name(npc)
        if now and not was:
            new_names.append(now)
        elif now and now != was and old is not None:
            if npc.stage == "revealed" and old.stage == "aliased":
                renamed.append(Text("npc-is", {"alias": was, "name": now}))
            elif old.stage == "aliased" or npc.stage == "revealed":
                renamed.append(Text("npc-called", {"before": was, "name": now}))
    if not new_names:
        return tuple(renamed)
    return (Text("npcs-here", {"names": tuple(new_names)}), *renamed)


def _reveal_events(
    before: Mapping[str, AnyCharacter], after: Sequence[AnyCharacter], who: Actor
) -> tuple[Event, ...]:
    """Return the event that tells players of NPCs; none if it has nothing new for them."""
    lines = _reveal_lines(before, after)
    if not lines:
        return ()
    first = next(npc for npc in after if public_name(npc))
    name = public_name(first)
    return (character_event("character-revealed", first, who, EVERYONE, lines, name=name),)


def add_npcs(state: TableState, action: AddNpcs, game: Game) -> Outcome:
    """Add an NPC, or a numbered group; new members of a group get the next numbers.

    The name is the action's, else the file's. Without a `stage` the NPCs are known by their alias,
    if there is one, else not at all.

    Raises InvalidInput("out-of-range", "empty", "needs-alias"), NotFound("unknown-choice"),
    Impossible("npc-name-taken", "table-full", "no-npc-kinds"), Problems for the sheet, and as
    `one_line` and `read_field`.
    """
    count, name, like = _npcs_to_add(action)
    if not 1 <= count <= COUNT_MAX:
        raise InvalidInput("out-of-range", field="count", value=count, lowest=1, highest=COUNT_MAX)
    name = clean_name(one_line("name", name, NAME_MAX))
    alias = _alias(action)
    fields: CharacterFields = {"sheet": game.sheets.kind()}
    data = action.data if action.data is not None else game.sheets.like(game, like or name)
    if like and data is None:
        near = similar_or_first(like, [option.value for option in game.sheets.npcs(game)])
        raise NotFound("unknown-choice", field="like", value=like[:NAME_MAX], nearest=near)
    if data is not None and (name or action.data is not None or "name" in data):
        fields = _read_fields(game, data, name)
        name = name or one_line("name", fields["name"], NAME_MAX)
    if not name:
        raise InvalidInput("empty", field="name", value="", wanted="name-or-sheet")
    require_room(state, None, count)
    sheet, kind_lines = _as_kind(game, action, fields["sheet"])
    portrait = read_field(PORTRAIT_FIELD, (action.portrait or "").strip())
    notes = read_field(NOTES_FIELD, (action.notes or "").strip())
    base: AnyCharacter = Character(
        "",
        name,
        None,
        sheet,
        stage=action.stage or ("aliased" if alias else "off"),
        alias=alias,
        portrait=portrait or fields.get("portrait", ""),
        notes=notes or fields.get("notes", ""),
    )
    _require_alias(base)
    new = _numbered_npcs(state, base, count)
    for npc in new:
        _require_free_names(state, action, npc, None, ())
    changed, added = with_newcomers(game, state, new)
    lines = [*kind_lines, stage_line(base)]
    title = added[0].name
    if len(added) > 1:
        title = added[0].group
        lines.insert(0, Text("npc-names", {"names": tuple(npc.name for npc in added)}))
    event = character_event("character-added", added[0], action.who, GMS, tuple(lines), name=title)
    return Outcome(changed, (event, *_reveal_events({}, added, action.who)))


def _npcs_to_add(action: AddNpcs) -> tuple[int, str, str]:
    """Return the number of NPCs, their name, and the name of the NPC that they are like.

    The number may stand before a name: `3 × Orc`.
    """
    count, name, like = action.count, action.name, action.like
    several = _SEVERAL.fullmatch(name)
    if count == 1 and several:
        count, name = int(several[1]), several[2]
    several = _SEVERAL.fullmatch(like)
    if count == 1 and several:
        count, like = int(several[1]), several[2]
    return count, name, like


def _as_kind(game: Game, action: AddNpcs, sheet: Any) -> tuple[Any, tuple[Text, ...]]:
    """Return the sheet as one of the action's kind, and lines on it for the GM.

    Raises:
        Impossible("no-npc-kinds"): the system has no kinds of NPCs.
        NotFound("unknown-choice"): it has no kind of this name.
    """
    if not action.kind:
        return sheet, ()
    as_kind = game.sheets.as_kind
    if as_kind is None:
        raise Impossible("no-npc-kinds", system=game.system.name)
    kinds = [kind.value for kind in game.sheets.npc_kinds]
    return as_kind(game, sheet, unique_match(kinds, action.kind, field="kind"), action.data)


def _numbered_npcs(state: TableState, base: AnyCharacter, count: int) -> list[AnyCharacter]:
    """Return one NPC with its own name, or *count* of a group from the next free number on."""
    members = _members(state, base.name)
    if count == 1 and not members:
        return [base]
    group = members[0].group if members else base.name
    if not members:
        _require_no_namesake(state, group)
    used = (_number(group, character.name) for character in state.characters.values())
    first = 1 + max((number for number in used if number is not None), default=0)
    return [_member(base, group, base.alias, number) for number in range(first, first + count)]


def _require_no_namesake(state: TableState, group: str) -> None:
    """Require that no character or group has a group's name, which means all its members.

    Raises Impossible("npc-name-taken").
    """
    wanted = lookalike_key(group)
    for character in state.characters.values():
        if wanted in (lookalike_key(character.name), lookalike_key(character.group)):
            raise Impossible("npc-name-taken", name=group)


def _member(npc: AnyCharacter, group: str, alias: str, number: int) -> AnyCharacter:
    """Return an NPC as a numbered member of a group."""
    return npc.replace(
        name=one_line("name", f"{group} {number}", NAME_MAX),
        group=group,
        alias=one_line("alias", f"{alias} {number}", NAME_MAX) if alias else "",
    )


def change_npc(state: TableState, action: ChangeNpc, game: Game) -> Outcome:
    """Change an NPC or a whole group. All participants are told what players learn by it.

    Raises InvalidInput("npc-unchanged"), as `find_npcs` and `add_npcs`, and as `require_checks` for
    a new sheet.
    """
    title, members = find_npcs(state, action.npc)
    whole = all(npc.group == title for npc in members)
    name = None if action.name is None else clean_name(one_line("name", action.name, NAME_MAX))
    if name == "":
        raise InvalidInput("empty", field="name", value="", wanted="name")
    if name is not None and whole and name_key(name) != name_key(title):
        _require_no_namesake(state, name)
    before = {npc.id: npc for npc in members}
    after = tuple(_changed_npc(npc, action, name, game, whole=whole) for npc in members)
    if after == members:
        raise InvalidInput("npc-unchanged", field="npc", value=title)
    for npc in after:
        _require_alias(npc)
        _require_free_names(state, action, npc, before[npc.id], before)
        if action.data is not None:
            require_checks(game.with_state(state.with_character(npc)), npc.id)
    new_title = after[0].group if whole else after[0].name
    lines = _change_lines(members, after, whole=whole)
    if new_title != title:
        lines = (Text("npc-renamed", {"before": title}), *lines)
    events = _reveal_events(before, after, action.who)
    if not events or len(lines) > 1:
        # The GMs read the public event too, so a single line needs no event of its own.
        change = character_event(
            "character-changed", after[0], action.who, GMS, lines, name=new_title
        )
        events = (change, *events)
    characters = {**state.characters, **{npc.id: npc for npc in after}}
    return Outcome(state.replace(characters=characters), events)


def _changed_npc(
    npc: AnyCharacter, action: ChangeNpc, name: str | None, game: Game, *, whole: bool
) -> AnyCharacter:
    """Return an NPC as an action changes it; *whole* if the action is about its whole group."""
    alias = npc.alias if action.alias is None else _alias(action)
    number = _number(npc.group, npc.name) if whole else None
    if number is not None:
        changed = _member(npc, npc.group if name is None else name, alias, number)
        if action.alias is None:
            changed = changed.replace(alias=npc.alias)
    else:
        new_name = npc.name if name is None else name
        # An NPC with a name of its own leaves its group.
        group = npc.group if npc.group and _number(npc.group, new_name) is not None else ""
        changed = npc.replace(name=new_name, group=group, alias=alias)
    fields: dict[str, Any] = {}
    if action.stage is not None:
        fields["stage"] = action.stage
    for field in TABLE_FORM.fields:
        text = getattr(action, field.key)
        if text is not None:
            fields[field.key] = read_field(field, text.strip())
    if action.data is not None:
        fields["sheet"] = _read_fields(game, action.data, npc.name)["sheet"]
    return changed.replace(**fields)


def _change_lines(
    before: Sequence[AnyCharacter], after: Sequence[AnyCharacter], *, whole: bool
) -> tuple[Text, ...]:
    """Return the lines on changes for the GMs. The last one is on how players know the NPC."""
    sample = after[0]
    if whole:
        number = _number(sample.group, sample.name)
        sample = sample.replace(alias=sample.alias.removesuffix(f" {number}"))
    lines: list[Text] = []
    pairs = [*zip(before, after, strict=True)]
    for field in ("notes", "portrait", "sheet", "alias"):
        if all(getattr(old, field) == getattr(new, field) for old, new in pairs):
            continue
        if field == "alias" and sample.stage == "aliased":
            continue
        now = getattr(sample, field)
        said = {"text": now} if field in ("notes", "alias") else {}
        lines.append(Text(f"npc-{field}", said) if now else Text(f"npc-no-{field}"))
    same_stage = len({npc.stage for npc in after}) == 1
    return (*lines, stage_line(sample) if same_stage else Text("npc-mixed"))


def remove_npc(state: TableState, action: RemoveNpc, game: Game) -> Outcome:
    """Remove an NPC or a group, with its checks that are over, and parts that can't go on.

    These are parts of the system's own that only the removed characters worked on. Encounters leave
    the removed characters out.

    Raises Impossible("npc-in-checks") if it is in an open check.
    """
    title, members = find_npcs(state, action.npc)
    removed = {npc.id for npc in members}
    checks = checks_naming(game, removed)
    open_checks = tuple(check.id for check in checks if check.is_open)
    if open_checks:
        raise Impossible("npc-in-checks", name=title, checks=open_checks)
    over = {check.id for check in checks}
    characters = {key: npc for key, npc in state.characters.items() if key not in removed}
    changed = state.replace(characters=characters)
    lines: tuple[Text, ...] = ()
    if over:
        left = {key: check for key, check in state.checks.items() if key not in over}
        changed = changed.replace(checks=left)
        lines = (Text("npc-checks-gone", {"count": len(over)}),)
    changed = without_person(changed, "", removed)
    for key in game.system.campaign.stranded(game.with_state(changed)):
        changed = changed.with_own(key, None)
    changed = marks.without_marks_of(changed, removed)
    changed, calls = calls_after_departure(game, changed, action)
    after, events = drop_from_checks(game.with_state(changed), removed)
    event = character_event("character-removed", members[0], action.who, GMS, lines, name=title)
    return Outcome(after.state, (event, *calls, *events))
