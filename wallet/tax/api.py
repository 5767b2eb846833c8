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
from wallet.tax.models import PayeeKind, Withholding
from wallet.tax.pages import YearForm
from wallet.tax.statement import years_of


class DeductionOutput(serializers.Serializer[Withholding]):
    """One deduction and its calculation; `given_back` if its withdrawal was returned.

    `tax` includes `surcharge`, which is on the tax, and `cess`, which is on both.
    """

    when = serializers.DateField(source="deducted_on")
    why = serializers.CharField(source="reason")
    withdrawn_a = AmountField(source="withdrawn")
    own_deposits_b = AmountField(source="deposited")
    opening_c = AmountField(source="opening")
    closing_d = AmountField(source="closing")
    taxed_before_e = AmountField(source="taxed_before")
    net_winnings = AmountField(source="net")
    taxed = AmountField()
    payee = serializers.ChoiceField(choices=PayeeKind.choices)
    rate_bps = serializers.IntegerField(source="bps")
    surcharge_bps = serializers.IntegerField()
    cess_bps = serializers.IntegerField()
    surcharge = AmountField()
    cess = AmountField()
    tax = AmountField()
    given_back = serializers.BooleanField(source="is_given_back")
    transfer = serializers.UUIDField(source="transfer.public_id", allow_null=True)


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
            "deductions": found.rows,
            **dict(zip(LETTERS, amounts, strict=True)),
        }
        return Response(TaxYearOutput(values).data)
