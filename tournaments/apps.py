from typing import ClassVar

from django.apps import AppConfig

from core.db.schema import Schema


class TournamentsConfig(AppConfig):
    name = "tournaments"
    verbose_name = "Tournaments"
    schema: ClassVar[Schema] = {
        "0002_database": (
            "tournaments.entries.rights",
            "tournaments.entries.ended",
            "tournaments.entries.watched",
            "tournaments.prizes.documents",
        ),
    }
