"""Whether a strong bot should accept a pool's offer of a rejoin or a split (RB 7)."""

from __future__ import annotations

import rummy
from rummy.bots import between
from tables.games.thirteen.cards import thirteen_rules
from tables.models.seats import BuyIn
from tables.models.tables import Table
from tables.settlement.models import Answer, Window
from tables.state.rules import rules_of


def is_worth_yes(window: Window, answer: Answer) -> bool:
    if window.kind == Window.Kind.SPLIT:
        return _splits(window, answer)
    return _rejoins(window.table, answer)


def _splits(window: Window, mine: Answer) -> bool:
    """Return whether the split pays the bot more than its expected prize."""
    answers = list(window.answers.all())
    return between.splits(
        thirteen_rules(rules_of(window.table.profile)),
        [answer.total for answer in answers],
        own=answers.index(mine),
        offered=mine.amount_minor,
        prize=sum(answer.amount_minor for answer in answers),
    )


def _rejoins(table: Table, mine: Answer) -> bool:
    """Return whether the bot's expected prize exceeds the price of another entry."""
    entry, bps = mine.amount_minor, table.rake_bps
    entries = BuyIn.objects.filter(seat__table=table).count()
    return between.rejoins(
        thirteen_rules(rules_of(table.profile)),
        list(table.seats.active().totals().values()),
        score=mine.total,
        prize=rummy.pool.prize(entries, entry, bps),
        entry=entry,
        net=rummy.pool.net_entry(entry, bps),
    )
