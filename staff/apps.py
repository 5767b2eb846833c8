from typing import ClassVar

from django.apps import AppConfig
from django.utils.translation import gettext_lazy

from core.db.schema import Schema


class StaffConfig(AppConfig):
    name = "staff"
    verbose_name = gettext_lazy("Staff")
    schema: ClassVar[Schema] = {
        "0001_roles": (
            "core.db.functions",
            "core.db.database",
        ),
    }
