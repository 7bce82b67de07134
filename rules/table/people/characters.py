"""Characters of a table: import, changes, owners, retirement and main characters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from rules.core.errors import Impossible, InvalidInput, NotPermitted
from rules.core.json_reader import value_for_error
from rules.core.name_matching import name_key
from rules.table import actions, marks
from rules.table.absence import NO_ORDERS
from rules.table.actions import Actor
from rules.table.blocks import Text, Value
from rules.table.check import AnyCheck
from rules.table.checks.access import informed_characters, require_checks
from rules.table.checks.check_actions import (
    drop_from_checks,
    drop_holds,
    refresh_checks,
    visible_binding_checks,
)
from rules.table.checks.standing_orders import with_orders
from rules.table.events import EVERYONE, GMS, Audience, Event, Notice
from rules.table.lookup import (
    acting_character,
    find_character,
    name_bearer,
    only_or_active,
    playable_characters,
    readable_characters,
    require_in_play,
)
from rules.table.outcome import Outcome
from rules.table.people.sheets import is_newly_made, read_object, read_texts, text_fields, texts_of
from rules.table.permissions import is_gm, owns, require_gm, require_owner
from rules.table.state import AnyCharacter, Character, NpcStage, TableState
from rules.table.system import Game
from rules.table.turns.departures import calls_after_departure

#: Most characters of a table.
TABLE_MAX = 200
#: Most characters of one participant.
OWN_MAX = 20
#: Longest text about a change, in characters.
NOTE_MAX = 1000


# --- choices of characters ------------------------------------------------------------------------


def editable_characters(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """Return the characters that are not retired: the actor's own, or for a GM all.

    Characters that wait for approval are included.
    """
    readable = readable_characters(state, actor)
    return tuple(character for character in readable if not character.retired)


def growable_characters(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """Return the editable characters that are in play."""
    return tuple(character for character in readable_characters(state, actor) if character.in_play)


def retired_characters(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """Return the retired characters that the actor may bring back: own ones, or all for a GM."""
    return tuple(character for character in readable_characters(state, actor) if character.retired)


def find_own(
    state: TableState, actor: Actor, text: str | None, pool: tuple[AnyCharacter, ...]
) -> AnyCharacter:
    """Return the character named, else the main or only one of the actor's own.

    Raises NotFound("no-character"), InvalidInput("which-of-them"), and as `find_character`.
    """
    if text is not None:
        return find_character(pool, text)
    own = tuple([character for character in pool if owns(state, actor, character)])
    return only_or_active(own, "character", state.person(actor.id).active, several="which-of-them")


def current_character(state: TableState, actor: Actor, place: str) -> AnyCharacter:
    """Return the character that the actor acts as, else an own one that waits for approval.

    Raises as `find_own`.
    """
    try:
        return acting_character(state, actor, None, place)
    except (Impossible, InvalidInput):
        return find_own(state, actor, None, editable_characters(state, actor))


# --- coming to the table --------------------------------------------------------------------------


def require_room(state: TableState, owner: str | None, more: int = 1) -> None:
    """Require room for more characters, at the table and with an owner.

    Raises Impossible("table-full", "too-many-characters").
    """
    if len(state.characters) + more > TABLE_MAX:
        raise Impossible("table-full", most=TABLE_MAX)
    require_owned(state, owner)


def require_owned(state: TableState, owner: str | None) -> None:
    """Require that an owner may have one more. Raises Impossible("too-many-characters")."""
    if owner is None:
        return
    if sum(character.owner == owner for character in state.characters.values()) >= OWN_MAX:
        raise Impossible("too-many-characters", most=OWN_MAX)


def with_active(state: TableState, character: AnyCharacter) -> TableState:
    """Return the table in which this is the main character of an owner who had none."""
    owner = character.owner
    if owner is None or not character.approved or state.person(owner).active is not None:
        return state
    return state.with_person(state.person(owner).replace(active=character.id))


def _without_active(state: TableState, character: AnyCharacter) -> TableState:
    """Return the table in which this is no participant's main character."""
    for person in state.people.values():
        if person.active == character.id:
            state = state.with_person(person.replace(active=None))
    return state


def with_newcomers(
    game: Game, state: TableState, new: Iterable[AnyCharacter]
) -> tuple[TableState, list[AnyCharacter]]:
    """Return the table with new characters, and the characters with their numbers and ids.

    Players read ids, which must not reveal how many characters there are that they do not know.
    """
    before = state.counters.character
    characters = dict(state.characters)
    added: list[AnyCharacter] = []
    for number, character in enumerate(new, before + 1):
        character = character.replace(id=f"k{game.rng.tag(number)}", number=number)
        characters[character.id] = character
        added.append(character)
    counters = state.counters.replace(character=before + len(added))
    return state.replace(characters=characters, counters=counters), added


def import_character(state: TableState, action: actions.ImportCharacter, game: Game) -> Outcome:
    """Read a character from the system's JSON object, and add it or replace one of the same name.

    At a table with approval, a player's new character waits until a GM approves it.

    Raises NotPermitted("gm-only", "owner-only"), Impossible("name-taken"), and as `read_object`,
    `require_room` and `require_checks`.
    """
    gm = is_gm(state, action.who)
    if (action.npc or action.owner is not None) and not gm:
        raise NotPermitted("gm-only")
    new = _is_for_creation(state, action)
    fields = read_object(game, action.data, new=new)
    remarks = game.sheets.remarks(game, action.data, new)
    same = name_bearer(state, action.who, fields["name"])
    if same is not None:
        overwrites = action.overwrite and name_key(same.name) == name_key(fields["name"])
        if not overwrites:
            raise Impossible("name-taken", name=fields["name"])
    approved = gm or not state.settings.approve
    if same is not None:
        if not gm:
            require_owner(state, action.who, same)
        character = same.replace(**fields, approved=approved, sent_back="")
        sheet = game.sheets.carry_passing(same.sheet, character.sheet)
        character = character.replace(sheet=sheet)
        require_checks(game.with_state(state.with_character(character)), character.id)
    else:
        owner = None if action.npc else action.owner or action.who.id
        require_room(state, owner)
        stage: NpcStage = "off" if owner is None else "revealed"
        base: AnyCharacter = Character("", owner=owner, stage=stage, approved=approved, **fields)
        state, (character,) = with_newcomers(game, state, (base,))
    changed = with_active(state.with_character(character), character)
    if not approved:
        character = character.replace(sent_at=action.at)
        changed = changed.with_character(character)
        return Outcome(changed, _approval_events(character, action.who, remarks))
    what = "character-imported" if same is None else "character-replaced"
    private = Audience(gms=True, people=(action.who.id,))
    audience = EVERYONE if character.owner is not None else private
    events = [character_event(what, character, action.who, audience)]
    if remarks and not new:
        events.append(character_event("character-remarks", character, action.who, private, remarks))
    return Outcome(changed, tuple(events))


def _is_for_creation(state: TableState, action: actions.ImportCharacter) -> bool:
    """Return whether the rules of creation apply to an import.

    They don't to NPCs, to characters who have advanced elsewhere, and to characters in play.
    """
    if action.npc or action.grown:
        return False
    name = action.data.get("name")
    known = name_bearer(state, action.who, name) if isinstance(name, str) else None
    return known is None or not known.approved


def _approval_events(
    character: AnyCharacter, who: Actor, remarks: tuple[Text, ...] = ()
) -> tuple[Event, ...]:
    """Return the events for a new character that waits: for its player, and a call to the GMs."""
    player = Audience(people=(who.id,))
    return (
        character_event("character-created", character, who, player, remarks),
        character_event("character-waits", character, who, GMS, remarks, ping_gms=True),
    )


def character_event(
    what: str,
    character: AnyCharacter,
    who: Actor,
    audience: Audience,
    lines: tuple[Text, ...] = (),
    *,
    name: str | None = None,
    calls_owner: bool = False,
    about: Mapping[str, Value] | None = None,
    **more: Any,
) -> Notice:
    """Return the event of a participant's action on a character.

    *name* replaces the character's own name. *about* are further parameters, and *more* are further
    fields of the event.
    """
    owner = character.owner
    ping = (owner,) if calls_owner and owner is not None and owner != who.id else ()
    params = {"name": character.name if name is None else name, "owner": owner, **(about or {})}
    more |= {"by": who.id, "lines": lines, "characters": (character.id,)}
    return Notice(what, params, audience=audience, ping=ping, **more)


def owner_audience(character: AnyCharacter) -> Audience:
    """Return the audience of the GMs and the character's players."""
    return Audience(gms=True, people=() if character.owner is None else (character.owner,))


def public_audience(character: AnyCharacter) -> Audience:
    """Return the audience that knows of a character: all for an approved player's character."""
    if character.owner is not None and character.approved:
        return EVERYONE
    return owner_audience(character)


# --- changes --------------------------------------------------------------------------------------


def edit(state: TableState, action: actions.Edit, game: Game) -> Outcome:
    """Change texts of a sheet.

    GMs may change all fields. Owners may change all fields of a character that waits for approval,
    then only the free ones. The rules of creation hold for a new character that its player changes.

    Raises NotPermitted("gm-edits-that"), InvalidInput("unknown-field", "wrong-type",
    "nothing-edited"), Impossible("name-taken"), and as `read_texts` and `require_checks`.
    """
    gm = is_gm(state, action.who)
    character = find_own(
        state, action.who, action.character, editable_characters(state, action.who)
    )
    fields = text_fields(game)
    texts = _changed_texts(game, action, character, gm=gm)
    if not texts:
        raise InvalidInput("nothing-edited", field="fields", value=None)
    waits = not character.approved and not gm
    new = waits and is_newly_made(game, character)
    read = read_texts(game, texts, new=new, character=character)
    if name_bearer(state, action.who, read["name"], (character.id,)) is not None:
        raise Impossible("name-taken", name=read["name"])
    changed = character.replace(**read)
    changed = changed.replace(sheet=game.sheets.carry_passing(character.sheet, changed.sheet))
    require_checks(game.with_state(state.with_character(changed)), changed.id)
    if waits:
        sheet = game.sheets.carry_rulings(character.sheet, changed.sheet)
        changed = changed.replace(sheet=sheet, sent_back="", sent_at=action.at)
        return Outcome(state.with_character(changed), _approval_events(changed, action.who))
    titles = [field.title for key, field in fields.items() if key in texts]
    event = character_event(
        "character-edited",
        changed,
        action.who,
        owner_audience(changed),
        tuple(title for title in titles if title is not None),
        quiet=owns(state, action.who, character),
    )
    return Outcome(state.with_character(changed), (event,))


def _changed_texts(
    game: Game, action: actions.Edit, character: AnyCharacter, *, gm: bool
) -> dict[str, str]:
    """Return the texts of an action that differ from the sheet, by field.

    Raises NotPermitted("gm-edits-that"), InvalidInput("unknown-field", "wrong-type").
    """
    fields = text_fields(game)
    present = texts_of(game, character)
    changed: dict[str, str] = {}
    for key, text in cast("dict[object, object]", action.fields).items():
        if not isinstance(key, str) or key not in fields:
            shown = value_for_error(key)
            raise InvalidInput(
                "unknown-field", field=shown, value=shown, allowed=tuple(fields), nearest=()
            )
        if not isinstance(text, str):
            shown = value_for_error(text)
            raise InvalidInput("wrong-type", field=key, value=shown, allowed=("text",))
        if text.strip() == present.get(key, "").strip():
            continue
        if character.approved and not gm and not fields[key].free:
            raise NotPermitted("gm-edits-that", field=key)
        changed[key] = text.strip()
    return changed


# --- owners, retirement and main characters -------------------------------------------------------


def give(state: TableState, action: actions.Give, game: Game) -> Outcome:
    """Hand a character over. Only GMs may give other players' characters, or make one an NPC.

    Checks stay with the character, but what was told in private before stays with the former
    player. A former NPC's private checks stay hidden from the new owner.

    Raises InvalidInput("already-theirs"), Impossible("too-many-characters"), ("name-taken") if
    players know another character by the NPC's name, ("open-checks") for an NPC in an open private
    check.
    """
    character = find_own(
        state, action.who, action.character, editable_characters(state, action.who)
    )
    if action.to is not None and character.owner not in (None, action.to):
        character = character.replace(private_since=action.at)
        game = game.with_state(_without_finished_private_checks(game, character))
        state = game.state.with_character(character)
    return hand_over(state, action, game.with_state(state), character)


def hand_over(
    state: TableState, action: actions.Give, game: Game, character: AnyCharacter
) -> Outcome:
    """Hand a character over with all that its player was told. Raises as `give`."""
    if action.to is None:
        require_gm(state, action.who)
    if action.to == character.owner:
        raise InvalidInput(
            "already-theirs", field="to", value=None, name=character.name, who=action.to
        )
    require_owned(state, action.to)
    handed = character.replace(owner=action.to, open_seat=False, seat_asked=())
    if action.to is not None and character.owner is None:
        # Players' characters are always revealed, and belong to no group of NPCs.
        handed = handed.replace(stage="revealed", alias="", group="")
        if name_bearer(state, Actor(""), character.name, (character.id,)) is not None:
            raise Impossible("name-taken", name=character.name)
        state = without_private_checks(game, character)
    if character.owner is None:
        # The GMs' notes are not for players.
        handed = handed.replace(alias="", notes="")
    changed = with_active(_without_active(state.with_character(handed), character), handed)
    changed = with_orders(changed, handed.id, NO_ORDERS)
    without_holds, dropped = drop_holds(game.with_state(changed), (handed.id,))
    after, events = refresh_checks(without_holds, (handed.id,))
    audience = EVERYONE
    if not handed.approved:
        owners = (character.owner, action.to)
        people = tuple(owner for owner in owners if owner is not None)
        audience = Audience(gms=True, people=people)
    event = character_event("character-given", handed, action.who, audience, calls_owner=True)
    return Outcome(after.state, (event, *dropped, *events))


def without_private_checks(game: Game, character: AnyCharacter) -> TableState:
    """Return the table in which a character's private checks are hidden from its next owner.

    Raises Impossible("open-checks") if one of them is open.
    """
    open_checks = tuple(check.id for check in _private_checks(game, character) if check.is_open)
    if open_checks:
        raise Impossible("open-checks", name=character.name, checks=open_checks)
    return _without_finished_private_checks(game, character)


def _private_checks(game: Game, character: AnyCharacter) -> list[AnyCheck]:
    private: list[AnyCheck] = []
    for check in game.state.checks.values():
        if check.visibility != "public" and character.id in informed_characters(game, check):
            private.append(check)
    return private


def _without_finished_private_checks(game: Game, character: AnyCharacter) -> TableState:
    state = game.state
    for check in _private_checks(game, character):
        if not check.is_open:
            excluded = (*check.excluded_players, character.id)
            state = state.with_check(check.replace(excluded_players=excluded))
    return state


def retire(state: TableState, action: actions.Retire, game: Game) -> Outcome:
    """Take a character out of play, or with `back` into it again.

    Raises Impossible("open-checks") if the character is in open checks that the actor knows of.
    """
    if action.back:
        character = find_own(
            state, action.who, action.character, retired_characters(state, action.who)
        )
        back = character.replace(retired=False)
        changed = with_active(state.with_character(back), back)
        event = character_event(
            "character-returned", back, action.who, public_audience(back), calls_owner=True
        )
        return Outcome(changed, (event,))
    character = find_own(
        state, action.who, action.character, editable_characters(state, action.who)
    )
    checks = visible_binding_checks(game, character.id, action.who)
    if checks:
        raise Impossible("open-checks", name=character.name, checks=checks)
    retired = character.replace(retired=True)
    changed = _without_active(state.with_character(retired), retired)
    changed = marks.without_marks_of(changed, (retired.id,))
    changed, calls = calls_after_departure(game, changed, action)
    after, events = drop_from_checks(game.with_state(changed), (retired.id,))
    event = character_event(
        "character-retired", retired, action.who, public_audience(retired), calls_owner=True
    )
    offered = () if is_gm(state, action.who) else seat_offers((retired,), action.who)
    return Outcome(after.state, (event, *offered, *calls, *events))


def seat_offers(left: Iterable[AnyCharacter], who: Actor) -> tuple[Event, ...]:
    """Return the offers to the GMs to open the seats of characters whose player has left.

    Characters that players don't know have no seat.
    """
    return tuple(
        character_event("character-seat-offered", character, who, GMS, quiet=True)
        for character in left
        if character.approved and character.stage == "revealed"
    )


def use_character(state: TableState, action: actions.UseCharacter, game: Game) -> Outcome:
    """Make a character the actor's main character.

    Raises InvalidInput("already-active"), and as `require_in_play` and `find_character`.
    """
    require_in_play(state, action.who, action.character)
    character = find_character(playable_characters(state, action.who), action.character)
    person = state.person(action.who.id)
    if person.active == character.id:
        raise InvalidInput("already-active", field="character", value=character.name)
    changed = state.with_person(person.replace(active=character.id))
    event = character_event(
        "character-chosen", character, action.who, Audience(people=(action.who.id,))
    )
    return Outcome(changed, (event,))
