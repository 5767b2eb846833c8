"""A fixed list of phrases that players may send to each other at a table.

A seat stores its player's last phrase, for clients that poll; it expires after some seconds. There
is no free text, so nothing has to be moderated.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from tables.models.seats import Seat
from tables.view.schemas import SaidLine

# How long views include a phrase: several rounds of a polling client.
SAID_FOR: Final = timedelta(seconds=15)


class Phrase(TextChoices):
    """A phrase by the code that clients send and receive; the label of an emote is its name."""

    HELLO = "hello", _("Hello!")
    GOOD_LUCK = "good_luck", _("Good luck!")
    WELL_PLAYED = "well_played", _("Well played!")
    GOOD_GAME = "good_game", _("Good game!")
    THANKS = "thanks", _("Thank you!")
    ONE_MOMENT = "one_moment", _("One moment")
    PLEASE_PLAY = "please_play", _("Please play")
    ONE_MORE = "one_more", _("One more game?")
    THUMBS_UP = "thumbs_up", _("Thumbs up")
    CLAP = "clap", _("Applause")
    SMILE = "smile", _("Smile")
    LAUGH = "laugh", _("Laughter")
    SURPRISE = "surprise", _("Surprise")
    SAD = "sad", _("Sadness")


# The pictures of emotes, the same in every language.
EMOTES: Final = {
    Phrase.THUMBS_UP: "\N{THUMBS UP SIGN}",
    Phrase.CLAP: "\N{CLAPPING HANDS SIGN}",
    Phrase.SMILE: "\N{SMILING FACE WITH SMILING EYES}",
    Phrase.LAUGH: "\N{FACE WITH TEARS OF JOY}",
    Phrase.SURPRISE: "\N{FACE WITH OPEN MOUTH}",
    Phrase.SAD: "\N{CRYING FACE}",
}


def text_of(phrase: Phrase) -> str:
    """Return the text shown over the seat, in the active language."""
    return EMOTES.get(phrase) or spoken(phrase)


def spoken(phrase: Phrase) -> str:
    """Return the text that a screen reader reads, in the active language."""
    return str(phrase.label)


def last_said(seat: Seat, now: datetime) -> SaidLine | None:
    """Return the phrase that the seat's player has just sent, in the active language, or None."""
    if seat.said_at is None or now - seat.said_at > SAID_FOR:
        return None
    phrase = Phrase(seat.said)
    return SaidLine(phrase=phrase, text=text_of(phrase), spoken=spoken(phrase), at=seat.said_at)
