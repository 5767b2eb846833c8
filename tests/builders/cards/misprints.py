"""Texts with a slip in them."""

from __future__ import annotations

from hypothesis import strategies as st


def misprinted(text: str, letters: str, data: st.DataObject) -> str:
    """The text with the character at one place, any, made one of the letters."""
    place = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from(letters))
    return text[:place] + letter + text[place + 1 :]
