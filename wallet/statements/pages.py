"""Pages and files of the player's own wallet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core import signing
from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.generic import DetailView, TemplateView

from players.accounts.models import User
from players.accounts.pages import PlayerView
from players.accounts.zones import zone_of
from wallet.bonuses import play_points
from wallet.bonuses.receipts import open_bonuses_of
from wallet.exceptions import PlayFirst, PointsSuffice, StatementTooLong
from wallet.ledger.models import Transfer
from wallet.ledger.money import PLAY_POINTS, as_text
from wallet.stakes import stakes
from wallet.stakes.balances import games_of, wallet_of
from wallet.statements.act_texts import Row, rows_of
from wallet.statements.acts import Act, ActStatement, first_days, kinds_in
from wallet.statements.forms import CURRENCIES, ActsForm
from wallet.statements.receipts import receipt_of, transfers_of
from wallet.statements.table import statement_csv
from wallet.statements.tickets import tickets_of
from wallet.tax.arithmetic import year_name
from wallet.tax.invoices.invoices import pdf_response
from wallet.tax.invoices.models import Invoice
from wallet.tax.invoices.tax_sheets import tax_sheet
from wallet.tax.statement import years_of

LATEST = 5
PAGE = 25


class WalletView(PlayerView, TemplateView):
    """Balances by bucket, and the latest rows of the statement in each currency."""

    template_name = "wallet/wallet.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        player = self.player
        wallets = wallet_of(player)
        return super().get_context_data(
            wallets=wallets,
            has_cash=any(wallet.currency != PLAY_POINTS for wallet in wallets),
            games=games_of(player),
            bonuses=open_bonuses_of(player, entry_share_bps=stakes.BONUS_SHARE_BPS),
            tickets=tickets_of(player),
            recent=[
                (CURRENCIES.get(code, code), code, _rows(player, latest))
                for code in first_days(player)
                if (latest := ActStatement(player, code).page(size=LATEST))
            ],
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
    """The statement in one currency, one row per act, filtered, page by page.

    Unknown filters in the address are ignored with a message.
    """

    template_name = "wallet/statement.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = ActsForm(request.GET, player=self.player)
        if form.is_valid():
            return self.render_to_response(self.get_context_data(form=form))
        messages.warning(request, _("The link contained unknown filters, which were ignored."))
        known = {name: value for name, value in form.cleaned_data.items() if value}
        return redirect(reverse("wallet-statement", query=known))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        form: ActsForm = kwargs["form"]
        cursor = self.request.GET.get("before")
        acts = self._page(form.statement(), cursor)
        has_summary = form.chosen_period and not form.chosen_kind
        return super().get_context_data(
            kinds=kinds_in(form.chosen_currency),
            rows=_rows(self.player, acts[:PAGE]),
            summary=form.statement().summary() if has_summary else None,
            is_later=bool(cursor),
            earlier=acts[PAGE - 1].cursor if len(acts) > PAGE else None,
            **kwargs,
        )

    def _page(self, statement: ActStatement, cursor: str | None) -> list[Act]:
        """Return a page and one more act, which shows whether there is a next page."""
        try:
            return statement.page(cursor=cursor or "", size=PAGE + 1)
        except signing.BadSignature as error:
            raise BadRequest("invalid cursor") from error


class StatementFileView(PlayerView):
    """The statement as a file of one of two formats, with the filters of the page."""

    throttle_scope = "costly"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        form = ActsForm(request.GET, player=self.player)
        if not form.is_valid():
            raise BadRequest("invalid filters")
        period = form.chosen_period
        name = f"statement-{form.chosen_currency}{f'-{period.value}' if period else ''}"
        return self.file(form, name)

    def file(self, form: ActsForm, name: str) -> HttpResponseBase:
        raise NotImplementedError


class StatementTableView(StatementFileView):
    """The statement as CSV, streamed."""

    def file(self, form: ActsForm, name: str) -> HttpResponseBase:
        return statement_csv(self.request, form.statement(), filename=f"{name}.csv")


class StatementPrintView(StatementFileView):
    """The statement as PDF, up to the limit of rows."""

    def file(self, form: ActsForm, name: str) -> HttpResponseBase:
        from wallet.statements.pdf import statement_pdf  # Its library is large and rarely used.

        period = form.chosen_period
        try:
            content = statement_pdf(form.statement(), period=period.name if period else "")
        except StatementTooLong as refusal:
            messages.error(self.request, str(refusal))
            return redirect(f"{reverse('wallet-statement')}?{self.request.GET.urlencode()}")
        return FileResponse(content, as_attachment=True, filename=f"{name}.pdf")


def _rows(player: User, acts: Sequence[Act]) -> list[Row]:
    with timezone.override(zone_of(player)):
        return list(rows_of(acts))


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
