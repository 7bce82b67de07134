"""Draws the pictures of README and docs: real messages of the sample tables, as Discord shows them.

Run it with `python -m pytest -n0 tests/discord/pictures.py`; it needs chromium and the font Noto
Sans (`apt-get install chromium fonts-noto-core`). The file name keeps it out of the tests. Each run
draws the same pictures, byte for byte, as the tables' seeds come from the tests' names.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from PIL import Image, ImageChops
from simcord.actors import MemberActor

from bot.samples import load_sample
from tests.discord.sample_tables import open_sample, sample_people
from tests.discord.test_speech import let
from tests.discord.world import DAY, HOUR, MINUTE, World, labels, message_of, texts, virtual_clock

IMAGES: Final = Path(__file__).resolve().parents[2] / "docs/images"
#: The width of a message, and how many pixels each of its points has.
WIDTH: Final = 400
SCALE: Final = 2
#: The width of a phone's screen.
PHONE: Final = 390
#: Room to the right of a message, where nothing of it may show.
BESIDE: Final = 100
#: Most bytes of a picture at the width of a phone.
HEAVIEST: Final = 80_000
#: The font of the pictures; another one breaks lines elsewhere.
FONT: Final = "Noto Sans"
#: The tallest page that is drawn; what is left below the message is cut off.
TALLEST: Final = 2400
#: The color around a message, which no message has.
AROUND: Final = (255, 0, 255)
COLORS: Final = 128

STYLE: Final = """
* { box-sizing: border-box; margin: 0; padding: 0; }
body { background: rgb(255, 0, 255); color: #dbdee1;
  font: 16px/1.375 'Noto Sans', 'DejaVu Sans', sans-serif; }
main { width: %dpx; background: #393a41; border-left: 4px solid #80848e; padding: 16px;
  display: grid; gap: 8px; }
h2 { font-size: 20px; line-height: 1.3; color: #fff; }
h3 { font-size: 17px; line-height: 1.3; color: #fff; }
ul { padding-left: 20px; }
small { font-size: 13px; color: #a5a7ad; display: block; }
b { color: #fff; }
code { background: #2b2d31; border-radius: 4px; padding: 0 4px; font-size: 14px; }
blockquote { border-left: 4px solid #65666c; padding-left: 12px; }
hr { border: none; border-top: 1px solid #4e5058; }
.mention { background: #3f4372; color: #c9cdfb; border-radius: 3px; padding: 0 2px; }
.row { display: flex; flex-wrap: wrap; gap: 8px; }
.row span { border-radius: 8px; padding: 6px 14px; font-size: 14px; font-weight: 500;
  background: #4e5058; color: #fff; }
.row .primary { background: #5865f2; }
.row .success { background: #00863a; }
.row .danger { background: #d22d39; }
.row .off { opacity: .5; }
.menu { background: #2b2d31; border: 1px solid #4e5058; border-radius: 8px; padding: 8px 12px;
  font-size: 15px; display: flex; justify-content: space-between;
  width: 100%%; }
.section { display: flex; justify-content: space-between; align-items: center; gap: 12px; }
.section .row { flex-shrink: 0; }
img { max-width: 100%%; border-radius: 8px; display: block; }
.between { width: %dpx; height: 12px; background: #313338; }
.spoken { background: #313338; border-color: #313338; gap: 2px; }
.spoken i { font-style: normal; font-size: 11px; border-radius: 4px; padding: 1px 4px;
  background: #5865f2; color: #fff; }
.thread { background: #2b2d31; border-radius: 8px; padding: 8px 12px; font-size: 14px; }
"""
#: Units of spans, in seconds.
_UNITS: Final = ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))
#: The time of day at which play begins, in seconds.
_EVENING: Final = 18 * HOUR + 15 * MINUTE
BUTTON: Final = 2
#: The look of each style of button.
BUTTONS: Final = {1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "secondary"}


# --- a message as HTML ----------------------------------------------------------------------------


def _inline(text: str, names: Mapping[str, str]) -> str:
    found = html.escape(text, quote=False)
    found = re.sub(r"\\([\\*_`~|>#\[\]()-])", lambda escaped: f"&#{ord(escaped[1])};", found)
    found = re.sub(r"`([^`]+)`", r"<code>\1</code>", found)
    found = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", found)
    found = re.sub(r"\*(.+?)\*", r"<i>\1</i>", found)
    found = re.sub(
        r"&lt;@!?(\d+)&gt;",
        lambda person: f'<span class="mention">@{html.escape(names.get(person[1], "you"))}</span>',
        found,
    )
    found = re.sub(r"&lt;(/[\w -]+):\d+&gt;", r'<span class="mention">\1</span>', found)
    found = re.sub(r"~~(.+?)~~", r"<s>\1</s>", found)
    found = re.sub(r"&lt;t:(\d+):(\w)&gt;", lambda time: _time(int(time[1]), time[2]), found)
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", found)


def _time(at: int, style: str) -> str:
    """Return a time as Discord writes it in English."""
    if style == "R":
        return _relative_time(at - virtual_clock())
    moment = datetime.fromtimestamp(at, UTC)
    clock = f"{moment:%I:%M %p}".removeprefix("0")
    date = f"{moment:%B} {moment.day}, {moment.year}"
    return {"t": clock, "f": f"{date} at {clock}", "F": f"{moment:%A}, {date} at {clock}"}[style]


def _relative_time(seconds: int) -> str:
    """Return a span from now on, or until now if it's negative."""
    span = abs(seconds)
    size, unit = next((each for each in _UNITS if span >= each[0]), (1, "second"))
    count = round(span / size)
    text = f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    return f"in {text}" if seconds > 0 else f"{text} ago"


def _markdown(text: str, names: Mapping[str, str]) -> str:
    blocks: list[str] = []
    for line in text.split("\n"):
        marks = {"## ": "h2", "### ": "h3", "-# ": "small", "> ": "blockquote"}
        mark = next((mark for mark in marks if line.startswith(mark)), None)
        if mark is not None:
            blocks.append(f"<{marks[mark]}>{_inline(line[len(mark) :], names)}</{marks[mark]}>")
        elif line.startswith("- "):
            blocks.append(f"<ul><li>{_inline(line[2:], names)}</li></ul>")
        else:
            blocks.append(f"<p>{_inline(line, names) or '&nbsp;'}</p>")
    return "".join(blocks)


def _control(part: Mapping[str, Any]) -> str:
    if part["type"] == BUTTON:
        look = BUTTONS[part["style"]] + (" off" if part.get("disabled") else "")
        return f'<span class="{look}">{html.escape(part.get("label") or "")}</span>'
    chosen = [each["label"] for each in part.get("options", ()) if each.get("default")]
    shown = ", ".join(chosen) or part.get("placeholder") or ""
    return f'<div class="menu"><div>{html.escape(shown)}</div><div>⌄</div></div>'


def _pieces(parts: Iterable[Mapping[str, Any]], names: Mapping[str, str], files: Path) -> str:
    found: list[str] = []
    for part in parts:
        match part["type"]:
            case 1:
                controls = "".join(map(_control, part["components"]))
                found.append(f'<div class="row">{controls}</div>')
            case 10:
                found.append(f"<div>{_markdown(part['content'], names)}</div>")
            case 9:
                inner = _pieces(part["components"], names, files)
                beside = _control(part["accessory"]) if part["accessory"]["type"] == BUTTON else ""
                found.append(
                    f'<div class="section"><div>{inner}</div><div class="row">{beside}</div></div>'
                )
            case 12:
                for item in part["items"]:
                    name = str(item["media"]["url"]).rsplit("/", 1)[-1]
                    found.append(f'<img src="{(files / name).as_uri()}">')
            case 14:
                found.append("<hr>" if part.get("divider", True) else "")
            case 17:
                found.append(_pieces(part["components"], names, files))
            case _:
                raise ValueError(part["type"])
    return "".join(found)


# --- a picture ------------------------------------------------------------------------------------


class Painter:
    """Draws messages of one world."""

    def __init__(self, world: World, folder: Path, people: Mapping[str, str]) -> None:
        self.world, self.folder, self.people = world, folder, people

    def draw(self, name: str, *messages: Any, width: int = WIDTH) -> None:
        """Write the picture of messages, one below the other, to docs/images.

        At the width of a phone it may not be too heavy.
        """
        page = self.folder / f"{name}.html"
        style = STYLE % (width, width)
        body = '<div class="between"></div>'.join(map(self._message, messages))
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><style>{style}</style>{body}',
            encoding="utf-8",
        )
        picture = IMAGES / f"{name}.png"
        self._shoot(page, picture, width)
        assert width != PHONE or picture.stat().st_size < HEAVIEST, f"{name} is too heavy"

    def _message(self, message: Any) -> str:
        """Return a message as HTML, with the thread that hangs on it."""
        parts = [
            dict(each) if isinstance(each, dict) else each.to_dict() for each in message.components
        ]
        self._save_files(message)
        accent = next((each.get("accent_color") for each in parts if "accent_color" in each), None)
        body = _pieces(parts, self.people, self.folder)
        if message.content:
            body = f"<div>{_markdown(message.content, self.people)}</div>{body}"
        if getattr(message, "webhook_id", None) is not None:
            name = html.escape(message.author.name)
            return f'<main class="spoken"><div><b>{name}</b> <i>APP</i></div>{body}</main>'
        for thread in self.world.zone.threads:
            if thread.id == message.id:
                name = html.escape(thread.name or "")
                body += f'<div class="thread"><b>{name}</b> Open thread ›</div>'
        edge = f"border-color: #{accent:06x}" if accent is not None else ""
        return f'<main style="{edge}">{body}</main>'

    def _save_files(self, message: Any) -> None:
        for file in message.attachments:
            data = self.world.env.backend.cdn.get(file.url)
            assert data is not None, file.url
            (self.folder / file.filename).write_bytes(data)

    def _shoot(self, page: Path, picture: Path, width: int) -> None:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        assert chromium is not None, "Drawing needs chromium: apt-get install chromium"
        match = subprocess.run(["fc-match", FONT], check=True, capture_output=True, text=True)
        assert FONT in match.stdout, f"Drawing needs {FONT}: apt-get install fonts-noto-core"
        shot = self.folder / "shot.png"
        command = [chromium, "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
        command += [f"--user-data-dir={self.folder / 'profile'}", f"--screenshot={shot}"]
        command += [
            f"--force-device-scale-factor={SCALE}",
            f"--window-size={width + BESIDE},{TALLEST}",
        ]
        subprocess.run([*command, page.as_uri()], check=True, capture_output=True, timeout=120)
        with Image.open(shot) as drawn:
            image = drawn.convert("RGB")
        box = ImageChops.difference(image, Image.new("RGB", image.size, AROUND)).getbbox()
        assert box is not None and box[3] < TALLEST * SCALE, f"{page.name} is too tall"
        assert box[2] == width * SCALE, f"{page.name} has to be scrolled sideways"
        image.crop(box).quantize(COLORS).save(picture, optimize=True)


# --- what is drawn --------------------------------------------------------------------------------


@pytest.fixture
def painter(world: World, tmp_path: Path) -> Callable[..., Painter]:
    def of(names: tuple[str, ...], people: tuple[MemberActor, ...] = ()) -> Painter:
        people = people or (world.gina, world.ana, world.ben)
        ids = {str(person.id): name for person, name in zip(people, names, strict=True)}
        return Painter(world, tmp_path, ids)

    return of


@pytest_asyncio.fixture(autouse=True)
async def evening(world: World) -> None:
    await world.env.advance_time(_EVENING)


def _names(sample: Any) -> tuple[str, ...]:
    return (sample.gm, *(player.name for player in sample.players))


async def _accept(world: World) -> None:
    """Let the newest result stand, by every player who is waited for."""
    for person in (world.ana, world.ben, world.gina):
        for label in ("Accept result", "Pass"):
            if label in labels(world.card()):
                await world.press(person, world.card(), label)


async def test_ebb(
    world: World, painter: Callable[..., Painter], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, _ = await open_sample(world, "ebb", monkeypatch)
    paint = painter(_names(sample))
    await world.propose(
        skill="Climbing", attribute="Fitness", approach="over the wet concrete with a hook"
    )
    paint.draw("proposal", world.card())
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Tricky")
    paint.draw("answer", panel)
    await world.rule(panel, level=None)
    world.dice.lay(9, 6)
    await world.press(world.ana, world.card(), "Roll")
    paint.draw("ebb", world.card())
    await world.propose(skill="Climbing", attribute="Fitness", approach="up the rusted chain")
    await world.rule()
    world.dice.lay(4, 2)
    await world.press(world.ana, world.card(), "Roll")
    paint.draw("react", message_of(await world.press(world.ana, world.card(), "Step in")))


async def test_barmore(
    world: World, painter: Callable[..., Painter], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, _ = await open_sample(world, "barmore", monkeypatch)
    paint = painter(_names(sample))
    odds = await world.ana.slash(world.zone, "odds", check="c1")
    paint.draw("barmore-odds", message_of(odds))
    panel = message_of(await world.press(world.ana, world.card("c1"), "Roll"))
    paint.draw("barmore-roll", panel)
    world.dice.lay(8, 7, 6, 8, 5, 3, 7, 6, 4, 8)
    await world.press(world.ana, panel, next(each for each in labels(panel) if "Roll d8" in each))
    paint.draw("barmore", world.card("c1"))


async def test_ego(
    world: World, painter: Callable[..., Painter], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, _ = await open_sample(world, "ego", monkeypatch)
    paint = painter(_names(sample))
    await world.gina.slash(world.zone, "initiative next")
    paint.draw("ego-round", world.newest("Join"))
    await world.gina.slash(
        world.zone,
        "attack",
        target="Tamsin Roe",
        approach="brings the sign down",
        **{"as": "Gorrum"},
    )
    call = world.newest("Defend")
    panel = message_of(await world.press(world.ana, call, "Defend"))
    paint.draw("ego-defend", panel)
    world.dice.lay(*(5, 4, 2, 1, 3, 4, 2), *(5, 6, 5, 2, 6), *(4, 5, 2, 3))
    await world.press(world.ana, panel, next(each for each in labels(panel) if "Parry" in each))
    await _accept(world)
    paint.draw("ego", world.card())


async def test_masterbook(
    world: World, painter: Callable[..., Painter], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, _ = await open_sample(world, "masterbook", monkeypatch)
    paint = painter(_names(sample)[:3])
    await world.gina.slash(world.zone, "initiative next")
    paint.draw("masterbook-hand", message_of(await world.ana.slash(world.zone, "card hand")))
    paint.draw("masterbook-flip", world.newest("Join"))
    paint.draw("masterbook-sheet", message_of(await world.ana.slash(world.zone, "character show")))
    await world.gina.slash(world.zone, "initiative end")
    world.dice.lay(6, 5)
    await world.ana.slash(
        world.zone, "check", skill="Stealth", approach="past the lamp", difficulty="10"
    )
    paint.draw("masterbook-check", world.card())
    await _accept(world)
    world.dice.lay(9, 10, 7)
    await world.ana.slash(
        world.zone, "attack", target="Thug 1", weapon="Knife", approach="low, under his arm"
    )
    await _accept(world)
    paint.draw("masterbook", world.card())


async def test_masterbook_effects(
    world: World, painter: Callable[..., Painter], monkeypatch: pytest.MonkeyPatch
) -> None:
    people = sample_people(world, load_sample("masterbook"))
    sample, _ = await open_sample(world, "masterbook", monkeypatch, people)
    paint, emil = painter(_names(sample), people), people[3]
    await world.gina.slash(world.zone, "initiative end")
    panel = message_of(await emil.slash(world.zone, "effect build", like="Illusionary Fireball"))
    await world.choose(emil, panel, "Go to a step", "conditions")
    paint.draw("masterbook-effect", panel)
    world.dice.lay(4, 2)
    cast = await emil.slash(
        world.zone,
        "effect cast",
        effect="Brine Lash",
        target="Thug 2",
        **{"with": "components, meters 8"},
    )
    paint.draw("masterbook-cast", cast.response)


# --- by post --------------------------------------------------------------------------------------

SCENE: Final = "The dark bank"
CALL: Final = {
    "skill": "Keeping calm",
    "attribute": "Willpower",
    "difficulty": "Tricky",
    "text": "The lights on the far bank go out, one after another.",
    "seal": "One of them is signaling. It's the ferry crew's own code.",
    "until": "2 days",
}
WORDS: Final = "Nobody moves. That's our own signal, and we never taught it to anybody."


async def test_scene(
    world: World, painter: Callable[..., Painter], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scene in a thread, a call in it, its sealed text, and what a character says there."""
    sample, _ = await open_sample(world, "ebb", monkeypatch)
    paint = painter(_names(sample))
    scene = {"title": SCENE, "who": "Vesna Orlik, Nour Haddad", "where": "thread"}
    await world.gina.slash(world.zone, "scene start", **scene)
    await world.env.settle()
    (thread,) = world.zone.threads
    begins = next(each for each in world.messages() if each.id == thread.id)
    paint.draw("scene", begins, width=PHONE)
    await world.gina.slash(thread, "gm call", **CALL)
    call = next(each for each in world.messages(thread) if "**Nour Haddad:**" in texts(each))
    world.dice.lay(8, 5)
    rolled = await world.press(world.ana, call, "Roll")
    (sealed,) = rolled.followups
    paint.draw("call", next(each for each in thread.history() if each.id == call.id), width=PHONE)
    paint.draw("sealed-text", message_of(rolled), sealed, width=PHONE)
    let(world, world.bot.user, manage_webhooks=True)
    await world.ana.slash(thread, "say", text=WORDS)
    await world.env.settle()
    said = thread.history()[-1]
    who = await world.ana.context_menu(thread, "Who said this", said)
    paint.draw("said", said, message_of(who), width=PHONE)


async def test_correction(
    world: World, painter: Callable[..., Painter], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A difficulty of 22 that should have been 10, after two re-rolls."""
    sample, _ = await open_sample(world, "ebb", monkeypatch)
    paint = painter(_names(sample))
    await world.propose(
        skill="Climbing", attribute="Fitness", approach="over the wet concrete with a hook"
    )
    await world.rule(level="Legendary")
    ruling = await world.revision()
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    await world.press(world.ana, panel, "Wait for me (Vesna Orlik)")
    world.dice.lay(3, 2)
    await world.press(world.ana, world.card(), "Roll")
    for label, face in (("React", 7), ("Step in", 5)):
        panel = message_of(await world.press(world.ana, world.card(), label))
        world.dice.lay(face)
        await world.press(world.ana, panel, "Re-roll d8")
        await _accept(world)
    correction = {"entry": ruling, "change": "difficulty: Tricky", "reason": "read the wrong row"}
    preview = message_of(await world.gina.slash(world.zone, "gm amend", **correction))
    paint.draw("correction-preview", preview, width=PHONE)
    await world.press(world.gina, preview, "Change it")
    await world.env.settle()
    paint.draw("correction", world.last(), width=PHONE)


async def test_pace(
    world: World, painter: Callable[..., Painter], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three checks of Vesna, one of Nour, and a check that waits for its roll."""
    jonas, tilda = world.member("Jonas"), world.member("Tilda")
    people = (world.gina, jonas, tilda)
    sample, _ = await open_sample(world, "ebb", monkeypatch, people)
    paint = painter(_names(sample), people)
    climb = {"skill": "Climbing", "attribute": "Fitness", "as": "Vesna Orlik"}
    watch = {"skill": "Night watch", "attribute": "Alertness", "as": "Nour Haddad"}
    for who, options, hours in (
        (jonas, climb, 2),
        (jonas, climb, 5),
        (jonas, climb, 3),
        (tilda, watch, 20),
    ):
        await world.propose(who, **options)
        await world.env.advance_time(4 * HOUR)
        await world.rule()
        await world.env.advance_time(hours * HOUR)
        await world.press(who, world.card(), "Roll")
    await world.propose(tilda, **watch)
    await world.rule()
    await world.env.advance_time(9 * HOUR)
    paint.draw("pace", message_of(await world.gina.slash(world.zone, "table pace")), width=PHONE)
