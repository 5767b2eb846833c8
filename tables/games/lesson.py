"""How a family's games are played, in pictures: what the page of a first lesson shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """Cards in groups, as `templates/tables/_arrangement.html` draws them, and what they are."""

    cards: str
    caption: str
    is_good: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the page; its name is its address there."""

    name: str
    title: str
    sentences: tuple[str, ...]
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    parts: tuple[Part, ...]
    wild: str = ""
    """The rank of the wild cards in the pictures; "" where there are none."""
