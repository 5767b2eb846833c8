"""How bots answer rejoins and splits and propose splits, through the same actions as people.

A bot rejoins once in a game and declines afterwards; it takes every split, which is priced by the
drops left anyway, and proposes one only where no person is in the game any more.
"""

from __future__ import annotations

from tables.games import game_of
from tables.play import answering
from tables.settlement.models import Answer, Window
from tables.table.models import Table
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
    if window.kind == Window.Kind.SPLIT:
        return Answer.Said.YES
    if mine.seat.eliminations.filter(rejoined_at__isnull=False).exists():
        return Answer.Said.NO
    play_points.ensure_points(player=mine.seat.player, at_least=mine.amount)
    return Answer.Said.YES
