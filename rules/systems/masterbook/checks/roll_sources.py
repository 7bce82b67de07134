"""Sources of a character's rolls, by name, and their ratings.

MB-SKL-01, MB-SKILL-01 to MB-SKILL-05, MB-DMG-07, MB-DMG-08.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from typing import Final

from rules.core.errors import Impossible
from rules.core.memo import memo_by_identity
from rules.core.name_matching import matches, name_key, unique_match
from rules.core.record import Record
from rules.systems.masterbook.character.casting_skills import brings_free_add
from rules.systems.masterbook.character.option_effects import OptionEffects
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    Skill,
    attribute,
    changed_value,
    option_effects,
    skill_change,
    skill_title,
    skills_with_adds,
)
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, split_skill
from rules.systems.masterbook.checks.action_economy import ACTION, ACTION_NAME, AT_ONCE, BODY, MIND
from rules.systems.masterbook.checks.card_windows import may_train
from rules.systems.masterbook.checks.state import Rating
from rules.systems.masterbook.deck.play import Moment
from rules.systems.masterbook.formulas import attributes as attribute_rules
from rules.systems.masterbook.formulas import damage
from rules.systems.masterbook.formulas.interaction import UNTRAINED
from rules.systems.masterbook.formulas.reference_rows import nonzero_causes
from rules.systems.masterbook.formulas.skills import (
    SKILLS,
    SkillKind,
    best_skill,
    untrained_penalty,
)
from rules.table.marks import mark_total, marks_of
from rules.table.system import Game

Skills = tuple[Skill, ...]
#: Attributes that wounds and being knocked down hamper most.
PHYSICAL: Final = ("agility", "dexterity", "strength", "endurance")


class RollSource(Record):
    """Skill or Attribute that a character rolls."""

    name: str
    attribute: str
    #: Skill by its name in the book; empty for an Attribute.
    skill: str = ""
    focus: str = ""
    adds: int = 0
    #: Specialization, and its adds on top of the skill's.
    special: str = ""
    special_adds: int = 0
    #: Whether an option names it that hasn't been learned (MB-BG-23, MB-BG-33).
    opened: bool = False
    #: Whether its add is the one that Special Effects brings (MB-BG-31).
    free_add: bool = False

    @property
    def all_adds(self) -> int:
        """Adds of the skill and of the specialization."""
        return self.adds + self.special_adds

    def of(self, moment: Moment) -> Moment:
        """Return a moment in which this source is rolled."""
        return moment.replace(attribute=self.attribute, adds=self.all_adds, skill=bool(self.skill))

    def value(self, sheet: MasterbookSheet) -> int:
        """Return the value by a sheet, with running effects (MB-SKL-01, MB-SFX-24)."""
        value = attribute(sheet, self.attribute) + self.all_adds
        return changed_value(value, skill_change(sheet, self.skill, self.focus, self.special))


def _of(skill: Skill) -> RollSource:
    kind = SKILLS.get(skill.name)
    key = skill.attribute if kind is None else kind.attribute
    return RollSource(skill.title, key, skill.name, skill.focus, skill.adds)


_NAME: Final = attrgetter("name")


def learned_sources(sheet: MasterbookSheet) -> tuple[RollSource, ...]:
    """Return a character's skills, each before its specializations, then what options open."""
    return _with_opened(option_effects(sheet))(skills_with_adds(sheet))


@memo_by_identity
def _with_opened(effects: OptionEffects) -> Callable[[Skills], tuple[RollSource, ...]]:
    return memo_by_identity(partial(_all_sources, effects))


def _all_sources(effects: OptionEffects, skills: Skills) -> tuple[RollSource, ...]:
    own = _skill_sources(skills)
    learned = {name_key(source.name): source for source in own}
    opened: dict[str, RollSource] = {}
    for source in _opened_sources(effects, learned):
        key = name_key(source.name)
        if key not in learned:
            opened[key] = source
    return (*own, *opened.values())


def _opened_sources(
    effects: OptionEffects, learned: Mapping[str, RollSource]
) -> Iterator[RollSource]:
    """Yield what options let a character roll, besides what it has *learned*, by name."""
    skills_with_adds = {source.skill for source in learned.values() if source.adds}
    for name in effects.effects_skills:
        kind = SKILLS.get(split_skill(name)[0])
        if kind is not None and kind.name not in skills_with_adds:
            yield RollSource(name, kind.attribute, kind.name, adds=1, free_add=True)
    for culture in effects.cultures:
        title = skill_title(_SCHOLAR, culture)
        yield RollSource(title, SKILLS[_SCHOLAR].attribute, _SCHOLAR, culture, opened=True)
    # A specialization that has a bonus can be rolled by its name without adds (MB-BG-33).
    for effect in (*effects.bonuses, *effects.floors):
        for target in effect.named:
            name, focus, special = split_skill(target)
            kind = SKILLS.get(name)
            whole = learned.get(name_key(skill_title(name, focus)))
            if kind is not None and special:
                adds = 0 if whole is None else whole.adds
                yield RollSource(target, kind.attribute, name, focus, adds, special, opened=True)


#: Skill as which a known culture is known.
_SCHOLAR: Final = "Scholar"


@memo_by_identity  # Read often and changed seldom, while much else of a sheet changes.
def _skill_sources(skills: tuple[Skill, ...]) -> tuple[RollSource, ...]:
    """Return the sources of skills, each before its specializations."""
    sources: list[RollSource] = []
    for skill in skills:
        plain = _of(skill)
        sources.append(plain)
        for special, adds in skill.specializations:
            name = f"{plain.name} ({special})"
            sources.append(plain.replace(name=name, special=special, special_adds=adds))
    return tuple(sources)


@memo_by_identity
def _sources_by_name(learned: tuple[RollSource, ...]) -> dict[str, RollSource]:
    """Return all sources by whole name, of several with one name the first.

    A name never means a longer one: `Con` is no Conjuration.
    """
    everything = (*learned, *_lacking_sources(learned), *attributes())
    return {name_key(source.name): source for source in reversed(everything)}


def unlearned_sources(sheet: MasterbookSheet) -> tuple[RollSource, ...]:
    """Return the skills of the book that a character lacks."""
    return _lacking_sources(learned_sources(sheet))


@memo_by_identity
def _lacking_sources(learned: tuple[RollSource, ...]) -> tuple[RollSource, ...]:
    names = {source.skill for source in learned if source.free_add or not source.opened}
    lacking = [skill for skill in SKILLS.values() if skill.name not in names]
    return tuple(RollSource(skill.name, skill.attribute, skill.name) for skill in lacking)


_BARE: Final = tuple(RollSource(key.capitalize(), key) for key in ATTRIBUTES)


def attributes() -> tuple[RollSource, ...]:
    """Return the eight Attributes by themselves."""
    return _BARE


def find_source(sheet: MasterbookSheet, text: str) -> RollSource:
    """Return the skill, specialization or Attribute that *text* names.

    `Martial Arts: judo` names a focus that is not on the sheet. Raises NotFound("unknown-choice",
    "ambiguous-choice").
    """
    learned = learned_sources(sheet)
    exact = _sources_by_name(learned).get(name_key(text))
    if exact is not None:
        return exact
    everything = (*learned, *unlearned_sources(sheet), *attributes())
    for group in (learned, everything):
        if matches(group, text, _NAME):
            return unique_match(group, text, _NAME, field="skill")
    head, _, focus = text.partition(":")
    focus = focus.strip()[:100]
    kind = next((kind for kind in SKILLS.values() if name_key(kind.name) == name_key(head)), None)
    if kind is not None and kind.macro and focus:
        return RollSource(skill_title(kind.name, focus), kind.attribute, kind.name, focus)
    return unique_match(everything, text, _NAME, field="skill")


def find_attribute(text: str) -> str:
    """Return the Attribute that *text* names. Raises as `find_source`."""
    return unique_match(ATTRIBUTES, text, field="attribute")


def source_rating(
    game: Game,
    who: str,
    source: RollSource,
    *,
    attribute_instead: str = "",
    passive: bool = False,
    rare: int = 0,
    opened: bool = False,
) -> Rating:
    """Return the rating of a source, with the modifiers of a character's state.

    *attribute_instead* is rolled in the place of the skill's own Attribute. *rare* is the shift of
    a vehicle's commonness for an untrained pilot. A card has *opened* a skill that takes training.
    A *passive* value stands against others, without what options add to a roll (MB-BG-15).

    Checks, attacks, defenses, castings and passive values ask this function. A cause that counts
    everywhere, such as wounds, belongs here; a cause of the actor in one check belongs in
    `attempt_values.actor_rated`.

    Raises:
        Impossible("mb-trained-only"): the skill takes training, and no card may make up for it.
        Impossible("mb-ruled-out"): a Handicap makes the skill impossible.
    """
    sheet: MasterbookSheet = game.sheet(who)
    key = attribute_instead or source.attribute
    use = (source.skill, source.focus, source.special)
    why = option_effects(sheet).ruled_out_by(*use)
    if why and not passive:
        raise Impossible("mb-ruled-out", name=source.name, who=game.display_name(who), why=why)
    is_untrained = not passive and bool(marks_of(game.state, who, UNTRAINED))
    lacks_adds = is_untrained or (source.free_add and not brings_free_add(game))
    adds, special = (0, 0) if lacks_adds or why else (source.adds, source.special_adds)
    value, trained = attribute_rules.skill_value(attribute(sheet, key), adds, special)
    value = changed_value(value, skill_change(sheet, *use))

    kind: SkillKind | None = SKILLS.get(source.skill)
    penalty, waits = 0, False
    if kind is not None and not trained and not passive:
        penalty = untrained_penalty(kind, game.setting, rare)
        unlearned = not source.all_adds
        waits = penalty is None and unlearned and not opened and may_train(game, who)
        if penalty is None and not waits and not (unlearned and opened):
            about = {"name": kind.name, "who": game.display_name(who)}
            raise Impossible("mb-trained-only", field="skill", value=kind.name, **about)
    causes = nonzero_causes(
        ("untrained", -(penalty or 0)),
        ("wounds", _wound_penalty(game, who, physical=key in PHYSICAL)),
        (ACTION_NAME, mark_total(game.state, who, ACTION)),
    )
    # An Attribute by itself has its 10s rolled again; one that stands in for a skill has not
    # (MB-DIE-02).
    rating = Rating(value, trained or not source.skill, causes, barred=waits)
    if passive:
        return rating
    return _with_options(option_effects(sheet), source, key, rating)


def _wound_penalty(game: Game, who: str, *, physical: bool) -> int:
    """Return the penalty of a character's wounds.

    For characters who act at the same time, it is as it was when the first of them began.
    """
    before = marks_of(game.state, who, AT_ONCE, BODY if physical else MIND)
    return before[0].value if before else damage.penalty(game.sheet(who).harm, physical)


def _with_options(effects: OptionEffects, source: RollSource, key: str, rating: Rating) -> Rating:
    """Return a rating with what options add to a roll (MB-BG-28, -29, -30, -33, -41)."""
    use = (source.skill, source.focus, source.special)
    bonuses = effects.cause_total(effects.bonuses, *use)
    totals = effects.cause_total(effects.totals, *use)
    floors = [number for _, number in effects.cause_total(effects.floors, *use)]
    fails = [number for _, number in effects.cause_total(effects.failures, *use)]
    return rating.with_causes(
        *totals,
        bonuses=(*rating.bonuses, *bonuses),
        floor=max(floors, default=rating.floor),
        fails_on=max(fails, default=0),
    )


def best_source(sheet: MasterbookSheet, *names: str) -> RollSource:
    """Return a character's best of these skills; the first if none is learned (MB-SKILL-05)."""
    own: dict[str, RollSource] = {}
    for source in learned_sources(sheet):
        if source.skill in names and not source.special:
            own.setdefault(source.name, source)
    if not own:
        kind = SKILLS[names[0]]
        return RollSource(kind.name, kind.attribute, kind.name)
    best, _ = best_skill({name: source.value(sheet) for name, source in own.items()})
    return own[best]
