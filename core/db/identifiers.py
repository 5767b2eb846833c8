"""Public identifiers, which sort by age and do not reveal how many rows exist."""

from uuid import UUID

import uuid_utils.compat


def new_public_id() -> UUID:
    """Return a new UUIDv7; primary keys are never sent to clients."""
    return uuid_utils.compat.uuid7()
