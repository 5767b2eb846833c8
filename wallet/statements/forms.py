"""The filters of statements, read from the query string."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Final, NamedTuple

from django import forms
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from core.pages.dates import DayInput
from players.accounts.models import User
from wallet.ledger.days import site_day
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import PLAY_POINTS
from wallet.statements.acts import ActKind, ActStatement, first_days
from wallet.statements.statement import Statement, kind_label
from wallet.tax import arithmetic

CURRENCIES: Final = {"INR": _("Rupees"), PLAY_POINTS: _("Play points")}


class Period(NamedTuple):
    """A month or a financial year: its value in the query string, name and days."""

    value: str
    name: str
    first: date
    last: date


class ActsForm(forms.Form):
    """The filters of the statement page and its files; without a currency the first one."""

    currency = forms.ChoiceField(required=False)
    kind = forms.ChoiceField(required=False, choices=[("", _("All")), *ActKind.choices])
    period = forms.ChoiceField(required=False, label=_("Period"))

    def __init__(self, *args: Any, player: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._player = player
        days = first_days(player)
        codes = list(days) or [PLAY_POINTS]
        self.currencies = [(code, CURRENCIES.get(code, code)) for code in codes]
        today = site_day()
        first = min(days.values(), default=today)
        self._months = list(_months(first, today))
        self._years = list(_years(first, today))
        self._offer("currency", self.currencies)
        self._offer(
            "period",
            [
                ("", _("All time")),
                (_("Months"), [each[:2] for each in self._months]),
                (_("Financial years"), [each[:2] for each in self._years]),
            ],
        )

    @property
    def chosen_currency(self) -> str:
        return str(self.cleaned_data["currency"] or self.currencies[0][0])

    @property
    def chosen_kind(self) -> ActKind | None:
        kind = self.cleaned_data["kind"]
        return ActKind(kind) if kind else None

    @property
    def chosen_period(self) -> Period | None:
        value = self.cleaned_data["period"]
        return next((each for each in self._months + self._years if each.value == value), None)

    def statement(self) -> ActStatement:
        """Return the filtered statement; the form is valid."""
        period = self.chosen_period
        return ActStatement(
            player=self._player,
            currency=self.chosen_currency,
            kind=self.chosen_kind,
            first=period.first if period else None,
            last=period.last if period else None,
        )

    def _offer(self, name: str, choices: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices


def _months(first: date, today: date) -> Iterator[Period]:
    """Yield the months from today's back to the first one's."""
    number = today.year * 12 + today.month - 1
    while number >= first.year * 12 + first.month - 1:
        begin = date(number // 12, number % 12 + 1, 1)
        end = date.fromordinal(date((number + 1) // 12, (number + 1) % 12 + 1, 1).toordinal() - 1)
        yield Period(f"{begin:%Y-%m}", date_format(begin, "F Y"), begin, end)
        number -= 1


def _years(first: date, today: date) -> Iterator[Period]:
    """Yield the financial years from today's back to the first one's."""
    for year in range(arithmetic.financial_year(today), arithmetic.financial_year(first) - 1, -1):
        begin, end = arithmetic.first_day(year), arithmetic.last_day(year)
        yield Period(f"year-{year}", arithmetic.year_name(year), begin, end)


class StatementForm(forms.Form):
    """The filters of the API's list of entries."""

    currency = forms.ChoiceField(required=False, label=_("Currency"))
    kind = forms.ChoiceField(required=False, label=_("What"))
    booked_from = forms.DateField(required=False, label=_("From"), widget=DayInput())
    booked_to = forms.DateField(required=False, label=_("To"), widget=DayInput())

    def __init__(self, *args: Any, player: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._player = player
        held = Account.objects.of_player(player).order_by("currency").values_list("currency")
        self._offer("currency", [(code, code) for (code,) in held.distinct()])
        self._offer("kind", [(kind.value, kind_label(kind)) for kind in Transfer.Kind])

    def clean(self) -> dict[str, Any]:
        chosen = self.cleaned_data
        first, last = chosen.get("booked_from"), chosen.get("booked_to")
        if first and last and first > last:
            self.add_error("booked_to", _("The last day must not be before the first."))
        return chosen

    def statement(self) -> Statement:
        """Return the filtered statement; the form is valid."""
        filters = dict(self.cleaned_data)
        kind = filters.pop("kind")
        return Statement(player=self._player, kinds=(kind,) if kind else (), **filters)

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("All")), *choices]
