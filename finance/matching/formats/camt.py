"""Read the parts of ISO 20022 CAMT.053 that are matched with payouts and settlements.

Existing Python readers are below version 0.1 or depend on pandas, and only a few elements are
needed. Only booked entries are read. A file with a document type is refused before it is parsed, so
that no entity is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Final
from xml.etree.ElementTree import Element, ParseError, fromstring

from finance.exceptions import BadFile, BadLine
from finance.matching.statement_lines import Statement, StatementLine, one_line

NAMESPACE: Final = re.compile(r"\{urn:iso:std:iso:20022:tech:xsd:camt\.053\.\d{3}\.\d{2}\}Document")
SIGNS: Final = {"CRDT": 1, "DBIT": -1}
# Elements of an entry or its payments that may contain a payout's or settlement's reference.
TEXT_PATHS: Final = (
    "{*}NtryRef",
    "{*}AcctSvcrRef",
    "{*}AddtlNtryInf",
    "{*}Refs/*",
    "{*}RmtInf/{*}Ustrd",
    "{*}RmtInf/{*}Strd/{*}CdtrRefInf/{*}Ref",
    "{*}AddtlTxInf",
)


def is_camt(text: str) -> bool:
    return text.lstrip().startswith("<")


def read_camt(text: str) -> Statement:
    """Return the booked lines of a file in its order, and its last closing balance."""
    if "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper():
        raise BadFile("a statement must not have a document type")
    try:
        document = fromstring(text)  # noqa: S314  Without a document type there are no entities.
    except (ParseError, ValueError) as error:
        raise BadFile("the file is not XML") from error
    if not NAMESPACE.fullmatch(document.tag):
        raise BadFile("the file is not CAMT.053")
    lines: list[StatementLine] = []
    wrong: list[BadLine] = []
    entries = document.iterfind("{*}BkToCstmrStmt/{*}Stmt/{*}Ntry")
    for number, entry in enumerate(entries, start=1):
        # The status is text up to version 7, and a code from version 8 on.
        if (_text(entry, "{*}Sts/{*}Cd") or _text(entry, "{*}Sts")) != "BOOK":
            continue
        try:
            lines.extend(_lines(entry, after=len(lines)))
        except (ValueError, InvalidOperation, KeyError) as error:
            wrong.append(BadLine(number, "bad_line", one_line(str(error))[:200]))
    if wrong:
        raise BadFile("some lines cannot be read", wrong)
    return Statement(lines, _closing(document))


def _lines(entry: Element, *, after: int) -> Iterator[StatementLine]:
    """Yield a line for each payment of an entry if their amounts add up, else one line."""
    day, (whole, currency) = _day(entry), _amount(entry)
    parts = [(part, _part_amount(part)) for part in entry.iterfind("{*}NtryDtls/{*}TxDtls")]
    priced = [(part, amount) for part, amount in parts if amount is not None]
    sign = SIGNS[_text(entry, "{*}CdtDbtInd")]
    if len(priced) < 2 or len(priced) < len(parts) or sum(amount for _, amount in priced) != whole:
        text = " ".join([_description(entry), *(_description(part) for part, _ in parts)])
        yield StatementLine(after + 1, day, sign * whole, currency, one_line(text))
        return
    for number, (part, amount) in enumerate(priced, start=after + 1):
        yield StatementLine(number, day, sign * amount, currency, one_line(_description(part)))


def _amount(element: Element) -> tuple[Decimal, str]:
    found = element.find("{*}Amt")
    if found is None:
        raise ValueError("an entry has no amount")
    return _figure(found), found.get("Ccy", "")


def _part_amount(part: Element) -> Decimal | None:
    for path in ("{*}Amt", "{*}AmtDtls/{*}TxAmt/{*}Amt"):
        if (found := part.find(path)) is not None:
            return _figure(found)
    return None


def _figure(element: Element) -> Decimal:
    text = (element.text or "").strip()
    if not re.fullmatch(r"[0-9]{1,16}(\.[0-9]{1,5})?", text):
        raise ValueError(f"{text} is not an amount")
    return Decimal(text)


def _day(entry: Element) -> date:
    text = _text(entry, "{*}BookgDt/{*}Dt") or _text(entry, "{*}BookgDt/{*}DtTm")
    return date.fromisoformat(text[:10])


def _closing(document: Element) -> Decimal | None:
    """Return the booked closing balance of the last statement that has one."""
    found = None
    for balance in document.iterfind("{*}BkToCstmrStmt/{*}Stmt/{*}Bal"):
        if _text(balance, "{*}Tp/{*}CdOrPrtry/{*}Cd") == "CLBD":
            found = balance
    if found is None:
        return None
    try:
        return SIGNS[_text(found, "{*}CdtDbtInd")] * _amount(found)[0]
    except (ValueError, KeyError) as error:
        raise BadFile("the closing balance cannot be read") from error


def _description(element: Element) -> str:
    return " ".join(found.text or "" for path in TEXT_PATHS for found in element.iterfind(path))


def _text(element: Element, path: str) -> str:
    return (element.findtext(path) or "").strip()
