"""NPCs: bringing them in, in groups too, what the players know of them, and taking them out."""

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
from rules.table.forms import read_field
from rules.table.lookup import name_bearer
from rules.table.outcome import Outcome
from rules.table.people.characters import character_event, require_room, with_newcomers
from rules.table.people.common_fields import NOTES_FIELD, PORTRAIT_FIELD, TABLE_FORM
from rules.table.people.sheets import CharacterFields, read_object
from rules.table.permissions import public_name
from rules.table.state import AnyCharacter, Character, TableState
from rules.table.system import Game
from rules.table.turns.departures import calls_after_departure
from rules.table.typed_texts import one_line

#: Most NPCs that come in at once.
COUNT_MAX = 20
#: Longest name or alias, in characters.
NAME_MAX = 80
#: Text for several NPCs: `3 × Orc`.
_SEVERAL: Final = re.compile(r"(\d{1,2})\s*[x×]\s+(.*\S)\s*", re.IGNORECASE)


def npcs(state: TableState) -> tuple[AnyCharacter, ...]:
    """Return all NPCs by name; members of a group by number."""

    def place(npc: AnyCharacter) -> tuple[str, int, str]:
        return (
            name_key(npc.group or npc.name),
            _number(npc.group, npc.name) or 0,
            name_key(npc.name),
        )

    return tuple(
        sorted(
            (character for character in state.characters.values() if character.owner is None),
            key=place,
        )
    )


def groups(state: TableState) -> dict[str, tuple[AnyCharacter, ...]]:
    found: dict[str, tuple[AnyCharacter, ...]] = {}
    for npc in npcs(state):
        if npc.group:
            found[npc.group] = (*found.get(npc.group, ()), npc)
    return found


def _number(group: str, name: str) -> int | None:
    """Return the number of a group's member, 3 for `Bandit 3`; None for a name of another form."""
    head, _, tail = name_key(name).rpartition(" ")
    fits = head == name_key(group) and tail.isascii() and tail.isdecimal() and len(tail) < 10
    return int(tail) if fits else None


def _group(state: TableState, name: str) -> tuple[AnyCharacter, ...]:
    wanted = name_key(name)
    return tuple(npc for npc in npcs(state) if npc.group and name_key(npc.group) == wanted)


def find_npcs(state: TableState, text: str) -> tuple[str, tuple[AnyCharacter, ...]]:
    """Whom a GM means by an id, the name of a group, a name, an alias or the beginning of a name;
    what to call it.

    NotFound("unknown-npc") with the nearest names, InvalidInput("ambiguous-character") when several
    fit.
    """
    everyone, wanted = npcs(state), name_key(text)
    for npc in everyone:
        if npc.id == wanted:
            return npc.name, (npc,)
    members = _group(state, text)
    if members:
        return members[0].group, members
    aliased = [npc for npc in everyone if wanted and name_key(npc.alias) == wanted]
    if len(aliased) == 1 and not any(name_key(npc.name) == wanted for npc in everyone):
        return aliased[0].name, (aliased[0],)
    npc = find_one(
        everyone, text, field="npc", unknown="unknown-npc", ambiguous="ambiguous-character"
    )
    return npc.name, (npc,)


def _read(game: Game, data: Mapping[str, object], name: str) -> CharacterFields:
    """Return a file's object, with `name` if it has none."""
    if "name" not in data and name:
        data = {**data, "name": name}
    return read_object(game, data, new=False)


def _require_free(
    state: TableState,
    action: Action,
    npc: AnyCharacter,
    old: AnyCharacter | None,
    own: Collection[str],
) -> None:
    """Impossible("npc-name-taken") when somebody but `own` has what is new about the name or the
    alias.

    A name that players did not know may be borne by one of theirs: that matters when it becomes
    known.
    """
    known = "" if old is None else public_name(old)
    for name, before in ((npc.name, old and old.name), (npc.alias, old and old.alias)):
        new = name != before or (name == public_name(npc) != known)
        if name and new and name_bearer(state, action.who, name, own) is not None:
            raise Impossible("npc-name-taken", name=name)
    if not npc.group and _group(state, npc.name):
        raise Impossible("npc-name-taken", name=npc.name)


def _alias(action: OnNpcs) -> str:
    return clean_name(one_line("alias", action.alias or "", NAME_MAX))


def _require_alias(npc: AnyCharacter) -> None:
    if npc.stage == "aliased" and not npc.alias:
        raise InvalidInput("needs-alias", field="alias", value="")


def stage_line(npc: AnyCharacter) -> Text:
    """Return the line on how players know an NPC, for GMs."""
    if npc.stage == "aliased":
        return Text("npc-aliased", {"alias": npc.alias})
    return Text("npc-revealed") if npc.stage == "revealed" else Text("npc-off")


def _news(before: Mapping[str, AnyCharacter], after: Sequence[AnyCharacter]) -> tuple[Text, ...]:
    """Return the events for players: new NPCs, and names that were unknown to them."""
    here: list[str] = []
    named: list[Text] = []
    for npc in after:
        old = before.get(npc.id)
        was, now = "" if old is None else public_name(old), public_name(npc)
        if now and not was:
            here.append(now)
        elif now and now != was and old is not None:
            if npc.stage == "revealed":
                named.append(Text("npc-is", {"alias": was, "name": now}))
            elif old.stage == "aliased":
                named.append(Text("npc-called", {"before": was, "name": now}))
    first = (Text("npcs-here", {"names": tuple(here)}),) if here else ()
    return (*first, *named)


def _told(
    before: Mapping[str, AnyCharacter], after: Sequence[AnyCharacter], who: Actor
) -> tuple[Event, ...]:
    lines = _news(before, after)
    if not lines:
        return ()
    first = next(npc for npc in after if public_name(npc))
    return (
        character_event("character-revealed", first, who, EVERYONE, lines, name=public_name(first)),
    )


def add_npcs(state: TableState, action: AddNpcs, game: Game) -> Outcome:
    """Bring in an NPC, or a numbered group; more of a group go on counting.

    The name is the action's, else the file's; how many they are may stand before it or in `like`:
    `3 × Orc`. Without `stage` they are known by their alias, if there is one, else not at all.
    InvalidInput for a field, Problems for the sheet, Impossible("npc-name-taken", "table-full").
    """
    count, said = action.count, {"name": action.name, "like": action.like}
    for key, text in said.items():
        if count == 1 and (several := _SEVERAL.fullmatch(text)):
            count, said[key] = int(several[1]), several[2]
    if not 1 <= count <= COUNT_MAX:
        raise InvalidInput("out-of-range", field="count", value=count, lowest=1, highest=COUNT_MAX)
    name, alias, like = (
        clean_name(one_line("name", said["name"], NAME_MAX)),
        _alias(action),
        said["like"],
    )
    read: CharacterFields = {"sheet": game.sheets.kind()}
    data = action.data if action.data is not None else game.sheets.like(game, like or name)
    if like and data is None:
        near = similar_or_first(like, [option.value for option in game.sheets.npcs(game)])
        raise NotFound("unknown-choice", field="like", value=like[:NAME_MAX], nearest=near)
    if data is not None and (name or action.data is not None or "name" in data):
        read = _read(game, data, name)
        name = name or one_line("name", read["name"], NAME_MAX)
    if not name:
        raise InvalidInput("empty", field="name", value="", wanted="name-or-sheet")
    require_room(state, None, count)
    sheet, kind_lines = _as_kind(game, action, read["sheet"])
    base: AnyCharacter = Character(
        "",
        name,
        None,
        sheet,
        stage=action.stage or ("aliased" if alias else "off"),
        alias=alias,
        portrait=read_field(PORTRAIT_FIELD, (action.portrait or "").strip())
        or read.get("portrait", ""),
        notes=read_field(NOTES_FIELD, (action.notes or "").strip()) or read.get("notes", ""),
    )
    _require_alias(base)
    made = _numbered(state, base, count)
    for npc in made:
        _require_free(state, action, npc, None, ())
    changed, added = with_newcomers(game, state, made)
    lines = (
        (Text("npc-names", {"names": tuple(npc.name for npc in added)}),) if len(added) > 1 else ()
    )
    title = added[0].name if len(added) == 1 else added[0].group
    event = character_event(
        "character-added",
        added[0],
        action.who,
        GMS,
        (*lines, *kind_lines, stage_line(base)),
        name=title,
    )
    return Outcome(changed, (event, *_told({}, added, action.who)))


def _as_kind(game: Game, action: AddNpcs, sheet: Any) -> tuple[Any, tuple[Text, ...]]:
    """Return the sheet as one of the action's kind, and what the GM hears of that.

    Raises:
        Impossible("no-npc-kinds"): the system has no kinds of NPCs.
        NotFound("unknown-choice"): none of its kinds is called so.
    """
    if not action.kind:
        return sheet, ()
    as_kind = game.sheets.as_kind
    if as_kind is None:
        raise Impossible("no-npc-kinds", system=game.system.name)
    kinds = [kind.value for kind in game.sheets.npc_kinds]
    return as_kind(game, sheet, unique_match(kinds, action.kind, field="kind"), action.data)


def _numbered(state: TableState, base: AnyCharacter, count: int) -> list[AnyCharacter]:
    """Return one NPC by its own name, or so many of a group, from the first free number on."""
    members = _group(state, base.name)
    if count == 1 and not members:
        return [base]
    group = members[0].group if members else base.name
    if not members:
        _require_no_namesake(state, group)
    used = (_number(group, character.name) for character in state.characters.values())
    first = 1 + max((number for number in used if number is not None), default=0)
    return [_member(base, group, base.alias, number) for number in range(first, first + count)]


def _require_no_namesake(state: TableState, group: str) -> None:
    """Require that no character has a group's name, which stands for all its members."""
    taken = any(
        lookalike_key(group) in (lookalike_key(character.name), lookalike_key(character.group))
        for character in state.characters.values()
    )
    if taken:
        raise Impossible("npc-name-taken", name=group)


def _member(npc: AnyCharacter, group: str, alias: str, number: int) -> AnyCharacter:
    return npc.replace(
        name=one_line("name", f"{group} {number}", NAME_MAX),
        group=group,
        alias=one_line("alias", f"{alias} {number}", NAME_MAX) if alias else "",
    )


def change_npc(state: TableState, action: ChangeNpc, game: Game) -> Outcome:
    """Change an NPC or a whole group; what players learn by it is told to everyone.

    Raises what `find_npcs` and `add_npcs` do; InvalidInput("npc-unchanged"); NotFound when an open
    check needs what a new sheet does not have.
    """
    called, found = find_npcs(state, action.npc)
    whole = all(npc.group == called for npc in found)
    name = None if action.name is None else clean_name(one_line("name", action.name, NAME_MAX))
    if name == "":
        raise InvalidInput("empty", field="name", value="", wanted="name")
    if name is not None and whole and name_key(name) != name_key(called):
        _require_no_namesake(state, name)
    before = {npc.id: npc for npc in found}
    after = tuple(_changed(npc, action, name, game, whole=whole) for npc in found)
    if after == found:
        raise InvalidInput("npc-unchanged", field="npc", value=called)
    characters = {**state.characters, **{npc.id: npc for npc in after}}
    for npc in after:
        _require_alias(npc)
        _require_free(state, action, npc, before[npc.id], before)
        if action.data is not None:
            require_checks(game.with_state(state.with_character(npc)), npc.id)
    title = after[0].group if whole else after[0].name
    told = _told(before, after, action.who)
    lines = _change_lines(found, after, whole=whole)
    if title != called:
        lines = (Text("npc-renamed", {"before": called}), *lines)
    events: tuple[Event, ...] = told
    if not told or len(lines) > 1:  # what everybody is told need not be said to the GMs once more
        events = (
            character_event("character-changed", after[0], action.who, GMS, lines, name=title),
            *told,
        )
    return Outcome(state.replace(characters=characters), events)


def _changed(
    npc: AnyCharacter, action: ChangeNpc, name: str | None, game: Game, *, whole: bool
) -> AnyCharacter:
    alias = npc.alias if action.alias is None else _alias(action)
    number = _number(npc.group, npc.name) if whole else None
    if number is not None:
        made = _member(npc, npc.group if name is None else name, alias, number)
        if action.alias is None:
            made = made.replace(alias=npc.alias)
    else:
        new = npc.name if name is None else name
        # Whoever gets a name of their own is no longer one of many.
        group = npc.group if npc.group and _number(npc.group, new) is not None else ""
        made = npc.replace(name=new, group=group, alias=alias)
    given: dict[str, Any] = {} if action.stage is None else {"stage": action.stage}
    for field in TABLE_FORM.fields:
        if (text := getattr(action, field.key)) is not None:
            given[field.key] = read_field(field, text.strip())
    if action.data is not None:
        given["sheet"] = _read(game, action.data, npc.name)["sheet"]
    return made.replace(**given)


def _change_lines(
    found: Sequence[AnyCharacter], after: Sequence[AnyCharacter], *, whole: bool
) -> tuple[Text, ...]:
    """Return the lines on changes for the GMs; how players know the NPC comes last."""
    one = after[0]
    if whole:
        one = one.replace(alias=one.alias.removesuffix(f" {_number(one.group, one.name)}"))
    lines: list[Text] = []
    pairs = [*zip(found, after, strict=True)]
    for field in ("notes", "portrait", "sheet", "alias"):
        different = any(getattr(old, field) != getattr(new, field) for old, new in pairs)
        if different and (field != "alias" or one.stage != "aliased"):
            now = getattr(one, field)
            said = {"text": now} if field in ("notes", "alias") else {}
            lines.append(Text(f"npc-{field}", said) if now else Text(f"npc-no-{field}"))
    return (
        *lines,
        stage_line(one) if len({npc.stage for npc in after}) == 1 else Text("npc-mixed"),
    )


def remove_npc(state: TableState, action: RemoveNpc, game: Game) -> Outcome:
    """Take an NPC or a group out, with the checks that are over and name them, and what they alone
    worked on.

    Orders of action leave out whoever is gone.

    Impossible("npc-in-checks") while something about them is still going on.
    """
    called, found = find_npcs(state, action.npc)
    gone = {npc.id for npc in found}
    told_of = checks_naming(game, gone)
    busy = tuple(one.id for one in told_of if one.is_open)
    if busy:
        raise Impossible("npc-in-checks", name=called, checks=busy)
    over = {one.id for one in told_of}
    changed = state.replace(
        characters={
            key: character for key, character in state.characters.items() if key not in gone
        },
        checks={key: check for key, check in state.checks.items() if key not in over}
        if over
        else state.checks,
    )
    changed = without_person(changed, "", gone)
    for key in game.system.campaign.stranded(game.with_state(changed)):
        changed = changed.with_own(key, None)
    lines = (Text("npc-checks-gone", {"count": len(over)}),) if over else ()
    changed = marks.without_marks_of(changed, gone)
    changed, calls = calls_after_departure(game, changed, action)
    after, events = drop_from_checks(game.with_state(changed), gone)
    event = character_event("character-removed", found[0], action.who, GMS, lines, name=called)
    return Outcome(after.state, (event, *calls, *events))
