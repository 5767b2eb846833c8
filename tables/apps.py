from typing import ClassVar

from django.apps import AppConfig

from core.db.schema import Schema


class TablesConfig(AppConfig):
    name = "tables"
    verbose_name = "Tables"
    schema: ClassVar[Schema] = {
        "0002_database": (
            "tables.table.moves_by_month",
            "tables.table.append_only",
            "tables.table.deal_guards",
            "tables.fairness.fairness",
            "tables.table.ended",
            "tables.table.rights",
            "tables.table.watched",
            "tables.collusion.findings",
            "tables.table.moves_kept",
            "tables.table.one_table",
            "tables.settlement.documents",
        ),
    }
