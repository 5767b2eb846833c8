"""Template filters for money, loaded into every template by the settings."""

from django import template
from moneyed import Money

from core.text_validation import named
from wallet.ledger.cash_offered import is_cash_offered
from wallet.ledger.money import as_text

register = template.Library()

register.filter("is_cash_offered", is_cash_offered)
register.filter("named", named)


@register.filter
def money(amount: Money) -> str:
    """Return an amount as text with no-break spaces."""
    return as_text(amount).replace(" ", "\xa0")
