"""Sentences of the rules that games of several families share."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

import rummy
from rummy.money import payouts
from wallet.ledger.money import PLAY_POINTS, as_money, as_text

EXAMPLE_ENTRY_MINOR = 100_00
EXAMPLE_RAKE_BPS = 1_000


def players_text(rules: rummy.AnyRules) -> str:
    """Return the number of players, for any family."""
    if rules.players_min == rules.players_max:
        return _("%(players)s players.") % {"players": rules.players_min}
    return _("%(least)s to %(most)s players.") % {
        "least": rules.players_min,
        "most": rules.players_max,
    }


def turns_text(rules: rummy.AnyRules) -> Iterator[str]:
    """Yield the length of a turn, for any family."""
    yield ngettext(
        "A turn lasts %(seconds)s second.",
        "A turn lasts %(seconds)s seconds.",
        rules.turn_seconds,
    ) % {"seconds": rules.turn_seconds}
    if rules.extra_seconds:
        yield ngettext(
            "Extra time of each player in a deal: %(seconds)s second.",
            "Extra time of each player in a deal: %(seconds)s seconds.",
            rules.extra_seconds,
        ) % {"seconds": rules.extra_seconds}
    else:
        yield _("There is no extra time.")


def pauses_text(rules: rummy.AnyRules) -> Iterator[str]:
    """Yield the pauses before the first deal and between deals, for any family."""
    if rules.start_seconds:
        yield ngettext(
            "Countdown to the start: %(seconds)s second.",
            "Countdown to the start: %(seconds)s seconds.",
            rules.start_seconds,
        ) % {"seconds": rules.start_seconds}
    else:
        yield _("The first deal starts as soon as enough players are seated.")
    if rules.toss_seconds:
        yield ngettext(
            "The toss is shown for %(seconds)s second.",
            "The toss is shown for %(seconds)s seconds.",
            rules.toss_seconds,
        ) % {"seconds": rules.toss_seconds}
    if not rules.gap_seconds:
        yield _("The next deal starts at once.")
        return
    yield ngettext(
        "Pause between two deals: %(seconds)s second.",
        "Pause between two deals: %(seconds)s seconds.",
        rules.gap_seconds,
    ) % {"seconds": rules.gap_seconds}
    if rules.gap_ready:
        yield _("The next deal starts early when every player has pressed “Ready”.")


def entries_text() -> Iterator[str]:
    """Yield the rules for entries of cancelled games, and an example of the rake."""
    yield _(
        "If a game is cancelled before a deal is scored, every entry is refunded in full; later "
        "the players still in the game share the entries, less the rake of those already lost."
    )
    yield _(
        "Example: of an entry of %(entry)s at a rake of %(rate)s %%, the operator keeps "
        "%(rake)s and %(net)s go into the prize."
    ) % {
        "entry": play_points(EXAMPLE_ENTRY_MINOR),
        "rate": EXAMPLE_RAKE_BPS // 100,
        "rake": play_points(payouts.rake(EXAMPLE_ENTRY_MINOR, EXAMPLE_RAKE_BPS)),
        "net": play_points(payouts.net_entry(EXAMPLE_ENTRY_MINOR, EXAMPLE_RAKE_BPS)),
    }


def play_points(minor: int) -> str:
    """Return an amount of play points as text."""
    return as_text(as_money(minor, PLAY_POINTS))
