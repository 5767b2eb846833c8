"""The picture that other sites show beside a link to a shared deal: the winner's cards.

It has no words but the site's name, so that one picture serves all languages, and nothing about the
players.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from tables.history.sharing.public_replay import PublicReplay

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

# The size that sites with link previews ask for, drawn twice as large for smooth edges.
WIDTH: Final = 1200
HEIGHT: Final = 630
SCALE: Final = 2
CARDS_A_ROW: Final = 8
CARD: Final = (118, 166)
SUIT: Final = 64
GAP: Final = 10
GROUP_GAP: Final = 26
FELT: Final = "#2d2a6e"
EDGE: Final = "#ffc23d"
PAPER: Final = "#ffffff"
RED: Final = "#c81e3a"
BLACK: Final = "#17161f"

Point = tuple[float, float]


def groups_of(shown: PublicReplay) -> list[list[str]]:
    """Return the winner's cards as the replay's last step shows them, group by group."""
    winner = min(shown.results, key=lambda row: row.how != "won")
    hand = shown.steps[-1].hands[winner.position - 1]
    text = winner.arrangement or hand.laid or hand.hand
    return [cards for part in text.replace("/", "|").split("|") if (cards := part.split())]


def picture(shown: PublicReplay) -> bytes:
    """Return the picture as PNG."""
    from PIL import Image, ImageDraw  # Heavy, and needed by few requests.

    image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), FELT)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, (HEIGHT - 14) * SCALE, WIDTH * SCALE, HEIGHT * SCALE), EDGE)
    _text(draw, (WIDTH / 2, 82), "Pool Rummy", 68, PAPER)
    rows = _rows(groups_of(shown))
    top = (HEIGHT + 76 - len(rows) * (CARD[1] + 24)) / 2
    for at, row in enumerate(rows):
        _draw_row(draw, row, top + at * (CARD[1] + 24))
    small = image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).quantize(64)
    content = io.BytesIO()
    small.save(content, "PNG", optimize=True)
    return content.getvalue()


def _rows(groups: list[list[str]]) -> list[list[list[str]]]:
    """Return the groups in rows; a group that is too long for one row is cut."""
    rows: list[list[list[str]]] = [[]]
    for group in groups:
        for part in (group[at : at + CARDS_A_ROW] for at in range(0, len(group), CARDS_A_ROW)):
            if sum(map(len, rows[-1])) + len(part) > CARDS_A_ROW:
                rows.append([])
            rows[-1].append(part)
    return rows


def _draw_row(draw: ImageDraw, row: list[list[str]], top: float) -> None:
    cards = sum(map(len, row))
    left = (WIDTH - cards * (CARD[0] + GAP) - (len(row) - 1) * GROUP_GAP + GAP) / 2
    for group in row:
        for code in group:
            _draw_card(draw, code, left, top)
            left += CARD[0] + GAP
        left += GROUP_GAP


def _draw_card(draw: ImageDraw, code: str, left: float, top: float) -> None:
    box = (left, top, left + CARD[0], top + CARD[1])
    draw.rounded_rectangle([each * SCALE for each in box], 14 * SCALE, PAPER)
    rank, suit = code[:1].replace("T", "10"), code[1:]
    color = RED if suit in "DH" else BLACK
    middle = left + CARD[0] / 2
    if suit == "J":
        _text(draw, (middle, top + CARD[1] / 2), "JOKER", 30, RED)
        return
    _text(draw, (middle, top + 48), rank, 64, color)
    _draw_suit(draw, suit, (middle - SUIT / 2, top + 88), color)


def _draw_suit(draw: ImageDraw, suit: str, place: Point, color: str) -> None:
    """Draw a suit; the font that Pillow contains has none."""
    left, top, size = place[0] * SCALE, place[1] * SCALE, SUIT * SCALE

    def at(x: float, y: float) -> Point:
        return left + x * size, top + y * size

    def disc(x: float, y: float, radius: float) -> None:
        draw.ellipse((at(x - radius, y - radius), at(x + radius, y + radius)), color)

    if suit == "D":
        draw.polygon([at(0.5, 0), at(0.88, 0.5), at(0.5, 1), at(0.12, 0.5)], color)
    elif suit == "H":
        disc(0.27, 0.3, 0.25)
        disc(0.73, 0.3, 0.25)
        draw.polygon([at(0.06, 0.43), at(0.5, 0.3), at(0.94, 0.43), at(0.5, 1)], color)
    else:
        if suit == "S":
            disc(0.27, 0.58, 0.23)
            disc(0.73, 0.58, 0.23)
            draw.polygon([at(0.08, 0.46), at(0.5, 0), at(0.92, 0.46), at(0.5, 0.66)], color)
        else:
            disc(0.5, 0.24, 0.22)
            disc(0.25, 0.58, 0.22)
            disc(0.75, 0.58, 0.22)
            disc(0.5, 0.5, 0.14)
        draw.polygon([at(0.5, 0.5), at(0.68, 1), at(0.32, 1)], color)


def _text(draw: ImageDraw, middle: Point, text: str, size: int, color: str) -> None:
    from PIL import ImageFont

    place = (middle[0] * SCALE, middle[1] * SCALE)
    draw.text(place, text, color, ImageFont.load_default(size * SCALE), "mm")
