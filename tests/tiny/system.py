"""A whole rule system in ten functions: strength and a d10 against a level, and luck to throw
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.core.record import Record
from rules.core.rng import Die
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Quote,
    Ref,
    Roll,
    Term,
    Text,
    Verdict,
    graded_blocks,
)
from rules.table.check import Check, Choice, Cost, Values
from rules.table.checks.procedure import CHECK_BUTTON, CheckOption, Procedure, Stage, StageResult
from rules.table.checks.stages import ProposalData, ProposalStage, ReadyStage, RolledStage
from rules.table.forms.fields import Flag, Number, Typed
from rules.table.forms.form import Form
from rules.table.resources import Resource
from rules.table.settings.table_settings import REACTION_SETTINGS
from rules.table.state import AnyCharacter
from rules.table.system import Game, Sheets, System

# --- sheets ---------------------------------------------------------------------------------------


class Sheet(Record):
    strength: int = 0
    luck: int = 2


FIELDS: Final = Form(
    (Typed("name", needed=True), Number("strength", high=9), Number("luck", high=9))
)
LUCK: Final = Resource[Sheet](
    "luck", lambda sheet: sheet.luck, lambda sheet, left: sheet.replace(luck=left)
)


def read(game: Game, data: Mapping[str, object], new: bool) -> tuple[str, Sheet]:
    values = FIELDS.read_json(data)
    return values["name"], Sheet(values.get("strength", 0), values.get("luck", 2))


def write(character: AnyCharacter) -> dict[str, object]:
    return {
        "name": character.name,
        "strength": character.sheet.strength,
        "luck": character.sheet.luck,
    }


def describe(game: Game, character: AnyCharacter) -> tuple[Block, ...]:
    return (Note(Text("tiny-strength", {"points": character.sheet.strength}), (character.id,)),)


def health(game: Game, character: AnyCharacter, every: bool) -> tuple[Text, ...]:
    return (Text("tiny-well"),)


# --- a check --------------------------------------------------------------------------------------


class Try(ProposalData):
    how: str = ""
    level: int = 0
    faces: tuple[int, ...] = ()
    strength: int = 0


ASK: Final = Form((Typed("approach", most=200),))
RULE: Final = Form(
    (
        Number("difficulty", low=1, high=99_999, needed=True),
        Flag("hidden", label=Text("tiny-hidden")),
    )
)


class Proposal(ProposalStage[Try]):
    def read_request(self, game: Game, check: Check[Try], values: Values) -> Check[Try]:
        return check.replace(data=check.data.replace(how=check.approach or check.data.how))

    def read_ruling(self, game: Game, check: Check[Try]) -> Try:
        return check.data.replace(level=(check.data.ruled or {}).get("difficulty", 0))


class Throw(Stage[Try]):
    name = "throw"

    def enter(self, game: Game, check: Check[Try], /) -> StageResult[Try]:
        data = check.data
        face = game.rng_for(check).below(10) + 1
        return StageResult(
            game.state,
            data.replace(faces=(*data.faces, face), strength=game.sheet(check.actor).strength),
        )


class Pushing(RolledStage[Try]):
    name = "pushing"
    orders = (("react", CheckOption("push", Text("tiny-push"), cost=Cost("luck"))),)

    def options(
        self, game: Game, check: Check[Try], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (self.orders[0][1],) if who == check.actor and game.sheet(who).luck else ()

    def choose(self, game: Game, check: Check[Try], choice: Choice, /) -> StageResult[Try]:
        return StageResult(game.state, check.data, "throw")


def blocks(game: Game, check: Check[Try]) -> tuple[Block, ...]:
    data, found = check.data, list[Block]()
    seen = GMS_ONLY if check.visibility == "blind" else FOR_EVERYONE
    if data.how:
        found.append(Quote(data.how, check.by, FOR_EVERYONE))
    level = Fact(Text("tiny-level"), data.level, GMS_ONLY if check.hidden else FOR_EVERYONE)
    if not data.faces:
        return (*found, level) if data.level else tuple(found)
    total = data.faces[-1] + data.strength
    won = total >= data.level
    word = Text("tiny-success" if won else "tiny-failure")
    verdict = Verdict(word, "good" if won else "bad", seen)
    dice = tuple([Die("d10", 10, face) for face in data.faces])
    terms = (Term(Text("tiny-strength", {"points": data.strength}), data.strength),)
    roll = Roll(
        Ref(check.actor), None, dice, total, seen, terms, dropped=tuple(range(len(dice) - 1))
    )
    degree = Verdict(word, verdict.tone, seen, Text("tiny-by", {"points": abs(total - data.level)}))
    told = {"verdict": (verdict, roll), "degree": (degree,), "all": (verdict, roll, level)}
    return (*found, *graded_blocks(check, told.__getitem__))


CHECK: Final = Procedure(
    "check",
    ((PROPOSAL := Proposal(ASK, RULE)), ReadyStage(PROPOSAL), Throw(), Pushing()),
    data=Try,
    role="check",
    button=CHECK_BUTTON,
    form=ASK,
    begin=PROPOSAL.propose,
    describe=blocks,
    dice_have_fallen=lambda data: bool(data.faces),
    forget=lambda check, who, mine: check.data.replace(how="") if check.by == who else check.data,
)
TINY: Final = System(
    "tiny",
    "Tiny",
    sheets=Sheets(Sheet, read, write, describe, health),
    procedures={CHECK.kind: CHECK},
    settings=Form(REACTION_SETTINGS),
    resources=(LUCK,),
)
WORDS: Final[dict[str, str]] = {
    "tiny-strength": "Strength {points}",
    "tiny-well": "Well",
    "tiny-hidden": "Keep the level to yourself",
    "tiny-level": "Level",
    "tiny-push": "Throw again",
    "tiny-success": "Success",
    "tiny-failure": "Failure",
    "tiny-by": "by {points}",
}
