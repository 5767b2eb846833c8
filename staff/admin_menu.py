"""What the staff's pages are called and what their menu offers, to whom it opens."""

from typing import Any

from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy

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
                        "permission": "tables.moderation.live_admin.sees_tables",
                    },
                    {
                        "title": gettext_lazy("Players"),
                        "link": reverse_lazy("admin:players_user_changelist"),
                        "permission": "players.sign_in.users_admin.sees_players",
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
                    {
                        "title": gettext_lazy("Withdrawals"),
                        "link": reverse_lazy("admin:wallet_withdrawal_changelist"),
                        "badge": "wallet.desk.badges.late_withdrawals",
                        "badge_variant": "warning",
                        "permission": "wallet.desk.badges.sees_withdrawals",
                    },
                    {
                        "title": gettext_lazy("Adjustments"),
                        "link": reverse_lazy("admin:wallet_adjustment_changelist"),
                        "badge": "wallet.desk.badges.undecided_adjustments",
                        "badge_variant": "info",
                        "permission": "wallet.desk.badges.sees_adjustments",
                    },
                    {
                        "title": gettext_lazy("Bonus requests"),
                        "link": reverse_lazy("admin:wallet_bonusrequest_changelist"),
                        "badge": "wallet.desk.badges.undecided_bonuses",
                        "badge_variant": "info",
                        "permission": "wallet.desk.badges.sees_bonuses",
                    },
                    {
                        "title": gettext_lazy("Tasks for staff"),
                        "link": reverse_lazy("admin:wallet_stafftask_changelist"),
                        "badge": "wallet.desk.badges.undone_tasks",
                        "badge_variant": "info",
                        "permission": "wallet.desk.badges.sees_tasks",
                    },
                    {
                        "title": gettext_lazy("Refunds and disputes of payments"),
                        "link": reverse_lazy("admin:wallet_paymentreturn_changelist"),
                        "permission": "wallet.desk.badges.sees_tasks",
                    },
                    {
                        "title": gettext_lazy("Disputes"),
                        "link": reverse_lazy("admin:tables_dispute_changelist"),
                        "badge": "tables.moderation.dispute_admin.pending_disputes",
                        "badge_variant": "info",
                        "permission": "tables.moderation.dispute_admin.sees_disputes",
                    },
                ],
            },
        ],
    },
}
