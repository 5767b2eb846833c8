"""Requests of players to correct or delete their own data."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import ProtectedForeignKey
from players.cases.models import Asked


class DataRequest(Asked):
    """One request. Its text is immutable; it is answered once, by a message on its case."""

    class About(models.TextChoices):
        HANDLE = "handle", _("Correct my player name")
        BIRTH_DATE = "birth_date", _("Correct my birth date")
        PLACE = "place", _("Correct where I live")
        TAX_NUMBER = "tax_number", _("Correct my PAN")
        NAME = "name", _("Correct my name as on the documents")
        OTHER = "other", _("Correct something else")
        DELETION = "deletion", _("Delete some of my data")

    LONGEST: ClassVar[int] = 1_000

    player = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, related_name="data_requests", db_index=False
    )
    about = models.CharField(max_length=10, choices=About)
    text = models.TextField(max_length=LONGEST)

    class Meta(Asked.Meta):
        verbose_name = "request about own data"
        verbose_name_plural = "requests about own data"
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("answer_datarequest", "Can answer requests about own data"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["player"], name="players_datarequest_of_player"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player", "about"],
                condition=models.Q(answered_at=None),
                name="players_datarequest_once_until_answered",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    about__in=[
                        "handle",
                        "birth_date",
                        "place",
                        "tax_number",
                        "name",
                        "other",
                        "deletion",
                    ]
                ),
                name="players_datarequest_about_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(text=""), name="players_datarequest_says_something"
            ),
            *Asked.Meta.constraints,
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.get_about_display()}"
