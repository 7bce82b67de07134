"""Challenges as events show them: for the GMs, for everybody, and for those who take part; nothing hidden in it."""

from __future__ import annotations

from dataclasses import replace

from rules.core.errors import NotFound, RulesError
from rules.table.actions import Actor
from rules.table.checks.access import require_checks
from rules.table.events import (
    EVERYONE,
    GMS,
    Audience,
    ChallengeChanged,
    ChallengeStep,
    CheckView,
    Event,
    Line,
    OtherSide,
)
from rules.table.permissions import is_gm, owns, public_name
from rules.table.state import AnyChallenge, AnyCharacter, AnyHelper, Side, TableState
from rules.table.system import Cast, Described, Game


def target_of(state: TableState, challenge: AnyChallenge) -> AnyCharacter | None:
    """Whom it is done to, as far as they are still there."""
    return None if challenge.target is None else state.characters.get(challenge.target)


def cast_of(state: TableState, challenge: AnyChallenge) -> Cast:
    """Who takes part in it, as far as they are still there; whoever has thrown dice stays in it when they retire."""
    actor = state.characters[challenge.character]
    target = None if challenge.target is None else target_of(state, challenge)
    if not challenge.helpers:
        return Cast(actor, target)
    thrown = challenge.rolled is not None
    helpers = tuple(
        (state.characters[each.character], each)
        for each in challenge.helpers
        if helps(state, each) or (thrown and each.character in state.characters)
    )
    return Cast(actor, target, helpers)


def helps(state: TableState, helper: AnyHelper) -> bool:
    """Whether a helper is still there and in play."""
    character = state.characters.get(helper.character)
    return character is not None and not character.retired


def helpers_of(state: TableState, challenge: AnyChallenge, who: Actor) -> tuple[AnyCharacter, ...]:
    """The actor's own characters who have joined in."""
    there = [state.characters[each.character] for each in challenge.helpers if helps(state, each)]
    return tuple(each for each in there if owns(state, who, each))


def may_see(state: TableState, challenge: AnyChallenge, who: Actor) -> bool:
    """Whether `who` may know of this challenge at all."""
    if is_gm(state, who):
        return True
    if challenge.gm_only:
        return False
    if challenge.visibility == "public" or owns(state, who, state.characters[challenge.character]):
        return True
    target = target_of(state, challenge) if challenge.opposed else None
    if target is not None and owns(state, who, target):
        return True
    return any(owns(state, who, each) for each, _ in cast_of(state, challenge).helpers)


def _blinded(state: TableState, challenge: AnyChallenge, *, gm: bool, who: str | None) -> bool:
    """Whether the dice have fallen for the GMs' eyes alone; but whoever was hit has to know that."""
    if gm or challenge.visibility != "blind" or challenge.rolled is None:
        return False
    target = target_of(state, challenge)
    struck = challenge.status == "hit" or bool(challenge.choice)
    return not (struck and target is not None and who is not None and target.owner == who)


def as_seen(state: TableState, challenge: AnyChallenge, *, gm: bool, who: str | None) -> AnyChallenge:
    """The challenge, over for those who may not know that it hit: its waiting would tell them."""
    if challenge.status == "hit" and _blinded(state, challenge, gm=gm, who=who):
        return challenge.but(status="settled", deadline=None)
    return challenge


def find_check(state: TableState, actor: Actor, text: str) -> AnyChallenge:
    """A check by its id, as far as the actor may know of it. NotFound("unknown-check") otherwise."""
    challenge = state.challenges.get(text.strip().casefold())
    if challenge is None or not may_see(state, challenge, actor):
        raise NotFound("unknown-check", field="check", value=text[:100], nearest=())
    return as_seen(state, challenge, gm=is_gm(state, actor), who=actor.id)


def open_to(state: TableState, challenge: AnyChallenge, who: Actor) -> bool:
    """Whether it is open as far as `who` may know."""
    if not challenge.open or not may_see(state, challenge, who):
        return False
    return as_seen(state, challenge, gm=is_gm(state, who), who=who.id).open


def check_view(
    state: TableState, game: Game, challenge: AnyChallenge, *, gm: bool, who: str | None = None
) -> CheckView:
    """The challenge as a GM (`gm`), as participant `who`, or without either as everybody may see it.

    What both sides of an opposed challenge choose is told to nobody but themselves and the GMs until the roll.
    """
    return _view(state, game, challenge, cast_of(state, challenge), gm=gm, who=who)


def _view(
    state: TableState, game: Game, challenge: AnyChallenge, cast: Cast, *, gm: bool, who: str | None
) -> CheckView:
    """`check_view` of a challenge with its cast."""
    if challenge.status == "hit":
        challenge = as_seen(state, challenge, gm=gm, who=who)
    character = cast.actor
    told = game.course.describe(cast, challenge, gm=gm)
    if not gm and challenge.visibility == "blind" and challenge.rolled is not None:
        told = Described(traits=told.traits, asked=told.asked)
    veiled = choosing(challenge) and not gm and (who is None or character.owner != who)
    if veiled:
        told = Described(target=told.target, notes=told.notes)
    return CheckView(
        challenge.id,
        challenge.revision,
        challenge.status,
        challenge.visibility,
        character.name if gm or character.stage == "revealed" else public_name(character),
        character.owner,
        "" if veiled else challenge.approach,
        told.traits,
        told.asked,
        challenge.answer,
        "" if veiled else challenge.question,
        "" if veiled else challenge.note,
        told.target,
        told.shifts,
        told.dice,
        told.terms,
        told.total,
        told.verdict,
        told.degree,
        told.notes,
        challenge.deadline,
        challenge.kind,
        None if challenge.target is None else _other(state, game, challenge, gm=gm, who=who),
        challenge.tool,
        challenge.opposed,
        veiled,
        challenge.gm_only,
        character.alias if gm and character.stage == "aliased" else "",
        _helpers(state, game, challenge, cast, gm=gm) if cast.helpers else (),
    )


def _helpers(
    state: TableState, game: Game, challenge: AnyChallenge, cast: Cast, *, gm: bool
) -> tuple[OtherSide, ...]:
    """Those who joined in, as the onlooker knows them."""
    return tuple([_helper(state, game, challenge, each, helper, gm=gm) for each, helper in cast.helpers])


def _helper(
    state: TableState,
    game: Game,
    challenge: AnyChallenge,
    character: AnyCharacter,
    helper: AnyHelper,
    *,
    gm: bool,
) -> OtherSide:
    """Somebody who joined in, as the onlooker knows them."""
    told = game.course.describe_helper(character, challenge, helper, gm=gm)
    if not gm and challenge.visibility == "blind" and challenge.rolled is not None:
        told = Described(traits=told.traits)
    return OtherSide(
        character.name if gm else public_name(character),
        character.owner,
        True,
        helper.approach,
        told.traits,
        told.shifts,
        told.dice,
        told.terms,
        told.total,
        told.verdict,
    )


def choosing(challenge: AnyChallenge) -> bool:
    """Whether both sides still choose against each other: what they choose is not for everybody's eyes."""
    return challenge.opposed and challenge.rolled is None


def _other(
    state: TableState, game: Game, challenge: AnyChallenge, *, gm: bool, who: str | None
) -> OtherSide | None:
    """Whom it is done to, as the onlooker knows them, with what they set against it once it is thrown."""
    target = target_of(state, challenge)
    if challenge.kind == "rest":
        return None
    if target is None:
        return OtherSide("")
    name = target.name if gm else public_name(target)
    if challenge.status == "hit":
        ready = bool(challenge.choice)
    else:
        ready = challenge.defence is not None
    if challenge.defence is None:
        return OtherSide(name, target.owner, ready)
    told = game.course.describe_other(target, challenge)
    if not gm and challenge.visibility == "blind" and challenge.rolled is not None:
        told = Described(traits=told.traits)
    elif not gm and challenge.hidden and challenge.reveal == "degree" and challenge.rolled is not None:
        # With the degree, the other's total would tell what both were measured against.
        told = Described(traits=told.traits, shifts=told.shifts)
    elif not gm and told.total is None and (who is None or target.owner != who):
        return OtherSide(name, target.owner, ready)
    return OtherSide(
        name,
        target.owner,
        ready,
        challenge.defence_approach,
        told.traits,
        told.shifts,
        told.dice,
        told.terms,
        told.total,
    )


def require_sheets(game: Game, challenge: AnyChallenge, *characters: AnyCharacter) -> None:
    """NotFound when one of these characters has no more what the challenge names of them."""
    for character in characters:
        if character.id == challenge.character:
            game.course.require_traits(character, challenge)
        if character.id == challenge.target:
            game.course.require_defence(character, challenge)
        for helper in challenge.helpers:
            if character.id == helper.character:
                game.course.require_help(character, challenge, helper)


def require_open_checks(state: TableState, game: Game, character: AnyCharacter) -> None:
    """Refuse a sheet without what an open check names: nobody could go on with that check. NotFound."""
    for challenge in state.challenges.values():
        if challenge.open:
            require_sheets(game, challenge, character)
    require_checks(game.with_(state.with_character(character)), character.id)


def stands(game: Game, challenge: AnyChallenge, *characters: AnyCharacter) -> bool:
    """Whether a challenge is over, or the characters still have everything that it names."""
    if not challenge.open:
        return True
    try:
        require_sheets(game, challenge, *characters)
    except RulesError:
        return False
    return True


def participants(state: TableState, challenge: AnyChallenge) -> tuple[AnyCharacter, ...]:
    """Everybody whom it names, as far as they are still there."""
    named = (challenge.character, challenge.target, *(each.character for each in challenge.helpers))
    found = (state.characters.get(key) for key in named if key is not None)
    return tuple(each for each in found if each is not None)


def _sides(cast: Cast) -> tuple[AnyCharacter, ...]:
    """Whoever acts, and whom it is done to where there is somebody."""
    return (cast.actor,) if cast.target is None else (cast.actor, cast.target)


def _known_to_all(challenge: AnyChallenge, cast: Cast) -> bool:
    """Whether everybody may know all of a challenge and by what name to call each who takes part."""
    if challenge.visibility != "public" or challenge.hidden or challenge.gm_only or choosing(challenge):
        return False
    if cast.actor.stage != "revealed" or (cast.target is not None and cast.target.stage != "revealed"):
        return False
    return not cast.helpers or all(helper.stage == "revealed" for helper, _ in cast.helpers)


def check_events(
    state: TableState,
    game: Game,
    challenge: AnyChallenge,
    step: ChallengeStep,
    by: str,
    *,
    ping: bool = False,
    ping_target: bool = False,
    ping_gms: bool = False,
    ping_helpers: bool = False,
    spent: Line | None = None,
    side: Side = "actor",
    lines: tuple[Line, ...] = (),
) -> tuple[Event, ...]:
    """The events of one step: for everyone or those who take part, and what only the GMs may know for them.

    `ping` calls the owner of whoever acts, `ping_target` that of whom it is done to; GMs own NPCs.
    `ping_helpers` calls the players of those who help.
    """
    cast = cast_of(state, challenge)
    called: tuple[str, ...] = ()
    calls_gms = ping_gms
    if ping or ping_target:
        wanted = [each for each, call in zip(_sides(cast), (ping, ping_target), strict=False) if call]
        called = tuple(dict.fromkeys(each.owner for each in wanted if each.owner and each.owner != by))
        calls_gms |= by not in state.settings.gms and any(each.owner is None for each in wanted)
    if ping_helpers and cast.helpers:
        joined = (each.owner for each, _ in cast.helpers if each.owner and each.owner != by)
        called = tuple(dict.fromkeys((*called, *joined)))
    if _known_to_all(challenge, cast):  # nearly every step of every check ends here
        view = _view(state, game, challenge, cast, gm=False, who=None)
        if called or calls_gms:
            return (ChallengeChanged(step, view, by, spent, side, lines, ping=called, ping_gms=calls_gms),)
        return (ChallengeChanged(step, view, by, spent, side, lines),)
    return _told_apart(state, game, challenge, cast, step, by, called, calls_gms, spent, side, lines)


def _told_apart(
    state: TableState,
    game: Game,
    challenge: AnyChallenge,
    cast: Cast,
    step: ChallengeStep,
    by: str,
    called: tuple[str, ...],
    calls_gms: bool,
    spent: Line | None,
    side: Side,
    lines: tuple[Line, ...],
) -> tuple[Event, ...]:
    """`check_events` where not everybody may know everything; `called` are those to call, with `calls_gms` GMs too."""

    def event(audience: Audience, *, gm: bool = False, who: str | None = None) -> ChallengeChanged:
        people = called if who is None else tuple(each for each in called if each == who)
        return ChallengeChanged(
            audience=audience,
            ping=() if gm else people,
            ping_gms=calls_gms if gm == (challenge.visibility != "public" or challenge.gm_only) else False,
            step=step,
            view=_view(state, game, challenge, cast, gm=gm, who=who),
            by=by,
            spent=spent,
            side=side,
            lines=() if lines and _blinded(state, challenge, gm=gm, who=who) else lines,
        )

    if challenge.gm_only:
        return (event(GMS, gm=True),)
    character, helpers = cast.actor, [each for each, _ in cast.helpers]
    public = event(EVERYONE) if challenge.visibility == "public" else None
    secret = choosing(challenge)
    owners = tuple(dict.fromkeys(each.owner for each in (*_sides(cast), *helpers) if each.owner is not None))
    if public is not None:
        mine = by in owners and secret
        own = (
            (replace(event(Audience(people=(by,)), who=by), ping=(), ping_gms=False, quiet=True),)
            if mine
            else ()
        )
        return (public, *own, replace(event(GMS, gm=True), quiet=True))
    takers = owners if challenge.opposed or helpers else owners[:1] if character.owner is not None else ()
    # Nor may anything that comes later tell them that a blind attack has hit.
    later = step == "taken" or (challenge.status == "hit" and step not in ("rolled", "spent", "settled"))
    takers = tuple(
        owner for owner in takers if not (later and _blinded(state, challenge, gm=False, who=owner))
    )
    told = tuple(event(Audience(people=(owner,)), who=owner) for owner in takers)
    for_gms = event(GMS, gm=True)
    return (*told, replace(for_gms, quiet=by in state.settings.gms)) if told else (for_gms,)
