"""The types of an illustrated lesson in a family's games."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """Cards in groups, as drawn by `templates/tables/_arrangement.html`, with a caption."""

    cards: str
    caption: str
    is_good: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the page; its name is its anchor."""

    name: str
    title: str
    sentences: tuple[str, ...]
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    parts: tuple[Part, ...]
    wild: str = ""
    """The rank of the wild cards in the pictures; "" if there are none."""
