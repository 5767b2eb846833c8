from typing import ClassVar

from django.apps import AppConfig
from django.utils.translation import gettext_lazy

from core.db.schema import Schema


class TablesConfig(AppConfig):
    name = "tables"
    verbose_name = gettext_lazy("Tables")
    schema: ClassVar[Schema] = {
        "0002_database": (
            "tables.models.moves_by_month",
            "tables.models.append_only",
            "tables.models.deal_guards",
            "tables.history.fairness.fairness",
            "tables.models.ended",
            "tables.models.rights",
            "tables.models.watched",
            "tables.integrity.collusion.findings",
            "tables.models.moves_kept",
            "tables.models.one_table",
            "tables.settlement.documents",
            "tables.manners.manners",
        ),
    }
