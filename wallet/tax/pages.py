"""Pages, forms and files of a player's taxes by year, and of their tax residence."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.generic import TemplateView

from core.http.csv_stream import csv_response
from players.accounts.models import User
from players.accounts.pages import PlayerFormView, PlayerView
from players.accounts.places import INDIA, countries, place_name
from wallet.ledger.days import site_day
from wallet.tax.arithmetic import financial_year, year_name
from wallet.tax.models import PayeeKind, TaxRate
from wallet.tax.rates import rate_on
from wallet.tax.residence import declare_residence, payee_kind
from wallet.tax.residence_models import TaxResidence
from wallet.tax.statement import DEDUCTION_COLUMNS, TaxYear, deduction_as_text, tax_year, years_of


class YearForm(forms.Form):
    year = forms.TypedChoiceField(label=gettext_lazy("Financial year"), coerce=int, required=False)

    def __init__(self, *args: Any, player: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._player = player
        self._years = years_of(player)
        field = self.fields["year"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(year, year_name(year)) for year in self._years]

    def chosen(self) -> TaxYear:
        """Return the selected year, by default the current one; the form is valid."""
        year = self.cleaned_data["year"] or self._years[0]
        return tax_year(self._player, currency=settings.CASH_CURRENCIES[0], year=int(year))


class TaxResidenceForm(forms.Form):
    country = forms.ChoiceField(
        label=gettext_lazy("Country in which you are resident for tax"),
        choices=lambda: [("", ""), *countries()],
    )
    is_true = forms.BooleanField(
        label=gettext_lazy(
            "I declare that this is true for the present financial year, and tell you if it "
            "changes."
        )
    )


class TaxView(PlayerView, TemplateView):
    """The tax withheld in a year, with its calculation."""

    template_name = "wallet/tax.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        found = _chosen(self.request)
        kind = payee_kind(self.player, financial_year(site_day()))
        labels = {
            "A": _("Withdrawn, including tax"),
            "B": _("Your own deposits"),
            "C": _("Balance at the beginning"),
            "D": _("Balance at the end") if found.is_settled else _("Balance now"),
            "E": _("Winnings taxed at withdrawals"),
        }
        return super().get_context_data(
            form=YearForm(initial={"year": found.year}, player=self.player),
            found=found,
            letters=[(letter, labels[letter], money) for letter, money in found.letters],
            rows=found.rows,
            rate=rate_on(TaxRate.Tax.TDS, found.currency, site_day(), payee=kind),
            kind=kind,
            **kwargs,
        )


class TaxFileView(PlayerView):
    """The deductions as a CSV file, each with its calculation."""

    throttle_scope = "costly"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        found = _chosen(request)
        name = f"tax-{found.name}.csv"
        lines = [[deduction_as_text(row) for row in found.rows]]
        return csv_response(request, filename=name, columns=tuple(DEDUCTION_COLUMNS), chunks=lines)


class TaxResidenceView(PlayerFormView):
    """The player's tax residence, and a form to declare another."""

    template_name = "wallet/tax_residence.html"
    form_class = TaxResidenceForm
    refused_field = "country"
    success_url = reverse_lazy("tax-residence")

    def carry_out(self, form: TaxResidenceForm) -> str:
        country = form.cleaned_data["country"]
        kind = PayeeKind.RESIDENT if country == INDIA else PayeeKind.NON_RESIDENT
        declare_residence(player_id=self.player.pk, kind=kind, country=country)
        return _("Declaration sent. Staff will check it.")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        declared = TaxResidence.objects.of_player(self.player)
        year = financial_year(site_day())
        return super().get_context_data(
            kind=payee_kind(self.player, year),
            year=year_name(year),
            declared=[
                (each, place_name(each.country), year_name(each.from_year)) for each in declared
            ],
            is_pending=any(each.state == TaxResidence.State.DECLARED for each in declared),
            **kwargs,
        )


def _chosen(request: HttpRequest) -> TaxYear:
    form = YearForm(request.GET, player=cast(User, request.user))
    if not form.is_valid():
        raise BadRequest("unknown year")
    return form.chosen()
