"""The rules of a game of deals as text for players (RB 6)."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rummy import Rules
from tables.games.entries import entries_text


def of_the_game(rules: Rules) -> Iterator[str]:
    yield ngettext("One deal is played.", "%(deals)s deals are played.", rules.deals or 0) % {
        "deals": rules.deals
    }
    yield ngettext(
        "Every player starts with %(chips)s chip; losers pay their points in chips to the "
        "winner of the deal. Most chips win the prize.",
        "Every player starts with %(chips)s chips; losers pay their points in chips to the "
        "winner of the deal. Most chips win the prize.",
        rules.chips or 0,
    ) % {"chips": rules.chips}
    if rules.max_extra_deals:
        yield _("Tied players play up to %(deals)s extra deals, then share the prize.") % {
            "deals": rules.max_extra_deals
        }
    else:
        yield _("Tied players share the prize.")
    yield from entries_text()


def of_leaving() -> Iterator[str]:
    yield _("Players who leave forfeit their entry; it stays in the prize.")
