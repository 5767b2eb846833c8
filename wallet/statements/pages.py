"""Pages and files of the player's own wallet."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core import signing
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.generic import DetailView, TemplateView

from core.http.csv_stream import csv_response
from players.accounts.pages import PlayerView
from wallet.bonuses import play_points
from wallet.bonuses.open_bonuses import open_bonuses_of
from wallet.exceptions import PlayFirst, PointsSuffice, StatementTooLong
from wallet.ledger.models import Entry, Transfer
from wallet.ledger.money import PLAY_POINTS, as_text
from wallet.stakes import stakes
from wallet.stakes.balances import games_of, wallet_of
from wallet.statements.forms import StatementForm
from wallet.statements.pdf import statement_pdf
from wallet.statements.receipts import receipt_of, transfers_of
from wallet.statements.statement import Statement, StatementRow, cursor_after, cursor_read
from wallet.statements.tickets import tickets_of
from wallet.tax.arithmetic import year_name
from wallet.tax.invoices.invoices import pdf_response
from wallet.tax.invoices.models import Invoice
from wallet.tax.invoices.tax_sheets import tax_sheet
from wallet.tax.statement import years_of

LATEST = 10
PAGE = 25
COLUMNS = ("when", "booked_on", "what", "bucket", "amount", "balance", "currency", "transfer")


class WalletView(PlayerView, TemplateView):
    """Balances by bucket, and the latest entries."""

    template_name = "wallet/wallet.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        player = self.player
        latest = Statement(player=player).page(size=LATEST)
        rows = [StatementRow(entry) for entry in latest]
        wallets = wallet_of(player)
        return super().get_context_data(
            wallets=wallets,
            has_cash=any(wallet.currency != PLAY_POINTS for wallet in wallets),
            games=games_of(player),
            bonuses=open_bonuses_of(player, entry_share_bps=stakes.BONUS_SHARE_BPS),
            tickets=tickets_of(player),
            rows=rows,
            refill_level=play_points.refill_level(),
            **kwargs,
        )


class RefillView(PlayerView):
    """Refill the player's play points, once a day."""

    http_method_names = ("post",)

    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            granted = play_points.refill_points(player=self.player)
        except PointsSuffice:
            text = _("You already have %(points)s or more.")
            messages.info(request, text % {"points": as_text(play_points.refill_level())})
        except PlayFirst:
            messages.info(request, _("Finish a game first; then you can refill your points."))
        else:
            if granted.is_replay:
                messages.info(request, _("You have already refilled today. Try again tomorrow."))
            else:
                messages.success(request, _("Play points refilled."))
        return redirect("wallet")


class StatementView(PlayerView, TemplateView):
    """The statement, filtered, page by page."""

    template_name = "wallet/statement.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        form = StatementForm(self.request.GET, player=self.player)
        entries = self._page(form.statement()) if form.is_valid() else []
        chosen = self.request.GET.copy()
        chosen.pop("before", None)
        return super().get_context_data(
            form=form,
            rows=[StatementRow(entry) for entry in entries[:PAGE]],
            query=chosen.urlencode(),
            is_later=self._before() is not None,
            earlier=cursor_after(entries[PAGE - 1]) if len(entries) > PAGE else None,
            **kwargs,
        )

    def _page(self, statement: Statement) -> list[Entry]:
        """Return a page and one more entry, which shows whether there is a next page."""
        return statement.page(before=self._before(), size=PAGE + 1)

    def _before(self) -> int | None:
        try:
            return cursor_read(self.request.GET.get("before", ""))
        except signing.BadSignature as error:
            raise BadRequest("invalid cursor") from error


class StatementFileView(PlayerView):
    """The same entries as a CSV file, streamed."""

    throttle_scope = "costly"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        form = StatementForm(request.GET, player=self.player)
        if not form.is_valid():
            raise BadRequest("invalid filters")
        chunks = (
            (StatementRow(entry).as_text() for entry in chunk)
            for chunk in form.statement().chunks()
        )
        return csv_response(request, filename="statement.csv", columns=COLUMNS, chunks=chunks)


class StatementPrintView(PlayerView):
    """The same entries as a PDF, up to the limit of lines."""

    throttle_scope = "costly"

    def get(self, request: HttpRequest) -> HttpResponse:
        form = StatementForm(request.GET, player=self.player)
        if not form.is_valid():
            raise BadRequest("invalid filters")
        try:
            file = statement_pdf(form.statement())
        except StatementTooLong as refusal:
            messages.error(request, str(refusal))
            return redirect(f"{reverse('wallet-statement')}?{request.GET.urlencode()}")
        named = {"Content-Disposition": 'attachment; filename="statement.pdf"'}
        return HttpResponse(file, content_type="application/pdf", headers=named)


class ReceiptView(PlayerView, DetailView[Transfer]):
    """One transfer of the player, with description and figures."""

    template_name = "wallet/receipt.html"
    slug_field = slug_url_kwarg = "public_id"
    context_object_name = "transfer"

    def get_queryset(self) -> QuerySet[Transfer]:
        return transfers_of(self.player)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        receipt = receipt_of(self.object, self.player)
        has_invoice = Invoice.objects.filter(charge__transfer=self.object).exists()
        return super().get_context_data(receipt=receipt, has_invoice=has_invoice, **kwargs)


class InvoiceView(PlayerView):
    """The invoice of one of the player's deposits, once its day is closed."""

    throttle_scope = "costly"

    def get(self, request: HttpRequest, public_id: UUID) -> HttpResponse:
        mine = Invoice.objects.select_related("charge__deposit__player", "registration")
        player = self.player
        invoice = get_object_or_404(
            mine, charge__transfer__public_id=public_id, charge__deposit__player=player
        )
        return pdf_response(invoice)


class TaxSheetView(PlayerView):
    """The tax withheld from the player in a financial year, as a PDF page."""

    throttle_scope = "costly"

    def get(self, request: HttpRequest, year: int) -> HttpResponse:
        player = self.player
        if year not in years_of(player):
            raise Http404("The player had no cash in this year.")
        name = f"tax-withheld-{year_name(year)}.pdf"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        sheet = tax_sheet(player=player, year=year)
        return HttpResponse(sheet, content_type="application/pdf", headers=headers)
