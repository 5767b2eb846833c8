from typing import ClassVar

from django.apps import AppConfig
from django.utils.translation import gettext_lazy

from core.db.schema import Schema


class CoreConfig(AppConfig):
    name = "core"
    verbose_name = gettext_lazy("Audit log")
    schema: ClassVar[Schema] = {
        "0002_database": ("core.db.audit_entries", "core.partitions.months"),
    }

    def ready(self) -> None:
        # Imported here because models are not loaded yet when this module is.
        from core.labels import translate_names

        translate_names()
