"""Banks' CSV read by declared layouts: nothing that a layout does not declare is guessed."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance.exceptions import BadFile, BadLayout
from finance.matching.formats.plain_csv import PlainCsv
from finance.matching.layouts.layout import DAYS, Layout
from finance.matching.layouts.reading import LayoutReader, bank_layouts

FILES = Path(__file__).parent / "files"
BANKS = {layout.name: layout for layout in bank_layouts()}
PLAIN = Layout(
    name="own", title="Own", date="date", date_format="YYYY-MM-DD", text=("text",), amount="amount"
)
PARTED = replace(PLAIN, amount="", debit="debit", credit="credit")
COMMA = {"decimal": ",", "group": "."}
WITH_SIGNS = {"debit_sign": "Dr", "credit_sign": "Cr"}


def read(layout, text):
    body = text if isinstance(text, bytes) else text.encode()
    [statement] = LayoutReader(layout).read(body, currency="INR").statements
    return statement


def amounts(layout, text):
    return [line.amount_minor for line in read(layout, text).lines]


def faults(reader, text):
    body = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(BadFile) as refused:
        reader.read(body, currency="INR")
    return [(one.position, one.code) for one in refused.value.lines]


SIGNED, SIDES = "date,text,amount", "date,text,debit,credit"
DECLARED = {
    "decimal comma": (
        replace(PARTED, **COMMA),
        [SIDES, '2026-05-04,A,"1.234,00",', '2026-05-05,C,"12,50",', '2026-05-06,D,,"0,92"'],
        [-1234_00, -12_50, 92],
    ),
    "decimal comma with signs": (
        replace(PLAIN, **COMMA),
        [SIGNED, '2026-05-04,GRAND,"-1.230,00"', '2026-05-05,SMALL,"-12,50"'],
        [-1230_00, -12_50],
    ),
    "semicolon": (
        replace(PLAIN, decimal=",", group="", delimiters=(";",)),
        ["date;text;amount", "2026-05-04;A;-500,00"],
        [-500_00],
    ),
    "lakhs and thousands": (
        PLAIN,
        [SIGNED, '2026-05-04,A,"-1,23,456.00"', '2026-05-04,B,"1,234,567.89"'],
        [-123456_00, 1234567_89],
    ),
    "day before month": (
        replace(PLAIN, date_format="DD/MM/YYYY"),
        [SIGNED, "04/05/2026,A,-500.00"],
        [-500_00],
    ),
    "signs after figures": (
        replace(PLAIN, **WITH_SIGNS),
        [SIGNED, "2026-05-04,A,500.00 Dr", "2026-05-05,B,25.00CR."],
        [-500_00, 25_00],
    ),
    "parentheses": (
        replace(PLAIN, parentheses=True),
        [SIGNED, "2026-05-04,A,(500.00)", "2026-05-04,B,20.00"],
        [-500_00, 20_00],
    ),
    "preamble": (
        PARTED,
        ["HDFC BANK Ltd.,,,", "Account No :,5010,,", ",,,", SIDES, "2026-05-04,NEFT X,500.00,"],
        [-500_00],
    ),
    "footer": (
        replace(PARTED, footer=("OPENING BALANCE", "CLOSING BALANCE", "TOTAL")),
        [
            *(SIDES, "2026-05-04,NEFT X,500.00,", ",OPENING BALANCE,,"),
            *("2026-05-31,CLOSING BALANCE,,", "2026-05-31,TOTAL,500.00,0.00"),
        ],
        [-500_00],
    ),
    "zero on the other side": (
        PARTED,
        [SIDES, "2026-05-04,NEFT X,500.00,0.00", "2026-05-05,UPI Y,0.00,25.00"],
        [-500_00, 25_00],
    ),
    "line break in a cell": (
        PLAIN,
        [SIGNED, '2026-05-04,"UPI/CR/607-1234567890/NAME\nLINE TWO",25.00'],
        [25_00],
    ),
}


@pytest.mark.parametrize(("layout", "rows", "expected"), DECLARED.values(), ids=DECLARED)
def test_declared_layout_reads_the_amounts(layout, rows, expected):
    assert amounts(layout, "\n".join([*rows, ""])) == expected


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig"])
def test_encoding_of_a_file_is_recognised(encoding):
    assert amounts(PLAIN, f"{SIGNED}\n2026-05-04,Zürich,-5.00\n".encode(encoding)) == [-5_00]


@pytest.mark.parametrize(
    ("text", "position", "code"),
    [
        ('date,text,debit,credit\n2026-05-04,A,"1.234,00",\n', "line 2", "bad_amount"),
        ('date,text,amount\n2026-05-04,A,1.00\n2026-05-05,B,"12,50"\n', "line 3", "bad_amount"),
        *(
            (f'date,text,amount\n2026-05-04,A,"{figure}"\n', "line 2", "bad_amount")
            for figure in (
                *("-1,234,56.00", "-12,34", "-1,2,3,4", "-1e3", "-1_000", "-१२३", "(500.00)"),
                *("500.00 Dr", "--5", "1.234.567,00", "NaN", "1,234,5678.00", "1 234.00", "+5"),
            )
        ),
        ("date,text,debit,credit\n2026-05-04,REVERSAL,-59.00,\n", "line 2", "bad_amount"),
        ("date,text,debit,credit\n2026-05-04,A,5.00,5.00\n", "line 2", "bad_amount"),
        ("date,text,debit,credit\n2026-05-04,A,,0.00\n", "line 2", "bad_amount"),
        ("date,text,amount\n2026-05-04,A,1,234.50\n", "line 2", "wrong_cells"),
        ("date,text,amount\n04/05/2026,A,5.00\n", "line 2", "bad_day"),
        ("date,text,amount\n2026-W19-1,A,5.00\n", "line 2", "bad_day"),
        ("date,text,amount\n26-05-04,A,5.00\n", "line 2", "bad_day"),
        ("date,text,amount\n2026-02-30,A,5.00\n", "line 2", "bad_day"),
        (
            "date,text,debit,credit\n2026-05-04,NEFT,5.00,\n,OPENING BALANCE,,\n",
            "line 3",
            "bad_day",
        ),
        ("date;text;amount\n2026-05-04;A;-500,00\n", "file", "unknown_columns"),
        ("date,text,amount,amount\n2026-05-04,A,5.00,5.00\n", "file", "unknown_columns"),
        ('date,text,amount\n2026-05-04,"A"B,5.00\n', "line 2", "bad_csv"),
    ],
)
def test_what_is_not_declared_is_refused_with_its_line(text, position, code):
    layout = PARTED if "debit" in text else PLAIN

    assert faults(LayoutReader(layout), text) == [(position, code)]


def test_all_faults_are_named_with_what_was_expected():
    text = "date,text,amount\n2026-05-04,A,x\n04/05/2026,B,5\n2026-05-06,C,5\n2026-05-07,D,y\n"

    with pytest.raises(BadFile) as refused:
        LayoutReader(PLAIN).read(text.encode(), currency="INR")

    figure = "an amount such as 1,234.50; debits with -"
    assert [(one.position, one.message, one.expected) for one in refused.value.lines] == [
        (
            "line 2",
            "column amount: 'x' is not an amount",
            figure,
        ),
        ("line 3", "column date: '04/05/2026' is not a day", "YYYY-MM-DD"),
        (
            "line 5",
            "column amount: 'y' is not an amount",
            figure,
        ),
    ]


BALANCED = replace(PARTED, balance="balance", skipped=("BROUGHT FORWARD",))


@pytest.mark.parametrize("is_newest_first", [False, True])
def test_balances_prove_the_lines_and_show_their_order(is_newest_first):
    rows = [
        "2026-05-04,BROUGHT FORWARD,,,100.00",
        "2026-05-04,A,,50.00,150.00",
        "2026-05-04,B,30.00,,120.00",
        "2026-05-05,C,20.00,,100.00",
    ]
    shown = rows[::-1] if is_newest_first else rows

    statement = read(BALANCED, "\n".join(["date,text,debit,credit,balance", *shown]))

    assert [line.text for line in statement.lines] == ["A", "B", "C"]
    opening, closing = statement.opening, statement.closing
    assert (opening.amount_minor, opening.day) == (100_00, date(2026, 5, 4))
    assert (closing.amount_minor, closing.day) == (100_00, date(2026, 5, 5))


def test_missing_line_is_a_refused_balance_with_both_figures():
    text = (
        "date,text,debit,credit,balance\n2026-05-04,A,,50.00,150.00\n"
        "2026-05-04,C,20.00,,100.00\n2026-05-05,D,,1.00,101.00\n"
    )

    with pytest.raises(BadFile, match="balances do not agree") as refused:
        LayoutReader(BALANCED).read(text.encode(), currency="INR")

    [fault] = refused.value.lines
    assert (fault.position, fault.code) == ("line 3", "balance_differs")
    assert "give ₹130.00, the balance is ₹100.00" in fault.message


# The account, its balances in minor units, a reference of the first line, and the lines: the days
# of booking and of value, and the amount.
BANK_FILES = [
    (
        ("hdfc", "hdfc.csv"),
        ("", 100000_00, 99500_00, "N125263300012345"),
        ["2026-05-04 2026-05-04 -50000"],
    ),
    (
        ("hdfc", "hdfc-delimited.csv"),
        ("", 40000_00, 40000_00, "603412345678"),
        ["2026-02-03 2026-02-04 -45000", "2026-02-05 2026-02-05 45000"],
    ),
    (
        ("icici", "icici.csv"),
        ("037500000079", 25767_16, 25379_16, "NEFT-N1-SOMEBODY"),
        ["2025-11-02 2025-11-01 -38800"],
    ),
    (
        ("icici-corporate", "icici-corporate.csv"),
        ("037500000079", 494000_00, 496500_00, "S32880713"),
        ["2026-07-08 2026-07-08 300000", "2026-07-09 2026-07-09 -50000"],
    ),
    (
        ("sbi", "sbi.tsv"),
        ("00000012345678901", 10000_00, 10750_00, "412345678901"),
        ["2026-09-01 2026-09-02 -25000", "2026-09-02 2026-09-02 100000"],
    ),
    (
        ("axis", "axis.csv"),
        ("923010000000085", 608550_89, 608649_30, "96863804"),
        ["2025-03-16 2025-03-16 -443959", "2025-03-31 2025-03-31 453800"],
    ),
    (
        ("kotak", "kotak.csv"),
        ("3340000086", 1520_46, 46, "CCBILL-1780763491925"),
        [
            "2026-06-06 2026-06-05 -152000",
            "2026-06-06 2026-06-06 50000",
            "2026-06-06 2026-06-06 -50000",
        ],
    ),
    (
        ("kotak-columns", "kotak-columns.csv"),
        ("", -200000_00, -160000_00, "900001"),
        ["2026-04-01 2026-04-01 -1000000", "2026-04-02 2026-04-02 5000000"],
    ),
]


@pytest.mark.parametrize(("file", "expected", "lines"), BANK_FILES)
def test_bank_layout_reads_that_bank_alone(file, expected, lines):
    name, stored = file
    text = (FILES / stored).read_text()
    statement = read(BANKS[name], text)

    found = [f"{one.booked_on} {one.valued_on} {one.amount_minor}" for one in statement.lines]
    assert found == lines
    account, opening, closing, reference = expected
    balances = (statement.opening.amount_minor, statement.closing.amount_minor)
    assert (statement.account, statement.currency) == (account, "INR")
    assert balances == (opening, closing)
    assert reference in statement.lines[0].references
    fitting = [one for one, of in BANKS.items() if LayoutReader(of).recognizes(text.encode())]
    assert fitting == [name]
    with pytest.raises(BadFile):
        PlainCsv().read(text.encode(), currency="INR")


def test_each_bank_layout_says_where_it_comes_from():
    assert {name.split("-")[0] for name in BANKS} == {"axis", "hdfc", "icici", "kotak", "sbi"}
    for layout in BANKS.values():
        assert layout.sources
    body = (FILES / "hdfc.csv").read_bytes()
    warnings = LayoutReader(BANKS["hdfc"]).read(body, currency="INR").warnings
    assert BANKS["hdfc"].verified or "was not compared with a file of the bank" in warnings[-1]


@pytest.mark.parametrize(
    ("change", "declaration"),
    [
        ({"amount": ""}, "amount"),
        ({"debit": "d", "credit": "c"}, "amount"),
        ({"amount": "", "debit": "d"}, "credit"),
        ({"amount": "", "credit": "c"}, "debit"),
        ({"text": ()}, "text"),
        ({"side": "s"}, "side"),
        ({"balance_side": "s", "balance": "b"}, "balance_side"),
        ({"group": "."}, "group"),
        ({"date_format": "DDMMYY"}, "date_format"),
        ({"delimiters": ("x",)}, "delimiters"),
        ({"encoding": "utf-7"}, "encoding"),
    ],
)
def test_layout_that_contradicts_itself_is_refused(change, declaration):
    with pytest.raises(BadLayout) as refused:
        replace(PLAIN, **change)

    assert refused.value.declaration == declaration


@given(
    minor=st.integers(-(10**14), 10**14).filter(bool),
    style=st.sampled_from([(".", ","), (",", "."), (",", " "), (".", "'"), (".", "")]),
    day=st.dates(date(2000, 1, 1), date(2068, 12, 31)),
    notation=st.sampled_from(sorted(DAYS)),
)
def test_amounts_and_days_are_read_back(minor, style, day, notation):
    decimal, group = style
    written = f"{abs(minor) // 100:,}".replace(",", group) + f"{decimal}{abs(minor) % 100:02}"
    layout = replace(PLAIN, decimal=decimal, group=group, date_format=notation, delimiters=("\t",))
    cells = f"{day:{DAYS[notation]}}\tA\t{'-' if minor < 0 else ''}{written}"

    [line] = read(layout, f"date\ttext\tamount\n{cells}\n").lines

    assert (line.amount_minor, line.booked_on) == (minor, day)
