"""The stages that several procedures share, in a small system of their own."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import Impossible, NotPermitted, Problems
from rules.table.check import ANY_GM, NEXT, OVER, PASS, Check, Choice, Cost, Prompt, Values
from rules.table.checks import engine
from rules.table.checks.audience_views import check_view
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.prompt_times import pending_waits
from rules.table.checks.stages import ProposalData, ProposalStage, ReadyStage, RolledStage
from rules.table.events import EVERYONE
from rules.table.forms.fields import Flag, Number, Typed
from rules.table.forms.form import Form
from rules.table.state import DAY, TableState
from rules.table.system import Game, System
from tests.rules.checks import toy_procedures
from tests.rules.checks.toy_procedures import (
    GM,
    POINTS,
    Fields,
    Play,
    Sheet,
    calls,
    option,
    owner,
    table,
)


class Blade(ProposalData):
    """An attack: how, how difficult, what the other side sets against it, both throws, what it
    does.
    """

    how: str = ""
    level: int = 0
    defense: str = ""
    lucky: bool = False
    faces: tuple[int, ...] = ()
    choice: str = ""
    lost: int = 0
    said: str = ""


class Asked(ProposalStage[Blade]):
    def read_request(self, game: Game, check: Check[Blade], values: Values) -> Check[Blade]:
        return check.replace(
            data=check.data.replace(how=values.get("how", check.data.how)), approach="anew"
        )

    def read_ruling(self, game: Game, check: Check[Blade]) -> Blade:
        return check.data.replace(level=(check.data.ruled or {}).get("difficulty", 5))

    def has_difficulty(self, check: Check[Blade]) -> bool:
        return False


class Defense(Stage[Blade]):
    name = "facing"

    def ask(self, game: Game, check: Check[Blade], /) -> tuple[Prompt, ...]:
        if check.data.defense or check.target is None:
            return ()
        return (Prompt("face", (check.target,), secret=True, button="answer-face"),)

    def options(
        self, game: Game, check: Check[Blade], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (option("face", Fields(how=str)),)

    def choose(self, game: Game, check: Check[Blade], choice: Choice, /) -> StageResult[Blade]:
        return StageResult(game.state, check.data.replace(defense=choice.values.get("how", "bare")))


class Luck(ReadyStage[Blade]):
    def roll_options(self, game: Game, check: Check[Blade], who: str) -> tuple[CheckOption, ...]:
        return super().roll_options(game, check, who) if check.data.how else ()

    def options_before_roll(
        self, game: Game, check: Check[Blade], who: str
    ) -> tuple[CheckOption, ...]:
        return () if check.data.lucky else (option("luck", cost=Cost("points")),)

    def apply_choice(self, game: Game, check: Check[Blade], choice: Choice) -> StageResult[Blade]:
        return StageResult(
            game.state, check.data.replace(lucky=check.data.lucky or choice.option == "luck")
        )

    def other_rollers(self, game: Game, check: Check[Blade]) -> tuple[str, ...]:
        return (check.target,) if check.target is not None else ()


class Clash(Stage[Blade]):
    name = "clash"

    def enter(self, game: Game, check: Check[Blade], /) -> StageResult[Blade] | None:
        dice = game.rng_for(check)
        return StageResult(
            game.state, check.data.replace(faces=(dice.below(10) + 1, dice.below(10) + 1))
        )


class Fate(RolledStage[Blade]):
    def options(
        self, game: Game, check: Check[Blade], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (option("again", cost=Cost("points")),) if game.sheet(who).points else ()

    def choose(self, game: Game, check: Check[Blade], choice: Choice, /) -> StageResult[Blade]:
        at = 0 if choice.who == check.actor else 1
        faces = list(check.data.faces)
        faces[at] = game.rng_for(check).below(10) + 1
        return StageResult(game.state, check.data.replace(faces=tuple(faces)), reopen=True)


class Wound(Stage[Blade]):
    """Whoever was hit says what it does; what they suffer a GM puts in words. The clock lets them
    suffer.
    """

    name = "struck"

    def ask(self, game: Game, check: Check[Blade], /) -> tuple[Prompt, ...]:
        mine, theirs = check.data.faces
        if check.target is None or mine <= theirs:
            return ()
        if check.data.choice:
            return (Prompt("words", wait="answer", default="suffer"),)
        return Prompt("hit", (check.target,), "answer", "suffer"), Prompt("words", wait=None)

    def options(
        self, game: Game, check: Check[Blade], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        suffer = option("suffer").replace(form=Fields(what=str) if prompt == "words" else None)
        return suffer, option("soften", cost=Cost("points"))

    def choose(self, game: Game, check: Check[Blade], choice: Choice, /) -> StageResult[Blade]:
        way = choice.option
        if choice.prompt == "hit" and choice.how != "clock" and way == "suffer":
            return StageResult(game.state, check.data.replace(choice=way))
        lost, target = 5 if way == "suffer" else 1, check.target or ""
        game = game.with_sheet(
            target, game.sheet(target).replace(hits=game.sheet(target).hits - lost)
        )
        data = check.data.replace(choice=way, lost=lost, said=choice.values.get("what", ""))
        return StageResult(game.state, data, NEXT)


def _begun(game: Game, check: Check[Any], values: Values) -> Check[Any]:
    return check.replace(data=check.data.replace(how=values.get("how", "")))


HOW = Form((Typed("how", blank=True),))
ASKED = Asked(HOW, Form((Number("difficulty"), Flag("hidden"))), ("roll", "free", "impossible"))
ATTACK = Procedure(
    "attack",
    (ASKED, Defense(), Luck(ASKED), Clash(), Fate(), Wound()),
    data=Blade,
    role="attack",
    form=HOW,
    begin=_begun,
    dice_have_fallen=lambda data: bool(data.faces),
)
BLADES = System("blades", "Blades", procedures={"attack": ATTACK}, resources=(POINTS,))


class Fight(Play):
    def game(self, actor: Any = GM) -> Game:
        return super().game(actor).replace(system=BLADES)


def fight(
    *dice: int, target: str = "b", state: TableState | None = None, how: str = "hard"
) -> Fight:
    play = Fight(state or table(a=Sheet(points=2), b=Sheet(points=1)), dice)
    play.begin("attack", "a", how=how, target=target)
    return play


def ready(*dice: int) -> Fight:
    play = fight(*dice)
    play.do("rule", "roll", difficulty=12, hidden=True)
    play.do("face", "face", "b", how="dodge")
    return play


def test_an_attack_from_the_idea_to_the_wound() -> None:
    play = fight(9, 3, 8)
    assert play.asked == {"rule": (ANY_GM,), "own": ()}
    play.do("rule", "roll", difficulty=12, hidden=True)
    assert (play.check.hidden, play.check.reveal) == (True, "verdict")
    assert play.asked == {"face": ("b",)}
    play.do("face", "face", "b", how="dodge")
    play.do("ready", "luck", "a")
    assert play.asked["ready"] == ("a",)
    play.do("ready", "roll", "a")
    assert play.check.data.faces == (9, 3)
    assert play.asked == {"react": ("a", "b")}
    play.do("react", PASS, "a")
    play.do("react", "again", "b")
    assert play.asked == {"react": ("a", "b")}
    assert play.check.data.faces == (9, 8)
    play.do("react", PASS, "a")
    play.do("react", PASS, "b")
    assert play.asked == {"hit": ("b",), "words": ()}
    play.do("hit", "suffer", "b")
    assert play.asked == {"words": (ANY_GM,)}
    play.do("words", "suffer", what="a scar")
    assert play.check.stage == OVER
    assert (play.check.data.lost, play.check.data.said) == (5, "a scar")
    assert play.game().sheet("b").hits == 5


def test_buttons_say_what_everybody_knows_and_the_rest_stands_behind_one() -> None:
    def shown(play: Fight) -> tuple[list[str | None], bool]:
        found = calls(play.game(), play.check)
        return [each.button for each in found], check_view(play.game(), play.check, EVERYONE).react

    play = fight(5, 5)
    # The GMs' answer stands where only they are.
    assert shown(play) == (
        [None, "answer-revise"],
        True,
    )
    play.do("rule", "roll", difficulty=2)
    assert shown(play) == (["answer-face"], False)
    play.do("face", "face", "b")
    assert shown(play) == (["answer-roll", None, None, None], True)
    play.do("ready", "roll", "a")
    assert shown(play) == ([None], True)


def test_a_gm_asks_back_and_its_owner_replies_revises_or_withdraws() -> None:
    play = fight()
    for typed, code in (("  ", "empty-text"), ("x" * 501, "too-long")):
        with pytest.raises(Problems) as caught:
            play.do("rule", "ask", question=typed)
        assert [each.code for each in caught.value.problems] == [code]
    play.do("rule", "ask", question="with what?")
    assert play.asked == {"reply": ("a",), "rule": (), "own": ()}
    assert play.moves(owner("a")) == {("reply", "a"): ("reply",), ("own", "a"): ("withdraw",)}
    play.do("reply", "reply", "a", how="an axe")
    assert (play.check.data.how, play.check.data.question, play.check.approach) == (
        "an axe",
        "",
        "anew",
    )
    play.do("own", "revise", "a", how="a sword")
    assert play.moves(GM) == {
        ("rule", ANY_GM): ("roll", "free", "impossible", "ask"),
        ("own", ANY_GM): ("withdraw",),
    }
    play.do("own", "withdraw", by=GM)
    assert not play.check.is_open


@pytest.mark.parametrize("answer", ["free", "impossible"])
def test_what_needs_no_dice_is_over(answer: str) -> None:
    play = fight()
    play.do("rule", answer)
    assert (play.check.stage, play.check.data.answer) == (OVER, answer)
    with pytest.raises(Problems):
        fight().do("rule", answer, difficulty=3)


def test_where_no_gm_has_to_be_asked_it_goes_on_at_once() -> None:
    play = fight(state=table({"live": True}))
    assert play.check.stage == "facing"
    assert play.check.data.level == 5
    kinds = ATTACK.stages["proposed"]
    assert isinstance(kinds, Asked)
    assert [each.value for each in kinds.ruling_options(play.check)] == [
        "roll",
        "free",
        "impossible",
    ]


def test_a_gm_answers_anew_before_the_dice_fall() -> None:
    play = ready(5, 5)
    before = play.number("ready")
    play.do("rule", "roll", difficulty=3)
    assert play.check.data.level == 3
    assert play.number("ready") > before  # the owner's panel showed something else
    play.do("rule", "impossible")
    assert not play.check.is_open


def test_it_is_not_rolled_while_something_is_missing() -> None:
    play = fight(how="")
    play.do("rule", "roll", difficulty=2)
    play.do("face", "face", "b")
    assert play.moves(owner("a")) == {("ready", "a"): ("luck",), ("own", "a"): ("withdraw",)}
    with pytest.raises(Impossible, match="not-offered"):
        play.do("ready", "roll", "a")


def test_the_other_side_may_choose_something_before_as_well() -> None:
    play = ready(5, 5)
    assert play.moves(owner("b")) == {("before", "b"): ("luck",)}
    play.do("before", "luck", "b")
    assert play.game().sheet("b").points == 0
    assert play.check.stage == "ready"
    play.do("own", "withdraw", "a")
    assert not play.check.is_open


def test_a_window_opens_anew_for_both_sides() -> None:
    play = ready(5, 5, 6)
    play.do("ready", "roll", "a")
    play.do("react", PASS, "b")
    first = play.number("react")
    play.do("react", "again", "a")
    assert play.number("react") > first
    assert play.asked == {"react": ("a", "b")}
    play.later(DAY)
    assert play.check.stage == "struck"


def test_who_is_not_struck_is_asked_nothing() -> None:
    play = ready(3, 9)
    play.do("ready", "roll", "a")
    play.do("react", PASS, "a")
    play.do("react", PASS, "b")
    assert not play.check.is_open


def strike() -> Fight:
    play = ready(9, 3)
    play.do("ready", "roll", "a")
    play.do("react", PASS, "a")
    play.do("react", PASS, "b")
    return play


def test_a_gm_may_say_at_once_what_it_does() -> None:
    play = strike()
    with pytest.raises(NotPermitted, match="gm-only"):
        play.do("words", "suffer", by=owner("b"), what="x")
    play.do("words", "suffer", what="a scar")
    assert play.check.data.said == "a scar"
    assert not play.check.is_open


def test_what_takes_no_words_is_done_at_once() -> None:
    play = strike()
    play.do("hit", "soften", "b")
    assert (play.check.stage, play.check.data.lost) == (OVER, 1)


def test_the_clock_takes_what_the_table_has_agreed_on_before_and_after_the_choice() -> None:
    play = strike()
    assert [(each.asked.prompt.key, each.default) for each in pending_waits(play.check)] == [
        ("hit", None),
        ("hit", "suffer"),
    ]
    play.at += 3 * DAY
    play.keep(engine.lapse(play.game(toy_procedures.CLOCK), pending_waits(play.check)[-1].id))
    assert (play.check.data.lost, play.check.data.said) == (5, "")
    chosen = strike()
    chosen.do("hit", "suffer", "b")
    chosen.at += 3 * DAY
    chosen.keep(engine.lapse(chosen.game(toy_procedures.CLOCK), pending_waits(chosen.check)[-1].id))
    assert not chosen.check.is_open


def test_a_stage_may_go_on_whatever_it_would_ask_yet() -> None:
    class Once(Stage[ProposalData]):
        name = "once"

        def ask(self, game: Game, check: Check[ProposalData], /) -> tuple[Prompt, ...]:
            return (Prompt("x"),)

        def options(
            self, game: Game, check: Check[ProposalData], prompt: str, who: str, /
        ) -> tuple[CheckOption, ...]:
            return (option("x"),)

        def choose(
            self, game: Game, check: Check[ProposalData], choice: Choice, /
        ) -> StageResult[ProposalData]:
            return StageResult(game.state, check.data, NEXT)

    class Twice(Once):
        name = "twice"

    play = Fight(table())
    system = System(
        "t", "T", procedures={"once": Procedure("once", (Once(), Twice()), data=ProposalData)}
    )
    game = play.game(GM).replace(system=system)
    made = engine.begin(game, "once", "200", {})
    made = engine.choose(made.game, "c1", "x", made.check.asked[0].number, "x")
    assert made.check.stage == "twice"
    assert made.check.asked[0].number == 2
