"""The menu of the admin: staff pages, and the queues of pending work with their counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import lazy
from django.utils.translation import gettext as _

from finance.reports.exports.readers import readable_by
from players.accounts.models import User
from staff.cases.queue import number_waiting
from staff.dashboard.queues import FREEZES, QUEUES, withdrawals_badge


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of the menu; a badge is counted only if it is shown."""
    user = cast(User, request.user)

    def entry(
        title: Any, url: str, permission: str, badge: Callable[[], str] | None = None
    ) -> dict[str, Any]:
        shown = {"title": title, "link": url, "permission": lambda _: user.has_perm(permission)}
        if badge is None:
            return shown
        # Unfold's template shows `badge_callback` if there is a `badge`.
        counted = {"badge": "count", "badge_callback": lazy(badge, str)()}
        return {**shown, **counted, "badge_variant": "info"}

    def cases_badge() -> str:
        return _("%(n)s waiting") % {"n": number_waiting(user)}

    def of(model: str) -> str:
        return reverse(f"admin:{model}_changelist")

    withdrawals = entry(
        _("Withdrawals"), of("wallet_withdrawal"), "wallet.view_withdrawal", withdrawals_badge
    )
    queues = [
        entry(queue.title, of(queue.model), queue.permission, queue.badge)
        for queue in (FREEZES, *QUEUES)
    ]
    pages = [
        {"title": _("Today"), "link": reverse("admin:index")},
        entry(_("Live tables"), reverse("admin:tables_table_live"), "tables.view_table"),
        entry(_("Players"), of("players_user"), "players.view_user"),
        entry(_("Cases"), reverse("cases"), "players.view_case", cases_badge),
        entry(_("Markers of harm"), reverse("harm"), "players.view_ownlimit"),
        entry(_("Wind-down"), reverse("wind-down"), "wallet.view_account"),
        {
            "title": _("Reports"),
            "link": reverse("reports"),
            "permission": lambda _: bool(readable_by(user)),
        },
        {
            "title": _("Setup"),
            "link": reverse("setup"),
            "permission": lambda _: user.is_superuser,
        },
        entry(_("Staff actions"), of("core_auditentry"), "core.view_auditentry"),
    ]
    return [
        {"items": pages},
        {
            "title": _("Pending work"),
            "items": [{**withdrawals, "badge_variant": "warning"}, *queues],
        },
    ]
