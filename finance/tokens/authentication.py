"""Authentication by `Authorization: Bearer <token>`; permission and rate limit of a token."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from core.addresses import client_network
from core.http import rates
from finance.tokens.actions import usable_token
from finance.tokens.models import FinanceToken


class FinanceTokenAuthentication(BaseAuthentication):
    """Set `request.auth` to the token; the user stays anonymous.

    Only failures count towards the limit of a network, so that requests of others never block a
    valid token.
    """

    keyword = "Bearer"

    def authenticate(self, request: Request) -> tuple[AnonymousUser, FinanceToken] | None:
        keyword, _, text = get_authorization_header(request).decode("latin-1").partition(" ")
        if keyword.lower() != self.keyword.lower():
            return None
        token = usable_token(text=text.strip())
        if token is None:
            verdict = rates.take("failures", network=client_network(request._request))
            if verdict is not None and verdict.is_refused:
                raise Throttled(wait=verdict.reset_seconds)
            raise AuthenticationFailed("The token is unknown, expired or revoked.")
        return AnonymousUser(), token

    def authenticate_header(self, request: Request) -> str:
        return f'{self.keyword} realm="finance"'


class BearsToken(BasePermission):
    """Allow any valid token; the view checks its scopes when the report is known."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.auth, FinanceToken)


class HasScope(BasePermission):
    """Allow tokens whose scopes include the view's `scope`."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.auth, FinanceToken) and view.scope in request.auth.scopes


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


class FinanceView(APIView):
    """The base of finance's API views, which accept tokens alone."""

    # The middleware's limits are of players.
    throttle_scope = None
    authentication_classes: Any = (FinanceTokenAuthentication,)
    permission_classes: Any = (HasScope,)
    throttle_classes: Any = (TokenThrottle,)


class FinanceTokenScheme(OpenApiAuthenticationExtension):
    target_class = FinanceTokenAuthentication
    name = "financeToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
