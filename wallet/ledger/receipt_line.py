"""The lines of a receipt's calculation."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from moneyed import Money

from wallet.ledger.models import Entry
from wallet.ledger.money import as_money


@dataclass(frozen=True)
class Line:
    """One step of a calculation."""

    text: str
    money: Money
    is_result: bool = False


Description = tuple[str, tuple[Line, ...]]


def moved(entries: tuple[Entry, ...]) -> tuple[Line, ...]:
    """Return a line for each of the player's accounts that a transfer moved."""
    return tuple(
        Line(to_bucket(entry), entry.amount)
        if entry.amount_minor > 0
        else Line(from_bucket(entry), entry.amount)
        for entry in entries
    )


def total(entries: tuple[Entry, ...]) -> Money:
    return as_money(sum(entry.amount_minor for entry in entries), entries[0].currency)


def from_bucket(entry: Entry) -> str:
    return _("From %(bucket)s") % {"bucket": entry.account.get_kind_display().lower()}


def to_bucket(entry: Entry) -> str:
    return _("To %(bucket)s") % {"bucket": entry.account.get_kind_display().lower()}
