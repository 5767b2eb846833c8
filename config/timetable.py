"""What the house does without being asked, and how often; a late message expires unread."""

from __future__ import annotations

from typing import Any, Final

from celery.schedules import crontab

TIMETABLE: Final[dict[str, dict[str, Any]]] = {
    "sweep-clock": {
        "task": "tables.tasks.sweep_clock",
        "schedule": 1.0,
        "options": {"queue": "clock", "expires": 1.0},
    },
    "close-forgotten": {
        "task": "tables.tasks.close_forgotten",
        "schedule": 60.0,
        "options": {"expires": 60.0},
    },
    "sweep-tournaments": {
        "task": "tournaments.tasks.sweep_tournaments",
        "schedule": 1.0,
        "options": {"expires": 1.0},
    },
    "seal-ledger": {
        "task": "wallet.tasks.seal_ledger",
        "schedule": 5.0,
        "options": {"expires": 5.0},
    },
    "expire-bonuses": {
        "task": "wallet.tasks.expire_bonuses",
        "schedule": 60.0,
        "options": {"expires": 60.0},
    },
    "report-overdue": {
        "task": "wallet.tasks.report_overdue",
        "schedule": 300.0,
        "options": {"expires": 300.0},
    },
    "close-unpaid-orders": {
        "task": "wallet.tasks.close_unpaid_orders",
        "schedule": 300.0,
        "options": {"expires": 300.0},
    },
    "forget-old-requests": {
        "task": "wallet.tasks.forget_old_requests",
        "schedule": crontab(hour="21", minute="0"),
        "options": {"expires": 3600.0},
    },
    "mail-notices": {
        "task": "players.tasks.mail_notices",
        "schedule": 30.0,
        "options": {"expires": 30.0},
    },
    "forget-old-notices": {
        "task": "players.tasks.forget_old_notices",
        "schedule": crontab(hour="21", minute="45"),
        "options": {"expires": 3600.0},
    },
    "close-lost-guests": {
        "task": "players.tasks.close_lost_guests",
        "schedule": crontab(hour="21", minute="30"),
        "options": {"expires": 3600.0},
    },
    "settle-tax-year": {
        "task": "wallet.tasks.settle_tax_year",
        "schedule": crontab(hour="18", minute="40"),  # UTC: ten past midnight in India.
        "options": {"expires": 3600.0},
    },
    "close-days": {
        "task": "finance.tasks.close_days",
        "schedule": crontab(hour="18", minute="35"),  # UTC: five past midnight in India.
        "options": {"expires": 3600.0},
    },
    "sweep-exports": {
        "task": "finance.tasks.sweep_exports",
        "schedule": 30.0,
        "options": {"expires": 30.0},
    },
    "check-books": {
        "task": "wallet.tasks.check_books",
        "schedule": crontab(hour="22", minute="0"),  # UTC: half past three at night in India.
        "options": {"expires": 3600.0},
    },
}
