"""The menu of the admin in four groups: pages, and queues with the number of pending rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, cast

from django.apps import apps
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from core.clock import database_now
from finance.reports.catalogue import readable_by
from players.accounts.models import User
from staff.cases.queue import number_waiting
from staff.dashboard.queues import (
    FREEZES,
    MONEY,
    PEOPLE,
    PLAY,
    QUEUES,
    SYSTEM,
    WITHDRAWALS,
)
from wallet.withdrawals.models import Withdrawal

# Material Symbols of the entries, by the name of their list.
ICONS: Final = {
    "wallet_withdrawal": "account_balance",
    "wallet_adjustment": "balance",
    "wallet_bonusrequest": "redeem",
    "wallet_stafftask": "task_alt",
    "wallet_paymentreturn": "undo",
    "wallet_depositterm": "hourglass_empty",
    "wallet_gatewaysettlement": "handshake",
    "wallet_taxresidence": "public",
    "wallet_withdrawalfreeze": "ac_unit",
    "players_identitycheck": "badge",
    "players_regionchange": "map",
    "tournaments_ticketrefund": "confirmation_number",
    "tournaments_staffaction": "emoji_flags",
    "tables_dispute": "gavel",
    "tables_playerreport": "flag",
    "tables_reviewflag": "group",
    "tables_finding": "policy",
}


# Whether a request may see an entry.
Allowed = Callable[[HttpRequest], bool]


class Badge:
    """A number counted when a template needs it; false, and not shown, if it is 0."""

    def __init__(self, count: Callable[[], int], text: Callable[[int], str] = str) -> None:
        self._count, self._text = count, text

    @cached_property
    def number(self) -> int:
        return self._count()

    def __bool__(self) -> bool:
        return self.number > 0

    def __str__(self) -> str:
        return self._text(self.number)


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of the menu; a badge is counted only for those who may see the entry."""
    user = cast(User, request.user)

    def entry(
        title: Any, icon: str, name: str, allowed: str | Allowed, badge: Badge | None = None
    ) -> dict[str, Any]:
        shown = {"title": title, "icon": icon, "link": reverse(name)}
        counted = {"badge": badge, "badge_variant": "warning"} if badge is not None else {}
        permission = (lambda _: user.has_perm(allowed)) if isinstance(allowed, str) else allowed
        return {**shown, **counted, "permission": permission}

    def listed(icon: str, model: str, badge: Badge | None = None) -> dict[str, Any]:
        """Return the entry of a list, under the name that the list has itself."""
        app, _underscore, name = model.partition("_")
        title = capfirst(apps.get_model(app, name)._meta.verbose_name_plural)
        return entry(title, icon, f"admin:{model}_changelist", f"{app}.view_{name}", badge)

    def queues(group: str) -> list[dict[str, Any]]:
        chosen = [each for each in (*QUEUES, FREEZES) if each.group == group]
        return [
            listed(ICONS[each.model], each.model, Badge(each.count))
            for each in chosen
            if each not in WITHDRAWALS
        ]

    withdrawals = Badge(Withdrawal.objects.pending().count, _with_late)
    cases = Badge(lambda: number_waiting(user))
    groups: dict[str, list[dict[str, Any]]] = {
        PLAY: [
            entry(
                _("Live tables"), "playing_cards", "admin:tables_table_live", "tables.view_table"
            ),
            listed("trophy", "tournaments_tournament"),
            *queues(PLAY),
        ],
        MONEY: [
            listed("account_balance", "wallet_withdrawal", withdrawals),
            listed("add_card", "wallet_deposit"),
            listed("swap_horiz", "wallet_transfer"),
            entry(_("Reports"), "summarize", "reports", lambda _: bool(readable_by(user))),
            *queues(MONEY),
        ],
        PEOPLE: [
            listed("person", "players_user"),
            entry(_("Cases"), "forum", "cases", "players.view_case", cases),
            *queues(PEOPLE),
            entry(_("Markers of harm"), "health_and_safety", "harm", "players.view_ownlimit"),
        ],
        SYSTEM: [
            listed("fact_check", "wallet_auditrun"),
            listed("history", "core_auditentry"),
            entry(_("Setup"), "checklist", "setup", lambda _: user.is_superuser),
            entry(_("Wind-down"), "logout", "wind-down", "wallet.view_account"),
        ],
    }
    titles = {PLAY: _("Play"), MONEY: _("Money"), PEOPLE: _("People"), SYSTEM: _("System")}
    return [
        {"items": [{"title": _("Today"), "icon": "today", "link": reverse("admin:index")}]},
        *({"title": titles[group], "items": items} for group, items in groups.items()),
    ]


def _list(model: str) -> str:
    return reverse(f"admin:{model}_changelist")


def _with_late(pending: int) -> str:
    """Return the number of pending withdrawals, and of overdue ones among them (RB 11.2)."""
    late = Withdrawal.objects.overdue(database_now()).count()
    return _("%(n)s, %(late)s late") % {"n": pending, "late": late} if late else str(pending)
