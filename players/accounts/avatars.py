"""The avatars that players choose from; each is a file of `static/img/avatars/`."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _


class Avatar(models.TextChoices):
    """A picture's name, and its text for screen readers."""

    TIGER = "tiger", _("Tiger")
    ELEPHANT = "elephant", _("Elephant")
    PEACOCK = "peacock", _("Peacock")
    OWL = "owl", _("Owl")
    PARROT = "parrot", _("Parrot")
    MONKEY = "monkey", _("Monkey")
    TURTLE = "turtle", _("Turtle")
    FISH = "fish", _("Fish")
    CAT = "cat", _("Cat")
    RABBIT = "rabbit", _("Rabbit")
    FOX = "fox", _("Fox")
    BUTTERFLY = "butterfly", _("Butterfly")
    LOTUS = "lotus", _("Lotus")
    MANGO = "mango", _("Mango")
    MARIGOLD = "marigold", _("Marigold")
    SUN = "sun", _("Smiling sun")
    MOON = "moon", _("Moon")
    KITE = "kite", _("Kite")
    LAMP = "lamp", _("Oil lamp")
    TEA = "tea", _("Cup of tea")
    DRUM = "drum", _("Drum")
    BOAT = "boat", _("Boat")
    MOUNTAIN = "mountain", _("Mountain")
    RICKSHAW = "rickshaw", _("Auto rickshaw")

    @property
    def file(self) -> str:
        """Return the path of the drawing among the static files."""
        return f"img/avatars/{self.value}.svg"


# Iterating over the class builds a list each time.
_IN_ORDER: Final = tuple(Avatar)


def avatar_of(player_id: int, chosen: str) -> Avatar:
    """Return the chosen avatar, or the account's default one if `chosen` is empty.

    Consecutive accounts, such as the practice bots, have different defaults.
    """
    return Avatar(chosen) if chosen else _IN_ORDER[player_id % len(_IN_ORDER)]


def pictures() -> dict[str, tuple[str, str]]:
    """Return the address and the text of each avatar by its name, for scripts."""
    return {each.value: (static(each.file), str(each.label)) for each in Avatar}
