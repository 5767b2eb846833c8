"""Public identifiers, which sort by age and hide how many rows exist, and keys to kept rows."""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

import uuid_utils.compat
from django.db import models

Set = TypeVar("Set")
Get = TypeVar("Get")


def new_public_id() -> UUID:
    """Return a new UUIDv7; primary keys are never sent to clients."""
    return uuid_utils.compat.uuid7()


class ProtectedForeignKey(models.ForeignKey[Set, Get]):
    """A foreign key to a row that is never deleted; a plain `ForeignKey` in migrations."""

    def __init__(self, to: Any, **options: Any) -> None:
        super().__init__(to, **options | {"on_delete": models.PROTECT})

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.ForeignKey", args, options


class ProtectedOneToOneField(models.OneToOneField[Set, Get]):
    """A one-to-one relation to a row that is never deleted; a plain one in migrations."""

    def __init__(self, to: Any, **options: Any) -> None:
        super().__init__(to, **options | {"on_delete": models.PROTECT})

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.OneToOneField", args, options
