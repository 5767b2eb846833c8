"""Reports of unexpected errors to Sentry or a compatible service (`SENTRY_DSN`).

A report names the error and its place in the code. It holds no values: variables, requests and the
details of database errors may contain cards, names and bank accounts.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Final

import structlog
from django.core.exceptions import ImproperlyConfigured

# Context that a report keeps of earlier log lines.
TAGS: Final = ("table", "deal", "tournament", "export", "task", "request_id")
# Parts of a report that hold request data, input or log messages.
LEFT_OUT: Final = ("request", "user", "extra", "breadcrumbs", "modules")


def report_errors(dsn: str) -> None:
    """Start sending errors to this DSN; raise if the library is missing."""
    if find_spec("sentry_sdk") is None:
        raise ImproperlyConfigured(
            "SENTRY_DSN is set and the library `sentry-sdk` is not installed: install the extra "
            "`sentry`, or unset it."
        )
    import sentry_sdk

    sentry_sdk.init(
        dsn=dsn,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        before_send=without_values,
    )


def without_values(event: Any, hint: Any) -> Any:
    """Return a report without values that may be a player's."""
    for part in LEFT_OUT:
        event.pop(part, None)
    context = structlog.contextvars.get_contextvars()
    event["tags"] = {name: str(context[name]) for name in TAGS if name in context}
    for error in event.get("exception", {}).get("values", []):
        # PostgreSQL names the offending values in a second line.
        error["value"] = str(error.get("value") or "").partition("\n")[0]
    if "log_record" in hint:
        # The message's template, without its arguments.
        said = hint["log_record"].msg
        event["logentry"] = {"message": said["event"] if isinstance(said, dict) else str(said)}
    return event
