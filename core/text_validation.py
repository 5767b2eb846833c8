"""Validation of characters in texts that users enter."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from core.exceptions import BadText

# Control characters, lone surrogates, separators of lines and of paragraphs.
REFUSED: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
# Embeddings, overrides and isolates change the direction of the text after them, so that a line
# looks like another one. Joiners are allowed, because Hindi needs them.
DIRECTIONS: Final = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
NONCHARACTERS: Final = frozenset("\ufffe\uffff")
PARTS: Final = " · "
NUMBERED: Final = re.compile(r"(.*\D) (\d+)")
LAYOUT: Final = frozenset("\n\r\t")


def is_one_line(text: str) -> bool:
    """Return whether a text is valid as a name, a ledger memo, a header or a log line.

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
    """Return a text as one line without characters that text files must not contain.

    Runs of spaces and line breaks become one space. U+FFFE and U+FFFF are removed for XML.

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
    """Raise `ValidationError` unless a field's value is one line."""
    if not is_one_line(text):
        raise ValidationError(_("Write one line, without control characters."), code=BadText.code)


def readable(text: str) -> None:
    """Raise `ValidationError` unless a field's value is readable text of one or more lines."""
    if not is_readable(text):
        raise ValidationError(_("Remove the control characters."), code=BadText.code)


def named(text: str) -> str:
    """Translate a name or note that the product itself generated.

    Such texts are stored in English and marked with `gettext_noop` in the sources: names of
    variants and of the demo's tables, memos of transfers. Texts entered by users are returned
    unchanged.
    """
    return PARTS.join(map(_part, text.split(PARTS)))


def _part(text: str) -> str:
    said = _(text) if text else ""
    if said == text and (found := NUMBERED.fullmatch(text)):
        head, number = found.groups()
        return f"{_(head)} {number}"
    return said
