"""A table for tests of options: Ann's Anna, Ben's Boris and the Thug of the GM, with fixed dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from rules.core.rng import KeyedStreams, ScriptedRng
from rules.systems.masterbook.character.option_lines import OPTION_FORM, read_option
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.late_rulings import LateRuling, pending_rulings, rule_late
from rules.systems.masterbook.formulas.option_kinds import Side, option_kinds
from rules.systems.masterbook.system import SYSTEM
from rules.table.actions import Action, Actor, Begin, Choose
from rules.table.blocks import Block, Fact, Verdict
from rules.table.check import AnyCheck
from rules.table.checks.available_moves import check_moves
from rules.table.checks.odds import odds_of_check
from rules.table.checks.procedure import procedure_of
from rules.table.state import Character, Settings, TableState
from rules.table.system import Game, OddsTable
from tests.sample_table import ANN, BEN, GM, by, open_game, resolve

_OWNERS = {"anna": ANN.id, "boris": BEN.id, "thug": None}
_COMPENSATIONS = {row.name for row in option_kinds("compensation")}


def options_by_side(*lines: str) -> dict[str, tuple[BackgroundOption, ...]]:
    """Return options by the sides of a sheet, read from lines."""
    found: dict[str, list[BackgroundOption]] = {"advantages": [], "compensations": []}
    for line in lines:
        weak = line.partition(" (C")[0] in _COMPENSATIONS
        side: Side = "compensation" if weak else "advantage"
        values = OPTION_FORM.read_json(read_option(line, side))
        found[f"{side}s"].append(OPTION_FORM.make_record(BackgroundOption, values))
    return {key: tuple(options) for key, options in found.items()}


def with_options(sheet: MasterbookSheet, *lines: str) -> MasterbookSheet:
    """Return a sheet with options, read from lines."""
    return sheet.replace(**options_by_side(*lines))


class _FixedDice(KeyedStreams):
    """Streams whose dice all come from one list of faces."""

    def __init__(self, faces: tuple[int, ...]) -> None:
        super().__init__(b"p" * 32, b"s" * 32, "dice")
        self.faces: Any = ScriptedRng(faces)
        self.public = self.faces

    @property
    def secret(self) -> Any:
        return self.faces


class OptionTable:
    """A table in live play at which dice are final at once."""

    def __init__(self, own: Mapping[str, Any] | None = None, **sheets: MasterbookSheet) -> None:
        settings = Settings(
            "Dam", SYSTEM.key, (GM.id,), live=True, step_in_time=0, attacks_at_once=True
        )
        self.state = TableState(settings.replace(own=dict(own or {})))
        for name, owner in _OWNERS.items():
            sheet = sheets.get(name, MasterbookSheet()).replace(life_points=0)
            who = Character(name, name.capitalize(), owner, sheet)
            self.state = self.state.replace(characters={**self.state.characters, name: who})

    @classmethod
    def with_lines(cls, *lines: str, **sheet: Any) -> OptionTable:
        """Return a table whose Anna has these options."""
        return cls(anna=with_options(MasterbookSheet(**sheet), *lines))

    def asking(self) -> Self:
        """Return the table, with a GM who answers every proposal."""
        settings = self.state.settings.replace(live=False, attacks_at_once=False)
        self.state = self.state.replace(settings=settings)
        return self

    def game(self, who: Actor = GM) -> Game:
        return open_game(self.state, who)

    def do(self, action: Action, *faces: int) -> None:
        dice = _FixedDice(faces)
        outcome = resolve(self.state, action, dice)
        self.state, self.events = outcome.state, outcome.events
        assert not dice.faces.left, "every die is rolled"

    def begin(
        self, kind: str, *faces: int, actor: str = "anna", target: str = "", **values: Any
    ) -> AnyCheck:
        """Begin a check as its player, and return it."""
        who = self._player(actor)
        named: dict[str, Any] = {"target": target.capitalize()} if target else {}
        said = {"approach": "so", **values}
        self.do(Begin(**by(who), as_=actor.capitalize(), kind=kind, values=said, **named), *faces)
        return self.newest

    def _player(self, name: str) -> Actor:
        return {"anna": ANN, "boris": BEN}.get(name, GM)

    @property
    def newest(self) -> AnyCheck:
        return max(self.state.checks.values(), key=lambda each: each.number)

    def choose(self, prompt: str, option: str, who: Actor, *faces: int, **values: Any) -> AnyCheck:
        """Answer a prompt of the newest check, and return the check."""
        check = self.newest
        for move in check_moves(self.game(who), check):
            if move.prompt == prompt:
                offered = {each.value: each.values for each in move.options}
                said = {**offered.get(option, {}), **values}
                answer = {"check": check.id, "prompt": prompt, "number": move.number}
                self.do(Choose(**by(who), **answer, option=option, values=said), *faces)
                return self.newest
        raise AssertionError(f"{prompt} is not open")

    def proposed(self) -> tuple[str, ...]:
        """Return the situations that are proposed to the GM for the newest check."""
        for move in check_moves(self.game(GM), self.newest):
            for option in move.options:
                if move.prompt == "rule" and option.value == "roll":
                    return tuple(option.values.get("situations", ()))
        return ()

    def rulings(self, who: Actor) -> list[str]:
        """Return the rulings on situations that a participant may change afterwards."""
        found = pending_rulings(self.game(who))
        return [each.values["ruling"].partition(".")[2] for each in found]

    def rule(self, value: str) -> None:
        """Change a ruling afterwards, as its GM."""
        action = LateRuling(**by(GM), ruling=f"{self.newest.id}.{value}")
        self.state = rule_late(self.game(GM), action).state

    def odds(self, who: Actor = ANN) -> OddsTable:
        return odds_of_check(self.game(who), self.newest.id).tables[0]

    def blocks(self, *, gm: bool) -> list[Block]:
        """Return the blocks of the newest check that GMs read, or players."""
        check = self.newest
        found: list[Block] = []
        for block in procedure_of(self.game(), check.kind).describe(self.game(), check):
            visible = block.visible_to is None or (gm and block.visible_to == ())
            if visible and not (gm and block.hidden_from == ()):
                found.append(block)
        return found

    def numbers(self, *, gm: bool) -> Any:
        """Return total and number of the verdict on the newest check."""
        verdict = next(each for each in self.blocks(gm=gm) if isinstance(each, Verdict))
        return verdict.worked, None if verdict.numbers is None else dict(verdict.numbers.params)

    def causes(self, *, gm: bool) -> set[str]:
        """Return the names of options in the facts about the newest check."""
        found: set[str] = set()
        for block in self.blocks(gm=gm):
            if not isinstance(block, Fact):
                continue
            values = block.value if isinstance(block.value, tuple) else (block.value,)
            for value in values:
                params = getattr(value, "params", {})
                found |= {str(params[key]) for key in ("why", "row") if params.get(key)}
        return found
