"""The beancount journal is valid and balanced by beancount itself."""

import subprocess
import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import pytest
from beancount import loader
from beancount.core.data import Balance, Open, Transaction
from beancount.parser import parser
from hypothesis import example, given
from hypothesis import strategies as st

from core.text_validation import printable
from finance.closing import actions as closing
from finance.reports.journal.beancount import account_name, quoted
from tests.amounts import first
from tests.builders.books.full_books import a_day_passes, added_up, keep_busy, play_pool
from tests.builders.wallet.players import fund, make_player
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)


def bean_check(text: bytes, directory: Path) -> subprocess.CompletedProcess[str]:
    file = directory / "journal.beancount"
    file.write_bytes(text)
    command = Path(sys.executable).parent / "bean-check"
    return subprocess.run(
        [command, "--no-cache", file], capture_output=True, text=True, check=False
    )


def told_balances(entries) -> dict[str, Decimal]:
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for entry in entries:
        if isinstance(entry, Transaction):
            for posting in entry.postings:
                sums[posting.account] += posting.units.number
    return sums


@pytest.mark.extended
def test_beancount_accepts_the_whole_journal(desk):
    keep_busy()

    text = desk.file("journal", format="beancount")

    parsed, errors, _ = parser.parse_string(text.decode())
    assert (errors, len(parsed) > 100) == ([], True)
    entries, errors, _ = loader.load_string(text.decode())
    assert errors == []
    ours = {account_name(a): a.balance_minor for a in Account.objects.filter(version__gt=0)}
    assert {name: -int(sum_ * 100) for name, sum_ in told_balances(entries).items()} == ours
    opened = {entry.account for entry in entries if isinstance(entry, Open)}
    asserted = {entry.account for entry in entries if isinstance(entry, Balance)}
    assert opened == asserted == set(ours)
    assert sum(isinstance(entry, Transaction) for entry in entries) == Transfer.objects.count()


@pytest.mark.extended
def test_beancount_of_one_day_has_opening_balances(desk, tmp_path):
    keep_busy()
    a_day_passes()
    play_pool()
    today = closing.end_days()
    days = {"from": today, "to": today}

    text = desk.file("journal", format="beancount", **days)

    assert bean_check(text, tmp_path).returncode == 0
    entries, errors, _ = loader.load_string(text.decode())
    assert errors == []
    assert {e.date for e in entries if isinstance(e, Transaction)} > {today}
    kinds = defaultdict(Decimal)
    for name, amount in told_balances(entries).items():
        kinds[name.split(":")[1], name.split(":")[2]] -= amount
    for (currency, kind), minor in added_up(desk.journal(), "currency", "account_kind").items():
        word = Account.Kind(kind).label.replace(" ", "-")
        assert kinds[word, currency] * 100 == minor


@pytest.mark.extended
def test_beancount_rejects_an_altered_amount(desk, tmp_path):
    fund(make_player(), deposit=100_00)
    text = desk.file("journal", format="beancount")

    wrong = text.replace(b"100.00 INR", b"100.01 INR", 2)

    assert wrong != text
    assert bean_check(text, tmp_path).returncode == 0
    assert bean_check(wrong, tmp_path).returncode == 1


MEMOS = ['He said "no"', "two\nlines", "a\\b", "; a comment", "日本 ₹", "a\ufffeb\u2028c\\u0007"]


@pytest.mark.extended
@pytest.mark.parametrize("memo", first(2, MEMOS))
def test_beancount_file_with_any_memo_is_valid(desk, tmp_path, memo):
    mine = fund(make_player(), deposit=100)
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    entries = [(mine["deposit"], -40), (suspense, 40)]
    posting.post(key="n:1", kind=Transfer.Kind.ADJUSTMENT, entries=entries, memo=memo)

    text = desk.file("journal", format="beancount")

    assert bean_check(text, tmp_path).returncode == 0
    parsed, errors, _ = parser.parse_string(text.decode())
    assert errors == []
    shown = [entry.narration for entry in parsed if isinstance(entry, Transaction)]
    assert shown[-1] == printable(memo)
    assert quoted(memo).startswith('"')


@pytest.mark.parametrize("char", ["\x01", "\x07", "\x1b", "\x7f", "\x9f"])
def test_a_control_character_is_left_out_of_a_memo(char):
    assert quoted(f"left{char}right") == '"leftright"'


@given(memo=st.text(st.characters(exclude_categories=["Cs"])))
@example(memo="\x07")
@example(memo='\\" \\n \\\\"')
def test_printed_memo_is_read_back_unchanged(memo):
    text = f'2026-01-01 * "Adjustment" {quoted(memo)}\n  key: {quoted(memo)}\n'

    parsed, errors, _ = parser.parse_string(text)

    assert errors == []
    (transaction,) = parsed
    assert transaction.narration == printable(memo)
    assert transaction.meta["key"] == printable(memo)
    assert quoted(printable(memo)) == quoted(memo)


@pytest.mark.extended
def test_beancount_of_an_empty_ledger_is_valid(desk, tmp_path):
    text = desk.file("journal", format="beancount")

    assert b";; No activity" in text
    assert bean_check(text, tmp_path).returncode == 0


def test_beancount_is_refused_for_another_time_zone(desk):
    answer = desk.ask("journal", format="beancount", tz="Europe/Berlin")

    assert (answer.status_code, answer.json()["code"]) == (400, "site_days_only")


def test_beancount_is_only_for_the_journal(desk):
    assert desk.ask("rake", format="beancount").status_code == 404
