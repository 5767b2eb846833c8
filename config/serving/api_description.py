"""Settings of drf-spectacular, which describes the API (`SPECTACULAR_SETTINGS`)."""

from __future__ import annotations

from typing import Any, Final

SETTINGS: Final[dict[str, Any]] = {
    "TITLE": "Pool Rummy",
    "DESCRIPTION": "Tables, moves and money of the pool-rummy platform.",
    "VERSION": "1",
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": r"/api/v1/",
    # Strings that may not be blank say so where they are sent, and only there.
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "core.api.description.add_refusals",
        "core.api.description.name_requests",
    ],
    "ENUM_NAME_OVERRIDES": {
        "BreakKindEnum": "players.eligibility.break_models.Break.Kind",
        "DepositLimitPeriodEnum": "wallet.deposits.remaining_limits.PERIOD_CHOICES",
        "OwnLimitPeriodEnum": "wallet.limits.models.OwnLimit.Period",
        "TransferKindEnum": "wallet.ledger.models.Transfer.Kind",
    },
}
