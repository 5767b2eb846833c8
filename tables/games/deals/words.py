"""The rules of a game of deals as text for players (RB 6)."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rummy import Rules
from tables.games.entries import words_of_entries


def of_the_game(rules: Rules) -> Iterator[str]:
    yield ngettext("One deal is played.", "%(deals)s deals are played.", rules.deals or 0) % {
        "deals": rules.deals
    }
    yield ngettext(
        "Everybody starts with %(chips)s chip; what losers score goes to the winner "
        "of the deal in chips. Most chips win the prize.",
        "Everybody starts with %(chips)s chips; what losers score goes to the winner "
        "of the deal in chips. Most chips win the prize.",
        rules.chips or 0,
    ) % {"chips": rules.chips}
    if rules.max_extra_deals:
        yield _(
            "Extra deals among those who tie, at most: %(deals)s. Then they share the prize."
        ) % {"deals": rules.max_extra_deals}
    else:
        yield _("Those who tie share the prize.")
    yield from words_of_entries()


def of_leaving() -> Iterator[str]:
    yield _("A player who leaves forfeits the entry; it stays in the prize.")
