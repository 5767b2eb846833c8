"""Read ISO 20022 CAMT.053, the end-of-day statement in XML.

Existing Python readers are below version 0.1 or depend on pandas, and only a few elements are
needed. A file with a document type is refused before it is parsed, so that no entity is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError, fromstring
from xml.parsers import expat

from finance.exceptions import BadFile
from finance.matching.files import (
    Balance,
    Contents,
    Line,
    Statement,
    Unreadable,
    as_minor,
    one_line,
    read_each,
    references_in,
)

DOCUMENT: Final = re.compile(
    r"\{urn:iso:std:iso:20022:tech:xsd:camt\.(05\d)\.\d{3}\.\d{2}\}Document"
)
OTHERS: Final = {
    "052": "an interim report (CAMT.052) whose lines can still change",
    "054": "a notification (CAMT.054) without balances",
}
SIGNS: Final = {"CRDT": 1, "DBIT": -1}
FIGURE: Final = re.compile(r"[0-9]{1,16}(\.[0-9]{1,5})?")
# Elements, at any depth of an entry, that may name a payout or settlement.
NAMING: Final = frozenset(
    {
        *("NtryRef", "AcctSvcrRef", "AddtlNtryInf", "AddtlTxInf", "Ustrd", "AddtlRmtInf"),
        *("MsgId", "PmtInfId", "InstrId", "EndToEndId", "UETR", "TxId", "MndtId", "ChqNb"),
        *("ClrSysRef", "AcctOwnrTxId", "AcctSvcrTxId", "MktInfrstrctrTxId", "PrcgId", "Ref", "Nb"),
    }
)
OPENINGS: Final = ("OPBD", "PRCD")
CLOSINGS: Final = ("CLBD",)


class Camt053:
    """The reader of CAMT.053."""

    name = "CAMT.053"

    def recognizes(self, body: bytes) -> bool:
        start = body[:200].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
        return start.startswith(b"<")

    def read(self, body: bytes, *, currency: str) -> Contents:
        """Return the booked lines of each `Stmt`; `currency` is not used, as each names its own."""
        _refuse_document_type(body)
        try:
            document = fromstring(body)  # noqa: S314  Without a document type there are no entities.
        except (ParseError, ValueError, LookupError) as error:
            line = getattr(error, "position", (1, 0))[0]
            fault = Unreadable("bad_xml", str(error), "well-formed XML")
            raise BadFile("the file is not XML", [fault.at(f"line {line}")]) from error
        known = DOCUMENT.fullmatch(document.tag)
        if known is None or known[1] != "053":
            kind = OTHERS.get(known[1], "") if known else ""
            text = f"the file is {kind}; upload" if kind else "the file is not"
            raise BadFile(f"{text} the end-of-day statement (CAMT.053)")
        drafts = [
            (f"statement {number}", draft)
            for number, draft in enumerate(document.iterfind("{*}BkToCstmrStmt/{*}Stmt"), start=1)
        ]
        if not drafts:
            raise BadFile("the file has no statement (Stmt)")
        found = tuple(read_each(drafts, _statement))
        pending = sum(
            not _is_booked(entry) for _, one in drafts for entry in one.iterfind("{*}Ntry")
        )
        warnings = (f"{pending} pending entries are left out.",) if pending else ()
        return Contents(self.name, found, warnings)


def _refuse_document_type(body: bytes) -> None:
    """Raise `BadFile` if a document type precedes the root element, whatever the encoding."""

    def refuse(*_: Any) -> None:
        raise BadFile("a statement must not have a document type")

    def stop(*_: Any) -> None:
        raise StopIteration

    head = expat.ParserCreate()
    head.StartDoctypeDeclHandler, head.StartElementHandler = refuse, stop
    # What is not XML is refused with its line by the parser that follows.
    with suppress(StopIteration, expat.ExpatError, ValueError, LookupError):
        head.Parse(body, True)


def _statement(position: str, draft: Element) -> Iterator[Statement]:
    opening, closing = _balance(draft, OPENINGS), _balance(draft, CLOSINGS)
    stated = (
        _text(draft, "{*}Acct/{*}Ccy"),
        *(one.get("Ccy", "") for one in draft.iterfind("*/{*}Amt")),
    )
    currency = next(filter(None, stated), "")
    if not currency:
        raise Unreadable("no_currency", "it names no currency", "an amount with Ccy")
    entries = (
        (f"{position}, Ntry number {number}", entry)
        for number, entry in enumerate(draft.iterfind("{*}Ntry"), start=1)
        if _is_booked(entry)
    )
    lines = read_each(entries, lambda at, entry: _lines(at, entry, currency))
    account = _text(draft, "{*}Acct/{*}Id/{*}IBAN") or _text(draft, "{*}Acct/{*}Id/{*}Othr/{*}Id")
    yield Statement(
        "".join(account.split()),
        currency,
        tuple(lines),
        _as_balance(opening, currency),
        _as_balance(closing, currency),
        _text(draft, "{*}Id"),
        position,
    )


def _is_booked(entry: Element) -> bool:
    # The status is text up to version 7, and a code from version 8 on; some banks leave it out.
    return (_text(entry, "{*}Sts/{*}Cd") or _text(entry, "{*}Sts") or "BOOK") == "BOOK"


def _lines(position: str, entry: Element, currency: str) -> Iterator[Line]:
    """Yield a line for each payment of an entry if their amounts add up, else one line."""
    sign, whole = _sign(entry), _minor(entry.find("{*}Amt"), currency)
    valued_on = _day(entry, "{*}ValDt") or _day(entry, "{*}BookgDt")
    booked_on = _day(entry, "{*}BookgDt") or valued_on
    if booked_on is None or valued_on is None:
        raise Unreadable("bad_day", "it has no date", "BookgDt or ValDt")
    parts = entry.findall("{*}NtryDtls/{*}TxDtls")
    known = [amount for part in parts if (amount := _part(part, sign, currency)) is not None]
    made = partial(Line, booked_on, valued_on)
    if len(known) < 2 or len(known) < len(parts) or sum(known) != sign * whole:
        texts = _texts(entry.iter())
        yield made(sign * whole, references_in(texts), _shown(texts), position)
        return
    inside = {id(element) for part in parts for element in part.iter()}
    # References of the whole entry are those of each of its payments.
    of_all = _texts(element for element in entry.iter() if id(element) not in inside)
    for number, (part, amount) in enumerate(zip(parts, known, strict=True), start=1):
        texts = _texts(part.iter())
        at = f"{position}, TxDtls number {number}"
        yield made(amount, references_in([*texts, *of_all]), _shown(texts or of_all), at)


def _texts(elements: Iterable[Element]) -> list[str]:
    return [
        text for element in elements if _name(element) in NAMING and (text := element.text or "")
    ]


def _shown(texts: Iterable[str]) -> str:
    return one_line(" ".join(dict.fromkeys(texts)))


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _part(part: Element, sign: int, currency: str) -> int | None:
    """Return the signed amount of a payment in the entry's currency, if it has one."""
    own = _text(part, "{*}CdtDbtInd")
    for path in ("{*}Amt", "{*}AmtDtls/{*}TxAmt/{*}Amt"):
        found = part.find(path)
        if found is not None and found.get("Ccy", currency) == currency:
            return (_sign(part) if own else sign) * _minor(found, currency)
    return None


def _sign(element: Element) -> int:
    text = _text(element, "{*}CdtDbtInd")
    if text not in SIGNS:
        raise Unreadable("bad_sign", f"CdtDbtInd is {text[:20]!r}", "CRDT or DBIT")
    return SIGNS[text]


def _minor(element: Element | None, currency: str) -> int:
    text = "" if element is None else (element.text or "").strip()
    if not FIGURE.fullmatch(text):
        raise Unreadable("bad_amount", f"Amt is {text[:40]!r}", "an amount such as 1234.50")
    if element is not None and element.get("Ccy", currency) != currency:
        raise Unreadable("bad_currency", f"Amt is in {element.get('Ccy')}", currency)
    return as_minor(Decimal(text), currency)


def _day(element: Element, path: str) -> date | None:
    """Return the day as the bank writes it, in its own time zone, or None without one."""
    text = _text(element, f"{path}/{{*}}Dt") or _text(element, f"{path}/{{*}}DtTm")
    if not text:
        return None
    if re.fullmatch(r"\d{4}-\d\d-\d\d([T+Z-].*)?", text, re.ASCII):
        with suppress(ValueError):
            return date.fromisoformat(text[:10])
    raise Unreadable("bad_day", f"{text[:20]!r} is not a day", "YYYY-MM-DD")


def _balance(draft: Element, codes: tuple[str, ...]) -> Element | None:
    """Return the balance of the first of these kinds; of two of a kind by their days."""
    of_kind: dict[str, list[Element]] = {}
    for balance in draft.iterfind("{*}Bal"):
        of_kind.setdefault(_text(balance, "{*}Tp/{*}CdOrPrtry/{*}Cd"), []).append(balance)
    for code in codes:
        if found := of_kind.get(code):
            found.sort(key=lambda one: _day(one, "{*}Dt") or date.min)
            return found[-1] if codes == CLOSINGS else found[0]
    return None


def _as_balance(element: Element | None, currency: str) -> Balance | None:
    if element is None:
        return None
    return Balance(
        _sign(element) * _minor(element.find("{*}Amt"), currency), _day(element, "{*}Dt")
    )


def _text(element: Element, path: str) -> str:
    return (element.findtext(path) or "").strip()
