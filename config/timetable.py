"""The tasks' queues and the schedule of periodic tasks; overdue messages expire."""

from __future__ import annotations

from typing import Any, Final

from celery.schedules import crontab


def _every(seconds: float, task: str, **options: Any) -> dict[str, Any]:
    """Return an entry whose message expires when the next one is due."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds, **options}}


def _nightly(hour: int, minute: int, task: str) -> dict[str, Any]:
    """Return an entry for once a day, in UTC (India is five and a half hours ahead)."""
    schedule = crontab(hour=str(hour), minute=str(minute))
    return {"task": task, "schedule": schedule, "options": {"expires": 3600.0}}


TIMETABLE: Final[dict[str, dict[str, Any]]] = {
    "sweep-clock": _every(1.0, "tables.sweep_clock", queue="clock"),
    # In the queue of turn timers, which no other work fills while a session is stuck.
    "end-stuck-sessions": {
        "task": "wallet.end_stuck_sessions",
        "schedule": 10.0,
        "options": {"expires": 60.0, "queue": "clock"},
    },
    "sweep-tournaments": _every(1.0, "tournaments.sweep_tournaments"),
    "open-scheduled": _every(10.0, "tournaments.open_scheduled"),
    "sweep-seasons": _every(10.0, "tournaments.sweep_seasons"),
    "withdraw-stopped": _every(30.0, "tournaments.withdraw_stopped"),
    "notify-of-starts": _every(10.0, "tournaments.notify_of_starts"),
    "seal-ledger": _every(5.0, "wallet.seal_ledger"),
    "mail-notifications": _every(30.0, "players.mail_notifications"),
    "push-notifications": _every(30.0, "players.push_notifications"),
    "notify-of-place-changes": _every(3600.0, "players.notify_of_recent_place_changes"),
    "ask-identity-providers": _every(60.0, "players.ask_identity_providers"),
    "call-away-players": _every(3.0, "tables.call_away_players"),
    "rate-games": _every(5.0, "tables.rate_games"),
    "apply-gateway-events": _every(5.0, "wallet.apply_gateway_events"),
    "sweep-exports": _every(30.0, "finance.sweep_exports"),
    "sweep-webhooks": _every(5.0, "finance.sweep_webhooks"),
    "close-forgotten": _every(60.0, "tables.close_forgotten"),
    "expire-bonuses": _every(60.0, "wallet.expire_bonuses"),
    "report-overdue": _every(300.0, "wallet.report_overdue"),
    "report-late-seals": _every(300.0, "wallet.report_late_seals"),
    "send-seal-heads": _every(3600.0, "wallet.send_seal_heads"),
    "check-new-rows": _every(900.0, "wallet.check_new_rows"),
    "report-owed": _every(3600.0, "wallet.report_owed"),
    "close-unpaid-orders": _every(300.0, "wallet.close_unpaid_orders"),
    # Retries a day that a running transaction keeps open.
    "close-days": _every(600.0, "finance.close_days"),
    # After midnight in India.
    "settle-tax-year": _nightly(18, 40, "wallet.settle_tax_year"),
    "forget-old-requests": _nightly(21, 0, "wallet.forget_old_requests"),
    "close-lost-guests": _nightly(21, 30, "players.close_lost_guests"),
    "delete-old-notifications": _nightly(21, 45, "players.delete_old_notifications"),
    "end-identity-checks": _nightly(21, 50, "players.end_identity_checks"),
    "forget-numbers": _nightly(21, 55, "players.forget_numbers"),
    "forget-events": _nightly(21, 55, "finance.forget_events"),
    # Creates months ahead, so that a night on which the tables were in use does no harm.
    "make-months": _nightly(22, 30, "tables.make_months"),
    "find-collusion": _nightly(20, 15, "tables.find_collusion"),
    "check-books": _nightly(22, 0, "wallet.check_books"),
}
# The kind of login of a queue's workers (docs/ledger.md, Logins); `web` for all others.
KINDS: Final = {
    "settle": "settle",
    "exports": "settle",
    "messages": "settle",
    "intake": "intake",
}
# The queue of a task by name; `settle` for all others.
QUEUES: Final = {
    "tables.sweep_clock": {"queue": "clock"},
    "tables.play_bots": {"queue": "bots"},
    # Leaving makes a move, which only the web login may write.
    "tables.leave_seat": {"queue": "bots"},
    "tables.play_due_bots": {"queue": "bots"},
    # Takes seconds of processor time.
    "tables.compute_chances": {"queue": "exports"},
    # Listed before `finance.*`, so that they do not wait for exports.
    "finance.sweep_webhooks": {"queue": "messages"},
    "finance.deliver_webhooks": {"queue": "messages"},
    "finance.mail_export": {"queue": "messages"},
    # Deposits must not wait for long tasks; intake workers only receive gateway events.
    "wallet.apply_gateway_event": {"queue": "settle"},
    "wallet.apply_gateway_events": {"queue": "settle"},
    "wallet.deliver_sandbox_events": {"queue": "intake"},
    "wallet.*": {"queue": "exports"},
    "finance.*": {"queue": "exports"},
    "players.*": {"queue": "messages"},
}
