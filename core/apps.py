from typing import ClassVar

from django.apps import AppConfig

from core.db.schema import Schema


class CoreConfig(AppConfig):
    name = "core"
    verbose_name = "Audit log"
    schema: ClassVar[Schema] = {
        "0002_database": ("core.db.audit_entries", "core.partitions.months"),
    }
