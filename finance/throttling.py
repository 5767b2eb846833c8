"""How often a token's bearer may ask."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from wallet.models import FinanceToken


class TokenThrottle(SimpleRateThrottle):
    """Counts per token, `FINANCE_RATE` at most; one bearer does not slow another."""

    scope = "finance"

    def get_rate(self) -> str:
        rate: str = settings.FINANCE_RATE
        return rate

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if not isinstance(request.auth, FinanceToken):
            return None
        return self.cache_format % {"scope": self.scope, "ident": request.auth.pk}
