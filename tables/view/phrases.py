"""A fixed list of phrases that players may send to each other at a table.

A seat stores its player's last phrase, for clients that poll; it expires after some seconds. There
is no free text, so nothing has to be moderated.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tables.view.context import SeatOnShow
from tables.view.schemas import SaidLine

# How long views include a phrase: several rounds of a polling client.
SAID_FOR: Final = timedelta(seconds=15)


class Phrase(StrEnum):
    """The code of a phrase, as clients send and receive it."""

    HELLO = "hello"
    GOOD_LUCK = "good_luck"
    WELL_PLAYED = "well_played"
    GOOD_GAME = "good_game"
    THANKS = "thanks"
    ONE_MOMENT = "one_moment"
    PLEASE_PLAY = "please_play"
    ONE_MORE = "one_more"
    THUMBS_UP = "thumbs_up"
    CLAP = "clap"
    SMILE = "smile"
    LAUGH = "laugh"
    SURPRISE = "surprise"
    SAD = "sad"


WORDS: Final[dict[Phrase, Promise]] = {
    Phrase.HELLO: _("Hello!"),
    Phrase.GOOD_LUCK: _("Good luck!"),
    Phrase.WELL_PLAYED: _("Well played!"),
    Phrase.GOOD_GAME: _("Good game!"),
    Phrase.THANKS: _("Thank you!"),
    Phrase.ONE_MOMENT: _("One moment"),
    Phrase.PLEASE_PLAY: _("Please play"),
    Phrase.ONE_MORE: _("One more game?"),
}
# The same in every language; the name is for screen readers.
EMOTES: Final[dict[Phrase, tuple[str, Promise]]] = {
    Phrase.THUMBS_UP: ("\N{THUMBS UP SIGN}", _("Thumbs up")),
    Phrase.CLAP: ("\N{CLAPPING HANDS SIGN}", _("Applause")),
    Phrase.SMILE: ("\N{SMILING FACE WITH SMILING EYES}", _("Smile")),
    Phrase.LAUGH: ("\N{FACE WITH TEARS OF JOY}", _("Laughter")),
    Phrase.SURPRISE: ("\N{FACE WITH OPEN MOUTH}", _("Surprise")),
    Phrase.SAD: ("\N{CRYING FACE}", _("Sadness")),
}


def text_of(phrase: Phrase) -> str:
    """Return the text shown over the seat, in the active language."""
    return EMOTES[phrase][0] if phrase in EMOTES else str(WORDS[phrase])


def spoken(phrase: Phrase) -> str:
    """Return the text that a screen reader reads, in the active language."""
    return str(EMOTES[phrase][1] if phrase in EMOTES else WORDS[phrase])


def last_said(seat: SeatOnShow, now: datetime) -> SaidLine | None:
    """Return the phrase that the seat's player has just sent, in the active language, or None."""
    if seat.said_at is None or now - seat.said_at > SAID_FOR:
        return None
    phrase = Phrase(seat.said)
    return SaidLine(phrase=phrase, text=text_of(phrase), spoken=spoken(phrase), at=seat.said_at)
