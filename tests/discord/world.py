"""A small server on the simulated Discord: one channel to play in, one for the GMs, a GM and two
players.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import discord
import pytest
from simcord.actors import MemberActor
from simcord.backend import serializers
from simcord.backend.access import can_access_channel
from simcord.backend.models import Overwrite, ResponseKind
from simcord.builders import ChannelHandle, GuildHandle, RoleHandle
from simcord.enums import ComponentType, InteractionType, OverwriteType
from simcord.env import Env
from simcord.interactions import base_payload
from simcord.results import InteractionResult, ResponseMessage
from simcord.types import HttpLogEntry

from bot.app import Storyguide, build_bot
from bot.presenters.render import walk_components
from bot.services.perform import perform
from bot.settings import Settings
from bot.storage.location import Where
from rules.core.rng import KeyedRng, KeyedStreams
from rules.table.check import AnyCheck
from rules.table.state import TableState
from tests.sample_table import ebb_character

_TEXT: Final = 10
_THUMBNAIL: Final = 11
_GALLERY: Final = 12
_CONTAINER: Final = 17
_LAYOUT: Final = 1 << 15
#: Most letters of a thread's name.
_THREAD_NAME: Final = 100

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def virtual_clock() -> int:
    """SimCord's time, which stands still unless a test advances it."""
    return int(discord.utils.utcnow().timestamp())


#: Bots that were made and have to be closed: SimCord detaches them, their storage is ours.
_made: list[Storyguide] = []


def make_bot(path: Where) -> Storyguide:
    """The real bot on a database."""
    settings = Settings(_env_file=None, storyguide_database=path)  # pyright: ignore[reportCallIssue]
    bot = build_bot(settings, clock=virtual_clock)
    _made.append(bot)
    return bot


async def close_bots() -> None:
    """Close what `make_bot` made."""
    while _made:
        await _made.pop().close()


# --- dice -----------------------------------------------------------------------------------------


class Dice:
    """Faces laid down for the next rolls; what is not laid down falls as the seeds have it."""

    def __init__(self) -> None:
        self._faces: deque[int] = deque()
        #: What each request drew from each of its streams; a face that was laid down, or None for
        #: one that fell as the seeds have it. The same request draws the same again.
        self._drawn: dict[tuple[bytes, str, str], list[int | None]] = {}

    def lay(self, *faces: int) -> None:
        """The next faces, as read off the dice."""
        self._faces.extend(faces)

    @property
    def left(self) -> int:
        """How many faces have not been drawn."""
        return len(self._faces)

    def streams(self, public_seed: bytes, secret_seed: bytes, key: str, closed_seed: bytes) -> Laid:
        """What stands in for `KeyedStreams`."""
        keyed = KeyedStreams(public_seed, secret_seed, key, closed_seed)
        drawn = {
            stream: self._drawn.setdefault((public_seed, key, stream), [])
            for stream in ("public", "secret", "shuffle")
        }
        with_key = partial(self._of_key, public_seed, secret_seed, closed_seed)
        return Laid(self._faces, keyed, drawn, with_key)

    def _of_key(self, public_seed: bytes, secret_seed: bytes, closed_seed: bytes, key: str) -> Laid:
        """The draws of another key from the same seeds."""
        return self.streams(public_seed, secret_seed, key, closed_seed)


class Laid:
    """The draws of one request: first what was laid down, then what the seeds give."""

    def __init__(
        self,
        faces: deque[int],
        keyed: KeyedStreams,
        drawn: dict[str, list[int | None]],
        with_key: Callable[[str], Laid],
    ) -> None:
        self.public = LaidStream(faces, keyed.public, drawn["public"])
        self.secret = LaidStream(faces, keyed.secret, drawn["secret"])
        self.shuffle = LaidStream(faces, keyed.shuffle, drawn["shuffle"])
        self.sealed = keyed.sealed
        self.keyed = keyed
        self._faces, self._drawn = faces, drawn
        self._branches: dict[str, Laid] = {}
        self._with_key = with_key

    def branch(self, name: str) -> Laid:
        """The draws of a branch of the request, from the same faces."""
        if name not in self._branches:
            streams = ("public", "secret", "shuffle")
            drawn = {each: self._drawn.setdefault(f"{name}/{each}", []) for each in streams}
            keyed = self.keyed.branch(name)
            self._branches[name] = Laid(self._faces, keyed, drawn, self._with_key)
        return self._branches[name]

    def with_key(self, key: str) -> Laid:
        """The draws of another key: what it drew before falls again."""
        if key not in self._branches:
            self._branches[key] = self._with_key(key)
        return self._branches[key]

    def tag(self, number: int, /) -> str:
        """Numbers, so that tests can name whom they mean."""
        return str(number)

    @property
    def hidden(self) -> int:
        own = self.secret.drawn + self.shuffle.drawn
        return own + sum(each.hidden for each in self._branches.values())

    @property
    def drawn(self) -> int:
        own = self.public.drawn + self.secret.drawn + self.shuffle.drawn
        return own + sum(each.drawn for each in self._branches.values())


class LaidStream:
    """One of the streams; all take from the same faces."""

    def __init__(self, faces: deque[int], keyed: KeyedRng, drawn: list[int | None]) -> None:
        self._faces = faces
        self._keyed = keyed
        self._used = 0
        self._count = 0
        self._before = drawn

    @property
    def drawn(self) -> int:
        return self._used + self._keyed.drawn

    def below(self, n: int, /) -> int:
        self._count += 1
        if self._count <= len(self._before):
            face = self._before[self._count - 1]
        else:
            face = self._faces.popleft() if self._faces else None
            self._before.append(face)
        if face is None:
            return self._keyed.below(n)
        assert 1 <= face <= n, f"face {face} does not fit a die of {n}"
        self._used += 1
        return face - 1


# --- what a message says --------------------------------------------------------------------------


def texts(message: Any) -> str:
    """Everything a message says: content, embeds or laid out texts, labels of its controls."""
    found: list[str] = [message.content or ""]
    found += [
        part["content"].replace("\u00a0", " ") for part in parts(message) if part["type"] == _TEXT
    ]
    for embed in message.embeds:
        found += [embed.title or "", embed.description or "", embed.footer.text or ""]
        found += [f"{field.name}\n{field.value}" for field in embed.fields]
    found += [component.get("label") or "" for component in controls(message)]
    for component in controls(message):
        found += [f"{o['label']} {o.get('description', '')}" for o in component.get("options", ())]
    return "\n".join(text for text in found if text)


def parts(message: Any) -> list[dict[str, Any]]:
    """Everything a message is made of below its text, containers before what stands in them."""
    return [
        dict(each)
        for each in walk_components(
            each if isinstance(each, dict) else each.to_dict() for each in message.components
        )
    ]


def controls(message: Any) -> list[dict[str, Any]]:
    """The buttons and selects of a message as Discord stores them."""
    return [each for each in parts(message) if "custom_id" in each]


def is_layout(message: Any) -> bool:
    """Whether a message is a layout."""
    return any(part["type"] == _CONTAINER for part in parts(message))


def is_card(message: Any) -> bool:
    """Whether a message is more than plain text."""
    return bool(message.embeds) or is_layout(message)


def head(message: Any) -> str:
    """The first line of a message: its title, or the head of its layout."""
    if message.embeds:
        return message.embeds[0].title or ""
    return texts(message).partition("\n")[0].removeprefix("## ")


def portrait(message: Any) -> str | None:
    """The web address of the portrait beside what a message says."""
    return next(
        (part["media"]["url"] for part in parts(message) if part["type"] == _THUMBNAIL), None
    )


def gallery(message: Any) -> list[str]:
    """The web addresses of the pictures that a card shows."""
    found = [part["items"] for part in parts(message) if part["type"] == _GALLERY]
    return [item["media"]["url"] for items in found for item in items]


def has_decision(text: str, *who: str) -> bool:
    """Return whether a card's last lines say that these players decide about open dice."""
    names = re.escape(" and ".join(who))
    return re.search(rf"\b{names}(?: decides?\.|, spend )", text, re.IGNORECASE) is not None


#: The GM's answer that calls for a roll, and the same where the dice fall at once.
_LET_ROLL = "Call for a roll"
_ROLL_NOW = "Roll now"
#: The button that rolls says which dice: `Roll 5 dice`, `Roll 2d10`, `Roll d10 + d8`.
_ROLL_OF = re.compile(r"Roll (\d+ (dice|die)|\d*d10( \+ d\d+)?)")


def plain_label(label: str) -> str:
    """What a button says; `Roll` where it rolls any dice."""
    return "Roll" if _ROLL_OF.fullmatch(label) else label


def labels(message: Any) -> list[str]:
    """What its buttons say; `Roll` stands for it with any dice."""
    return [plain_label(each["label"]) for each in controls(message) if each.get("label")]


def primary(message: Any) -> list[str]:
    """The labels of the buttons that stand out."""
    return [each["label"] for each in controls(message) if each.get("style") == 1]


def button(message: Any, label: str) -> str:
    """The custom id of a button by its label, without the page that `More…` tells, and without the
    further fields that a dialog has. AssertionError when there is none.
    """
    begins = (f"{label} (", f"{label.removesuffix('…')}, ")
    wanted = (label, _ROLL_NOW) if label == _LET_ROLL else (label,)
    found = [
        each["custom_id"]
        for each in controls(message)
        if each.get("label")
        and (plain_label(each["label"]) in wanted or each["label"].startswith(begins))
    ]
    assert found, f"no button {label!r} in {labels(message)}"
    return found[0]


#: Stand for the menus that fields share, which are called by what is in them: of those that lead,
#: and of the others.
LEADING = "All that leads"
SHARED = "All the rest"
_SHARED_IDS = {LEADING: ":l", SHARED: ":s"}


def menus(message: Any, placeholder: str) -> list[dict[str, Any]]:
    """The selects with a placeholder; those that fields share whatever they are called."""
    end = _SHARED_IDS.get(placeholder)
    selects = [each for each in controls(message) if each.get("placeholder")]
    if end is not None:
        return [each for each in selects if each["custom_id"].endswith(end)]
    return [each for each in selects if each["placeholder"] == placeholder]


def menu(message: Any, placeholder: str) -> dict[str, Any]:
    """A select by its placeholder. AssertionError when there is none."""
    found = menus(message, placeholder)
    assert found, (
        f"no select {placeholder!r} in {[each.get('placeholder') for each in controls(message)]}"
    )
    return found[0]


def select(message: Any, placeholder: str) -> str:
    """The custom id of a select by its placeholder."""
    return menu(message, placeholder)["custom_id"]


def selected_values(message: Any, placeholder: str) -> list[str]:
    """What a select shows as chosen."""
    return [
        option["value"] for option in menu(message, placeholder)["options"] if option.get("default")
    ]


def message_of(result: InteractionResult) -> ResponseMessage:
    """The message that answered."""
    message = result.response
    assert message is not None, f"no answer: {result}"
    return message


def private(result: InteractionResult) -> str:
    """What the answer says; it must be for this person alone, from the first moment on."""
    message = message_of(result)
    changed = result._interaction.response_kind in (
        ResponseKind.UPDATE,
        ResponseKind.DEFERRED_UPDATE,
    )
    assert changed or result.ephemeral, f"answered in public: {texts(message)}"
    assert message.ephemeral
    assert all(followup.ephemeral for followup in result.followups)
    return "\n".join(map(texts, (message, *result.followups)))


def public(result: InteractionResult) -> str:
    """What the answer says; it must be for everybody."""
    message = message_of(result)
    assert not message.ephemeral, f"answered in private: {texts(message)}"
    return texts(message)


def refusal_of(result: InteractionResult) -> str:
    """What the refusal says; it must be private and say that nothing has changed."""
    text = private(result) if not result.followups else _whispered(result)
    assert "Nothing has changed." in text, text
    return read_on(text)


def read_on(text: str) -> str:
    """A refusal as it is read: its head as the sentence that it is, on the line of what follows."""
    head, _, rest = text.removeprefix("## ").partition("\n")
    return f"{head}{'' if head.endswith(('?', '!')) else '.'} {rest}"


def _whispered(result: InteractionResult) -> str:
    assert all(followup.ephemeral for followup in result.followups)
    return "\n".join(map(texts, result.followups))


def dialog_values(dialog: InteractionResult) -> dict[str, str]:
    """What stands in the inputs of a dialog, by key."""
    assert dialog.modal is not None
    inputs = [row["component"] for row in dialog.modal["components"]]
    return {each["custom_id"]: each.get("value") or "" for each in inputs}


def pings(message: Any, env: Env) -> list[int]:
    """Whom a message really called, users before roles."""
    stored = env.backend.get_message(message.channel.id, message.id)
    return [*stored.ping_user_ids, *stored.ping_role_ids]


# --- the server -----------------------------------------------------------------------------------


class Sure(MemberActor):
    """A member who means it: asked whether an undo without a number is what they want, they
    say yes.
    """

    async def slash(
        self, channel: ChannelHandle, name: str, /, **options: Any
    ) -> InteractionResult:
        result = await super().slash(channel, name, **options)
        asked = result.response
        if name == "gm undo" and not options and asked is not None and "Undo it" in labels(asked):
            return await self.click(asked, custom_id=button(asked, "Undo it"))
        return result


def sure(member: MemberActor) -> MemberActor:
    """The same member, who means it."""
    member.__class__ = Sure
    return member


#: Settings of EBB, which have no option of their own.
EBB_SETTINGS: Final = ("house_initiative", "npc_rolls", "hit_default")


@dataclass(slots=True)
class World:
    """The server, its people, and the shortest way to what they do."""

    env: Env
    path: Path
    guild: GuildHandle
    zone: ChannelHandle
    gm_room: ChannelHandle
    gina: MemberActor
    ana: MemberActor
    ben: MemberActor
    dice: Dice = field(default_factory=Dice)

    # --- the bot ----------------------------------------------------------------------------------

    @property
    def bot(self) -> Storyguide:
        """The bot that runs now."""
        assert isinstance(self.env.bot, Storyguide)
        return self.env.bot

    async def restart(self) -> None:
        """End the bot in order and start another on the same file, in the same world."""
        await self.bot.close()
        await self.env.restart_bot(make_bot(self.path))

    def slow_down(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let every action take so long that its answer has to be announced first."""

        async def slowly(*args: Any) -> Any:
            await asyncio.sleep(0.05)
            return await perform(*args)

        monkeypatch.setattr("bot.delivery.response.DEFER_AFTER", 0.001)
        monkeypatch.setattr("bot.ui.context.perform", slowly)

    async def state(self, place: ChannelHandle | None = None) -> TableState:
        """The table of a channel as the bot has it now."""
        tables = self.bot.tables
        table_id = tables.places.table_id(str((place or self.zone).id))
        assert table_id is not None
        return (await tables.get(table_id)).state

    async def check(self, name: str = "c1") -> AnyCheck:
        """A check by name."""
        return (await self.state()).checks[name]

    async def revision(self) -> int:
        """How many entries the table's journal has."""
        table_id = self.bot.tables.places.table_id(str(self.zone.id))
        assert table_id is not None
        return (await self.bot.tables.get(table_id)).revision

    # --- what people do ---------------------------------------------------------------------------

    async def setup(self, *, gm_channel: bool = False, system: str = "ebb") -> InteractionResult:
        """`/setup` by Gina."""
        options: dict[str, Any] = {"gm_channel": self.gm_room} if gm_channel else {}
        return await self.gina.slash(
            self.zone, "setup", game=system, name="The Dry Canal", **options
        )

    async def bring(self, who: MemberActor, name: str, **changes: Any) -> InteractionResult:
        """`/character import` of a valid character."""
        options = {
            key: changes.pop(key) for key in ("npc", "owner", "replace", "grown") if key in changes
        }
        return await self.hand_in(
            who, f"{name}.json", json.dumps(ebb_character(name, **changes)), **options
        )

    async def hand_in(
        self, who: MemberActor, filename: str, text: str | bytes, **options: Any
    ) -> InteractionResult:
        """`/character import` of any file."""
        content = text.encode() if isinstance(text, str) else text
        return await who.slash(self.zone, "character import", file=(filename, content), **options)

    async def table(self, *, gm_channel: bool = False, **settings: Any) -> None:
        """A table with Ana's Marek and Ben's Ilka, and these settings."""
        await self.setup(gm_channel=gm_channel)
        await self.bring(self.ana, "Marek")
        await self.bring(self.ben, "Ilka")
        own = {key: settings.pop(key) for key in EBB_SETTINGS if key in settings}
        if "live" in settings:
            settings.setdefault("attacks_at_once", settings["live"])
        if settings:
            await self.gina.slash(self.zone, "gm settings", **settings)
        for key, value in own.items():
            await self.gina.slash(self.zone, "gm settings", setting=key, value=str(value))

    async def propose(self, who: MemberActor | None = None, /, **options: Any) -> InteractionResult:
        """`/check` with an idea; Ana unless told otherwise."""
        given: dict[str, Any] = {"approach": "up the drainpipe, slowly"}
        return await (who or self.ana).slash(self.zone, "check", **(given | options))

    async def press(self, who: MemberActor, message: Any, label: str) -> InteractionResult:
        """Press the button that says so."""
        return await who.click(message, custom_id=button(message, label))

    async def show_card(self, who: MemberActor, card: str, **options: Any) -> InteractionResult:
        """Show everybody a card: `/card show`, and yes to its question."""
        asked = await who.slash(self.zone, "card show", card=card, **options)
        private(asked)
        return await self.press(who, message_of(asked), "Show to everybody")

    async def choose(
        self, who: MemberActor, message: Any, placeholder: str, *values: str
    ) -> InteractionResult:
        """Choose in the menu of that name."""
        return await who.select(message, list(values), custom_id=select(message, placeholder))

    async def pages(self, who: MemberActor, message: Any) -> str:
        """Everything that the pages of a sheet say, one after another."""
        found = texts(message)
        for option in menu(message, "Page")["options"][1:]:
            await self.choose(who, message, "Page", option["value"])
            found += "\n" + texts(message)
        return found

    async def help(self, who: MemberActor, topic: str) -> str:
        """Every page of a topic of `/help`, one after another."""
        page = await who.slash(self.zone, "help", topic=topic)
        found = private(page)
        while "More" in labels(message_of(page)):
            page = await self.press(who, message_of(page), "More")
            found += "\n" + private(page)
        return found

    async def answer(
        self,
        proposal: Any,
        *,
        level: str | None = "Tricky",
        hidden: bool = False,
        press: str = "Call for a roll",
        options: tuple[str, ...] = (),
        disallow: tuple[str, ...] = (),
        note: str = "",
        number: str = "",
        who: MemberActor | None = None,
    ) -> InteractionResult:
        """Gina opens the panel under a proposal, chooses, and answers."""
        gm = who or self.gina
        call = proposal if "Answer" in labels(proposal) else self.newest("Answer")
        panel = message_of(await self.press(gm, call, "Answer"))
        if "Cancel" in labels(panel):
            return await self.rule(
                panel,
                level=level,
                hidden=hidden,
                press=press,
                options=options,
                disallow=disallow,
                note=note,
                number=number,
                who=gm,
            )
        if level is not None and not number:
            await self.choose(gm, panel, "Difficulty before shifts", level)
        if number:
            modal = await self.press(gm, panel, "Number…")
            await gm.submit_modal(modal, {"difficulty": number, "modifier": ""})
        if options:
            await self.choose(gm, panel, "What makes it easier or harder", *options)
        if disallow:
            await self.choose(gm, panel, "Traits that do not count", *disallow)
        if note:
            await gm.submit_modal(await self.press(gm, panel, "Note…"), {"note": note})
        if hidden:
            await self.press(gm, panel, "Difficulty: open")
        return await self.press(gm, panel, press)

    async def rule(
        self,
        shown: Any = None,
        *,
        level: str | None = "Tricky",
        hidden: bool = False,
        press: str = "Call for a roll",
        options: tuple[str, ...] = (),
        disallow: tuple[str, ...] = (),
        note: str = "",
        number: str = "",
        who: MemberActor | None = None,
    ) -> InteractionResult:
        """Gina fills in the panel behind Answer, and answers.

        `shown` is the message with that button, or the panel itself; the newest call unless told
        otherwise.
        """
        gm = who or self.gina
        panel = shown or self.newest("Answer")
        if "Answer" in labels(panel):
            panel = message_of(await self.press(gm, panel, "Answer"))
        if press == "Call for a roll" and "Roll now" in labels(panel):
            press = "Roll now"
        if level is not None and not number:
            await self.choose(gm, panel, "Difficulty", level)
        typed = {key: text for key, text in (("difficulty", number), ("note", note)) if text}
        if typed:
            dialog = await self.press(gm, panel, "Write…")
            await gm.submit_modal(dialog, dialog_values(dialog) | typed)
        more = [
            *options,
            *(f"disallow: {trait}" for trait in disallow),
            *(["hidden"] if hidden else []),
        ]
        if more:
            await self.choose(gm, panel, "All the rest", *more)
        return await self.press(gm, panel, press)

    async def answered(self, who: MemberActor | None = None, **options: Any) -> Any:
        """A proposal with Climbing and Fitness and the GM's answer: its card, with the Roll
        button.
        """
        given = {
            key: options.pop(key)
            for key in ("skill", "attribute", "approach", "as")
            if key in options
        }
        traits = {"skill": "Climbing", "attribute": "Fitness"} | given
        await self.propose(who, **{key: value for key, value in traits.items() if value})
        await self.rule(**options)
        return self.card()

    async def rolled(self, *faces: int, who: MemberActor | None = None, **options: Any) -> Any:
        """A check rolled with these faces: its card with the result."""
        message = await self.answered(who, **options)
        self.dice.lay(*faces)
        await self.press(who or self.ana, message, "Roll")
        assert self.dice.left == 0
        return self.card()

    async def spend(self, message: Any, label: str, who: MemberActor | None = None) -> Any:
        """Open React below a card and press what says so; Ana unless told otherwise. Returns what
        was answered.
        """
        panel = message_of(await self.press(who or self.ana, message, "React"))
        return await self.press(who or self.ana, panel, label)

    # --- what is there ----------------------------------------------------------------------------

    def messages(self, room: ChannelHandle | None = None) -> list[discord.Message]:
        """The bot's public messages in a channel, oldest first."""
        found = (room or self.zone).history()
        return [message for message in found if message.author.bot and not message.flags.ephemeral]

    def last(self, room: ChannelHandle | None = None) -> discord.Message:
        """The newest public message of a channel."""
        return self.messages(room)[-1]

    def newest(self, label: str, room: ChannelHandle | None = None) -> discord.Message:
        """The newest public message with a button of that label."""
        found = [message for message in self.messages(room) if label in labels(message)]
        assert found, f"no message with {label!r}"
        return found[-1]

    def card(self, check: str = "", room: ChannelHandle | None = None) -> discord.Message:
        """The public card of a check as it is now; of the newest one where none is named."""
        found = [message for message in self.messages(room) if is_layout(message)]
        mine = [message for message in found if _CHECK.search(texts(message))]
        if check:
            mine = [
                message for message in mine if f"check {check} " in f"{texts(message)} ".casefold()
            ]
        assert mine, f"no card of {check or 'any check'}"
        return mine[-1]

    def newest_card(self, room: ChannelHandle | None = None) -> discord.Message:
        """The newest public card of a check."""
        return self.card(room=room)

    def visible_to(self, who: MemberActor) -> list[str]:
        """All texts this person can see in the channels of the server."""
        rooms = [room for room in (self.zone, self.gm_room) if self.may_read(who, room.id)]
        return [texts(m) for room in rooms for m in room.history(viewer=who)]

    def may_read(self, who: MemberActor, channel_id: int) -> bool:
        """Whether somebody can read a channel."""
        return can_access_channel(self.env, channel_id, who, history=True)

    def told(self, who: MemberActor) -> str:
        """Everything that was ever sent where this person could see it, with ids of things left
        out.
        """
        found = [
            json.dumps(request.json, ensure_ascii=False)
            for request in self.env.http_requests
            if isinstance(request.json, dict) and self.reaches(who, request)
        ]
        return _IDS.sub("", "\n".join(found))

    def reaches(self, who: MemberActor, request: HttpLogEntry) -> bool:
        """Whether somebody can see what a request says."""
        pieces = request.path.strip("/").split("/")
        if pieces[0] == "channels":
            return self.may_read(who, int(pieces[1]))
        backend = self.env.backend
        body = request.json or {}
        if pieces[0] == "interactions":
            record = backend.interactions[int(pieces[1])]
            kind, data = body.get("type"), body.get("data") or {}
            if kind in (8, 9):  # suggestions and dialogs
                return record.user_id == who.id
            message = record.source_message_id if kind in (6, 7) else None
        elif pieces[0] == "webhooks" and pieces[2] in backend.webhook_tokens:
            webhook = backend.webhooks[backend.webhook_tokens[pieces[2]]]
            thread = request.params.get("thread_id")
            return self.may_read(who, int(thread or webhook.channel_id))
        elif pieces[0] == "webhooks":
            record = backend.interactions[backend.interaction_tokens[pieces[2]]]
            data = body
            message = record.message_id if request.method == "PATCH" else None
        else:
            return False
        if message is not None:
            stored = backend.messages[record.channel_id].get(message)
            return stored is None or stored.visible_to(who.id)
        if int(data.get("flags") or 0) & 64:
            return record.user_id == who.id
        return self.may_read(who, record.channel_id)

    # --- what no client would do ------------------------------------------------------------------

    def emit(
        self,
        who: MemberActor,
        custom_id: str,
        message: Any = None,
        values: tuple[str, ...] | None = None,
    ) -> InteractionResult:
        """Press something without waiting for what comes of it, also what this person could not
        see.

        `await world.env.settle()` lets the bot react. Without `message` the whole channel is read.
        """
        backend = self.env.backend
        data: dict[str, Any] = {"custom_id": custom_id, "component_type": ComponentType.BUTTON}
        if values is not None:
            data |= {"component_type": ComponentType.STRING_SELECT, "values": list(values)}
        source = message or self.last()
        record, payload = base_payload(
            backend,
            type=InteractionType.MESSAGE_COMPONENT,
            channel_id=self.zone.id,
            guild_id=self.guild.id,
            user_id=who.id,
            data=data,
        )
        stored = backend.get_message(self.zone.id, source.id)
        payload["message"] = dict(serializers.message_payload(backend, stored))
        record.source_message_id = stored.id
        backend.emit("INTERACTION_CREATE", payload)
        return InteractionResult(self.env, record)

    def emit_modal(self, who: MemberActor, custom_id: str, **inputs: str) -> InteractionResult:
        """Send a dialog in without waiting for what comes of it."""
        backend = self.env.backend
        rows = [
            {"type": 18, "id": number, "component": {"type": 4, "custom_id": key, "value": value}}
            for number, (key, value) in enumerate(inputs.items(), 1)
        ]
        record, payload = base_payload(
            backend,
            type=InteractionType.MODAL_SUBMIT,
            channel_id=self.zone.id,
            guild_id=self.guild.id,
            user_id=who.id,
            data={"custom_id": custom_id, "components": rows},
        )
        backend.emit("INTERACTION_CREATE", payload)
        return InteractionResult(self.env, record)

    async def again(self) -> None:
        """Deliver the last interaction once more, as a gateway that resumes may do."""
        payloads = [
            payload
            for kind, name, payload in self.env.backend.transcript
            if kind == "GATEWAY" and name == "INTERACTION_CREATE"
        ]
        self.env.backend.emit("INTERACTION_CREATE", payloads[-1])
        await self.env.settle()

    # --- what the server's people do --------------------------------------------------------------

    def member(self, name: str, *roles: RoleHandle, bot: bool = False) -> MemberActor:
        """Somebody new on the server."""
        user = self.env.create_user(name, global_name=name.title(), bot=bot)
        return sure(self.guild.add_member(user, roles=list(roles)))

    def thread(self, name: str = "in the tunnel") -> ChannelHandle:
        """A thread under the channel to play in."""
        made = self.env.backend.create_thread(self.zone.id, name, self.gina.id)
        return ChannelHandle(self.env, self.guild, made)

    def let_read(self, room: ChannelHandle, whom: MemberActor | RoleHandle) -> None:
        """Let a person or a role read a channel."""
        kind = OverwriteType.ROLE if isinstance(whom, RoleHandle) else OverwriteType.MEMBER
        allow = discord.Permissions(view_channel=True).value
        self.env.backend.set_overwrite(room.id, Overwrite(whom.id, kind, allow=allow))

    def requests(self, method: str, path: str) -> list[HttpLogEntry]:
        """What the bot asked of Discord, by method and the beginning of the path."""
        return [
            request
            for request in self.env.http_requests
            if request.method == method and request.path.startswith(path)
        ]


#: Mentions, times, fingerprints and ids: they may hold any digits.
_IDS = re.compile(r"<t:\d+(?::\w)?>|\b[0-9a-f]{64}\b|\d{15,}|\"nonce\": \"[^\"]*\"")


#: How the last line of a check's card names it.
_CHECK = re.compile(r"(?m)^-# (?:.* · )?check [ch]\w+", re.IGNORECASE)


def build_world(env: Env, path: Path) -> World:
    """Make the server in a running environment."""
    guild = env.create_guild("The Rim")
    leads = guild.create_role("leads", permissions=discord.Permissions(manage_channels=True))
    gina = sure(guild.add_member(env.create_user("gina", global_name="Gina"), roles=[leads]))
    ana = guild.add_member(env.create_user("ana", global_name="Ana"))
    ben = guild.add_member(env.create_user("ben", global_name="Ben"))
    zone = guild.create_text_channel("zone")
    room = secret_room(env, guild, "gm-room", gina)
    return World(env, path, guild, zone, room, gina, ana, ben)


def secret_room(env: Env, guild: GuildHandle, name: str, *readers: Any) -> ChannelHandle:
    """A channel that only the bot and these can read."""
    see = discord.PermissionOverwrite(
        view_channel=True, send_messages=True, read_message_history=True
    )
    assert env.bot.user is not None
    mine = discord.PermissionOverwrite(view_channel=True, send_messages=True, embed_links=True)
    overwrites: dict[Any, discord.PermissionOverwrite] = {
        guild.default_role: discord.PermissionOverwrite(view_channel=False),
        env.bot.user: mine,
    }
    overwrites |= dict.fromkeys(readers, see)
    return guild.create_text_channel(name, overwrites=overwrites)


# --- limits ---------------------------------------------------------------------------------------

_CUSTOM_ID = re.compile(r"sg\d*:[a-z]+(-[a-z]+)*(:[A-Za-z0-9_.+=;\- ]+)*")
#: Names and secrets that have no business in an id.
_NOT_IN_IDS = ("marek", "ilka", "sidor", "9137")


def _size(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def check_sent(env: Env) -> None:
    """Everything the bot sent keeps Discord's limits, pings nobody by accident, and has
    clean ids.
    """
    for request in env.http_requests:
        body = request.json
        if not isinstance(body, dict):
            continue
        pieces = request.path.strip("/").split("/")
        if pieces[0] == "interactions":
            kind, data = body.get("type"), body.get("data") or {}
            if kind == 8:
                _check_choices(data)
            elif kind == 9:
                _check_modal(data)
            elif kind in (4, 7):
                _check_message(data)
        elif pieces[-1] == "threads":
            assert 0 < _size(body["name"]) <= _THREAD_NAME, f"no name of a thread: {body}"
        elif pieces[0] == "webhooks" or (pieces[0] == "channels" and "messages" in pieces):
            _check_message(body)


def _check_message(data: dict[str, Any]) -> None:
    mentions = data.get("allowed_mentions")
    assert mentions is not None, f"no allowed_mentions: {data}"
    assert not mentions.get("parse"), f"pings by parsing: {data}"
    content, embeds = data.get("content") or "", data.get("embeds") or []
    if (data.get("flags") or 0) & _LAYOUT:
        assert not content and not embeds, f"a layout with more: {data}"
        assert not mentions.get("users") and not mentions.get("roles"), (
            f"a layout that pings: {data}"
        )
        _check_layout(data["components"])
        return
    assert content or embeds, f"an empty message: {data}"
    assert _size(content) <= 2000
    assert len(embeds) <= 10
    total = 0
    for embed in embeds:
        fields = embed.get("fields", [])
        assert len(fields) <= 25
        sizes = [
            (_size(embed.get("title", "")), 256),
            (_size(embed.get("description", "")), 4096),
            (_size((embed.get("footer") or {}).get("text", "")), 2048),
        ]
        for each in fields:
            assert each["name"].strip() and each["value"].strip()
            sizes += [(_size(each["name"]), 256), (_size(each["value"]), 1024)]
        assert all(size <= most for size, most in sizes), embed
        total += sum(size for size, _ in sizes)
    assert total <= 6000
    _check_components(data.get("components") or [])


def _check_layout(components: list[Any]) -> None:
    every = list(walk_components(components))
    assert 1 <= len(every) <= 40
    assert sum(_size(each.get("content", "")) for each in every) <= 4000
    assert all(each["content"].strip() for each in every if each["type"] == _TEXT), components
    rows = [dict(each) for each in every if each["type"] == 1]
    assert len(rows) <= 5
    beside = [
        {"components": [each["accessory"]]}
        for each in every
        if "custom_id" in each.get("accessory", ())
    ]
    controls: list[Any] = [*rows, *beside]
    _check_controls(controls)


def _check_components(rows: list[dict[str, Any]]) -> None:
    assert len(rows) <= 5
    _check_controls(rows)


def _check_controls(rows: list[dict[str, Any]]) -> None:
    ids: list[str] = []
    for row in rows:
        inner = row["components"]
        assert 1 <= len(inner) <= (1 if any(each["type"] != 2 for each in inner) else 5)
        for each in inner:
            ids.append(each["custom_id"])
            _check_id(each["custom_id"])
            if each["type"] == 2:
                assert 1 <= _size(each["label"]) <= 80, each
                continue
            assert _size(each.get("placeholder", "")) <= 150
            if each["type"] != 3:
                continue
            options = each["options"]
            assert 1 <= len(options) <= 25
            assert 0 <= each["min_values"] <= each["max_values"] <= len(options)
            assert len({option["value"] for option in options}) == len(options)
            assert sum(bool(option.get("default")) for option in options) <= each["max_values"]
            for option in options:
                assert 1 <= _size(option["label"]) <= 100
                assert 1 <= _size(option["value"]) <= 100
                assert _size(option.get("description") or "") <= 100
    assert len(set(ids)) == len(ids), ids


def _check_id(custom_id: str) -> None:
    assert 1 <= _size(custom_id) <= 100
    assert _CUSTOM_ID.fullmatch(custom_id), custom_id
    assert not [word for word in _NOT_IN_IDS if word in custom_id.casefold()], custom_id


def _check_modal(data: dict[str, Any]) -> None:
    assert 1 <= _size(data["title"]) <= 45
    _check_id(data["custom_id"])
    parts = list(_inputs(data["components"]))
    assert 1 <= len(parts) <= 5
    assert all(_size(row.get("description") or "") <= 100 for row in data["components"])
    for label, item in parts:
        assert 1 <= _size(label) <= 45
        assert 1 <= _size(item["custom_id"]) <= 100
        assert 1 <= item["max_length"] <= 4000
        assert _size(item.get("value") or "") <= item["max_length"]
        assert _size(item.get("placeholder") or "") <= 100


def _inputs(rows: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in rows:
        yield row["label"], row["component"]


def _check_choices(data: dict[str, Any]) -> None:
    choices = data.get("choices", [])
    assert len(choices) <= 25
    for choice in choices:
        assert 1 <= _size(choice["name"]) <= 100
        assert not isinstance(choice["value"], str) or 1 <= _size(choice["value"]) <= 100


def card(world: World, name: str = "c1") -> str:
    """What the one public card of a check says."""
    found = [texts(each) for each in world.messages() if is_layout(each)]
    mine = [each for each in found if f"check {name} " in each.casefold()]
    assert len(mine) == 1, mine
    return mine[0]
