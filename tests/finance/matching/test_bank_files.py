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
from finance.matching.formats.mt940 import Mt940
from finance.matching.formats.reading import read_bank_file

FILES = Path(__file__).parent / "files"
PAYOUT, UTR = "1F2E3D4C5B6A7988", "HDFCN52026050412345678"
MAIN, OTHER = "50200000000001", "50200000000999"
MAY_4, MAY_5 = date(2026, 5, 4), date(2026, 5, 5)


def read(name):
    return read_bank_file((FILES / name).read_bytes(), currency="INR")


def summary(statement):
    """Return account, opening, closing, and the booking day and amount of each line."""
    balances = (statement.opening, statement.closing)
    return (
        statement.account,
        *(balance and balance.amount_minor for balance in balances),
        [(line.booked_on, line.amount_minor) for line in statement.lines],
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mt940-wrapped-86.sta", [(MAIN, 1000_00, 1027_64, [(MAY_4, 97_64), (MAY_4, -70_00)])]),
        ("mt940-structured.sta", [(MAIN, 1000_00, 1097_64, [(MAY_4, 97_64)])]),
        (
            "mt940-year.sta",
            [
                (
                    *("ACCOUNT", 1000_00, 935_00),
                    [(date(2026, 3, 31), -70_00), (date(2026, 4, 2), 5_00)],
                )
            ],
        ),
        (
            "mt940-two-accounts.sta",
            [(MAIN, 1000_00, 930_00, [(MAY_4, -70_00)]), (OTHER, 55_00, 60_00, [(MAY_4, 5_00)])],
        ),
        (
            "camt-two-accounts.xml",
            [(MAIN, 1000_00, 930_00, [(MAY_4, -70_00)]), (OTHER, 55_00, 60_00, [(MAY_4, 5_00)])],
        ),
        (
            "mt940-62F-nocur.sta",
            [("1222333444", 0, 95000_00, [(date(2026, 3, 17), 95000_00)])],
        ),
        ("mt940-kotak-28c.sta", [("0000000001", 1000_00, 930_00, [(MAY_4, -70_00)])]),
        ("mt940-kotak-28c-ok.sta", [("0000000001", 1000_00, 930_00, [(MAY_4, -70_00)])]),
        ("mt940-wise.sta", [("P1234567", 0, 92, [(date(2026, 1, 7), 92)])]),
        *(
            (
                f"mt940-axis-{head}.sta",
                [
                    (
                        *("917020000000000", 0, 948474_92),
                        [(date(2026, 2, 8), 1338474_92), (date(2026, 2, 12), -390000_00)],
                    )
                ],
            )
            for head in ("head", "nohead")
        ),
        ("mt940-crlf.sta", [("1", 1000_00, 930_00, [(MAY_4, -70_00)])]),
        ("mt940-colon.sta", [("1", 1000_00, 930_00, [(MAY_4, -70_00)])]),
        (
            "mt940-ocmt.sta",
            [("10020030/1234567", 1000_00, 930_00, [(date(2026, 4, 2), -70_00)])],
        ),
        ("mt940-rd.sta", [("1", 1000_00, 1070_00, [(MAY_4, 70_00)])]),
        ("mt940-twins.sta", [("1", 1000_00, 860_00, [(MAY_4, -70_00)] * 2)]),
        ("mt940-zero-line.sta", [("1", 1000_00, 930_00, [(MAY_4, -70_00)])]),
        *(
            (f"camt-{name}.xml", [(MAIN, 1000_00, 1097_64, [(MAY_4, 97_64)])])
            for name in ("prtry", "addtlrmt", "btch")
        ),
        ("camt-instd.xml", [(MAIN, 1000_00, 9300_00, [(MAY_4, 8300_00)])]),
        (
            "camt-newest-first.xml",
            [(MAIN, 1000_00, 935_00, [(MAY_4, -70_00), (MAY_5, 5_00)])],
        ),
        ("camt-no-bookgdt.xml", [(MAIN, 1000_00, 930_00, [(MAY_4, -70_00)])]),
        ("camt-nosts.xml", [(MAIN, 1000_00, 935_00, [(MAY_4, -70_00), (MAY_4, 5_00)])]),
        ("camt-empty-day.xml", [(MAIN, 1000_00, 1000_00, [])]),
        ("camt-latin1.xml", [(MAIN, 1000_00, 930_00, [(MAY_4, -70_00)])]),
        (
            "camt-batch-mixed.xml",
            [(MAIN, 1000_00, 1020_00, [(MAY_4, 50_00), (MAY_4, -30_00)])],
        ),
        (
            "camt-batch-retcount.xml",
            [(MAIN, 1000_00, 920_00, [(MAY_4, -50_00), (MAY_4, -30_00)])],
        ),
        ("camt-reversal.xml", [(MAIN, 1000_00, 1070_00, [(MAY_4, 70_00)])]),
        ("camt-tz.xml", [(MAIN, 1000_00, 930_00, [(MAY_4, -70_00)])]),
        *(
            (f"csv-{name}.csv", [("", None, None, [(MAY_4, -500_00)])])
            for name in ("latin1", "utf16", "bom")
        ),
        ("csv-newline.csv", [("", None, None, [(MAY_4, 25_00)])]),
        ("csv-zeroes.csv", [("", None, None, [(MAY_4, -500_00), (MAY_5, 25_00)])]),
    ],
)
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


def test_note_about_a_whole_statement_belongs_to_no_line():
    body = (FILES / "mt940-rd.sta").read_text().removesuffix("-\n") + ":86:ABOUT ALL LINES\n-\n"

    [statement] = Mt940().read(body.encode(), currency="INR").statements

    assert "ABOUT" not in statement.lines[0].references
    assert statement.lines[0].text == "1F2E3D4C5B6A7988 REVERSAL OF DEBIT"


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("mt940-trunc.sta", [("statement 1", "balance_differs", "₹930.00", "₹860.00")]),
        ("camt-trunc.xml", [("statement 1", "balance_differs", "₹930.00", "₹860.00")]),
        ("camt-minus.xml", [("statement 1, Ntry number 1", "bad_amount", "-70.00")]),
        ("camt-5dec.xml", [("statement 1, Ntry number 2", "bad_amount", "885.12345")]),
        (
            "csv-decimal-comma.csv",
            [
                ("line 2", "bad_amount", "column debit", "1.234,00"),
                ("line 3", "bad_amount", "column debit", "1.230,00"),
                ("line 4", "bad_amount", "column debit", "12,50"),
                ("line 5", "bad_amount", "column credit", "0,92"),
            ],
        ),
        (
            "csv-decimal-comma2.csv",
            [("line 2", "bad_amount", "-1.230,00"), ("line 3", "bad_amount", "-12,50")],
        ),
        (
            "csv-groups.csv",
            [(f"line {number}", "bad_amount", "column amount") for number in range(3, 9)],
        ),
        ("csv-negative-debit.csv", [("line 2", "bad_amount", "column debit")]),
        ("csv-parens.csv", [("line 2", "bad_amount", "(500.00)")]),
        ("csv-dr.csv", [("line 2", "bad_amount", "500.00 Dr")]),
        ("csv-ddmm.csv", [("line 2", "bad_line", "column date", "04/05/2026")]),
    ],
)
def test_refusal_names_the_place_and_what_was_found(name, faults):
    with pytest.raises(BadFile) as refusal:
        read(name)

    found = [(one.position, one.code, one.message) for one in refusal.value.lines]
    assert [one[:2] for one in found] == [fault[:2] for fault in faults]
    for (_, _, message), (_, _, *parts) in zip(found, faults, strict=True):
        assert all(part in message for part in parts)


def test_every_held_file_is_read_or_refused_by_these_tests():
    refused = set()
    for path in FILES.iterdir():
        with suppress(BadFile):
            read(path.name)
            continue
        refused.add(path.name)

    # Read by the layouts of banks, and not by the product's own columns.
    for_layouts = {"hdfc", "semicolon", "preamble", "footer", "ddmm", "dr", "parens"}
    assert {f"csv-{name}.csv" for name in for_layouts} < refused
    assert refused == {
        *(f"csv-{name}.csv" for name in for_layouts),
        *("csv-decimal-comma.csv", "csv-decimal-comma2.csv", "csv-groups.csv"),
        *("csv-negative-debit.csv", "mt940-trunc.sta", "camt-trunc.xml"),
        *("camt-minus.xml", "camt-5dec.xml"),
    }


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


@pytest.mark.parametrize(
    "row",
    [
        "2026-05-04,a,1,2",
        "2026-W19-1,a,1.00",
        "20260504,a,1.00",
        "2026-05-04,a,",
        "2026-05-04,a,1_0",
    ],
)
def test_csv_never_guesses_a_cell(row):
    with pytest.raises(BadFile) as refusal:
        read_bank_file(f"date,text,amount\n2026-05-04,a,1\n{row}\n".encode(), currency="INR")

    assert [one.position for one in refusal.value.lines] == ["line 3"]


def test_csv_line_without_a_debit_and_a_credit_is_refused():
    with pytest.raises(BadFile) as refusal:
        read_bank_file(b"date,text,debit,credit\n2026-05-04,a, ,\n", currency="INR")

    assert [(one.position, one.code) for one in refusal.value.lines] == [("line 2", "bad_amount")]


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
