"""Requests to pay out tickets, made by one member of staff and decided by another."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext

from tournaments.entries.models import Ticket
from wallet.ledger.models import PostedRequest
from wallet.ledger.money import MoneyProperty, as_text


class TicketRefund(PostedRequest):
    """A request to pay a ticket's value to its player's winnings."""

    ticket = models.ForeignKey(Ticket, on_delete=models.PROTECT, related_name="refunds")

    class Meta(PostedRequest.Meta):
        permissions = (("check_ticketrefund", "Can approve and reject refunds of tickets"),)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *PostedRequest.Meta.constraints,
            models.UniqueConstraint(
                fields=["ticket"],
                condition=models.Q(status__in=["requested", "approved"]),
                name="tournaments_ticketrefund_once_a_ticket",
            ),
        ]

    def __str__(self) -> str:
        names = {"amount": as_text(self.amount), "ticket": self.ticket}
        return gettext("%(amount)s for %(ticket)s") % names

    amount = MoneyProperty("amount_minor", currency="ticket.account.currency")
