"""Draws the pictures of README and docs: real messages of the sample tables, as Discord shows them.

Run it with `python -m pytest -n0 tests/discord/pictures.py`; it needs chromium. The file name keeps
it out of the tests.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from PIL import Image, ImageChops
from simcord.actors import MemberActor

from bot.samples import load_sample
from tests.discord.sample_tables import open_sample, sample_people
from tests.discord.world import World, labels, message_of

IMAGES: Final = Path(__file__).resolve().parents[2] / "docs/images"
#: The width of a message on a phone, and how many pixels each of its points has.
WIDTH: Final = 400
SCALE: Final = 2
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
"""
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
    found = re.sub(r"&lt;t:\d+:R&gt;", "in 10 minutes", found)
    found = re.sub(r"&lt;t:\d+(?::\w)?&gt;", "20:15", found)
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", found)


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

    def draw(self, name: str, message: Any, *, width: int = WIDTH) -> None:
        """Write the picture of a message to docs/images."""
        parts = [
            dict(each) if isinstance(each, dict) else each.to_dict() for each in message.components
        ]
        self._save_files(message)
        accent = next((each.get("accent_color") for each in parts if "accent_color" in each), None)
        body = _pieces(parts, self.people, self.folder)
        if message.content:
            body = f"<div>{_markdown(message.content, self.people)}</div>{body}"
        edge = f"border-color: #{accent:06x}" if accent is not None else ""
        page = self.folder / f"{name}.html"
        style = STYLE % width
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><style>{style}</style>'
            f'<main style="{edge}">{body}</main>',
            encoding="utf-8",
        )
        self._shoot(page, IMAGES / f"{name}.png", width)

    def _save_files(self, message: Any) -> None:
        for file in message.attachments:
            data = self.world.env.backend.cdn.get(file.url)
            assert data is not None, file.url
            (self.folder / file.filename).write_bytes(data)

    def _shoot(self, page: Path, picture: Path, width: int) -> None:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        assert chromium is not None, "Drawing needs chromium: apt-get install chromium"
        shot = self.folder / "shot.png"
        command = [chromium, "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
        command += [f"--user-data-dir={self.folder / 'profile'}", f"--screenshot={shot}"]
        command += [f"--force-device-scale-factor={SCALE}", f"--window-size={width},{TALLEST}"]
        subprocess.run([*command, page.as_uri()], check=True, capture_output=True, timeout=120)
        with Image.open(shot) as drawn:
            image = drawn.convert("RGB")
        box = ImageChops.difference(image, Image.new("RGB", image.size, AROUND)).getbbox()
        assert box is not None and box[3] < TALLEST * SCALE, f"{page.name} is too tall"
        image.crop(box).quantize(COLORS).save(picture, optimize=True)


# --- what is drawn --------------------------------------------------------------------------------


@pytest.fixture
def painter(world: World, tmp_path: Path) -> Callable[..., Painter]:
    def of(names: tuple[str, ...], people: tuple[MemberActor, ...] = ()) -> Painter:
        people = people or (world.gina, world.ana, world.ben)
        ids = {str(person.id): name for person, name in zip(people, names, strict=True)}
        return Painter(world, tmp_path, ids)

    return of


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
