"""The settlements in a gateway file: their sums, and the request to book them."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Min, OuterRef, Q, Subquery, Sum

from finance.exceptions import BadSettlement
from finance.matching.models import GatewayFile, GatewayLine
from players.accounts.models import User
from wallet.gateways.models import GatewaySettlement
from wallet.gateways.settlements import Figures, ask_settlement

What = GatewayLine.What


def figures_of(file: GatewayFile) -> list[Figures]:
    """Return the sums of each settlement in a file, in the order of their references.

    Raise `BadSettlement` if lines of one settlement have different currencies, days or bank
    references, or a currency that is not in `CASH_CURRENCIES`.
    """
    amount = "amount_minor"
    found = (
        file.lines.exclude(settlement="")
        .order_by("settlement")
        .values("settlement")
        .annotate(
            currencies=Count("currency", distinct=True),
            days=Count("settled_on", distinct=True),
            named=Count("bank_reference", distinct=True, filter=~Q(bank_reference="")),
            currency=Min("currency"),
            settled_on=Min("settled_on"),
            bank_reference=Max("bank_reference"),
            paid=Sum(amount, filter=Q(what=What.PAYMENT), default=0),
            returned=Sum(amount, filter=Q(what=What.REFUND), default=0),
            other=Sum(amount, filter=Q(what=What.OTHER), default=0),
            fee=Sum("fee_minor"),
            tax=Sum("tax_minor"),
        )
    )
    mixed = [
        one["settlement"]
        for one in found
        if one["currencies"] > 1 or one["days"] > 1 or one["named"] > 1
    ]
    if mixed:
        raise BadSettlement(
            f"The lines of {mixed[0]} have different currencies, days or bank references."
        )
    strange = [one for one in found if one["currency"] not in settings.CASH_CURRENCIES]
    if strange:
        message = "{settlement} is in {currency}, which is not a cash currency of this site."
        raise BadSettlement(message.format(**strange[0]))
    return [
        Figures(
            provider=file.provider,
            reference=one["settlement"],
            bank_reference=one["bank_reference"],
            settled_on=one["settled_on"],
            currency=one["currency"],
            paid_minor=int(one["paid"]),
            returned_minor=-int(one["returned"]),
            other_minor=int(one["other"]),
            fee_minor=int(one["fee"]),
            tax_minor=int(one["tax"]),
        )
        for one in found
    ]


@transaction.atomic(durable=True)
def request_settlements(*, file_id: int, by: User) -> list[GatewaySettlement]:
    """Request to book all settlements of a file; return those not requested before.

    Raise `BadSettlement` if the file has none, or a line belongs to another settlement, and
    `SettlementDiffers` if a settlement was requested with other figures.
    """
    file = GatewayFile.objects.get(pk=file_id)
    figures = figures_of(file)
    if not figures:
        raise BadSettlement(f"{file} has no settlements.")
    _refuse_settled_before(file)
    asked = [ask_settlement(figures=one, by=by) for one in figures]
    return [settlement for settlement, is_new in asked if is_new]


def _refuse_settled_before(file: GatewayFile) -> None:
    """Raise `BadSettlement` if a line is in another settlement: its fee would be booked twice."""
    standing = GatewaySettlement.objects.exclude(status=GatewaySettlement.Status.REJECTED)
    same = GatewayLine.objects.filter(
        file__provider=file.provider,
        what=OuterRef("what"),
        reference=OuterRef("reference"),
        settlement__in=standing.filter(provider=file.provider).values("reference"),
    ).exclude(settlement=OuterRef("settlement"))
    found = file.lines.exclude(settlement="").annotate(
        before=Subquery(same.values("settlement")[:1])
    )
    if line := found.exclude(before=None).first():
        raise BadSettlement(
            f"{line.reference} is in two settlements: {line.before} and {line.settlement}."
        )
