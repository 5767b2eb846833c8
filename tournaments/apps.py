from typing import ClassVar

from django.apps import AppConfig
from django.utils.translation import gettext_lazy

from core.db.schema import Schema


class TournamentsConfig(AppConfig):
    name = "tournaments"
    verbose_name = gettext_lazy("Tournaments")
    schema: ClassVar[Schema] = {
        "0002_database": (
            "tournaments.entries.rights",
            "tournaments.entries.ended",
            "tournaments.entries.watched",
            "tournaments.leagues.rights",
            "tournaments.prizes.documents",
        ),
    }
