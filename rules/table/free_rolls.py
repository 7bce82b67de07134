"""Dice thrown for nothing but their result, the rolls that people keep, and drawing from a system's
own tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from rules.core.dice import Notation, parse, throw, translate_notation
from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.name_matching import clean_name, matches, name_key, similar_names, similar_or_first
from rules.core.rng import Rng
from rules.table.actions import Actor, Produce, RollDice, SaveRoll
from rules.table.events import GMS, Audience, DiceRolled, Produced, RollSaved
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, public_name
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game
from rules.table.typed_texts import one_line

#: Longest name of a saved roll and longest reason, in characters; how many rolls one may keep.
NAME_MAX: Final = 40
REASON_MAX: Final = 200
ROLLS_MAX: Final = 25

_NAMED = re.compile(r"\{([^{}]*)\}")
#: What may be a name without braces: it stands where a value has to, at the beginning only before
#: an operator.
_PLAIN = re.compile(
    r"""(?P<other>\[[^]]*\]|\{[^}]*\}|\#.*)
    |(?P<before>^(?=[^-+*/<>=#]*[-+*/<>=])|[-+*/(,<>=%])(?P<gap>\s*)
    (?!(?:adv|dis)(?:antage)?\b|d[\d%]|df\b)(?P<name>[^\W\d_]+(?:[-'’ ][^\W\d_]+)*)""",
    re.VERBOSE | re.IGNORECASE,
)
_WORD_END = re.compile(r"[-'’ ]|$")
_BARE = re.compile(r"\d*d\d+|\d+", re.ASCII)
#: What stands for a number of a character where nobody's is at hand: some expressions want dice,
#: some a number.
_STAND_INS: Final = ("1d6", "1")


class _Recorder:
    """Draws from another source and keeps the faces, as `ScriptedRng` takes them."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self.faces: list[int] = []

    def below(self, n: int, /) -> int:
        drawn = self._rng.below(n)
        self.faces.append(drawn + 1)
        return drawn


def _value(values: Mapping[str, str], name: str) -> tuple[str, str]:
    """The number called that, or the only one whose name begins so. NotFound("unknown-value")."""
    fitting = matches(values, name, str)
    if len(fitting) != 1:
        near = fitting[:5] or similar_or_first(name, values)
        raise NotFound("unknown-value", field="dice", value=name.strip(), nearest=near)
    return fitting[0], values[fitting[0]]


def _braced(text: str, values: Mapping[str, str]) -> str:
    """The expression with braces round names of these values; words behind one stay what they are,
    a remark.
    """

    def named(found: re.Match[str]) -> str:
        if found["other"] is not None:
            return found[0]
        name, ends = found["name"], [match.start() for match in _WORD_END.finditer(found["name"])]
        end = next(
            (end for end in reversed(ends) if len(matches(values, name[:end], str)) == 1), len(name)
        )
        return f"{found['before']}{found['gap']}{{{name[:end]}}}{_braced(name[end:], values)}"

    return _PLAIN.sub(named, text)


def _filled(text: str, values: Mapping[str, str]) -> str:
    """The expression with numbers for names; the name stays beside its number as a remark, where
    one may stand.
    """
    parts: list[str] = []
    end = 0
    for named in _NAMED.finditer(text):
        name, value = _value(values, named[1])
        before, after = text[end : named.start()], text[named.end() : named.end() + 1]
        value = value if _BARE.fullmatch(value) else f"({value})"
        # Numbers must not run into one another.
        gap = " " if before[-1:].isdigit() else ""
        label = "".join(sign for sign in name if sign not in "[]")
        behind = " " if after.isdigit() else "" if after.isalpha() else f" [{label}]"
        parts.append(f"{before}{gap}{value}{behind}")
        end = named.end()
    return "".join(parts) + text[end:]


def _near(state: TableState, actor: Actor, text: str) -> tuple[str, ...]:
    return similar_names(text, (name for name, _ in state.person(actor.id).rolls), 0.6)


def expression(
    state: TableState, game: Game, actor: Actor, typed: str, as_: str | None, place: str
) -> tuple[Notation, AnyCharacter | None]:
    """What is to be thrown for what somebody typed, and the character whose numbers it takes or who
    is named.

    Raises InvalidInput as `parse`; NotFound("unknown-roll") for what looks like the name of a saved
    roll, ("unknown-value"); Impossible("free-no-characters") where no table is; and what
    `acting_character` raises.
    """
    kept = {name_key(name): dice for name, dice in state.person(actor.id).rolls}
    saved = kept.get(name_key(typed))
    near = () if saved is not None else _near(state, actor, typed)
    character = None
    try:
        text = translate_notation((typed if saved is None else saved).strip())
        if as_ is not None or _NAMED.search(_braced(text, {})):
            if not game.system.playable:
                raise Impossible("free-no-characters")
            character = acting_character(state, actor, as_, place)
            values = game.sheets.values(character)
            text = _filled(_braced(text, values), values)
        return parse(text), character
    except RulesError:
        if near:
            raise NotFound("unknown-roll", field="dice", value=typed, nearest=near) from None
        raise


def roll_dice(state: TableState, action: RollDice, game: Game) -> Outcome:
    """Throw an expression: for everyone; private for whoever throws and the GMs; blind for the GMs
    alone.

    Where no table is nobody leads, so private is for whoever throws, and blind is
    Impossible("blind-without-gm"). What not everyone sees falls with secret dice. Raises what
    `expression` and `throw` raise.
    """
    who, visibility = action.who.id, action.visibility
    if visibility == "blind" and not game.system.playable:
        raise Impossible("blind-without-gm")
    notation, character = expression(state, game, action.who, action.dice, action.as_, action.place)
    reason = one_line("reason", action.reason or notation.reason, REASON_MAX)
    public = visibility == "public"
    recorder = _Recorder(game.rng.public if public else game.rng.secret)
    totals = tuple(thrown.total for thrown in throw(notation, recorder))
    rolled = DiceRolled(
        text=notation.text,
        by=who,
        visibility=visibility,
        faces=tuple(recorder.faces),
        totals=totals,
        reason=reason,
        name=None if character is None else public_name(character) if public else character.name,
        characters=() if character is None else (character.id,),
    )
    return _told(game, rolled, rolled.replace(faces=(), totals=()))


def produce(state: TableState, action: Produce, game: Game) -> Outcome:
    """Draw from one of the system's tables, such as EBB-ANOMALY and EBB-ARTEFACT; seen as what is
    rolled.

    InvalidInput("unknown-generator"), Impossible where there are no tables at all.
    """
    tables = game.require(game.system.tables or None)
    table = tables.get(action.what)
    if table is None:
        what, allowed = action.what[:100], tuple(tables)
        nearest = similar_names(action.what, tables)[:1]
        raise InvalidInput(
            "unknown-generator", field="kind", value=what, allowed=allowed, nearest=nearest
        )
    drawn = table(game.rng.public if action.visibility == "public" else game.rng.secret)
    event = Produced(
        what=action.what,
        visibility=action.visibility,
        by=action.who.id,
        lines=drawn.lines,
        dice=drawn.dice,
    )
    return _told(game, event, event.replace(lines=drawn.lines[:1], dice=()))


def _told(game: Game, event: DiceRolled | Produced, rest: DiceRolled | Produced) -> Outcome:
    """Who hears of what fell: everyone; in private whoever asked and the GMs; blind the GMs, and
    whoever asked only the `rest`. What a GM asked for their own eyes need not be told to the
    others, who can look it up.
    """
    state, who, visibility = game.state, game.actor, event.visibility
    me, gm = Audience(people=(who.id,)), is_gm(state, who)
    if visibility == "public":
        return Outcome(state, (event,))
    if visibility == "private":
        mine = me if not game.system.playable else GMS if gm else me.replace(gms=True)
        return Outcome(state, (event.replace(audience=mine, quiet=gm),))
    event = event.replace(audience=GMS)
    return Outcome(state, (event,) if gm else (rest.replace(audience=me), event))


def _check_name(name: str) -> None:
    if not 1 <= len(name) <= NAME_MAX or not set("{}").isdisjoint(name):
        raise InvalidInput(
            "bad-roll-name", field="name", value=name[:100], lowest=1, highest=NAME_MAX
        )
    clean_name(name)
    try:
        parse(name)
    except InvalidInput:
        return
    raise InvalidInput("roll-name-is-dice", field="name", value=name)


def _check_dice(dice: str) -> None:
    """Refuse what cannot be thrown whatever the character's numbers are."""
    dice = translate_notation(dice)
    braced = _braced(dice, {})
    if not _NAMED.search(braced):
        parse(dice)
        return
    for stand_in in _STAND_INS:
        with suppress(InvalidInput):
            parse(_NAMED.sub(stand_in, braced))
            return
    raise InvalidInput("bad-saved-dice", field="dice", value=dice[:100])


def save_roll(state: TableState, action: SaveRoll, game: Game) -> Outcome:
    """Keep a roll under a name, in place of the one that had it, or forget it.

    InvalidInput("bad-roll-name"), ("roll-name-is-dice"), ("bad-saved-dice") and as `parse`;
    NotFound("unknown-roll"), Impossible("too-many-rolls").
    """
    name, dice = " ".join(action.name.split()), action.dice.strip()
    person = state.person(action.who.id)
    kept = [roll for roll in person.rolls if name_key(roll[0]) != name_key(name)]
    if not dice:
        if len(kept) == len(person.rolls):
            near = _near(state, action.who, name) or tuple(title for title, _ in kept[:5])
            raise NotFound("unknown-roll", field="name", value=name[:100], nearest=near)
    else:
        _check_name(name)
        _check_dice(dice)
        if len(kept) >= ROLLS_MAX:
            raise Impossible("too-many-rolls", most=ROLLS_MAX)
        kept = sorted([*kept, (name, dice)], key=lambda roll: name_key(roll[0]))
    changed = person.replace(rolls=tuple(kept))
    event = RollSaved(
        audience=Audience(people=(person.id,)),
        name=name,
        dice=dice,
        rolls=changed.rolls,
        ready=not dice or _can_be_rolled(state.with_person(changed), game, action, dice),
    )
    return Outcome(state.with_person(changed), (event,))


def _can_be_rolled(state: TableState, game: Game, action: SaveRoll, dice: str) -> bool:
    """Whether whoever saves it could roll it here now: its names are numbers of the character who
    acts.
    """
    try:
        expression(state, game, action.who, dice, None, action.place)
    except RulesError:
        return False
    return True
