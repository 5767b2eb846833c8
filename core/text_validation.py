"""Validation of the characters in texts that people enter."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from core.exceptions import BadText

# Control characters, halves of surrogate pairs, separators of lines and of paragraphs.
REFUSED: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
# Embeddings, overrides and isolates turn the text that follows around: a line reads as another one.
# Joiners stay: Hindi is not written without them.
DIRECTIONS: Final = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
NONCHARACTERS: Final = frozenset("\ufffe\uffff")
PARTS: Final = " · "
NUMBERED: Final = re.compile(r"(.*\D) (\d+)")
LAYOUT: Final = frozenset("\n\r\t")


def is_one_line(text: str) -> bool:
    """Return whether a text is fit for a name, a ledger's memo, a header or a line of a log.

    >>> is_one_line("Ruby 101"), is_one_line("Ruby\\n101"), is_one_line("Ruby \\u202e101")
    (True, False, False)
    """
    return not any(
        unicodedata.category(char) in REFUSED or unicodedata.bidirectional(char) in DIRECTIONS
        for char in text
    )


def refuse_lines(text: str) -> None:
    """Raise `BadText` unless a text is one line without invisible characters."""
    if not is_one_line(text):
        raise BadText(_("Write one line, without control characters."))


def is_readable(text: str) -> bool:
    """Return whether a text of several lines is valid; line breaks and tabs are allowed."""
    return is_one_line("".join(char for char in text if char not in LAYOUT))


def printable(text: str) -> str:
    """Return a text on one line, without characters that no file of text may hold.

    Spaces and line breaks become one space each. XML has no place for U+FFFE and U+FFFF either.

    >>> printable("Ruby\\n101\\x07 \\uffff")
    'Ruby 101'
    """
    kept = (word for word in map(_without_controls, text.split()) if word)
    return " ".join(kept)


def _without_controls(text: str) -> str:
    return "".join(
        char
        for char in text
        if char not in NONCHARACTERS and unicodedata.category(char) not in REFUSED
    )


def one_line(text: str) -> None:
    """Validate a field for one line."""
    if not is_one_line(text):
        raise ValidationError(_("Write one line, without control characters."), code=BadText.code)


def readable(text: str) -> None:
    """Validate a field for several lines."""
    if not is_readable(text):
        raise ValidationError(_("Control characters cannot be sent."), code=BadText.code)


def named(text: str) -> str:
    """Return a name or note that the product itself made in the active language.

    Such texts are stored in English and marked with `gettext_noop` where they are made: names of
    variants and of the demo's tables, memos of transfers. What people typed stays as it is.
    """
    return PARTS.join(map(_part, text.split(PARTS)))


def _part(text: str) -> str:
    said = _(text) if text else ""
    if said == text and (found := NUMBERED.fullmatch(text)):
        head, number = found.groups()
        return f"{_(head)} {number}"
    return said
