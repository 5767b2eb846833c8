"""API of a player's taxes by financial year."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.openapi import Refusal
from players.accounts.api import PlayerAPIView
from wallet.ledger.amounts import AmountField
from wallet.tax.forms import YearForm
from wallet.tax.models import PayeeKind, Withholding
from wallet.tax.statement import amounts_of, is_given_back, years_of


class DeductionOutput(serializers.Serializer[Any]):
    """One deduction and its calculation; `given_back` if its withdrawal was returned.

    `tax` includes `surcharge`, which is on the tax, and `cess`, which is on both.
    """

    when = serializers.DateField()
    why = serializers.CharField()
    withdrawn_a = AmountField()
    own_deposits_b = AmountField()
    opening_c = AmountField()
    closing_d = AmountField()
    taxed_before_e = AmountField()
    net_winnings = AmountField()
    taxed = AmountField()
    payee = serializers.ChoiceField(choices=PayeeKind.choices)
    rate_bps = serializers.IntegerField()
    surcharge_bps = serializers.IntegerField()
    cess_bps = serializers.IntegerField()
    surcharge = AmountField()
    cess = AmountField()
    tax = AmountField()
    given_back = serializers.BooleanField()
    transfer = serializers.UUIDField(allow_null=True)


class TaxYearOutput(serializers.Serializer[Any]):
    """A financial year by the year it begins in; `closing_d` is today's balance until settled."""

    year = serializers.IntegerField()
    name = serializers.CharField()
    years = serializers.ListField(child=serializers.IntegerField())
    is_settled = serializers.BooleanField()
    withdrawn_a = AmountField()
    own_deposits_b = AmountField()
    opening_c = AmountField()
    closing_d = AmountField()
    taxed_before_e = AmountField()
    tax = AmountField()
    deductions = DeductionOutput(many=True)


LETTERS = ("withdrawn_a", "own_deposits_b", "opening_c", "closing_d", "taxed_before_e")


class TaxYearView(PlayerAPIView):
    """The tax withheld from the caller in a financial year, with its calculation (RB 11.4)."""

    @extend_schema(
        operation_id="tax_year",
        tags=["wallet"],
        parameters=[OpenApiParameter("year", int, description="Defaults to the current year.")],
        responses={200: TaxYearOutput, 400: Refusal, 403: Refusal},
    )
    def get(self, request: Request) -> Response:
        player = self.player
        form = YearForm(request.query_params, player=player)
        if not form.is_valid():
            raise serializers.ValidationError({"year": ["You had no cash in this year."]})
        found = form.chosen()
        amounts = [money for _, money in found.letters]
        values = {
            "year": found.year,
            "name": found.name,
            "years": years_of(player),
            "is_settled": found.is_settled,
            "tax": found.tax,
            "deductions": [_deduction(row) for row in found.rows],
            **dict(zip(LETTERS, amounts, strict=True)),
        }
        return Response(TaxYearOutput(values).data)


def _deduction(row: Withholding) -> dict[str, Any]:
    return {
        "when": row.deducted_on,
        "why": row.reason,
        "payee": row.payee,
        "rate_bps": row.bps,
        "surcharge_bps": row.surcharge_bps,
        "cess_bps": row.cess_bps,
        "given_back": is_given_back(row),
        "transfer": row.transfer.public_id if row.transfer else None,
        **amounts_of(row),
    }
