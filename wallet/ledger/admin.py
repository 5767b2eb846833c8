"""Accounts, transfers, entries and booked days."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from core.admin.links import link_column, link_to, link_to_list
from core.admin.read_only import OnceCountedList, ReadOnlyAdmin, ReadOnlyInline
from wallet.audit.models import AccountFreeze
from wallet.bonuses.models import BonusGrant
from wallet.ledger.admin_columns import accounts_of, actor_column, amount_column, money_column
from wallet.ledger.models import Account, BookedDay, Entry, Transfer
from wallet.stakes.models import Stake


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("kind", "owner", "shard", "balance", "status", "version", "created_at")
    list_filter = ("kind", "currency", "status")
    list_select_related = ("player",)
    ordering = ("-pk",)
    # Corrections search for "promotions INR" or "asha winnings".
    search_fields = ("=public_id", "kind", "currency", "ref", "player__handle", "player__email")
    date_hierarchy = "created_at"
    fields = (
        "public_id",
        "kind",
        "owner",
        "ref",
        "shard",
        "currency",
        "balance",
        "floor",
        "version",
        "status",
        "freezes",
        "created_at",
        "entries",
        "stakes",
        "bonuses",
    )

    floor = amount_column("floor_minor", gettext_lazy("Never below"))

    @admin.display(description=gettext_lazy("Belongs to"), ordering="player")
    def owner(self, account: Account) -> str:
        return (
            link_to(account.player) if account.player else account.ref_text or gettext("operator")
        )

    balance = money_column("balance", gettext_lazy("Balance"), ordering="balance_minor")

    @admin.display(description=gettext_lazy("Freezes and thaws"))
    def freezes(self, account: Account) -> str:
        number = account.freezes.count()
        return link_to_list(AccountFreeze, str(number), account__id__exact=account.pk)

    @admin.display(description=gettext_lazy("Entries"))
    def entries(self, account: Account) -> str:
        return link_to_list(Entry, str(account.version), account__id__exact=account.pk)

    @admin.display(description=gettext_lazy("Stakes"))
    def stakes(self, account: Account) -> str:
        number = account.stakes.count()
        return link_to_list(Stake, str(number), escrow__id__exact=account.pk)

    @admin.display(description=gettext_lazy("Bonuses"))
    def bonuses(self, account: Account) -> str:
        number = account.bonus_grants.count()
        return link_to_list(BonusGrant, str(number), account__id__exact=account.pk)


class EntryInline(ReadOnlyInline):
    model = Entry
    fields = ("where", "amount", "left", "account_version")
    hide_title = True

    where = link_column("account", gettext_lazy("Account"))

    amount = money_column("amount", gettext_lazy("Amount"))
    left = money_column("balance_after", gettext_lazy("Balance after"))


class ActorsNamed(OnceCountedList):
    """A list of transfers that reads the accounts of all actors at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        people = accounts_of([transfer.actor for transfer in self.result_list])
        for transfer in self.result_list:
            transfer.person = people.get(transfer.actor)


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    list_display = ("key", "kind", "booked_on", "created_at", "entry_count", "memo", "by")
    list_filter = ("kind", "booked_on")
    search_fields = ("=public_id", "key", "memo", "actor")
    date_hierarchy = "booked_on"
    inlines = (EntryInline,)
    fields = (
        "public_id",
        "key",
        "kind",
        "entry_count",
        "memo",
        "by",
        "booked_on",
        "effective_at",
        "created_at",
        "xid",
        "undoes",
        "undone_by",
        "stake_paid",
    )

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ActorsNamed]:
        return ActorsNamed

    by = actor_column("actor", gettext_lazy("By"))

    undoes = link_column("reverses", gettext_lazy("Reverses"))

    undone_by = link_column("reversed_by", gettext_lazy("Reversed by"))
    stake_paid = link_column("stake", gettext_lazy("Stake"))


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("booked_on", "moved_by", "where", "amount", "left", "account_version")
    list_filter = ("currency", "account__kind", "transfer__kind", "transfer__booked_on")
    list_select_related = ("transfer", "account__player")
    search_fields = (
        "transfer__key",
        "=account__public_id",
        "=account__player__public_id",
        "account__player__handle",
    )
    date_hierarchy = "transfer__booked_on"
    ordering = ("-id",)
    list_display_links = ("amount",)
    fields = ("moved_by", "where", "currency", "amount", "left", "account_version")

    @admin.display(ordering="transfer__booked_on")
    def booked_on(self, entry: Entry) -> str:
        return entry.transfer.booked_on.isoformat()

    moved_by = link_column("transfer", gettext_lazy("Transfer"))
    where = link_column("account", gettext_lazy("Account"))

    amount = money_column("amount", gettext_lazy("Amount"), ordering="amount_minor")
    left = money_column("balance_after", gettext_lazy("Balance after"))


@admin.register(BookedDay)
class BookedDayAdmin(ReadOnlyAdmin):
    list_display = ("day", "ended_at", "closed_at", "transfers")
    date_hierarchy = "day"
    ordering = ("-day",)

    @admin.display(description=gettext_lazy("Transfers"))
    def transfers(self, booked: BookedDay) -> str:
        return link_to_list(Transfer, gettext("Show"), booked_on=booked.day.isoformat())
