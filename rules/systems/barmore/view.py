"""A check as blocks that say who may see them: what everybody brings, the dice, what they mean,
what came of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rules.core.errors import RulesError
from rules.core.rng import Die
from rules.systems.barmore import check_state
from rules.systems.barmore.check_state import (
    EITHER_OR,
    BarCheck,
    Entry,
    Plan,
    PoolWithParts,
    ResolvedTraits,
    Trial,
)
from rules.systems.barmore.pool import DIE_TYPES, STANDARD_DIE, Judgment, Part, Pool, PoolRoll
from rules.table import blocks
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Quote,
    Ref,
    Roll,
    Text,
    Verdict,
    Viewers,
    blocks_only_for,
    graded_blocks,
)
from rules.table.checks import shared_blocks
from rules.table.checks.shared_blocks import (
    DIFFICULTY_LABEL,
    HIDDEN_DIFFICULTY,
    dice_viewers,
    full_and_plain,
    result_tone,
)
from rules.table.checks.stages import FREE, IMPOSSIBLE, MARGIN_ONLY
from rules.table.state import Reveal
from rules.table.system import Game, is_npc

# --- in codes -------------------------------------------------------------------------------------


def difficulty_line(difficulty: int) -> Text:
    """A Difficulty."""
    return Text("bar-difficulty", {"value": difficulty})


def trait_lines(traits: ResolvedTraits, *, scores: bool) -> tuple[Text, ...]:
    """The traits that are wanted and those that stand in for them (BAR-TRAIT); without `scores`
    only their names.
    """
    found = [
        each.text_params() if scores else {"name": each.wanted} for _, each in traits.wanted_traits
    ] or [{"name": None}]
    return tuple([Text("bar-trait", each) for each in found])


def _shift(what: str, **about: blocks.Value) -> Text:
    return Text("bar-shift", {"what": what, **about})


#: Grants of a GM other than dice, time and the factor of a treatment.
_GRANTS: Final = ("level", "lethal", "muscle", "damage")


def option_lines(
    request: Plan,
    ruling: Plan,
    traits: ResolvedTraits,
    *,
    open_: bool = True,
    counted: bool = False,
) -> tuple[Text, ...]:
    """What the player has chosen and the GM granted; `open_` where everybody may know what somebody
    can do, `counted` where the parts of the pool are told as well.
    """
    die, refused = DIE_TYPES[request.die], ruling.disallow
    lines: list[Text] = []
    if request.no_dice:
        lines.append(_shift("no dice"))
    elif die is not STANDARD_DIE:
        lines.append(_shift("die", value=die.id, low=die.low, high=die.high))
    for kind, trait in traits.wanted_traits:
        stands = trait.via == "descendant"
        if open_ if stands else kind in refused:
            lines.append(_shift("instead", name=trait.wanted, used=trait.used if stands else None))
    if traits.several and open_:
        lines.append(_shift("instead", names=traits.several[:10]))
    most, wanted = check_state.convertible_dice(ruling, traits), request.convert
    if wanted > most:
        lines.append(_shift("cut", value=wanted, most=most))
    shifts: tuple[tuple[str, blocks.Value], ...] = (
        *[
            (
                f"{check_state.SUPPORT} refused"
                if check_state.support_key(at) in refused
                else check_state.SUPPORT,
                name,
            )
            for at, name in enumerate(request.support)
        ],
        ("convert", wanted if wanted <= most else 0),
        *ruling.pace.paces.items(),
        (f"{check_state.TIME} refused", check_state.TIME in refused),
        ("granted" if ruling.by_gm else "asked", ruling.modifier),
        *[(key, getattr(ruling, key)) for key in _GRANTS],
        ("mental", request.mental),
        ("non-lethal", request.non_lethal),
    )
    told = [each for each in shifts if each[1] and not (counted and each[0] in _COUNTED)]
    return (*lines, *[_shift(what, value=value) for what, value in told])


def _note_text(what: str, **about: blocks.Value) -> Text:
    return Text("bar-note", {"what": what, **about})


def _side_label(who: str | None) -> Text:
    return Text("check-of", {"who": Ref(who or "")})


#: What is among the parts of a pool.
_COUNTED: Final = (check_state.SUPPORT, "convert", "granted", "asked")


def pool_lines(
    pool: Pool, parts: tuple[Part, ...], *, causes: bool, beside: bool = False
) -> tuple[Text, ...]:
    """The pool, and with `causes` where its dice come from (BAR-POOL).

    What everybody begins with is no news alone. All in one line where it stands `beside` others;
    who takes part in it by the name that the onlooker knows.
    """
    alone = {} if beside else {"alone": True}
    told: list[Text] = []
    for part in parts if causes and len(parts) > 1 else ():
        name = Ref(part.name) if part.what == "member" else part.name
        about = {"what": part.what, "add": part.add, "modifier": part.modifier, "name": name}
        told.append(Text("bar-part", {**about, **alone}))
    dice: dict[str, blocks.Value] = {"add": pool.add, "modifier": pool.modifier}
    if beside:
        return (Text("bar-pool", {**dice, "causes": tuple(told), "beside": True}),)
    return Text("bar-pool", dice), *told


def roll_block(thrown: PoolRoll, who: Ref | None, seen: Viewers) -> Roll:
    """Every die in the order rolled, those that do not count struck out (BAR-ROLL)."""
    kind = DIE_TYPES[thrown.die]
    dice = tuple([Die("pool", kind.sides, face) for face in thrown.faces])
    dropped = tuple([place for place, counts in enumerate(thrown.kept_dice) if not counts])
    # What a d10-1 counts less stands behind the faces, so that the sum is one.
    added = kind.add * thrown.pool.add if dice else 0
    return Roll(who, None, dice, thrown.total, seen, (added,) if added else (), dropped=dropped)


def verdict_line(found: Judgment) -> Text:
    """How somebody did against a Difficulty."""
    how = "botch" if found.botch else "success" if found.success else "failure"
    return Text("bar-verdict", {"how": how})


# --- the check ------------------------------------------------------------------------------------


_MARGIN = Text("check-succeeds")
_HIT, _MISS = Text("check-hit"), Text("check-miss")


def describe(game: Game, check: BarCheck) -> tuple[Block, ...]:
    """How a check stands. What both sides choose against each other is nobody else's until the
    roll; of blind dice, and what comes of them, only the GMs hear, and whoever is hit.
    """
    data = check.data
    if not data.entries:
        return ()
    found: list[Block] = []
    seen_as = result_tone(game, check, good=data.answer == FREE, rivals=data.opposed)
    if data.answer == FREE and check.kind == "attack":
        found.append(Verdict(_HIT, seen_as, FOR_EVERYONE, what=_hit_effect(check)))
    elif data.answer in (FREE, IMPOSSIBLE):
        found.append(shared_blocks.no_roll_verdict(data.answer, seen_as, rest=check.kind == "rest"))
    for each in data.entries:
        if each.traits or check_state.is_present(game, each) or each.who == check.actor:
            found += _side(game, check, each)
    found += (
        *_facts(game, check),
        *_result(game, check),
        *_notes(game, check),
        *_effect_blocks(check),
    )
    return tuple(sorted(found, key=lambda each: not isinstance(each, Verdict)))


# --- who may know ---------------------------------------------------------------------------------


def _entry_audience(check: BarCheck, entry: Entry) -> Viewers:
    """Who may know what somebody brings: nobody else while both sides still choose against each
    other.
    """
    return (entry.who,) if check.data.opposed and not check.data.throws else FOR_EVERYONE


# --- what everybody brings ------------------------------------------------------------------------


def _side(game: Game, check: BarCheck, entry: Entry) -> list[Block]:
    """Somebody's traits, in which words they do it, and what makes it easier or harder."""
    acts, theirs = entry.who == check.actor, _entry_audience(check, entry)
    words, by = (check.approach, check.by) if acts else (entry.approach, entry.by)
    # Everyone reads the idea of an attack or contest. The dice behind it stay secret.
    heard = FOR_EVERYONE if acts and check.kind in ("attack", "contest") else theirs
    quote = [Quote(words, by, heard)] if words.strip() else []
    if check.kind == "rest":
        return [*quote]
    if any(each.out for each in check.data.throws if each.who == entry.who):
        return [Fact(_side_label(entry.who), _note_text("out"), dice_viewers(check))]
    traits, owned = check_state.effective_traits(game, check, entry), not is_npc(game, entry.who)
    # What an NPC sets against it is told to all alike; of others their scores are for the GMs
    # alone.
    alike = owned or (check.data.opposed and not acts)

    veiled = check_state.is_veiled(game, entry.who)

    def told(name: Text, tell: Callable[[bool], tuple[Text, ...]], seen: Viewers) -> list[Fact]:
        found = Fact(name, tell(owned or veiled or not alike), GMS_ONLY if veiled else seen)
        if veiled:
            return [found] if found.value else []
        return [
            each
            for each in ((found,) if alike else full_and_plain(found, value=tell(False)))
            if each.value
        ]

    label, shifted = (
        "check-defends" if check.kind == "attack" else "check-of",
        "check-defense-adjustments",
    )
    if acts:
        asks = check.data.ruling is None and (
            entry.request.modifier or check_state.justifications(game, entry)
        )
        label, shifted = "check-with", "check-claimed" if asks else "check-adjustments"
    who = {} if acts else {"who": Ref(entry.who)}
    counted = (
        shifted == "check-adjustments"
        and owned
        and not (check.data.opposed or check.data.other_entries)
    )

    ruling, seen = check_state.ruling_for(check, entry), theirs or dice_viewers(check)

    def shifts(open_: bool) -> tuple[Text, ...]:
        return option_lines(entry.request, ruling, traits, open_=open_, counted=counted)

    named = told(Text(label, who), lambda open_: trait_lines(traits, scores=open_), theirs)
    # Two pools stand beside each other, so that each has its owner's name.
    pool = Text("bar-pool", {"label": True, "who": Ref(entry.who)})
    pools = told(pool, lambda open_: _pool_beside(game, check, entry, open_=open_), seen)
    return [*named, *quote, *told(Text(shifted, who), shifts, seen), *pools]


def _pool_beside(game: Game, check: BarCheck, entry: Entry, *, open_: bool) -> tuple[Text, ...]:
    """Somebody's pool where it stands beside another's."""
    data, acts = check.data, entry.who == check.actor
    if not data.opposed and (check.kind != "team" or check_state.has_one_pool(check) or acts):
        return ()
    for each in data.throws:
        if each.who == entry.who:
            return pool_lines(each.pool, each.parts, causes=open_, beside=True)
    pool = _rollable_pool(game, check) if data.opposed and acts and open_ else None
    return () if pool is None else pool_lines(*pool, causes=True, beside=True)


def _rollable_pool(game: Game, check: BarCheck) -> PoolWithParts | None:
    """The pool before the roll; None where it cannot be rolled any more as it was proposed."""
    try:
        return check_state.current_pool(game, check)
    except RulesError:
        return None


# --- facts and notes ------------------------------------------------------------------------------


def _facts(game: Game, check: BarCheck) -> tuple[Block, ...]:
    """What it is about, what a GM says to it, and before the roll against what it goes."""
    data, own = check.data, check.data.entries[0]
    seen, mind = _entry_audience(check, own), own.request.difficulty
    found: list[Block] = []
    if data.tool and check.kind in ("attack", "treat"):
        what = Text("check-weapon" if check.kind == "attack" else "check-injury")
        found.append(Fact(what, blocks.typed_text(data.tool, check.by), FOR_EVERYONE))
    if check.is_open and not data.answer and mind is not None:
        # What a GM has in mind for an NPC is no player's business.
        gms = check.hidden or is_npc(game, own.who)
        found.append(Fact(Text("check-in-mind"), mind, GMS_ONLY if gms else seen))
    found += shared_blocks.gm_quotes(check, seen)
    if data.throws:
        return tuple(found)
    if data.answer == MARGIN_ONLY:
        found.append(Note(Text("answer-margin-only"), FOR_EVERYONE))
    for each in _difficulty(check, told=True):
        found += full_and_plain(each, value=HIDDEN_DIFFICULTY) if check.hidden else (each,)
    return tuple(found)


def _difficulty(check: BarCheck, *, told: bool) -> tuple[Fact, ...]:
    ruling = check.data.ruling
    if ruling is None or ruling.difficulty is None:
        return ()
    return (
        Fact(
            DIFFICULTY_LABEL, ruling.difficulty if told else HIDDEN_DIFFICULTY, dice_viewers(check)
        ),
    )


def _notes(game: Game, check: BarCheck) -> list[Block]:
    """How several do it, what is still to be said, the pool with where its dice come from, and who
    had a chance.
    """
    data, own, shut, kind = check.data, check.data.entries[0], dice_viewers(check), check.kind
    if kind == "rest":
        return []
    ruling, owned = data.ruling, not is_npc(game, own.who)
    found: list[Block] = []
    if kind in check_state.MODES:
        # How several do it, together or against each other (BAR-TEAM, BAR-OPPOSED).
        alone = kind == "contest" and not data.opposed
        found.append(
            Note(Text("bar-mode", {"mode": "alone" if alone else data.mode, "told": True}), shut)
        )
    if (
        data.opposed
        and not data.throws
        and check.target is not None
        and check_state.is_out_of_action(game, check, check.target)
    ):
        found.append(Note(_note_text("out", who=Ref(check.target)), FOR_EVERYONE))
    if not check.approach and ruling is None and owned:
        for each in check_state.justified_descendants(game, own).values():
            found.append(
                Note(
                    _note_text("unsaid", name=each.wanted, used=each.used),
                    _entry_audience(check, own),
                )
            )
    if kind == "treat" and not data.throws and check.is_open and ruling and ruling.factor:
        found.append(Note(_note_text("treat", factor=ruling.factor), shut))
    if kind == "treat" and data.throws and not check.is_open and not data.has_succeeded:
        found.append(Note(_note_text("untreated"), shut))
    if not data.opposed:
        found += _pool(game, check, owned=owned)
    if data.mode == EITHER_OR and kind == "team" and ruling is not None:
        found.append(Note(_chances(check), shut))
    return found


def _chances(check: BarCheck) -> Text:
    """That it is drawn, or said by the GM, who has a chance; after the roll who had (BAR-TEAM)."""
    data = check.data
    named, chances = data.chances([each.who for each in data.entries])
    had, of = tuple([Ref(each.who) for each in data.throws if each.lucky]), len(data.entries)
    return _note_text(
        "chances", named=bool(named), had=had, chances=None if named else chances, of=of
    )


def _pool(game: Game, check: BarCheck, *, owned: bool) -> tuple[Block, ...]:
    """What is rolled, or was; before the roll an NPC's is the GMs' alone, and where its dice come
    from always is.
    """
    data, shut = check.data, dice_viewers(check)
    thrown = data.throws[0] if data.throws else None
    built = _rollable_pool(game, check) if thrown is None else (thrown.pool, thrown.parts)
    veiled = check_state.is_veiled(game, check.actor)
    seen = shut if owned or (thrown is not None and not veiled) else GMS_ONLY
    if built is None:
        return (Note(Text("bar-pool", {"unbuildable": True}), seen),)
    pool, *causes = pool_lines(*built, causes=True)
    return Note(pool, seen), *[Note(each, shut if owned else GMS_ONLY) for each in causes]


def _effect_blocks(check: BarCheck) -> tuple[Block, ...]:
    """What came of it; whoever is hit has to know, even where the dice are the GMs'."""
    data = check.data
    seen = dice_viewers(check)
    if seen is not FOR_EVERYONE and check.kind == "attack" and check.target is not None:
        seen = (check.target,)
    told = [Fact(_side_label(check.target), each, seen) for each in data.came]
    return (*told, *[Note(each, GMS_ONLY) for each in data.aside])


# --- the dice -------------------------------------------------------------------------------------


def _result(game: Game, check: BarCheck) -> tuple[Block, ...]:
    """What the dice say, as far as a hidden Difficulty lets the players know (BAR-ROLL,
    BAR-OPPOSED, BAR-TEAM).
    """
    data, shut = check.data, dice_viewers(check)
    if not data.throws:
        return ()
    own = data.judge_roll(data.throws[0])
    veiled = check_state.is_veiled_check(game, check)
    rolls: list[Roll] = []
    for each in data.throws:
        if not each.out:
            seen = GMS_ONLY if check_state.is_veiled(game, each.who) else shut
            rolls.append(roll_block(each, Ref(each.who), seen))
    apart = [Fact(_side_label(who), line, shut) for who, line in _helper_results(data)]
    if check.kind == "attack":
        head, numbers, notes = _attack_verdict(game, check, own)
        whole = head
    else:
        won, degree, worked = _outcome(check)
        seen_as = result_tone(game, check, good=bool(worked), rivals=data.opposed)
        head = Verdict(won, "neutral" if worked is None else seen_as, shut, worked=worked)
        numbers, whole = _numbers_lines(data, own), head.replace(degree=degree)
        signed = check.kind in ("check", "team") and data.answer != MARGIN_ONLY
        sign = signed and own is not None and own.success and own.degree
        notes = [Note(_note_text("sign"), shut)] if sign else []

    def tell(how: Reveal) -> tuple[Block, ...]:
        if how == "verdict":
            return (
                head.replace(numbers=numbers[0]),
                *rolls,
                *apart,
                *_difficulty(check, told=False),
            )
        if how == "degree":
            return (whole, *apart, *_difficulty(check, told=False), *notes)
        return (
            whole.replace(numbers=numbers[1]),
            *rolls,
            *apart,
            *_difficulty(check, told=True),
            *notes,
        )

    found = _veiled_blocks(check, tell) if veiled else graded_blocks(check, tell)
    if shut is FOR_EVERYONE or head.text != _HIT or check.target is None:
        return found
    # Blind, whoever was hit learns that, and nothing of the dice.
    return (*found, Verdict(_HIT, head.tone, (check.target,), hidden_from=GMS_ONLY, what=head.what))


def _veiled_blocks(
    check: BarCheck, tell: Callable[[Reveal], tuple[Block, ...]]
) -> tuple[Block, ...]:
    """Return the result without an NPC's dice, and without anything that reveals them.

    A player's total beside the degree would reveal the NPC's total.
    """
    bare = check.reveal == "verdict"
    instead: list[Block] = []
    for each in tell("verdict" if bare else "degree"):
        if isinstance(each, Verdict):
            missed = each.text == _MISS
            instead.append(
                each.replace(
                    numbers=None,
                    degree=None if bare else each.degree,
                    what=None if missed else each.what,
                )
            )
        elif isinstance(each, Roll):
            instead += [each] if bare and each.visible_to != GMS_ONLY else []
        elif not isinstance(each, Fact):
            instead.append(each)
    # A public Difficulty is shown as in other checks.
    instead += _difficulty(check, told=not check.hidden)
    told = [each.replace(hidden_from=GMS_ONLY) for each in instead]
    return (*told, *blocks_only_for(GMS_ONLY, tell("all")))


#: A total and what it was against: where that is hidden, and where it is not.
_Numbers = tuple[Text | None, Text | None]


def _attack_verdict(
    game: Game, check: BarCheck, own: Judgment | None
) -> tuple[Verdict, _Numbers, list[Note]]:
    """An attack hits or misses: whom it does what, the numbers, then the level."""
    data, shut, hits = check.data, dice_viewers(check), check.data.has_succeeded
    hidden, numbers = _numbers_lines(data, own)
    botch = Text("bar-odds-botch") if own is not None and own.botch and not data.opposed else None
    what = _hit_effect(check) if hits else None
    totals = [each.total for each in data.throws if not each.out]
    evades = len(totals) > 1 and totals[1] >= totals[0]  # else something else has decided it
    if not hits and evades and not any(each.botch for each in data.throws):
        numbers = Text("check-numbers", {"total": totals[1], "number": totals[0]})
        what = Text("check-evades", {"who": Ref(check.target or "")})
    degree = _outcome(check)[1]
    summed = any("sum" in each.params for each in data.came)
    notes: list[Note] = []
    if degree is not None and not summed:
        notes = [
            Note(Text("bar-level", {**degree.params, "noted": True, "missed": not hits}), shut)
        ]
    seen_as = result_tone(game, check, good=hits, rivals=data.opposed)
    head = Verdict(_HIT if hits else _MISS, seen_as, shut, botch, what=what)
    shown = (hidden if what is None else None, None if hits and what is not None else numbers)
    return head, shown, notes


def _hit_effect(check: BarCheck) -> Text | None:
    """What a hit does (BAR-TRAUMA); None before that is known."""
    if not check.data.came:
        return None
    about = {key: check.data.came[0].params.get(key) for key in ("how", "wounds", "wound")}
    return Text("bar-struck", {"who": Ref(check.target or ""), **about})


def _helper_results(data: Trial) -> list[tuple[str, Text]]:
    """How each of those who help did, and which of two sides botched (BAR-TEAM, BAR-ROLL)."""
    if data.opposed:
        return [
            (each.who, Text("bar-verdict", {"how": "botch"})) for each in data.throws if each.botch
        ]
    helped = [(each.who, data.judge_roll(each)) for each in data.throws[1:]]
    return [(who, _MARGIN if found is None else verdict_line(found)) for who, found in helped]


def _numbers_lines(data: Trial, own: Judgment | None) -> _Numbers:
    """`8 against 10`, first where the number is hidden; nothing where it was decided by something
    else.
    """
    luckless = data.throws[0].lucky is False
    if data.opposed or data.answer == MARGIN_ONLY or own is None or own.botch or luckless:
        return None, None
    numbers = Text("check-numbers", {"total": own.total, "number": own.difficulty})
    return Text("check-numbers-hidden", {"total": own.total}), numbers


def _outcome(check: BarCheck) -> tuple[Text, Text | None, bool | None]:
    """How it came out for whoever acts, by how much, and whether it worked; None where neither can
    be said.
    """
    data = check.data
    worked, level = data.outcome
    degree = Text("bar-level", {"level": abs(level)})
    if data.opposed:
        if worked is None:
            return Text("bar-verdict", {"how": "nobody"}), None, None
        return (
            Text("check-wins", {"who": Ref(check.actor if worked else check.target or "")}),
            degree,
            worked,
        )
    own = data.judge_roll(data.throws[0])
    if own is None or data.answer == MARGIN_ONLY:
        # It succeeds whatever the dice say: what the total misses by is no level of success.
        return _MARGIN, None if own is None else Text("bar-level", {"level": max(0, level)}), None
    return verdict_line(own), degree, worked
