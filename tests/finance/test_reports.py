"""Every report agrees with the journal, added up by a reader who knows nothing of our queries."""

from datetime import timedelta

import pytest

from finance.catalogue import REPORTS
from tables.models import Table
from tests.finance.full_books import Desk, a_day_passes, added_up, keep_busy, play_pool
from tests.wallet.builders import fund, make_player
from tournaments.models import Tournament
from wallet.models import PLAYER_KINDS, BonusGrant, Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)

OWED = {*PLAYER_KINDS, "ticket", "escrow"}


@pytest.fixture
def desk(client):
    return Desk(client)


def test_reports_of_busy_books_agree_with_the_journal(desk):
    keep_busy()
    day = a_day_passes()
    play_pool()
    journal, yesterdays = desk.journal(), desk.journal(to=day)
    assert len(journal) > len(yesterdays) > 40

    by_kind = added_up(journal, "currency", "account_kind")
    trial = desk.page("trial-balance")["results"]
    closing = {(row["currency"], row["account_kind"]): row["closing_minor"] for row in trial}
    assert closing == by_kind
    assert sum(minor for (currency, _), minor in by_kind.items() if currency == "INR") == 0

    yesterday = added_up(yesterdays, "currency", "account_kind")
    liability = desk.page("player-liability", to=day)
    assert {
        (row["currency"], row["account_kind"]): row["balance_minor"] for row in liability["results"]
    } == {key: minor for key, minor in yesterday.items() if key[1] in OWED}
    held = sum(one.payout_minor for one in Withdrawal.objects.pending())
    assert yesterday["INR", "withdrawal_hold"] == held > 0

    raked = [row for row in journal if row["account_kind"] == "rake"]
    rake = desk.page("rake")
    by_day = added_up(raked, "booked_on", "currency")
    told = {}
    for row in rake["results"]:
        key = (row["day"], row["currency"])
        told[key] = told.get(key, 0) + row["rake_minor"]
    assert told == by_day
    assert rake["totals"]["PTS"]["rake_minor"] == by_kind["PTS", "rake"]
    assert sum(bool(row["tournament"]) for row in rake["results"]) == 1

    escrows = added_up(journal, "account_ref")
    games = desk.page("games")
    assert [row["left_minor"] for row in games["results"]] == [0, 0, 0]
    refs = {f"table:{row['game']}" for row in games["results"]}
    assert refs == {f"table:{one.public_id}" for one in Table.objects.exclude(escrow_account=None)}
    assert {escrows[ref,] for ref in refs} == {0}
    pool = games["results"][0]
    assert (pool["paid_in_minor"], pool["prizes_minor"], pool["rake_minor"]) == (
        300_00,
        270_00,
        30_00,
    )
    assert (pool["players"], pool["entries"], pool["ending"]) == (3, 3, "won")
    assert games["totals"]["PTS"]["left_minor"] == 0
    in_tournaments = desk.page("tournaments")
    [row] = in_tournaments["results"]
    assert row["tournament"] == str(Tournament.objects.get(state="finished").public_id)
    assert (row["paid_in_minor"], row["prizes_minor"], row["rake_minor"]) == (
        300_00,
        270_00,
        30_00,
    )
    pts = games["totals"]["PTS"]["rake_minor"] + in_tournaments["totals"]["PTS"]["rake_minor"]
    assert pts == by_kind["PTS", "rake"]

    bonus = desk.page("bonus-liability")["totals"]["INR"]
    assert bonus["left_minor"] == bonus["ledger_minor"] == by_kind["INR", "bonus"]
    left = sum(BonusGrant.objects.values_list("remaining_minor", flat=True))
    assert bonus["left_minor"] == left > 0

    withdrawals = desk.page("withdrawals")
    moved = withdrawals["totals"]["INR"]
    assert [row["event"] for row in withdrawals["results"]] == [
        *("requested", "paid", "requested", "given back", "requested")
    ]
    assert len({row["withdrawal"] for row in withdrawals["results"]} - {""}) == 3
    assert held == (moved["requested_minor"] - moved["paid_minor"] - moved["given_back_minor"])

    corrections = desk.page("adjustments")["results"]
    kinds = [row["kind"] for row in corrections]
    assert kinds.count("adjustment") == 2
    adjusted = [row for row in corrections if row["kind"] == "adjustment"]
    assert {row["reason"] for row in adjusted} == {"Paid twice"}
    assert all(row["made_by"] != row["checked_by"] != "" for row in adjusted)
    assert all(row["reverses"] for row in corrections if row["kind"] == "reversal")


@pytest.mark.parametrize("report", [report.name for report in REPORTS])
def test_every_report_says_when_there_is_nothing(desk, report):
    answer = desk.page(report)

    assert (answer["note"], answer["results"], answer["totals"]) == ("No activity", [], {})
    assert b"# No activity\r\n" in desk.file(report, format="csv")


def test_opening_and_movements_make_the_closing_of_every_period(desk):
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
