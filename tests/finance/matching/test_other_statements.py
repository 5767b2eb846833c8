"""Matching considers the lines of other bank statements."""

from datetime import timedelta

import pytest

from tests.builders.books.settlements import ask_for, settled_line, settlement_file
from tests.builders.wallet.payout_desk import make_sent, step
from tests.builders.wallet.players import make_player
from wallet.ledger.days import site_day

pytestmark = pytest.mark.django_db(transaction=True)


def day_of(ago):
    return site_day() - timedelta(days=ago)


def upload(desk, ago, *rows):
    """Upload a statement of this many days ago; return a function that reads its outcomes."""
    body = "\n".join(["date,text,amount", *(f"{day_of(ago)},{row}" for row in rows)])
    stored = desk.send_statement(body.encode()).json()
    return lambda: [
        row["outcome"] for row in desk.page("bank-reconciliation", file=stored["sha256"])["results"]
    ]


def test_payout_debited_again_on_another_day_is_paid_twice(desk):
    sent = make_sent()
    step("mark_paid", sent)
    debit = f"NEFT {sent.short_reference},-70.00"

    first = upload(desk, 2, debit)
    again = upload(desk, 0, debit, f"ACH again {sent.short_reference},-70.00")

    assert first() == ["matched"]
    assert again() == ["paid twice", "paid twice"]


@pytest.mark.extended
def test_debit_reversed_between_two_statements_is_not_paid_twice(desk):
    sent = make_sent()
    step("mark_paid", sent)
    debit = f"NEFT {sent.short_reference},-70.00"

    upload(desk, 3, debit)
    upload(desk, 2, f"RETURN {sent.short_reference},70.00")

    assert upload(desk, 0, debit)() == ["matched"]


def test_return_in_a_later_statement_matches_a_failed_payout(desk):
    sent = make_sent()
    step("mark_failed", sent)
    first = upload(desk, 1, f"NEFT {sent.short_reference},-70.00")
    assert first() == ["noted as refused"]

    upload(desk, 0, f"RETURN {sent.short_reference},70.00")

    assert first() == ["matched"]


def test_payout_matched_by_another_statement_is_not_missing(desk):
    sent = make_sent()
    step("mark_paid", sent)
    line = settled_line("pay_1", 100_00, fee=2_00, tax=36)
    ask_for(settlement_file(line), by=make_player(is_staff=True))
    today = upload(desk, 0, "Charges,-11.80")
    assert today() == ["missing ours", "missing theirs", "missing theirs"]

    upload(desk, 1, f"NEFT {sent.short_reference},-70.00")
    upload(desk, 2, "UTRSETL1,97.64")

    assert today() == ["missing ours"]
    assert upload(desk, 0, "UTRSETL1,97.64")() == ["paid twice"]


def test_overlapping_statements_do_not_count_a_line_twice(desk):
    """For example a day's file and the month's file with the same day."""
    sent = make_sent()
    step("mark_paid", sent)

    day = upload(desk, 1, f"NEFT {sent.short_reference},-70.00")
    month = upload(desk, 1, f"NEFT/{sent.short_reference}/HDFC,-70.00", "Charges,-1.00")

    assert day() == ["matched"]
    assert month() == ["matched", "missing ours"]
    later = upload(desk, 0, "Charges,-2.00")
    assert later() == ["missing ours"]
