"""Hands of a deck that belongs to a system: what its rules say of each card, with buttons and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, Protocol

from bot.presenters.controls import Button, Control, Drawing, Option, Picture, Select, Style
from bot.presenters.layout import Beside, Layout, Piece, laid
from bot.presenters.limits import OPTION_TEXT, clip
from bot.presenters.ruled_faces import Face, drawable, face_picture, strips_picture
from bot.presenters.text import capital, plural, user_text
from bot.presenters.words import say, say_bare
from rules.table.system import Game, Held, Pictured

#: What buttons say, where that is not what they do.
_LABELS: Final = {"pool": "To pool", "give": "Trade"}
#: The file that a picture comes in, cards on a page, and the most strips in a picture.
_FILE: Final = "cards.png"
_A_PAGE: Final = 5
_STRIPS: Final = 5


class Panel(Protocol):
    """The panel of a hand: what its buttons' ids begin with, and a button for one of its cards."""

    base: str

    def button(self, place: int, verb: str, style: Style = "secondary") -> Button: ...


def label_of(verb: str) -> str:
    """What the button for it says."""
    return _LABELS.get(verb, capital(verb))


def _face(found: Pictured) -> Face:
    scenes = tuple(
        [
            (
                say_bare(title),
                tuple(
                    [(players, say_bare(who), say_bare(word), strong) for players, who, word, strong in sides]
                ),
            )
            for title, sides in found.scenes
        ]
    )
    kind, effect = [say_bare(each) if each else "" for each in (found.when, found.about)]
    return found.name, found.number, kind, effect, scenes, tuple([say_bare(each) for each in found.lines])


def _alt(face: Face) -> str:
    """Everything that stands on a card, in words."""
    name, number, kind, effect, scenes, lines = face
    told = [f"{title}: {', '.join(f'{who} {word}' for _, who, word, _ in sides)}." for title, sides in scenes]
    words = [f"Card {number}: {name}.", kind, effect, *told, *[f"{line}." for line in lines]]
    return " ".join(filter(None, words))


def card_pictures(game: Game, cards: Iterable[str]) -> list[Picture]:
    """Cards as one picture: a single one whole, several as strips; none where a name cannot be drawn."""
    rules = game.system.cards
    faces = [_face(face) for each in cards if rules is not None and (face := rules.face(game, each))]
    if not faces or not all(map(drawable, faces)):
        return []
    if len(faces) == 1:
        return [Picture(_FILE, Drawing(face_picture, (faces[0],)), _alt(faces[0])[:1000])]
    found: list[Picture] = []
    for at in range(0, len(faces), _STRIPS):
        page = tuple([(name, number, effect) for name, number, _, effect, _, _ in faces[at : at + _STRIPS]])
        alt = " ".join([f"Card {number}: {name}. {effect}" for name, number, effect in page])[:1000]
        name = _FILE if not at else f"cards-{at // _STRIPS + 1}.png"
        found.append(Picture(name, Drawing(strips_picture, (page,)), alt))
    return found


def _line(one: Held) -> str:
    return f"**{user_text(one.name)}**, {say(one.where)}\n{say(one.about)}"


def ruled_hand(hand: Panel, ruled: tuple[Held, ...], game: Game, at: int, said: str) -> Layout:
    """A page of one's cards: each with what is likeliest done with it beside it, a menu that opens one, a picture."""
    pages = -(-len(ruled) // _A_PAGE) or 1
    page = min(at // _A_PAGE, pages - 1)
    shown = range(page * _A_PAGE, min((page + 1) * _A_PAGE, len(ruled)))
    parts: list[str | Piece] = [said]
    if not ruled:
        parts.append("You hold no cards.")
    entries: list[Option] = []
    for place in shown:
        one = ruled[place]
        button = (
            hand.button(place, one.verbs[0], "primary" if one.verbs[0] == "play" else "secondary")
            if one.verbs
            else None
        )
        parts.append(_line(one) if button is None else Beside(_line(one), button))
        entries.append(Option(str(place), clip(one.name, OPTION_TEXT), say_bare(one.where)))
    pictures = card_pictures(game, [ruled[place].card for place in shown])
    rows: list[tuple[Control, ...]] = []
    if entries:
        rows.append((Select(f"{hand.base}:open", "Open a card", tuple(entries)),))
    turns = ((page - 1, "Back"), (page + 1, "More"))
    turned = [Button(f"{hand.base}:page:{to * _A_PAGE}", label) for to, label in turns if 0 <= to < pages]
    rows += [tuple(turned)] if turned else []
    counts = Counter(say_bare(one.where) for one in ruled)
    small = ", ".join([f"{number} {where}" for where, number in counts.items()])
    small += f" · page {page + 1} of {pages}" if pages > 1 else ""
    title = f"Your cards: {plural(len(ruled), 'card')}"
    return laid("own", title, *parts, *pictures, rows=tuple(rows), small=small)


def ruled_card(hand: Panel, one: Held, game: Game, place: int) -> Layout:
    """A card of one's own, large, with everything that can be done with it."""
    pictures = card_pictures(game, (one.card,))
    told = [] if pictures else [say(one.about)]
    rows: list[tuple[Control, ...]] = []
    if "give" in one.verbs:
        rows.append((Select(f"{hand.base}:give:{place}", "Offer it for a card of", kind="user"),))
    verbs = [verb for verb in one.verbs if verb != "give"]
    buttons = [hand.button(place, verb, "secondary" if n else "primary") for n, verb in enumerate(verbs)]
    rows.append((*buttons, Button(f"{hand.base}:page:{place}", "Back")))
    picture = pictures[0] if pictures else None
    return laid("own", user_text(one.name), *told, picture=picture, rows=tuple(rows), small=say(one.where))
