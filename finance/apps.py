from typing import ClassVar

from django.apps import AppConfig
from django.utils.translation import gettext_lazy

from core.db.schema import Schema


class FinanceConfig(AppConfig):
    name = "finance"
    verbose_name = gettext_lazy("Finance")
    schema: ClassVar[Schema] = {
        "0002_database": (
            "finance.closing.closes",
            "finance.matching.gateway_files",
            "finance.reports.exports.exports",
            "finance.closing.watched",
        ),
    }
