"""Forms for a player's financial year and tax residence."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy

from players.accounts.models import User
from players.accounts.places import countries
from wallet.tax.arithmetic import year_name
from wallet.tax.statement import TaxYear, tax_year, years_of


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
