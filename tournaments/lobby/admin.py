"""Tournaments for staff: kinds to offer, each one to follow, and acts that need a reason."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from moneyed import Money
from unfold.admin import ModelAdmin, TabularInline
from unfold.widgets import (
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSplitDateTimeWidget,
)

from core.admin.autocomplete import AutocompleteAdmin
from core.admin.edit_pages import (
    CreateOnlyAdmin,
    ServiceAdmin,
    action_on_each,
    apply_to_each,
    refusals_as_messages,
)
from core.admin.read_only import ReadOnlyAdmin
from players.accounts.models import User
from tournaments.entries.models import Entry, Prize, Round, Ticket
from tournaments.exceptions import NotRegistered, TournamentError, TournamentOver
from tournaments.planning import opening
from tournaments.planning.models import StaffAct, Tournament
from tournaments.planning.template_models import TournamentTemplate
from tournaments.planning.terms_models import StartRule
from tournaments.prizes import tickets
from tournaments.prizes.models import TicketRefund
from tournaments.rounds import staff_actions, stopping
from wallet.exceptions import WalletError
from wallet.ledger.admin_columns import amount_column, share_column
from wallet.ledger.forms import FiguresField
from wallet.ledger.money import minor_units, percent


class TemplateForm(forms.ModelForm[TournamentTemplate]):
    entry = FiguresField(
        label=gettext_lazy("Entry"),
        max_digits=14,
        min_value=Decimal("0.01"),
        widget=UnfoldAdminDecimalFieldWidget(),
    )
    guarantee = FiguresField(
        label=gettext_lazy("Guarantee"),
        max_digits=14,
        min_value=Decimal(0),
        help_text=gettext_lazy("The least that is paid out in prizes; 0 for none."),
        widget=UnfoldAdminDecimalFieldWidget(),
    )

    class Meta:
        model = TournamentTemplate
        fields = (
            "name",
            "slug",
            "is_offered",
            "profile",
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
        labels: ClassVar[dict[str, Any]] = {
            "rake_bps": gettext_lazy("Rake"),
            "prize_bps": gettext_lazy("Prizes by place"),
        }
        help_texts: ClassVar[dict[str, Any]] = {
            "rake_bps": gettext_lazy("In hundredths of a percent: 1000 are ten percent."),
            "prize_bps": gettext_lazy(
                "Shares of the pool in hundredths of a percent, 10000 together, such as "
                "5000,3000,2000; empty for the rulebook's."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Reports of closed days name it, and stay as they were.
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
                opening.check_awards(cleaned["awards"], currency=template.currency)
            except TournamentError as refusal:
                raise forms.ValidationError(str(refusal), code=refusal.code) from refusal
        return cleaned

    def _minor(self, name: str) -> int:
        try:
            return minor_units(
                Money(self.cleaned_data[name], self.cleaned_data.get("currency") or "PTS")
            )
        except WalletError as refusal:
            self.add_error(name, str(refusal))
            return 0


@admin.register(TournamentTemplate)
class TournamentTemplateAdmin(ServiceAdmin, ModelAdmin):
    """What is changed here holds for tournaments opened from now on."""

    form = TemplateForm
    list_display = (
        "name",
        "profile",
        "start_rule",
        "start_time",
        "price",
        "entrants_max",
        "is_offered",
    )
    list_filter = ("is_offered", "start_rule", "currency")
    list_select_related = ("profile",)
    prepopulated_fields: ClassVar[dict[str, Any]] = {"slug": ("name",)}
    actions = ("open_one",)

    price = amount_column("entry_minor", gettext_lazy("Entry"))

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Any]:
        return {} if obj else {"slug": ("name",)}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: TournamentTemplate, form: Any, change: bool
    ) -> None:
        opening.change_template(template=obj, by=cast(User, request.user))

    @admin.action(
        description=gettext_lazy("Open one in an hour, or at once if it starts when full"),
        permissions=["change"],
    )
    def open_one(self, request: HttpRequest, chosen: QuerySet[TournamentTemplate]) -> None:
        now = timezone.now()
        for template in chosen:
            with refusals_as_messages(request):
                is_timed = template.start_rule == StartRule.SCHEDULED
                starts_at = now + timedelta(hours=1) if is_timed else None
                opened = opening.open_by_hand(
                    template=template, starts_at=starts_at, by=cast(User, request.user), now=now
                )
                messages.success(request, f"{opened} is open.")


class PrizeInline(ReadOnlyAdmin, TabularInline):
    model = Prize
    fields = readonly_fields = ("place", "share", "won", "is_ticket")
    extra = 0

    share = share_column("bps", gettext_lazy("Share of the pool"))
    won = amount_column("amount_minor", gettext_lazy("Amount"), currency="tournament.currency")


class RoundInline(ReadOnlyAdmin, TabularInline):
    model = Round
    fields = readonly_fields = ("no", "is_final", "started_at", "ends_at", "finished_at")
    extra = 0


class StaffActInline(ReadOnlyAdmin, TabularInline):
    model = StaffAct
    fields = readonly_fields = (
        "kind",
        "subject",
        "reason",
        "asked_by",
        "asked_at",
        "agreed_by",
        "done_at",
    )
    extra = 0


@admin.register(Tournament)
class TournamentAdmin(ReadOnlyAdmin, ModelAdmin):
    list_display = (
        "__str__",
        "state",
        "starts_at",
        "entrants",
        "round_no",
        "due_at",
        "prizes",
    )
    list_filter = ("state", "currency", "template")
    search_fields = ("=public_id", "name", "entries__player__handle")
    date_hierarchy = "starts_at"
    inlines = (StaffActInline, RoundInline, PrizeInline)
    exclude: ClassVar[list[str]] = [
        "entry_minor",
        "rake_bps",
        "guarantee_minor",
        "prize_bps",
        "prize_minor",
        "overlay_minor",
    ]
    readonly_fields = ("price", "rake", "guaranteed", "shares", "prizes", "overlay")

    price = amount_column("entry_minor", gettext_lazy("Entry"))
    rake = share_column("rake_bps", gettext_lazy("Rake"))
    guaranteed = amount_column("guarantee_minor", gettext_lazy("Guarantee"))
    prizes = amount_column("prize_minor", gettext_lazy("Prizes together"))
    overlay = amount_column("overlay_minor", gettext_lazy("Added by the house"))

    @admin.display(description=gettext_lazy("Prizes by place"))
    def shares(self, tournament: Tournament) -> str:
        shares = [f"{percent(bps)} %" for bps in tournament.prize_bps]
        return ", ".join(shares) or gettext("as the rulebook says")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tournament]:
        rows: QuerySet[Tournament] = super().get_queryset(request)
        standing = ~Q(entries__state__in=[*Entry.GONE, Entry.State.WAITING])
        return rows.annotate(standing=Count("entries", filter=standing))

    @admin.display(description=gettext_lazy("Entrants"), ordering="standing")
    def entrants(self, tournament: Any) -> str:
        return f"{tournament.standing} of {tournament.entrants_max}"


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin, ModelAdmin):
    list_display = ("player", "tournament", "state", "draw_no", "place", "tied", "won")
    list_filter = ("state", "is_absent")
    exclude: ClassVar[list[str]] = ["prize_minor"]
    readonly_fields = ("won",)

    won = amount_column("prize_minor", gettext_lazy("Prize"), currency="tournament.currency")

    search_fields = ("player__handle", "=tournament__public_id", "tournament__name")
    list_select_related = ("player", "tournament")


@admin.register(Ticket)
class TicketAdmin(ReadOnlyAdmin, ModelAdmin):
    list_display = ("__str__", "player", "worth", "state", "won_in", "issued_at")
    list_filter = ("state",)
    search_fields = ("player__handle", "=public_id")
    list_select_related = ("player", "admits_to", "won_in", "account__player")
    exclude: ClassVar[list[str]] = ["value_minor"]
    readonly_fields = ("worth",)

    worth = amount_column("value_minor", gettext_lazy("Value"), currency="account.currency")


class TicketRefundForm(forms.ModelForm[TicketRefund]):
    class Meta:
        model = TicketRefund
        fields = ("ticket", "reason")


@admin.register(TicketRefund)
class TicketRefundAdmin(AutocompleteAdmin, CreateOnlyAdmin, ModelAdmin):
    """One person asks for a ticket to be paid out, another decides."""

    form = TicketRefundForm
    fields = ("ticket", "reason")
    autocomplete_fields = ("ticket",)
    list_display = ("__str__", "reason", "status", "made_by", "checked_by", "checked_at")
    list_filter = ("status",)
    list_select_related = (
        "ticket__account",
        "ticket__admits_to",
        "made_by",
        "checked_by",
    )
    search_fields = ("ticket__player__handle", "=ticket__public_id", "reason")
    date_hierarchy = "made_at"
    actions = ("approve", "reject")

    def has_check_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("tournaments.check_ticketrefund")

    def save_model(self, request: HttpRequest, obj: TicketRefund, form: Any, change: bool) -> None:
        made = tickets.request_refund(
            ticket_id=obj.ticket_id, reason=obj.reason, by=cast(User, request.user)
        )
        obj.pk, obj.amount_minor = made.pk, made.amount_minor

    approve = action_on_each(
        lambda asked, by: tickets.approve_refund(refund_id=asked.pk, by=by),
        label=gettext_lazy("Approve and pay out"),
        message=gettext_lazy("Paid out"),
        permission="check",
    )

    reject = action_on_each(
        lambda asked, by: tickets.reject_refund(refund_id=asked.pk, by=by),
        label=gettext_lazy("Reject"),
        message=gettext_lazy("Rejected"),
        permission="check",
    )


class StaffActForm(forms.ModelForm[StaffAct]):
    """Asks what is to be done and why; what an act needs besides depends on its kind."""

    starts_at = forms.SplitDateTimeField(
        required=False,
        widget=UnfoldAdminSplitDateTimeWidget(),
        help_text=gettext_lazy("Delay: the new start."),
    )
    minutes = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=24 * 60,
        widget=UnfoldAdminIntegerFieldWidget(),
        help_text=gettext_lazy("Extend: how many minutes more the round gets."),
    )
    player = forms.CharField(
        required=False, max_length=20, help_text=gettext_lazy("Remove: the player's handle.")
    )

    class Meta:
        model = StaffAct
        fields = ("tournament", "kind", "reason")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        needs = {"delay": "starts_at", "extend": "minutes", "remove": "player"}
        needed = needs.get(cleaned.get("kind", ""))
        if needed and not cleaned.get(needed):
            self.add_error(needed, "This act needs it.")
        return cleaned


@admin.register(StaffAct)
class StaffActAdmin(AutocompleteAdmin, CreateOnlyAdmin, ModelAdmin):
    """An act is done as it is written down; an abort waits for a second person's word."""

    form = StaffActForm
    autocomplete_fields = ("tournament",)
    list_display = ("kind", "tournament", "subject", "reason", "asked_by", "agreed_by", "done_at")
    list_filter = ("kind", "done_at")
    list_select_related = ("tournament", "asked_by", "agreed_by")
    actions = ("agree",)

    def has_agree_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("tournaments.add_staffact")

    def save_model(self, request: HttpRequest, obj: StaffAct, form: Any, change: bool) -> None:
        done = _do(obj, form.cleaned_data, cast(User, request.user))
        obj.pk = done.pk

    @admin.action(description=gettext_lazy("Agree: abort it now"), permissions=["agree"])
    def agree(self, request: HttpRequest, chosen: QuerySet[StaffAct]) -> None:
        apply_to_each(
            request,
            chosen.filter(kind=StaffAct.Kind.ABORT),
            lambda act, by: stopping.agree_to_abort(act_id=act.pk, by=by),
            message=gettext("Agreed to"),
        )


def _do(act: StaffAct, asked: dict[str, Any], by: User) -> StaffAct:
    """Carry out what the form asks for, and return the row the service has written of it."""
    why: dict[str, Any] = {"by": by, "reason": act.reason}
    tournament = act.tournament
    if act.kind == StaffAct.Kind.ABORT:
        return stopping.ask_to_abort(tournament_id=tournament.pk, **why)
    if act.kind == StaffAct.Kind.CANCEL:
        stopping.cancel(tournament_id=tournament.pk, **why)
    elif act.kind == StaffAct.Kind.DELAY:
        starts_at: datetime = asked["starts_at"]
        staff_actions.delay(tournament_id=tournament.pk, starts_at=starts_at, **why)
    elif act.kind == StaffAct.Kind.EXTEND:
        staff_actions.extend_round(tournament_id=tournament.pk, minutes=asked["minutes"], **why)
    else:
        staff_actions.remove(entry_id=_entry_of(tournament, asked["player"]).pk, **why)
    written = tournament.staff_acts.filter(kind=act.kind, asked_by=by).order_by("pk").last()
    if written is None:  # A cancellation repeated: what somebody else has cancelled stays so.
        raise TournamentOver("It is cancelled already.")
    return written


def _entry_of(tournament: Tournament, handle: str) -> Entry:
    entered = tournament.entries.entered()
    entry = entered.filter(player__handle__iexact=handle.strip()).first()
    if entry is None:
        raise NotRegistered(f"{handle} is not in this tournament.")
    return entry
