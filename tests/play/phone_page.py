"""The local page on a phone: its bars take two lines, and buttons open what they fold away.

Run it with `python -m pytest -n0 tests/play/phone_page.py`; it needs chromium. The file name
keeps it out of the tests.
"""

from __future__ import annotations

import signal
from pathlib import Path

from tests.play.browser import Page, browse
from tests.play.test_play import running, users

PHONE = (390, 844)
SMALL_PHONE = (320, 640)
DESKTOP = (1280, 800)
#: Parts that a phone folds away, and a desktop shows.
FOLDED = (
    "#messages-toggle",
    "#refresh",
    "#capture-open",
    "#inspector-toggle",
    ".session-menu",
    "#clock-bar-time",
    "#clock-bar-buttons",
)


async def is_shown(page: Page, part: str) -> bool:
    """Return whether a part of the page is drawn."""
    return await page.value(f"document.querySelector('{part}').getClientRects().length > 0")


async def top_of_conversation(page: Page) -> float:
    """Return where the conversation begins, in pixels below the top of the screen."""
    script = "document.querySelector('#channel-timeline').getBoundingClientRect().top"
    return await page.value(script)


async def is_wide(page: Page) -> bool:
    """Return whether the page or one of its bars is wider than the screen."""
    return await page.value(
        "['html', '.preview-toolbar', '.table-bars'].some((part) => {"
        " const box = document.querySelector(part); return box.scrollWidth > box.clientWidth; })"
    )


async def send(page: Page, line: str) -> None:
    """Write a line into the message box and send it."""
    await page.value("document.querySelector('#channel-composer-input').focus()")
    await page.ask("Input.insertText", text=line)
    await page.wait_for("document.querySelector('#channel-composer-input').value")
    await page.wait_for("!document.querySelector('#send-message').disabled")
    await page.value("document.querySelector('#send-message').click()")


async def press(page: Page, part: str) -> None:
    """Press a button by the keyboard, as it stands in the page's order of the Tab key."""
    await page.value(f"document.querySelector('{part}').focus()")
    assert await page.value(f"document.activeElement === document.querySelector('{part}')")
    for kind in ("keyDown", "keyUp"):
        await page.ask(
            "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r",
            windowsVirtualKeyCode=13,
        )  # fmt: skip


async def test_a_phone_gives_the_bars_a_seventh_and_keeps_everything(tmp_path: Path) -> None:
    with running(tmp_path) as table:
        table.wait_until_open()
        gm, _, _ = await users(tmp_path / "ebb.db")
        async with browse(table.url, tmp_path / "chromium") as page:
            await page.resize(*PHONE)
            await page.wait_for("document.querySelector('#place-picker')?.options.length")
            await page.wait_for("!document.querySelector('#clock-bar-buttons button').disabled")
            assert await top_of_conversation(page) <= PHONE[1] / 7
            assert not any([await is_shown(page, part) for part in FOLDED])
            assert await is_shown(page, "#viewer-picker") and await is_shown(page, "#message-menu")
            assert not await is_wide(page)
            heading = await page.value("document.querySelector('#channel-name').innerText")
            assert heading == "ebb", "a screen reader keeps the heading"
            coming = await page.value("document.querySelector('.clock-bar-next').innerText")
            assert coming == "No reminder or deadline ahead.", "a screen reader keeps the sentence"

            # Something new elsewhere takes one line, however many places there are.
            for title in ("The tunnel", "The ferry at the north lock", "A night at the drum fire"):
                table.paste(gm, f"/scene start title: {title} private: true who: Vesna")
            await page.wait_for("document.querySelectorAll('.place-bar-news button').length == 3")
            assert await top_of_conversation(page) <= PHONE[1] / 6
            assert not await is_wide(page)

            await send(page, "/gm amend entry: -1")
            note = "document.querySelector('.place-bar-note').textContent"
            await page.wait_for(f"{note}.includes('entry can')")
            await page.value("document.querySelector('#channel-composer-input').select()")
            await send(page, "/roll 2d6")
            await page.wait_for("document.querySelector('#view-action-output').hidden === false")
            await page.resize(*SMALL_PHONE)
            assert not await is_wide(page)
            await page.resize(*PHONE)

            for button in ("#toolbar .fold-button", ".clock-bar .fold-button"):
                assert (
                    await page.value(f"document.querySelector('{button}').ariaExpanded") == "false"
                )
                await press(page, button)
                assert (
                    await page.value(f"document.querySelector('{button}').ariaExpanded") == "true"
                )
            assert all([await is_shown(page, part) for part in FOLDED])
            assert not await is_wide(page)

            await page.resize(*DESKTOP)
            assert all([await is_shown(page, part) for part in (*FOLDED, ".channel-header")])
            assert not await is_shown(page, ".clock-bar .fold-button")
            assert not await is_shown(page, "#toolbar .fold-button")


async def test_the_answer_to_a_messages_menu_is_in_sight(tmp_path: Path) -> None:
    with running(tmp_path) as table:
        table.wait_until_open()
        async with browse(table.url, tmp_path / "chromium") as page:
            await page.resize(390, 500)
            await page.wait_for("document.querySelector('#message-menu')?.disabled === false")
            messages = "#channel-message-list article[data-message-id]"
            message = f"document.querySelector('{messages}')"
            await page.wait_for(message)
            timeline = "document.querySelector('#channel-timeline')"
            await page.value(f"{timeline}.scrollTop = 0")
            await page.wait_for(f"{timeline}.scrollTop === 0")
            await page.value(f"document.querySelector('#message-menu').click(); {message}.click()")
            commands = "[...document.querySelectorAll('#message-menu-commands button')]"
            named = "(button) => button.textContent === 'Who said this'"
            await page.value(f"{commands}.find({named}).click()")
            await page.wait_for(f"document.querySelectorAll('{messages}').length > 1")
            below = f"{timeline}.scrollHeight - {timeline}.scrollTop - {timeline}.clientHeight"
            await page.wait_for(f"{timeline}.scrollTop > 0 && {below} <= 1")
        assert table.stop(signal.SIGTERM) == (0, "")
