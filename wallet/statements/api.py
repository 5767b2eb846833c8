"""API of a player's wallet: balances, statement entries and receipts."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core import signing
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.lists import list_response, list_serializer
from core.api.openapi import Refusal
from players.accounts.api import PlayerAPIView
from players.accounts.models import User
from wallet.bonuses import play_points
from wallet.bonuses.receipts import open_bonuses_of
from wallet.cashier.api import StepOutput
from wallet.ledger.amounts import AmountField
from wallet.ledger.models import Transfer
from wallet.stakes.balances import games_of, wallet_of
from wallet.stakes.stakes import BONUS_SHARE_BPS
from wallet.statements.forms import StatementForm
from wallet.statements.receipts import receipt_of, transfers_of
from wallet.statements.statement import StatementRow, cursor_after, cursor_read
from wallet.statements.tickets import TicketState, tickets_of

ROWS = 100
READ: dict[int, Any] = dict.fromkeys((400, 403), Refusal)


class BalancesOutput(serializers.Serializer[Any]):
    """Balances in one currency; `spendable` is bonus, deposit and winnings."""

    currency = serializers.CharField()
    spendable = AmountField()
    bonus = AmountField()
    deposit = AmountField()
    winnings = AmountField()
    in_games = AmountField()
    locked_bonus = AmountField()
    withdrawal_hold = AmountField()
    owed = AmountField(help_text="Debt for reversed payments; deposits pay it first.")


class HeldOutput(serializers.Serializer[Any]):
    game = serializers.CharField()
    held = AmountField()
    transfer = serializers.UUIDField(source="paid_by")


class BonusOutput(serializers.Serializer[Any]):
    reason = serializers.CharField(source="grant.reason")
    mode = serializers.CharField(source="grant.mode")
    granted = AmountField(source="grant.amount")
    left = AmountField(source="grant.remaining")
    # Null while a wind-down suspends its end.
    expires_at = serializers.DateTimeField(source="ends_at", allow_null=True)
    text = serializers.CharField()


class TicketTournamentOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    starts_at = serializers.DateTimeField(allow_null=True, help_text="Null if it starts when full.")


class TicketOutput(serializers.Serializer[Any]):
    """A won entry; only an `issued` ticket still has its value."""

    id = serializers.UUIDField(help_text="Send it as `ticket` when registering.")
    state = serializers.ChoiceField(choices=TicketState.choices)
    admits_to = serializers.CharField(help_text="The kind of tournament whose entry it pays.")
    won_in = serializers.CharField()
    value = AmountField()
    issued_at = serializers.DateTimeField()
    usable_until = serializers.DateTimeField(
        allow_null=True, help_text="Null: a ticket does not expire."
    )
    tournaments = TicketTournamentOutput(
        many=True, help_text="Tournaments it can be used for now, soonest first."
    )


class WalletOutput(serializers.Serializer[Any]):
    wallets = BalancesOutput(many=True)
    games = HeldOutput(many=True)
    bonuses = BonusOutput(many=True)
    tickets = TicketOutput(many=True)


class WalletView(PlayerAPIView):
    """The caller's balances by currency and bucket, money in games, open bonuses and tickets."""

    @extend_schema(
        operation_id="wallet", tags=["wallet"], responses={200: WalletOutput, 403: Refusal}
    )
    def get(self, request: Request) -> Response:
        return Response(_wallet_shown(self.player))


class RefillView(PlayerAPIView):
    """Refill the caller's play points, once a day (Asia/Kolkata).

    Returns the wallet; a second refill on the same day changes nothing.
    """

    @extend_schema(
        operation_id="refill_play_points",
        tags=["wallet"],
        request=None,
        responses={200: WalletOutput, 403: Refusal, 409: Refusal},
    )
    def post(self, request: Request) -> Response:
        player = self.player
        play_points.refill_points(player=player)
        return Response(_wallet_shown(player))


def _wallet_shown(player: User) -> Any:
    shown = {
        "wallets": wallet_of(player),
        "games": games_of(player),
        "bonuses": open_bonuses_of(player, entry_share_bps=BONUS_SHARE_BPS),
        "tickets": tickets_of(player),
    }
    return WalletOutput(shown).data


class EntryOutput(serializers.Serializer[Any]):
    """A line of the statement: the change of one bucket, and the balance afterwards."""

    when = serializers.DateTimeField(source="entry.transfer.created_at")
    booked_on = serializers.DateField(source="entry.transfer.booked_on")
    kind = serializers.ChoiceField(source="entry.transfer.kind", choices=Transfer.Kind.choices)
    what = serializers.CharField(source="text")
    bucket = serializers.CharField()
    amount = AmountField(source="entry.amount")
    balance = AmountField(source="entry.balance_after")
    transfer = serializers.UUIDField(source="entry.transfer.public_id")


class StatementView(PlayerAPIView):
    """The caller's entries, latest first; new postings do not shift pages."""

    @extend_schema(
        operation_id="statement",
        tags=["wallet"],
        parameters=[
            OpenApiParameter("currency", str),
            OpenApiParameter("kind", str, enum=Transfer.Kind.values),
            OpenApiParameter("booked_from", {"type": "string", "format": "date"}),
            OpenApiParameter("booked_to", {"type": "string", "format": "date"}),
            OpenApiParameter("before", str, description="The `next` value of a page."),
        ],
        responses={200: list_serializer(EntryOutput), **READ},
    )
    def get(self, request: Request) -> Response:
        form = StatementForm(request.query_params, player=self.player)
        if not form.is_valid():
            wrong: dict[str, Any] = {name: list(errors) for name, errors in form.errors.items()}
            raise serializers.ValidationError(wrong)
        try:
            before = cursor_read(request.query_params.get("before", ""))
        except signing.BadSignature:
            said = {"before": ["Invalid cursor."]}
            raise serializers.ValidationError(said) from None
        entries = form.statement().page(before=before, size=ROWS + 1)
        rows = [StatementRow(entry) for entry in entries[:ROWS]]
        more = {"before": cursor_after(entries[ROWS - 1])} if len(entries) > ROWS else None
        return list_response(request, EntryOutput(rows, many=True).data, more=more)


class ReceiptOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="transfer.public_id")
    kind = serializers.ChoiceField(source="transfer.kind", choices=Transfer.Kind.choices)
    when = serializers.DateTimeField(source="transfer.created_at")
    title = serializers.CharField()
    sentence = serializers.CharField()
    sums = StepOutput(many=True)
    entries = serializers.SerializerMethodField()

    @extend_schema(responses=EntryOutput(many=True))
    def get_entries(self, receipt: Any) -> list[dict[str, Any]]:
        rows = [StatementRow(entry) for entry in receipt.entries]
        return list(EntryOutput(rows, many=True).data)


class ReceiptView(PlayerAPIView):
    """One transfer that moved the caller's money: description and calculation."""

    @extend_schema(
        operation_id="receipt",
        tags=["wallet"],
        responses={200: ReceiptOutput, 403: Refusal, 404: Refusal},
    )
    def get(self, request: Request, public_id: UUID) -> Response:
        player = self.player
        transfer = get_object_or_404(transfers_of(player), public_id=public_id)
        return Response(ReceiptOutput(receipt_of(transfer, player)).data)
