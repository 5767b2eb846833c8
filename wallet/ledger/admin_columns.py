"""Admin columns and mixins for models that hold money, and what a preview shows of entries."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db import connection
from django.utils.translation import gettext_lazy

from core.admin.links import link_to
from core.admin.previews import MovedLine
from players.accounts.models import User
from wallet.ledger.models import Entry
from wallet.ledger.money import as_money, as_text, percent


def amount_column(column: str, label: Any, *, currency: str = "currency") -> Any:
    """Return a column that shows minor units as an amount; `currency` is an attribute path."""
    parts = attrgetter(column, currency)

    @admin.display(description=label, ordering=column)
    def shown(page: Any, row: Any) -> str:
        minor, code = parts(row)
        return "-" if minor is None else as_text(as_money(minor, code))

    return shown


def money_column(path: str, label: Any, *, ordering: str | None = None) -> Any:
    """Return a column that shows the `Money` at an attribute path."""
    money = attrgetter(path)

    @admin.display(description=label, ordering=ordering)
    def shown(page: Any, row: Any) -> str:
        return as_text(money(row))

    return shown


def share_column(column: str, label: Any) -> Any:
    """Return a column that shows basis points as a percentage."""

    @admin.display(description=label, ordering=column)
    def shown(page: Any, row: Any) -> str:
        bps = getattr(row, column)
        return "-" if bps is None else f"{percent(bps)} %"

    return shown


def actor_column(column: str, label: Any) -> Any:
    """Return a column that shows an actor (`User.actor`) as the account; others as their text.

    A row may have its account as `person`, read with those of the other rows.
    """

    @admin.display(description=label, ordering=column)
    def shown(page: Any, row: Any) -> str:
        actor = getattr(row, column)
        person = row.person if hasattr(row, "person") else accounts_of([actor]).get(actor)
        return link_to(person) if person else actor or "-"

    return shown


def accounts_of(actors: Iterable[str]) -> dict[str, User]:
    """Return the accounts of the actors that are people, by one query."""
    ids = []
    for actor in actors:
        kind, _, public_id = actor.partition(":")
        with suppress(ValueError):  # Not a public id.
            ids += [UUID(public_id)] if kind == "player" else []
    return {person.actor: person for person in User.objects.filter(public_id__in=ids)}


class OfPlayer:
    """A player column for models with a `player`, and the fields to search them by."""

    BY_PLAYER = ("=player__public_id", "player__handle", "player__email")

    @admin.display(description=gettext_lazy("Player"), ordering="player__handle")
    def who(self, row: Any) -> str:
        return link_to(row.player)


class OfAmount:
    """An amount column for models with `amount_minor`."""

    @admin.display(description=gettext_lazy("Amount"), ordering="amount_minor")
    def figure(self, row: Any) -> str:
        return as_text(row.amount)


def moved_now() -> list[MovedLine]:
    """Return the entries of this transaction's transfers in posting order."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()::text::bigint")
        [xid] = cursor.fetchone()
    entries = Entry.objects.filter(transfer__xid=xid).select_related("transfer", "account__player")
    return [
        MovedLine(
            what=entry.transfer.get_kind_display(),
            account=entry.account.picker_label,
            amount=as_text(entry.amount),
            left=as_text(entry.balance_after),
        )
        for entry in entries.order_by("pk")
    ]
