"""Books with transfers of every kind, and a reader of the journal."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from datetime import date
from http import HTTPStatus
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from finance.reports.catalogue import REPORTS
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tests.builders.books.tokens import valid_token
from tests.builders.tables.making import make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.points_tables import make_points_game, play_deal
from tests.builders.tables.pools import make_rich_player, score
from tests.builders.tournaments.tournaments import enter, make_sit_and_go, play_to_the_end
from tests.builders.wallet.adjustments import make_request, make_staff
from tests.builders.wallet.bonus_desk import give, join, settle
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, step
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import unguarded
from tournaments.planning.models import Tournament
from wallet.bonuses.models import BonusGrant
from wallet.corrections import adjustments
from wallet.ledger import posting
from wallet.ledger.models import Transfer
from wallet.withdrawals import withdrawals

SANDBOX_COLUMNS = "kind,reference,payment,currency,amount_minor,at\n"
EMPTY_UNTIL_2100 = b"date,text,amount\n2100-01-01,Interest,1.00\n"
A_DAY_EARLIER = """
    UPDATE wallet_transfer SET booked_on = booked_on - 1,
        created_at = created_at - '1 day'::interval;
    UPDATE wallet_entry SET booked_on = booked_on - 1;
"""


def a_day_passes() -> date:
    """Move everything posted so far back by a day; return the day most of it is booked on now."""
    with unguarded() as cursor:
        cursor.execute(A_DAY_EARLIER)
    return Transfer.objects.latest("booked_on").booked_on


def play_pool() -> Table:
    """A pool of three with a rake, won in one deal."""
    table = make_table(seats_min=3, seats_max=3)
    for _ in range(3):
        seating.join(table_id=table.pk, player=make_rich_player(500_00))
    return score(reread(table), 0, 101, 101)


def play_points() -> Table:
    """A points table with a rake; everybody leaves after one deal."""
    table = make_points_game(rake_bps=1_000)
    play_deal(table, 0, 40)
    for seat in Seat.objects.filter(table=table, left_at=None):
        seating.leave(seat_id=seat.pk)
    return reread(table)


def play_tournament() -> Tournament:
    tournament = make_sit_and_go(entrants_max=3)
    enter(tournament, 3)
    return play_to_the_end(tournament)


def use_bonus() -> BonusGrant:
    """A bonus pays a part of an entry that is settled, and most of it is left."""
    player = make_player()
    fund(player, deposit=200_00)
    lot = give(player, 50)
    settle(join(player, rake_bps=1_000))
    return lot


def keep_busy() -> None:
    """Post something of every kind."""
    play_pool()
    play_points()
    play_tournament()
    use_bonus()
    sent = make_sent()
    withdrawals.mark_paid(withdrawal_id=sent.pk, by=make_staff(), remark=f"UTR{sent.pk}")
    step("reject", make_withdrawal())
    make_withdrawal()
    adjustments.approve_adjustment(adjustment=make_request(), by=make_staff())
    fund(make_player(), deposit=30_00)
    posting.reverse(Transfer.objects.latest("pk"), memo="charged back")


class Desk:
    """A bookkeeper with a token for everything."""

    def __init__(self, client: Client) -> None:
        self.client = client
        text = valid_token(*(report.name for report in REPORTS))
        self.headers = {"Authorization": f"Bearer {text}"}

    def ask(self, report: str, **params: Any) -> Any:
        if report == "gateway-reconciliation" and not params.keys() & {"file", "cursor"}:
            params["file"] = self.upload(SANDBOX_COLUMNS).json()["sha256"]
        if report == "bank-reconciliation" and not params.keys() & {"file", "cursor"}:
            params["file"] = self.send_statement(EMPTY_UNTIL_2100).json()["sha256"]
        return self.client.get(reverse(f"finance-{report}"), params, headers=self.headers)

    def upload(self, content: str | bytes, provider: str = "sandbox") -> Any:
        body = content.encode() if isinstance(content, str) else content
        sent = {"provider": provider, "file": SimpleUploadedFile("content.csv", body)}
        return self.client.post(reverse("finance-gateway-files"), sent, headers=self.headers)

    def send_statement(self, body: bytes, **sent: Any) -> Any:
        sent = {"file": SimpleUploadedFile("statement.sta", body), **sent}
        return self.client.post(reverse("finance-bank-statements"), sent, headers=self.headers)

    def page(self, report: str, **params: Any) -> dict[str, Any]:
        answer = self.ask(report, limit=1_000, **params)
        assert answer.status_code == HTTPStatus.OK, answer.json()
        return answer.json()

    def file(self, report: str, **params: Any) -> bytes:
        return b"".join(self.ask(report, **params).streaming_content)

    def journal(self, **params: Any) -> list[dict[str, str]]:
        text = self.file("journal", format="csv", **params).decode()
        lines = [line for line in io.StringIO(text, newline="") if not line.startswith("# ")]
        return list(csv.DictReader(lines))


def added_up(rows: list[dict[str, str]], *names: str) -> dict[tuple[str, ...], int]:
    """Add amounts of the journal up by some of its columns."""
    sums: dict[tuple[str, ...], int] = defaultdict(int)
    for row in rows:
        sums[tuple(row[name] for name in names)] += int(row["amount_minor"])
    return dict(sums)
