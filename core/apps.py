from typing import ClassVar

import django_stubs_ext
from django.apps import AppConfig
from django.utils.translation import gettext_lazy

from core.db.schema import Schema

# Without it Django's generic classes take type arguments in annotations only. This app is loaded
# before the others; processes that load no apps need none of these classes.
django_stubs_ext.monkeypatch()


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
