"""Stories at a table, played by persons who act only on what the bot shows them, and counted.

Every person has a script: commands, menus, dialogs and the buttons that the story is about. What
a script leaves out, a person answers as cheaply as possible, and only while waited for. Who acts
next follows from the messages: a person goes on as long as a card names them, and then the person
comes who was called. A card that waits for a person who was not called fails the story.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from simcord.actors import MemberActor
from simcord.results import InteractionResult
from simcord.types import HttpLogEntry

from tests.discord.rounds import begin_confirmed
from tests.discord.world import World, button, controls, dialog_values, labels, menus, texts

#: A story that takes more acts goes round in circles.
MOST_ACTS: Final = 60
#: The line of a card that says how its check stands.
_STANDING: Final = re.compile(r"(?mi)^-# (?:(?P<stands>.*) · )?check (?P<check>[ch]\d+)\b")
#: What a person presses on a public message without a script for it, the cheapest first.
_BUTTONS: Final = (
    "Answer",
    "Roll",
    "Defend",
    "Respond",
    "Resolve hit",
    "Accept result",
    "Keep",
    "Pass",
    "React",
)
#: The same in the person's own panel.
_PANEL_BUTTONS: Final = ("Roll", "Accept result", "Pass", "Keep", "Respond", "Defend")
#: A GM's answer, which a person without a script for it doesn't give.
_ANSWER: Final = "Roll how well"
#: Parts of a card's line that name a person whom it doesn't wait for.
_NOT_WAITED_FOR: Final = ("passed", "standing order", "step in until", "undone")
#: A call with which another story begins: a turn.
_TURN_CALL: Final = "you're up"
#: What an answer says that a person is done with.
_DONE: Final = re.compile(r"-# (?:See|The full result is on) check")
#: An answer to what wasn't carried out.
_REFUSED: Final = re.compile("Nothing has changed|Something went wrong")


class StoryError(AssertionError):
    """A person waits, or is waited for, without a message that says so."""


# --- scripts --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """A slash command. A person who is asked whether it is meant out of turn confirms it."""

    name: str
    options: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Press:
    """The first button whose label contains `label`, on a message that says `when`.

    An `optional` press is left out where the message shows what comes after it already.
    """

    label: str
    when: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Choose:
    """A choice in a menu."""

    menu: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Write:
    """A button that opens a dialog, and what the person writes into it: two acts."""

    label: str
    inputs: dict[str, str]


Step = Command | Press | Choose | Write
Script = Sequence[Step]


# --- persons and counts ---------------------------------------------------------------------------


@dataclass
class Person:
    """A participant, the names by which messages speak of them, and the rest of their script."""

    member: MemberActor
    names: tuple[str, ...]
    script: list[Step] = field(default_factory=list[Step])


@dataclass(frozen=True)
class Counts:
    """What a story takes.

    A visit is a change of the acting person. Posts are messages in the channel, calls included,
    without the answer to a command.
    """

    visits: int
    acts: int
    posts: int
    gm_posts: int
    pings: int

    def over(self, bound: Counts) -> dict[str, tuple[int, int]]:
        """Return what is more than in `bound`, with both numbers."""
        pairs = {key: (value, vars(bound)[key]) for key, value in vars(self).items()}
        return {key: pair for key, pair in pairs.items() if pair[0] > pair[1]}


#: What a card asks of a person: the member, the message, and what it says of those it waits for.
Question = tuple[int, int, str]


@dataclass
class Story:
    """A story under way. `strict` is off for a bot that doesn't call everybody it waits for: then
    persons come whom a card names.
    """

    world: World
    people: Sequence[Person]
    strict: bool = True
    trace: bool = False
    _acts: list[Person] = field(default_factory=list[Person])
    _called: list[Person] = field(default_factory=list[Person])
    _answered: set[Question] = field(default_factory=set[Question])
    _panel: Any = None
    _first_request: int = 0
    _next_request: int = 0
    _pings: int = 0

    @property
    def counts(self) -> Counts:
        """What the story has taken so far."""
        acting = [person.member.id for person in self._acts]
        changes = [now for last, now in zip([0, *acting], acting, strict=False) if last != now]
        return Counts(
            len(changes),
            len(acting),
            self._posts_in(self.world.zone.id),
            self._posts_in(self.world.gm_room.id),
            self._pings,
        )

    def _posts_in(self, channel: int) -> int:
        sent = self.world.env.http_requests[self._first_request :]
        path = f"/channels/{channel}/messages"
        return sum(request.method == "POST" and request.path == path for request in sent)

    # --- who acts ---------------------------------------------------------------------------------

    async def play(self, first: Person) -> Counts:
        """Play from the first person's command until nobody is waited for.

        StoryError: a person is waited for and wasn't called, or has nothing to answer with.
        """
        self._first_request = self._next_request = len(self.world.env.http_requests)
        person: Person | None = first
        while person is not None:
            await self._visit(person)
            person = self._next_person(person)
        for person in self.people:
            left = [step for step in person.script if not _is_optional(step)]
            if left:
                raise StoryError(f"{person.names[0]} never came to {left}:\n{self}")
        if self.strict:
            self._require_final_words()
        return self.counts

    def _require_final_words(self) -> None:
        """StoryError: a card says "so far", though nobody is waited for."""
        for message in self.world.messages():
            if "so far" in texts(message).partition("\n")[0]:
                raise StoryError(f"so far, and nobody is waited for:\n{texts(message)}")

    async def _visit(self, person: Person) -> None:
        """Let a person act as long as there is something for them to do."""
        self._panel = None
        before = len(self._acts)
        while await self._act(person):
            if len(self._acts) > MOST_ACTS:
                raise StoryError(f"it goes on for ever:\n{self}")
        if len(self._acts) == before:
            raise StoryError(f"{person.names[0]} came and found nothing to do:\n{self}")

    def _next_person(self, last: Person) -> Person | None:
        """Return who comes next; None when nobody is waited for."""
        waited_for = [person for card in self._open_cards() for person in self._named(card)]
        if last in waited_for:
            raise StoryError(f"{last.names[0]} is waited for and can't answer:\n{self}")
        if not self.strict:
            return next(iter([*self._called, *waited_for]), None)
        for card in self._open_cards():
            if not self._named(card):
                raise StoryError(f"a card is open and names nobody:\n{texts(card)}")
        for person in waited_for:
            if person not in self._called:
                raise StoryError(f"{person.names[0]} is waited for and wasn't called:\n{self}")
        return next(iter(self._called), None)

    async def _act(self, person: Person) -> bool:
        """Let a person do the next thing, and return whether there was one."""
        if person.script and isinstance(person.script[0], Command):
            command = person.script[0]
            del person.script[0]
            sent = begin_confirmed(self.world, person.member, command.name, **command.options)
            await self._count(person, sent, what=f"/{command.name}")
            return True
        panels = [self._panel] if self._panel is not None else []
        for place, step in reversed([*enumerate(_next_steps(person.script))]):
            message = _first_fit(step, [*panels, *self._messages_for(person)])
            if message is not None:
                del person.script[: place + 1]
                await self._take(person, message, step)
                return True
        if not self._is_waited_for(person):
            return False
        if panels:
            return await self._press_first(person, panels, _PANEL_BUTTONS)
        return await self._press_first(person, self._messages_for(person), _BUTTONS)

    async def _press_first(
        self, person: Person, messages: Sequence[Any], wanted: Sequence[str]
    ) -> bool:
        """Press the first of the wanted buttons that a message has; return whether one has."""
        for wish in wanted:
            for message in messages:
                for label in labels(message):
                    if label == _ANSWER:
                        continue
                    if label == wish or label.startswith((f"{wish} ", f"{wish}:")):
                        await self._take(person, message, Press(label))
                        return True
        return False

    async def _take(self, person: Person, message: Any, step: Step) -> None:
        """Take a step of a script on a message that has it."""
        if isinstance(step, Choose):
            chosen = self.world.choose(person.member, message, step.menu, *step.values)
            await self._count(person, chosen, message, what=f"{step.menu}: {step.values}")
            return
        assert isinstance(step, Press | Write)
        label = next(each for each in labels(message) if _fits(step.label, each))
        clicked = person.member.click(message, custom_id=button(message, label))
        result = await self._count(person, clicked, message, what=label)
        if result.modal is not None:
            inputs = step.inputs if isinstance(step, Write) else {}
            sent = person.member.submit_modal(result, dialog_values(result) | inputs)
            await self._count(person, sent, message, what=f"{label} {inputs}")

    async def _count(
        self,
        person: Person,
        coming: Awaitable[InteractionResult],
        message: Any = None,
        *,
        what: str,
    ) -> InteractionResult:
        """Count an act, and note what the bot says to it. StoryError if it was refused."""
        self._acts.append(person)
        asked = self._questions_to(person)
        if person in self._called:
            self._called.remove(person)
        result = await coming
        await self.world.env.settle()
        answers = [*filter(None, [result.response]), *result.followups]
        for answer in answers:
            if _REFUSED.search(texts(answer)):
                raise StoryError(f"{person.names[0]} was refused {what!r}:\n{texts(answer)}")
        if result.modal is None:
            shown = [each for each in answers if each.ephemeral and controls(each)]
            kept = [message] if not answers and message is self._panel else []
            self._panel = next(iter([*reversed(shown), *kept]), None)
        if any(_DONE.search(texts(answer)) for answer in answers):
            self._answered |= asked & self._questions_to(person)
        self._read_calls(person)
        if self.trace:
            print(f"* {person.names[0]}: {what}", *map(texts, answers), self, self.counts, sep="\n")
        return result

    def _read_calls(self, actor: Person) -> None:
        """Note whom the newest messages called. Turns are called, too, but nobody takes one.

        StoryError: a person was called twice, or to what their own act has just put before them.
        """
        requests = self.world.env.http_requests
        for request in requests[self._next_request :]:
            pinged = _pinged(request)
            self._pings += len(pinged)
            if _TURN_CALL in str(request.json):
                continue
            for person in self.people:
                if person.member.id not in pinged:
                    continue
                if self.strict and (person is actor or person in self._called):
                    raise StoryError(f"{person.names[0]} is called for nothing:\n{self}")
                if person not in self._called:
                    self._called.append(person)
        self._next_request = len(requests)

    # --- what persons see -------------------------------------------------------------------------

    def _is_waited_for(self, person: Person) -> bool:
        named = any(person in self._named(card) for card in self._open_cards())
        return named or person in self._called

    def _messages_for(self, person: Person) -> list[Any]:
        """Return what a person looks at: calls, cards that name them, other cards, newest first."""
        found = [each for each in self._messages_seen_by(person) if controls(each)]
        mention = person.member.mention
        calls = [
            each for each in found if mention in each.content and _TURN_CALL not in each.content
        ]
        naming = [each for each in self._open_cards() if person in self._named(each)]
        cards = [each for each in found if _STANDING.search(texts(each))]
        return [*reversed(calls), *reversed(naming), *reversed(cards)]

    def _messages_seen_by(self, person: Person) -> Iterator[Any]:
        for room in (self.world.zone, self.world.gm_room):
            if self.world.may_read(person.member, room.id):
                yield from self.world.messages(room)

    def _open_cards(self) -> list[Any]:
        """Return the newest card of every check that isn't final: the public one, if there is."""
        found: dict[str, Any] = {}
        for room in (self.world.gm_room, self.world.zone):
            for message in self.world.messages(room):
                line = _STANDING.search(texts(message))
                if line is not None:
                    found[line["check"]] = message
        return [card for card in found.values() if not _is_final(card)]

    def _named(self, card: Any) -> list[Person]:
        """Return the persons for whom a card says it waits, and who haven't answered it yet."""
        said = _waiting_words(card, self.people)
        found: list[Person] = []
        for person in self.people:
            answered = (person.member.id, card.id, said) in self._answered
            if not answered and re.search(_any_of(person.names), said):
                found.append(person)
        return found

    def _questions_to(self, person: Person) -> set[Question]:
        """Return what open cards ask of a person. A secret answer leaves its card as it is."""
        return {
            (person.member.id, card.id, _waiting_words(card, self.people))
            for card in self._open_cards()
            if person in self._named(card)
        }

    def __str__(self) -> str:
        """What is to be seen in the channels, a line each message."""
        lines: list[str] = []
        for room in (self.world.zone, self.world.gm_room):
            for message in self.world.messages(room):
                said = texts(message).replace("\n", " | ")
                if "joins the table" not in said:
                    lines.append(f"    [{room.name}] {said[:500]}")
        return "\n".join(lines)


def _next_steps(script: Script) -> list[Step]:
    """Return the steps that may come next: optional ones, and the first that isn't."""
    found: list[Step] = []
    for step in script:
        found.append(step)
        if not _is_optional(step):
            break
    return found


def _is_optional(step: Step) -> bool:
    return isinstance(step, Press) and step.optional


def _first_fit(step: Step, messages: Sequence[Any]) -> Any:
    """Return the first message that has what a step wants; None: there is none."""
    for message in messages:
        if isinstance(step, Choose):
            options = [o["value"] for each in menus(message, step.menu) for o in each["options"]]
            if set(step.values) <= {*options}:
                return message
        elif not isinstance(step, Command):
            there = any(_fits(step.label, label) for label in labels(message))
            if there and (isinstance(step, Write) or step.when in texts(message)):
                return message
    return None


def _fits(wanted: str, label: str) -> bool:
    """Return whether a button is the wanted one, also if the dice fall with the answer."""
    return wanted in label or (wanted == "Call for a roll" and label == "Roll now")


def _any_of(names: Iterable[str]) -> str:
    """Return a pattern for any of these names."""
    return rf"\b(?:{'|'.join(map(re.escape, names))})\b"


def _waiting_words(card: Any, people: Sequence[Person]) -> str:
    """Return those words of a card that say for whom it waits: in its head and in its line."""
    said = texts(card)
    line = _STANDING.search(said)
    parts = (line["stands"] or "").split(" · ") if line is not None else []
    stands = [part for part in parts if not any(each in part for each in _NOT_WAITED_FOR)]
    name = _any_of([name for person in people for name in person.names])
    head = said.partition("\n")[0].removeprefix("## ")
    asked = re.match(rf"(?:Waiting for )?({name}(?:(?:,| and) {name})*)(?:,|$)", head)
    # A head that names who attacks or challenges names the asked character before the colon.
    asked = asked or re.search(rf" ({name})(?:: choose a defense|\. Choose how to respond)", head)
    return " · ".join([*([asked[1]] if asked else []), *stands])


def _is_final(card: Any) -> bool:
    line = _STANDING.search(texts(card))
    return line is not None and (line["stands"] or "").startswith("Final")


def _pinged(request: HttpLogEntry) -> set[int]:
    """Return whom a sent message calls."""
    body = request.json
    if request.method != "POST" or not isinstance(body, dict):
        return set()
    data: dict[str, Any] = body.get("data") or body
    if int(data.get("flags") or 0) & 64:
        return set()
    users = (data.get("allowed_mentions") or {}).get("users") or ()
    return {int(user) for user in users if f"<@{user}>" in (data.get("content") or "")}
