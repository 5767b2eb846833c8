"""Foreign keys within one table's rows, whose statements name the table as well.

Rows of a table lie together where tables are distributed (docs/adr/0009), and a statement that
names the table is sent to that place alone. `filter(deal=deal)`, `deal.scores`, `score.seat`, joins
and saves name it by themselves; a plain key (`filter(deal_id=5)`, `OuterRef`) has no table to name.
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models.expressions import Col
from django.db.models.fields.related_lookups import RelatedExact
from django.db.models.lookups import Exact
from django.db.models.query import QuerySet


class SameTableKey(models.ForeignKey[Any, Any]):
    """A foreign key between two rows of one table; each has a `table_id`."""

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Return what migrations keep: to the database it is a foreign key as any other."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.ForeignKey", args, kwargs

    def get_extra_restriction(self, alias: str, related_alias: str) -> Any:
        """Join on the table's key as well."""
        named: Any = self.remote_field.model._meta.get_field("table")
        naming: Any = self.model._meta.get_field("table")
        whole = models.BigIntegerField()
        return Exact(Col(alias, named, whole), Col(related_alias, naming, whole))

    def get_extra_descriptor_filter(self, instance: Any) -> dict[str, Any]:
        """Look for the named row among those of the instance's table."""
        return {"table": instance.table_id}

    def named_besides(self, row: Any) -> dict[str, Any]:
        """Return what else a row that names this one has: fields and their values."""
        return {"table": row.table_id}

    def get_forward_related_filter(self, obj: Any) -> dict[str, Any]:
        """Look for the naming row among those of the named one's table."""
        return super().get_forward_related_filter(obj) | {"table": obj.table_id}


class SameTableOneToOne(SameTableKey, models.OneToOneField[Any, Any]):
    """The same, where a row is named once at most."""

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        name, _, args, kwargs = models.OneToOneField.deconstruct(self)
        return name, "django.db.models.OneToOneField", args, kwargs


@SameTableKey.register_lookup
class SameTableExact(RelatedExact):
    """Compares with a row: by its key, and by what else is known of those that name it."""

    besides: dict[str, Any] | None = None

    def __init__(self, lhs: Any, rhs: Any) -> None:
        if isinstance(rhs, models.Model):
            self.besides = lhs.target.named_besides(rhs)
        super().__init__(lhs, rhs)

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        sql, params = super().as_sql(compiler, connection)
        conditions, values = [sql], [*params]
        for name, value in (self.besides or {}).items():
            field = self.lhs.target.model._meta.get_field(name)
            column, _ = compiler.compile(Col(self.lhs.alias, field))
            conditions.append(f"{column} = %s")
            values.append(value)
        return f"({' AND '.join(conditions)})" if self.besides else sql, values


class SavedInItsTable(models.Model):
    """A row whose updates name its table; Django itself names the primary key alone."""

    class Meta:
        abstract = True

    # Not in Django's public interface: the one place where an update is given its filter.
    def _do_update(self, base_qs: QuerySet[Any], *args: Any) -> Any:
        table_id: int = self.table_id  # type: ignore[attr-defined]
        return super()._do_update(base_qs.filter(table=table_id), *args)
