"""Columns that rows of players' money have in common."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy

from core.admin.links import link_to
from wallet.ledger.money import as_text


class OfPlayer:
    """For rows with a `player`."""

    @admin.display(description=gettext_lazy("Player"), ordering="player__handle")
    def who(self, row: Any) -> str:
        return link_to(row.player)


class OfAmount:
    """For rows with an `amount` that is kept as `amount_minor`."""

    @admin.display(description=gettext_lazy("Amount"), ordering="amount_minor")
    def figure(self, row: Any) -> str:
        return as_text(row.amount)
