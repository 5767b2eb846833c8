"""Addresses of the documentation built by `make docs`, for templates and code."""

from __future__ import annotations

from typing import Final

from django import template
from django.conf import settings
from django.utils.translation import get_language

register = template.Library()

# Pages in this folder are also in the folder of each of these languages.
TRANSLATED: Final = "players/"
LANGUAGES: Final = frozenset({"hi"})


@register.simple_tag
def document_url(page: str) -> str:
    """Return the address of a page such as "players/money/", if possible in the reader's language.

    Empty where the documentation has not been built.
    """
    if not settings.WHITENOISE_ROOT:
        return ""
    language = (get_language() or "").partition("-")[0]
    if page.startswith(TRANSLATED) and language in LANGUAGES:
        page = f"{language}/{page.removeprefix(TRANSLATED)}"
    return f"/docs/{page}"
