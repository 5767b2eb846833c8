"""The settlements in a gateway file: their sums, and the request to book them."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum

from finance.exceptions import BadSettlement
from finance.matching.models import GatewayFile, GatewayLine
from players.accounts.models import User
from wallet.gateways.models import GatewaySettlement
from wallet.gateways.settlements import Figures, ask_settlement

What = GatewayLine.What


def figures_of(file: GatewayFile) -> list[Figures]:
    """Return the sums of each settlement in a file, in the order of their references.

    A settlement's lines may be in several files, one for each page: all are counted, each once. A
    settlement that the bank returned and the gateway sent again has two bank references; these are
    the latest and its day. Raise `BadSettlement` if its lines have different currencies, or one
    that is not in `CASH_CURRENCIES`.
    """
    amount = "amount_minor"
    found = (
        settled_lines(file)
        .order_by("settlement")
        .values("settlement")
        .annotate(
            currencies=Count("currency", distinct=True),
            currency=Min("currency"),
            settled_on=Max("settled_on"),
            paid=Sum(amount, filter=Q(what=What.PAYMENT), default=0),
            returned=Sum(amount, filter=Q(what=What.REFUND), default=0),
            other=Sum(amount, filter=Q(what=What.OTHER), default=0),
            fee=Sum("fee_minor"),
            tax=Sum("tax_minor"),
        )
    )
    mixed = [one["settlement"] for one in found if one["currencies"] > 1]
    if mixed:
        raise BadSettlement(f"The lines of {mixed[0]} have different currencies.")
    strange = [one for one in found if one["currency"] not in settings.CASH_CURRENCIES]
    if strange:
        message = "{settlement} is in {currency}, which is not a cash currency of this site."
        raise BadSettlement(message.format(**strange[0]))
    latest = _latest_references(file)
    return [
        Figures(
            provider=file.provider,
            reference=one["settlement"],
            bank_reference=latest.get(one["settlement"], ""),
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


def settled_lines(file: GatewayFile) -> QuerySet[GatewayLine]:
    """Return the lines of a file's settlements, also those that only other files have.

    A line that several files have is that of this file, else of the latest one.
    """
    names = file.lines.exclude(settlement="").values("settlement")
    lines = GatewayLine.objects.filter(file__provider=file.provider, settlement__in=names)
    others = (
        lines.exclude(file=file)
        .exclude(Exists(file.lines.filter(_same(), settlement=OuterRef("settlement"))))
        .exclude(Exists(lines.filter(_same(), file__gt=OuterRef("file")).exclude(file=file)))
    )
    return lines.filter(Q(file=file) | Q(pk__in=others.values("pk")))


def _same() -> Q:
    return Q(what=OuterRef("what"), reference=OuterRef("reference"))


def _latest_references(file: GatewayFile) -> dict[str, str]:
    """Return the latest bank reference of each settlement of a file."""
    named = settled_lines(file).exclude(bank_reference="").order_by("settled_on", "file", "pk")
    return dict(named.values_list("settlement", "bank_reference"))


def bank_references(provider: str, settlement: str) -> list[str]:
    """Return all bank references of a settlement, the earliest first."""
    lines = GatewayLine.objects.filter(file__provider=provider, settlement=settlement)
    named = lines.exclude(bank_reference="").order_by("settled_on", "pk")
    return list(dict.fromkeys(named.values_list("bank_reference", flat=True)))


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
