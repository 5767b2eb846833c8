"""Rate limit of finance's API."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from core.http import rates
from finance.tokens.models import FinanceToken


class TokenThrottle(BaseThrottle):
    """Limit the requests of each token to `FINANCE_RATE`."""

    def allow_request(self, request: Request, view: Any) -> bool:
        rate = rates.parse_rate(settings.FINANCE_RATE)
        if rate is None or not isinstance(request.auth, FinanceToken):
            return True
        counter = rates.Counter(f"throttle:finance:{request.auth.pk}", rate, "finance")
        self.verdict = rates.count([counter])
        # The middleware adds its headers to the response.
        request._request.throttled_by = self.verdict  # type: ignore[attr-defined]
        return self.verdict is None or not self.verdict.is_refused

    def wait(self) -> float | None:
        return self.verdict.reset_seconds if self.verdict else None
