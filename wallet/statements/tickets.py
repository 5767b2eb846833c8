"""A player's tickets for the wallet (RB 10.5).

The wallet does not depend on tournaments: the setting `TICKETS_OF` names the function that lists
them.
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
    ISSUED = "issued", _("Unused")
    USED = "used", _("Used")
    REFUNDED = "refunded", _("Paid out")


@dataclass(frozen=True)
class TicketTournament:
    """A tournament whose entry a ticket pays."""

    id: UUID
    name: str
    # None if it starts when full.
    starts_at: datetime | None


@dataclass(frozen=True)
class PlayerTicket:
    """A ticket as shown to its player."""

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
    """Return the player's tickets, unused ones first."""
    ask: Callable[[User], Sequence[PlayerTicket]] = import_string(settings.TICKETS_OF)
    return ask(player)
