"""Admin of tax forms and registrations, appended by date, and of invoices."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy
from moneyed import Money
from unfold.widgets import UnfoldAdminDecimalFieldWidget

from core.admin.links import text_column
from core.admin.read_only import ReadOnlyAdmin
from players.accounts.forms import RegionField
from players.accounts.places import INDIA, STATES_OF_INDIA, region_code
from wallet.ledger.admin_columns import money_column
from wallet.ledger.money import as_money, as_text, minor_units
from wallet.tax.admin import AppendedAdmin
from wallet.tax.invoices.invoices import pdf_response
from wallet.tax.invoices.models import Invoice, Registration, TaxForm
from wallet.tax.models import GstCharge, PayeeKind, TaxRate, Withholding
from wallet.tax.rates import rate_on


class TaxFormForm(forms.ModelForm[TaxForm]):
    large_above = forms.DecimalField(
        required=False,
        min_value=Decimal("0.01"),
        max_digits=18,
        decimal_places=2,
        label=gettext_lazy("Large above"),
        help_text=gettext_lazy(
            "GST: in rupees; invoices to another state above it are listed individually."
        ),
        widget=UnfoldAdminDecimalFieldWidget(),
    )

    class Meta:
        model = TaxForm
        fields = (
            "tax",
            "payee",
            "starts_on",
            "return_form",
            "payment_code",
            "certificate_form",
            "section",
        )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if (large := values.get("large_above")) is not None:
            self.instance.large_above_minor = minor_units(Money(large, "INR"))
            if values.get("tax") != TaxRate.Tax.GST:
                self.add_error("large_above", gettext("Only GST has this limit."))
        day, tax = values.get("starts_on"), values.get("tax")
        last = _last_booked(tax) if day else None
        if last is not None and day is not None and day <= last:
            self.add_error(
                "starts_on",
                gettext("Enter a day after %(day)s, the last booked day.") % {"day": last},
            )
        return values


def _last_booked(tax: str | None) -> date | None:
    if tax == TaxRate.Tax.GST:
        charge = GstCharge.objects.order_by("-charged_on").first()
        return charge.charged_on if charge else None
    row = Withholding.objects.order_by("-deducted_on").first()
    return row.deducted_on if row else None


class RegistrationForm(forms.ModelForm[Registration]):
    state = RegionField(
        label=gettext_lazy("State of India"),
        choices=lambda: [("", gettext("Outside India")), *sorted(STATES_OF_INDIA.items())],
        required=False,
        help_text=gettext_lazy("Empty for an operator outside India (GSTIN 99…OS.)."),
    )

    class Meta:
        model = Registration
        fields = (
            "starts_on",
            "legal_name",
            "address",
            "state",
            "gstin",
            "tan",
            "goods_code",
            "invoice_prefix",
        )

    def clean_state(self) -> str:
        """Return the current state code, or "" for an operator outside India."""
        given = self.cleaned_data["state"]
        state = region_code(INDIA, given)
        if given and not state:
            raise forms.ValidationError(gettext("Choose a state of India."))
        return state


@admin.register(TaxForm)
class TaxFormAdmin(AppendedAdmin):
    form = TaxFormForm
    list_display = (
        "tax",
        "payee",
        "starts_on",
        "return_form",
        "payment_code",
        "rate",
        "certificate_form",
        "section",
    )
    list_filter = ("tax", "payee")

    @admin.display(description=gettext_lazy("Rate"))
    def rate(self, form: TaxForm) -> str:
        """Return the rate in force on the form's first day for this kind of payee."""
        tds = form.tax == TaxRate.Tax.TDS
        payee = PayeeKind(form.payee) if tds else PayeeKind.RESIDENT
        rate = rate_on(form.tax, settings.CASH_CURRENCIES[0], form.starts_on, payee=payee)
        if rate is None:
            return "-"
        if not rate.cess_bps:
            return f"{rate.percent} %"
        shares = {"rate": rate.percent, "cess": rate.cess_percent}
        return gettext("%(rate)s %%, %(cess)s %% cess") % shares

    @admin.display(description=gettext_lazy("Large above"))
    def large_above(self, form: TaxForm) -> str:
        minor = form.large_above_minor
        return "-" if minor is None else as_text(as_money(minor, "INR"))


@admin.register(Registration)
class RegistrationAdmin(AppendedAdmin):
    form = RegistrationForm
    list_display = ("legal_name", "starts_on", "state", "gstin", "tan")


@admin.register(Invoice)
class InvoiceAdmin(ReadOnlyAdmin):
    list_display = ("name", "day", "player", "value", "tax", "file")
    list_filter = ("year",)
    list_select_related = ("charge__deposit__player", "registration")
    search_fields = ("=number", "=charge__deposit__order_reference")
    fields = ("name", "day", "player", "value", "tax", "registration", "issued_at", "file")

    def get_urls(self) -> list[Any]:
        printed = path(
            "<int:pk>/pdf/", self.admin_site.admin_view(self.print_pdf), name="wallet_invoice_pdf"
        )
        return [printed, *super().get_urls()]

    def print_pdf(self, request: HttpRequest, pk: int) -> HttpResponse:
        invoice = self.get_queryset(request).filter(pk=pk).first()
        if invoice is None or not self.has_view_permission(request, invoice):
            raise Http404
        return pdf_response(invoice)

    @admin.display(description=gettext_lazy("Date"), ordering="charge__charged_on")
    def day(self, invoice: Invoice) -> str:
        return invoice.charge.charged_on.isoformat()

    player = text_column("charge.deposit.player", gettext_lazy("Player"))
    value = money_column("charge.paid", gettext_lazy("Value"))
    tax = money_column("charge.tax", gettext_lazy("Tax"))

    @admin.display(description=gettext_lazy("File"))
    def file(self, invoice: Invoice) -> str:
        return format_html(
            '<a href="{}">PDF</a>', reverse("admin:wallet_invoice_pdf", args=[invoice.pk])
        )
