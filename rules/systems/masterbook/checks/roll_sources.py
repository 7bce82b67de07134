"""What somebody can roll, by name, and with what value (MB-SKL-01, MB-SKILL-01 to MB-SKILL-05,
MB-DMG-07, -08).
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
#: What wounds and being knocked down hamper most.
PHYSICAL: Final = ("agility", "dexterity", "strength", "endurance")


class RollSource(Record):
    """Something that is rolled: a skill with its adds, `focus` and `special` where it has some, or
    an Attribute.

    `special_adds` come on top of `adds` where the specialization is meant.
    """

    name: str
    attribute: str
    skill: str = ""
    focus: str = ""
    adds: int = 0
    special: str = ""
    special_adds: int = 0
    #: Whether an option names it that hasn't been learned (MB-BG-23, MB-BG-33).
    opened: bool = False
    #: Whether its add is the one that Special Effects brings (MB-BG-31).
    free_add: bool = False

    @property
    def all_adds(self) -> int:
        """Those of the skill and of the specialization that is meant."""
        return self.adds + self.special_adds

    def of(self, moment: Moment) -> Moment:
        """The number of that moment, as rolled with this."""
        return moment.replace(attribute=self.attribute, adds=self.all_adds, skill=bool(self.skill))

    def value(self, sheet: MasterbookSheet) -> int:
        """What it is worth to somebody, with what running effects add (MB-SKL-01, MB-SFX-24)."""
        value = attribute(sheet, self.attribute) + self.all_adds
        return changed_value(value, skill_change(sheet, self.skill, self.focus, self.special))


def _of(skill: Skill) -> RollSource:
    kind = SKILLS.get(skill.name)
    key = skill.attribute if kind is None else kind.attribute
    return RollSource(skill.title, key, skill.name, skill.focus, skill.adds)


_NAME: Final = attrgetter("name")


def learned_sources(sheet: MasterbookSheet) -> tuple[RollSource, ...]:
    """What somebody has learned, each skill before its specializations, then what options open."""
    return _with_opened(option_effects(sheet))(skills_with_adds(sheet))


@memo_by_identity
def _with_opened(effects: OptionEffects) -> Callable[[Skills], tuple[RollSource, ...]]:
    return memo_by_identity(partial(_learned, effects))


def _learned(effects: OptionEffects, skills: Skills) -> tuple[RollSource, ...]:
    known = _known(skills)
    have = {name_key(each.name): each for each in known}
    opened = {name_key(each.name): each for each in _opened(effects, have)}
    return (*known, *(each for key, each in opened.items() if key not in have))


def _opened(effects: OptionEffects, have: Mapping[str, RollSource]) -> Iterator[RollSource]:
    """Yield what options let a character roll; *have* is what it has learned, by name."""
    learned = {each.skill for each in have.values() if each.adds}
    for name in effects.effects_skills:
        kind = SKILLS.get(split_skill(name)[0])
        if kind is not None and kind.name not in learned:
            yield RollSource(name, kind.attribute, kind.name, adds=1, free_add=True)
    for culture in effects.cultures:
        title = skill_title(_SCHOLAR, culture)
        yield RollSource(title, SKILLS[_SCHOLAR].attribute, _SCHOLAR, culture, opened=True)
    # A specialization that has a bonus can be rolled by its name without adds (MB-BG-33).
    for effect in (*effects.bonuses, *effects.floors):
        for target in effect.named:
            name, focus, special = split_skill(target)
            kind = SKILLS.get(name)
            whole = have.get(name_key(skill_title(name, focus)))
            if kind is not None and special:
                adds = 0 if whole is None else whole.adds
                yield RollSource(target, kind.attribute, name, focus, adds, special, opened=True)


#: Skill as which a known culture is known.
_SCHOLAR: Final = "Scholar"


@memo_by_identity  # asked again and again, and changed seldom, while much else of a sheet changes
def _known(skills: tuple[Skill, ...]) -> tuple[RollSource, ...]:
    found: list[RollSource] = []
    for each in skills:
        plain = _of(each)
        found.append(plain)
        found += [
            plain.replace(name=f"{plain.name} ({name})", special=name, special_adds=adds)
            for name, adds in each.specializations
        ]
    return tuple(found)


@memo_by_identity
def _called(learned: tuple[RollSource, ...]) -> dict[str, RollSource]:
    """What somebody can roll, by whole name: what they have learned first, and of several of one
    name the first.

    What begins like another is never meant by that one's name: `Con` is no Conjuration.
    """
    everything = (*learned, *_unlearned(learned), *attributes())
    return {name_key(each.name): each for each in reversed(everything)}


def unlearned_sources(sheet: MasterbookSheet) -> tuple[RollSource, ...]:
    """The skills of the list that somebody lacks."""
    return _unlearned(learned_sources(sheet))


@memo_by_identity
def _unlearned(learned: tuple[RollSource, ...]) -> tuple[RollSource, ...]:
    have = {each.skill for each in learned if each.free_add or not each.opened}
    return tuple(
        [
            RollSource(each.name, each.attribute, each.name)
            for each in SKILLS.values()
            if each.name not in have
        ]
    )


_BARE: Final = tuple([RollSource(each.capitalize(), each) for each in ATTRIBUTES])


def attributes() -> tuple[RollSource, ...]:
    """The eight Attributes by themselves."""
    return _BARE


def find_source(sheet: MasterbookSheet, text: str) -> RollSource:
    """What is meant: a skill, a specialization, an Attribute. NotFound("unknown-choice",
    "ambiguous-choice").

    A focus that is not on the sheet is meant by `Martial Arts: judo`.
    """
    if exact := _called(learned_sources(sheet)).get(name_key(text)):
        return exact
    mine, others = learned_sources(sheet), (*unlearned_sources(sheet), *attributes())
    for group in (mine, (*mine, *others)):
        if matches(group, text, _NAME):
            return unique_match(group, text, _NAME, field="skill")
    head, colon, focus = text.partition(":")
    kind = next((each for each in SKILLS.values() if name_key(each.name) == name_key(head)), None)
    if colon and kind is not None and kind.macro and focus.strip():
        return RollSource(
            skill_title(kind.name, focus.strip()[:100]),
            kind.attribute,
            kind.name,
            focus.strip()[:100],
        )
    return unique_match((*mine, *others), text, _NAME, field="skill")


def find_attribute(text: str) -> str:
    """The Attribute that is meant. NotFound as `find_source`."""
    return unique_match(ATTRIBUTES, text, field="attribute")


def source_rating(
    game: Game,
    who: str,
    means: RollSource,
    *,
    key: str = "",
    passive: bool = False,
    rare: int = 0,
    opened: bool = False,
) -> Rating:
    """The value that somebody rolls with, or that stands against others, and what state adds to it.

    `key` is another Attribute in the place of the skill's own. `rare` is what the commonness of a
    vehicle adds to the difficulty of piloting untrained. What takes training is `opened` by a card.
    What options add to a roll is in it, but for passive values (MB-BG-15).

    Raises:
        Impossible("mb-trained-only"), but for a character that may play a card for it.
        Impossible("mb-ruled-out") for what a Handicap makes impossible.
    """
    sheet: MasterbookSheet = game.sheet(who)
    key = key or means.attribute
    barred = not passive and bool(marks_of(game.state, who, UNTRAINED))
    without = barred or (means.free_add and not brings_free_add(game))
    why = option_effects(sheet).ruled_out_by(means.skill, means.focus, means.special)
    if why and not passive:
        raise Impossible("mb-ruled-out", name=means.name, who=game.display_name(who), why=why)
    adds, special = (0, 0) if without or why else (means.adds, means.special_adds)
    value, trained = attribute_rules.skill_value(attribute(sheet, key), adds, special)
    value = changed_value(value, skill_change(sheet, means.skill, means.focus, means.special))
    kind: SkillKind | None = SKILLS.get(means.skill)
    harder, waits = 0, False
    if kind is not None and not trained and not passive:
        harder = untrained_penalty(kind, game.setting, rare)
        new = not means.all_adds
        waits = harder is None and new and not opened and may_train(game, who)
        if harder is None and not waits and not (new and opened):
            raise Impossible("mb-trained-only", name=kind.name, who=game.display_name(who))
    physical = key in PHYSICAL
    before = [each.value for each in marks_of(game.state, who, AT_ONCE, BODY if physical else MIND)]
    hampered = before[0] if before else damage.penalty(sheet.harm, physical)
    lasting = mark_total(game.state, who, ACTION)
    causes = nonzero_causes(
        ("untrained", -(harder or 0)), ("wounds", hampered), (ACTION_NAME, lasting)
    )
    # An Attribute by itself has its 10s rolled again; one that stands in for a skill has not
    # (MB-DIE-02).
    found = Rating(value, trained or not means.skill, causes, barred=waits)
    return found if passive else _with_options(option_effects(sheet), means, key, found)


def _with_options(effects: OptionEffects, means: RollSource, key: str, rating: Rating) -> Rating:
    """Return a rating with what options add to a roll (MB-BG-28, -29, -30, -33, -41)."""
    use = (means.skill, means.focus, means.special)
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
    """The best that somebody has of these skills, the first where none is learned (MB-SKILL-05)."""
    have = [each for each in learned_sources(sheet) if each.skill in names and not each.special]
    if have:
        best, _ = best_skill({each.name: each.value(sheet) for each in have})
        return next(each for each in have if each.name == best)
    kind = SKILLS[names[0]]
    return RollSource(kind.name, kind.attribute, kind.name)
