"""Blocks of a check with their viewers: contributions, dice, result and effect."""

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

# --- lines ----------------------------------------------------------------------------------------


def difficulty_line(difficulty: int) -> Text:
    """Return the line for a Difficulty."""
    return Text("bar-difficulty", {"value": difficulty})


def trait_lines(traits: ResolvedTraits, *, scores: bool) -> tuple[Text, ...]:
    """Return the wanted traits and those that stand in for them (BAR-TRAIT).

    Without *scores* there are only the wanted names.
    """
    lines: list[Text] = []
    for _, trait in traits.wanted_traits:
        params = trait.text_params() if scores else {"name": trait.wanted}
        lines.append(Text("bar-trait", params))
    return tuple(lines) or (Text("bar-trait", {"name": None}),)


def _shift_line(what: str, **about: blocks.Value) -> Text:
    """Return the line for an option or a grant; *what* is its kind."""
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
    """Return what the player has chosen and the GM granted.

    With *open_* the lines show what the character can do. With *counted* they leave out what the
    lines of the pool show.
    """
    die, refused = DIE_TYPES[request.die], ruling.disallow
    lines: list[Text] = []
    if request.no_dice:
        lines.append(_shift_line("no dice"))
    elif die is not STANDARD_DIE:
        lines.append(_shift_line("die", value=die.id, low=die.low, high=die.high))
    for kind, trait in traits.wanted_traits:
        stands = trait.via == "descendant"
        shows_trait = open_ if stands else kind in refused
        if shows_trait:
            used = trait.used if stands else None
            lines.append(_shift_line("instead", name=trait.wanted, used=used))
    if traits.several and open_:
        lines.append(_shift_line("instead", names=traits.several[:10]))
    most, wanted = check_state.convertible_dice(ruling, traits), request.convert
    if wanted > most:
        lines.append(_shift_line("cut", value=wanted, most=most))
    supports: list[tuple[str, blocks.Value]] = []
    for number, name in enumerate(request.support):
        what = check_state.SUPPORT
        if check_state.support_key(number) in refused:
            what = f"{check_state.SUPPORT} refused"
        supports.append((what, name))
    shifts: tuple[tuple[str, blocks.Value], ...] = (
        *supports,
        ("convert", wanted if wanted <= most else 0),
        *ruling.pace.paces.items(),
        (f"{check_state.TIME} refused", check_state.TIME in refused),
        ("granted" if ruling.by_gm else "asked", ruling.modifier),
        *[(key, getattr(ruling, key)) for key in _GRANTS],
        ("mental", request.mental),
        ("non-lethal", request.non_lethal),
    )
    for what, value in shifts:
        if not value or (counted and what in _POOL_PARTS):
            continue
        if what in check_state.PACES and isinstance(value, int):
            lines.append(check_state.pace_text(what, value))
        else:
            lines.append(_shift_line(what, value=value))
    return tuple(lines)


def _note_text(what: str, **about: blocks.Value) -> Text:
    """Return a remark about a check; *what* is its kind."""
    return Text("bar-note", {"what": what, **about})


def _side_label(who: str | None) -> Text:
    """Return a label with the name of a character."""
    return Text("check-of", {"who": Ref(who or "")})


#: Kinds of options that are parts of a pool.
_POOL_PARTS: Final = (check_state.SUPPORT, "convert", "granted", "asked")


def pool_lines(
    pool: Pool, parts: tuple[Part, ...], *, causes: bool, beside: bool = False
) -> tuple[Text, ...]:
    """Return the pool, and with *causes* the sources of its dice (BAR-POOL).

    The start that all pools have is left out where it is the only source. With *beside*, all is in
    one line, since the pool stands beside others. Members of a team have the names that the reader
    knows.
    """
    alone = {} if beside else {"alone": True}
    lines: list[Text] = []
    for part in parts if causes and len(parts) > 1 else ():
        name = Ref(part.name) if part.what == "member" else part.name
        about = {"what": part.what, "add": part.add, "modifier": part.modifier, "name": name}
        lines.append(Text("bar-part", {**about, **alone}))
    dice: dict[str, blocks.Value] = {"add": pool.add, "modifier": pool.modifier}
    if beside:
        return (Text("bar-pool", {**dice, "causes": tuple(lines), "beside": True}),)
    return Text("bar-pool", dice), *lines


def roll_block(roll: PoolRoll, who: Ref | None, seen: Viewers) -> Roll:
    """Return every die in the order rolled, with those struck out that do not count (BAR-ROLL)."""
    kind = DIE_TYPES[roll.die]
    dice = tuple([Die("pool", kind.sides, face) for face in roll.faces])
    dropped = tuple([place for place, counts in enumerate(roll.kept_dice) if not counts])
    # What a d10-1 subtracts stands behind the faces, so that the sum is right.
    added = kind.add * roll.pool.add if dice else 0
    return Roll(who, None, dice, roll.total, seen, (added,) if added else (), dropped=dropped)


def verdict_line(judgment: Judgment) -> Text:
    """Return the result against a Difficulty."""
    how = "success" if judgment.success else "failure"
    if judgment.botch:
        how = "botch"
    return Text("bar-verdict", {"how": how})


# --- the check ------------------------------------------------------------------------------------


_MARGIN = Text("check-succeeds")
_HIT, _MISS = Text("check-hit"), Text("check-miss")


def describe(game: Game, check: BarCheck) -> tuple[Block, ...]:
    """Return the state of a check.

    Until the roll, contributions of opposed sides are for their owners alone. Blind dice and their
    effect are for the GMs, and for the target who is hit.
    """
    data = check.data
    if not data.entries:
        return ()
    described: list[Block] = []
    tone = result_tone(game, check, good=data.answer == FREE, rivals=data.opposed)
    if data.answer == FREE and check.kind == "attack":
        described.append(Verdict(_HIT, tone, FOR_EVERYONE, what=_hit_effect(check)))
    elif data.answer in (FREE, IMPOSSIBLE):
        verdict = shared_blocks.no_roll_verdict(data.answer, tone, rest=check.kind == "rest")
        described.append(verdict.replace(what=_healing_effect(check)))
    for entry in data.entries:
        if entry.traits or check_state.is_present(game, entry) or entry.who == check.actor:
            described += _entry_blocks(game, check, entry)
    described += (
        *_facts(game, check),
        *_result_blocks(game, check),
        *_note_blocks(game, check),
        *_effect_blocks(check),
    )
    return tuple(sorted(described, key=lambda block: not isinstance(block, Verdict)))


# --- viewers --------------------------------------------------------------------------------------


def _entry_audience(check: BarCheck, entry: Entry) -> Viewers:
    """Return the viewers of a contribution.

    While both sides still choose against each other, only its owner sees it.
    """
    if check.data.opposed and not check.data.throws:
        return (entry.who,)
    return FOR_EVERYONE


# --- contributions --------------------------------------------------------------------------------


def _entry_blocks(game: Game, check: BarCheck, entry: Entry) -> list[Block]:
    """Return a contribution: its traits, its words, and what makes it easier or harder."""
    acts, theirs = entry.who == check.actor, _entry_audience(check, entry)
    words, by = (check.approach, check.by) if acts else (entry.approach, entry.by)
    # Everyone reads the idea of an attack or contest. The dice behind it stay secret.
    heard = FOR_EVERYONE if acts and check.kind in ("attack", "contest") else theirs
    quote = [Quote(words, by, heard)] if words.strip() else []
    if check.kind == "rest":
        return [*quote]
    if any(roll.out for roll in check.data.throws if roll.who == entry.who):
        return [Fact(_side_label(entry.who), _note_text("out"), dice_viewers(check))]
    traits = check_state.effective_traits(game, check, entry)
    owned = not is_npc(game, entry.who)
    # All readers see the same of an NPC that is opposed. Other NPCs' scores are for the GMs alone.
    alike = owned or (check.data.opposed and not acts)

    veiled = check_state.is_veiled(game, entry.who)

    def facts(name: Text, tell: Callable[[bool], tuple[Text, ...]], seen: Viewers) -> list[Fact]:
        full = Fact(name, tell(owned or veiled or not alike), GMS_ONLY if veiled else seen)
        if veiled:
            return [full] if full.value else []
        versions = (full,) if alike else full_and_plain(full, value=tell(False))
        return [fact for fact in versions if fact.value]

    label = "check-defends" if check.kind == "attack" else "check-of"
    shifted = "check-defense-adjustments"
    if acts:
        asks = check.data.ruling is None and (
            entry.request.modifier or check_state.justifications(game, entry)
        )
        label, shifted = "check-with", "check-claimed" if asks else "check-adjustments"
    who = {} if acts else {"who": Ref(entry.who)}
    has_pool_lines = not (check.data.opposed or check.data.other_entries)
    counted = shifted == "check-adjustments" and owned and has_pool_lines

    ruling, seen = check_state.ruling_for(check, entry), theirs or dice_viewers(check)

    def shifts(open_: bool) -> tuple[Text, ...]:
        return option_lines(entry.request, ruling, traits, open_=open_, counted=counted)

    named = facts(Text(label, who), lambda open_: trait_lines(traits, scores=open_), theirs)
    # Two pools stand beside each other, so that each has its owner's name.
    pool = Text("bar-pool", {"label": True, "who": Ref(entry.who)})
    pools = facts(pool, lambda open_: _pool_beside(game, check, entry, open_=open_), seen)
    return [*named, *quote, *facts(Text(shifted, who), shifts, seen), *pools]


def _pool_beside(game: Game, check: BarCheck, entry: Entry, *, open_: bool) -> tuple[Text, ...]:
    """Return the pool of a contribution where it stands beside another one."""
    data, acts = check.data, entry.who == check.actor
    if not data.opposed and (check.kind != "team" or check_state.has_one_pool(check) or acts):
        return ()
    for roll in data.throws:
        if roll.who == entry.who:
            return pool_lines(roll.pool, roll.parts, causes=open_, beside=True)
    pool = _rollable_pool(game, check) if data.opposed and acts and open_ else None
    return () if pool is None else pool_lines(*pool, causes=True, beside=True)


def _rollable_pool(game: Game, check: BarCheck) -> PoolWithParts | None:
    """Return the pool before the roll; None if it can no longer be rolled as proposed."""
    try:
        return check_state.current_pool(game, check)
    except RulesError:
        return None


# --- facts and notes ------------------------------------------------------------------------------


def _facts(game: Game, check: BarCheck) -> tuple[Block, ...]:
    """Return the tool, the GM's words, and before the roll the Difficulty."""
    data, own = check.data, check.data.entries[0]
    seen, mind = _entry_audience(check, own), own.request.difficulty
    facts: list[Block] = []
    if data.tool and check.kind in ("attack", "treat"):
        what = Text("check-weapon" if check.kind == "attack" else "check-injury")
        facts.append(Fact(what, blocks.typed_text(data.tool, check.by), FOR_EVERYONE))
    if check.is_open and not data.answer and mind is not None:
        # What a GM has in mind for an NPC is not for players.
        gms = check.hidden or is_npc(game, own.who)
        facts.append(Fact(Text("check-in-mind"), mind, GMS_ONLY if gms else seen))
    facts += shared_blocks.gm_quotes(check, seen)
    if data.throws:
        return tuple(facts)
    if data.answer == MARGIN_ONLY:
        facts.append(Note(Text("answer-margin-only"), FOR_EVERYONE))
    for fact in _difficulty_facts(check, shows_value=True):
        facts += full_and_plain(fact, value=HIDDEN_DIFFICULTY) if check.hidden else (fact,)
    return tuple(facts)


def _difficulty_facts(check: BarCheck, *, shows_value: bool) -> tuple[Fact, ...]:
    """Return the Difficulty, or only that it is hidden; empty without one."""
    ruling = check.data.ruling
    if ruling is None or ruling.difficulty is None:
        return ()
    value = ruling.difficulty if shows_value else HIDDEN_DIFFICULTY
    return (Fact(DIFFICULTY_LABEL, value, dice_viewers(check)),)


def _note_blocks(game: Game, check: BarCheck) -> list[Block]:
    """Return the mode, what the player should still say, the pool, and who had a chance."""
    data, own, shut, kind = check.data, check.data.entries[0], dice_viewers(check), check.kind
    if kind == "rest":
        return []
    ruling, owned = data.ruling, not is_npc(game, own.who)
    notes: list[Block] = []
    if kind in check_state.MODES:
        # Mode of a team or contest (BAR-TEAM, BAR-OPPOSED).
        alone = kind == "contest" and not data.opposed
        mode = "alone" if alone else data.mode
        notes.append(Note(Text("bar-mode", {"mode": mode, "told": True}), shut))
    if data.opposed and not data.throws and check.target is not None:
        if check_state.is_out_of_action(game, check, check.target):
            notes.append(Note(_note_text("out", who=Ref(check.target)), FOR_EVERYONE))
    if not check.approach and ruling is None and owned:
        seen = _entry_audience(check, own)
        for trait in check_state.justified_descendants(game, own).values():
            notes.append(Note(_note_text("unsaid", name=trait.wanted, used=trait.used), seen))
    if kind == "treat" and not data.throws and check.is_open and ruling and ruling.factor:
        notes.append(Note(_note_text("treat", factor=ruling.factor), shut))
    if not data.opposed:
        notes += _pool_blocks(game, check, owned=owned)
    if data.mode == EITHER_OR and kind == "team" and ruling is not None:
        notes.append(Note(_chances_line(check), shut))
    return notes


def _chances_line(check: BarCheck) -> Text:
    """Return who has a chance by the GM's word, or how many are drawn; after the roll who had one.

    BAR-TEAM.
    """
    data = check.data
    named, chances = data.chances([entry.who for entry in data.entries])
    had = tuple([Ref(roll.who) for roll in data.throws if roll.lucky])
    drawn = None if named else chances
    return _note_text("chances", named=bool(named), had=had, chances=drawn, of=len(data.entries))


def _pool_blocks(game: Game, check: BarCheck, *, owned: bool) -> tuple[Block, ...]:
    """Return the pool that is rolled, or was.

    Before the roll, an NPC's pool is for the GMs alone; the sources of its dice always are.
    """
    data, shut = check.data, dice_viewers(check)
    thrown = data.throws[0] if data.throws else None
    built = _rollable_pool(game, check) if thrown is None else (thrown.pool, thrown.parts)
    veiled = check_state.is_veiled(game, check.actor)
    seen = shut if owned or (thrown is not None and not veiled) else GMS_ONLY
    if built is None:
        return (Note(Text("bar-pool", {"unbuildable": True}), seen),)
    pool, *causes = pool_lines(*built, causes=True)
    return Note(pool, seen), *[Note(cause, shut if owned else GMS_ONLY) for cause in causes]


def _effect_blocks(check: BarCheck) -> tuple[Block, ...]:
    """Return the effect of the check. A target who is hit reads it even if the dice are blind."""
    data = check.data
    seen = dice_viewers(check)
    if seen is not FOR_EVERYONE and check.kind == "attack" and check.target is not None:
        seen = (check.target,)
    label = _side_label(check.target)
    facts = [Fact(label, line, seen) for line in data.consequences]
    return (*facts, *[Note(line, GMS_ONLY) for line in data.aside])


# --- the dice -------------------------------------------------------------------------------------


def _result_blocks(game: Game, check: BarCheck) -> tuple[Block, ...]:
    """Return the result of the dice, as far as players may know a hidden Difficulty.

    BAR-ROLL, BAR-OPPOSED, BAR-TEAM.
    """
    data, shut = check.data, dice_viewers(check)
    if not data.throws:
        return ()
    own = data.judge_roll(data.throws[0])
    veiled = check_state.is_veiled_check(game, check)
    rolls: list[Roll] = []
    for roll in data.throws:
        if not roll.out:
            seen = GMS_ONLY if check_state.is_veiled(game, roll.who) else shut
            rolls.append(roll_block(roll, Ref(roll.who), seen))
    helpers = [Fact(_side_label(who), line, shut) for who, line in _helper_results(data)]
    if check.kind == "attack":
        head, numbers, notes = _attack_verdict(game, check, own)
        whole = head
    else:
        won, degree, worked = _outcome(check)
        tone: blocks.Tone = "neutral"
        if worked is not None:
            tone = result_tone(game, check, good=worked, rivals=data.opposed)
        head = Verdict(won, tone, shut, worked=worked, what=_healing_effect(check))
        numbers, whole = _numbers_lines(data, own), head.replace(degree=degree)
        signed = check.kind in ("check", "team") and data.answer != MARGIN_ONLY
        notes: list[Note] = []
        if signed and own is not None and own.success and own.degree:
            notes.append(Note(_note_text("sign", who=Ref(check.actor)), shut))

    def tell(how: Reveal) -> tuple[Block, ...]:
        hidden = _difficulty_facts(check, shows_value=False)
        if how == "verdict":
            return (head.replace(numbers=numbers[0]), *rolls, *helpers, *hidden)
        if how == "degree":
            return (whole, *helpers, *hidden, *notes)
        difficulty = _difficulty_facts(check, shows_value=True)
        return (whole.replace(numbers=numbers[1]), *rolls, *helpers, *difficulty, *notes)

    result_blocks = _veiled_blocks(check, tell) if veiled else graded_blocks(check, tell)
    if shut is FOR_EVERYONE or head.text != _HIT or check.target is None:
        return result_blocks
    # Of blind dice, the target who was hit learns the hit, and nothing of the dice.
    return (
        *result_blocks,
        Verdict(_HIT, head.tone, (check.target,), hidden_from=GMS_ONLY, what=head.what),
    )


def _veiled_blocks(
    check: BarCheck, tell: Callable[[Reveal], tuple[Block, ...]]
) -> tuple[Block, ...]:
    """Return the result without an NPC's dice, and without anything that reveals them.

    A player's total beside the degree would reveal the NPC's total.
    """
    bare = check.reveal == "verdict"
    shown: list[Block] = []
    for block in tell("verdict" if bare else "degree"):
        if isinstance(block, Verdict):
            what = _miss_effect(check) if block.text == _MISS else block.what
            degree = None if bare else block.degree
            shown.append(block.replace(numbers=None, degree=degree, what=what))
        elif isinstance(block, Roll):
            if bare and block.visible_to != GMS_ONLY:
                shown.append(block)
        elif not isinstance(block, Fact):
            shown.append(block)
    # A public Difficulty is shown as in other checks.
    shown += _difficulty_facts(check, shows_value=not check.hidden)
    for_players = [block.replace(hidden_from=GMS_ONLY) for block in shown]
    return (*for_players, *blocks_only_for(GMS_ONLY, tell("all")))


#: A total with the number that it was against: where that is hidden, and where it is not.
_Numbers = tuple[Text | None, Text | None]


def _attack_verdict(
    game: Game, check: BarCheck, own: Judgment | None
) -> tuple[Verdict, _Numbers, list[Note]]:
    """Return the hit or miss of an attack, its numbers, and a note with the level."""
    data, shut, hits = check.data, dice_viewers(check), check.data.has_succeeded
    hidden, numbers = _numbers_lines(data, own)
    botch = Text("bar-odds-botch") if own is not None and own.botch and not data.opposed else None
    what = _hit_effect(check) if hits else _miss_effect(check)
    totals = [roll.total for roll in data.throws if not roll.out]
    evades = len(totals) > 1 and totals[1] >= totals[0]  # otherwise the totals did not decide
    if not hits and evades and not any(roll.botch for roll in data.throws):
        numbers = Text("check-numbers", {"total": totals[1], "number": totals[0]})
        what = Text("check-evades", {"who": Ref(check.target or "")})
    degree = _outcome(check)[1]
    has_sum = any("sum" in line.params for line in data.consequences)
    notes: list[Note] = []
    if degree is not None and not has_sum:
        level = Text("bar-level", {**degree.params, "noted": True, "missed": not hits})
        notes.append(Note(level, shut))
    tone = result_tone(game, check, good=hits, rivals=data.opposed)
    head = Verdict(_HIT if hits else _MISS, tone, shut, botch, what=what)
    if hits and what is not None:
        return head, (None, None), notes
    return head, (hidden, numbers), notes


def _hit_effect(check: BarCheck) -> Text | None:
    """Return the effect of a hit (BAR-TRAUMA); None before it is known."""
    if not check.data.consequences:
        return None
    keys = ("how", "wounds", "wound", "health")
    about = {key: check.data.consequences[0].params.get(key) for key in keys}
    return Text("bar-struck", {"who": Ref(check.target or ""), **about})


def _miss_effect(check: BarCheck) -> Text:
    """Return that an attack has missed its target, which reveals nothing of the dice."""
    return Text("bar-struck", {"who": Ref(check.target or ""), "how": "missed"})


def _healing_effect(check: BarCheck) -> Text | None:
    """Return the health of a patient after a treatment or rest; None before it is known."""
    if check.kind not in ("treat", "rest") or not check.data.consequences:
        return None
    return shared_blocks.health_line(check.target or "", check.data.consequences[0].params)


def _helper_results(data: Trial) -> list[tuple[str, Text]]:
    """Return the results of helpers, or the botches of two sides (BAR-TEAM, BAR-ROLL)."""
    if data.opposed:
        botch = Text("bar-verdict", {"how": "botch"})
        return [(roll.who, botch) for roll in data.throws if roll.botch]
    results: list[tuple[str, Text]] = []
    for roll in data.throws[1:]:
        judgment = data.judge_roll(roll)
        results.append((roll.who, _MARGIN if judgment is None else verdict_line(judgment)))
    return results


def _numbers_lines(data: Trial, own: Judgment | None) -> _Numbers:
    """Return `8 against 10`, first without the number for players who must not know it.

    Both are None if something else than the total decided.
    """
    luckless = data.throws[0].lucky is False
    if data.opposed or data.answer == MARGIN_ONLY or own is None or own.botch or luckless:
        return None, None
    numbers = Text("check-numbers", {"total": own.total, "number": own.difficulty})
    return Text("check-numbers-hidden", {"total": own.total}), numbers


def _outcome(check: BarCheck) -> tuple[Text, Text | None, bool | None]:
    """Return the result for the actor, the degree, and whether it worked.

    The last two are None if they cannot be said.
    """
    data = check.data
    worked, level = data.outcome
    degree = Text("bar-level", {"level": abs(level)})
    if data.opposed:
        if worked is None:
            return Text("bar-verdict", {"how": "nobody"}), None, None
        winner = Ref(check.actor if worked else check.target or "")
        return Text("check-wins", {"who": winner}), degree, worked
    own = data.judge_roll(data.throws[0])
    if own is None or data.answer == MARGIN_ONLY:
        # It succeeds whatever the dice say: what the total falls short by is no success level.

        return _MARGIN, None if own is None else Text("bar-level", {"level": max(0, level)}), None
    return verdict_line(own), degree, worked
