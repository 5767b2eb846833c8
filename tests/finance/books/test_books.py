"""Books for accounting programs, read by their own tools, equal the trial balance."""

import csv
import io
import shutil
import subprocess
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest
from beancount import loader
from beancount.core.data import Transaction
from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st
from xmlschema import XMLSchema

from finance.books.chart import DEFAULT, ChartAccount
from finance.books.formats import _described
from tests.builders.books.full_books import Desk, a_day_passes, play_pool
from tests.builders.staff.people import a_person
from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.tax_office import make_winner, withdraw
from wallet.gateways.sandbox_page import Sent
from wallet.ledger.models import Account

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful")]


@pytest.fixture
def desk(client):
    tell(make_deposit(), Sent())
    play_pool()
    a_day_passes()
    withdraw(make_winner(winnings=500), 400)
    return Desk(client)


def name_of(kind):
    own = ChartAccount.objects.filter(kind=kind).first()
    return own.name if own else DEFAULT[kind].name


def expected(desk, **params):
    """Return the closing balances by account and currency, debits positive, as finance has them."""
    sums = defaultdict(Decimal)
    for row in desk.page("trial-balance", **params)["results"]:
        sums[name_of(row["account_kind"]), row["currency"]] -= Decimal(row["closing"])
    return {key: amount for key, amount in sums.items() if amount}


def days(desk):
    """Return a period that begins with balances brought forward."""
    return {"from": desk.page("journal")["results"][-1]["booked_on"]}


def run(tool, *arguments):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed: apt install {tool}")
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def by_hledger(file):
    text = run("hledger", "-f", str(file), "balance", "--flat", "-O", "csv", "-N", "--layout=bare")
    rows = list(csv.reader(io.StringIO(text)))[1:]
    return {(account, currency): Decimal(amount) for account, currency, amount in rows}


def by_ledger(file):
    sums = defaultdict(Decimal)
    for _, _, _, account, currency, amount, *_ in csv.reader(
        io.StringIO(run("ledger", "-f", str(file), "csv"))
    ):
        sums[account, currency] += Decimal(amount)
    return sums


def by_beancount(text):
    entries, errors, _ = loader.load_string(text)
    assert errors == []
    assert set(DEFAULT) == set(Account.Kind)
    names = {kind.label.replace(" ", "-"): name_of(kind) for kind in Account.Kind}
    sums = defaultdict(Decimal)
    for posting in (p for e in entries if isinstance(e, Transaction) for p in e.postings):
        sums[names[posting.account.split(":")[1]], posting.units.currency] += posting.units.number
    return sums


def nonzero(sums):
    return {key: amount for key, amount in sums.items() if amount}


def test_hledger_rejects_an_altered_amount(desk, tmp_path):
    text = desk.file("journal", format="ledger").decode()
    file = tmp_path / "books.ledger"
    last = text.rindex(" INR = ") + len(" INR = ")
    file.write_text(text[:last] + "1" + text[last:].lstrip("-"))

    if shutil.which("hledger") is None:
        pytest.skip("hledger is not installed: apt install hledger")
    done = subprocess.run(["hledger", "-f", file, "check"], capture_output=True, check=False)

    assert done.returncode != 0


def test_tally_vouchers_balance_and_equal_the_trial_balance_of_cash(desk):
    since = days(desk) | {"money": "cash"}

    root = ElementTree.fromstring(desk.file("journal", format="tally", **since))  # noqa: S314

    sums = defaultdict(Decimal)
    for ledger in root.iter("LEDGER"):
        sums[ledger.get("NAME")] -= Decimal(ledger.findtext("OPENINGBALANCE"))
    for voucher in root.iter("VOUCHER"):
        entries = list(voucher.iter("ALLLEDGERENTRIES.LIST"))
        amounts = [Decimal(entry.findtext("AMOUNT")) for entry in entries]
        assert sum(amounts) == 0
        assert len(voucher.findtext("DATE")) == len("20261123")
        for entry, amount in zip(entries, amounts, strict=True):
            assert entry.findtext("ISDEEMEDPOSITIVE") == ("Yes" if amount < 0 else "No")
            sums[entry.findtext("LEDGERNAME")] -= amount
    assert {name: amount for name, amount in sums.items() if amount} == {
        name.rsplit(":", 1)[-1]: amount for (name, _), amount in expected(desk, **since).items()
    }


@pytest.mark.extended
@given(memo=st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
@example(memo="\x07")
@example(memo="\uffff ; | <&>")
def test_a_description_is_a_line_of_text_and_valid_xml(memo):
    line = SimpleNamespace(kind="adjustment", memo=memo)

    described = _described(line)

    assert ElementTree.fromstring(f"<N>{escape(described)}</N>").text == described  # noqa: S314
    assert described.splitlines() == [described]
    assert not set(";|") & set(described)


def test_tally_file_is_valid_by_its_schema(desk):
    schema = XMLSchema(Path(__file__).with_name("tally.xsd"))
    named = {"name": "Assets:Fees & Co.", "group": "Bank <Accounts>"}
    ChartAccount.objects.create(kind="gateway_clearing", **named)
    text = desk.file("journal", format="tally", **days(desk)).decode()
    wrong = {
        "an account that is nowhere": text.replace("<LEDGERNAME>", "<LEDGERNAME>Other ", 1),
        "an amount with a comma": text.replace("</AMOUNT>", ",00</AMOUNT>", 1),
        "no day": text.replace("<DATE>", "<DATE>-", 1),
        "an account that is there twice": text.replace("Winnings", "Deposits"),
    }

    schema.validate(text)

    assert text.count("<VOUCHER ") > 1
    assert "Fees &amp; Co." in text
    assert {name: schema.is_valid(each) for name, each in wrong.items()} == dict.fromkeys(
        wrong, False
    )


@pytest.mark.parametrize("money", ["cash", pytest.param("points", marks=pytest.mark.extended)])
def test_books_of_cash_or_points_equal_their_trial_balance(desk, tmp_path, money):
    """The same closing balances by hledger, ledger-cli, beancount and Zoho's rows."""
    ChartAccount.objects.create(kind="rake", name="Income:Commission", group="Sales Accounts")
    period = days(desk) | {"money": money}
    due = expected(desk, **period)
    file = tmp_path / "books.ledger"
    file.write_bytes(desk.file("journal", format="ledger", **period))
    zoho = desk.file("journal", format="zoho", **period)
    by_zoho = defaultdict(Decimal)
    for row in csv.DictReader(io.StringIO(zoho.decode(), newline="")):
        name = row["Account"].removesuffix(" PTS")
        by_zoho[name] += Decimal(row["Debit"] or 0) - Decimal(row["Credit"] or 0)

    run("hledger", "-f", str(file), "check", "--strict", "accounts", "ordereddates")
    assert nonzero(by_hledger(file)) == nonzero(by_ledger(file)) == due
    assert nonzero(by_beancount(desk.file("journal", format="beancount", **period).decode())) == due
    assert nonzero(by_zoho) == {name.rsplit(":", 1)[-1]: sum_ for (name, _), sum_ in due.items()}
    # All shards of rake are one account.
    assert Account.objects.filter(kind="rake", version__gt=0).exists()
    assert (b"account Income:Commission\n" in file.read_bytes()) == (money == "points")
    assert b"Income:Rake" not in file.read_bytes()
    # Programs with one currency get cash unless points are requested.
    default = desk.file("journal", format="zoho", **days(desk))
    assert (default == zoho) == (money == "cash")
    assert (b" PTS" in zoho) == (money == "points")


def test_chart_refuses_taken_names_and_names_that_programs_cannot_read(client):
    client.force_login(a_person("Finance"))
    page = reverse("admin:finance_chartaccount_add")

    def named(name, group="Sales Accounts"):
        return client.post(page, {"kind": "rake", "name": name, "group": group})

    for name in ("Income:Deposits", "Income:deposits", "Income:Suspense", "Income:Winnings PTS"):
        assert named(name).status_code == 200
    for name in UNREADABLE:
        assert "hledger and ledger-cli end a name at two spaces" in named(name).text, name
    assert not ChartAccount.objects.exists()
    # Two kinds may be one account.
    promotions = DEFAULT["promotions"]
    assert named(promotions.name, promotions.group).status_code == 302


UNREADABLE = [
    "Income:Shop  rent",  # Two spaces end a name in hledger and ledger-cli.
    "Income :Rent",
    "Income: Rent",
    "Income::Rent",
    "Income:4 rents",
    "(Income)",
    "Income:Rent; paid",
    "Income:Rent\u00a0\u00a0paid",
]


def test_money_of_a_report_is_cash_or_points_and_its_file_is_named(desk, settings):
    for money, currency in (("cash", "INR"), ("points", "PTS")):
        text = desk.file("journal", format="csv", money=money).decode()
        body = [line for line in io.StringIO(text, newline="") if not line.startswith("# ")]
        assert {row["currency"] for row in csv.DictReader(body)} == {currency}
        trial = desk.page("trial-balance", money=money)["results"]
        assert {row["currency"] for row in trial} == {currency}
    assert desk.ask("games", money="cash").status_code == 400
    settings.SITE_NAME = "Khel & Co."
    answer = desk.ask("journal", format="tally", **{"from": "2026-11-01", "to": "2026-11-30"})
    assert answer["Content-Disposition"] == (
        'attachment; filename="khel-co_journal_2026-11-01_2026-11-30.xml"'
    )
