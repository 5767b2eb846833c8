"""The player's taxes, year by year, on a page and as a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.generic import TemplateView, View

from core.http.csv_stream import csv_response
from players.accounts.models import User
from wallet.ledger.days import house_day
from wallet.tax.assessment import rate_on
from wallet.tax.forms import YearForm
from wallet.tax.models import TaxRate
from wallet.tax.statement import DEDUCTION_COLUMNS, TaxYear, deduction_as_text, is_given_back


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

    throttle_scope = "costly"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        found = _chosen(request)
        name = f"tax-{found.name}.csv"
        return csv_response(request, filename=name, columns=DEDUCTION_COLUMNS, chunks=_lines(found))


def _chosen(request: HttpRequest) -> TaxYear:
    form = YearForm(request.GET, player=cast(User, request.user))
    if not form.is_valid():
        raise BadRequest("the year is not one this page gave out")
    return form.chosen()


def _lines(found: TaxYear) -> Iterator[list[dict[str, str]]]:
    yield [deduction_as_text(row) for row in found.rows]
