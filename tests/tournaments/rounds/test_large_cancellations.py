"""Concurrent cancellations of two large fields with the same players."""

from threading import Event, local

import pytest

from tests.builders.processes.threads import at_once
from tests.builders.processes.waiting import something_waits
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import again, make_tournament
from tournaments.lobby import registration
from tournaments.planning.models import Tournament
from tournaments.rounds import stopping
from wallet.audit.audit import row_findings
from wallet.ledger.models import Account
from wallet.stakes import stakes

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_cancellations_in_several_postings_do_not_block_each_other(monkeypatch):
    """Each waits after its first posting until the other has posted or waits for a lock."""
    monkeypatch.setattr(stopping, "BACK_AT_ONCE", 2)
    players = [make_player() for _ in range(5)]
    tournaments = [make_tournament(guarantee_minor=0) for _ in range(2)]
    for tournament, order in zip(tournaments, (players, players[::-1]), strict=True):
        for player in order:
            registration.register(tournament_id=tournament.pk, player=player)
    posted, mine = [], local()
    everybody = Event()
    really = stakes.return_stakes

    def return_stakes(**asked):
        transfer = really(**asked)
        if not hasattr(mine, "has_posted"):
            mine.has_posted = True
            posted.append(transfer)
            if len(posted) == len(tournaments):
                everybody.set()
            while not (everybody.wait(0.01) or something_waits()):
                pass
        return transfer

    monkeypatch.setattr(stakes, "return_stakes", return_stakes)

    def cancel(tournament, by):
        return lambda: stopping.cancel(tournament_id=tournament.pk, by=by, reason="Storm").state

    staff = make_player(is_staff=True)
    results = at_once([cancel(tournament, staff) for tournament in tournaments])

    assert results == [Tournament.State.CANCELLED] * 2
    for tournament in tournaments:
        escrow = again(tournament).escrow_account_id
        assert Account.objects.get(pk=escrow).balance_minor == 0
    assert row_findings() == ()
