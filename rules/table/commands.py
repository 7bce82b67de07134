"""Commands of a system's own, which stand under `/<key>`, and the results of running them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rules.core.errors import NotFound
from rules.core.record import Record, field
from rules.table.actions import Action, Produce
from rules.table.blocks import Block, Ref, Text
from rules.table.check import Values, Viewers, Visibility
from rules.table.forms.fields import FormContext, Many, Option, Pick, Typed, plain_options
from rules.table.forms.form import Form
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
    #: Whether all may read the options. None: if the named characters are public.
    openly: bool | None = None
    #: A panel shows the values first, and begins the check.
    asks: bool = False
    #: Only GMs know of the check.
    gm_only: bool = False


def check_starter(
    kind: str, *, target: str = "", **usual: Any
) -> Callable[[Any, Values], CheckStart]:
    """Return the function of a command that begins a check with the values of its options.

    *target* is the option that names the target, if there is one. *usual* are the values of options
    that are left out.
    """

    def run(game: Any, said: Values) -> CheckStart:
        values: dict[str, Any] = {"visibility": "public", **usual, **said}
        words, named = values.pop("with", None), values.pop(target, None)
        who, visibility = values.pop("as", None), values.pop("visibility")
        return CheckStart(kind, values, words, named, who, visibility)

    return run


class PromptAnswer(Record):
    """An answer to an open prompt of a check with one of its options."""

    check: str
    prompt: str
    option: str
    values: Values = field(default_factory=dict[str, Any])
    words: str | None = None
    as_: str | None = None


class CommandAction(Record):
    """An action to carry out."""

    action: type[Action]
    values: Values
    #: Whether all may read the command and its answer.
    openly: bool = False
    #: Whether the command asks its question first.
    asks: bool = False


class PendingButton(Record):
    """A button of a command that waits for the asking participant."""

    #: What waits, in words.
    what: Text
    #: Label of the button.
    button: Text
    #: Values with which the button runs the command.
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
    """An answer that changes nothing."""

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
    """A form to open, which sends an action.

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
    """A question that a button asks before its command."""

    #: Form of the words that go into `with`.
    form: Form
    #: Character that the words are for.
    who: str
    title: Text
    #: Label of the button that runs the command, given the values of the form.
    says: Callable[[Values], Text]
    #: Text above the form.
    before: Text | None = None
    #: Label of a second button, which runs the command with `back` and without the form.
    back: Text | None = None


class DueCheck(Record):
    """A check that a character's player may begin now."""

    kind: str
    #: Id of the character.
    who: str
    #: The check in words.
    what: Text
    button: Text


class OwnWait(Record):
    """Something of a system's own that a character or the GMs have to go on with."""

    #: Id of this wait, which never comes again. It begins with the key of the part that waits.
    id: str
    #: What waits, in words, with characters by id.
    about: Text
    #: Characters that are waited for, or `ANY_GM` for the GMs.
    who: tuple[str, ...]
    place: str = ""
    #: Beginning of the wait, in seconds since 1970; 0 if it isn't known.
    since: int = 0
    #: Participants who may know of it.
    visible_to: Viewers = None


class Command(Record):
    """One command under `/<key>`."""

    #: Name of one or two words.
    name: str
    #: Runs the command, given the game, whose actor is the asking participant, and the values by
    #: key. Raises RulesError.
    run: Callable[[Any, Values], CommandResult]
    #: Options of the command.
    form: Form = Form()
    #: Kind of check whose form has the words of `with`, and the options in `shared`.
    kind: str = ""
    #: Keys of options from the form of that check. They come before those of `form`.
    shared: tuple[str, ...] = ()
    #: Form of the values that a button of the command carries.
    pressed: Form = Form()
    #: Returns the question that a button asks first; None: no question.
    asks: Callable[[Any, Values], ButtonQuestion] | None = None
    #: Returns the buttons that wait for the asking participant.
    waits: Callable[[Any], Iterable[PendingButton]] = lambda game: ()

    def fields(self, procedures: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return all options, needed ones first. Raises KeyError for an unknown kind or field."""
        by_key: Mapping[str, Any] = procedures[self.kind].form.by_key if self.kind else {}
        fields = (*(by_key[key] for key in self.shared), *self.form.fields)
        return tuple(sorted(fields, key=lambda field: not field.needed))


def _character_options(
    characters: Iterable[AnyCharacter], asking: FormContext
) -> tuple[Option, ...]:
    """Return characters by the names that the asking participant knows; GMs also read the alias."""
    state, actor = asking.game.state, asking.game.actor
    gm = is_gm(state, actor)
    options: list[Option] = []
    for character in characters:
        name = known_name(state, actor, character)
        if name:
            alias = character.alias if gm and character.stage == "aliased" else ""
            label = Text("named", {"name": Ref(name=name, alias=alias)})
            options.append(Option(character.id, label))
    return tuple(options)


def own_character_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the characters that the asking participant may act as."""
    return _character_options(playable_characters(asking.game.state, asking.game.actor), asking)


def known_character_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the characters that the asking participant knows."""
    return _character_options(known_characters(asking.game.state, asking.game.actor), asking)


def distance_field(field: str, example: str, farthest: int = 10_000, **about: Any) -> Many:
    """Return the field for characters and their distances.

    It reads `Boris 3` as `k2 3`, and `Boris` as `k2 0`. Raises as `find_known`.
    """

    def find(asking: FormContext, text: str) -> str:
        state, actor, (name, _, far) = asking.game.state, asking.game.actor, text.rpartition(" ")
        try:
            # A name may end in a number.
            return f"{find_known(state, actor, text, field).id} 0"
        except NotFound:
            if not name or not far.isdecimal():
                raise
            return f"{find_known(state, actor, name, field).id} {min(int(far), farthest)}"

    return Many(field, find=find, spoken=spoken_distance, most=20, example=example, **about)


def spoken_distance(asking: FormContext, value: str) -> str:
    """Return a character's id and the text behind it as the asking participant would type them.

    That is `Boris 3` for `k2 3`.
    """
    state, (who, _, more) = asking.game.state, value.partition(" ")
    character = state.characters.get(who)
    if character is None:
        return value
    return f"{known_name(state, asking.game.actor, character)} {more}".strip()


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
