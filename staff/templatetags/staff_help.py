"""The link of each page of the admin to the documentation."""

from __future__ import annotations

from typing import Any

from django import template

from core.http.documents import document_url
from staff.dashboard.help_links import help_page

register = template.Library()


@register.simple_tag(takes_context=True)
def help_url(context: dict[str, Any]) -> str:
    """Return the address of the help for the present page; empty where it has not been built."""
    match = context["request"].resolver_match
    return document_url(help_page(match.view_name if match else ""))
