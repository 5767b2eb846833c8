"""Files as banks send them: each is read in full, or refused with the place of its fault."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from finance.exceptions import BadFile
from finance.matching.formats.reading import read_bank_file

FILES = Path(__file__).parent / "files"
PAYOUT, UTR = "1F2E3D4C5B6A7988", "HDFCN52026050412345678"
MAIN, OTHER = "50200000000001", "50200000000999"
MAY_4, MAY_5 = date(2026, 5, 4), date(2026, 5, 5)


def read(name):
    return read_bank_file((FILES / name).read_bytes(), currency="INR")


def summary(statement):
    """Return account, balances, and the booking day and amount of each line, as text."""
    balances = " to ".join(
        f"{one.amount_minor}" for one in (statement.opening, statement.closing) if one
    )
    lines = (f"{line.booked_on:%y%m%d} {line.amount_minor}" for line in statement.lines)
    return f"{statement.account}, {balances}: {', '.join(lines)}"


A_DEBIT = "100000 to 93000: 260504 -7000"
A_CREDIT = "100000 to 109764: 260504 9764"
TWO_ACCOUNTS = [f"{MAIN}, {A_DEBIT}", f"{OTHER}, 5500 to 6000: 260504 500"]
AXIS = ["917020000000000, 0 to 94847492: 260208 133847492, 260212 -39000000"]
CSV = [", : 260504 -50000"]
READ = {
    "mt940-wrapped-86.sta": [f"{MAIN}, 100000 to 102764: 260504 9764, 260504 -7000"],
    "mt940-structured.sta": [f"{MAIN}, {A_CREDIT}"],
    "mt940-year.sta": ["ACCOUNT, 100000 to 93500: 260331 -7000, 260402 500"],
    "mt940-two-accounts.sta": TWO_ACCOUNTS,
    "camt-two-accounts.xml": TWO_ACCOUNTS,
    "mt940-62F-nocur.sta": ["1222333444, 0 to 9500000: 260317 9500000"],
    "mt940-kotak-28c.sta": [f"0000000001, {A_DEBIT}"],
    "mt940-kotak-28c-ok.sta": [f"0000000001, {A_DEBIT}"],
    "mt940-wise.sta": ["P1234567, 0 to 92: 260107 92"],
    "mt940-axis-head.sta": AXIS,
    "mt940-axis-nohead.sta": AXIS,
    "mt940-crlf.sta": [f"1, {A_DEBIT}"],
    "mt940-colon.sta": [f"1, {A_DEBIT}"],
    "mt940-ocmt.sta": ["10020030/1234567, 100000 to 93000: 260402 -7000"],
    "mt940-rd.sta": ["1, 100000 to 107000: 260504 7000"],
    "mt940-twins.sta": ["1, 100000 to 86000: 260504 -7000, 260504 -7000"],
    "mt940-zero-line.sta": [f"1, {A_DEBIT}"],
    "camt-prtry.xml": [f"{MAIN}, {A_CREDIT}"],
    "camt-addtlrmt.xml": [f"{MAIN}, {A_CREDIT}"],
    "camt-btch.xml": [f"{MAIN}, {A_CREDIT}"],
    "camt-instd.xml": [f"{MAIN}, 100000 to 930000: 260504 830000"],
    "camt-newest-first.xml": [f"{MAIN}, 100000 to 93500: 260504 -7000, 260505 500"],
    "camt-no-bookgdt.xml": [f"{MAIN}, {A_DEBIT}"],
    "camt-nosts.xml": [f"{MAIN}, 100000 to 93500: 260504 -7000, 260504 500"],
    "camt-empty-day.xml": [f"{MAIN}, 100000 to 100000: "],
    "camt-latin1.xml": [f"{MAIN}, {A_DEBIT}"],
    "camt-batch-mixed.xml": [f"{MAIN}, 100000 to 102000: 260504 5000, 260504 -3000"],
    "camt-batch-retcount.xml": [f"{MAIN}, 100000 to 92000: 260504 -5000, 260504 -3000"],
    "camt-reversal.xml": [f"{MAIN}, 100000 to 107000: 260504 7000"],
    "camt-tz.xml": [f"{MAIN}, {A_DEBIT}"],
    "csv-latin1.csv": CSV,
    "csv-utf16.csv": CSV,
    "csv-bom.csv": CSV,
    "csv-newline.csv": [", : 260504 2500"],
    "csv-zeroes.csv": [", : 260504 -50000, 260505 2500"],
}


@pytest.mark.parametrize(("name", "expected"), READ.items(), ids=READ)
def test_bank_file_gives_one_statement_per_account(name, expected):
    assert [summary(one) for one in read(name).statements] == expected


@pytest.mark.parametrize(
    ("name", "references"),
    [
        ("mt940-wrapped-86.sta", {UTR, PAYOUT}),
        ("mt940-structured.sta", {"HDFCN52026050412345678", "SETTLEMENT"}),
        ("mt940-year.sta", {PAYOUT}),
        ("mt940-crlf.sta", {PAYOUT}),
        ("mt940-twins.sta", {PAYOUT}),
        ("mt940-zero-line.sta", {PAYOUT}),
        ("mt940-ocmt.sta", {"16703074"}),
        ("mt940-wise.sta", {"BALANCE_CASHBACK-00000000-0000-4000-8000-000000000000"}),
        ("camt-prtry.xml", {UTR}),
        ("camt-addtlrmt.xml", {UTR}),
        ("camt-btch.xml", {UTR}),
        ("camt-latin1.xml", {PAYOUT, "M\u00dcLLER"}),
        ("camt-two-accounts.xml", {PAYOUT}),
        ("csv-newline.csv", {"1234567890"}),
    ],
)
def test_references_that_the_bank_gives_belong_to_a_line(name, references):
    lines = [line for one in read(name).statements for line in one.lines]

    assert references <= {word for line in lines for word in line.references}


REFUSED = {
    "mt940-trunc.sta": [("statement 1", "balance_differs", "₹930.00", "₹860.00")],
    "camt-trunc.xml": [("statement 1", "balance_differs", "₹930.00", "₹860.00")],
    "camt-minus.xml": [("statement 1, Ntry number 1", "bad_amount", "-70.00")],
    "camt-5dec.xml": [("statement 1, Ntry number 2", "bad_amount", "885.12345")],
    "csv-decimal-comma.csv": [
        ("line 2", "bad_amount", "column debit", "1.234,00"),
        ("line 3", "bad_amount", "column debit", "1.230,00"),
        ("line 4", "bad_amount", "column debit", "12,50"),
        ("line 5", "bad_amount", "column credit", "0,92"),
    ],
    "csv-decimal-comma2.csv": [
        ("line 2", "bad_amount", "-1.230,00"),
        ("line 3", "bad_amount", "-12,50"),
    ],
    "csv-groups.csv": [(f"line {number}", "bad_amount", "column") for number in range(3, 9)],
    "csv-negative-debit.csv": [("line 2", "bad_amount", "column debit")],
    "csv-parens.csv": [("line 2", "bad_amount", "(500.00)")],
    "csv-dr.csv": [("line 2", "bad_amount", "500.00 Dr")],
    "csv-ddmm.csv": [("line 2", "bad_line", "column date", "04/05/2026")],
}


@pytest.mark.parametrize(("name", "faults"), REFUSED.items(), ids=REFUSED)
def test_refusal_names_the_place_and_what_was_found(name, faults):
    with pytest.raises(BadFile) as refusal:
        read(name)

    found = [(one.position, one.code, one.message) for one in refusal.value.lines]
    assert [one[:2] for one in found] == [fault[:2] for fault in faults]
    for (_, _, message), (_, _, *parts) in zip(found, faults, strict=True):
        assert all(part in message for part in parts)


def test_every_stored_file_is_read_or_refused_by_these_tests():
    # Read by the layouts of banks, and not by the product's own columns.
    for_layouts = {"hdfc", "semicolon", "preamble", "footer"}
    refused = {*REFUSED, *(f"csv-{name}.csv" for name in for_layouts)}

    assert {path.name for path in FILES.iterdir()} == refused | {*READ}
    for name in refused:
        with pytest.raises(BadFile):
            read(name)


MT940 = """:20:STMT
:25:HDFC/001234567890
:28C:1/1
:60F:C{day}INR1000,00
:61:{day}D70,00NTRFA//UTR99
:86:NEFT payout A
:61:{day}C500,00NTRFsetl_1
:86:Settlement of the gateway
:62F:C{day}INR1430,00
-
""".replace("{day}", "260102")


@pytest.mark.parametrize(
    ("there", "instead", "position"),
    [
        (":86:Settlement", ":06:Settlement", "file"),  # A tag that MT940 does not have.
        (":62F:", ":90:", "file"),  # A sum without a debit or credit sign.
        ("C500,00NTRF", "NTRF", "statement 1, block :61: number 2"),  # Without its amount.
        ("INR1430,00", "INR1,430,00", "statement 1"),  # Two decimal commas.
        (
            "D70,00",
            "D70.00",
            "statement 1, block :61: number 1",
        ),  # A point does not precede decimals.
        ("C500,00", "C5.00,00", "statement 1, block :61: number 2"),
        (":61:260102C", ":61:261302C", "statement 1, block :61: number 2"),  # No such month.
        (":61:260102D", ":61:2601021332D", "statement 1, block :61: number 1"),
        (":62F:C260102INR1430,00\n", "", "statement 1"),  # Cut off.
        ("C260102INR1430,00", "C260102USD1430,00", "statement 1"),
    ],
)
def test_mt940_that_cannot_be_read_is_refused_with_its_block(there, instead, position):
    assert there in MT940

    with pytest.raises(BadFile) as refusal:
        read_bank_file(MT940.replace(there, instead).encode(), currency="INR")

    assert [one.position for one in refusal.value.lines] == [position]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            ":20:A\n:25:1\n:28C:1\n:34F:INRD0,\n:13D:2605041200+0530\n:61:260504D1,00NTRFA\n",
            "MT942",
        ),
        ("<Document xmlns='urn:iso:std:iso:20022:tech:xsd:camt.052.001.02'/>", "interim report"),
        ("<Document xmlns='urn:iso:std:iso:20022:tech:xsd:camt.054.001.02'/>", "notification"),
        ("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "document type"),
        ("", "empty"),
        ("date,text\n", "columns"),
        ("date,text,amount\n", "no lines"),
        ('date,text,amount\n2026-05-04,"a,1\n', "not CSV"),
    ],
)
def test_file_of_another_kind_is_refused(body, message):
    with pytest.raises(BadFile, match=message):
        read_bank_file(body.encode(), currency="INR")


@given(
    cut=st.tuples(st.integers(0, 200), st.integers(0, 12)),
    put=st.text("0123456789:ABCDFRNS,/(\n-? \u00e9", max_size=6),
)
def test_damaged_mt940_is_refused_or_its_balances_agree(cut, put):
    start, length = cut

    with suppress(BadFile):
        body = f"{MT940[:start]}{put}{MT940[start + length :]}"
        for one in read_bank_file(body.encode(), currency="INR").statements:
            if one.opening and one.closing:
                moved = sum(line.amount_minor for line in one.lines)
                assert one.opening.amount_minor + moved == one.closing.amount_minor


def test_gap_between_statements_is_named_with_both_figures():
    first = (FILES / "mt940-kotak-28c-ok.sta").read_text()
    later = first.replace("2605040504DR70,00", "2605060506DR10,00").replace("260504", "260506")
    later = later.replace("C260503INR1000,00", "C260505INR900,00").replace("INR930,00", "INR890,00")

    contents = read_bank_file((later + first).encode(), currency="INR")

    assert [one.closing.amount_minor for one in contents.statements] == [930_00, 890_00]
    [warning] = contents.warnings
    assert "₹900.00" in warning
    assert "₹930.00" in warning


def test_encoding_that_is_guessed_is_a_warning():
    assert "Latin-1" in " ".join(read("csv-latin1.csv").warnings)
    assert not any("Latin-1" in one for one in read("csv-utf16.csv").warnings)
    assert "M\u00fcller" in read("csv-latin1.csv").statements[0].lines[0].text


def test_command_reads_a_folder_and_says_why_a_file_is_refused(capsys):
    call_command("read_bank_files", FILES)

    out = capsys.readouterr().out.splitlines()
    assert out[0] == ".: 50 files, 36 read, 14 refused, 47 lines"
    assert any("camt-minus.xml" in row and "Ntry number 1: Amt is '-70.00'" in row for row in out)
    assert "  2 refused: the balances do not agree with the lines" in out
    with pytest.raises(SystemExit, match="1"):
        call_command("read_bank_files", FILES, strict=True)
