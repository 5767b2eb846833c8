"""A player's tickets as the wallet shows them (RB 10.5).

The wallet knows no tournament: the application that issues tickets is named by `TICKETS_OF`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _
from moneyed import Money

from players.accounts.models import User


class TicketState(models.TextChoices):
    ISSUED = "issued", _("To be used")
    USED = "used", _("Used")
    REFUNDED = "refunded", _("Paid back")


@dataclass(frozen=True)
class TicketTournament:
    """A tournament that a ticket pays the entry of."""

    id: UUID
    name: str
    # None for one that starts when it is full.
    starts_at: datetime | None


@dataclass(frozen=True)
class PlayerTicket:
    """One ticket as its player reads it."""

    id: UUID
    state: TicketState
    admits_to: str
    won_in: str
    value: Money
    issued_at: datetime
    tournaments: Sequence[TicketTournament]
    # Tickets do not expire.
    usable_until: datetime | None = None

    @property
    def is_usable(self) -> bool:
        return self.state == TicketState.ISSUED


def tickets_of(player: User) -> Sequence[PlayerTicket]:
    """Return the player's tickets, those still to be used first."""
    ask: Callable[[User], Sequence[PlayerTicket]] = import_string(settings.TICKETS_OF)
    return ask(player)
