"""The journal's CSV written by PostgreSQL equals Python's."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import transaction

from finance.reports.frame.periods import Period
from finance.reports.journal import journal
from tests.builders.books.journals import both
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import unguarded
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)

MEMOS = [
    *("", "plain", "a,b", 'said "no"', "two\nlines", "car\rriage", "tab\there", " padded "),
    *("=1+1", "+1", "-1", "-1.5", "-.5", "-5.", "--7", "-", "-.", ".", "@x", "\ttab", "\rcr"),
    *(
        "-1e5",
        "-1,5",
        "-٣",
        "-1\n",
        "日本 ₹",
        "'quoted",
        "\\.",
        "\\N",
        "NULL",
        "\x01null\x01x",
        ";",
    ),
]


def whole(tz: str = "Asia/Kolkata") -> Period:
    return Period.asked(None, None, tz)


def post(memo: str, number: int, **more) -> Transfer:
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    gateway = accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency="INR")
    return posting.post(
        key=f"{memo}:{number}",
        kind=Transfer.Kind.ADJUSTMENT,
        entries=[(gateway, -number - 1), (suspense, number + 1)],
        memo=memo,
        **more,
    )


def word(transfer: Transfer, memo: str) -> None:
    """Set the texts of a transfer directly, including control characters."""
    with unguarded() as cursor:
        cursor.execute(
            "UPDATE wallet_transfer SET key = %s, memo = %s, actor = %s WHERE id = %s",
            [f"{memo}:{transfer.public_id}", memo, memo, transfer.pk],
        )


def test_csv_of_any_text_equals_pythons(monkeypatch):
    monkeypatch.setattr(journal, "PART_BYTES", 1_000)
    for number, memo in enumerate(MEMOS):
        word(post("plain", number), memo)
    post("at a full second", 99, effective_at=datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC))
    post("big", 10**15)

    fast, slow = both(whole())

    assert fast.split(b"\r\n") == slow.split(b"\r\n")
    assert b",2026-02-03T04:05:06Z," in fast
    assert b",'=1+1," in fast


def test_csv_of_other_minor_units_equals_pythons():
    for currency in ("PTS", "JPY", "KWD"):
        fund(make_player(), currency=currency, deposit=1_234)

    fast, slow = both(whole())

    assert fast == slow
    for amount in (b",1234,1234,", b",1234,1.234,", b",1234,12.34,"):
        assert amount in fast


@pytest.mark.parametrize("tz", ["Asia/Kolkata", "Pacific/Kiritimati"])
def test_csv_of_any_time_zone_equals_pythons(tz):
    fund(make_player(), deposit=100)
    with unguarded() as cursor:
        cursor.execute(
            "UPDATE wallet_transfer SET booked_on = booked_on - 1, created_at = created_at - "
            "'1 day'::interval"
        )
    fund(make_player(), deposit=200)
    last = Transfer.objects.latest("pk").created_at.astimezone().date()

    for period in (Period.asked(last, None, tz), Period.asked(None, last, tz), whole(tz)):
        fast, slow = both(period)
        assert fast == slow


@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_csv_never_splits_the_transfers_of_a_transaction(monkeypatch, at_once):
    monkeypatch.setattr(journal, "TRANSFERS_AT_ONCE", at_once)
    for many in (1, 4, 2):
        with transaction.atomic():
            for number in range(many):
                post(f"of {many}", number)

    fast, slow = both(whole())

    assert fast == slow
    assert fast.count(b"adjustment") == 14
