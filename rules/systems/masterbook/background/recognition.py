"""`/mb background recognize`: rolls for Fame, Infamy and trademarks (MB-BG-14, -25, -33, -51).

The GMs' secret dice decide. Players read of a recognition once a GM tells them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, Literal

from rules.core.errors import Impossible
from rules.core.rng import Rng
from rules.systems.masterbook.background.completions import WHO_FIELD
from rules.systems.masterbook.background.matters import (
    MATTER_FIELD,
    matter_text,
    other_ref,
    request_events,
    requests,
)
from rules.systems.masterbook.background.state import (
    Matter,
    own_or_known,
    require_matter,
    require_new_matter,
    with_matter,
    without_matter,
)
from rules.systems.masterbook.character.option_effects import ActiveRecognition
from rules.systems.masterbook.character.sheet import option_effects
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import ref
from rules.systems.masterbook.checks.background_memory import is_recognized, with_recognition
from rules.systems.masterbook.formulas import dice
from rules.systems.masterbook.formulas.background import (
    Culture,
    is_recognized_on,
    recognition_target,
)
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, GMS, Block, Fact, Note, Roll, Text
from rules.table.check import Values
from rules.table.commands import NAME_MAX, ButtonQuestion, known_character_options
from rules.table.deeds import Deed
from rules.table.events import Reported
from rules.table.forms.fields import Flag, Number, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game

COMMAND: Final = "background recognize"


class RecognitionRoll(ActiveRecognition):
    """A recognition roll: the dice, what they have to reach, and whether they did."""

    dice: dice.Roll = dice.Roll()
    target: int = 0
    modifier: int = 0
    #: Whether the character needed no roll.
    announced: bool = False

    @property
    def recognized(self) -> bool:
        return self.announced or is_recognized_on(self.dice.total, self.modifier, self.target)


def roll_recognition(
    rng: Rng, option: ActiveRecognition, culture: Culture, modifier: int = 0, *, name: bool = False
) -> RecognitionRoll:
    """Return a recognition roll; every 10 is rolled again (MB-BG-14).

    With *name* the character gives the name, which needs no roll at home for some.
    """
    announced = name and culture == "home" and option.recognition.announced
    thrown = dice.Roll() if announced else dice.throw(rng, tens=True)
    target = recognition_target(option.recognition, culture)
    return RecognitionRoll(
        option.cause,
        option.name,
        option.column,
        option.recognition,
        option.targets,
        thrown,
        target,
        modifier,
        announced,
    )


# --- the roll -------------------------------------------------------------------------------------


class Recognize(Action, kw_only=True):
    """Ask the GMs whether a character is recognized; for a GM roll it."""

    #: Character who may be recognized; empty for the main character.
    character: str = ""
    where: Literal["", "home", "elsewhere"] = ""
    #: Character who may recognize it.
    by: str = ""
    modifier: int | None = None
    #: Whether the character gives the name.
    announced: bool = False
    #: Number of the request that a GM answers.
    matter: int | None = None


def recognize(game: Game, action: Recognize) -> Outcome:
    """Ask the GMs whether a character is recognized; for a GM roll it.

    Raises as `own_or_known` and `find_known`, Impossible("mb-recognition-none") without anything to
    be recognized by, for a GM also ("mb-recognition-known") if it is known in this adventure, and
    as `require_matter`.
    """
    matter = None
    if action.matter is not None:
        require_gm(game.state, game.actor)
        matter = require_matter(game, action.matter)
        who, other = game.character(matter.who), matter.other
    else:
        who = own_or_known(game, action.character or None)
        other = _other(game, action.by)
    if not option_effects(who.sheet).recognitions:
        raise Impossible("mb-recognition-none", name=who.name)
    culture: Culture = action.where or (matter.culture if matter is not None else "elsewhere")
    if not is_gm(game.state, game.actor):
        return _request(game, who, other, culture)
    if matter is not None:
        game = without_matter(game, matter.number)
    return _roll(game, action, who, other, culture)


def _other(game: Game, text: str) -> str:
    return find_known(game.state, game.actor, text, "by").id if text else ""


def _request(game: Game, who: AnyCharacter, other: str, culture: Culture) -> Outcome:
    """Put a player's request on the GMs' list; the same for whatever the dice will say.

    Impossible("mb-background-waits") if it stands there.
    """
    asked = Matter(0, "recognize", who.id, "", other=other, culture=culture)
    require_new_matter(game, asked)
    game, matter = with_matter(game, asked)
    return Outcome(game.state, request_events(game, who, matter, COMMAND))


def _roll(
    game: Game, action: Recognize, who: AnyCharacter, other: str, culture: Culture
) -> Outcome:
    """Roll for all that may give the character away, and tell the GMs.

    Raises Impossible("mb-recognition-known").
    """
    options = _unrolled(game, who, other)
    if not options:
        other_name = game.character(other).name
        raise Impossible("mb-recognition-known", name=who.name, other=other_name)
    rolls: list[RecognitionRoll] = []
    blocks: list[Block] = []
    for option in options:
        roll = roll_recognition(
            game.rng.secret, option, culture, action.modifier or 0, name=action.announced
        )
        rolls.append(roll)
        blocks += _roll_blocks(roll)
        if other:
            game = with_recognition(game, who.id, roll.cause, other, roll.recognized)
    known = [roll for roll in rolls if roll.recognized]
    about = {
        "who": ref(who),
        "other": ref(game.character(other)) if other else None,
        "known": bool(known),
    }
    event = Reported(
        audience=GMS,
        title=Text("mb-recognition-title", about),
        blocks=tuple(blocks),
        by=game.actor.id,
    )
    if known:
        names = ", ".join(roll.cause for roll in known)
        result = Matter(0, "recognized", who.id, names, other=other, culture=culture)
        game, matter = with_matter(game, result)
        event = event.replace(
            button=Text("mb-background-tell"),
            command="background due",
            values={"done": matter.number},
        )
    return Outcome(game.state, (event,))


def _unrolled(game: Game, who: AnyCharacter, other: str) -> list[ActiveRecognition]:
    """Return the recognitions without a result yet in this adventure, by the *other* character."""
    options = option_effects(who.sheet).recognitions
    if not other:
        return list(options)
    return [
        option for option in options if is_recognized(game, who.id, option.cause, other) is None
    ]


def _roll_blocks(roll: RecognitionRoll) -> Iterator[Block]:
    """Yield the dice of a recognition roll with their result, and what follows for the GM."""
    name = Text("as-written", {"text": roll.cause})
    if roll.announced:
        yield Fact(name, Text("mb-recognition-announced"), FOR_EVERYONE)
    else:
        numbers = {"total": roll.dice.total, "modifier": roll.modifier or None}
        result = Text("mb-recognition-numbers", {**numbers, "target": roll.target})
        yield Roll(None, name, roll.dice.fallen, result, FOR_EVERYONE)
    if roll.recognized:
        about = {"number": roll.recognition.difficulty, "skills": roll.recognition.skills}
        worst = roll.column if roll.recognition.difficulty > 0 else 0
        yield Note(Text("mb-recognition-effect", {**about, "column": worst}), FOR_EVERYONE)


def announce_recognition(game: Game, matter: Matter) -> Reported:
    """Return the event by which players learn of a recognition once a GM tells it."""
    who = game.character(matter.who)
    title = Text("mb-recognition-told", {"who": ref(who), "other": other_ref(game, matter)})
    return Reported(title=title, blocks=(), by=game.actor.id)


# --- the command ----------------------------------------------------------------------------------

_WHERE: Final = Pick("where", choices=plain_options(("home", "elsewhere")))
_MODIFIER: Final = Number("modifier", low=-20, high=20)
_ANNOUNCED: Final = Flag("announced")
_BY: Final = Typed("by", most=NAME_MAX, choices=known_character_options)
_FIELDS: Final = (WHO_FIELD, _WHERE, _BY, _MODIFIER, _ANNOUNCED)
_ROLL: Final = Deed(COMMAND, Recognize, recognize, (*_FIELDS, MATTER_FIELD), openly=False)


def _ask(game: Game, said: Values) -> ButtonQuestion:
    """Ask a GM how a requested recognition roll is made. Raises as `require_matter`."""
    require_gm(game.state, game.actor)
    matter = require_matter(game, said[MATTER_FIELD.key])
    form = Form((_WHERE, _MODIFIER, _ANNOUNCED))
    return ButtonQuestion(
        form, matter.who, matter_text(game, matter), lambda values: Text("mb-recognition-roll")
    )


DEEDS: Final = (_ROLL,)
COMMANDS: Final = (
    command(
        COMMAND,
        _ROLL.run,
        *_FIELDS,
        pressed=Form((MATTER_FIELD,)),
        asks=_ask,
        waits=partial(requests, kind="recognize"),
    ),
)
