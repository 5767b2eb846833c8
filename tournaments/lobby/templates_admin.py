"""Admin of tournament templates, with an action that opens a tournament."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext, gettext_lazy
from moneyed import Money
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminDecimalFieldWidget

from core.admin.edit_pages import ServiceAdmin, refusals_as_messages
from core.clock import database_now
from core.exceptions import Refusal
from players.accounts.models import User
from tournaments.exceptions import TournamentError
from tournaments.planning import opening
from tournaments.planning.template_models import TournamentTemplate, steps_up
from tournaments.planning.terms_models import StartRule
from wallet.ledger.admin_columns import amount_column
from wallet.ledger.forms import FiguresField, ShareField, SharesField
from wallet.ledger.money import minor_units


class TemplateForm(forms.ModelForm[TournamentTemplate]):
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
    prize_bps = SharesField(
        label=gettext_lazy("Prizes by place"),
        help_text=gettext_lazy(
            "Percent of the pool by place, such as 50, 30, 20; the sum must be 100. Leave empty "
            "for the rulebook's default."
        ),
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
        fields = (
            "name",
            "slug",
            "is_offered",
            "profile",
            "kind",
            "start_rule",
            "weekdays",
            "start_time",
            "time_zone",
            "announce_hours",
            "register_hours",
            "currency",
            "rake_bps",
            "prize_bps",
            "awards",
            "entrants_max",
            "entrants_min",
            "seats",
            "qualify",
            "final_seats",
            "check_in_minutes",
            "no_show",
            "late_minutes",
            "extend_minutes",
            "round_minutes",
            "rejoins",
            "bots_fill",
        )
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
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Reports of closed days contain the slug and must not change.
        self.fields["slug"].disabled = bool(self.instance.pk)
        if self.instance.pk:
            self.initial["entry"] = self.instance.entry.amount
        self.initial["guarantee"] = self.instance.guarantee.amount

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        minor = {name: self._minor(name) for name in ("entry", "guarantee") if name in cleaned}
        if not self.errors:
            self.instance.entry_minor = minor["entry"]
            self.instance.guarantee_minor = minor["guarantee"]
            apart = ("entry", "guarantee", "awards")
            terms = {name: value for name, value in cleaned.items() if name not in apart}
            template = TournamentTemplate(
                entry_minor=minor["entry"], guarantee_minor=minor["guarantee"], **terms
            )
            try:
                opening.check_terms(template)
                opening.check_calendar(template)
                own = self.instance if self.instance.pk else None
                opening.check_awards(cleaned["awards"], currency=template.currency, own=own)
            except TournamentError as refusal:
                raise forms.ValidationError(str(refusal), code=refusal.code) from refusal
        return cleaned

    def _minor(self, name: str) -> int:
        try:
            return minor_units(
                Money(self.cleaned_data[name], self.cleaned_data.get("currency") or "PTS")
            )
        except Refusal as refusal:
            self.add_error(name, str(refusal))
            return 0


@admin.register(TournamentTemplate)
class TournamentTemplateAdmin(ServiceAdmin):
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

    price = amount_column("entry_minor", gettext_lazy("Entry"))

    @admin.display(description=gettext_lazy("Tickets to"))
    def ladder(self, template: TournamentTemplate) -> str:
        return " → ".join(str(step) for step in steps_up(template.awards)) or "–"

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Any]:
        return {} if obj else {"slug": ("name",)}

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
