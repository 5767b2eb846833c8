"""Settings of the API: REST framework's, and drf-spectacular's for its description."""

from __future__ import annotations

from typing import Any, Final

REST: Final[dict[str, Any]] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.api.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "core.api.refusals.api_exception_handler",
}
SETTINGS: Final[dict[str, Any]] = {
    "TITLE": "Pool Rummy",
    "DESCRIPTION": "Tables, moves and money of the pool-rummy platform.",
    "VERSION": "1",
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    # A link inside the button of each operation could not be reached by assistive technology.
    "SWAGGER_UI_SETTINGS": {"deepLinking": False},
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": r"/api/v1/",
    # State in requests only that a string must not be blank.
    "COMPONENT_SPLIT_REQUEST": True,
    # Enum members need names: TypeScript refuses generated files without them.
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "core.api.description.add_refusals",
        "core.api.description.name_requests",
        "players.sign_in.tokens.access.describe_tokens",
    ],
    "ENUM_NAME_OVERRIDES": {
        "BreakKindEnum": "players.eligibility.break_models.Break.Kind",
        "DepositLimitPeriodEnum": "wallet.deposits.limits.PERIOD_CHOICES",
        "OwnLimitPeriodEnum": "players.limits.models.OwnLimit.Period",
        "TransferKindEnum": "wallet.ledger.models.Transfer.Kind",
    },
}
