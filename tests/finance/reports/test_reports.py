"""Every report agrees with sums computed from the journal alone."""

from dataclasses import dataclass
from datetime import date, timedelta

import msgspec
import pytest

from finance.reports.catalogue import REPORTS
from finance.reports.frame.periods import Period
from tables.models.tables import Table
from tests.builders.books.full_books import a_day_passes, added_up, keep_busy, play_pool
from tests.builders.books.journals import both
from tests.builders.wallet.players import fund, make_player
from tournaments.planning.models import Tournament
from wallet.bonuses.models import BonusGrant
from wallet.ledger.models import PLAYER_KINDS
from wallet.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)

OWED = {*PLAYER_KINDS, "ticket", "escrow"}


@dataclass(frozen=True)
class Busy:
    """A ledger of two days, and the journals of both days and of the first."""

    day: date
    journal: list[dict[str, str]]
    yesterdays: list[dict[str, str]]

    @property
    def by_kind(self) -> dict[tuple[str, ...], int]:
        return added_up(self.journal, "currency", "account_kind")

    @property
    def yesterday(self) -> dict[tuple[str, ...], int]:
        return added_up(self.yesterdays, "currency", "account_kind")


@pytest.mark.extended
def test_reports_of_busy_books_agree_with_the_journal(desk):
    """Check all reports on one ledger, as filling it takes longer than reading them."""
    keep_busy()
    day = a_day_passes()
    play_pool()
    busy = Busy(day, desk.journal(), desk.journal(to=day))

    assert len(busy.journal) > len(busy.yesterdays) > 40
    agree_on_balances(desk, busy)
    agree_on_rake(desk, busy)
    agree_on_games(desk, busy)
    agree_on_bonuses(desk, busy)
    agree_on_withdrawals(desk, busy)
    agree_on_corrections(desk)
    agree_with_their_shapes(desk)
    agree_in_any_language(desk)
    fast, slow = both(Period.asked(None, None, "Asia/Kolkata"))
    assert fast == slow


def agree_with_their_shapes(desk):
    """Check that rows have the described columns and types."""
    seen = set()
    for report in REPORTS:
        rows = [] if report.wants_file else desk.page(report.name)["results"]
        for row in rows:
            assert list(row) == list(report.columns)
            msgspec.convert(row, report.shape)
            seen.add(report.name)
    assert seen >= {"journal", "rake", "games", "withdrawals", "adjustments", "bonus-liability"}


def agree_in_any_language(desk):
    """Check that responses have the same bytes in every language."""

    def responses():
        sheet = desk.ask("player-liability", format="xlsx")
        assert b"".join(sheet.streaming_content).startswith(b"PK")
        text = desk.file("journal", format="beancount").split(b"\n\n", 1)[1]
        return [text, *(desk.page(name)["results"] for name in ("player-liability", "journal"))]

    in_english = responses()
    desk.headers |= {"Accept-Language": "hi"}
    assert responses() == in_english
    del desk.headers["Accept-Language"]


def agree_on_balances(desk, busy):
    trial = desk.page("trial-balance")["results"]
    closing = {(row["currency"], row["account_kind"]): row["closing_minor"] for row in trial}
    assert closing == busy.by_kind
    assert sum(minor for (currency, _), minor in busy.by_kind.items() if currency == "INR") == 0

    liability = desk.page("player-liability", to=busy.day)
    assert {
        (row["currency"], row["account_kind"]): row["balance_minor"] for row in liability["results"]
    } == {key: minor for key, minor in busy.yesterday.items() if key[1] in OWED}


def agree_on_rake(desk, busy):
    raked = [row for row in busy.journal if row["account_kind"] == "rake"]
    rake = desk.page("rake")
    shown = {}
    for row in rake["results"]:
        key = (row["day"], row["currency"])
        shown[key] = shown.get(key, 0) + row["rake_minor"]
    assert shown == added_up(raked, "booked_on", "currency")
    assert rake["totals"]["PTS"]["rake_minor"] == busy.by_kind["PTS", "rake"]
    assert sum(bool(row["tournament"]) for row in rake["results"]) == 1


def agree_on_games(desk, busy):
    escrows = added_up(busy.journal, "account_ref")
    games = desk.page("games")
    assert [row["left_minor"] for row in games["results"]] == [0, 0, 0]
    refs = {f"table:{row['game']}" for row in games["results"]}
    assert refs == {f"table:{one.public_id}" for one in Table.objects.exclude(escrow_account=None)}
    assert {escrows[ref,] for ref in refs} == {0}
    pool = games["results"][0]
    assert (pool["players"], pool["entries"], pool["ending"]) == (3, 3, "won")
    assert games["totals"]["PTS"]["left_minor"] == 0
    in_tournaments = desk.page("tournaments")
    [row] = in_tournaments["results"]
    assert row["tournament"] == str(Tournament.objects.get(state="finished").public_id)
    of_a_pot = ("paid_in_minor", "prizes_minor", "rake_minor")
    assert [pool[name] for name in of_a_pot] == [300_00, 270_00, 30_00]
    assert [row[name] for name in of_a_pot] == [300_00, 270_00, 30_00]
    pts = games["totals"]["PTS"]["rake_minor"] + in_tournaments["totals"]["PTS"]["rake_minor"]
    assert pts == busy.by_kind["PTS", "rake"]


def agree_on_bonuses(desk, busy):
    bonus = desk.page("bonus-liability")["totals"]["INR"]
    assert bonus["left_minor"] == bonus["ledger_minor"] == busy.by_kind["INR", "bonus"]
    left = sum(BonusGrant.objects.values_list("remaining_minor", flat=True))
    assert bonus["left_minor"] == left > 0


def agree_on_withdrawals(desk, busy):
    held = sum(one.payout_minor for one in Withdrawal.objects.pending())
    assert busy.yesterday["INR", "withdrawal_hold"] == held > 0
    withdrawals = desk.page("withdrawals")
    moved = withdrawals["totals"]["INR"]
    assert [row["event"] for row in withdrawals["results"]] == [
        "requested",
        "paid",
        "requested",
        "returned",
        "requested",
    ]
    assert len({row["withdrawal"] for row in withdrawals["results"]} - {""}) == 3
    assert held == (moved["requested_minor"] - moved["paid_minor"] - moved["returned_minor"])


def agree_on_corrections(desk):
    corrections = desk.page("adjustments")["results"]
    kinds = [row["kind"] for row in corrections]
    assert kinds.count("adjustment") == 2
    adjusted = [row for row in corrections if row["kind"] == "adjustment"]
    assert {row["reason"] for row in adjusted} == {"Paid twice"}
    assert all(row["made_by"] != row["checked_by"] != "" for row in adjusted)
    assert all(row["reverses"] for row in corrections if row["kind"] == "reversal")


@pytest.mark.extended
def test_empty_report_has_a_note(desk, settings, subtests):
    settings.FINANCE_RATE = "1000/min"
    # Two members of staff have made and approved the token today.
    before = {"staff-actions": {"from": "2020-01-01", "to": "2020-01-01"}}

    for report in (report.name for report in REPORTS):
        with subtests.test(report):
            days = before.get(report, {})
            answer = desk.page(report, **days)

            assert (answer["note"], answer["results"], answer["totals"]) == ("No activity", [], {})
            assert b"# No activity\r\n" in desk.file(report, format="csv", **days)


def test_opening_plus_movements_equals_closing_in_every_period(desk):
    fund(make_player(), deposit=100_00, winnings=5_00)
    a_day_passes()
    play_pool()
    second = a_day_passes()
    first = second - timedelta(days=1)
    fund(make_player(), deposit=1_00)

    def closing(**days):
        rows = desk.page("trial-balance", **days)["results"]
        return {(row["currency"], row["account_kind"]): row for row in rows}

    before, day = closing(to=first), closing(**{"from": second, "to": second})
    for key, row in day.items():
        opened = before.get(key, {"closing_minor": 0})["closing_minor"]
        assert row["opening_minor"] == opened
        assert row["closing_minor"] == opened + row["in_minor"] - row["out_minor"]
