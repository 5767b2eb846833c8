"""Admin of tournaments: read-only lists, ticket refunds and staff actions."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSplitDateTimeWidget,
)

from core.admin.autocomplete import AutocompleteAdmin
from core.admin.edit_pages import (
    CreateOnlyAdmin,
    DecidedOnPage,
    MakerCheckerAdmin,
    apply_to_each,
    approval,
    permitted,
    rejection,
)
from core.admin.read_only import ReadOnlyAdmin, ReadOnlyInline
from players.accounts.models import User
from tournaments.entries.models import Entry, Prize, Round, Ticket
from tournaments.exceptions import NotRegistered, TournamentOver
from tournaments.planning.models import StaffAction, Tournament
from tournaments.prizes import tickets
from tournaments.prizes.models import TicketRefund
from tournaments.rounds import staff_actions, stopping
from wallet.ledger.admin_columns import amount_column, share_column
from wallet.ledger.money import percent


class PrizeInline(ReadOnlyInline):
    model = Prize
    fields = ("place", "share", "won", "is_ticket")

    share = share_column("bps", gettext_lazy("Share of the pool"))
    won = amount_column("amount_minor", gettext_lazy("Amount"), currency="tournament.currency")


class RoundInline(ReadOnlyInline):
    model = Round
    fields = ("no", "is_final", "started_at", "ends_at", "finished_at")


class StaffActionInline(ReadOnlyInline):
    model = StaffAction
    fields = (
        "kind",
        "subject",
        "reason",
        "asked_by",
        "asked_at",
        "agreed_by",
        "done_at",
    )


@admin.register(Tournament)
class TournamentAdmin(ReadOnlyAdmin):
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
    inlines = (StaffActionInline, RoundInline, PrizeInline)
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
    prizes = amount_column("prize_minor", gettext_lazy("Prize pool"))
    overlay = amount_column("overlay_minor", gettext_lazy("Overlay"))

    @admin.display(description=gettext_lazy("Prizes by place"))
    def shares(self, tournament: Tournament) -> str:
        shares = [f"{percent(bps)} %" for bps in tournament.prize_bps]
        return ", ".join(shares) or gettext("rulebook default")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tournament]:
        rows: QuerySet[Tournament] = super().get_queryset(request)
        standing = ~Q(entries__state__in=[*Entry.GONE, Entry.State.WAITING])
        return rows.annotate(standing=Count("entries", filter=standing))

    @admin.display(description=gettext_lazy("Entrants"), ordering="standing")
    def entrants(self, tournament: Any) -> str:
        counts = {"count": tournament.standing, "most": tournament.entrants_max}
        return gettext("%(count)s of %(most)s") % counts


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("player", "tournament", "state", "draw_no", "place", "tied", "won")
    list_filter = ("state", "is_absent")
    exclude: ClassVar[list[str]] = ["prize_minor"]
    readonly_fields = ("won",)

    won = amount_column("prize_minor", gettext_lazy("Prize"), currency="tournament.currency")

    search_fields = ("player__handle", "=tournament__public_id", "tournament__name")
    list_select_related = ("player", "tournament")


@admin.register(Ticket)
class TicketAdmin(ReadOnlyAdmin):
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
class TicketRefundAdmin(AutocompleteAdmin, MakerCheckerAdmin):
    """One person requests the payout of a ticket, another decides."""

    form = TicketRefundForm
    fields = ("ticket", "reason")
    autocomplete_fields = ("ticket",)
    list_display = ("__str__", "reason", "status", "made_by", "checked_by", "checked_at")
    list_select_related = ("ticket__account", "ticket__admits_to", "made_by", "checked_by")
    search_fields = ("ticket__player__handle", "=ticket__public_id", "reason")
    date_hierarchy = "made_at"

    def save_by_action(self, row: TicketRefund, form: Any, by: User) -> TicketRefund:
        return tickets.request_refund(ticket_id=row.ticket_id, reason=row.reason, by=by)

    approve = approval(
        lambda asked, by: tickets.approve_refund(refund_id=asked.pk, by=by),
        label=gettext_lazy("Approve and pay out"),
        message=gettext_lazy("Paid out"),
        previewed=True,
    )

    reject = rejection(lambda asked, by: tickets.reject_refund(refund_id=asked.pk, by=by))


class StaffActionForm(forms.ModelForm[StaffAction]):
    """The kind and reason of an action; its kind decides which other field is required."""

    starts_at = forms.SplitDateTimeField(
        label=gettext_lazy("Start"),
        required=False,
        widget=UnfoldAdminSplitDateTimeWidget(),
        help_text=gettext_lazy("Delay: the new start."),
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Minutes"),
        required=False,
        min_value=1,
        max_value=24 * 60,
        widget=UnfoldAdminIntegerFieldWidget(),
        help_text=gettext_lazy("Extend: minutes to add to the round."),
    )
    player = forms.CharField(
        label=gettext_lazy("Player"),
        required=False,
        max_length=20,
        help_text=gettext_lazy("Remove: the player's handle."),
    )

    class Meta:
        model = StaffAction
        fields = ("tournament", "kind", "reason")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        needs = {"delay": "starts_at", "extend": "minutes", "remove": "player"}
        needed = needs.get(cleaned.get("kind", ""))
        if needed and not cleaned.get(needed):
            self.add_error(needed, gettext("This action requires a value."))
        return cleaned


@admin.register(StaffAction)
class StaffActionAdmin(AutocompleteAdmin, DecidedOnPage, CreateOnlyAdmin):
    """Adding a row carries out the action; an abort also needs the agreement of a second person."""

    form = StaffActionForm
    autocomplete_fields = ("tournament",)
    list_display = ("kind", "tournament", "subject", "reason", "state", "asked_by", "agreed_by")
    list_filter = ("kind", "done_at")
    list_select_related = ("tournament", "asked_by", "agreed_by")
    actions = ("agree",)
    is_previewed = True

    # Shown for an action that was taken.
    taken = ("tournament", "kind", "subject", "reason", "state")
    people = ("asked_by", "asked_at", "agreed_by", "done_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return super().get_fields(request, obj) if obj is None else (*self.taken, *self.people)

    @admin.display(description=gettext_lazy("State"))
    def state(self, act: StaffAction) -> str:
        if act.done_at is not None:
            return gettext("Done")
        is_open = act.tournament.state == Tournament.State.RUNNING
        return gettext("Waiting for a second person") if is_open else gettext("Lapsed")

    has_agree_permission = permitted("tournaments.add_staffaction")

    def decision_of(self, row: StaffAction, request: HttpRequest) -> tuple[Any, list[Any]]:
        is_pending = row.done_at is None and row.tournament.state == Tournament.State.RUNNING
        offered = is_pending and self.has_agree_permission(request)
        return row.asked_by, [("agree", gettext("Agree to abort"))] if offered else []

    def save_by_action(self, row: StaffAction, form: Any, by: User) -> StaffAction:
        return _do(row, form.cleaned_data, by)

    @admin.action(description=gettext_lazy("Agree to abort"), permissions=["agree"])
    def agree(self, request: HttpRequest, chosen: QuerySet[StaffAction]) -> HttpResponse | None:
        return apply_to_each(
            request,
            chosen.filter(kind=StaffAction.Kind.ABORT),
            lambda act, by: stopping.agree_to_abort(action_id=act.pk, by=by),
            message=gettext("Agreed to"),
            previewed=True,
        )


def _do(act: StaffAction, asked: dict[str, Any], by: User) -> StaffAction:
    """Carry out the action of the form, and return its row."""
    why: dict[str, Any] = {"by": by, "reason": act.reason}
    tournament = act.tournament
    if act.kind == StaffAction.Kind.ABORT:
        return stopping.ask_to_abort(tournament_id=tournament.pk, **why)
    if act.kind == StaffAction.Kind.CANCEL:
        stopping.cancel(tournament_id=tournament.pk, **why)
    elif act.kind == StaffAction.Kind.DELAY:
        starts_at: datetime = asked["starts_at"]
        staff_actions.delay(tournament_id=tournament.pk, starts_at=starts_at, **why)
    elif act.kind == StaffAction.Kind.EXTEND:
        staff_actions.extend_round(tournament_id=tournament.pk, minutes=asked["minutes"], **why)
    else:
        staff_actions.remove(entry_id=_entry_of(tournament, asked["player"]).pk, **why)
    written = tournament.staff_actions.filter(kind=act.kind, asked_by=by).order_by("pk").last()
    if written is None:  # Another person has already cancelled it.
        raise TournamentOver(gettext("The tournament is already cancelled."))
    return written


def _entry_of(tournament: Tournament, handle: str) -> Entry:
    entered = tournament.entries.entered().order_by("-pk")
    entry = entered.filter(player__handle__iexact=handle.strip()).first()
    if entry is None:
        raise NotRegistered(gettext("%(player)s is not in this tournament.") % {"player": handle})
    return entry
