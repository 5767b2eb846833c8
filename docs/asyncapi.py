"""Describe the sockets' messages as AsyncAPI 3; `make asyncapi` writes the file.

The schemas come from the types that the server sends, by msgspec, which also encodes them.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

import django
import msgspec

CHECKOUT: Final = Path(__file__).resolve().parent.parent
FILE: Final = CHECKOUT / "docs" / "integrators" / "asyncapi.json"
# Codes of error messages, with the close code that follows; None if the socket stays open.
ERRORS: Final[dict[str, int | None]] = {
    "not_invited": 4403,
    "session_over": 4401,
    "too_many_messages": 4429,
    "too_many_sockets": 4429,
    "unavailable": 1011,
    "unknown_message": None,
}


@dataclass(frozen=True)
class PhraseMessage:
    """A phrase that a player sends to the table, in the viewer's language."""

    type: Literal["phrase"]
    handle: str
    phrase: str
    text: str
    spoken: str
    at: datetime


@dataclass(frozen=True)
class ErrorMessage:
    """Why the socket is closed or a message was refused."""

    type: Literal["error"]
    code: str


@dataclass(frozen=True)
class ResyncMessage:
    """Ask for the present view, at most once a second."""

    type: Literal["resync"]


SENT: Final = {"view": "ViewMessage", "phrase": "PhraseMessage", "error": "ErrorMessage"}
RECEIVED: Final = {"resync": "ResyncMessage"}


def description() -> dict[str, Any]:
    """Return the AsyncAPI document as it should be now."""
    from tables.view.phrases import Phrase
    from tables.view.schemas import TableView

    @dataclass(frozen=True)
    class ViewMessage:
        """The table as its viewer may see it."""

        type: Literal["view"]
        view: TableView

    types = [ViewMessage, PhraseMessage, ErrorMessage, ResyncMessage]
    # Annotations are texts, which msgspec resolves in the module, where this class is not.
    ViewMessage.__annotations__ = {"type": Literal["view"], "view": TableView}
    _, schemas = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    schemas["PhraseMessage"]["properties"]["phrase"]["enum"] = [phrase.value for phrase in Phrase]
    schemas["ErrorMessage"]["properties"]["code"]["enum"] = sorted(ERRORS)
    messages = SENT | RECEIVED
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Pool Rummy sockets",
            "version": "1",
            "description": "One socket per table. See docs/integrators/sockets.md.",
        },
        "channels": {
            "table": {
                "address": "/ws/tables/{id}/",
                "parameters": {"id": {"description": "The id of the table, a UUID."}},
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
            }
        },
        "operations": {
            "sendUpdates": _operation("send", SENT),
            "receiveRequests": _operation("receive", RECEIVED),
        },
        "components": {
            "messages": {
                name: {
                    "contentType": "application/json",
                    "summary": schemas[schema]["description"],
                    "payload": {"$ref": f"#/components/schemas/{schema}"},
                }
                for name, schema in messages.items()
            },
            "schemas": dict(sorted(schemas.items())),
        },
    }


def _operation(action: str, messages: dict[str, str]) -> dict[str, Any]:
    """Return an operation of the server, which sends or receives these messages."""
    return {
        "action": action,
        "channel": {"$ref": "#/channels/table"},
        "messages": [{"$ref": f"#/channels/table/messages/{name}"} for name in messages],
    }


def text() -> str:
    """Return the file as it should be now."""
    return json.dumps(description(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    FILE.write_text(text(), encoding="utf-8")
