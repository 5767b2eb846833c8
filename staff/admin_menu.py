"""What the staff's pages are called and what their menu offers, to whom it opens."""

from typing import Any

from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy


def _queue(name: str, title: Any, model: str) -> dict[str, Any]:
    """Return the entry of a queue of `staff.dashboard.queues`, with the number that waits."""
    return {
        "title": title,
        "link": reverse_lazy(f"admin:{model}_changelist"),
        "badge": f"staff.dashboard.queues.{name}_badge",
        "badge_variant": "warning" if name == "withdrawals" else "info",
        "permission": f"staff.dashboard.queues.sees_{name}",
    }


ADMIN_MENU: dict[str, Any] = {
    "SITE_TITLE": "Pool Rummy",
    "SITE_HEADER": "Pool Rummy",
    "SITE_SUBHEADER": "Staff",
    "SITE_URL": reverse_lazy("lobby"),
    "SHOW_HISTORY": True,
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("img/mark.svg")}
    ],
    "STYLES": [lambda request: static("css/admin.css")],
    "DASHBOARD_CALLBACK": "staff.dashboard.dashboard.dashboard",
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": True,
        "navigation": [
            {
                "items": [
                    {"title": gettext_lazy("Today"), "link": reverse_lazy("admin:index")},
                    {
                        "title": gettext_lazy("Live tables"),
                        "link": reverse_lazy("admin:tables_table_live"),
                        "permission": "tables.integrity.moderation.live_admin.sees_tables",
                    },
                    {
                        "title": gettext_lazy("Players"),
                        "link": reverse_lazy("admin:players_user_changelist"),
                        "permission": "players.sign_in.users_admin.sees_players",
                    },
                    {
                        "title": gettext_lazy("Cases"),
                        "link": reverse_lazy("cases"),
                        "badge": "staff.cases.pages.cases_badge",
                        "badge_variant": "info",
                        "permission": "staff.cases.pages.sees_cases",
                    },
                    {
                        "title": gettext_lazy("Markers of harm"),
                        "link": reverse_lazy("harm"),
                        "permission": "staff.players.harm_page.sees_harm",
                    },
                    {
                        "title": gettext_lazy("Owed in closed places"),
                        "link": reverse_lazy("closed-places"),
                        "permission": "staff.players.closed_places_page.sees_closed_places",
                    },
                    {
                        "title": gettext_lazy("What staff did"),
                        "link": reverse_lazy("admin:core_auditentry_changelist"),
                        "permission": "core.admin.audit_entries.sees_audit_entries",
                    },
                ],
            },
            {
                "title": gettext_lazy("What waits"),
                "items": [
                    _queue("withdrawals", gettext_lazy("Withdrawals"), "wallet_withdrawal"),
                    _queue("adjustments", gettext_lazy("Adjustments"), "wallet_adjustment"),
                    _queue("bonuses", gettext_lazy("Bonus requests"), "wallet_bonusrequest"),
                    _queue("tasks", gettext_lazy("Tasks for staff"), "wallet_stafftask"),
                    _queue(
                        "returns",
                        gettext_lazy("Refunds and disputes of payments"),
                        "wallet_paymentreturn",
                    ),
                    _queue("terms", gettext_lazy("Terms of deposits"), "wallet_depositterm"),
                    _queue(
                        "settlements",
                        gettext_lazy("Settlements of gateways"),
                        "wallet_gatewaysettlement",
                    ),
                    _queue("residences", gettext_lazy("Tax residences"), "wallet_taxresidence"),
                    _queue("regions", gettext_lazy("Changes of regions"), "players_regionchange"),
                    _queue(
                        "freezes",
                        gettext_lazy("Freezes of all withdrawals"),
                        "wallet_withdrawalfreeze",
                    ),
                    _queue(
                        "refunds", gettext_lazy("Refunds of tickets"), "tournaments_ticketrefund"
                    ),
                    _queue(
                        "aborts", gettext_lazy("Acts on tournaments"), "tournaments_staffaction"
                    ),
                    _queue("disputes", gettext_lazy("Disputes"), "tables_dispute"),
                    _queue("pairs", gettext_lazy("Pairs to review"), "tables_reviewflag"),
                    _queue("findings", gettext_lazy("Findings of collusion"), "tables_finding"),
                ],
            },
        ],
    },
}
