"""Commands of a system's own, which stand under `/<key>`: a form of options, and what is done with
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rules.core.errors import NotFound
from rules.core.record import Record, field
from rules.table.actions import Action, Produce
from rules.table.blocks import Block, Ref, Text
from rules.table.check import Values, Visibility
from rules.table.fields import FormContext, Many, Option, Pick, Typed, plain_options
from rules.table.forms import Form
from rules.table.lookup import find_known, known_characters, playable_characters
from rules.table.permissions import is_gm, known_name
from rules.table.state import AnyCharacter

NAME_MAX: Final = 100
#: Longest list of words behind a command's `with`.
WORDS_MAX: Final = 200


class CheckStart(Record):
    """The start of a check of this kind. Without values, a panel asks for them."""

    kind: str
    values: Values
    #: Words of `with`, separated by commas.
    words: str | None = None
    #: Target and acting character, as they were named.
    target: str | None = None
    as_: str | None = None
    visibility: Visibility = "public"
    #: Whether everybody may read the options. None: if the named characters are public.
    openly: bool | None = None
    #: A panel shows the values first, and begins the check.
    asks: bool = False
    #: Only GMs know of the check.
    gm_only: bool = False


def check_starter(
    kind: str, *, target: str = "", **usual: Any
) -> Callable[[Any, Values], CheckStart]:
    """A check begins with what was said, or is `usual`; `target` is the option that names
    somebody.
    """

    def run(game: Any, said: Values) -> CheckStart:
        own: dict[str, Any] = {"visibility": "public", **usual, **said}
        words, named, who, seen = [
            own.pop(each, None) for each in ("with", target, "as", "visibility")
        ]
        return CheckStart(kind, own, words, named, who, seen)

    return run


class PromptAnswer(Record):
    """Answers an open prompt of a check with one of its options."""

    check: str
    prompt: str
    option: str
    values: Values = field(default_factory=dict[str, Any])
    words: str | None = None
    as_: str | None = None


class CommandAction(Record):
    """Carries an action out; `openly` where everybody may read the command and its answer."""

    action: type[Action]
    values: Values
    openly: bool = False
    #: Whether the command asks its question first.
    asks: bool = False


class PendingButton(Record):
    """What waits for somebody who may press a command's button: in words, what the button says, and
    what it carries.
    """

    what: Text
    button: Text
    values: Values
    #: Nothing waits for it: it may be left alone.
    offer: bool = False


class PrintedSheet(Record):
    """A page to look at and to print: drawn large, and as a file of text."""

    name: str
    #: Figures to read first, each with what it is.
    figures: tuple[tuple[str, str], ...]
    lines: tuple[Text, ...]
    #: Lines of the file; none without one.
    file: tuple[Text, ...] = ()


class CommandView(Record):
    """Says something and changes nothing."""

    title: Text
    blocks: tuple[Block, ...]
    openly: bool = False
    #: A button that runs the same command with `values`, which its `pressed` form reads.
    button: Text | None = None
    values: Values = field(default_factory=dict[str, Any])
    #: Further such buttons, each with its own values.
    buttons: tuple[PendingButton, ...] = ()
    #: A page that goes with the answer as pictures and a file.
    sheet: PrintedSheet | None = None


class CommandForm(Record):
    """Opens a form, which sends an action.

    A panel runs the command anew for each press, with what it was given at first. So nothing of
    this is stored, and a restart loses nothing.
    """

    #: The form, given its draft.
    form: Callable[[Values], Form]
    #: Head of the panel.
    title: Text
    #: Label of the button that sends the form.
    label: Text
    #: Makes an action of values that were read cleanly. It raises RulesError with the key of the
    #: field that is wrong.
    action: Callable[[Values], CommandAction]
    #: Values that the form begins with.
    values: Values = field(default_factory=dict[str, Any])
    #: Character by whose sheet choices go.
    who: str = ""
    #: Lines above the form.
    before: tuple[Text, ...] = ()
    #: Lines about what would come of the values. It raises RulesError for what can't be sent.
    shows: Callable[[Values], Iterable[Text]] = lambda values: ()
    #: Pages of the form (`rules.table.system.Page`), given its draft. Without any, all fields stand
    #: on one page.
    steps: Callable[[Values], tuple[Any, ...]] = lambda draft: ()
    #: Head of every page, given the draft: what it comes to so far. None: the title.
    headline: Callable[[Values], Text] | None = None
    #: Lines below the head, given the draft.
    outcome: Callable[[Values], Iterable[Text]] = lambda draft: ()
    #: The draft after a choice that fills in other fields, given the drafts before and after it.
    follow: Callable[[Values, Values], Values] | None = None
    #: Text of the panel once it was left.
    left: Text | None = None
    #: Whether the draft of a closed panel is found again when the command is given alike.
    is_kept: bool = False


CommandResult = CheckStart | PromptAnswer | CommandAction | CommandView | CommandForm


class ButtonQuestion(Record):
    """What a button asks before its command: the words that go into `with`, for a character; `says`
    calls it.
    """

    form: Form
    who: str
    title: Text
    says: Callable[[Values], Text]
    #: Text above the form.
    before: Text | None = None
    #: Label of a second button, which runs the command with `back` and without the form.
    back: Text | None = None


class DueCheck(Record):
    """A check that a character's player may begin now, of this kind; what it is in words."""

    kind: str
    who: str
    what: Text
    button: Text


class Command(Record):
    """One command under `/<key>`: its `name` of one or two words, its options, and what it does.

    `run` is given the game, with whoever asks as its actor, and what was said, by key; it raises
    `RulesError`. `kind` is the kind of check whose form has the words of `with`, and the options
    named in `shared`, which come before those of `form`. `pressed` is what a button says, and
    `asks` what it asks first; `waits` is what waits for whoever asks to press it.
    """

    name: str
    run: Callable[[Any, Values], CommandResult]
    form: Form = Form()
    kind: str = ""
    shared: tuple[str, ...] = ()
    pressed: Form = Form()
    asks: Callable[[Any, Values], ButtonQuestion] | None = None
    waits: Callable[[Any], Iterable[PendingButton]] = lambda game: ()

    def fields(self, procedures: Mapping[str, Any]) -> tuple[Any, ...]:
        """All options, those that are needed first. KeyError for a kind or field that there
        is not.
        """
        by_key: Mapping[str, Any] = procedures[self.kind].form.by_key if self.kind else {}
        found = (*(by_key[key] for key in self.shared), *self.form.fields)
        return tuple(sorted(found, key=lambda each: not each.needed))


def _people(found: Iterable[AnyCharacter], asking: FormContext) -> tuple[Option, ...]:
    """Characters by the names that whoever asks knows; GMs also read what the players say."""
    state, actor = asking.game.state, asking.game.actor
    gm = is_gm(state, actor)
    named = [(each, known_name(state, actor, each)) for each in found]
    aliases = {
        character.id: character.alias if gm and character.stage == "aliased" else ""
        for character, _ in named
    }
    return tuple(
        Option(character.id, Text("named", {"name": Ref(name=name, alias=aliases[character.id])}))
        for character, name in named
        if name
    )


def own_character_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the characters that the asking participant may act as."""
    return _people(playable_characters(asking.game.state, asking.game.actor), asking)


def known_character_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the characters that the asking participant knows."""
    return _people(known_characters(asking.game.state, asking.game.actor), asking)


def distance_field(field: str, example: str, farthest: int = 10_000, **about: Any) -> Many:
    """Who is known, and how far off: `k2 3` of `Boris 3`, `k2 0` of `Boris`. Raises as
    `find_known`.
    """

    def find(asking: FormContext, text: str) -> str:
        state, actor, (name, _, far) = asking.game.state, asking.game.actor, text.rpartition(" ")
        try:  # a name may end in a number
            return f"{find_known(state, actor, text, field).id} 0"
        except NotFound:
            if not name or not far.isdecimal():
                raise
            return f"{find_known(state, actor, name, field).id} {min(int(far), farthest)}"

    return Many(field, find=find, spoken=spoken_distance, most=20, example=example, **about)


def spoken_distance(asking: FormContext, value: str) -> str:
    """Somebody by id, and what stands behind it, as whoever asks would write it: `Boris 3` of `k2
    3`.
    """
    state, (who, _, more) = asking.game.state, value.partition(" ")
    character = state.characters.get(who)
    return (
        value
        if character is None
        else f"{known_name(state, asking.game.actor, character)} {more}".strip()
    )


AS_FIELD: Final = Typed("as", most=NAME_MAX, choices=own_character_options)
WITH_FIELD: Final = Typed("with", most=WORDS_MAX)
VISIBILITY_FIELD: Final = Pick("visibility", choices=plain_options(("public", "private", "blind")))


def draw_command(what: str) -> Command:
    """Return the command that draws from one of the system's tables."""

    def run(game: Any, given: Values) -> CommandAction:
        visibility = given.get("visibility", "public")
        return CommandAction(
            Produce, {"what": what, "visibility": visibility}, openly=visibility == "public"
        )

    return Command(what, run, Form((VISIBILITY_FIELD,)))
