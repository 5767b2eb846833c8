"""One A4 page of facts and sums as PDF."""

from __future__ import annotations

import io
from collections.abc import Sequence

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm

FONT, BOLD = "Helvetica", "Helvetica-Bold"
LEFT, RIGHT, LEADING = 20 * mm, 190 * mm, 6 * mm


def sheet_pdf(
    title: str,
    *,
    heading: str,
    facts: Sequence[tuple[str, str]],
    sums: Sequence[tuple[str, str]],
    total: str,
    notes: Sequence[str] = (),
) -> bytes:
    """Return a page of facts, then sums (the one labelled `total` is bold), then notes.

    The file depends only on the arguments, so it is identical in every byte each time. The standard
    fonts have no Indian scripts and no rupee sign.
    """
    from reportlab.pdfgen.canvas import Canvas  # Large, and used by few requests.

    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, pageCompression=1, lang="en", invariant=1)
    canvas.setTitle(title)
    canvas.setFont(BOLD, 16)
    canvas.drawString(LEFT, 275 * mm, heading)
    height = 262 * mm
    for label, text in facts:
        canvas.setFont(BOLD, 9)
        canvas.drawString(LEFT, height, label)
        canvas.setFont(FONT, 9)
        for line in _wrapped(text):
            canvas.drawString(70 * mm, height, line)
            height -= LEADING
    canvas.line(LEFT, height, RIGHT, height)
    for label, figure in sums:
        height -= LEADING
        canvas.setFont(BOLD if label == total else FONT, 9)
        canvas.drawString(LEFT, height, label)
        canvas.drawRightString(RIGHT, height, figure)
    height -= LEADING
    canvas.setFont(FONT, 9)
    for note in notes:
        for line in _wrapped(note, width=100):
            height -= LEADING
            canvas.drawString(LEFT, height, line)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def _wrapped(text: str, *, width: int = 70) -> list[str]:
    """Return text in lines that fit, limited to characters that the fonts have."""
    printable = text.encode("cp1252", "replace").decode("cp1252")
    lines = [""]
    for word in printable.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
