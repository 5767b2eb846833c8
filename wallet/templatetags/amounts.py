"""Amounts of money on pages; the settings load this into every template."""

from django import template
from moneyed import Money

from wallet.ledger.money import as_text

register = template.Library()


@register.filter
def money(amount: Money) -> str:
    """Return an amount as messages write it, never broken over two lines."""
    return as_text(amount).replace(" ", "\xa0")
