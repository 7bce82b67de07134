"""What may be said of a check at each step, as forms: what a player proposes, brings or chooses,
what a GM answers.

BAR-TRAIT, BAR-POOL, BAR-DIE, BAR-AUTO, BAR-TIME, BAR-TEAM, BAR-OPPOSED.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.json_reader import read_whole_number, value_for_error
from rules.core.name_matching import require_no_slip, unique_match
from rules.systems.barmore import check_state, trait_trees
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.check_state import EITHER_OR, NO, PACES, YES, BarCheck, Plan
from rules.systems.barmore.odds import success_by_die
from rules.systems.barmore.pool import DIE_TYPES, STANDARD_DIE, find_die_type, no_dice_total
from rules.systems.barmore.reference_rows import GOVERNING_ATTRIBUTES, DieType
from rules.systems.barmore.sheet import BarSheet
from rules.systems.barmore.wounds import is_incapacitated
from rules.table import forms
from rules.table.blocks import Text, Value
from rules.table.checks import stages
from rules.table.checks.stages import NONE_WORD, is_none
from rules.table.forms import (
    Field,
    Flag,
    Form,
    FormContext,
    Many,
    Number,
    Option,
    Pick,
    Typed,
    Values,
    plain_options,
)
from rules.table.typed_texts import trimmed

#: The lowest and the highest Difficulty.
LOWEST, HIGHEST = -100, 1000
#: The most that a number in `with` can be.
MAX_OPTION_NUMBER: Final = 100
#: The highest factor of medical attention.
MOST_FACTOR: Final = 100
#: The most that a weapon which is on no sheet adds to a hit, or takes from it.
MOST_DAMAGE: Final = 20
#: Difficulties worth offering.
_DIFFICULTIES: Final = plain_options(map(str, (5, 10, 15, 20, 25, 30, 40)))
#: So many conversions a menu offers at most; more can be written with the proposal.
_MOST_CONVERTED = 10
#: In which order traits are offered, by the way in which they count.
_VIA_RANK: Final = {"own": 0, "ancestor": 1}


def read_factor(text: str) -> Fraction:
    """How many times as fast a Wound heals: `2`, `1/2`, `1.5`. InvalidInput("bad-factor").

    What a point makes of twelve signs is read again as the fraction that it is.
    """
    plain = text.strip().replace(",", ".")
    top, _, bottom = plain.partition("/")
    try:
        if (
            len(plain) > (12 if "." in plain else 26)
            or not plain.isascii()
            or "e" in plain.casefold()
        ):
            raise ValueError
        factor = Fraction(top) / Fraction(bottom) if bottom else Fraction(plain)
    except (ValueError, ZeroDivisionError):
        factor = Fraction(0)
    if not 0 < factor <= MOST_FACTOR:
        allowed, value = ("2", "1.5", "1/2"), value_for_error(text)
        raise InvalidInput(
            "bad-factor", field="factor", value=value, highest=MOST_FACTOR, allowed=allowed
        )
    return factor


# --- the forms ------------------------------------------------------------------------------------


def _no_dice_error(asking: FormContext, word: str) -> RulesError | None:
    return (
        None
        if asking.campaign.dice_phobes
        else InvalidInput("no-dice-phobes", field="with", value=word)
    )


def _tree_and_scores(asking: FormContext, of: str) -> tuple[trait_trees.Tree, dict[str, int]]:
    """One of the trees, with the scores in it of whoever's sheet counts."""
    sheet: BarSheet | None = asking.sheet
    return getattr(asking.campaign.traits, of), {} if sheet is None else dict(getattr(sheet, of))


def _trait_options(tree: trait_trees.Tree, scores: Mapping[str, int]) -> tuple[Option, ...]:
    """Every trait of a tree with the score that counts for it: own scores first, then what stands
    in (BAR-TRAIT).
    """
    found = [trait_trees.resolve_trait(tree, scores, node.name) for node in tree]
    found.sort(key=lambda each: (_VIA_RANK.get(each.via, len(_VIA_RANK)), -each.score))
    return tuple(
        Option(each.wanted, Text("bar-trait", {**each.text_params(), "offered": True}))
        for each in found
    )


def _trait(key: str, of: str) -> Pick:
    """A trait of one of the campaign's trees; `none` for none of them."""

    def among(asking: FormContext) -> tuple[Option, ...]:
        return () if asking.game is None else _trait_options(*_tree_and_scores(asking, of))

    def find(asking: FormContext, text: str) -> str:
        return trait_trees.find_trait(getattr(asking.campaign.traits, of), text, key)

    return Pick(key, choices=among, find=stages.find_or_none(find))


TRAITS: Final = tuple(_trait(key, of) for key, of in trait_trees.TREES.items())


def _with_no_trait_option(trait: Pick) -> Pick:
    """Return a required trait field, in which "none" is an option of its own."""

    def among(asking: FormContext) -> tuple[Option, ...]:
        nothing = Option(NONE_WORD, Text("bar-with-nothing"))
        return (nothing, *trait.options(asking)) if asking.game is not None else ()

    return trait.replace(choices=among, needed=True)


#: Traits in a panel behind a button. A player must choose, and never rolls one die by mistake.
_CHOSEN_TRAITS: Final = (_with_no_trait_option(TRAITS[0]), *TRAITS[1:])


def _option_text(what: str, **about: Value) -> Text:
    return Text("bar-option", {"what": what, **about})


def _score_options(what: str, scores: Iterable[tuple[str, int]]) -> tuple[Option, ...]:
    """Traits for this, each with its score."""
    return tuple(
        [Option(name, _option_text(what, name=name, score=score)) for name, score in scores]
    )


def _wanted_trait(
    asking: FormContext, key: str
) -> tuple[str | None, trait_trees.Tree, dict[str, int]]:
    """The trait that is named so far, None for none, or what is none; with its tree, and the scores
    there.
    """
    tree, scores = _tree_and_scores(asking, trait_trees.TREES[key])
    said, found = asking.values.get(key), None
    with suppress(NotFound):
        found = None if said in (None, NONE_WORD) else trait_trees.find_trait(tree, said)
    return found, tree, scores


def _support_options(asking: FormContext) -> tuple[Option, ...]:
    """Abilities with points, the best first: those that can support what is wanted."""
    wanted, tree, scores = _wanted_trait(asking, "skill")
    able = trait_trees.supporting_abilities(tree, scores, wanted)
    return _score_options(
        "support", [(name, scores[name]) for name in sorted(able, key=lambda each: -scores[each])]
    )


def _use_options(asking: FormContext) -> tuple[Option, ...]:
    """Traits that can stand in for what is wanted: all as long as nothing is."""
    found: list[tuple[str, int]] = []
    trees = [_wanted_trait(asking, key) for key in trait_trees.TREES]
    for wanted, tree, scores in trees:
        if wanted and trait_trees.resolve_trait(tree, scores, wanted).used is None:
            found += [
                (name, scores[name])
                for name in trait_trees.usable_descendants(tree, scores, wanted)
            ]
        elif not any(each for each, _, _ in trees):
            found += scores.items()
    return _score_options("use", found)


def _find_descendant(asking: FormContext, text: str) -> str:
    """A trait of either tree."""
    names = [
        node.name
        for of in trait_trees.TREES.values()
        for node in getattr(asking.campaign.traits, of)
    ]
    return unique_match(names, text, field="use", unknown="not-in-tree")


def count_field(key: str, *also: str, most: int = 2, **more: Any) -> Number:
    """A number of which a menu offers 1 up to `most`."""

    def label(count: int) -> Text:
        return _option_text(key, count=count, times=2**count)

    return Number(
        key,
        also=also,
        high=MAX_OPTION_NUMBER,
        offered=tuple(range(1, most + 1)),
        label=label,
        **more,
    )


def _flag(key: str, *also: str, hidden_if: forms.HiddenIf) -> Flag:
    return Flag(key, also=also, label=_option_text(key), hidden_if=hidden_if)


_TIME: Final = Text("as-written", {"text": "time"})
_PACE: Final = (
    count_field("halvings", topic=_TIME),
    count_field("doublings", topic=_TIME),
    count_field("phases saved", "saved", topic=_TIME),
    count_field("phases extra", "extra", "extra phases", topic=_TIME),
)


def _pace_errors(asking: FormContext) -> Iterable[RulesError]:
    """Time is counted in one way, and either saved or taken (BAR-TIME)."""
    said = tuple(key for key in PACES if asking.values.get(key))
    if len(said) > 1:
        yield InvalidInput("two-paces", field="with", value=None, allowed=said)


def _unless_kind(
    wanted: str, kind: str | None, so: Callable[[Any], bool] = lambda check: True
) -> forms.HiddenIf:
    """What is for one kind of check alone, None being any, and there for what is `so`."""

    def unless(asking: FormContext, word: str) -> RulesError | None:
        fits = kind in (None, wanted) and (asking.check is None or so(asking.check))
        return None if fits else InvalidInput("other-kind", field="with", value=word, wanted=wanted)

    return unless


def _unless_makeshift(kind: str | None) -> forms.HiddenIf:
    """Of an attack without a weapon that is on the sheet."""
    only = _unless_kind("attack", kind)

    def unless(asking: FormContext, word: str) -> RulesError | None:
        check = asking.check
        known = (
            check
            and kind == "attack"
            and asking.game.sheet(check.actor).own_weapon(check.data.tool)
        )
        return (
            Impossible("weapon-is-known", field="with", name=known.name)
            if known
            else only(asking, word)
        )

    return unless


def _yes_no_field(key: str, hidden_if: forms.HiddenIf) -> Pick:
    """Whether something of an attack is so."""
    offered = tuple(Option(each, _option_text(key, so=each == YES)) for each in (YES, NO))
    title, nothing = Text("bar-menu", {"what": key}), Text("bar-menu", {"what": key, "usual": True})
    return Pick(
        key, choices=offered, example=YES, hidden_if=hidden_if, title=title, nothing=nothing
    )


def _participant_options(asking: FormContext) -> tuple[Option, ...]:
    if asking.check is None:
        return ()
    there = asking.game.state.characters  # a helper may have gone since
    people = [there[each.who] for each in asking.check.data.entries if each.who in there]
    return tuple([Option(each.id, _option_text("chance", name=each.name)) for each in people])


def _find_participant(asking: FormContext, text: str) -> str:
    """Somebody who takes part, by name. NotFound("unknown-choice", "ambiguous-choice")."""
    if asking.check is None:
        return text
    named = {each.value: str(each.label.params["name"]) for each in _participant_options(asking)}
    return unique_match(named, text, named.__getitem__, str, field="chance")


def die_option(die: DieType, chance: Fraction | None = None) -> Option:
    """A die type with the range of its values, and its chance of success where that is known
    (BAR-DIE).
    """
    about = {"die": die.id, "low": die.low, "high": die.high, "safe": not die.can_botch}
    about |= {"chance": None if chance is None else str(chance)}
    return Option(die.id, Text("bar-die", about))


@cache
def player_form(kind: str | None) -> Form:
    """What a player's `with` may hold in a check of this kind; for None in any."""
    return Form.of(
        Pick(
            "die",
            choices=tuple(map(die_option, DIE_TYPES.values())),
            find=lambda asking, text: find_die_type(text).id,
            example="d10-1",
            alone="d[0-9]",
            nothing=Text("bar-menu", {"what": "die", "die": STANDARD_DIE.id, "usual": True}),
        ),
        _flag("no dice", "dice phobe", hidden_if=_no_dice_error),
        count_field("convert", most=3),
        _flag("mental", hidden_if=_unless_kind("attack", kind)),
        _flag("non-lethal", "nonlethal", hidden_if=_unless_kind("attack", kind)),
        Many(
            "support",
            choices=_support_options,
            find=lambda asking, text: trait_trees.find_trait(
                asking.campaign.traits.abilities, text, "support"
            ),
        ),
        *_PACE,
        Many("use", choices=_use_options, find=_find_descendant),
        check=_pace_errors,
        first=("die: d10-1", "no dice", "support: …", "convert: 1", "use: …"),
        rest=Text("bar-more", {"what": "player"}),
    )


def _factor_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the healing factors of a treated Wound, and mark those that change nothing."""
    check: BarCheck | None = asking.check
    wound = None
    if check is not None and asking.game is not None and check.target is not None:
        sheet: BarSheet = asking.game.sheet(check.target)
        wound = sheet.treated_wound(check.data.tool)
    found: list[Option] = []
    for factor in ("1", "2", "3"):
        idle = wound is not None and wound.stabilised and Fraction(factor) <= wound.factor
        found.append(Option(factor, _option_text("factor", factor=factor, idle=idle)))
    return tuple(found)


@cache
def gm_form(kind: str | None) -> Form:
    """What a GM's `with` may hold in the answer to a check of this kind; for None to any."""
    factor = Typed(
        "factor",
        read=lambda text: str(read_factor(text)),
        choices=_factor_options,
        example="2",
        title=Text("bar-menu", {"what": "factor"}),
        hidden_if=_unless_kind("treat", kind),
        needed=kind == "treat",
    )
    lucky = _unless_kind("team", kind, lambda check: check.data.mode == EITHER_OR)
    # Where both roll directly against each other there is no Difficulty for a level.
    level = _unless_kind("difficulty", None, check_state.has_difficulty)
    return Form.of(
        *_PACE,
        factor,
        count_field("level", most=3, hidden_if=level),
        count_field("chances", hidden_if=lucky),
        Many("chance", choices=_participant_options, find=_find_participant, hidden_if=lucky),
        _yes_no_field("lethal", hidden_if=_unless_makeshift(kind)),
        _yes_no_field("muscle", hidden_if=_unless_makeshift(kind)),
        Number("damage", low=-MOST_DAMAGE, high=MOST_DAMAGE, hidden_if=_unless_makeshift(kind)),
        check=_pace_errors,
        first=(*[f"{each}: 1" for each in PACES], "factor: 2"),
        rest=Text("bar-more", {"what": "gm"}),
    )


# --- the forms of each step -----------------------------------------------------------------------


def read_difficulty(text: str) -> str:
    """A Difficulty as it is typed, or none. InvalidInput("not-a-number", "out-of-range")."""
    return (
        NONE_WORD if is_none(text) else str(read_whole_number(text, "difficulty", LOWEST, HIGHEST))
    )


def resistance_options(sheet: BarSheet, campaign: Campaign) -> tuple[Option, ...]:
    """What somebody who does not roll can set against it, the most first; nothing where Wounds
    leave nothing.

    With no trait, and with the best abilities beside Reaction Time or Speed (BAR-AUTO, BAR-OPPOSED,
    BAR-TRAUMA).
    """
    if is_incapacitated(sheet.wounds, "physical"):
        return ()
    best = sorted(sheet.abilities, key=lambda each: -each[1])[:5]
    named = (
        (ability, attribute) for ability, _ in best for attribute in GOVERNING_ATTRIBUTES.phases[:2]
    )
    found: dict[int, Option] = {}
    for ability, attribute in (("", ""), *named):
        total = no_dice_total(
            check_state.build_pool(sheet, campaign, Plan(skill=ability, attribute=attribute))[0]
        )
        about = Text("bar-resists", {"value": total, "ability": ability, "attribute": attribute})
        found.setdefault(total, Option(str(total), about))
    return tuple(found[total] for total in sorted(found, reverse=True))


def _difficulty_options(asking: FormContext) -> tuple[Option, ...]:
    """For GMs also what whoever it is done to can set against it, which tells their numbers."""
    check: BarCheck | None = asking.check
    if check is None or check.target is None or check.kind not in ("attack", "contest"):
        return _DIFFICULTIES
    against = resistance_options(asking.game.sheet(check.target), asking.campaign)
    there = {each.value for each in against}
    return (*against, *[each for each in _DIFFICULTIES if each.value not in there])


def _weapons(asking: FormContext) -> tuple[Option, ...]:
    sheet: BarSheet | None = asking.sheet
    return plain_options(each.name for each in (() if sheet is None else sheet.weapons))


def _find_weapon(asking: FormContext, text: str) -> str:
    """A weapon as it is typed: what is on no sheet is makeshift, but no slip is.
    InvalidInput("near-name").
    """
    require_no_slip(text, [each.value for each in _weapons(asking)], field="weapon")
    return trimmed("weapon", text, forms.QUOTE_MAX)


def _tool(kind: str) -> tuple[Field, ...]:
    """What it is done with, or to, or how several do it."""
    if kind == "attack":
        return (Pick("weapon", choices=_weapons, find=_find_weapon),)
    if kind == "treat":
        return (Typed("injury", most=forms.QUOTE_MAX),)
    modes = check_state.MODES.get(kind, ())

    def find(asking: FormContext, text: str) -> str:
        wanted = text.strip().replace("_", " ").replace("/", " ")
        return unique_match(modes, wanted, forms.spoken_value, field="mode", unknown="unknown-mode")

    among = tuple(Option(mode, Text("bar-mode", {"mode": mode})) for mode in modes)
    return (Pick("mode", choices=among, find=find),) if modes else ()


def _with_fields(form: Form, *fields: Field) -> Form:
    """The form with more fields before its own."""
    return form.replace(fields=(*fields, *form.fields))


@cache
def opening_form(kind: str) -> Form:
    """What may be said on proposing something of this kind."""
    if kind == "rest":
        return Form((stages.APPROACH_FIELD,))
    difficulty = Typed(
        "difficulty",
        choices=_DIFFICULTIES,
        read=read_difficulty,
        hidden_if=_no_difficulty_error,
        into=int,
    )
    said = (
        *(_CHOSEN_TRAITS if kind == "treat" else TRAITS),
        difficulty,
        stages.MODIFIER_FIELD,
        *_tool(kind),
        stages.APPROACH_FIELD,
        stages.HIDDEN_BY_GM_FIELD,
    )
    form = _with_fields(player_form(kind), *said)
    if kind == "attack":
        return form.replace(leading=("weapon", "skill", "attribute", "difficulty"))
    return form


#: What somebody brings who joins in, or is set against it.
SIDE_FORM: Final = _with_fields(player_form("team"), *_CHOSEN_TRAITS, stages.APPROACH_FIELD)


def _die_options(asking: FormContext) -> tuple[Option, ...]:
    """Every die with its chance of success, as far as whoever chooses may know it (BAR-DIE)."""
    check: BarCheck | None = asking.check
    if check is None or check.hidden:
        return tuple(map(die_option, DIE_TYPES.values()))
    own, found = check.data.entries[0], dict[str, Fraction]()
    own = own.replace(
        request=own.request.replace(convert=asking.values.get("convert", own.request.convert) or 0)
    )
    with suppress(RulesError):  # nothing to be measured, or nothing to be rolled
        found = success_by_die(
            asking.game,
            check.replace(data=check.data.replace(entries=(own, *check.data.other_entries))),
        )
    return tuple([die_option(die, found.get(die.id)) for die in DIE_TYPES.values()])


@cache
def dice_form(convertible: int) -> Form:
    """What may be chosen anew once the Difficulty is known, before the roll (BAR-DIE, BAR-POOL,
    BAR-AUTO).

    Null takes back what was said before; what is not named stays. A menu has as many conversions as
    the pool leaves.
    """
    die, no_dice = player_form("check").part("die", "no dice").fields
    convert = count_field("convert", most=min(convertible, _MOST_CONVERTED))
    return Form(
        tuple(
            field.replace(null=True)
            for field in (die.replace(choices=_die_options), no_dice, convert)
        ),
        rest=Text("bar-more"),
    )


def roll_label(values: Values) -> Text:
    """What rolling is called with the die that is chosen."""
    if values.get("no dice"):
        return Text("bar-roll-without-dice")
    return Text("answer-roll", {"die": values.get("die") or STANDARD_DIE.id})


def disallow_options(asking: FormContext) -> tuple[Option, ...]:
    """What a GM may refuse of what everybody brings."""
    check: BarCheck | None = asking.check
    sides = (
        ()
        if check is None
        else [(each, check_state.refusal_suffix(check, each.who)) for each in check.data.entries]
    )
    return tuple(
        Option(
            f"{kind}.{of}".rstrip("."),
            Text("bar-justification", {**justified.params, "offered": True}),
        )
        for entry, of in sides
        for kind, justified in check_state.justifications(asking.game, entry).items()
    )


def _read_refusal(asking: FormContext, text: str) -> str:
    if text.partition(".")[0].rstrip("0123456789") not in check_state.REFUSABLE:
        raise NotFound(
            "unknown-trait",
            field="disallow",
            value=text[: forms.QUOTE_MAX],
            nearest=check_state.REFUSABLE,
        )
    return text


def _no_difficulty_error(asking: FormContext, word: str) -> RulesError | None:
    """What both roll against is a number as well (BAR-OPPOSED)."""
    return (
        None
        if asking.check and check_state.has_difficulty(asking.check)
        else stages.opposed_error(asking, word)
    )


@cache
def ruling_form(kind: str) -> Form:
    """What a GM may say in the answer to something of this kind."""
    return _with_fields(
        gm_form(kind),
        Typed(
            "difficulty",
            choices=_difficulty_options,
            read=read_difficulty,
            hidden_if=_no_difficulty_error,
            into=int,
        ),
        stages.MODIFIER_FIELD,
        stages.AGAINST_FIELD,
        stages.HIDDEN_FIELD.replace(hidden_if=_no_difficulty_error),
        Many("disallow", choices=disallow_options, find=_read_refusal),
        stages.NOTE_FIELD,
    )


#: What goes with a hit that takes no roll: what a weapon does that is on no sheet (BAR-TRAUMA).
FREE_HIT_FORM: Final = _with_fields(
    gm_form("attack").part("lethal", "muscle", "damage"), stages.NOTE_FIELD
)


#: Options of a treatment without a roll (BAR-HEAL).
FREE_CARE_FORM: Final = _with_fields(gm_form("treat").part("factor"), stages.NOTE_FIELD)


def read_options(words: Sequence[str], campaign: Campaign) -> Plan:
    """What a player's `with` says (BAR-POOL, BAR-DIE, BAR-AUTO, BAR-TIME).

    As `Form.read_words`; NotFound("unknown-choice", "not-in-tree"), InvalidInput("two-paces"),
    ("no-dice-phobes") where the campaign wants everybody to roll, ("other-kind").
    """
    form = player_form(None)
    return form.make_record(Plan, form.read_words(words, FormContext(forms.PartialGame(campaign))))
