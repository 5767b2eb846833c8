"""Links to the documentation."""

from __future__ import annotations

from django import template

from core.http import documents

register = template.Library()


@register.simple_tag
def document_url(page: str) -> str:
    """Return the address of a page of the documentation; empty where it has not been built."""
    return documents.document_url(page)
