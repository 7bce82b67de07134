"""What is told of a check: one event an audience, with what it may know and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

from rules.core.record import record
from rules.table.blocks import ALL, GMS_ONLY, Audience, Block, Note, Ref, Text, for_audience, named, sees
from rules.table.checks.access import hears, may_answer, players_of
from rules.table.checks.check import GMS as THE_GMS
from rules.table.checks.check import OVER, AnyCheck, Asked, Seen
from rules.table.checks.machine import Made, Took
from rules.table.checks.moves import is_behind
from rules.table.checks.orders import delegates, is_away
from rules.table.checks.procedure import AnyProcedure, procedure_of
from rules.table.events import EVERYONE, GMS, Awaited, CheckChanged, CheckStep, Event, Taken
from rules.table.lookup import TableNames
from rules.table.permissions import is_gm
from rules.table.state import SYSTEM, TableState
from rules.table.system import Game

#: What several steps at once are called: the first of these.
_HEADS: Final[tuple[CheckStep, ...]] = ("begun", "ended", "chosen", "passed", "reminded")
#: What happened by itself, and can be seen of the check.
_BY_ITSELF: Final = ("moved", "over")
_ROLLED_BLIND: Final = Note(Text("check-rolled-blind"), ALL, GMS_ONLY)
#: What somebody sees of a check.
_LOOKS: Final = ("blocks", "asked", "over", "react", "actor", "target", "owner")


def check_view(game: Game, check: AnyCheck, audience: Audience) -> CheckChanged:
    """The check as it stands, as everybody in the audience may see it."""
    return _Telling(game, check).view(audience)


def told(before: TableState, made: Made) -> tuple[Event, ...]:
    """The events of what became of a check, and what happened besides; `before` is the table before it."""
    telling = _Telling(made.game, made.check)
    return (*telling.happened(before, made.took), *made.events)


def told_again(game: Game, check: AnyCheck) -> tuple[Event, ...]:
    """The events of a check that an undo has brought back."""
    return _Telling(game, check).reopened()


class _Names:
    """Who is who while a check is told of: whoever answers for a character plays it.

    `disguised` tells whether somebody was named whom not everybody calls the same.
    """

    __slots__ = ("_at", "_names", "_state", "disguised")

    def __init__(self, state: TableState, at: int) -> None:
        self._state, self._at = state, at
        self._names = TableNames(state)
        self.disguised = False

    def called(self, character: str, audience: Audience) -> Ref:
        """By the name that all of the audience know."""
        found = self._state.characters.get(character)
        if found is not None and found.stage != "revealed":
            self.disguised = True
        return self._names.called(character, audience)

    def players(self, character: str) -> tuple[str, ...]:
        """Its owner and those who may answer for it."""
        return players_of(self._state, character, self._at)


@record
class _Call:
    """Somebody is called to answer, as far as these may know of it."""

    who: str
    seen: Seen


class _Telling:
    """One check, and everybody who hears of it."""

    def __init__(self, game: Game, check: AnyCheck) -> None:
        self._game = game
        self._check = check
        self._names = _Names(game.state, game.at)
        self._course: AnyProcedure = procedure_of(game, check.kind)
        self._blocks = _described(game, check, self._course)
        self._alike: dict[int, Block] = {}  # what all audiences read alike

    # --- as it stands ---------------------------------------------------------------------------------------

    def view(self, audience: Audience) -> CheckChanged:
        """As it stands, for one audience."""
        check, names = self._check, self._names
        character = self._game.state.characters.get(check.actor)
        prompts = [each for each in check.asked if sees(each.prompt.seen, audience, names)]
        over = not check.open or (bool(check.asked) and not prompts)
        return CheckChanged(
            audience=audience,
            check=check.id,
            kind=check.kind,
            place=check.place,
            step="over" if over else "moved",
            by=SYSTEM,
            blocks=self._read_by(audience),
            asked=tuple([self._awaited(each, audience) for each in prompts]),
            revision=check.revision,
            stage=OVER if over else check.stage,
            over=over,
            react=any(is_behind(each) for each in prompts),
            actor=names.called(check.actor, audience) if check.actor else None,
            owner=None if character is None else character.owner,
            target=None if check.target is None else names.called(check.target, audience),
            visibility=check.visibility,
            gm_only=check.gm_only,
        )

    def _read_by(self, audience: Audience) -> tuple[Block, ...]:
        return for_audience(self._blocks, audience, self._names, self._alike)

    def _awaited(self, asked: Asked, audience: Audience) -> Awaited:
        """In a secret prompt all are named who were asked, whoever has answered."""
        prompt, names = asked.prompt, self._names
        waited = asked.named if prompt.secret else asked.left
        who = () if prompt.wait is None else waited
        played = [each for each in who if names.players(each)]
        people = tuple(dict.fromkeys([person for each in played for person in names.players(each)]))
        return Awaited(
            prompt.key,
            asked.number,
            tuple([names.called(each, audience) for each in played]),
            people,
            len(played) < len(who),
            asked.since,
            asked.due,
            prompt.button,
        )

    # --- what happened --------------------------------------------------------------------------------------

    def reopened(self) -> tuple[CheckChanged, ...]:
        """For everybody who may know of it that it is back."""
        by = self._game.actor.id
        found = [self.view(each).but(step="reopened", by=by) for each in self._audiences(())]
        return self._apart(found, ())

    def happened(self, before: TableState, took: tuple[Took, ...]) -> tuple[CheckChanged, ...]:
        """One event for each audience that notices something of it."""
        check = self._check
        was = before.checks.get(check.id)
        revealed = self._reveals(was, before, took)
        openly = was is None or not any(
            each.seen is not None or _kept(each, took) for each in took if each.step not in _BY_ITSELF
        )
        calls = self._calls(was, took)
        found: list[CheckChanged] = []
        for audience in self._audiences(took):
            if found and openly and self._alike_but_for_blocks:
                event = found[0].but(audience=audience, blocks=self._read_by(audience))
            else:
                event = self._event(audience, took, revealed=revealed)
            if audience.everyone and openly and self._alike_but_for_blocks and not self._apart_by_blocks:
                return self._apart([event], calls)  # nearly every step of every check ends here
            if openly or event.took or was is None or not self._as_before(was, before, event):
                found.append(event)
        if check.visibility == "public" and found and not (check.gm_only or found[0].audience.everyone):
            found = [each.but(secret=True) for each in found]
        return self._apart(found, calls)

    @property
    def _alike_but_for_blocks(self) -> bool:
        """Whether everybody sees the same besides some blocks, once it was told to everybody."""
        return not self._names.disguised and not any(
            each.prompt.secret or each.prompt.seen is not None for each in self._check.asked
        )

    @property
    def _apart_by_blocks(self) -> bool:
        """Whether not everybody reads the same blocks."""
        return any(each.seen is not None or each.unless is not None for each in self._blocks)

    def _audiences(self, took: Iterable[Took]) -> Iterator[Audience]:
        """Everybody who may know of the check: all at once, each who may know more, the GMs."""
        check = self._check
        if check.gm_only:
            yield GMS
            return
        if check.visibility == "public":
            yield EVERYONE
        who = [*hears(self._game, check)]
        if check.visibility == "public":
            secret = [each for each in check.asked if each.prompt.secret or each.prompt.seen is not None]
            who += [each for asked in secret for each in asked.named]
            who += [each.who for each in took if each.secret or each.seen is not None]
        people = dict.fromkeys([person for each in who for person in self._names.players(each)])
        gms = self._game.state.settings.gms
        yield from [Audience(people=(each,)) for each in people if each not in gms]
        yield GMS

    def _event(self, audience: Audience, took: tuple[Took, ...], *, revealed: bool) -> CheckChanged:
        event: Any = self.view(audience)  # nobody has seen it yet, so it may still be filled in
        visible = [each for each in took if each.step not in _BY_ITSELF and self._hears(audience, each, took)]
        steps = {each.step for each in visible}
        head = next((each for each in _HEADS if each in steps), event.step)
        taken = tuple([self._taken(each, audience) for each in visible])
        done = next((each for each in taken if each.step == head in ("chosen", "passed")), None)
        event.step, event.took, event.revealed = head, taken, revealed
        if taken:
            event.by = self._game.actor.id
        if done is not None:
            event.who, event.said = done.who, done.said
        return event

    def _taken(self, each: Took, audience: Audience) -> Taken:
        names = self._names
        said = None if each.said is None else named(each.said, audience, names)
        return Taken(each.step, names.called(each.who, audience) if each.who else None, said, each.how)

    def _hears(self, audience: Audience, each: Took, took: tuple[Took, ...]) -> bool:
        """Whether this is told to the audience: what is secret only to who chose it, while its stage goes on."""
        names = self._names
        if not sees(each.seen, audience, names):
            return False
        return not _kept(each, took) or sees((each.who,), audience, names)

    def _as_before(self, was: AnyCheck, before: TableState, event: CheckChanged) -> bool:
        """Whether the audience sees the same of it as before."""
        earlier = _Telling(self._game.with_(before), was).view(event.audience)
        return all(getattr(earlier, name) == getattr(event, name) for name in _LOOKS)

    def _reveals(self, was: AnyCheck | None, before: TableState, took: tuple[Took, ...]) -> bool:
        """Whether somebody has seen what they did not know: dice, what they came to, or what others have chosen."""
        if all(each.step == "reminded" for each in took):
            return False
        if any(not _kept(each, took) for each in took if each.secret):
            return True
        state, actor, at = self._game.state, self._game.actor, self._game.at
        if any(not may_answer(state, actor, each.who, at) for each in took if each.how == "order"):
            return True
        data, fallen = self._check.data, self._course.fallen
        if not fallen(data) or (was is not None and was.data is data):
            return False
        if was is None or not fallen(was.data):
            return True
        return _described(self._game.with_(before), was, self._course) != self._blocks

    # --- who is called --------------------------------------------------------------------------------------

    def _calls(self, was: AnyCheck | None, took: tuple[Took, ...]) -> tuple[_Call, ...]:
        """Whoever is asked anew, or reminded; and whose doing was ended by somebody else."""
        reminded = {each.prompt for each in took if each.step == "reminded"}
        found: list[_Call] = []
        for asked in self._check.asked:
            prompt = asked.prompt
            if prompt.wait is None:
                continue
            old = None if was is None or prompt.key in reminded else was.prompt(prompt.key)
            known = old.left if old is not None and old.number == asked.number else ()
            left = asked.named if prompt.secret and self._names_all(asked, known) else asked.left
            found += [_Call(each, prompt.seen) for each in left if each not in known]
        check = self._check
        mine = any(each.who == check.actor for each in took)
        if was is not None and not check.open and not mine and self._game.actor.id != SYSTEM:
            found.append(_Call(check.actor, None))
        if was is not None and was.open and not check.open and self._course.fallen(check.data):
            found += [_Call(each, None) for each in self._course.with_it(check)]
        return tuple(found)

    def _names_all(self, asked: Asked, known: tuple[str, ...]) -> bool:
        """Whether all are called who were asked: whoever has answered in secret is not told apart by it."""
        return not known and any(self._names.players(each) for each in asked.named)

    def _apart(self, events: list[CheckChanged], calls: tuple[_Call, ...]) -> tuple[CheckChanged, ...]:
        """The events with whom they call, without those that say nothing more than the one for everybody."""
        state, by = self._game.state, self._game.actor
        open_to_all = next((each for each in events if each.audience.everyone), None)
        same = [
            open_to_all is not None
            and each is not open_to_all
            and each.blocks == open_to_all.blocks
            and each.but(audience=open_to_all.audience) == open_to_all
            for each in events
        ]
        found: list[CheckChanged] = []
        for event, alike in zip(cast("list[Any]", events), same, strict=True):
            people: list[str] = []
            gms = False
            for call in calls:
                if (event is open_to_all) != (open_to_all is not None and call.seen is None):
                    continue
                players, for_gms = self._called(call.who)
                gms |= for_gms and (event.audience.gms or event is open_to_all)
                people += [each for each in players if event is open_to_all or each in event.audience.people]
            called = tuple(dict.fromkeys([each for each in people if each != by.id]))
            gms = gms and not is_gm(state, by)
            if alike and not called and not gms:
                continue
            public = self._check.visibility == "public" and not self._check.gm_only
            quiet = not called and not gms and (public or (event.audience.gms and is_gm(state, by)))
            event.ping, event.ping_gms, event.quiet = called, gms, quiet and event is not open_to_all
            found.append(event)
        return tuple(found)

    def _called(self, who: str) -> tuple[tuple[str, ...], bool]:
        """The participants who are called for a character, and whether the GMs are."""
        character = self._game.state.characters.get(who)
        if who == THE_GMS or character is None or character.owner is None:
            return (), who == THE_GMS or character is not None
        if not is_away(self._game.state, character.owner, self._game.at):
            return (character.owner,), False
        others = delegates(self._game.state, who, self._game.at)
        return others, not others


def _described(game: Game, check: AnyCheck, course: AnyProcedure) -> tuple[Block, ...]:
    """What its rules say of it; of dice that only the GMs see all others learn that they have fallen."""
    blocks = course.describe(game, check)
    if check.visibility != "blind" or check.gm_only or not course.fallen(check.data):
        return blocks
    return (*blocks, _ROLLED_BLIND)


def _kept(each: Took, took: tuple[Took, ...]) -> bool:
    """Whether a choice is still a secret: the stage in which it was made goes on."""
    if not each.secret:
        return False
    later = took[next(index for index, one in enumerate(took) if one is each) + 1 :]
    return not any(one.step in ("moved", "over", "ended") for one in later)
