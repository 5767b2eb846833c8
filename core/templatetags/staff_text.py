"""Filters of staff pages."""

from __future__ import annotations

from django import template

from core.pages.dates import dated

register = template.Library()
register.filter("dated", dated)
