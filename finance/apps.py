from typing import ClassVar

from django.apps import AppConfig

from core.db.schema import Schema


class FinanceConfig(AppConfig):
    name = "finance"
    verbose_name = "Finance"
    schema: ClassVar[Schema] = {
        "0002_database": (
            "finance.closing.closes",
            "finance.matching.gateway_files",
            "finance.reports.exports.exports",
            "finance.closing.watched",
        ),
    }
