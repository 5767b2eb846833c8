"""A bank statement against payouts: matched line by line, what differs is named."""

import csv
import io

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from finance.exceptions import BadFile
from finance.reconciliation.bank_statements import matched, read_statement
from tests.builders.wallet.payout_desk import make_sent
from tests.builders.wallet.players import make_player
from wallet.ledger.days import house_day
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db
MT940 = """:20:STMT
:25:HDFC/001234567890
:28C:1/1
:60F:C{day}INR1000,00
:61:{day}D{amount}NTRF{reference}//UTR99
:86:NEFT payout {reference}
:61:{day}C500,00NTRFsetl_1
:86:Settlement of the gateway
:62F:C{day}INR1430,00
-
"""


def make_paid(remark):
    sent = make_sent()
    return withdrawals.mark_paid(
        withdrawal_id=sent.pk, by=make_player(is_staff=True), remark=remark
    )


def as_csv(*rows):
    return "\n".join(["date,text,debit,credit", *rows]).encode()


def test_each_line_of_a_csv_statement_is_matched_by_either_reference():
    day, unpaid, paid, absent = house_day(), make_sent(), make_paid("utr 777001"), make_paid("U3")
    other = make_sent()
    body = as_csv(
        f"{day},NEFT DR-{unpaid.short_reference}-ASHA,70.00,",
        f"{day},IMPS/UTR777001/x,70.00,",
        f"{day},NEFT {other.short_reference},69.99,",
        f"{day},Charges,11.80,",
        f'{day},Settlement,,"1,500.00"',
        f"{day},again {unpaid.short_reference},70.00,",
    )

    rows = list(matched(read_statement(body, currency="INR")))

    assert [(row["outcome"], row["withdrawal"], row["amount"]) for row in rows] == [
        ("matched", str(unpaid.public_id), "-70.00"),
        ("matched", str(paid.public_id), "-70.00"),
        ("amount differs", str(other.public_id), "-69.99"),
        ("missing ours", "", "-11.80"),
        ("credit", "", "1500.00"),
        ("missing ours", "", "-70.00"),
        ("missing theirs", str(absent.public_id), ""),
    ]


def test_an_mt940_statement_is_matched_by_the_command(tmp_path, capsys):
    sent = make_sent()
    file = tmp_path / "statement.sta"
    words = {"day": f"{house_day():%y%m%d}", "reference": sent.short_reference}
    file.write_text(MT940.format(amount="70,00", **words))

    call_command("match_bank_statement", file)

    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["outcome"], row["amount"]) for row in rows] == [
        ("matched", "-70.00"),
        ("credit", "500.00"),
    ]
    assert err.strip() == "1 credit, 1 matched"
    file.write_text(MT940.format(amount="71,00", **words))
    with pytest.raises(SystemExit, match="1"):
        call_command("match_bank_statement", file)


def test_a_statement_that_cannot_be_read_is_refused_line_by_line(tmp_path):
    day = house_day()
    with pytest.raises(BadFile) as refusal:
        read_statement(as_csv(f"{day},x,1,", "31.12.2026,x,1,", f"{day},x,a,"), currency="INR")

    assert [one["line"] for one in refusal.value.details["lines"]] == [3, 4]
    long, unclosed = b"x" * 200_000, as_csv(f'{day},"x,1,')
    for body in (b"", b"date,text\n", b"\xff\xfe", b"no statement", long, unclosed):
        with pytest.raises(BadFile):
            read_statement(body, currency="INR")
    file = tmp_path / "wrong.csv"
    file.write_bytes(as_csv("31.12.2026,x,1,"))
    with pytest.raises(CommandError, match="line 2"):
        call_command("match_bank_statement", file)
