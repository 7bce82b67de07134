"""Learning effects for Life Points (MB-SFX-13)."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.advancement import advancement
from rules.systems.masterbook.character.effect_approvals import is_from_campaign
from rules.systems.masterbook.character.effect_io import EFFECTS_MOST, library_effects
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_economy import ref
from rules.systems.masterbook.checks.sheet_view import MasterbookCharacter
from rules.systems.masterbook.effects.access import (
    learning_value,
    require_access,
    waits_for_consent,
)
from rules.systems.masterbook.effects.consent import consent_events
from rules.systems.masterbook.effects.effect_settings import learning_cost, learning_points_each
from rules.systems.masterbook.effects.known_effects import (
    EFFECT_FIELD,
    FoundEffect,
    effects_on,
    find_effect,
)
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, KnownEffect
from rules.systems.masterbook.formulas.effect_worksheet import learning_limit
from rules.table.actions import Action, Advance
from rules.table.blocks import FOR_EVERYONE, Note, Text
from rules.table.commands import AS_FIELD
from rules.table.deeds import Deed
from rules.table.events import Reported
from rules.table.forms.fields import Option
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.people.characters import owner_audience
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game, GrowthResult

#: What the value of an effect among the steps of growth begins with.
_STEP: Final = "effect "
_FOCUSES: Final = "magic_skill_focuses"


class Limit(Record):
    """Number of learned effects of a skill, and the most that the character can learn."""

    known: int
    most: int


def learned_limit(game: Game, sheet: MasterbookSheet, blueprint: Blueprint) -> Limit:
    """Return the limit of learning in an effect's skill (MB-SFX-13).

    Each focus counts by itself where these skills are learned by focus.
    """

    def counts(known: KnownEffect) -> bool:
        same = known.blueprint.skill == blueprint.skill
        if game.setting(_FOCUSES):
            same = same and name_key(known.blueprint.focus) == name_key(blueprint.focus)
        return known.learned and same

    learned = sum(counts(known) for known in sheet.effects)
    value = learning_value(game, sheet, blueprint)
    return Limit(learned, learning_limit(value, learning_points_each(game)))


def require_learnable(game: Game, who: AnyCharacter, known: KnownEffect) -> Limit:
    """Return the limit of learning before an effect is learned (MB-SFX-13).

    Raises:
        Impossible("mb-effect-known"): it is learned already.
        Impossible("mb-effect-artifact"): a GM's artifact can't be copied (MB-SFX-15).
        Impossible("mb-effect-limit"): the skill has no room for another.
        Impossible("mb-not-enough"): the Life Points are missing.
        As `require_access`.
    """
    sheet: MasterbookSheet = who.sheet
    if known.learned:
        raise Impossible("mb-effect-known", who=who.name, effect=known.name)
    given = known.blueprint.given
    if given is not None and given.artifact:
        raise Impossible("mb-effect-artifact", effect=known.name)
    require_access(game, who.id, known)
    limit = learned_limit(game, sheet, known.blueprint)
    if limit.known >= limit.most:
        about = {"known": limit.known, "most": limit.most, "skill": known.blueprint.skill}
        raise Impossible("mb-effect-limit", who=who.name, **about)
    cost = learning_cost(game)
    if sheet.life_points < cost:
        raise Impossible("mb-not-enough", what="life_points", have=sheet.life_points, need=cost)
    return limit


def with_learned(game: Game, sheet: MasterbookSheet, known: KnownEffect) -> MasterbookSheet:
    """Return a sheet with an effect learned and paid for; the points of a rush stay (MB-SFX-92)."""
    learned = known.replace(learned=True, undesigned=False)
    names = [name_key(effect.name) for effect in sheet.effects]
    effects = [*sheet.effects]
    if name_key(known.name) in names:
        effects[names.index(name_key(known.name))] = learned
    else:
        effects.append(learned)
    points = sheet.life_points - learning_cost(game)
    return sheet.replace(effects=tuple(effects), life_points=points)


def learnable(game: Game, who: AnyCharacter) -> tuple[FoundEffect, ...]:
    """Return the effects that a character may name: its own, then the library's."""
    blueprints = library_effects(game.campaign)
    library = (FoundEffect(KnownEffect(blueprint)) for blueprint in blueprints)
    return (*effects_on(who), *library)


class LearnEffect(Action, kw_only=True):
    """Learn an effect for Life Points."""

    effect: str
    as_: str | None = None


def learn_effect(game: Game, action: LearnEffect) -> Outcome:
    """Learn an effect of the sheet or of the library for Life Points (MB-SFX-13).

    Where the GM agrees to each effect, a ready-made one is written down first, and the GM is asked.
    Raises as `acting_character`, `find_effect` and `require_learnable`.
    """
    who = acting_character(game.state, action.who, action.as_, action.place)
    found = find_effect(learnable(game, who), action.effect)
    known, sheet = found.known, who.sheet
    if found.who is None:
        if len(sheet.effects) >= EFFECTS_MOST:
            raise Impossible("mb-effect-sheet-full", who=who.name, most=EFFECTS_MOST)
        agreed = is_gm(game.state, game.actor) or is_from_campaign(game, known)
        known = known.replace(approved=agreed)
        if waits_for_consent(game, who.id, known):
            return _with_request(game, who, known)
    limit = require_learnable(game, who, known)
    changed = with_learned(game, sheet, known)
    after = game.with_sheet(who.id, changed)
    title = Text("mb-effect-learned", {"who": ref(who), "effect": known.name})
    note = Note(_learned_line(game, known, limit, changed), FOR_EVERYONE)
    event = Reported(audience=owner_audience(who), title=title, blocks=(note,), by=game.actor.id)
    return Outcome(after.state, (event,))


def _with_request(game: Game, who: AnyCharacter, known: KnownEffect) -> Outcome:
    """Write a blueprint down, and ask the GM for consent."""
    require_access(game, who.id, known.replace(approved=True))
    sheet: MasterbookSheet = who.sheet
    after = game.with_sheet(who.id, sheet.replace(effects=(*sheet.effects, known)))
    events = consent_events(after, after.character(who.id), known)
    return Outcome(after.state, events)


def _learned_line(game: Game, known: KnownEffect, limit: Limit, changed: MasterbookSheet) -> Text:
    about = {
        "known": limit.known + 1,
        "most": limit.most,
        "skill": known.blueprint.skill,
        "cost": learning_cost(game),
        "left": changed.life_points,
    }
    return Text("mb-effect-learned-line", about)


# --- among the steps of growth --------------------------------------------------------------------


def advancement_choices(game: Game, character: MasterbookCharacter) -> tuple[Option, ...]:
    """Return the steps that may be taken now: those for skill points, then effects to learn."""
    return (*advancement.advancement_choices(game, character), *_offered(game, character))


def _offered(game: Game, character: MasterbookCharacter) -> tuple[Option, ...]:
    """Return the blueprints of a sheet that can be learned now, each with its price."""
    options: list[Option] = []
    for known in character.sheet.effects:
        try:
            limit = require_learnable(game, character, known)
        except Impossible:
            continue
        about = {"name": known.name, "known": limit.known, "most": limit.most}
        label = Text("mb-effect-step-label", {**about, "cost": learning_cost(game)})
        options.append(Option(f"{_STEP}{known.name}", label))
    return tuple(options)


def advance(game: Game, character: MasterbookCharacter, action: Advance) -> GrowthResult:
    """Take a step of growth: learn an effect of the sheet, or raise a skill or Attribute.

    Raises as `require_learnable` and as `advancement.advance`.
    """
    known = _meant_effect(character.sheet, action.skill)
    if known is None:
        return advancement.advance(game, character, action)
    limit = require_learnable(game, character, known)
    sheet = with_learned(game, character.sheet, known)
    title = Text("mb-effect-learned", {"who": ref(character), "effect": known.name})
    lines = (title, _learned_line(game, known, limit, sheet))
    return GrowthResult(character.replace(sheet=sheet), lines)


def _meant_effect(sheet: MasterbookSheet, text: str) -> KnownEffect | None:
    """Return the effect of a sheet that a step of growth names; None for another step."""
    step_key = name_key(text)
    names = {name_key(f"{_STEP}{known.name}"): known for known in sheet.effects}
    return names.get(step_key)


_LEARN: Final = Deed(
    "effect learn", LearnEffect, learn_effect, (EFFECT_FIELD, AS_FIELD), openly=False
)
DEEDS: Final = (_LEARN,)
COMMANDS: Final = (_LEARN.as_command(),)
