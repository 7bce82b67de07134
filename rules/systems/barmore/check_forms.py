"""Forms of a check's steps: what a player proposes, joins with or chooses, and what a GM answers.

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
from rules.table.blocks import Text, Value
from rules.table.check import Values
from rules.table.checks import stages
from rules.table.checks.stages import NONE_WORD, is_none
from rules.table.forms.fields import (
    QUOTE_MAX,
    Flag,
    FormContext,
    HiddenIf,
    Many,
    Number,
    Option,
    PartialGame,
    Pick,
    Typed,
    plain_options,
    spoken_value,
)
from rules.table.forms.form import Field, Form
from rules.table.forms.typed_texts import trimmed_text

#: Lowest and highest Difficulty.
LOWEST, HIGHEST = -100, 1000
#: Largest number in `with`.
MAX_OPTION_NUMBER: Final = 100
#: Highest factor of medical attention.
MOST_FACTOR: Final = 100
#: Largest modifier of a weapon that is not on the sheet, on either side of 0.
MOST_DAMAGE: Final = 20
#: Difficulties that are offered.
_DIFFICULTIES: Final = plain_options(map(str, (5, 10, 15, 20, 25, 30, 40)))
#: Most conversions that a menu offers. More can be typed with the proposal.
_MAX_OFFERED_CONVERSIONS = 10
#: Order in which traits are offered, by the way in which they count.
_VIA_RANK: Final = {"own": 0, "ancestor": 1}


def read_factor(text: str) -> Fraction:
    """Return the factor by which a Wound heals faster: `2`, `1/2`, `1.5`.

    Raises InvalidInput("bad-factor"). A decimal has 12 characters at most, so that its fraction
    can be read back.
    """
    plain = text.strip().replace(",", ".")
    top, _, bottom = plain.partition("/")
    longest = 12 if "." in plain else 26
    try:
        if len(plain) > longest or not plain.isascii() or "e" in plain.casefold():
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
    """Return the error for going without dice; None in a campaign that allows it (BAR-AUTO)."""
    if asking.campaign.dice_phobes:
        return None
    return InvalidInput("no-dice-phobes", field="with", value=word)


def _tree_and_scores(asking: FormContext, of: str) -> tuple[trait_trees.Tree, dict[str, int]]:
    """Return one of the trees, and the scores in it on the sheet that counts."""
    sheet: BarSheet | None = asking.sheet
    return getattr(asking.campaign.traits, of), {} if sheet is None else dict(getattr(sheet, of))


def _trait_options(tree: trait_trees.Tree, scores: Mapping[str, int]) -> tuple[Option, ...]:
    """Return every trait of a tree with the score that counts for it (BAR-TRAIT).

    Own scores come first, then those that stand in.
    """
    traits = [trait_trees.resolve_trait(tree, scores, node.name) for node in tree]
    traits.sort(key=lambda trait: (_VIA_RANK.get(trait.via, len(_VIA_RANK)), -trait.score))
    return tuple(
        Option(trait.wanted, Text("bar-trait", {**trait.text_params(), "offered": True}))
        for trait in traits
    )


def _trait_field(key: str, of: str) -> Pick:
    """Return the field for a trait of one of the campaign's trees; `none` is no trait."""

    def choices(asking: FormContext) -> tuple[Option, ...]:
        return () if asking.game is None else _trait_options(*_tree_and_scores(asking, of))

    def find(asking: FormContext, text: str) -> str:
        return trait_trees.find_trait(getattr(asking.campaign.traits, of), text, key)

    return Pick(key, choices=choices, find=stages.find_or_none(find))


TRAITS: Final = tuple(_trait_field(key, of) for key, of in trait_trees.TREES.items())


def _with_no_trait_option(trait: Pick) -> Pick:
    """Return a required trait field, in which "none" is an option of its own."""

    def choices(asking: FormContext) -> tuple[Option, ...]:
        if asking.game is None:
            return ()
        return (Option(NONE_WORD, Text("bar-with-nothing")), *trait.options(asking))

    return trait.replace(choices=choices, needed=True)


#: Traits in a panel behind a button. A player must choose, and never rolls one die by mistake.
_CHOSEN_TRAITS: Final = (_with_no_trait_option(TRAITS[0]), *TRAITS[1:])


def _option_text(what: str, **about: Value) -> Text:
    """Return the label of an option; *what* is its kind."""
    return Text("bar-option", {"what": what, **about})


def _score_options(what: str, scores: Iterable[tuple[str, int]]) -> tuple[Option, ...]:
    """Return traits as options, each with its score."""
    return tuple(
        [Option(name, _option_text(what, name=name, score=score)) for name, score in scores]
    )


def _wanted_trait(
    asking: FormContext, key: str
) -> tuple[str | None, trait_trees.Tree, dict[str, int]]:
    """Return the trait that is typed so far, its tree, and the scores there.

    The trait is None if none is typed, `none` is, or the text names no trait.
    """
    tree, scores = _tree_and_scores(asking, trait_trees.TREES[key])
    typed = asking.values.get(key)
    trait: str | None = None
    if typed not in (None, NONE_WORD):
        with suppress(NotFound):
            trait = trait_trees.find_trait(tree, typed)
    return trait, tree, scores


def _support_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the abilities that can support the wanted one, the best first."""
    wanted, tree, scores = _wanted_trait(asking, "skill")
    able = trait_trees.supporting_abilities(tree, scores, wanted)
    best_first = sorted(able, key=lambda name: -scores[name])
    return _score_options("support", [(name, scores[name]) for name in best_first])


def _use_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the traits that can stand in for the wanted ones; all while none is wanted."""
    candidates: list[tuple[str, int]] = []
    trees = [_wanted_trait(asking, key) for key in trait_trees.TREES]
    none_wanted = not any(wanted for wanted, _, _ in trees)
    for wanted, tree, scores in trees:
        if wanted and trait_trees.resolve_trait(tree, scores, wanted).used is None:
            below = trait_trees.usable_descendants(tree, scores, wanted)
            candidates += [(name, scores[name]) for name in below]
        elif none_wanted:
            candidates += scores.items()
    return _score_options("use", candidates)


def _find_descendant(asking: FormContext, text: str) -> str:
    """Return the name of a trait of either tree."""
    names: list[str] = []
    for of in trait_trees.TREES.values():
        names += [node.name for node in getattr(asking.campaign.traits, of)]
    return unique_match(names, text, field="use", unknown="not-in-tree")


def count_field(key: str, *also: str, most: int = 2, **more: Any) -> Number:
    """Return the field for a number of which a menu offers 1 up to *most*."""

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


def _flag_field(key: str, *also: str, hidden_if: HiddenIf) -> Flag:
    """Return the field for a flag, with the label of its own option."""
    return Flag(key, also=also, label=_option_text(key), hidden_if=hidden_if)


_TIME: Final = Text("as-written", {"text": "time"})
_PACE: Final = (
    count_field("halvings", topic=_TIME),
    count_field("doublings", topic=_TIME),
    count_field("phases saved", "saved", topic=_TIME),
    count_field("phases extra", "extra", "extra phases", topic=_TIME),
)


def _pace_errors(asking: FormContext) -> Iterable[RulesError]:
    """Yield an error for more than a single way of counting time (BAR-TIME)."""
    used = tuple(key for key in PACES if asking.values.get(key))
    if len(used) > 1:
        yield InvalidInput("two-paces", field="with", value=None, allowed=used)


def _hidden_if_other_kind(
    wanted: str, kind: str | None, fits_check: Callable[[Any], bool] = lambda check: True
) -> HiddenIf:
    """Return the condition that hides a field in checks of other kinds than *wanted*.

    A *kind* of None fits all. *fits_check* has to hold for a check, too.
    """

    def hidden_if(asking: FormContext, word: str) -> RulesError | None:
        fits = kind in (None, wanted) and (asking.check is None or fits_check(asking.check))
        return None if fits else InvalidInput("other-kind", field="with", value=word, wanted=wanted)

    return hidden_if


def _hidden_if_own_weapon(kind: str | None) -> HiddenIf:
    """Return the condition that hides a field unless an attack uses a weapon not on the sheet."""
    other_kind = _hidden_if_other_kind("attack", kind)

    def hidden_if(asking: FormContext, word: str) -> RulesError | None:
        check = asking.check
        if check and kind == "attack":
            weapon = asking.game.sheet(check.actor).own_weapon(check.data.tool)
            if weapon:
                return Impossible("weapon-is-known", field="with", name=weapon.name)
        return other_kind(asking, word)

    return hidden_if


def _yes_no_field(key: str, hidden_if: HiddenIf) -> Pick:
    """Return the field for a yes or no about a weapon."""
    offered = tuple(Option(word, _option_text(key, so=word == YES)) for word in (YES, NO))
    title = Text("bar-menu", {"what": key})
    nothing = Text("bar-menu", {"what": key, "usual": True})
    return Pick(
        key, choices=offered, example=YES, hidden_if=hidden_if, title=title, nothing=nothing
    )


def _participant_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the characters who take part, by id."""
    if asking.check is None:
        return ()
    characters = asking.game.state.characters  # a helper may have gone since
    entries = [entry for entry in asking.check.data.entries if entry.who in characters]
    present = [characters[entry.who] for entry in entries]
    return tuple(
        [Option(character.id, _option_text("chance", name=character.name)) for character in present]
    )


def _find_participant(asking: FormContext, text: str) -> str:
    """Return the id of the participating character of that name.

    Raises NotFound("unknown-choice") or NotFound("ambiguous-choice").
    """
    if asking.check is None:
        return text
    options = _participant_options(asking)
    named = {option.value: str(option.label.params["name"]) for option in options}
    return unique_match(named, text, named.__getitem__, str, field="chance")


def die_option(die: DieType, chance: Fraction | None = None) -> Option:
    """Return a die type as an option, with the range of its values (BAR-DIE).

    It shows the chance of success if that is known.
    """
    about = {"die": die.id, "low": die.low, "high": die.high, "safe": not die.can_botch}
    about |= {"chance": None if chance is None else str(chance)}
    return Option(die.id, Text("bar-die", about))


@cache
def player_form(kind: str | None) -> Form:
    """Return the form of a player's `with` in a check of this kind; None is any kind."""
    return Form.of(
        Pick(
            "die",
            choices=tuple(map(die_option, DIE_TYPES.values())),
            find=lambda asking, text: find_die_type(text).id,
            example="d10-1",
            alone="d[0-9]",
            nothing=Text("bar-menu", {"what": "die", "die": STANDARD_DIE.id, "usual": True}),
        ),
        _flag_field("no dice", "dice phobe", hidden_if=_no_dice_error),
        count_field("convert", most=3),
        _flag_field("mental", hidden_if=_hidden_if_other_kind("attack", kind)),
        _flag_field("non-lethal", "nonlethal", hidden_if=_hidden_if_other_kind("attack", kind)),
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
    options: list[Option] = []
    for factor in ("1", "2", "3"):
        idle = wound is not None and wound.stabilised and Fraction(factor) <= wound.factor
        options.append(Option(factor, _option_text("factor", factor=factor, idle=idle)))
    return tuple(options)


@cache
def gm_form(kind: str | None) -> Form:
    """Return the form of a GM's `with` in the answer to a check of this kind; None is any kind."""
    factor = Typed(
        "factor",
        read=lambda text: str(read_factor(text)),
        choices=_factor_options,
        example="2",
        title=Text("bar-menu", {"what": "factor"}),
        hidden_if=_hidden_if_other_kind("treat", kind),
        needed=kind == "treat",
    )
    lucky = _hidden_if_other_kind("team", kind, lambda check: check.data.mode == EITHER_OR)
    # If both sides roll directly against each other, there is no Difficulty for a level.
    level = _hidden_if_other_kind("difficulty", None, check_state.has_difficulty)
    return Form.of(
        *_PACE,
        factor,
        count_field("level", most=3, hidden_if=level),
        count_field("chances", hidden_if=lucky),
        Many("chance", choices=_participant_options, find=_find_participant, hidden_if=lucky),
        _yes_no_field("lethal", hidden_if=_hidden_if_own_weapon(kind)),
        _yes_no_field("muscle", hidden_if=_hidden_if_own_weapon(kind)),
        Number("damage", low=-MOST_DAMAGE, high=MOST_DAMAGE, hidden_if=_hidden_if_own_weapon(kind)),
        check=_pace_errors,
        first=(*[f"{pace}: 1" for pace in PACES], "factor: 2"),
        rest=Text("bar-more", {"what": "gm"}),
    )


# --- the forms of each step -----------------------------------------------------------------------


def read_difficulty(text: str) -> str:
    """Return a typed Difficulty, or `none`.

    Raises InvalidInput("not-a-number") or InvalidInput("out-of-range").
    """
    if is_none(text):
        return NONE_WORD
    return str(read_whole_number(text, "difficulty", LOWEST, HIGHEST))


def resistance_options(sheet: BarSheet, campaign: Campaign) -> tuple[Option, ...]:
    """Return the fixed totals of a character who does not roll, the highest first.

    They are those without a trait, and those of the best abilities with Reaction Time or Speed
    (BAR-AUTO, BAR-OPPOSED). There are none if Wounds leave no activity (BAR-TRAUMA).
    """
    if is_incapacitated(sheet.wounds, "physical"):
        return ()
    best = sorted(sheet.abilities, key=lambda ability: -ability[1])[:5]
    trait_pairs = [("", "")]
    for ability, _ in best:
        trait_pairs += [(ability, attribute) for attribute in GOVERNING_ATTRIBUTES.phases[:2]]
    options: dict[int, Option] = {}
    for ability, attribute in trait_pairs:
        plan = Plan(skill=ability, attribute=attribute)
        pool, _ = check_state.build_pool(sheet, campaign, plan)
        total = no_dice_total(pool)
        about = Text("bar-resists", {"value": total, "ability": ability, "attribute": attribute})
        options.setdefault(total, Option(str(total), about))
    return tuple(options[total] for total in sorted(options, reverse=True))


def _difficulty_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the Difficulties to offer to a GM.

    Those of an attack or contest begin with the target's fixed totals, which reveal its scores.
    """
    check: BarCheck | None = asking.check
    if check is None or check.target is None or check.kind not in ("attack", "contest"):
        return _DIFFICULTIES
    against = resistance_options(asking.game.sheet(check.target), asking.campaign)
    values = {option.value for option in against}
    return (*against, *[option for option in _DIFFICULTIES if option.value not in values])


def _weapon_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the weapons of the sheet that counts."""
    sheet: BarSheet | None = asking.sheet
    if sheet is None:
        return ()
    return plain_options(weapon.name for weapon in sheet.weapons)


def _find_weapon(asking: FormContext, text: str) -> str:
    """Return a weapon as it is typed; a weapon that is not on the sheet is makeshift.

    Raises InvalidInput("near-name") for what is nearly the name of a weapon on the sheet.
    """
    names = [option.value for option in _weapon_options(asking)]
    require_no_slip(text, names, field="weapon")
    return trimmed_text("weapon", text, QUOTE_MAX)


def _tool_fields(kind: str) -> tuple[Field, ...]:
    """Return the fields of one kind of check: the weapon, the injury, or the mode."""
    if kind == "attack":
        return (Pick("weapon", choices=_weapon_options, find=_find_weapon),)
    if kind == "treat":
        return (Typed("injury", most=QUOTE_MAX),)
    modes = check_state.MODES.get(kind, ())

    def find(asking: FormContext, text: str) -> str:
        wanted = text.strip().replace("_", " ").replace("/", " ")
        return unique_match(modes, wanted, spoken_value, field="mode", unknown="unknown-mode")

    if not modes:
        return ()
    choices = tuple(Option(mode, Text("bar-mode", {"mode": mode})) for mode in modes)
    return (Pick("mode", choices=choices, find=find),)


def _with_fields(form: Form, *fields: Field) -> Form:
    """Return the form with more fields before its own."""
    return form.replace(fields=(*fields, *form.fields))


@cache
def opening_form(kind: str) -> Form:
    """Return the form of a proposal of this kind."""
    if kind == "rest":
        return Form((stages.APPROACH_FIELD,))
    difficulty = Typed(
        "difficulty",
        choices=_DIFFICULTIES,
        read=read_difficulty,
        hidden_if=_no_difficulty_error,
        into=int,
    )
    fields = (
        *(_CHOSEN_TRAITS if kind == "treat" else TRAITS),
        difficulty,
        stages.MODIFIER_FIELD,
        *_tool_fields(kind),
        stages.APPROACH_FIELD,
        stages.HIDDEN_BY_GM_FIELD,
    )
    form = _with_fields(player_form(kind), *fields)
    if kind == "attack":
        return form.replace(leading=("weapon", "skill", "attribute", "difficulty"))
    return form


#: Form of the contribution of a helper or of the other side.
SIDE_FORM: Final = _with_fields(player_form("team"), *_CHOSEN_TRAITS, stages.APPROACH_FIELD)


def _die_options(asking: FormContext) -> tuple[Option, ...]:
    """Return every die type, with its chance of success if the player may know it (BAR-DIE)."""
    check: BarCheck | None = asking.check
    if check is None or check.hidden:
        return tuple(map(die_option, DIE_TYPES.values()))
    own = check.data.entries[0]
    convert = asking.values.get("convert", own.request.convert) or 0
    own = own.replace(request=own.request.replace(convert=convert))
    data = check.data.replace(entries=(own, *check.data.other_entries))
    chances: dict[str, Fraction] = {}
    with suppress(RulesError):  # no Difficulty, or nothing to roll
        chances = success_by_die(asking.game, check.replace(data=data))
    return tuple([die_option(die, chances.get(die.id)) for die in DIE_TYPES.values()])


@cache
def dice_form(convertible: int) -> Form:
    """Return the form of choices before the roll, when the Difficulty is known.

    BAR-DIE, BAR-POOL, BAR-AUTO. Null takes back an earlier choice; a field that is left out keeps
    it. A menu offers as many conversions as are possible.
    """
    die, no_dice = player_form("check").part("die", "no dice").fields
    convert = count_field("convert", most=min(convertible, _MAX_OFFERED_CONVERSIONS))
    fields = (die.replace(choices=_die_options), no_dice, convert)
    return Form(tuple(field.replace(null=True) for field in fields), rest=Text("bar-more"))


def roll_label(values: Values) -> Text:
    """Return the label of *Roll*, with the chosen die."""
    if values.get("no dice"):
        return Text("bar-roll-without-dice")
    return Text("answer-roll", {"die": values.get("die") or STANDARD_DIE.id})


def disallow_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the claims of all participants that a GM may refuse."""
    check: BarCheck | None = asking.check
    if check is None:
        return ()
    options: list[Option] = []
    for entry in check.data.entries:
        suffix = check_state.refusal_suffix(check, entry.who)
        for kind, claim in check_state.justifications(asking.game, entry).items():
            label = Text("bar-justification", {**claim.params, "offered": True})
            options.append(Option(f"{kind}.{suffix}".rstrip("."), label))
    return tuple(options)


def _read_refusal(asking: FormContext, text: str) -> str:
    """Return the key of a refused claim; raises NotFound("unknown-trait")."""
    if text.partition(".")[0].rstrip("0123456789") not in check_state.REFUSABLE:
        raise NotFound(
            "unknown-trait",
            field="disallow",
            value=text[:QUOTE_MAX],
            nearest=check_state.REFUSABLE,
        )
    return text


def _no_difficulty_error(asking: FormContext, word: str) -> RulesError | None:
    """Return the error for a Difficulty in direct opposition; None elsewhere (BAR-OPPOSED)."""
    if asking.check and check_state.has_difficulty(asking.check):
        return None
    return stages.opposed_error(asking, word)


@cache
def ruling_form(kind: str) -> Form:
    """Return the form of a GM's answer to a check of this kind."""
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


#: Form of a hit without a roll: what a weapon does that is not on the sheet (BAR-TRAUMA).
FREE_HIT_FORM: Final = _with_fields(
    gm_form("attack").part("lethal", "muscle", "damage"), stages.NOTE_FIELD
)


#: Form of a treatment without a roll (BAR-HEAL).
FREE_CARE_FORM: Final = _with_fields(gm_form("treat").part("factor"), stages.NOTE_FIELD)


def read_options(words: Sequence[str], campaign: Campaign) -> Plan:
    """Return the plan that a player's `with` describes (BAR-POOL, BAR-DIE, BAR-AUTO, BAR-TIME).

    Raises what `Form.read_words` raises, and:

    - NotFound("unknown-choice") or NotFound("not-in-tree");
    - InvalidInput("two-paces") or InvalidInput("other-kind");
    - InvalidInput("no-dice-phobes") if the campaign wants all players to roll.
    """
    form = player_form(None)
    return form.make_record(Plan, form.read_words(words, FormContext(PartialGame(campaign))))
