"""Checks of finished tournaments: balances, escrows at 0 and the draw."""

from __future__ import annotations

from players.notifications.models import Notification
from tournaments.rounds.draw import draw_order
from wallet.audit.audit import check_findings, row_findings
from wallet.ledger.models import Account
from wallet.stakes.models import Stake


def points_of(player):
    accounts = Account.objects.buckets_of(player).filter(currency="PTS")
    return sum(accounts.values_list("balance_minor", flat=True))


def notified(kind):
    """Return the players with a notification of this kind, and its amounts, by player."""
    rows = Notification.objects.filter(kind=kind).order_by("player")
    return list(rows.values_list("player", "amount"))


def check_the_end(tournament):
    """Check places, prizes, escrow and draw of a finished tournament (RB 10)."""
    entries = list(tournament.entries.exclude(draw_no=None).order_by("place", "draw_no"))
    expected = 1
    for place in sorted({entry.place for entry in entries}):
        tied = [entry for entry in entries if entry.place == place]
        assert place == expected
        assert {entry.tied for entry in tied} == {len(tied)}
        expected += len(tied)
    assert expected == len(entries) + 1
    assert sum(entry.prize_minor for entry in entries) == tournament.prize_minor
    assert sum(tournament.prizes.values_list("amount_minor", flat=True)) == tournament.prize_minor
    stakes = Stake.objects.filter(tournament_entry__in=entries)
    assert {stake.status for stake in stakes} == {Stake.Status.SETTLED}
    assert Account.objects.get(pk=tournament.escrow_account_id).balance_minor == 0
    assert row_findings() == ()
    assert check_findings()[0] == ()
    seed = bytes.fromhex(tournament.revealed_seed)
    drawn = {str(entry.public_id): entry.draw_no for entry in entries if not entry.is_late}
    ids = list(drawn)
    order = draw_order(seed, ids)
    assert [drawn[public_id] for public_id in order] == list(range(1, len(ids) + 1))
