"""A check as blocks that say who may see them: what everybody brings, the dice, what they mean, what came of it."""

from __future__ import annotations

from rules.core.errors import RulesError
from rules.systems.barmore.check import Part, Thrown, line_of
from rules.systems.barmore.describe import (
    KEPT,
    degree_line,
    dice_of,
    option_lines,
    pool_lines,
    pool_text,
    trait_lines,
    verdict_line,
)
from rules.systems.barmore.dice import DIE_TYPES
from rules.systems.barmore.pool import Pool
from rules.systems.barmore.task import Judgement
from rules.systems.barmore.trial import (
    BarCheck,
    Entry,
    Throw,
    Trial,
    built,
    counting,
    here,
    one_pool,
    opposition,
    ruling_for,
    together,
    verdict,
)
from rules.table.blocks import (
    ALL,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Quote,
    Ref,
    Roll,
    Seen,
    Text,
    Tone,
    Verdict,
    graded,
)
from rules.table.checks.stages import FREE, IMPOSSIBLE, MARGIN_ONLY
from rules.table.state import Reveal
from rules.table.system import Game


def describe(game: Game, check: BarCheck) -> tuple[Block, ...]:
    """How a check stands. What both sides choose against each other is nobody else's until the roll; of blind dice, and
    what comes of them, only the GMs hear, and whoever is hit."""
    data = check.data
    if not data.entries:
        return ()
    result = _result(game, check)
    heads: list[Block] = [each for each in result if isinstance(each, Verdict)]
    rest: list[Block] = [each for each in result if not isinstance(each, Verdict)]
    if data.answer in (FREE, IMPOSSIBLE):
        free = data.answer == FREE
        code = "check-free" if free else "check-cannot"
        if check.kind == "rest":
            code = "check-time-to-rest" if free else "check-no-time-to-rest"
        heads.append(Verdict(Text(code), "good" if free else "bad", ALL))
    there = [
        each
        for each in data.entries
        if each.traits is not None or here(game, each) or each.who == check.actor
    ]
    sides = [block for each in there for block in _side(game, check, each)]
    return (*heads, *sides, *_facts(check), *rest, *_notes(game, check), *_came(check))


# --- who may know ------------------------------------------------------------------------------------------


def _owned(game: Game, who: str) -> bool:
    """Whether somebody is a player's: what NPCs can do, and what ails them, is not for the players."""
    character = game.state.characters.get(who)
    return character is not None and character.owner is not None


def _choosing(check: BarCheck) -> bool:
    """Whether both sides still choose against each other."""
    return check.data.opposed and not check.data.throws


def _theirs(check: BarCheck, entry: Entry) -> Seen:
    """Who may know what somebody brings."""
    return (entry.who,) if _choosing(check) else ALL


def _shut(check: BarCheck) -> Seen:
    """Who may know of the dice and what they mean."""
    return GMS_ONLY if check.visibility == "blind" and check.data.throws else ALL


def _inner(check: BarCheck, entry: Entry) -> Seen:
    """Who may know more of somebody's part than the traits."""
    return _theirs(check, entry) if _choosing(check) else _shut(check)


def _told(
    what: Text, whole: tuple[Text, ...], lesser: tuple[Text, ...] | None, seen: Seen
) -> tuple[Block, ...]:
    """A list about somebody, where it says anything; with a `lesser` one the whole is for the GMs alone."""
    if lesser is None:
        return (Fact(what, whole, seen),) if whole else ()
    gms = (Fact(what, whole, GMS_ONLY),) if whole else ()
    return (*gms, Fact(what, lesser, seen, unless=GMS_ONLY)) if lesser else gms


# --- what everybody brings ---------------------------------------------------------------------------------


def _side(game: Game, check: BarCheck, entry: Entry) -> tuple[Block, ...]:
    """Somebody's traits, in which words they do it, and what makes it easier or harder."""
    words, by = (check.approach, check.by) if entry.who == check.actor else (entry.approach, entry.by)
    quote = (Quote(words, by, _theirs(check, entry)),) if words.strip() else ()
    if check.kind == "rest":
        return quote
    traits, owned = counting(game, check, entry), _owned(game, entry.who)
    # What an NPC sets against it is told to all alike.
    apart = not owned and not _opposes(check, entry)
    open_ = owned or apart
    named = trait_lines(traits, scores=open_)
    less = trait_lines(traits, scores=False) if apart else None
    adjusted = _adjusted(game, check, entry, open_=open_)
    less_adjusted = _adjusted(game, check, entry, open_=False) if apart else None
    label, shifted = _labels(check, entry)
    return (
        *_told(label, named, less, _theirs(check, entry)),
        *quote,
        *_told(shifted, adjusted, less_adjusted, _inner(check, entry)),
    )


def _labels(check: BarCheck, entry: Entry) -> tuple[Text, Text]:
    """What stands before somebody's traits, and before what makes it easier or harder."""
    if entry.who == check.actor:
        claimed = "check-claimed" if check.data.ruling is None else "check-adjustments"
        return Text("check-with"), Text(claimed)
    label = "check-defends" if check.kind == "attack" else "check-of"
    who = {"who": Ref(entry.who)}
    return Text(label, who), Text("check-defence-adjustments", who)


def _opposes(check: BarCheck, entry: Entry) -> bool:
    return check.data.opposed and entry.who != check.actor


def _adjusted(game: Game, check: BarCheck, entry: Entry, *, open_: bool) -> tuple[Text, ...]:
    """What somebody has chosen and the GM granted, with their pool where it stands beside another's."""
    data, against = check.data, _opposes(check, entry)
    ruling = data.ruling if entry.who == check.actor else ruling_for(check, entry)
    if against and ruling is not None and data.ruling is not None:
        ruling = ruling.but(against=data.ruling.against)
    lines = option_lines(entry.request, ruling, counting(game, check, entry), against=against, open_=open_)
    thrown = next((each.thrown for each in data.throws if each.who == entry.who), None)
    beside = data.opposed or (check.kind == "team" and not one_pool(check) and entry.who != check.actor)
    if not beside:
        return lines
    if thrown is not None:
        lines = (*lines, pool_text(thrown.pool, thrown.parts, causes=open_))
        return (*lines, *_luck(check, entry)) if not data.opposed else lines
    if not data.opposed or against or not open_:
        return lines
    pool = _standing(game, check)
    return lines if pool is None else (*lines, pool_text(*pool, causes=True))


def _luck(check: BarCheck, entry: Entry) -> tuple[Text, ...]:
    """Whether somebody had a chance at all (BAR-TEAM)."""
    lucky = next((each.lucky for each in check.data.throws if each.who == entry.who), None)
    return () if lucky is None else (Text("bar-lucky" if lucky else "bar-unlucky"),)


def _standing(game: Game, check: BarCheck) -> tuple[Pool, tuple[Part, ...]] | None:
    """The pool before the roll; None where it cannot be rolled any more as it was proposed."""
    try:
        if one_pool(check):
            return together(game, check)
        found = built(game, check, check.data.entries[0])
    except RulesError:
        return None
    return found.pool, found.parts


# --- facts and notes ---------------------------------------------------------------------------------------


def _facts(check: BarCheck) -> tuple[Block, ...]:
    """What it is about, what a GM says to it, and before the roll against what it goes."""
    data, own = check.data, check.data.entries[0]
    seen = _theirs(check, own)
    found: list[Block] = []
    if data.tool and check.kind in ("attack", "treat"):
        found.append(Fact(Text("check-weapon" if check.kind == "attack" else "check-injury"), data.tool, ALL))
    if check.open and not data.answer and own.request.difficulty is not None:
        found.append(Fact(Text("check-in-mind"), own.request.difficulty, seen))
    if data.question:
        found.append(Quote(data.question, data.asked_by, seen, label=Text("check-question")))
    if check.note:
        found.append(Quote(check.note, data.answered_by, seen, label=Text("check-note")))
    if data.answer == MARGIN_ONLY and not data.throws:
        found.append(Note(Text("answer-margin-only"), ALL))
    if not data.throws and check.hidden:
        found += [each.but(unless=GMS_ONLY) for each in _difficulty(check, told=False)]
        found += [each.but(seen=GMS_ONLY) for each in _difficulty(check, told=True)]
    elif not data.throws:
        found += _difficulty(check, told=True)
    return tuple(found)


def _difficulty(check: BarCheck, *, told: bool) -> tuple[Fact, ...]:
    ruling = check.data.ruling
    if ruling is None or ruling.difficulty is None:
        return ()
    value = ruling.difficulty if told else Text("hidden-difficulty")
    return (Fact(Text("check-difficulty"), value, _shut(check)),)


def _mode(check: BarCheck) -> tuple[Text, ...]:
    """How several do it, together or against each other (BAR-TEAM, BAR-OPPOSED)."""
    if check.kind not in ("contest", "team"):
        return ()
    if check.kind == "contest" and not check.data.opposed:
        return (Text("bar-mode-alone"),)
    mode = check.data.mode
    return (Text(f"bar-mode-{mode.replace('_', '-')}"),)


def _notes(game: Game, check: BarCheck) -> tuple[Block, ...]:
    """How several do it, what is still to be said, the pool with where its dice come from, and who had a chance."""
    data, own, shut = check.data, check.data.entries[0], _shut(check)
    found: list[Block] = [Note(each, shut) for each in _mode(check)]
    if check.kind == "rest":
        return tuple(found)
    owned = _owned(game, own.who)
    if not check.approach and data.ruling is None and owned:
        lines = option_lines(own.request, None, counting(game, check, own), open_=True)
        found += [
            Note(Text("bar-note-unsaid", dict(each.params)), _theirs(check, own))
            for each in lines
            if each.code == "bar-justification"
        ]
    if not data.opposed:
        found += _pool(game, check, owned=owned)
    lucky = data.throws[0].lucky if data.throws else None
    if lucky is not None:
        found.append(Note(Text("bar-note-lucky" if lucky else "bar-note-unlucky"), shut))
    return tuple(found)


def _pool(game: Game, check: BarCheck, *, owned: bool) -> tuple[Block, ...]:
    """What is rolled, or was; before the roll an NPC's is the GMs' alone, and where its dice come from always is."""
    data, shut = check.data, _shut(check)
    if data.throws:
        mine = data.throws[0].thrown
        pool, *causes = _named(mine.pool, mine.parts)
    else:
        standing = _standing(game, check)
        shut = shut if owned else GMS_ONLY
        if standing is None:
            return (Note(Text("bar-pool-unbuildable"), shut),)
        pool, *causes = _named(*standing)
    return Note(pool, shut), *[Note(each, shut if owned else GMS_ONLY) for each in causes]


def _named(pool: Pool, parts: tuple[Part, ...]) -> tuple[Text, ...]:
    """The pool and its causes; who takes part in it by the name that the onlooker knows."""
    first, *_ = pool_lines(pool, parts, causes=False)
    causes = [line_of(each) for each in parts if each.code]
    return first, *[
        Text(each.code, {**each.params, "name": Ref(part.name)}) if part.code == "bar-part-member" else each
        for each, part in zip(causes, [each for each in parts if each.code], strict=True)
    ]


def _came(check: BarCheck) -> tuple[Block, ...]:
    """What came of it; whoever is hit has to know, even where the dice are the GMs'."""
    data = check.data
    seen = _shut(check)
    if seen is not ALL and check.kind == "attack" and check.target is not None:
        seen = (check.target,)
    told = [Fact(Text("check-of", {"who": Ref(check.target or "")}), each, seen) for each in data.came]
    return (*told, *[Note(each, GMS_ONLY) for each in data.aside])


# --- the dice ----------------------------------------------------------------------------------------------


def _result(game: Game, check: BarCheck) -> tuple[Block, ...]:
    """What the dice say, as far as a hidden Difficulty lets the players know (BAR-ROLL, BAR-OPPOSED, BAR-TEAM)."""
    data, shut = check.data, _shut(check)
    if not data.throws:
        return ()
    won, degree, worked = _outcome(data)
    tone: Tone = "neutral" if worked is None else _tone(game, check, won=worked)
    rolls = [_roll(each, shut) for each in data.throws]
    own = verdict(data, data.throws[0])
    signed = check.kind in ("check", "team") and data.answer != MARGIN_ONLY
    sign = (Note(Text("bar-note-sign"), shut),) if signed and own and own.success and own.degree else ()
    hidden, numbers = _against(data, own)
    bare = Verdict(won, tone, shut, worked=worked, numbers=hidden)
    how_well = Verdict(won, tone, shut, degree, worked=worked)
    apart = [_apart(check, each) for each in data.throws[1:] if not data.opposed]

    def tell(how: Reveal) -> tuple[Block, ...]:
        if how == "verdict":
            return (bare, *rolls, *apart, *_difficulty(check, told=False))
        if how == "degree":
            return (how_well, *apart, *_difficulty(check, told=False), *sign)
        return (how_well.but(numbers=numbers), *rolls, *apart, *_difficulty(check, told=True), *sign)

    return graded(check, check, tell)


def _against(data: Trial, own: Judgement | None) -> tuple[Text | None, Text | None]:
    """`8 against 10`, first where the number is hidden; nothing where it was decided by something else."""
    luckless = data.throws[0].lucky is False
    if data.opposed or data.answer == MARGIN_ONLY or own is None or own.botch or luckless:
        return None, None
    numbers = Text("check-numbers", {"total": own.total, "number": own.difficulty})
    return Text("check-numbers-hidden", {"total": own.total}), numbers


def _outcome(data: Trial) -> tuple[Text, Text | None, bool | None]:
    """How it came out for whoever acts, by how much, and whether it worked; None where neither can be said."""
    if data.opposed:
        found = opposition(data)
        if found is None or found.winner == "nobody":
            return Text("bar-nobody-triumphs"), None, None
        first = found.winner == "first"
        degree = Text("bar-success-level", {"level": found.degree or 0})
        return Text("bar-triumph" if first else "bar-defeat"), degree, first
    own = verdict(data, data.throws[0])
    if own is None or data.answer == MARGIN_ONLY:
        return Text("bar-margin-only"), None if own is None else degree_line(own), None
    return verdict_line(own), degree_line(own), own.success


def _tone(game: Game, check: BarCheck, *, won: bool) -> Tone:
    """From the players' side; between two of theirs nobody's."""
    mine = _owned(game, check.actor)
    if mine and check.data.opposed and check.target is not None and _owned(game, check.target):
        return "neutral"
    return "good" if won == mine else "bad"


def _roll(thrown: Throw, seen: Seen) -> Roll:
    return roll_of(thrown.thrown, Ref(thrown.who), seen)


def roll_of(thrown: Thrown, who: Ref | None, seen: Seen) -> Roll:
    """Every die in the order rolled, those that do not count struck out (BAR-ROLL)."""
    dice = dice_of(thrown)
    dropped = tuple([place for place, die in enumerate(dice) if die.name != KEPT])
    # What a d10-1 counts less stands behind the faces, so that the sum is one.
    roll = thrown.roll
    added = 0 if roll is None else DIE_TYPES[roll.die].add * (len(dice) - len(dropped))
    terms = (added,) if added else ()
    return Roll(who, None, dice, thrown.total, seen, terms=terms, dropped=dropped)


def _apart(check: BarCheck, thrown: Throw) -> Block:
    """What a helper has achieved who rolls apart (BAR-TEAM)."""
    found = verdict(check.data, thrown)
    won = Text("bar-margin-only") if found is None else verdict_line(found)
    return Fact(Text("check-of", {"who": Ref(thrown.who)}), won, _shut(check))
