"""Random legal play: a game master, two players and the clock do whatever they may, in any order.

What can be done in checks is taken from the open prompts, what else there is from the actions of
the table and of the system: of each system only names and numbers that fit are written down
(tests/property/systems.py).
"""

from __future__ import annotations

import random
from functools import cache
from types import NoneType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from bot.presenters.errors import describe_error
from bot.presenters.events import event_cards
from bot.presenters.names import DirectoryNames
from bot.presenters.render import to_messages
from bot.presenters.scene import Scene
from bot.services.outbox_plan import ReplyTo
from bot.services.perform import ActionResult, perform
from bot.storage import codec
from bot.storage.row_records import OutboxRow
from rules.core.errors import InvalidInput, NotFound, Outdated, Problems, RulesError
from rules.core.record import NODEFAULT, field_defaults
from rules.registry import read_only_game
from rules.table import actions
from rules.table.actions import (
    Action,
    Actor,
    AddNpcs,
    Begin,
    ChangeGms,
    ChangeNpc,
    ChangeSettings,
    Choose,
    Due,
    EndCheck,
    ImportCharacter,
    NameDeputy,
    TakeOver,
    Undo,
)
from rules.table.blocks import EVERYONE, Audience
from rules.table.check import PASS, Values
from rules.table.checks.access import cast_of
from rules.table.checks.audience_views import check_view
from rules.table.checks.available_moves import available_moves
from rules.table.checks.engine import KEPT_CHECKS, MAX_OPEN_CHECKS
from rules.table.checks.procedure import orderable_options
from rules.table.events import Event
from rules.table.forms.fields import Flag, FormContext, Many, Number, Typed
from rules.table.forms.form import Form
from rules.table.lookup import playable_characters
from rules.table.permissions import is_gm
from rules.table.resources import award_options
from rules.table.settings.table_settings import settings_form
from rules.table.state import DAY, HOUR, SYSTEM, TableState
from rules.table.system import Game
from rules.table.wait_places import place_of_wait
from tests.presenters.scenes import everything
from tests.property.systems import Grounds
from tests.rules.checks.test_random_play import whole
from tests.sample_table import ANN, BEN, GM, NOON, PLACE, Session, by, open_game, waits

CLOCK = Actor(SYSTEM)
PLAYERS = (ANN, BEN)
EVERYBODY = (GM, *PLAYERS)
#: How often something is chosen that leads nowhere, against what goes on.
RARELY = {
    "withdraw": 0.1,
    "revise": 0.2,
    "ask": 0.2,
    "free": 0.2,
    "impossible": 0.1,
    "leave": 0.3,
    "stand": 0.3,
}
#: How often something else is done than this: once.
OFTEN: dict[str, float] = {
    **dict.fromkeys(("ImportCharacter", "BeginAction"), 6),
    **dict.fromkeys(("JoinEncounter", "NextTurn"), 4),
    **dict.fromkeys(("AddNpcs", "ChangeSettings", "RollTask", "Adjust", "AddVehicle"), 3),
    **dict.fromkeys(("AddToEncounter", "StartTask", "SetOrder"), 2),
    **dict.fromkeys(
        (
            "Give",
            "Delegate",
            "Retire",
            "RemoveVehicle",
            "RemoveNpc",
            "EndCheck",
            "CloseChecks",
            "TakeOver",
        ),
        0.4,
    ),
    "EndEncounter": 0.2,
    "Tell": 8,
}
#: How often a secret walk begins a check of a rare kind, against one of another kind: once.
_RARE_KINDS = 0.3
#: What is done in a way of its own, or has tests of its own because it ends what came before.
APART = (
    *(
        "Action",
        "OnCharacter",
        "OnNpcs",
        "OnCheck",
        "CreateTable",
        "ImportTable",
        "ImportDeck",
        "RotateSeed",
        "ForgetPerson",
    ),
    *("ChangePlaces", "Begin", "Choose", "Due", "Undo", "Amend"),
    *("StepIn", "AskToStepIn", "RefuseStepIn"),
)
#: What may refuse a choice that is offered, for want of something that only the rules know of, or
#: because of others.
DEPENDS = frozenset(
    (
        *("not-enough", "not-enough-fate", "ability-required", "needs-approach", "not-of-table"),
        *(
            "incapacitated",
            "member-without-dice",
            "not-supporting",
            "choose-before-roll",
            "unchanged-reply",
        ),
        *(
            "ego-no-pool",
            "ego-other-ability",
            "ego-not-out",
            "ego-no-ap",
            "ego-cannot-act",
            "ego-leave-out",
        ),
        *("ego-karma-once", "ego-not-so-fired", "ego-no-rounds", "ego-too-much-karma"),
        *("ego-too-many-shots", "ego-dead-already"),
        *("highest-die", "mb-grown-enough", "known-already", "mb-not-enough", "unknown-rise"),
        *(
            "mb-out-of-reach",
            "mb-not-agreed",
            "mb-not-in-rounds",
            "mb-out-of-range",
            "mb-no-rounds",
        ),
        *(
            "mb-no-active-defense",
            "mb-no-action-left",
            "mb-trained-only",
            "mb-set-back",
            "mb-out-cold",
        ),
        *("mb-aim-alone", "mb-special-too-high"),
    )
)


#: Ways to set when the table's clock rests: a night, weekends in a zone with summer time, never.
RESTS: Final[tuple[dict[str, Any], ...]] = (
    {"days": (), "from_": 8 * 60, "to": 22 * 60, "zone": "UTC", "offsets": ((0, 0),)},
    {
        "days": (5, 6),
        "from_": 18 * 60,
        "to": 2 * 60,
        "zone": "Europe/Berlin",
        "offsets": ((0, 3600), (1_800_100_000, 7200), (1_801_000_000, 3600)),
    },
    {"days": (0, 2, 4), "from_": 0, "to": 0, "zone": "UTC", "offsets": ((0, 0),)},
    {"days": (), "from_": 0, "to": 0},
)
#: A place of the table that not everybody can view.
VAULT = "777"


def action_kinds() -> list[type[Action]]:
    """Everything that is done at a table."""
    return [
        each
        for each in vars(actions).values()
        if isinstance(each, type) and issubclass(each, Action)
    ]


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


class Walk:
    """One table and whoever acts at it.

    Every hidden number is a canary. With `secret` nobody but p1 ever leads the table, and it never
    shows everything.
    """

    def __init__(
        self, session: Session, grounds: Grounds, chance: random.Random, *, secret: bool = False
    ) -> None:
        self.session = session
        self.grounds = grounds
        self.chance = chance
        self.secret = secret
        self.now = NOON
        self.done: list[ActionResult] = []
        self.refused: list[tuple[Actor, RulesError]] = []
        #: Every text that somebody was shown.
        self.read: list[str] = []
        self._dropped: dict[str, int] = {}
        self._where = random.Random("where")
        self._requests: list[tuple[Action, str]] = []

    # --- acting -----------------------------------------------------------------------------------

    async def steps(self, count: int) -> None:
        """So many things are done, or refused."""
        for _ in range(count):
            await self.step()

    async def step(self) -> None:
        """One thing is done, or refused; either way everything is as it has to be afterwards."""
        self.now += self.chance.choice((0, 1, 60, HOUR))
        before = await self.session.state()
        kinds = (self._move, self._begin, self._act, self._poke, self._undo, self._due, self._again)
        (kind,) = self.chance.choices(kinds, (60, 14, 30, 6, 6, 10, 3))
        count = len(self.done)
        await kind(before)
        await self.check(before, self.done[count:])

    async def _do(self, action: Action, *may_be: type[RulesError]) -> None:
        """Somebody does something. It may be refused with errors of these classes, or for what is
        in `DEPENDS`.
        """
        reply = None if action.who is CLOCK else ReplyTo(self.chance.random() < 0.5, "token")
        request_id = f"w{len(self._requests)}"
        self._requests.append((action, request_id))
        table = await self.session.tables.get(self.session.table_id)
        before = table.state, table.revision
        try:
            done = await perform(
                self.session.tables, self.session.table_id, action, request_id, reply
            )
        except RulesError as error:
            if not isinstance(error, may_be) and error.code not in DEPENDS:
                raise
            self.refused.append((action.who, error))
            self.read.append(describe_error(error))
            assert self.read[-1]
            assert (table.state, table.revision) == before
        else:
            assert table.revision == before[1] + 1
            self.done.append(done)

    def _by(self, who: Actor) -> Any:
        return by(who, at=self.now)

    def _anywhere_by(self, who: Actor) -> Any:
        """The same, now and then in another place of the table."""
        place = VAULT if self._where.random() < 0.1 else PLACE
        return by(who, at=self.now, place=place)

    def _game(self, state: TableState, who: Actor) -> Game:
        return open_game(state, who, self.now)

    async def _move(self, state: TableState) -> None:
        """Somebody answers a prompt with something that it offers."""
        able = [
            (
                move,
                who,
                option,
                RARELY.get(getattr(option, "value", PASS), 1) * (0.3 if move.offer else 1),
            )
            for who in EVERYBODY
            for move in available_moves(self._game(state, who))
            for option in (*move.options, *(None,) * move.passes)
        ]
        if not able:
            await self._begin(state)
            return
        ((move, who, option, _),) = self.chance.choices(able, [each[-1] for each in able])
        values: dict[str, Any] = {}
        if option is not None and option.form is not None:
            assert isinstance(option.form, Form)
            check = state.checks[move.check]
            asking = FormContext(self._game(state, who), check, move.who)
            values = self._filled(option.form, asking, option.values, check.kind)
        value = PASS if option is None else option.value
        on: Any = {
            "check": move.check,
            "prompt": move.prompt,
            "number": move.number,
            "as_": (move.who,),
        }
        action = Choose(**self._by(who), **on, option=value, values=values)
        # What is filled in may not fit; what has no form is done, if it is offered.
        fits = option is None or option.form is None
        await self._do(action, *() if fits else (InvalidInput, NotFound, Problems))

    async def _begin(self, state: TableState) -> None:
        """Somebody begins something of a kind that these rules have; what is refused is tried some
        other way.
        """
        for _ in range(3):
            done = len(self.done)
            await self._begin_once(state)
            if len(self.done) > done:
                return

    async def _begin_once(self, state: TableState) -> None:
        chance = self.chance
        able = [who for who in EVERYBODY if playable_characters(state, who)]
        procedures = read_only_game(state).system.procedures
        if not procedures or not able:
            await self._act(state)
            return
        begun = [each for each in procedures if not procedures[each].by_itself]
        who = chance.choice(able)
        if self.secret:
            # These walks go on until every other kind was met, so those come first.
            weights = [_RARE_KINDS if each in self.grounds.rare else 1 for each in begun]
            (kind,) = chance.choices(begun, weights)
        else:
            kind = chance.choice(begun)
        actor = chance.choice(playable_characters(state, who))
        form = procedures[kind].form
        asking = FormContext(self._game(state, who), None, actor.id)
        values = {} if form is None else self._filled(form, asking, {}, kind)
        others = [each for each in self._names(state) if each != actor.name] or ["Rat"]
        visibility: Any = chance.choice(("public", "public", "public", "private", "blind"))
        action = Begin(
            **self._anywhere_by(who),
            kind=kind,
            as_=actor.name if chance.random() < 0.8 else None,
            target=chance.choice((None, None, None, actor.name, *others, *others)),
            values=values,
            visibility=visibility,
            gm_only=chance.random() < 0.03,
        )
        await self._do(action, RulesError)

    async def _act(self, state: TableState) -> None:
        """Somebody does something else, of the table's actions or the system's own."""
        kinds = self.acts(state)
        (kind,) = self.chance.choices(kinds, [OFTEN.get(each.__name__, 1) for each in kinds])
        who = self.chance.choice((*(GM,) * 5, *PLAYERS))
        await self._do(kind(**self._anywhere_by(who), **self._fields(kind, state, who)), RulesError)

    def acts(self, state: TableState) -> list[type[Action]]:
        """Return the classes of actions that `_act` chooses from, in the order in which they are
        declared.
        """
        kinds = [kind for kind in action_kinds() if kind.__name__ not in APART]
        kinds += read_only_game(state).system.actions
        if self.secret:
            kinds = [kind for kind in kinds if kind not in (ChangeGms, NameDeputy, TakeOver)]
        return kinds

    async def _poke(self, state: TableState) -> None:
        """A player tries what may well be refused, on any check, perhaps on what it was before."""
        if not state.checks:
            return
        chance = self.chance
        who, check = chance.choice(PLAYERS), chance.choice(list(state.checks.values()))
        asked = chance.choice(check.asked) if check.asked else None
        choice = Choose(
            **self._by(who),
            check=check.id,
            prompt="rule" if asked is None else asked.prompt.key,
            number=check.revision if asked is None else asked.number - chance.choice((0, 0, 1)),
            option=chance.choice((PASS, "roll", "withdraw", "free", "reroll", "face", "join")),
            as_=chance.choice(((), ("",), ("k1",), ("Boris",), ("k1", "k2"))),
        )
        wait = next(iter(waits(state)), f"{check.id}.1.rule.9")
        several = (
            choice,
            choice,
            EndCheck(**self._by(who), check=check.id),
            Due(**self._by(who), wait=wait),
        )
        await self._do(chance.choice(several), RulesError)

    async def _undo(self, _state: TableState) -> None:
        table = await self.session.tables.get(self.session.table_id)
        entry = self.chance.choice(
            (None, max(1, table.revision - self.chance.choice((0, 1, 2, 3, 12))))
        )
        who = self.chance.choice(EVERYBODY)
        await self._do(
            Undo(**self._by(who), entry=entry, all_dependents=self.chance.random() < 0.6),
            RulesError,
        )

    async def _due(self, state: TableState) -> None:
        """The clock does what has run out, as the scheduler does it."""
        self.now += self.chance.choice((0, 0, HOUR, DAY))
        store = self.session.tables.store
        for _, wait, at in await store.due_waits(self.now, limit=1):
            place = place_of_wait(wait) or state.checks[wait.partition(".")[0]].place
            # Nobody is reminded of what the clock answers at the same time.
            over = (Outdated,) if ".remind" in wait else ()
            await self._do(Due(**by(CLOCK, place=place, at=self.now), wait=wait), *over)
            await store.drop_due(self.session.table_id, wait)
            self._dropped[wait] = at

    async def _again(self, state: TableState) -> None:
        """An earlier request comes once more, perhaps after a restart: it gets its first result."""
        if self.chance.random() < 0.3:
            await self.session.restart()
            assert await self.session.state() == state
        known = {done.seq: done for done in self.done}
        if not known or not self._requests:
            return
        action, request_id = self.chance.choice(self._requests)
        row = await self.session.tables.store.find_request(request_id)
        if row is None:
            return
        again = await perform(self.session.tables, self.session.table_id, action, request_id)
        assert again.repeated
        assert again.events == known[row[0].seq].events
        assert await self.session.state() == state

    # --- filling in -------------------------------------------------------------------------------

    def _names(self, state: TableState) -> list[str]:
        return [each.name for each in state.characters.values() if each.stage == "revealed"] or [
            "Anna"
        ]

    def _words(self, state: TableState, who: Actor) -> dict[str, tuple[Any, ...]]:
        """What fits in fields by what there is at the table now."""
        game, names = self._game(state, who), self._names(state)
        checks = [each.id for each in state.checks.values() if each.is_open] or ["c1"]
        orders = [(prompt, option.value) for _, prompt, option in orderable_options(game)]
        mine = (*[each.name for each in playable_characters(state, who)] * 3, *names)
        npcs = [each.name for each in state.characters.values() if each.owner is None]
        opened = [asked for check in state.open_checks for asked in check.asked]
        prompts = [asked.prompt.key for asked in opened if asked.due is not None]
        return {
            "as_": (None, *mine),
            "character": (None, *mine),
            "npc": tuple(npcs or names),
            "AddToEncounter.name": (*names, "the tide"),
            "RemoveFromEncounter.name": (*names, "the tide"),
            "StartTask.as_": tuple(names),
            "target": (None, *names),
            "Adjust.character": tuple(names),
            "order": (tuple(names[:2]),),
            "check": tuple(checks),
            "checks": (tuple(checks[:3]),),
            "SetOrder": tuple(
                {"prompt": prompt, "option": option}
                for prompt, option in (*orders, ("react", PASS))
            ),
            "TakeBackOrder.prompt": ("react", *[prompt for prompt, _ in orders]),
            "otherwise": (None, PASS),
            "keep": ("", *[each.key for each in game.system.resources]),
            "SetOrder.kind": ("", *game.system.procedures),
            "Award.kind": tuple(each.value for each in award_options(game.system.resources))
            or ("fate",),
            "PauseTable.until": (None, self.now + HOUR, self.now + 3 * DAY),
            "ChangeRest": RESTS,
            "MoreTime.prompt": tuple(prompts) or ("react",),
            "MoreTime.number": (None,),
            "MoreTime.until": (None, None, self.now + 2 * DAY, self.now + 9 * DAY),
            "MoreTurnTime.round": (None,),
            "MoreTurnTime.turn": (None,),
            "MoreTurnTime.until": (None, None, self.now + 9 * DAY),
            "StartScene.cast": ((), tuple(names[:2]), tuple(names[-1:])),
            "SumUp.scene": ("", "so"),
            "MovePlay.scene": ("",),
            "MovePlay.to": ("222", "333", "900"),
            "Produce.what": tuple(game.system.tables) or ("anomaly",),
            **self.grounds.words,
        }

    def _fields(self, kind: type[Action], state: TableState, who: Actor) -> dict[str, Any]:
        """What somebody says with an action."""
        chance, words, found = self.chance, self._words(state, who), dict[str, Any]()
        for name, default in field_defaults(kind).items():
            hint, usual = _hints(kind)[name], default is not NODEFAULT
            fitting = words.get(f"{kind.__name__}.{name}", words.get(name, ()))
            if NoneType not in get_args(hint):
                fitting = [each for each in fitting if each is not None]
            if name in ("who", "place", "at"):
                continue
            if kind in (ImportCharacter, AddNpcs, ChangeNpc) and name == "data":
                found[name] = self._character(state) if not usual or chance.random() < 0.6 else None
            elif kind is ChangeSettings:
                form = settings_form(read_only_game(state).system)
                flags = {
                    each.key: chance.random() < 0.5
                    for each in form.fields
                    if isinstance(each, Flag)
                }
                settled = {
                    **self._filled(form, FormContext(), {}),
                    **flags,
                    "gm_place": chance.choice(("", "900")),
                }
                found[name] = {
                    key: value for key, value in settled.items() if chance.random() < 0.6
                }
            elif usual and chance.random() < 0.4:
                continue
            elif fitting and hint is not bool:
                found[name] = chance.choice(fitting)
            elif several := _several(hint):
                found[name] = chance.choice(several)
            elif not usual:
                found[name] = {"data": {}}.get(name, "so")
        found |= chance.choice(words.get(kind.__name__, ({},)))
        if kind is ChangeSettings and self.secret and found["values"].get("reveal") == "all":
            del found["values"]["reveal"]
        return self._kept(found)

    def _character(self, state: TableState) -> dict[str, Any]:
        """Somebody's JSON object, with a change that these rules know."""
        words = self.grounds.words
        changes = {
            key: self.chance.choice(words[key])
            for key in ("wounds", "minor", "harm", "weight", "down")
            if key in words
        }
        return self.grounds.character(
            self.chance.choice((*self._names(state), "Rat", "Cat")), **changes
        )

    def _filled(
        self, form: Form, asking: FormContext, drafted: Values, of: str = ""
    ) -> dict[str, Any]:
        """Values for a form, of a check of this kind or of none, mostly those that it takes."""
        values = self._some(form, asking, drafted, of)
        for _ in range(3):
            try:
                form.read_json(values, asking)
            except RulesError:
                values = self._some(form, asking, drafted, of)
        return values

    def _some(self, form: Form, asking: FormContext, drafted: Values, of: str) -> dict[str, Any]:
        """Some of what a form starts from, some of what its fields offer."""
        chance = self.chance
        found = dict(drafted) if chance.random() < 0.5 else {}
        for field in form.fields:
            key = field.key
            often = (
                0.8
                if key
                in (self.grounds.number, "skill", "attribute", "approach", *self.grounds.often)
                else 0.15
            )
            theirs = field.hidden_if(asking, key) is None or chance.random() < 0.1
            if key in found or not theirs or not (field.needed or chance.random() < often):
                continue
            offered = [value for value, _ in field.choices_for(asking)]
            words = self.grounds.words
            fitting = words.get(f"{of}.{key}", ()) or words.get(key) or offered
            if isinstance(field, Flag):
                found[key] = True
            elif fitting:
                value = chance.choice(fitting)
                found[key] = [value] if isinstance(field, Many) else value
            elif isinstance(field, Number):
                found[key] = chance.randint(max(field.low, -2), min(field.high, 3))
            elif isinstance(field, Typed):
                found[key] = "so"
        # What a player types may be told to that player again: no canary is theirs.
        return self._kept(found, gm=asking.game is None or asking.game.actor not in PLAYERS)

    def _kept(self, values: dict[str, Any], *, gm: bool = True) -> dict[str, Any]:
        """The same with a canary where the number is to be hidden."""
        number, secret = self.grounds.number, self.grounds.secret
        if values.get("hidden") and secret and gm:
            return {**values, number: self.chance.choice(secret)}
        if values.get(number) in secret:
            return {**values, number: self.chance.choice(self.grounds.words[number])}
        return values

    # --- what has to be true ----------------------------------------------------------------------

    async def check(self, before: TableState, done: list[ActionResult]) -> None:
        """The invariants after a step; `done` is what came of it."""
        state = await self.session.state()
        system = read_only_game(state).system
        assert state.counters.character >= before.counters.character
        assert state.counters.begun >= state.counters.check >= before.counters.check
        assert state.settings.gms or system.sheets is None
        assert len(state.characters) <= state.counters.character
        for character in state.characters.values():
            assert all(each.low <= each.of(character.sheet) for each in system.resources)
        opened = [each for each in state.checks.values() if each.is_open]
        assert len(opened) <= MAX_OPEN_CHECKS
        begun = state.counters.begun - before.counters.begun
        if begun:
            # Room is made when a check is added; until then what was open may have ended. A check
            # can begin another one as it ends, and both end at once.
            open_before = sum(each.is_open for each in before.checks.values())
            ended = max(0, open_before + begun - len(opened))
            assert len(state.checks) - len(opened) < 2 * KEPT_CHECKS + max(1, ended)
        # Reminders come when the table has agreed on now.
        whole(before if before.settings == state.settings else state, state)
        self.grounds.whole(state)
        for check in state.checks.values():
            old = before.checks.get(check.id)
            if old is check:
                continue
            assert {*cast_of(read_only_game(state), check)} <= {
                *state.characters
            } or not check.is_open
            assert check.number <= state.counters.begun
            self._check_views(state, check.id)
        for each in done:
            self._check_waits_are_for_somebody(state)
            await self._check_stored(state)
            self._check_cards(each)

    def _check_waits_are_for_somebody(self, state: TableState) -> None:
        """Whoever leads the table or plays at it can do something about every open check."""
        able = {move.check for who in EVERYBODY for move in available_moves(self._game(state, who))}
        bad = [each for each in state.checks.values() if each.is_open and each.id not in able]
        assert not bad, (bad, self._requests[-1])

    async def _check_stored(self, state: TableState) -> None:
        """The file has the table as it is, and lists what the clock has to do."""
        store = self.session.tables.store
        row = await store.load_table(self.session.table_id)
        assert row is not None
        assert codec.read_state(row.system, self.session.table_id, row.parts) == state
        expected = {name: wait.due for name, wait in waits(state).items()}
        if (pause := state.settings.pause) is not None:
            # Of a silent table, only the reminders of before are left.
            reminders = [each for each in waits(state).values() if each.default is None]
            expected = {each.id: each.due for each in reminders if each.due <= pause.since}
        self._dropped = {name: at for name, at in self._dropped.items() if expected.get(name) == at}
        due = await store.due_waits(10**12, limit=1000)
        listed = {wait: at for _, wait, at in due if place_of_wait(wait) is None}
        assert listed == {name: at for name, at in expected.items() if name not in self._dropped}

    def _check_cards(self, done: ActionResult) -> None:
        """Everything that happened has a card that Discord takes."""
        scene = Scene(self.session.table_id, done.state, DirectoryNames(done.table.directory), {})
        for card in event_cards(done.events, scene, done.seq):
            assert to_messages(card)
            self.read.append(everything(card))

    def _check_views(self, state: TableState, key: str) -> None:
        """Nobody but the GMs sees a hidden number in a check as it stands."""
        check, system = state.checks[key], read_only_game(state).system
        fallen = system.procedures[check.kind].dice_have_fallen(check.data)
        if not check.hidden or (check.reveal == "all" and fallen):
            return
        for audience in (
            EVERYONE,
            *[Audience(people=(each.id,)) for each in PLAYERS if not is_gm(state, each)],
        ):
            view = check_view(self._game(state, CLOCK), check, audience)
            assert not self.grounds.canary.search(str(view)), (audience, view)

    # --- who may see what -------------------------------------------------------------------------

    def told_to_players(self) -> list[str]:
        """Everything that players were shown: events, refusals, and what waits in the outbox for
        them.
        """
        found: list[str] = []
        for done in self.done:
            found += [str(event) for event in done.events if _for_players(event, done.state)]
            found += [
                str(done.events[index])
                for out in done.outs
                if _row_for_players(out, done.state)
                for index in out.events
            ]
        for who, error in self.refused:
            if who in PLAYERS:
                found.append(
                    f"{error} {error.params} {[str(p) for p in getattr(error, 'problems', ())]}"
                )
        return found


def _several(hint: Any) -> tuple[Any, ...]:
    """The values that a field of this type may have, where they can be listed."""
    if hint is bool:
        return (True, False)
    if get_origin(hint) is Literal:
        return get_args(hint)
    parts = get_args(hint)
    found = [each for part in parts for each in _several(part)]
    return (*found, *(None,) * (NoneType in parts)) if found else ()


def _for_players(event: Event, state: TableState) -> bool:
    people = event.audience.people
    return event.audience.everyone or any(not is_gm(state, Actor(person)) for person in people)


def _row_for_players(out: OutboxRow, state: TableState) -> bool:
    """Whether players may read the message that this row becomes."""
    if out.kind == "mark":
        return False
    return out.public or (out.person is not None and not is_gm(state, Actor(out.person)))
