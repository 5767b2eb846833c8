"""Matching of CSV and MT940 bank statements with payouts."""

import csv
import io
from contextlib import suppress

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from finance.exceptions import BadFile
from finance.management.commands.match_bank_statement import matches_of, row_of
from finance.matching.formats.reading import read_bank_file
from tests.builders.wallet.payout_desk import make_sent, step
from tests.builders.wallet.players import make_player
from wallet.ledger.days import site_day
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


def matched(body):
    [statement] = read_bank_file(body, currency="INR").statements
    return [row_of(match, 1, "INR") for match in matches_of(statement)]


def test_csv_statement_lines_match_by_either_reference():
    day, unpaid, paid, absent = site_day(), make_sent(), make_paid("utr 777001"), make_paid("U3")
    other = make_sent()
    body = as_csv(
        f"{day},NEFT DR-{unpaid.short_reference}-ASHA,70.00,",
        f"{day},IMPS/UTR777001/x,70.00,",
        f"{day},NEFT {other.short_reference},69.99,",
        f"{day},Charges,11.80,",
        f'{day},Settlement,,"1,500.00"',
        f"{day},again {unpaid.short_reference},70.00,",
    )

    rows = matched(body)

    assert [(row["outcome"], row["withdrawal"], row["amount"]) for row in rows] == [
        ("matched", str(unpaid.public_id), "-70.00"),
        ("matched", str(paid.public_id), "-70.00"),
        ("amount differs", str(other.public_id), "-69.99"),
        ("missing ours", "", "-11.80"),
        ("credit", "", "1500.00"),
        ("paid twice", str(unpaid.public_id), "-70.00"),
        ("missing theirs", str(absent.public_id), ""),
    ]


def outcomes(body):
    return [row["outcome"] for row in matched(body)]


def test_debit_of_a_failed_payout_is_noted_as_refused():
    """A payout recorded as failed, although the bank paid it, would be paid twice."""
    day, refused, paid = site_day(), make_sent(), make_paid("UTR9")
    step("mark_failed", refused)
    sent = f"{day},NEFT {refused.short_reference},70.00,"
    returned = f"{day},RETURN {refused.short_reference},,70.00"

    assert outcomes(as_csv(sent, f"{day},UTR9,70.00,")) == ["noted as refused", "matched"]
    assert outcomes(as_csv(sent, returned, f"{day},UTR9,70.00,")) == ["matched"] * 3
    assert outcomes(as_csv(f"{day},UTR9,70.00,", f"{day},RETURN UTR9,,70.00")) == [
        "matched",
        "came back",
    ]
    assert outcomes(as_csv(f"{day},UTR9,70.00,", f"{day},fee of UTR9,,7.00")) == [
        "matched",
        "amount differs",
    ]
    assert paid.status == "paid"


def test_line_with_two_references_matches_the_payout_of_its_amount():
    day, small, large = site_day(), make_sent(rupees=30), make_sent(rupees=40)
    both = f"{small.short_reference} {large.short_reference}"

    rows = matched(as_csv(f"{day},{both},40.00,", f"{day},{both},30.00,"))

    assert [(row["outcome"], row["withdrawal"]) for row in rows] == [
        ("matched", str(large.public_id)),
        ("matched", str(small.public_id)),
    ]


@pytest.mark.parametrize(
    ("sign", "outcome"), [("D", "matched"), ("RC", "matched"), ("RD", "came back")]
)
def test_mt940_reversals_change_the_sign(sign, outcome):
    sent = make_sent()
    fields = {"day": f"{site_day():%y%m%d}", "reference": sent.short_reference}
    body = MT940.format(amount="70,00", **fields).replace("D70,00", f"{sign}70,00")
    body = body.replace("INR1430,00", "INR1570,00" if sign == "RD" else "INR1430,00")

    assert outcomes(body.encode()) == [outcome, "credit"]


def test_log_contains_no_text_of_a_bank_statement(caplog):
    sent = make_sent()
    fields = {"day": f"{site_day():%y%m%d}", "reference": sent.short_reference}
    for body in (MT940.format(amount="70,00", **fields), MT940.format(amount="x", **fields)):
        with suppress(BadFile):
            read_bank_file(body.encode(), currency="INR")

    assert sent.short_reference not in caplog.text


def test_an_mt940_statement_is_matched_by_the_command(tmp_path, capsys):
    sent = make_sent()
    file = tmp_path / "statement.sta"
    fields = {"day": f"{site_day():%y%m%d}", "reference": sent.short_reference}
    file.write_text(MT940.format(amount="70,00", **fields))

    call_command("match_bank_statement", file)

    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["outcome"], row["amount"]) for row in rows] == [
        ("matched", "-70.00"),
        ("credit", "500.00"),
    ]
    assert err.strip() == "1 credit, 1 matched"
    wrong = MT940.format(amount="71,00", **fields).replace("INR1430,00", "INR1429,00")
    file.write_text(wrong)
    with pytest.raises(SystemExit, match="1"):
        call_command("match_bank_statement", file)


def test_command_names_what_cannot_be_read(tmp_path):
    file = tmp_path / "wrong.csv"
    with pytest.raises(CommandError, match="No such file"):
        call_command("match_bank_statement", file)
    file.write_bytes(as_csv("31.12.2026,x,1,"))
    with pytest.raises(CommandError, match="line 2"):
        call_command("match_bank_statement", file)
