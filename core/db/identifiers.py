"""Identifiers that may be shown to anybody: sortable by age, silent about volume."""

from uuid import UUID

import uuid_utils.compat


def new_public_id() -> UUID:
    """Return a fresh UUIDv7; running numbers never leave the server."""
    return uuid_utils.compat.uuid7()
