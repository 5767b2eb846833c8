"""The checks before a seat, for pages that offer one: what is missing, or why it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from moneyed import Money

from players.accounts.models import User
from players.eligibility.checklist import cash_checklist, steps_left
from players.eligibility.verdicts import Verdict, may
from tables.responsible.verdicts import sit_down_verdict
from wallet.deposits.debts import refuse_debtor
from wallet.exceptions import DebtOutstanding
from wallet.ledger.cash_offered import act_of
from wallet.stakes.losses import limits_left


def readiness(
    viewer: User | AnonymousUser,
    currency: str,
    *,
    price: Money | None = None,
    is_paid: bool = True,
    of_seats: Callable[[User], Verdict] = sit_down_verdict,
) -> dict[str, Any]:
    """Return whether the viewer may take a seat in this currency; if not, the checklist or why.

    The checks are those by which `tables.seats.seating.join` refuses a seat and
    `tournaments.entries.admission` an entry: the right to play; `of_seats`, the viewer's own limits
    on tables and time; their own limits on stakes and losses, if the least `price` is known; and
    debts, if the seat `is_paid` from the wallet. Visitors are not checked.

    Templates read `is_ready`, `steps` (the open checklist), `steps_left` (their number), `why_not`
    (one sentence) and `code` (of the refusal).
    """
    if not isinstance(viewer, User):
        return {"is_ready": True}
    verdict = may(viewer, act_of(currency))
    if verdict.is_allowed:
        verdict = of_seats(viewer)
    if verdict.is_allowed and price is not None:
        verdict = limits_left(viewer, currency).verdict(price)
    why_not, code = verdict.sentence, verdict.code
    if verdict.is_allowed and is_paid:
        try:
            refuse_debtor(player=viewer, currency=currency)
        except DebtOutstanding as debt:
            why_not, code = str(debt), debt.code
    steps = cash_checklist(viewer, verdict.steps) if verdict.steps else []
    return {
        "is_ready": not code,
        "why_not": "" if steps else why_not,
        "code": code,
        "steps": steps,
        "steps_left": steps_left(steps),
    }
