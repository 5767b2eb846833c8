"""Two financial years of three players, calculated by hand from RB 11.4 and 11.5.

The services book deposits, pools with rake, withdrawals and a year end. The registers, the ledger
and the bank file must have the amounts that are calculated here from the clauses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from moneyed import Money

from core import audit_log
from tables.seats import seating
from tests.builders.books.full_books import Desk
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import score
from tests.builders.wallet.cashier_desk import make_depositor, order, start_deposit, tell
from tests.builders.wallet.players import make_player
from tests.builders.wallet.tax_office import (
    lay_down,
    let_years_pass,
    operator_registration,
    send,
    withdraw,
)
from wallet.audit.audit import row_findings
from wallet.gateways.sandbox_page import Sent
from wallet.ledger.days import site_day
from wallet.tax.arithmetic import financial_year, year_name
from wallet.tax.invoices.invoices import issue_invoices
from wallet.tax.rates import append
from wallet.withdrawals import withdrawals
from wallet.withdrawals.payout_file import payout_rows

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("lawful"),
    pytest.mark.extended,
]

# RB 11.5. Last year 40 % on top: 100.01 * 4000 // 10000 half-up, then 250.50. This year 28 % within
# what is paid: 100.00 * 10000 // 12800 is credited. Credited, central, state and integrated tax.
INVOICES = [
    ("29-Karnataka", "40", "100.01", "20.00", "20.00", "0.00", "140.01"),
    ("27-Maharashtra", "40", "250.50", "0.00", "0.00", "100.20", "350.70"),
    ("29-Karnataka", "28", "78.12", "10.94", "10.94", "0.00", "100.00"),
    ("29-Karnataka", "28", "78.12", "10.94", "10.94", "0.00", "100.00"),
]
# RB 11.4: A withdrawn, B paid in, C opening, D closing, E taxed before; net, tax at 30 % half-up.
# Bala loses and never withdraws more than the deposits. Chandra moves abroad before withdrawing and
# is taxed with 4 % cess: 14.36 and 0.57.
DEDUCTIONS = {
    "asha, last year, a withdrawal": (150_00, 100_01, 0, 0, 0, 49_99, 15_00),
    "asha, last year, its end": (150_00, 100_01, 0, 30_01, 49_99, 30_01, 9_00),
    "bala, last year, its end": (0, 250_50, 0, 150_50, 0, 0, 0),
    "asha, this year, a withdrawal": (161_40, 78_12, 21_01, 0, 0, 62_27, 18_68),
    "bala, this year, a withdrawal": (2_50, 0, 150_50, 0, 0, 0, 0),
    "chandra, this year, a withdrawal": (126_00, 78_12, 0, 0, 0, 47_88, 14_93),
}
TO_THE_BANK = ["135.00", "142.72", "2.50", "111.07"]
LETTERS = """
    SELECT withdrawn_minor, deposited_minor, opening_minor, closing_minor, taxed_before_minor,
        net_minor, tax_minor
    FROM wallet_withholding ORDER BY id
"""
PAYABLE = """
    SELECT a.kind, sum(e.amount_minor) FROM wallet_entry e
        JOIN wallet_account a ON a.id = e.account_id
    WHERE a.kind IN ('gst_payable', 'tds_payable') GROUP BY 1 ORDER BY 1
"""


def ask(query: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


def pay_in(player: Any, rupees: str, *, to_pay: int) -> None:
    """Deposit at the gateway; the amount to pay must be that of the clause."""
    deposit = start_deposit(player=player, amount=Money(rupees, "INR"))
    assert order(deposit)["amount_minor"] == to_pay
    assert tell(deposit, Sent()) == ["credited"]


def play(winner: Any, loser: Any, rupees: int) -> None:
    """Play a pool of two with this entry in rupees and 10 % rake."""
    table = make_table(currency="INR", entry_minor=rupees * 100, seats_min=2, seats_max=2)
    for player in (winner, loser):
        seating.join(table_id=table.pk, player=player)
    seated = [seat.player for seat in reread(table).seats.in_seat_order()]
    totals = (0, 101) if seated[0] == winner else (101, 0)
    assert score(reread(table), *totals).finished_at is not None


def withdraw_to_bank(player: Any, rupees: str) -> str:
    """Withdraw, send and record as paid; return the amount in the bank file."""
    sent = send(withdraw(player, rupees))
    [[line]] = payout_rows(sent.batch)
    clerk = make_player(is_staff=True)
    withdrawals.mark_paid(withdrawal_id=sent.pk, by=clerk, remark=f"UTR{sent.pk}")
    return str(line["amount"])


def forms_of(year: int, *, is_resident: bool = True) -> tuple[str, str, str]:
    """Return the return form, section and certificate form of a financial year."""
    if year < 2026:
        return ("26Q" if is_resident else "27Q", "194BA", "16A")
    return ("140" if is_resident else "144", "393(3)", "131")


def number_invoices() -> int:
    return transaction.atomic(issue_invoices)()


@pytest.fixture
def paid() -> list[str]:
    """Book both years; return the amounts sent to the bank."""
    open_region("IN-MH")
    append(row=operator_registration(), by=make_player(is_staff=True, is_superuser=True))
    asha, bala, chandra = (make_depositor(region=state) for state in ("KA", "MH", "KA"))
    pay_in(asha, "100.01", to_pay=140_01)
    pay_in(bala, "250.50", to_pay=350_70)
    play(asha, bala, 100)
    amounts = [withdraw_to_bank(asha, "150.00")]

    let_years_pass()
    number_invoices()
    call_command("settle_tax_year")

    lay_down("gst", bps=2_800, treatment="inclusive")
    pay_in(asha, "100.00", to_pay=100_00)
    play(asha, bala, 78)
    amounts.append(withdraw_to_bank(asha, "161.40"))
    pay_in(chandra, "100.00", to_pay=100_00)
    play(chandra, bala, 70)
    amounts.append(withdraw_to_bank(bala, "2.50"))
    with transaction.atomic():  # Only staff change a place that the player has declared.
        before = audit_log.facts(chandra)
        chandra.country = "AE"
        chandra.save(update_fields=["country"])
        clerk = make_player(is_staff=True)
        audit_log.record(by=clerk, act="change", row=chandra, before=before, about=chandra)
    return [*amounts, withdraw_to_bank(chandra, "126.00")]


def columns(*names: str) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    return lambda row: tuple(row[name] for name in names)


def test_registers_and_ledger_equal_the_worked_figures(client, paid):
    desk = Desk(client)
    year = financial_year(site_day())
    last, this = year_name(year - 1), year_name(year)

    assert paid == TO_THE_BANK
    assert ask(LETTERS) == list(DEDUCTIONS.values())

    of = columns(
        *("place_of_supply", "rate", "taxable_value", "cgst", "sgst", "igst", "invoice_value")
    )
    invoices = desk.page("gst-invoices")
    assert [of(row) for row in invoices["results"]] == INVOICES
    numbers = [row["invoice_number"] for row in invoices["results"]]
    assert [number and number[-8:] for number in numbers] == ["00000001", "00000002", None, None]
    gst = 40_00 + 100_20 + 2 * 21_88
    for report in ("gst-invoices", "gst-outward-supplies", "gst-hsn-summary"):
        assert desk.page(report)["totals"]["INR"]["tax_minor"] == gst

    of = columns("year", "reason", "return_form", "section", "winnings", "tax")
    forms = [forms_of(year - 1)[:2], forms_of(year)[:2], forms_of(year, is_resident=False)[:2]]
    assert [of(row) for row in desk.page("tds-deductions")["results"]] == [
        (last, "withdrawal", *forms[0], "49.99", "15.00"),
        (last, "year_end", *forms[0], "30.01", "9.00"),
        (this, "withdrawal", *forms[1], "62.27", "18.68"),
        (this, "withdrawal", *forms[2], "47.88", "14.93"),
    ]
    of = columns("year", "certificate_form", "section", "deductions", "tax")
    assert sorted(of(row) for row in desk.page("tds-certificates")["results"]) == [
        (last, forms_of(year - 1)[2], forms_of(year - 1)[1], 2, "24.00"),
        (this, forms_of(year)[2], forms_of(year)[1], 1, "14.93"),
        (this, forms_of(year)[2], forms_of(year)[1], 1, "18.68"),
    ]
    tds = 24_00 + 18_68 + 14_93
    assert desk.page("tds-quarters")["totals"]["INR"]["owed_minor"] == tds
    assert ask(PAYABLE) == [("gst_payable", gst), ("tds_payable", tds)]
    assert row_findings() == ()
