"""Settings of the admin site: titles and the menu with its permissions."""

from typing import Any

from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy


def _queue(name: str, title: Any, model: str) -> dict[str, Any]:
    """Return the menu entry of a queue in `staff.dashboard.queues`, with its count as a badge."""
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
                        "title": gettext_lazy("Wind-down"),
                        "link": reverse_lazy("wind-down"),
                        "permission": "staff.players.wind_down_page.sees_wind_down",
                    },
                    {
                        "title": gettext_lazy("Staff actions"),
                        "link": reverse_lazy("admin:core_auditentry_changelist"),
                        "permission": "core.admin.audit_entries.sees_audit_entries",
                    },
                ],
            },
            {
                "title": gettext_lazy("Pending work"),
                "items": [
                    _queue("withdrawals", gettext_lazy("Withdrawals"), "wallet_withdrawal"),
                    _queue("adjustments", gettext_lazy("Adjustments"), "wallet_adjustment"),
                    _queue("bonuses", gettext_lazy("Bonus requests"), "wallet_bonusrequest"),
                    _queue("tasks", gettext_lazy("Tasks for staff"), "wallet_stafftask"),
                    _queue(
                        "returns",
                        gettext_lazy("Payment refunds and disputes"),
                        "wallet_paymentreturn",
                    ),
                    _queue("terms", gettext_lazy("Deposit terms"), "wallet_depositterm"),
                    _queue(
                        "settlements",
                        gettext_lazy("Gateway settlements"),
                        "wallet_gatewaysettlement",
                    ),
                    _queue("residences", gettext_lazy("Tax residences"), "wallet_taxresidence"),
                    _queue("regions", gettext_lazy("Region changes"), "players_regionchange"),
                    _queue(
                        "freezes",
                        gettext_lazy("Withdrawal freezes"),
                        "wallet_withdrawalfreeze",
                    ),
                    _queue("refunds", gettext_lazy("Ticket refunds"), "tournaments_ticketrefund"),
                    _queue("aborts", gettext_lazy("Tournament actions"), "tournaments_staffaction"),
                    _queue("disputes", gettext_lazy("Disputes"), "tables_dispute"),
                    _queue("pairs", gettext_lazy("Pairs to review"), "tables_reviewflag"),
                    _queue("findings", gettext_lazy("Findings of collusion"), "tables_finding"),
                ],
            },
        ],
    },
}
