"""Play points: a currency of its own beside the ISO ones, with no cash value (RB 11.3)."""

from typing import Final

from moneyed import add_currency

PLAY_POINTS: Final = "PTS"
MINOR_DIGITS: Final = 2

add_currency(
    code=PLAY_POINTS, numeric="", sub_unit=10**MINOR_DIGITS, name="Play points", countries=[]
)
