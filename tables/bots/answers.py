"""How bots answer rejoins and splits and propose splits, through the same actions as people.

A strong bot rejoins and splits where its chance to win the pool is worth less or more than that.
Others rejoin once in a game and decline afterwards, and take every split, which is priced by the
drops left anyway. A bot proposes one only where no person is in the game any more.
"""

from __future__ import annotations

import rummy
from rummy.bots import between
from tables.games import game_of
from tables.games.thirteen.cards import thirteen_rules
from tables.play import answering
from tables.settlement.models import Answer, Window
from tables.table.models import Table
from tables.table.profile_models import BotStrength
from tables.table.rules import rules_of
from tables.table.seat_models import BuyIn
from wallet.bonuses import play_points


def is_asked(table: Table) -> bool:
    """Return whether the table's bots are due to answer, or to propose."""
    return table.phase in (Table.Phase.BETWEEN, Table.Phase.REJOIN, Table.Phase.SPLIT)


def answer_or_propose(table: Table) -> bool:
    """Let one bot answer or propose; return whether another may have something to say."""
    if table.phase == Table.Phase.BETWEEN:
        proposer = game_of(table).bot_to_propose(table)
        if proposer is not None:
            answering.propose_split(seat_id=proposer.pk)
        return proposer is not None
    window = Window.objects.open().filter(table=table).first()
    owed = window.answers.awaited().of_house_bots() if window else None
    mine = owed.select_related("seat__player").first() if owed is not None else None
    if window is None or mine is None:
        return False
    window.table, mine.window = table, window
    said = _choice(window, mine)
    answering.answer(seat_id=mine.seat_id, window_id=window.public_id, said=said)
    return True


def _choice(window: Window, mine: Answer) -> Answer.Said:
    is_strong = window.table.bot_strength == BotStrength.STRONG
    if window.kind == Window.Kind.SPLIT:
        return Answer.Said.YES if not is_strong or _splits(window, mine) else Answer.Said.NO
    if is_strong:
        if not _rejoins(window.table, mine):
            return Answer.Said.NO
    elif mine.seat.eliminations.filter(rejoined_at__isnull=False).exists():
        return Answer.Said.NO
    play_points.ensure_points(player=mine.seat.player, at_least=mine.amount)
    return Answer.Said.YES


def _splits(window: Window, mine: Answer) -> bool:
    """Return whether what the split pays is worth more to the bot than playing on."""
    answers = list(window.answers.all())
    return between.splits(
        thirteen_rules(rules_of(window.table.profile)),
        [answer.total for answer in answers],
        own=answers.index(mine),
        offered=mine.amount_minor,
        prize=sum(answer.amount_minor for answer in answers),
    )


def _rejoins(table: Table, mine: Answer) -> bool:
    """Return whether another entry is worth its price to the bot."""
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
