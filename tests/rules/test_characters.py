"""Who may bring, change, hand on and retire characters, and what becomes of whoever acts as
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from rules.core.errors import Impossible, InvalidInput, NotFound, NotPermitted, Problems, RulesError
from rules.core.rng import ScriptedRng
from rules.registry import SYSTEMS, read_only_game
from rules.table.actions import (
    Action,
    Actor,
    Advance,
    Approve,
    Begin,
    Edit,
    Give,
    ImportCharacter,
    Learn,
    Retire,
)
from rules.table.blocks import Text
from rules.table.events import EVERYONE, Notice
from rules.table.forms.fields import FormContext
from rules.table.forms.form import read_field
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.people.approval import refused_step
from rules.table.people.common_fields import PORTRAIT_FIELD
from rules.table.people.sheets import draft_warnings, write_object
from rules.table.state import Settings, TableState
from rules.table.system import ApprovalLine, Game
from tests.sample_table import ebb_character, game, resolve

GM, ANN, BEN = Actor("p1"), Actor("p2"), Actor("p3")
BY: dict[str, Any] = {"place": "1", "at": 1_000_000}
CLIMB: dict[str, Any] = {"kind": "check", "values": {"skill": "Climbing", "approach": "up"}}


def do(state: TableState, deed: type[Action], who: Actor, /, **options: Any) -> Outcome:
    return resolve(state, deed(who=who, **BY, **options), ScriptedRng(()))


def table(**settings: Any) -> TableState:
    """Ann has Anna (k1), Ben has Boris (k2), the GM a nameless trader off stage (k3)."""
    state = TableState(Settings("T", "ebb", ("p1",)))
    for who, name in ((ANN, "Anna"), (BEN, "Boris")):
        state = do(state, ImportCharacter, who, data=ebb_character(name, fate=12)).state
    state = do(state, ImportCharacter, GM, data=ebb_character("Trader", fate=12), npc=True).state
    state = state.with_character(state.characters["k3"].replace(stage="off"))
    return state.replace(settings=state.settings.replace(**settings))


def waiting() -> TableState:
    """The same table with Ann's second one, Ada (k4), waiting for the GM."""
    return do(table(approve=True), ImportCharacter, ANN, data=ebb_character("Ada")).state


def error_of(
    code: str, kind: type[RulesError], state: TableState, *args: Any, **options: Any
) -> RulesError:
    with pytest.raises(kind) as caught:
        do(state, *args, **options)
    assert caught.value.code == code
    return caught.value


def steps(outcome: Outcome) -> list[str]:
    return [event.what for event in outcome.events if isinstance(event, Notice)]


def _changed(outcome: Outcome) -> Notice:
    """The first event, which is about a character."""
    event = outcome.events[0]
    assert isinstance(event, Notice)
    return event


def people(events: Iterable[Any]) -> list[tuple[bool, bool, tuple[str, ...]]]:
    return [(each.audience.everyone, each.audience.gms, each.audience.people) for each in events]


# --- letting in -----------------------------------------------------------------------------------


def test_a_new_character_waits_where_the_table_wants_it_so() -> None:
    outcome = do(table(approve=True), ImportCharacter, ANN, data=ebb_character("Ada"))
    assert steps(outcome) == ["character-created", "character-waits"]
    assert people(outcome.events) == [(False, False, ("p2",)), (False, True, ())]
    assert outcome.events[1].ping_gms
    state = outcome.state
    assert not state.characters["k4"].approved
    assert acting_character(state, ANN, None).id == "k1"
    with pytest.raises(Impossible, match="not-approved-yet"):
        acting_character(state, ANN, "Ada")
    by_gm = do(table(approve=True), ImportCharacter, GM, data=ebb_character("Ada"), owner="p2")
    assert steps(by_gm) == ["character-imported"]
    assert by_gm.state.characters["k4"].approved


def test_somebody_whose_only_character_waits_is_told_so() -> None:
    state = table(approve=True).replace(characters={}, people={})
    state = do(state, ImportCharacter, ANN, data=ebb_character("Ada")).state
    with pytest.raises(Impossible) as caught:
        acting_character(state, ANN, None)
    assert caught.value.code == "not-approved-yet"
    error_of("no-character", NotFound, state, Advance, ANN, skill="Climbing")
    approved = do(state, Approve, GM)
    assert acting_character(approved.state, ANN, None).name == "Ada"
    assert approved.state.person("p2").active == approved.state.characters["k4"].id
    assert approved.events[0].audience == EVERYONE
    assert approved.events[0].ping == ("p2",)


def test_only_gms_decide_and_only_once() -> None:
    state = waiting()
    error_of("gm-only", NotPermitted, state, Approve, ANN, character="k4")
    error_of("empty", InvalidInput, state, Approve, GM, character="k4", accept=False, note=" ")
    accepted = do(state, Approve, GM, character="Ada").state
    assert accepted.characters["k4"].approved
    error_of("approved-already", Impossible, accepted, Approve, GM, character="k4")
    error_of("nobody-to-approve", Impossible, accepted, Approve, GM)


def test_a_character_sent_back_is_mended_and_comes_again() -> None:
    outcome = do(waiting(), Approve, GM, character="k4", accept=False, note="too many guns")
    assert people(outcome.events) == [(False, True, ("p2",))]
    assert outcome.events[0].ping == ("p2",)
    state = outcome.state
    assert state.characters["k4"].sent_back == "too many guns"
    again = do(state, Edit, ANN, character="k4", fields={"role": "Cook", "name": "Ada Lund"})
    assert steps(again) == ["character-created", "character-waits"]
    mended = again.state.characters["k4"]
    assert (mended.name, mended.sheet.role, mended.sent_back, mended.approved) == (
        "Ada Lund",
        "Cook",
        "",
        False,
    )


@pytest.mark.rule("EBB-CHAR")
def test_the_rules_of_creation_hold_until_it_is_let_in() -> None:
    abilities = (
        "\n".join(f"Ability {number}, Zone, d6" for number in range(9)) + "\nBest, Zone, d10"
    )
    with pytest.raises(Problems) as caught:
        do(waiting(), Edit, ANN, character="k4", fields={"abilities": abilities})
    assert [each.code for each in caught.value.problems] == ["die-too-high-for-new"]
    changed = do(waiting(), Edit, GM, character="k4", fields={"abilities": abilities})
    assert changed.state.characters["k4"].sheet.abilities[-1].sides == 10
    assert steps(changed) == ["character-edited"]


def test_a_players_new_sheet_waits_again() -> None:
    state = do(
        table(approve=True),
        ImportCharacter,
        ANN,
        data=ebb_character("Anna", fate=1),
        overwrite=True,
    ).state
    assert not state.characters["k1"].approved


# --- changing -------------------------------------------------------------------------------------


def test_players_change_what_is_free_of_their_own() -> None:
    outcome = do(
        table(),
        Edit,
        ANN,
        fields={"description": "Tall.", "notes": "owes Ben", "equipment": "a\nb"},
    )
    anna = outcome.state.characters["k1"]
    assert (anna.sheet.description, anna.notes, anna.sheet.equipment) == (
        "Tall.",
        "owes Ben",
        ("a", "b"),
    )
    assert people(outcome.events) == [(False, True, ("p2",))]
    assert outcome.events[0].quiet
    assert [line.code for line in _changed(outcome).lines] == [
        "sheet-description",
        "sheet-equipment",
        "sheet-notes",
    ]
    error_of(
        "gm-edits-that", NotPermitted, table(), Edit, ANN, fields={"abilities": "Flying, Zone, d12"}
    )
    error_of(
        "unknown-character", NotFound, table(), Edit, ANN, character="Boris", fields={"notes": "x"}
    )
    error_of(
        "unknown-character", NotFound, table(), Edit, ANN, character="k3", fields={"notes": "x"}
    )
    error_of("nothing-edited", InvalidInput, table(), Edit, ANN, fields={"role": "Stalker "})
    error_of("unknown-field", InvalidInput, table(), Edit, ANN, fields={"fate": "99"})
    error_of("wrong-type", InvalidInput, table(), Edit, ANN, fields={"notes": 3})


@pytest.mark.rule("EBB-CHAR", "EBB-DRAWBACK")
def test_gms_change_everything_of_anybody_beyond_the_rules_of_creation() -> None:
    fields = {"abilities": "Flying, Zone, d12", "drawbacks": "Proud"}
    outcome = do(table(), Edit, GM, character="Anna", fields=fields)
    sheet = outcome.state.characters["k1"].sheet
    assert [(a.name, a.sides) for a in sheet.abilities] == [("Flying", 12)]
    assert sheet.fate == 12
    assert not outcome.events[0].quiet
    with pytest.raises(Problems) as caught:
        do(table(), Edit, GM, character="Anna", fields={"drawbacks": "Proud"})
    assert [each.code for each in caught.value.problems] == ["wrong-number"]
    error_of(
        "name-taken", Impossible, table(), Edit, GM, character="Anna", fields={"name": "trader"}
    )


def test_what_an_open_check_needs_stays_on_the_sheet() -> None:
    state = do(table(), Begin, ANN, **CLIMB).state
    fields = {"abilities": "Flying, Zone, d12", "drawbacks": "Proud"}
    error_of("unknown-ability", NotFound, state, Edit, GM, character="Anna", fields=fields)


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/a.png", "https://", "https://host/a.png", "https://exa mple.org/a.png",
        "https://example.org/<a>", "javascript:alert(1)", "https://example.org/" + "a" * 500,
        "https://example.org/\u202e.png", 'https://example.org/"a"', "https://.org/a",
    ],
)  # fmt: skip
def test_a_portrait_is_an_https_address(address: str) -> None:
    with pytest.raises(InvalidInput):
        read_field(PORTRAIT_FIELD, address)


@pytest.mark.parametrize(
    "address", ["", "https://example.org", "https://a.example.org:8443/x/y.png?z=1#q"]
)
def test_good_portraits(address: str) -> None:
    assert read_field(PORTRAIT_FIELD, address) == address


def test_an_exported_character_comes_back_the_same() -> None:
    fields = {
        "portrait": "https://example.org/a.png",
        "notes": "owes Ben\nand Cid",
        "description": "Tall.",
    }
    state = do(table(), Edit, ANN, fields=fields).state
    before = state.characters["k1"]
    data = write_object(game(), before)
    fresh = do(table(), ImportCharacter, ANN, data={**data, "name": "Other"}).state.characters["k4"]
    assert fresh.replace(id="k1", name="Anna", number=1) == before
    replaced = do(table(), ImportCharacter, ANN, data=data, overwrite=True).state.characters["k1"]
    assert replaced == before
    assert not {"portrait", "notes"} & write_object(game(), state.characters["k2"]).keys()


# --- growing --------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-FATE")
def test_everybody_hears_what_players_learn_and_only_gms_what_theirs_do() -> None:
    given = {
        "skill": "Diving",
        "attribute": "Zone",
        "drawback": "Cold",
        "explanation": "The flood.",
    }
    mine = do(table(), Learn, GM, character="Anna", **given)
    assert people(mine.events) == [(True, False, ()), (False, True, ("p2",))]
    assert _changed(mine).note == "The flood."
    assert "Cold" not in str(mine.events[0])
    theirs = do(table(), Learn, GM, character="Trader", **given)
    assert people(theirs.events) == [(False, True, ())]
    assert "Cold" in str(theirs.events[0])
    asked = do(table(), Learn, ANN, **given)
    assert asked.state.characters["k1"].sheet.fate == 12, "what a player explains waits for the GM"
    assert [each.kind for each in asked.state.checks.values()] == ["learn"]
    assert "Cold" not in str([each for each in asked.events if each.audience.everyone])
    for_ann = do(table(), Advance, GM, character="Anna", skill="Running")
    assert for_ann.state.characters["k1"].sheet.fate == 4
    error_of(
        "unknown-character", NotFound, table(), Advance, ANN, character="Boris", skill="Running"
    )
    error_of("which-of-them", InvalidInput, _two(), Advance, ANN, skill="Running")


def _two() -> TableState:
    state = do(table(), ImportCharacter, ANN, data=ebb_character("Ada")).state
    return state.replace(people={})


# --- hands and rest -------------------------------------------------------------------------------


def test_a_character_given_away_acts_for_its_new_player() -> None:
    state = do(table(), Begin, ANN, **CLIMB).state
    outcome = do(state, Give, ANN, to="p3")
    state = outcome.state
    assert state.characters["k1"].owner == "p3"
    assert state.person("p2").active is None
    assert state.person("p3").active == "k2", "whom Ben acts as stays"
    assert acting_character(state, BEN, "Anna").id == "k1"
    assert state.checks["c1"].actor == "k1"
    assert (outcome.events[0].audience, outcome.events[0].ping) == (EVERYONE, ("p3",))
    newcomer = do(table(), Give, ANN, to="p9").state
    assert newcomer.person("p9").active == "k1"


def test_only_gms_give_to_the_table_and_what_is_not_theirs() -> None:
    error_of("gm-only", NotPermitted, table(), Give, ANN, to=None)
    error_of("unknown-character", NotFound, table(), Give, ANN, character="Boris", to="p2")
    error_of("already-theirs", InvalidInput, table(), Give, ANN, to="p2")
    error_of("already-theirs", InvalidInput, table(), Give, GM, character="Trader", to=None)
    state = do(table(), Give, GM, character="Anna", to=None).state
    assert state.characters["k1"].owner is None
    assert acting_character(state, GM, "Anna").id == "k1"
    known = do(table(), Give, GM, character="Trader", to="p2").state.characters["k3"]
    assert (known.owner, known.stage) == ("p2", "revealed")
    twice = do(table(), ImportCharacter, ANN, data=ebb_character("trader")).state
    error_of("name-taken", Impossible, twice, Give, GM, character="k3", to="p3")
    plan: dict[str, Any] = {"as_": "Trader", **CLIMB}
    plotting = do(table(), Begin, GM, visibility="private", **plan).state
    error_of("open-checks", Impossible, plotting, Give, GM, character="Trader", to="p2")
    do(do(table(), Begin, GM, **plan).state, Give, GM, character="Trader", to="p2")


def test_whoever_retires_is_out_of_play_until_they_come_back() -> None:
    outcome = do(table(), Retire, ANN)
    state = outcome.state
    assert state.characters["k1"].retired
    assert state.person("p2").active is None
    assert outcome.events[0].audience == EVERYONE
    with pytest.raises(NotFound):
        acting_character(state, ANN, None)
    error_of("no-character", NotFound, state, Retire, ANN)
    error_of("unknown-character", NotFound, state, Advance, GM, character="Anna", skill="Running")
    error_of("unknown-character", NotFound, state, Retire, BEN, character="Anna", back=True)
    back = do(state, Retire, ANN, back=True)
    assert acting_character(back.state, ANN, None).id == "k1"
    assert steps(back) == ["character-returned"]


def test_nobody_retires_in_the_middle_of_a_check() -> None:
    state = do(table(), Begin, ANN, **CLIMB).state
    error = error_of("open-checks", Impossible, state, Retire, ANN)
    assert error.params["checks"] == ("c1",)
    quiet = do(table(), Retire, GM, character="Trader")
    assert people(quiet.events) == [(False, True, ())]


# --- lines that need consent ----------------------------------------------------------------------


def _gear_lines(game: Game, sheet: Any) -> tuple[ApprovalLine, ...]:
    """A line for each thing; what was ruled stands among the assets."""
    ruled = dict(asset.split("=") for asset in sheet.assets)
    return tuple(
        ApprovalLine(
            thing,
            Text("as-written", {"text": thing}),
            ruled.get(thing, "open").partition(",")[0],
            ruled.get(thing, "").partition(",")[2],
            "things",
        )
        for thing in sheet.equipment
    )


def _rule_gear(game: Game, sheet: Any, line: str, accept: bool, note: str) -> Any:
    others = tuple(asset for asset in sheet.assets if not asset.startswith(f"{line}="))
    return sheet.replace(assets=(*others, f"{line}={'allowed' if accept else 'refused'},{note}"))


@pytest.fixture
def asks_for_gear(monkeypatch: pytest.MonkeyPatch) -> None:
    """EBB, where the GM consents to each thing that a new character has."""
    sheets = SYSTEMS["ebb"].sheets
    assert sheets is not None
    sheets = sheets.replace(approvals=_gear_lines, rule=_rule_gear)
    monkeypatch.setitem(SYSTEMS, "ebb", SYSTEMS["ebb"].replace(sheets=sheets))


def _armed() -> TableState:
    data = {**ebb_character("Ada"), "equipment": ["rope", "tank"], "assets": []}
    return do(table(approve=True), ImportCharacter, ANN, data=data).state


@pytest.mark.usefixtures("asks_for_gear")
def test_a_gm_rules_on_one_line_of_a_new_sheet() -> None:
    state = _armed()
    error_of("gm-only", NotPermitted, state, Approve, ANN, character="k4", line="rope")
    error_of("line-gone", Impossible, state, Approve, GM, character="k4", line="boat")
    allowed = do(state, Approve, GM, character="k4", line="rope")
    assert steps(allowed) == ["line-allowed"] and allowed.events[0].ping == ()
    no = do(allowed.state, Approve, GM, character="k4", line="tank", accept=False, note="No tanks")
    assert steps(no) == ["line-refused"] and people(no.events) == [(False, True, ("p2",))]
    assert (no.events[0].ping, _changed(no).note) == (("p2",), "No tanks")
    ada = no.state.characters["k4"]
    assert not ada.approved and ada.sheet.assets == ("rope=allowed,", "tank=refused,No tanks")
    assert refused_step(read_only_game(no.state), ada) == "things"
    error_of("refused-lines", Impossible, no.state, Approve, GM, character="k4")
    yes = do(no.state, Approve, GM, character="k4", line="tank").state
    assert do(yes, Approve, GM, character="k4").state.characters["k4"].approved


@pytest.mark.usefixtures("asks_for_gear")
def test_who_lets_a_character_in_allows_the_open_lines() -> None:
    state = do(_armed(), Approve, GM, character="k4").state
    assert state.characters["k4"].sheet.assets == ("rope=allowed,", "tank=allowed,")
    error_of("approved-already", Impossible, state, Approve, GM, character="k4", line="rope")


def test_most_systems_ask_for_no_consent() -> None:
    error_of("line-gone", Impossible, waiting(), Approve, GM, character="k4", line="rope")


# --- drafts ---------------------------------------------------------------------------------------


def _poor(game: Game, data: Mapping[str, Any]) -> Iterable[RulesError]:
    if not data.get("equipment"):
        yield InvalidInput("empty", field="equipment", value="", wanted="name")


def _odd_name(asking: FormContext) -> Iterable[RulesError]:
    if asking.values.get("name") == "Ada":
        yield InvalidInput("option-twice", field="name", value="Ada")


def test_a_draft_has_the_warnings_of_its_steps_and_of_the_system() -> None:
    plain = game()
    assert draft_warnings(plain, {"name": "Ada"}) == ()
    first, *others = plain.creation
    pages = (first.replace(form=first.form.replace(warns=_odd_name)), *others)
    sheets = plain.sheets.replace(warnings=_poor)
    warning = plain.replace(system=plain.system.replace(creation=pages, sheets=sheets))
    found = draft_warnings(warning, {"name": "Ada", "age": "old"})
    assert [each.params["field"] for each in found] == ["name", "equipment"]
    assert draft_warnings(warning, {"name": "Bo", "equipment": "rope"}) == ()
