"""Taxes as `docs/examples/rebuild.py` computes them: of payments found later, of a year's end."""

import runpy
from collections import Counter
from datetime import date
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import pytest

from finance.books import published
from tests.builders.wallet.players import fund
from tests.builders.wallet.tax_office import let_years_pass, make_winner, win, withdraw
from wallet.ledger.models import Entry
from wallet.tasks import settle_tax_year
from wallet.tax.models import Withholding

SCRIPT = runpy.run_path("docs/examples/rebuild.py")
RATE_COLUMNS = "tax,currency,payee,starts_on,treatment,bps,cess_bps,surcharges"
RATE = "tds,INR,resident,2023-04-01,withheld,3000,0,[]"


def checked(transfers, rates, first="2026-04-01"):
    """Return the script's books after it has checked the taxes of these transfers."""
    books = SCRIPT["Books"](Path())
    books.manifest, books.opening = {"first": first}, {}
    books.transfers, books.text = transfers, lambda name: rates
    books.check_taxes()
    return books


def test_tax_is_taken_out_of_a_payment_that_was_found_later():
    entry, transfer = SCRIPT["Entry"], SCRIPT["Transfer"]
    rate = {"tax": "gst", "currency": "INR", "payee": "resident", "starts_on": "2026-04-01"}
    taxes = SCRIPT["Taxes"]([rate | {"treatment": "exclusive", "bps": "4000"}])

    def reported(paid_from, tax):
        accounts = {paid_from: -28_100, f"{'a' * 16}/deposit": 28_100 - tax, "gst_payable/0": tax}
        deposit = transfer(1, "deposit", date(2026, 11, 26), "", "")
        deposit.entries += [
            entry(2, account, 1, "INR", minor, minor) for account, minor in accounts.items()
        ]
        return len(list(taxes.deposit(deposit)))

    assert [reported("suspense/0", tax) for tax in (8_028, 8_029)] == [1, 0]
    assert [reported("gateway_clearing/0", tax) for tax in (8_028, 8_029)] == [1, 1]
    assert reported("gateway_clearing/0", 0) == 1


@pytest.mark.parametrize(
    ("collected", "withheld", "reported"),
    [(120, 0, 0), (119, 0, 1), (121, 0, 1), (0, 0, 1), (120, 1, 1)],
)
def test_tax_of_a_year_is_collected_after_its_end(collected, withheld, reported):
    """RB 11.4: of 1,200 in the account and 200 in a game 1,000 were paid in; 30 % of 400 is due."""
    entry, transfer = SCRIPT["Entry"], SCRIPT["Transfer"]
    deposit, winnings, game = f"{'a' * 16}/deposit", f"{'a' * 16}/winnings", "table:1"
    made = [
        ("deposit", date(2026, 5, 1), {"gateway_clearing/0": -1_000, deposit: 1_000}),
        ("buy_in", date(2026, 5, 2), {deposit: -500, game: 500}),
        ("prize", date(2026, 5, 2), {game: -500, "promotions/0": -400, winnings: 900}),
        ("buy_in", date(2027, 3, 31), {deposit: -200, "table:2": 200}),
        ("tax", date(2027, 4, 1), {winnings: -collected, "tds_payable/0": collected}),
        ("prize", date(2027, 4, 2), {"table:2": -200, f"{'b' * 16}/winnings": 200}),
        (
            "withdrawal",
            date(2027, 4, 3),
            {
                deposit: -300,
                winnings: collected - 900,
                f"{'a' * 16}/withdrawal_hold": 1_200 - collected - withheld,
                "tds_payable/0": withheld,
            },
        ),
    ]
    transfers, balances = [], Counter()
    for number, (kind, day, moved) in enumerate(made, start=1):
        balances.update(moved)
        posted = transfer(number, kind, day, "", "")
        posted.entries += [
            entry(number, account, 1, "INR", minor, balances[account])
            for account, minor in moved.items()
            if minor
        ]
        transfers += [posted] if posted.entries else []

    books = checked(transfers, f"{RATE_COLUMNS}\n{RATE}\n")

    assert len(books.differences) == reported, books.differences


@pytest.mark.django_db
def test_years_that_the_site_has_settled_are_computed_again():
    first, second = make_winner(deposit=1_000), make_winner(winnings=5_000)
    withdraw(second, 700)
    let_years_pass()
    settle_tax_year()
    fund(first, deposit=34_000_00)
    win(first, 11_000)
    withdraw(first, 25_000)
    withdraw(second, 900)
    let_years_pass()
    settle_tax_year()
    withdraw(first, 100)

    rates = [row for row in published._rates() if row[0] in ("tax", "tds")]
    books = checked(ledger(), "\n".join(",".join(map(quoted, row)) for row in rates))

    assert books.differences == []
    ends = Withholding.objects.filter(reason="year_end", tax_minor__gt=0)
    assert books.count["year-end tax"] == ends.count() > 1
    taxed = next(one for one in books.transfers if one.kind == "tax")
    taxed.of("tds_payable")[0].amount += 1
    assert checked(books.transfers, books.text("rates.csv")).differences != []


def quoted(value):
    return f'"{value}"'


def ledger():
    """Return the whole ledger as the script reads it."""
    entries = Entry.objects.select_related("transfer", "account__player")
    entries = entries.order_by("transfer__booked_on", "transfer_id", "pk")
    transfers = []
    for number, (transfer, posted) in enumerate(groupby(entries, attrgetter("transfer")), start=1):
        made = SCRIPT["Transfer"](number, transfer.kind, transfer.booked_on, "", "")
        for entry in posted:
            own = entry.account
            owner = (
                f"{own.player_id:016x}/{own.kind}" if own.player_id else f"{own.kind}/{own.shard}"
            )
            made.entries.append(
                SCRIPT["Entry"](
                    number, own.ref if own.kind == "escrow" else owner, entry.account_version,
                    own.currency, entry.amount_minor, entry.balance_after_minor,
                )
            )  # fmt: skip
        transfers.append(made)
    return transfers
