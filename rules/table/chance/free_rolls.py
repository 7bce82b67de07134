"""Free rolls, the rolls that players save, and results drawn from a system's tables."""

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
from rules.table.forms.typed_texts import one_line
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, public_name
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game

#: Longest name of a saved roll, in characters.
NAME_MAX: Final = 40
#: Longest reason for a roll, in characters.
REASON_MAX: Final = 200
#: Most saved rolls of one participant.
ROLLS_MAX: Final = 25

#: Pattern of a name in braces.
_NAMED = re.compile(r"\{([^{}]*)\}")
#: Pattern of a name without braces. It stands where a value has to; at the beginning it counts only
#: before an operator.
_PLAIN = re.compile(
    r"""(?P<other>\[[^]]*\]|\{[^}]*\}|\#.*)
    |(?P<before>^(?=[^-+*/<>=#]*[-+*/<>=])|[-+*/(,<>=%])(?P<gap>\s*)
    (?!(?:adv|dis)(?:antage)?\b|d[\d%]|df\b)(?P<name>[^\W\d_]+(?:[-'’ ][^\W\d_]+)*)""",
    re.VERBOSE | re.IGNORECASE,
)
_WORD_END = re.compile(r"[-'’ ]|$")
#: Pattern of a value that needs no parentheses in an expression.
_BARE = re.compile(r"\d*d\d+|\d+", re.ASCII)
#: Values that replace a character's numbers to try an expression: some want dice, some a number.
_SAMPLE_VALUES: Final = ("1d6", "1")


class _Recorder:
    """Source of chance that draws from another one and records the faces for `ScriptedRng`."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self.faces: list[int] = []

    def below(self, n: int, /) -> int:
        drawn = self._rng.below(n)
        self.faces.append(drawn + 1)
        return drawn


def _find_value(values: Mapping[str, str], name: str) -> tuple[str, str]:
    """Return the name and value that *name* means, in full or by its beginning.

    Raises NotFound("unknown-value").
    """
    fitting = matches(values, name, str)
    if len(fitting) != 1:
        near = fitting[:5] or similar_or_first(name, values)
        raise NotFound("unknown-value", field="dice", value=name.strip(), nearest=near)
    return fitting[0], values[fitting[0]]


def _with_braces(text: str, values: Mapping[str, str]) -> str:
    """Return the expression with braces round the names of values.

    Words behind a name stay as they are: they are a remark.
    """

    def add_braces(match: re.Match[str]) -> str:
        if match["other"] is not None:
            return match[0]
        name = match["name"]
        end = _name_end(name, values)
        return f"{match['before']}{match['gap']}{{{name[:end]}}}{_with_braces(name[end:], values)}"

    return _PLAIN.sub(add_braces, text)


def _name_end(words: str, values: Mapping[str, str]) -> int:
    """Return the length of the longest beginning of the words that means one value, or of all."""
    ends = [match.start() for match in _WORD_END.finditer(words)]
    for end in reversed(ends):
        if len(matches(values, words[:end], str)) == 1:
            return end
    return len(words)


def _with_values(text: str, values: Mapping[str, str]) -> str:
    """Return the expression with values for the names in braces.

    The name stays beside its value as a remark, where a remark may stand.
    """
    parts: list[str] = []
    end = 0
    for match in _NAMED.finditer(text):
        name, value = _find_value(values, match[1])
        before, after = text[end : match.start()], text[match.end() : match.end() + 1]
        if not _BARE.fullmatch(value):
            value = f"({value})"
        # Numbers must not run into one another.
        gap = " " if before[-1:].isdigit() else ""
        if after.isdigit():
            remark = " "
        elif after.isalpha():
            remark = ""
        else:
            label = "".join(sign for sign in name if sign not in "[]")
            remark = f" [{label}]"
        parts.append(f"{before}{gap}{value}{remark}")
        end = match.end()
    return "".join(parts) + text[end:]


def _similar_rolls(state: TableState, actor: Actor, text: str) -> tuple[str, ...]:
    """Return the names of the actor's saved rolls that are like a text."""
    return similar_names(text, (name for name, _ in state.person(actor.id).rolls), 0.6)


def expression(
    state: TableState, game: Game, actor: Actor, typed: str, as_: str | None, place: str
) -> tuple[Notation, AnyCharacter | None]:
    """Return the roll that a text means, and the character that is named or whose values it uses.

    Raises InvalidInput as `parse`; NotFound("unknown-roll") for a text like the name of a saved
    roll, ("unknown-value"); Impossible("free-no-characters") without a table; and as
    `acting_character`.
    """
    rolls = {name_key(name): dice for name, dice in state.person(actor.id).rolls}
    saved = rolls.get(name_key(typed))
    near = () if saved is not None else _similar_rolls(state, actor, typed)
    character = None
    try:
        text = translate_notation((typed if saved is None else saved).strip())
        if as_ is not None or _NAMED.search(_with_braces(text, {})):
            if not game.system.playable:
                raise Impossible("free-no-characters")
            character = acting_character(state, actor, as_, place)
            values = game.sheets.values(character)
            text = _with_values(_with_braces(text, values), values)
        return parse(text), character
    except RulesError:
        if near:
            raise NotFound("unknown-roll", field="dice", value=typed, nearest=near) from None
        raise


def roll_dice(state: TableState, action: RollDice, game: Game) -> Outcome:
    """Roll an expression: for everyone, privately for the actor and the GMs, or blind for the GMs.

    Without a table there are no GMs, so a private roll is for the actor alone. Rolls that not all
    may see use secret dice.

    Raises Impossible("blind-without-gm") for a blind roll without a table, and as `expression` and
    `throw`.
    """
    who, visibility = action.who.id, action.visibility
    if visibility == "blind" and not game.system.playable:
        raise Impossible("blind-without-gm")
    notation, character = expression(state, game, action.who, action.dice, action.as_, action.place)
    reason = one_line("reason", action.reason or notation.reason, REASON_MAX)
    public = visibility == "public"
    recorder = _Recorder(game.rng.public if public else game.rng.secret)
    totals = tuple(roll.total for roll in throw(notation, recorder))
    name = None
    if character is not None:
        name = public_name(character) if public else character.name
    event = DiceRolled(
        text=notation.text,
        by=who,
        visibility=visibility,
        faces=tuple(recorder.faces),
        totals=totals,
        reason=reason,
        name=name,
        characters=() if character is None else (character.id,),
    )
    return _visible_outcome(game, event, event.replace(faces=(), totals=()))


def produce(state: TableState, action: Produce, game: Game) -> Outcome:
    """Draw from one of the system's tables, such as EBB-ANOMALY and EBB-ARTEFACT.

    The result is visible as that of `roll_dice` is.

    Raises InvalidInput("unknown-generator"), Impossible if the system has no tables.
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
    return _visible_outcome(game, event, event.replace(lines=drawn.lines[:1], dice=()))


def _visible_outcome(
    game: Game, event: DiceRolled | Produced, stub: DiceRolled | Produced
) -> Outcome:
    """Return the outcome with the event for its audience.

    All participants read a public event, the actor and the GMs a private one. Of a blind event the
    GMs read everything, and the actor only *stub*. The private event of a GM is quiet for the other
    GMs, who can look it up.
    """
    state, who, visibility = game.state, game.actor, event.visibility
    actor_only, gm = Audience(people=(who.id,)), is_gm(state, who)
    if visibility == "public":
        return Outcome(state, (event,))
    if visibility == "private":
        if not game.system.playable:
            audience = actor_only
        else:
            audience = GMS if gm else actor_only.replace(gms=True)
        return Outcome(state, (event.replace(audience=audience, quiet=gm),))
    event = event.replace(audience=GMS)
    if gm:
        return Outcome(state, (event,))
    return Outcome(state, (stub.replace(audience=actor_only), event))


def _check_name(name: str) -> None:
    """Check the name of a saved roll. Raises InvalidInput("bad-roll-name", "roll-name-is-dice")."""
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
    """Check that an expression can be rolled with some values of a character.

    Raises InvalidInput("bad-saved-dice"), and as `parse`.
    """
    dice = translate_notation(dice)
    text = _with_braces(dice, {})
    if not _NAMED.search(text):
        parse(dice)
        return
    for value in _SAMPLE_VALUES:
        with suppress(InvalidInput):
            parse(_NAMED.sub(value, text))
            return
    raise InvalidInput("bad-saved-dice", field="dice", value=dice[:100])


def save_roll(state: TableState, action: SaveRoll, game: Game) -> Outcome:
    """Save a roll under a name, in place of the former one; without dice, delete it.

    Raises InvalidInput("bad-roll-name", "roll-name-is-dice", "bad-saved-dice"), as `parse`,
    NotFound("unknown-roll"), Impossible("too-many-rolls").
    """
    name, dice = " ".join(action.name.split()), action.dice.strip()
    person = state.person(action.who.id)
    kept = [roll for roll in person.rolls if name_key(roll[0]) != name_key(name)]
    if not dice:
        if len(kept) == len(person.rolls):
            near = _similar_rolls(state, action.who, name)
            near = near or tuple(title for title, _ in kept[:5])
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
    """Return whether the actor could roll this here and now: the character has all its values."""
    try:
        expression(state, game, action.who, dice, None, action.place)
    except RulesError:
        return False
    return True
