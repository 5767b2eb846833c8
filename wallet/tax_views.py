"""The player's taxes, year by year, on a page and as a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.generic import TemplateView, View

from players.models import User
from wallet.csv_stream import csv_response
from wallet.models import TaxRate, Withholding
from wallet.money import as_money
from wallet.tax_statement import TaxYear, is_given_back, tax_year, years_of
from wallet.tax_years import house_day, rate_on
from wallet.taxes import year_name

COLUMNS = (
    *("year", "when", "why", "withdrawn_a", "own_deposits_b", "opening_c", "closing_d"),
    *("taxed_before_e", "net_winnings", "taxed", "rate_bps", "tax", "given_back", "currency"),
    "transfer",
)


class YearForm(forms.Form):
    year = forms.TypedChoiceField(label=gettext_lazy("Financial year"), coerce=int, required=False)

    def __init__(self, *args: Any, player: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._player = player
        self._years = years_of(player)
        field = self.fields["year"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101  For the type checker.
        field.choices = [(year, year_name(year)) for year in self._years]

    def chosen(self) -> TaxYear:
        """Return the year that was asked for, else the present one; the form is valid."""
        year = self.cleaned_data["year"] or self._years[0]
        return tax_year(self._player, currency=settings.CASH_CURRENCIES[0], year=int(year))


class TaxView(LoginRequiredMixin, TemplateView):
    """What was withheld in a year, and how it came about."""

    template_name = "wallet/tax.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        found = _chosen(self.request)
        words = {
            "A": _("Withdrawn, taxes included"),
            "B": _("Your own deposits"),
            "C": _("Balance at the beginning"),
            "D": _("Balance at the end") if found.is_settled else _("Balance now"),
            "E": _("Winnings taxed at withdrawals"),
        }
        return super().get_context_data(
            form=YearForm(initial={"year": found.year}, player=cast(User, self.request.user)),
            found=found,
            letters=[(letter, words[letter], money) for letter, money in found.letters],
            rows=[(row, is_given_back(row)) for row in found.rows],
            rate=rate_on(TaxRate.Tax.TDS, found.currency, house_day()),
            **kwargs,
        )


class TaxFileView(LoginRequiredMixin, View):
    """The same deductions as a file, each with its whole calculation."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        found = _chosen(request)
        name = f"tax-{found.name}.csv"
        return csv_response(request, filename=name, columns=COLUMNS, chunks=_lines(found))


def _chosen(request: HttpRequest) -> TaxYear:
    form = YearForm(request.GET, player=cast(User, request.user))
    if not form.is_valid():
        raise BadRequest("the year is not one this page gave out")
    return form.chosen()


def _lines(found: TaxYear) -> Iterator[list[dict[str, str]]]:
    yield [_line(found, row) for row in found.rows]


def _line(found: TaxYear, row: Withholding) -> dict[str, str]:
    minor = {
        "withdrawn_a": row.withdrawn_minor,
        "own_deposits_b": row.deposited_minor,
        "opening_c": row.opening_minor,
        "closing_d": row.closing_minor,
        "taxed_before_e": row.taxed_before_minor,
        "net_winnings": row.net_minor,
        "taxed": row.taxed_minor,
        "tax": row.tax_minor,
    }
    return {
        "year": found.name,
        "when": row.deducted_on.isoformat(),
        "why": row.reason,
        "rate_bps": str(row.bps),
        "given_back": "yes" if is_given_back(row) else "no",
        "currency": row.currency,
        "transfer": str(row.transfer.public_id) if row.transfer else "",
        **{name: str(as_money(amount, row.currency).amount) for name, amount in minor.items()},
    }
