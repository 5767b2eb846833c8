"""The rows of the lobby, rendered once for all viewers who see the same."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from django import template
from django.template.loader import get_template
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, gettext

from tables.lobby.offers import KindRow, Offer

register = template.Library()

TEMPLATE: Final = "tables/_kind_row.html"
# Stands for the viewer's token, in the rows whose form needs one.
PLACE: Final = "TokenOfTheViewer"


@register.simple_tag(takes_context=True)
def kind_row(context: Any, kind: KindRow) -> str:
    """Return the row of a kind of table, with the button that `offer` of the context gives it.

    A kind whose price exceeds `limits` of the context leads to the player's own limits instead.
    """
    offer: Offer = context["offer"]
    if offer.is_open and not context["limits"].verdict(kind.least).is_allowed:
        address = f"{reverse('own-play')}#limits"
        text = gettext("Over your limit")
        offer = Offer(is_open=False, text=text, address=address, is_off=True)
    row = _shared(kind, offer, get_language())
    # A SafeString's own method returns text that templates would escape.
    return mark_safe(row.replace(PLACE, str(context["csrf_token"])))  # noqa: S308  Letters and digits.


@lru_cache(maxsize=1_000)
def _shared(kind: KindRow, offer: Offer, language: str | None) -> str:
    """Return the row in the active language, with `PLACE` in place of the viewer's.

    It depends on nothing but the arguments.
    """
    return get_template(TEMPLATE).render({"kind": kind, "offer": offer, "csrf_token": PLACE})
