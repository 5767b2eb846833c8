"""Lines of bank statements are matched with payouts, also those of other statements."""

import csv
import io
from contextlib import suppress
from datetime import timedelta
from string import ascii_lowercase

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from finance.exceptions import BadFile
from finance.matching.actions import keep_statement
from finance.matching.comparison import rows_of
from finance.matching.formats.reading import read_bank_file
from tests.builders.books.settlements import ask_for, settled_line, settlement_file
from tests.builders.wallet.payout_desk import make_sent, step
from tests.builders.wallet.players import make_player
from wallet.ledger.days import site_day
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db
MT940 = """:20:STMT
:25:HDFC/001234567890
:28C:1/1
:60F:C{day}INR1000,00
:61:{day}{sign}{amount}NTRF{reference}//UTR99
:86:NEFT payout {reference}
:61:{day}C500,00NTRFsetl_1
:86:Settlement of the gateway
:62F:C{day}INR{closing},00
-
"""
FAILED, SENT = "failed", "sent"
# The state of each payout, or the reference it is paid by, and its amount; the statements with
# their age in days and their lines; the outcomes of each statement, with the payout's letter. All
# statements are stored first; None stands for outcomes that are not compared.
MATCHES = {
    "either reference, another amount, a charge, a credit, once more, and none": (
        [(SENT, 70), ("utr 777001", 70), ("U3", 70), (SENT, 70)],
        [
            (
                0,
                [
                    *("NEFT DR-{a}-ASHA,-70.00", "IMPS/UTR777001/x,-70.00", "NEFT {d},-69.99"),
                    *("Charges,-11.80", "Settlement,1500.00", "again {a},-70.00"),
                ],
            )
        ],
        [
            [
                *("matched a", "matched b", "amount differs d", "missing ours", "credit"),
                *("paid twice a", "missing theirs c"),
            ]
        ],
    ),
    # A payout recorded as failed, although the bank paid it, would be paid twice.
    "failed payout": ([(FAILED, 70)], [(0, ["NEFT {a},-70.00"])], [["noted as refused a"]]),
    "failed payout that came back": (
        [(FAILED, 70)],
        [(0, ["NEFT {a},-70.00", "RETURN {a},70.00"])],
        [["matched a", "matched a"]],
    ),
    "failed payout that came back in a later statement": (
        [(FAILED, 70)],
        [(1, ["NEFT {a},-70.00"]), (0, ["RETURN {a},70.00"])],
        [["matched a"], None],
    ),
    "paid payout that came back": (
        [("UTR9", 70)],
        [(0, ["UTR9,-70.00", "RETURN UTR9,70.00"])],
        [["matched a", "came back a"]],
    ),
    "a part of a paid payout": (
        [("UTR9", 70)],
        [(0, ["UTR9,-70.00", "fee of UTR9,7.00"])],
        [["matched a", "amount differs a"]],
    ),
    "two references in a line": (
        [(SENT, 30), (SENT, 40)],
        [(0, ["{a} {b},-40.00", "{a} {b},-30.00"])],
        [["matched b", "matched a"]],
    ),
    "debited again on another day": (
        [("UTR9", 70)],
        [(2, ["NEFT {a},-70.00"]), (0, ["NEFT {a},-70.00", "ACH again {a},-70.00"])],
        [["matched a"], ["paid twice a", "paid twice a"]],
    ),
    "reversed between two statements and debited again": (
        [("UTR9", 70)],
        [(3, ["NEFT {a},-70.00"]), (2, ["RETURN {a},70.00"]), (0, ["NEFT {a},-70.00"])],
        [None, None, ["matched a"]],
    ),
    # For example a day's file and the month's file with the same day.
    "a line in two statements": (
        [("UTR9", 70)],
        [
            (1, ["NEFT {a},-70.00"]),
            (1, ["NEFT/{a}/HDFC,-70.00", "Charges,-1.00"]),
            (0, ["Charges,-2.00"]),
        ],
        [["matched a"], ["matched a", "missing ours"], ["missing ours"]],
    ),
}


def payout(state, rupees):
    sent = make_sent(rupees=rupees)
    if state == FAILED:
        return step("mark_failed", sent)
    if state == SENT:
        return sent
    return withdrawals.mark_paid(withdrawal_id=sent.pk, by=make_player(is_staff=True), remark=state)


def stored(ago, *lines):
    day = site_day() - timedelta(days=ago)
    body = "\n".join(["date,text,amount", *(f"{day},{line}" for line in lines)])
    by = make_player(is_staff=True)
    return keep_statement(name="bank.csv", body=body.encode(), uploaded_by=by).row


def outcomes(statement):
    return [row["outcome"] for row in rows_of(statement)]


@pytest.mark.parametrize(("payouts", "statements", "expected"), MATCHES.values(), ids=MATCHES)
def test_line_is_matched_with_a_payout_by_reference_and_amount(payouts, statements, expected):
    made = dict(zip(ascii_lowercase, (payout(*one) for one in payouts), strict=False))
    references = {letter: one.short_reference for letter, one in made.items()}
    letters = {one.public_id: letter for letter, one in made.items()}
    kept = [
        stored(ago, *(text.format(**references) for text in lines)) for ago, lines in statements
    ]

    for statement, wanted in zip(kept, expected, strict=True):
        rows = [(row["outcome"], letters.get(row["withdrawal"], "")) for row in rows_of(statement)]
        found = [f"{outcome} {letter}".strip() for outcome, letter in rows]
        assert wanted in (None, found)


def test_payout_or_settlement_in_another_statement_is_not_missing():
    payout("UTR9", 70)
    line = settled_line("pay_1", 100_00, fee=2_00, tax=36)
    ask_for(settlement_file(line), by=make_player(is_staff=True))
    today = stored(0, "Charges,-11.80")
    assert outcomes(today) == ["missing ours", "missing theirs", "missing theirs"]

    stored(1, "NEFT UTR9,-70.00")
    stored(2, "UTRSETL1,97.64")

    assert outcomes(today) == ["missing ours"]
    assert outcomes(stored(0, "UTRSETL1,97.64")) == ["paid twice"]


def statement_of(sent, *, sign="D", amount="70,00", closing="1430"):
    fields = {"day": f"{site_day():%y%m%d}", "reference": sent.short_reference}
    return MT940.format(sign=sign, amount=amount, closing=closing, **fields)


def test_mt940_is_matched_by_the_command_and_its_text_is_not_logged(tmp_path, capsys, caplog):
    sent = make_sent()
    file = tmp_path / "statement.sta"

    def printed():
        out, err = capsys.readouterr()
        rows = csv.DictReader(io.StringIO(out))
        return [(row["outcome"], row["amount"]) for row in rows], err.strip()

    for sign in ("D", "RC"):  # A debit, and a reversed credit.
        file.write_text(statement_of(sent, sign=sign))
        call_command("match_bank_statement", file)
        shown = [("matched", "-70.00"), ("credit", "500.00")]
        assert printed() == (shown, "1 credit, 1 matched")
    for text, outcome in (
        (statement_of(sent, sign="RD", closing="1570"), ("came back", "70.00")),
        (statement_of(sent, amount="71,00", closing="1429"), ("amount differs", "-71.00")),
    ):
        file.write_text(text)
        with pytest.raises(SystemExit, match="1"):
            call_command("match_bank_statement", file)
        assert printed()[0][0] == outcome
    file.write_text("date,text,debit,credit\n31.12.2026,x,1,")
    with pytest.raises(CommandError, match="line 2"):
        call_command("match_bank_statement", file)
    with pytest.raises(CommandError, match="No such file"):
        call_command("match_bank_statement", tmp_path / "none.csv")
    with suppress(BadFile):
        read_bank_file(statement_of(sent, amount="x").encode(), currency="INR")
    assert sent.short_reference not in caplog.text
