"""Foreign keys between rows of one table; their queries name the table as well.

Where tables are distributed (docs/adr/0009), the rows of a table share a node, and a statement that
names the table is sent to that node alone. `filter(deal=deal)`, `deal.scores`, `score.seat`, joins
and saves add the table's key; a plain key (`filter(deal_id=5)`, `OuterRef`) does not.
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models.expressions import Col
from django.db.models.fields.related_lookups import RelatedExact
from django.db.models.lookups import Exact
from django.db.models.query import QuerySet


class SameTableKey(models.ForeignKey[Any, Any]):
    """A foreign key between two rows of one table, both of which have a `table_id`."""

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Return an ordinary foreign key for migrations."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.ForeignKey", args, kwargs

    def get_extra_restriction(self, alias: str, related_alias: str) -> Any:
        """Join on the table's key as well."""
        named: Any = self.remote_field.model._meta.get_field("table")
        naming: Any = self.model._meta.get_field("table")
        whole = models.BigIntegerField()
        return Exact(Col(alias, named, whole), Col(related_alias, naming, whole))

    def get_extra_descriptor_filter(self, instance: Any) -> dict[str, Any]:
        """Restrict the referenced row to the instance's table."""
        return {"table": instance.table_id}

    def named_besides(self, row: Any) -> dict[str, Any]:
        """Return further fields and values shared by rows that reference this one."""
        return {"table": row.table_id}

    def get_forward_related_filter(self, obj: Any) -> dict[str, Any]:
        """Restrict the referencing rows to the referenced row's table."""
        return super().get_forward_related_filter(obj) | {"table": obj.table_id}


class SameTableOneToOne(SameTableKey, models.OneToOneField[Any, Any]):
    """A one-to-one `SameTableKey`."""

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        name, _, args, kwargs = models.OneToOneField.deconstruct(self)
        return name, "django.db.models.OneToOneField", args, kwargs


@SameTableKey.register_lookup
class SameTableExact(RelatedExact):
    """Compare with a row by its key and by the other fields that referencing rows share."""

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
    """A row whose UPDATE statements name its table; Django alone names only the primary key."""

    class Meta:
        abstract = True

    # Private Django API: the only place where an UPDATE gets its filter.
    def _do_update(self, base_qs: QuerySet[Any], *args: Any) -> Any:
        table_id: int = self.table_id  # type: ignore[attr-defined]
        return super()._do_update(base_qs.filter(table=table_id), *args)
