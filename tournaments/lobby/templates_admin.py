"""Admin of tournament templates, with an action that opens a tournament."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any, ClassVar, Final, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import flatten_fieldsets
from django.contrib.auth.hashers import make_password
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext, gettext_lazy
from moneyed import Money
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminPasswordWidget,
    UnfoldAdminTextareaWidget,
    UnfoldBooleanWidget,
)

from core.admin.edit_pages import ServiceAdmin, refusals_as_messages
from core.admin.read_only import ProtectedLookups
from core.clock import database_now
from core.exceptions import Refusal
from players.accounts.models import User
from tournaments.exceptions import BadPrizes, TournamentError
from tournaments.planning import opening
from tournaments.planning.prize_table import check_rows, rows_of_text, text_of_rows
from tournaments.planning.template_models import TournamentTemplate, steps_up
from tournaments.planning.terms_models import StartRule
from tournaments.prizes.preview import prize_preview
from wallet.ledger.admin_columns import amount_column
from wallet.ledger.forms import FiguresField, ShareField
from wallet.ledger.money import minor_units

FIELDSETS: Final[Any] = (
    (None, {"fields": ("name", "slug", "is_offered", "profile", "bots_fill")}),
    (
        gettext_lazy("Start"),
        {
            "fields": (
                *("start_rule", "weekdays", "start_time", "time_zone", "announce_hours"),
                *("register_hours", "check_in_minutes", "no_show", "extend_minutes"),
                *("password", "without_password"),
            )
        },
    ),
    (
        gettext_lazy("Tables and rounds"),
        {"fields": ("kind", "seats", "qualify", "final_seats", "round_minutes")},
    ),
    (
        gettext_lazy("Late entry and more payments"),
        {
            "fields": (
                *("late_minutes", "reentries_max", "rejoins", "rejoin_minutes"),
                *("addon", "addon_chips", "addon_minutes"),
            )
        },
    ),
    (
        gettext_lazy("Entry and prizes"),
        {
            "fields": (
                *("currency", "entry", "rake_bps", "guarantee", "entrants_min"),
                *("entrants_max", "awards", "prize_bps"),
            )
        },
    ),
)


class PrizesField(forms.CharField):
    """Shares of the prize pool by place, one line for each place or range, as basis points."""

    def prepare_value(self, value: Any) -> Any:
        return text_of_rows(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[int]:
        typed = super().clean(value)
        try:
            rows = rows_of_text(typed)
            if rows:
                check_rows(rows)
        except BadPrizes as refusal:
            raise forms.ValidationError(str(refusal), code=refusal.code) from refusal
        return rows

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


class PricesForm(forms.Form):
    """The prices, limits and shares from which the prizes of a tournament follow."""

    entry = FiguresField(
        label=gettext_lazy("Entry"),
        max_digits=14,
        min_value=Decimal(0),
        help_text=gettext_lazy("0 for a free tournament, whose prizes the guarantee pays."),
        widget=UnfoldAdminDecimalFieldWidget(),
    )
    guarantee = FiguresField(
        label=gettext_lazy("Guarantee"),
        max_digits=14,
        min_value=Decimal(0),
        help_text=gettext_lazy("Minimum of the prize pool; 0 for no guarantee."),
        widget=UnfoldAdminDecimalFieldWidget(),
    )
    rake_bps = ShareField(
        label=gettext_lazy("Rake"), help_text=gettext_lazy("Percent of each entry.")
    )
    prize_bps = PrizesField(
        label=gettext_lazy("Prizes by place"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 8}),
        help_text=gettext_lazy(
            "One line for each place or range of places with its percent of the pool, such as "
            "1: 50 and 4-6: 5; the sum must be 100. Leave empty for the rulebook's default."
        ),
    )

    def minor(self, name: str) -> int:
        """Return an amount in minor units of the form's currency; 0 and an error if invalid."""
        try:
            currency = self.cleaned_data.get("currency") or "PTS"
            return minor_units(Money(self.cleaned_data[name], currency))
        except Refusal as refusal:
            self.add_error(name, str(refusal))
            return 0


class PreviewForm(PricesForm):
    """The values of a template's form that its preview of the prizes needs."""

    currency = forms.CharField(max_length=3)
    entrants_max = forms.IntegerField(min_value=2, max_value=100_000)
    entrants_min = forms.IntegerField(min_value=2, max_value=100_000, required=False)
    entrants = forms.IntegerField(min_value=1, max_value=100_000, required=False)
    awards = forms.ModelChoiceField(TournamentTemplate.objects.all(), required=False)

    def template(self) -> TournamentTemplate:
        """Return an unsaved template with these terms."""
        names = ("currency", "rake_bps", "prize_bps", "entrants_max", "entrants_min", "awards")
        return TournamentTemplate(
            entry_minor=self.minor("entry"),
            guarantee_minor=self.minor("guarantee"),
            **{name: self.cleaned_data[name] for name in names},
        )

    def numbers(self) -> list[int]:
        """Return the numbers of entries to show: the minimum, half, the maximum, and the chosen."""
        terms, chosen = self.template(), self.cleaned_data["entrants"]
        most = terms.entrants_max
        numbers = {min(terms.least_entrants, most), (most + 1) // 2, most, chosen or most}
        return sorted(numbers)


class TemplateForm(PricesForm, forms.ModelForm[TournamentTemplate]):
    addon = FiguresField(
        label=gettext_lazy("Add-on"),
        max_digits=14,
        min_value=Decimal(0),
        required=False,
        help_text=gettext_lazy("Price of the add-on; 0 for none. Only for games of chips."),
        widget=UnfoldAdminDecimalFieldWidget(),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        required=False,
        min_length=6,
        max_length=128,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy(
            "Registration asks for it. It is stored as a hash and cannot be shown. Leave empty to "
            "keep the present one."
        ),
    )
    without_password = forms.BooleanField(
        label=gettext_lazy("Remove the password"),
        required=False,
        widget=UnfoldBooleanWidget(),
    )
    weekdays = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Weekdays"),
        coerce=int,
        choices=list(WEEKDAYS.items()),
        required=False,
        help_text=gettext_lazy("Leave empty if staff open its tournaments."),
        widget=UnfoldAdminCheckboxSelectMultipleWidget(),
    )

    class Meta:
        model = TournamentTemplate
        fields = flatten_fieldsets(FIELDSETS)
        labels: ClassVar[dict[str, Any]] = {
            "reentries_max": gettext_lazy("Re-entries"),
            "addon_chips": gettext_lazy("Chips of the add-on"),
            "addon_minutes": gettext_lazy("Minutes of the break"),
        }
        help_texts: ClassVar[dict[str, Any]] = {
            "kind": gettext_lazy(
                "Balanced tables need pool rules without rejoins and late entry. A race needs "
                "rules with drops, and its minutes as the limit of a round."
            ),
            "start_rule": gettext_lazy("At a set time, or when all places are taken."),
            "start_time": gettext_lazy("In the time zone below."),
            "announce_hours": gettext_lazy("Hours before the start at which it is listed."),
            "register_hours": gettext_lazy("Hours before the start at which registration opens."),
            "awards": gettext_lazy(
                "For a satellite: the tournament for which its prizes are tickets."
            ),
            "entrants_min": gettext_lazy("With fewer it is cancelled and entries are refunded."),
            "seats": gettext_lazy("Maximum at each table."),
            "qualify": gettext_lazy("Players of each table who advance to the next round."),
            "check_in_minutes": gettext_lazy(
                "Before the start; players who do not check in are absent."
            ),
            "late_minutes": gettext_lazy(
                "After the start, in which late entry is open; 0 for none."
            ),
            "extend_minutes": gettext_lazy(
                "Delay of the start, once, with too few entrants; 0 for none."
            ),
            "rejoin_minutes": gettext_lazy(
                "After the start, in which rejoins are sold. Leave empty for all of round 1."
            ),
            "reentries_max": gettext_lazy(
                "Of each player after an elimination, while late entry is open; 0 for none."
            ),
            "addon_chips": gettext_lazy("Added to each buyer's chips at the start of round 2."),
            "addon_minutes": gettext_lazy(
                "Break after round 1 in which the add-on is sold; 0 without an add-on."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Reports of closed days contain the slug and must not change.
        self.fields["slug"].disabled = bool(self.instance.pk)
        if self.instance.pk:
            self.initial["entry"] = self.instance.entry.amount
        self.initial["guarantee"] = self.instance.guarantee.amount
        self.initial["addon"] = self.instance.addon.amount

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        cleaned["addon"] = cleaned.get("addon") or Decimal(0)
        prices = [name for name in ("entry", "guarantee", "addon") if name in cleaned]
        minor = {f"{name}_minor": self.minor(name) for name in prices}
        if not self.errors:
            for name, amount in minor.items():
                setattr(self.instance, name, amount)
            self._set_password(cleaned["password"], is_removed=cleaned["without_password"])
            apart = ("entry", "guarantee", "addon", "awards", "password", "without_password")
            terms = {name: value for name, value in cleaned.items() if name not in apart}
            template = TournamentTemplate(**minor, **terms)
            try:
                opening.check_terms(template)
                opening.check_calendar(template)
                own = self.instance if self.instance.pk else None
                opening.check_awards(cleaned["awards"], currency=template.currency, own=own)
            except TournamentError as refusal:
                raise forms.ValidationError(str(refusal), code=refusal.code) from refusal
        return cleaned

    def _set_password(self, password: str, *, is_removed: bool) -> None:
        if password:
            self.instance.password_hash = make_password(password)
        elif is_removed:
            self.instance.password_hash = ""


@admin.register(TournamentTemplate)
class TournamentTemplateAdmin(ProtectedLookups, ServiceAdmin):
    """Changes apply to tournaments opened later."""

    form = TemplateForm
    list_display = (
        "name",
        "profile",
        "kind",
        "start_rule",
        "start_time",
        "price",
        "ladder",
        "entrants_max",
        "is_offered",
    )
    list_filter = ("is_offered", "kind", "start_rule", "currency")
    list_select_related = ("profile", "awards__awards__awards")
    actions = ("open_one",)
    fieldsets = FIELDSETS
    change_form_after_template = "admin/tournaments/prizes.html"

    class Media:
        js = ("vendor/htmx.min.js",)

    price = amount_column("entry_minor", gettext_lazy("Entry"))

    @admin.display(description=gettext_lazy("Tickets to"))
    def ladder(self, template: TournamentTemplate) -> str:
        return " → ".join(str(step) for step in steps_up(template.awards)) or "–"

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Any]:
        return {} if obj else {"slug": ("name",)}

    def get_urls(self) -> list[URLPattern]:
        prizes = self.admin_site.admin_view(self.prizes)
        named = path("prizes/", prizes, name="tournaments_tournamenttemplate_prizes")
        return [named, *super().get_urls()]

    def prizes(self, request: HttpRequest) -> HttpResponse:
        """Show the prizes of the form's present values, which are not saved."""
        if not (self.has_change_permission(request) or self.has_add_permission(request)):
            raise PermissionDenied
        form = PreviewForm(request.GET)
        if form.is_valid():
            context = prize_preview(form.template(), form.numbers())
        else:
            context = {"wrong": [form[name] for name in form.errors]}
        return render(request, "admin/tournaments/_prizes.html", context)

    def save_by_action(self, row: TournamentTemplate, form: Any, by: User) -> TournamentTemplate:
        return opening.change_template(template=row, by=by)

    @admin.action(
        description=gettext_lazy(
            "Open a tournament: in an hour, or at once if it starts when full"
        ),
        permissions=["change"],
    )
    def open_one(self, request: HttpRequest, chosen: QuerySet[TournamentTemplate]) -> None:
        now = database_now()
        for template in chosen:
            with refusals_as_messages(request):
                is_timed = template.start_rule == StartRule.SCHEDULED
                starts_at = now + timedelta(hours=1) if is_timed else None
                opened = opening.open_by_hand(
                    template=template, starts_at=starts_at, by=cast(User, request.user), now=now
                )
                said = gettext("%(tournament)s is open.") % {"tournament": opened}
                messages.success(request, said)
