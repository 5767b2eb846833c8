"""The audit log of staff actions: who, what, when, why, and the row before and after.

A staff action reads the `facts` of a row before changing it and calls `record` at its end, in the
same database transaction: every action has an entry, and a refused action has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import reduce
from operator import or_
from typing import Any, Final

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, models

from core.labels import stored_name
from core.models import AuditEntry
from core.text_validation import refuse_lines

Facts = Mapping[str, str]
# Secret columns, excluded from the entries and from the admin's filters.
SECRETS: Final = frozenset(
    {
        "password",
        "digest",
        "session_key",
        "encrypted_payee",
        "payee_hash",
        "encrypted_content",
        "number_hash",
        "code_hash",
        "password_hash",
    }
)
# Longer values are truncated in the entry.
LONGEST: Final = 1_000


def facts(row: models.Model) -> dict[str, str]:
    """Return the values of a row as text by field name, without secrets and binary fields."""
    return {
        field.name: _as_text(getattr(row, field.attname))
        for field in row._meta.concrete_fields
        if field.name not in SECRETS and not isinstance(field, models.BinaryField)
    }


def facts_with_links(row: models.Model) -> dict[str, str]:
    """Return the facts of a row including its many-to-many relations, such as groups."""
    linked = {
        field.name: ", ".join(sorted(map(str, getattr(row, field.name).all())))
        for field in row._meta.many_to_many
    }
    return facts(row) | linked


def record_saved(
    *, by: AbstractBaseUser, row: models.Model, before: Facts | None
) -> AuditEntry | None:
    """Record a row added or changed by a form; return None if nothing differs."""
    after = facts(type(row)._base_manager.get(pk=row.pk))
    if before == after:
        return None
    act = "add" if before is None else "change"
    return record(by=by, act=act, row=row, before=before, after=after)


def record(
    *,
    by: AbstractBaseUser,
    act: str,
    row: models.Model,
    before: Facts | None = None,
    after: Facts | None = None,
    about: AbstractBaseUser | None = None,
    reason: str = "",
) -> AuditEntry:
    """Write an audit entry for an action of `by` on a row, in the action's transaction.

    `before` is None for a new row; `after` defaults to the present facts of the row.
    Raise `BadText` for a reason with control characters.
    """
    refuse_lines(reason.strip())
    entry = _entry(act, row, before, facts(row) if after is None else after, about)
    entry.by_id, entry.reason = by.pk, reason.strip()[:500]
    return _written(entry)


def record_of_service(
    *,
    service: str,
    act: str,
    row: models.Model,
    before: Facts,
    about: AbstractBaseUser | None = None,
) -> AuditEntry:
    """Write an audit entry for an outside service's answer or a command's action."""
    entry = _entry(act, row, before, facts(row), about)
    entry.service = service
    return _written(entry)


def has_acted_on(player: AbstractBaseUser, *rows: models.Model | None) -> bool:
    """Return whether a player has ever acted on one of these rows."""
    acts = [models.Q(kind=row._meta.label_lower, row=str(row.pk)) for row in rows if row]
    return bool(acts) and AuditEntry.objects.filter(reduce(or_, acts), by_id=player.pk).exists()


def _entry(
    act: str,
    row: models.Model,
    before: Facts | None,
    after: Facts,
    about: AbstractBaseUser | None,
) -> AuditEntry:
    was = before or {}
    changed = [each for each in {**was, **after} if was.get(each, "") != after.get(each, "")]
    return AuditEntry(
        act=act,
        kind=row._meta.label_lower,
        row=str(row.pk),
        name=stored_name(row),
        about_id=about.pk if about else None,
        before=_lines(was, changed),
        after=_lines(after, changed),
    )


def _written(entry: AuditEntry) -> AuditEntry:
    if not connection.in_atomic_block:
        raise RuntimeError("an audit entry must be committed with the action it describes")
    entry.save(force_insert=True)
    return entry


def _lines(values: Facts, names: Iterable[str]) -> str:
    return "\n".join(f"{name}={values[name]}" for name in names if values.get(name))


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    text = value.isoformat() if isinstance(value, (date, datetime)) else str(value)
    return text[:LONGEST].replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
