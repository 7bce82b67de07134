"""A check as blocks that say who may see them: what everybody brings, the dice, what they mean, what came of it."""

from __future__ import annotations

from functools import cache
from itertools import repeat
from typing import Any

from rules.core.errors import RulesError
from rules.core.rng import Die
from rules.systems.barmore.check import (
    BarCheck,
    BarRequest,
    BarRuling,
    Entry,
    Thrown,
    Traits,
    Trial,
    built,
    claimed,
    counting,
    here,
    one_pool,
    opposition,
    ruling_for,
    together,
    verdict,
)
from rules.systems.barmore.dice import DIE_TYPES, STANDARD
from rules.systems.barmore.options import PACE, GmOptions
from rules.systems.barmore.pool import Part, Pool
from rules.systems.barmore.task import Judgement
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
    Value,
    Verdict,
    graded,
)
from rules.table.checks.stages import FREE, IMPOSSIBLE, MARGIN_ONLY
from rules.table.state import Reveal
from rules.table.system import Game

#: What a die is called: those that count, and what the others fell away for (BAR-ROLL).
KEPT, FOR_BONUS, FOR_PENALTY = "kept", "bonus", "penalty"

# --- in codes ----------------------------------------------------------------------------------------------


def difficulty_line(difficulty: int) -> Text:
    """A Difficulty."""
    return Text("bar-difficulty", {"value": difficulty})


def trait_lines(traits: Traits, *, scores: bool) -> tuple[Text, ...]:
    """The traits that are wanted and those that stand in for them (BAR-TRAIT); without `scores` only their names."""
    found: list[Text] = []
    for _, trait in traits.named:
        about = {"used": trait.used, "score": trait.score, "via": trait.via} if scores else {}
        found.append(Text("bar-trait", {"name": trait.wanted, **about}))
    return tuple(found) or (Text("bar-trait", {"name": None}),)


def option_lines(
    request: BarRequest, ruling: BarRuling | None, traits: Traits, *, open_: bool = True
) -> tuple[Text, ...]:
    """What the player has chosen and the GM granted; `open_` where everybody may know what somebody can do."""
    options, die = request.options, DIE_TYPES[request.options.die]
    refused = () if ruling is None else ruling.refused
    grants = GmOptions() if ruling is None else ruling.options
    pace = options if ruling is None else grants
    lines: list[Text] = []
    if die is not STANDARD and not options.no_dice:
        lines.append(Text("bar-shift", {"what": "die", "value": die.id, "low": die.low, "high": die.high}))
    for kind, trait in traits.named:
        if trait.via == "descendant" and open_:
            lines.append(Text("bar-justification", {"name": trait.wanted, "used": trait.used}))
        elif trait.via != "descendant" and kind in refused:
            lines.append(Text("bar-justification", {"name": trait.wanted, "used": None}))
    if traits.several and open_:
        lines.append(Text("bar-several", {"names": traits.several[:10]}))
    shifts: tuple[tuple[str, Value], ...] = (
        ("support refused" if "support" in refused else "support", options.support),
        ("convert", options.convert),
        *PACE.said(pace).items(),
        ("granted", (request if ruling is None else ruling).modifier),
        ("factor", grants.factor),
        ("chances", None if grants.chances is None else str(grants.chances)),
        ("mental", options.mental),
        ("non-lethal", options.non_lethal),
    )
    first = (Text("bar-shift", {"what": "no dice"}),) if options.no_dice else ()
    return (
        *first,
        *lines,
        *[Text("bar-shift", {"what": what, "value": value}) for what, value in shifts if value],
    )


def _part(part: Part, *, alone: bool) -> Text:
    """A part of a pool; who takes part in it by the name that the onlooker knows."""
    name = Ref(part.name) if part.what == "member" else part.name
    about = {"what": part.what, "add": part.add, "modifier": part.modifier, "name": name}
    return Text("bar-part", about | {"alone": True} if alone else about)


def pool_lines(pool: Pool, parts: tuple[Part, ...], *, causes: bool) -> tuple[Text, ...]:
    """The pool, and with `causes` where its dice come from (BAR-POOL)."""
    return Text("bar-pool", _dice(pool)), *[_part(part, alone=True) for part in parts if causes]


def pool_text(pool: Pool, parts: tuple[Part, ...], *, causes: bool) -> Text:
    """The same in one line, for what stands among others (BAR-POOL). What everybody begins with is no news alone."""
    why = tuple([_part(part, alone=False) for part in parts]) if causes and len(parts) > 1 else ()
    return Text("bar-pool-of", _dice(pool) | {"causes": why})


def _dice(pool: Pool) -> dict[str, Any]:
    """What is rolled, Bonus and Penalty Dice cancelled (BAR-POOL)."""
    final = pool.cancelled()
    return {"add": final.add, "bonus": final.bonus, "penalty": final.penalty}


def dice_of(thrown: Thrown) -> tuple[Die, ...]:
    """Every die in the order rolled, kept or dropped (BAR-ROLL)."""
    roll = thrown.roll
    if roll is None:
        return ()
    sides = DIE_TYPES[roll.die].sides
    fallen = FOR_PENALTY if roll.pool.penalty else FOR_BONUS
    return tuple(map(_die, roll.kept, repeat(fallen), repeat(sides), roll.faces))


@cache
def _die(kept: bool, fallen: str, sides: int, face: int) -> Die:
    """There are no more than these: made once, told often."""
    return Die(KEPT if kept else fallen, sides, face)


def verdict_line(found: Judgement) -> Text:
    if found.botch:
        return Text("bar-botch")
    return Text("bar-success" if found.success else "bar-failure")


def degree_line(found: Judgement) -> Text:
    return Text("bar-level", {"level": abs(found.degree)})


# --- the check ---------------------------------------------------------------------------------------------


_MARGIN = Text("bar-margin-only")


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
    there = [each for each in data.entries if each.traits or here(game, each) or each.who == check.actor]
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
    apart = not owned and not (check.data.opposed and entry.who != check.actor)
    open_ = owned or apart
    named = trait_lines(traits, scores=open_)
    less = trait_lines(traits, scores=False) if apart else None
    adjusted = _adjusted(game, check, entry, open_=open_)
    less_adjusted = _adjusted(game, check, entry, open_=False) if apart else None
    label, shifted = _labels(check, entry)
    return (
        *_told(label, named, less, _theirs(check, entry)),
        *quote,
        *_told(shifted, adjusted, less_adjusted, _theirs(check, entry) if _choosing(check) else _shut(check)),
    )


def _labels(check: BarCheck, entry: Entry) -> tuple[Text, Text]:
    """What stands before somebody's traits, and before what makes it easier or harder."""
    if entry.who == check.actor:
        claimed = "check-claimed" if check.data.ruling is None else "check-adjustments"
        return Text("check-with"), Text(claimed)
    label = "check-defends" if check.kind == "attack" else "check-of"
    who = {"who": Ref(entry.who)}
    return Text(label, who), Text("check-defence-adjustments", who)


def _adjusted(game: Game, check: BarCheck, entry: Entry, *, open_: bool) -> tuple[Text, ...]:
    """What somebody has chosen and the GM granted, with their pool where it stands beside another's."""
    data, ruling = check.data, ruling_for(check, entry)
    lines: tuple[Text, ...] = option_lines(entry.request, ruling, counting(game, check, entry), open_=open_)
    throw = next((each for each in data.throws if each.who == entry.who), None)
    thrown, lucky = (None, None) if throw is None else (throw.thrown, throw.lucky)
    beside = data.opposed or (check.kind == "team" and not one_pool(check) and entry.who != check.actor)
    if not beside:
        return lines
    if thrown is not None:
        luck = () if lucky is None else (Text("bar-luck", {"lucky": lucky}),)
        return (*lines, pool_text(thrown.pool, thrown.parts, causes=open_), *luck)
    if not data.opposed or entry.who != check.actor or not open_:
        return lines
    pool = _standing(game, check)
    return lines if pool is None else (*lines, pool_text(*pool, causes=True))


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
        return (Text("bar-mode", {"mode": "alone"}),)
    return (Text("bar-mode", {"mode": check.data.mode}),)


def _notes(game: Game, check: BarCheck) -> tuple[Block, ...]:
    """How several do it, what is still to be said, the pool with where its dice come from, and who had a chance."""
    data, own, shut = check.data, check.data.entries[0], _shut(check)
    found: list[Block] = [Note(each, shut) for each in _mode(check)]
    if check.kind == "rest":
        return tuple(found)
    owned = _owned(game, own.who)
    if not check.approach and data.ruling is None and owned:
        found += [
            Note(Text("bar-note-unsaid", {"name": each.wanted, "used": each.used}), _theirs(check, own))
            for _, each in claimed(game, own)
        ]
    if not data.opposed:
        found += _pool(game, check, owned=owned)
    lucky = data.throws[0].lucky if data.throws else None
    if lucky is not None:
        found.append(Note(Text("bar-luck", {"lucky": lucky, "begun": True}), shut))
    return tuple(found)


def _pool(game: Game, check: BarCheck, *, owned: bool) -> tuple[Block, ...]:
    """What is rolled, or was; before the roll an NPC's is the GMs' alone, and where its dice come from always is."""
    data, shut = check.data, _shut(check)
    thrown = data.throws[0].thrown if data.throws else None
    standing = _standing(game, check) if thrown is None else (thrown.pool, thrown.parts)
    seen = shut if owned or thrown is not None else GMS_ONLY
    if standing is None:
        return (Note(Text("bar-pool", {"unbuildable": True}), seen),)
    pool, *causes = pool_lines(*standing, causes=True)
    return Note(pool, seen), *[Note(each, shut if owned else GMS_ONLY) for each in causes]


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
    rolls = [roll_of(each.thrown, Ref(each.who), shut) for each in data.throws]
    own = verdict(data, data.throws[0])
    signed = check.kind in ("check", "team") and data.answer != MARGIN_ONLY
    sign = (Note(Text("bar-note-sign"), shut),) if signed and own and own.success and own.degree else ()
    hidden, numbers = _against(data, own)
    bare = Verdict(won, tone, shut, worked=worked, numbers=hidden)
    how_well = Verdict(won, tone, shut, degree, worked=worked)
    helped = [] if data.opposed else [(each.who, verdict(data, each)) for each in data.throws[1:]]
    apart = [
        Fact(Text("check-of", {"who": Ref(who)}), _MARGIN if found is None else verdict_line(found), shut)
        for who, found in helped
    ]

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
        degree = Text("bar-level", {"level": found.degree or 0})
        return Text("bar-triumph" if first else "bar-defeat"), degree, first
    own = verdict(data, data.throws[0])
    if own is None or data.answer == MARGIN_ONLY:
        return _MARGIN, None if own is None else degree_line(own), None
    return verdict_line(own), degree_line(own), own.success


def _tone(game: Game, check: BarCheck, *, won: bool) -> Tone:
    """From the players' side; between two of theirs nobody's."""
    mine = _owned(game, check.actor)
    if mine and check.data.opposed and check.target is not None and _owned(game, check.target):
        return "neutral"
    return "good" if won == mine else "bad"


def roll_of(thrown: Thrown, who: Ref | None, seen: Seen) -> Roll:
    """Every die in the order rolled, those that do not count struck out (BAR-ROLL)."""
    dice = dice_of(thrown)
    dropped = tuple([place for place, die in enumerate(dice) if die.name != KEPT])
    # What a d10-1 counts less stands behind the faces, so that the sum is one.
    added = 0 if thrown.roll is None else DIE_TYPES[thrown.roll.die].add * (len(dice) - len(dropped))
    return Roll(who, None, dice, thrown.total, seen, terms=(added,) if added else (), dropped=dropped)
