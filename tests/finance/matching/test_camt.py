"""CAMT.053 statements: parsing and matching."""

from datetime import date

import pytest

from finance.exceptions import BadFile
from finance.matching.formats.camt import Camt053

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
FILE = """<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.{version}">
<BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId></GrpHdr><Stmt><Id>S1</Id>
<Acct><Id><Othr><Id>001234567890</Id></Othr></Id><Ccy>INR</Ccy></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="INR">1000.00</Amt>
<CdtDbtInd>CRDT</CdtDbtInd></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="INR">1015.84</Amt>
<CdtDbtInd>CRDT</CdtDbtInd></Bal>
{entries}</Stmt></BkToCstmrStmt></Document>"""
BOOKED = {"02": "<Sts>BOOK</Sts>", "08": "<Sts><Cd>BOOK</Cd></Sts>"}


def entry(amount, sign, *payments, day="2026-11-20", version="02", status=None, text=""):
    details = "".join(payments)
    return f"""<Ntry><Amt Ccy="INR">{amount}</Amt><CdtDbtInd>{sign}</CdtDbtInd>
    {status or BOOKED[version]}<BookgDt><Dt>{day}</Dt></BookgDt>
    <AcctSvcrRef>{text}</AcctSvcrRef><NtryDtls>{details}</NtryDtls></Ntry>"""


def payment(reference, amount=""):
    amounts = f'<AmtDtls><TxAmt><Amt Ccy="INR">{amount}</Amt></TxAmt></AmtDtls>' if amount else ""
    return f"""<TxDtls><Refs><EndToEndId>{reference}</EndToEndId></Refs>{amounts}
    <RmtInf><Ustrd>Payout of a withdrawal</Ustrd></RmtInf></TxDtls>"""


def file_of(*entries, version="02"):
    return (HEAD + FILE.format(version=version, entries="".join(entries))).encode()


def read(*entries, version="02"):
    """Return the statement without proving its balances."""
    [statement] = Camt053().read(file_of(*entries, version=version), currency="INR").statements
    return statement


def amounts(statement):
    return [(line.position.rpartition(", ")[2], line.amount_minor) for line in statement.lines]


@pytest.mark.parametrize("version", ["02", "08"])
def test_camt_is_read_with_signs_text_and_closing_balance(version):
    pending = "<Sts>PDNG</Sts>" if version == "02" else "<Sts><Cd>PDNG</Cd></Sts>"

    found = read(
        entry("97.64", "CRDT", payment("UTRSETL1"), version=version),
        entry("5.00", "DBIT", status=pending),
        entry("70", "DBIT", payment("1F2E3D4C5B6A7988"), version=version, text="BANK77"),
        version=version,
    )

    assert amounts(found) == [("Ntry number 1", 97_64), ("Ntry number 3", -70_00)]
    assert {line.booked_on for line in found.lines} == {date(2026, 11, 20)}
    assert {"1F2E3D4C5B6A7988", "BANK77"} <= set(found.lines[1].references)
    assert (found.account, found.closing.amount_minor) == ("001234567890", 1015_84)


def test_camt_batch_entry_with_amounts_gives_a_line_per_payment():
    both = payment("AAAAAAAAAAAAAAAA", "30.00"), payment("BBBBBBBBBBBBBBBB", "40.00")

    apart = read(entry("70.00", "DBIT", *both), entry("1.00", "DBIT"))
    differs = read(entry("71.00", "DBIT", *both))
    silent = read(entry("70.00", "DBIT", payment("AAAAAAAAAAAAAAAA"), both[1]))

    assert amounts(apart) == [
        ("TxDtls number 1", -30_00),
        ("TxDtls number 2", -40_00),
        ("Ntry number 2", -1_00),
    ]
    assert amounts(differs) == [("Ntry number 1", -71_00)]
    assert amounts(silent) == [("Ntry number 1", -70_00)]


@pytest.mark.parametrize(
    "wrong",
    [
        entry("-70.00", "DBIT"),
        entry("1e3", "DBIT"),
        entry("NaN", "DBIT"),
        entry("", "DBIT"),
        entry("70.00", "BOTH"),
        entry("70.00", "DBIT", day="20.11.2026"),
        entry("70.00", "DBIT", day=""),
        entry("70.00", "DBIT", payment("A", "1,00"), payment("B", "2.00")),
    ],
)
def test_camt_with_a_bad_line_is_refused(wrong):
    with pytest.raises(BadFile) as refusal:
        read(entry("1.00", "CRDT"), wrong)

    assert [one.position for one in refusal.value.lines] == ["statement 1, Ntry number 2"]
