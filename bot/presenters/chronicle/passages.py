"""What a reader was told, as passages of a book: one for each check, scene and piece of news."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from bot.presenters.blocks import block_lines, reported_card, verdict_text
from bot.presenters.board import fate_lines
from bot.presenters.checks import deed_text
from bot.presenters.checks.headlines import facts_of, headline, lead_lines
from bot.presenters.chronicle.book import CastMember, Line, Passage, PassageKind, plain
from bot.presenters.chronicle.styled_text import KnownNames, styled_line
from bot.presenters.hands import cards_moved_card
from bot.presenters.language.text import (
    Markdown,
    listing,
    quoted_text,
    sentence,
    user_text,
    with_capital,
)
from bot.presenters.language.words import TEMPLATES, phrase, say
from bot.presenters.layout import Body, Head, Heading, Layout, QuotedText
from bot.presenters.roll_calls import seal_card
from bot.presenters.rolls import produced_card, rolled_card
from bot.presenters.scene import Scene
from bot.services.story import StoryLine
from rules.core.record import Record
from rules.table.blocks import Block, Note, Quote, Verdict
from rules.table.events import (
    BoardChanged,
    CardsMoved,
    CheckChanged,
    DiceRolled,
    Event,
    Notice,
    Produced,
    Reported,
    Said,
    SealRead,
)

#: Notices that begin and end a session, which is a chapter.
_SESSION_BEGINS: Final = "session-begins"
_SESSION_ENDS: Final = "session-ends"
#: Notice that the story's time has moved.
_TIME_PASSED: Final = "time-passed"
#: Notices about scenes of the story.
_SCENE_BEGINS: Final = "scene-begins"
_SCENE_ENDS: Final = ("scene-ends", "scene-summed-up")
#: Notices that belong in a story.
STORY_NOTICES: Final = (
    "time-passed",
    "awarded",
    "character-imported",
    "character-approved",
    "character-grown",
    "character-learned",
    "character-advanced",
    "character-given",
    "character-retired",
    "character-returned",
    "character-removed",
    "character-revealed",
)
#: Presenters of the messages whose texts a passage takes.
_CARDS: Mapping[type[Event], Callable[[Any, Scene], Layout]] = {
    Reported: reported_card,
    SealRead: lambda event, scene: seal_card(event),
    Produced: produced_card,
    DiceRolled: rolled_card,
    CardsMoved: cards_moved_card,
}


class ToldSession(Record):
    """The beginning or the end of a session, between the passages of a book."""

    at: int
    number: int
    begins: bool


class Tale(Record):
    """The passages of a book in order, with where sessions begin and end, and its cast."""

    told: tuple[Passage | ToldSession, ...]
    cast: tuple[CastMember, ...]


def tale_of(lines: Iterable[StoryLine], scene: Scene, names: KnownNames) -> Tale:
    """Return lines of the story as passages of a book.

    Lines that are about the table and its players, not about the story, are left out.
    """
    writer = _TaleWriter(scene, names)
    for line in lines:
        writer.add(line)
    return writer.tale()


class _TaleWriter:
    """The passages of the lines so far."""

    def __init__(self, scene: Scene, names: KnownNames) -> None:
        self._scene = scene
        self._names = names
        self._told: list[Passage | ToldSession] = []
        #: Places in which a scene with a title is played.
        self._scenes: set[str] = set()
        #: Players by the names of characters; an empty string for an NPC.
        self._cast: dict[str, str] = {}
        #: Roll calls whose text was told.
        self._calls: set[str] = set()
        #: Marks of rounds in which nothing was told so far, by place.
        self._rounds: dict[str, Passage] = {}

    def tale(self) -> Tale:
        """Return what was added, with the players' characters before the NPCs."""
        members = [CastMember(name, player) for name, player in self._cast.items()]
        members.sort(key=lambda member: not member.player)
        return Tale(tuple(self._told), tuple(members))

    def add(self, line: StoryLine) -> None:
        event = line.event
        if isinstance(event, CheckChanged):
            self._note_cast(event)
            self._add_check(line, event)
        elif isinstance(event, BoardChanged):
            self._add_fight(line, event)
        elif isinstance(event, Notice):
            self._add_notice(line, event)
        elif isinstance(event, Said):
            self._add_words(line, event)
        elif type(event) in _CARDS:
            self._add_message(line, event)

    # --- checks -----------------------------------------------------------------------------------

    def _add_check(self, line: StoryLine, event: CheckChanged) -> None:
        """Add a check. Of a roll call, the GM's text comes once, before the first of its checks."""
        passage = self._check_passage(line, event)
        if event.group:
            if passage.quote and event.group not in self._calls:
                self._calls.add(event.group)
                self._append(line, "news", "", quote=passage.quote)
            lead = self._line(_deed(event, is_quoted=False))
            passage = passage.replace(lead=lead, quote=())
        self._tell(passage)

    def _check_passage(self, line: StoryLine, event: CheckChanged) -> Passage:
        """Return who tried what, the outcome, and the dice in small print."""
        head, rest = headline(event, over=True)
        lead, rest = lead_lines(event, head, rest)
        quote: list[Line] = []
        after: list[Line] = []
        notes: list[Line] = [self._line(text) for text in _rolled_with(event, lead)]
        for block in rest:
            if isinstance(block, Quote) and block.label is None:
                quote += self._quote(quoted_text(block.text.strip()))
            elif isinstance(block, Verdict):
                after.append(self._line(sentence(verdict_text(block))))
            elif isinstance(block, Quote):
                after += self._labeled_quote(block)
            elif isinstance(block, Note):
                after += self._block_lines(block)
            else:
                notes += self._block_lines(block)
        return Passage(
            at=line.at,
            kind="deed",
            place=line.place,
            lead=self._line(_deed(event, is_quoted=bool(quote))),
            quote=tuple(quote),
            outcome=self._line(sentence(head)),
            after=tuple(after),
            notes=tuple(notes),
            private=event.visibility != "public" or event.gm_only,
        )

    def _note_cast(self, event: CheckChanged) -> None:
        """Note who acts and whom it is aimed at, by the names that the reader was told."""
        if event.actor is not None:
            self._note_member(event.actor.name, event.owner)
        if event.target is not None:
            self._note_member(event.target.name, None)

    def _note_member(self, name: str, owner: str | None) -> None:
        if not name.strip():
            return
        player = "" if owner is None else plain(self._line(self._scene.names.name(owner)))
        self._cast[name] = player or self._cast.get(name, "")

    # --- everything else --------------------------------------------------------------------------

    def _add_fight(self, line: StoryLine, event: BoardChanged) -> None:
        """Add where a fight begins and ends, and what its rounds bring.

        In a scene with a title it has no heading.
        """
        if event.step == "turn":
            text = self._line(phrase("tale-round", about=event))
            self._rounds[line.place] = Passage(line.at, "mark", line.place, text)
        elif event.step == "passed":
            self._add_effects(line, event)
        elif event.step == "started":
            kind = "mark" if line.place in self._scenes else "scene"
            self._append(line, kind, phrase("tale-scene", about=event))
        elif event.step == "ended":
            self._rounds.pop(line.place, None)
            after = [sentence(say(text)) for text in event.lines]
            self._append(line, "news", sentence(phrase("tale-scene-ends", about=event)), after)

    def _add_scene(self, line: StoryLine, event: Notice) -> None:
        """Add the heading of a scene with its characters, or what happened in it at its end."""
        if event.what == _SCENE_BEGINS:
            if not event.params.get("thread"):
                self._scenes.add(line.place)
            self._append(line, "scene", phrase("tale-scene-title", **event.params))
            if event.params.get("cast"):
                self._append(line, "mark", phrase("tale-scene-cast", **event.params))
            return
        self._scenes.discard(line.place)
        after = [sentence(say(text)) for text in event.lines]
        if event.note:
            summary = self._quote(quoted_text(event.note))
            self._append(line, "news", phrase("tale-scene-summary"), after, quote=summary)
        elif after:
            self._append(line, "news", "", after)

    def _add_effects(self, line: StoryLine, event: BoardChanged) -> None:
        """Add what a turn or round has brought: first who died or fell, then each effect."""
        texts = [sentence(say(text)) for text in event.lines]
        fates = [say(fate) for fate in fate_lines(event.lines)]
        if fates:
            texts.insert(0, sentence(listing(fates)))
        if texts:
            self._append(line, "news", texts[0], texts[1:])

    def _add_notice(self, line: StoryLine, event: Notice) -> None:
        """Add a notice that belongs in the story."""
        number = event.params.get("number")
        if event.what in (_SESSION_BEGINS, _SESSION_ENDS) and isinstance(number, int):
            self._told.append(ToldSession(line.at, number, event.what == _SESSION_BEGINS))
            return
        if event.what == _SCENE_BEGINS or event.what in _SCENE_ENDS:
            self._add_scene(line, event)
            return
        if event.what not in STORY_NOTICES:
            return
        texts = [sentence(say(text)) for text in event.lines]
        first = Markdown(texts[0]) if texts else None
        about = {**event.params, "first": first}
        text = phrase(f"tale-{event.what}", self._scene.names, about=event, **about)
        if event.what == _TIME_PASSED:
            self._append(line, "mark", text)
            return
        name, owner = event.params.get("name"), event.params.get("owner")
        if isinstance(name, str) and isinstance(owner, str):
            self._note_member(name, owner)
        notes = [note for note in texts if note != text]
        self._append(line, "news", sentence(text), notes=notes)

    def _add_words(self, line: StoryLine, event: Said) -> None:
        """Add what a character says, unless it's said out of character."""
        if event.aside:
            return
        self._note_member(event.name, None if event.npc else event.by)
        quote = self._quote(user_text(event.text, lines=True))
        self._append(line, "deed", phrase("tale-said", name=event.name), quote=quote)

    def _add_message(self, line: StoryLine, event: Event) -> None:
        """Add what the message of an event says, without its small print."""
        lead = ""
        quote: list[Line] = []
        texts: list[str] = []
        for piece in _CARDS[type(event)](event, self._scene).pieces:
            match piece:
                case Head(text):
                    lead = text
                case Heading(text) | Body(text):
                    texts += text.split("\n")
                case QuotedText(text):
                    quote += self._quote(text)
                case _:
                    pass
        if not lead:
            return
        if isinstance(event, DiceRolled):
            self._append(line, "news", sentence(lead), notes=texts, quote=quote)
        else:
            after = [sentence(text) for text in texts]
            # The book has a colon of its own before a quote.
            lead = lead.removesuffix(":") if quote else lead
            self._append(line, "news", sentence(lead), after, quote=quote)

    def _append(
        self,
        line: StoryLine,
        kind: PassageKind,
        lead: str,
        after: Iterable[str] = (),
        notes: Iterable[str] = (),
        quote: Iterable[Line] = (),
    ) -> None:
        passage = Passage(
            at=line.at,
            kind=kind,
            place=line.place,
            lead=self._line(lead),
            quote=tuple(quote),
            after=tuple(self._line(text) for text in after if text),
            notes=tuple(self._line(text) for text in notes if text),
            private=not line.is_public,
        )
        self._tell(passage)

    def _tell(self, passage: Passage) -> None:
        """Add a passage, below the mark of its round if it's the first in it."""
        mark = self._rounds.pop(passage.place, None)
        if mark is not None:
            self._told.append(mark)
        self._told.append(passage)

    # --- texts ------------------------------------------------------------------------------------

    def _line(self, text: str) -> Line:
        return styled_line(text, self._names)

    def _quote(self, text: str) -> list[Line]:
        """Return a quote of escaped user text, a line each."""
        return [self._line(line) for line in text.split("\n") if line.strip()]

    def _labeled_quote(self, block: Quote) -> list[Line]:
        """Return words with a label, such as those of a defender."""
        text = " ".join(quoted_text(block.text.strip()).split("\n"))
        if not text or block.label is None:
            return []
        return [self._line(f"{say(block.label)}: “{text}”.")]

    def _block_lines(self, block: Block) -> list[Line]:
        return [self._line(line.removeprefix("> ")) for line in block_lines((block,))]


def _deed(event: CheckChanged, *, is_quoted: bool) -> str:
    """Return who does what.

    A check without the player's own words and without words of its kind says what is rolled.
    """
    rolled_with = facts_of(event.blocks, "check-with")
    is_told = is_quoted or event.target is not None or f"does-{event.kind}" in TEMPLATES
    if is_told or event.actor is None or not rolled_with:
        return deed_text(event)
    return phrase("tale-tries", who=event.actor, what=rolled_with[0].value)


def _rolled_with(event: CheckChanged, lead: Iterable[str]) -> list[str]:
    """Return the lines below a check's headline without who acts."""
    deed = deed_text(event)
    lines = [line.removeprefix(f"{deed}: ") for line in lead if line != deed]
    return [with_capital(line) for line in lines]
