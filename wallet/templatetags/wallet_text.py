"""Money on pages, whether it is offered, and names; the settings load this into every template."""

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
    """Return an amount as messages write it, never broken over two lines."""
    return as_text(amount).replace(" ", "\xa0")
