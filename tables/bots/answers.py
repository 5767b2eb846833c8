"""Bots' answers to rejoins and splits, and their proposals, through the same actions as people's.

A strong bot compares the price or the share with its chance to win the pool. Others rejoin once per
game and accept every split, which is priced by drops left. Bots propose splits only if no person is
left in the game.
"""

from __future__ import annotations

from tables.games import game_of
from tables.models.tables import Table
from tables.models.templates import BotStrength
from tables.play import answering
from tables.settlement.models import Answer, Window
from tables.state.snapshot import TableSnapshot
from wallet.bonuses import play_points


def is_asked(table: Table) -> bool:
    """Return whether a bot of the table owes an answer or should propose a split."""
    return table.phase in (Table.Phase.BETWEEN, Table.Phase.REJOIN, Table.Phase.SPLIT)


def answer_or_propose(snapshot: TableSnapshot) -> bool:
    """Let one bot answer or propose; return whether another bot may be due."""
    table = snapshot.table
    if table.phase == Table.Phase.BETWEEN:
        questions = game_of(table).questions
        proposer = questions.bot_to_propose(snapshot) if questions else None
        if proposer is not None:
            answering.propose_split(seat_id=proposer.pk)
        return proposer is not None
    window = Window.objects.open().filter(table=table).first()
    if window is None:
        return False
    # Players may be on other nodes than tables (docs/adr/0009), so they are not joined.
    awaited = window.answers.awaited().select_related("seat").prefetch_related("seat__player")
    mine = next((answer for answer in awaited if answer.seat.player.is_site_bot), None)
    if mine is None:
        return False
    window.table, mine.window = table, window
    said = _choice(window, mine)
    answering.answer(seat_id=mine.seat_id, window_id=window.public_id, said=said)
    return True


def _choice(window: Window, mine: Answer) -> Answer.Said:
    is_strong = window.table.bot_strength == BotStrength.STRONG
    questions = game_of(window.table).questions
    assert questions is not None, f"{window} is at a table whose game has no windows"
    if is_strong and not questions.is_worth_yes(window, mine):
        return Answer.Said.NO
    if window.kind == Window.Kind.SPLIT:
        return Answer.Said.YES
    if not is_strong and mine.seat.eliminations.filter(rejoined_at__isnull=False).exists():
        return Answer.Said.NO
    play_points.ensure_points(player=mine.seat.player, at_least=mine.amount)
    return Answer.Said.YES
