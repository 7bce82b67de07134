"""Late rulings: stages that rule by a default at once, and the command that changes the ruling.

MB-CARD-I08, MB-CARD-I11, MB-CARD-I12, MB-CARD-C06, MB-CARD-L04.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.sheet_damage import AGED, without_stymied_shock
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, GMS_ONLY, Note, Text, Viewers
from rules.table.check import ANY_GM, AnyCheck, Choice, Values
from rules.table.checks.check_events import reopened_events
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.commands import CommandResult, PendingButton
from rules.table.deeds import Deed
from rules.table.events import EVERYONE, GMS, Event, Reported
from rules.table.forms.fields import FormContext, Option, Typed
from rules.table.forms.form import Form
from rules.table.marks import mark_total
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.system import Game, is_npc


class LateRulingStage(Stage[Any]):
    """A stage that rules by the table's default, and that a GM may change afterwards."""

    #: Whether a late ruling changes how the check came out, so that its message is posted anew.
    changes_outcome: bool = False

    def asks_gms(self, game: Game) -> bool:
        """Return whether the check waits for the GM's ruling, as in the book."""
        return game.state.settings.wait_for_everybody

    def late_options(self, game: Game, check: AnyCheck) -> tuple[CheckOption, ...]:
        """Return the rulings that a GM may make instead; none once it is too late."""
        return ()

    def rule_late(self, game: Game, check: AnyCheck, option: str) -> StageResult[Any]:
        """Carry out an option of `late_options`."""
        return self.choose(game, check, Choice(self.name, option, ANY_GM))

    def ruling_text(self, game: Game, check: AnyCheck, option: CheckOption) -> Text:
        """Return the line about a late ruling that the table reads."""
        return option.label

    def ruling_viewers(self, game: Game, check: AnyCheck, option: str = "") -> Viewers:
        """Return who may know of the ruling."""
        return FOR_EVERYONE if check.is_public else GMS_ONLY


class StymiedShockStage(LateRulingStage):
    """Shock that a character of age takes by being stymied, unless the GM waives it (MB-BG-42)."""

    name = "aged"

    def late_options(self, game: Game, check: AnyCheck) -> tuple[CheckOption, ...]:
        if not is_newest_of_actor(game, check):
            return ()
        options: list[CheckOption] = []
        for who, character in game.state.characters.items():
            shock = mark_total(game.state, who, AGED, check.id)
            if shock:
                text = Text("mb-waive-shock", {"name": character.name, "shock": shock})
                options.append(CheckOption(who, text))
        return tuple(options)

    def rule_late(self, game: Game, check: AnyCheck, option: str) -> StageResult[Any]:
        game = without_stymied_shock(game, option, check.id)
        return StageResult(game.state, check.data)

    def ruling_viewers(self, game: Game, check: AnyCheck, option: str = "") -> Viewers:
        if option and is_npc(game, option):
            return GMS_ONLY
        return super().ruling_viewers(game, check, option)


def is_newest_of_actor(game: Game, check: AnyCheck) -> bool:
    """Return whether the actor of a check has begun no check since."""
    own = [other.number for other in game.state.checks.values() if other.actor == check.actor]
    return all(number <= check.number for number in own)


def open_rulings(game: Game) -> Iterator[tuple[AnyCheck, LateRulingStage, CheckOption]]:
    """Yield the rulings that GMs may still make, the newest check first."""
    for check in sorted(game.state.checks.values(), key=lambda check: -check.number):
        if check.is_open:
            continue
        for stage in game.system.procedures[check.kind].stages.values():
            if isinstance(stage, LateRulingStage):
                for option in stage.late_options(game, check):
                    yield check, stage, option


def _token(check: AnyCheck, option: CheckOption) -> str:
    """Return the token of an option for a button's id, in which colons separate the parts."""
    return f"{check.id}.{option.value.replace(':', '-')}"


def _choices(asking: FormContext) -> tuple[Option, ...]:
    game = asking.game
    if game is None or not is_gm(game.state, game.actor):
        return ()
    rulings = open_rulings(game)
    return tuple(Option(_token(check, option), option.label) for check, _, option in rulings)


class LateRuling(Action, kw_only=True):
    """Change a ruling that the table has made, for a GM."""

    #: Token of an open ruling.
    ruling: str


def rule_late(game: Game, action: LateRuling) -> Outcome:
    """Change a ruling that the table has made.

    Raises NotPermitted("gm-only"), and InvalidInput("mb-ruling-over") if the ruling isn't among
    those of `open_rulings`.
    """
    require_gm(game.state, action.who)
    rulings: dict[str, tuple[AnyCheck, LateRulingStage, CheckOption]] = {}
    for check, stage, option in open_rulings(game):
        rulings[_token(check, option)] = (check, stage, option)
    if action.ruling not in rulings:
        value = action.ruling[:100]
        raise InvalidInput("mb-ruling-over", field="ruling", value=value, allowed=tuple(rulings))
    check, stage, option = rulings[action.ruling]
    result = stage.rule_late(game, check, option.value)
    now = check.replace(data=result.data, revision=check.revision + 1)
    is_secret = stage.ruling_viewers(game, check, option.value) is GMS_ONLY
    report = Reported(
        audience=GMS if is_secret else EVERYONE,
        title=Text("mb-ruling-title"),
        blocks=(Note(stage.ruling_text(game, check, option), FOR_EVERYONE),),
        by=game.actor.id,
    )
    state = result.state.with_check(now)
    shown: tuple[Event, ...] = ()
    if stage.changes_outcome:
        shown = reopened_events(game.state, game.with_state(state), now)
    return Outcome(state, (report, *shown, *result.events))


def pending_rulings(game: Game) -> Iterator[PendingButton]:
    """Yield a button for each ruling that a GM may still make, for `/moves`."""
    if not is_gm(game.state, game.actor):
        return
    for check, _, option in open_rulings(game):
        values = {_RULING.key: _token(check, option)}
        yield PendingButton(Text("mb-ruling-open"), option.label, values, offer=True)


def _run(game: Game, said: Values) -> CommandResult:
    """Change a ruling. Only GMs read of a secret one."""
    secret = False
    for check, stage, option in open_rulings(game):
        if _token(check, option) == said[_RULING.key]:
            secret = stage.ruling_viewers(game, check, option.value) is GMS_ONLY
    return _RULE.run(game, said).replace(openly=not secret)


_RULING: Final = Typed("ruling", most=100, needed=True, choices=_choices)
_RULE: Final = Deed("card ruling", LateRuling, rule_late, (_RULING,))
DEEDS: Final = (_RULE,)
COMMANDS: Final = (
    command(_RULE.command, _run, *_RULE.options, pressed=Form((_RULING,)), waits=pending_rulings),
)
