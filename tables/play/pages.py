"""The pages of the card table; each calls one service."""

from __future__ import annotations

from decimal import Decimal
from http import HTTPStatus
from typing import Any, Final, cast
from uuid import UUID

from allauth.core import ratelimit
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import View
from moneyed import Money

import rummy
from core.api.openapi import as_json
from core.clock import database_now
from core.exceptions import Refusal
from players.accounts.avatars import pictures
from players.accounts.forms import look_form
from players.accounts.models import User
from players.accounts.pages import PlayerView
from tables.exceptions import BadStack, BlockBetween, TableFull
from tables.lobby import quick_seat
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play.running import running_games
from tables.responsible.verdicts import wants_reminders
from tables.seats import presence, seating
from tables.seats.devices import origin_of
from tables.view.open_hands import require_may_watch
from tables.view.phrases import EMOTES, Phrase
from tables.view.table_view import table_view
from wallet.bonuses.play_points import sign_up_guest
from wallet.ledger.money import PLAY_POINTS

BACKEND: Final = "allauth.account.auth_backends.AuthenticationBackend"


def take_account(request: HttpRequest) -> User | None:
    """Return the caller, signed in as a new guest if necessary; None after too many sign-ups."""
    if not request.user.is_authenticated:
        if not ratelimit.consume(request, action="signup"):
            return None
        login(request, sign_up_guest(), backend=BACKEND)
        UserSession.objects.create_from_request(request)
    return cast(User, request.user)


def too_many_sign_ups(request: HttpRequest) -> HttpResponse:
    return render(request, "429.html", status=HTTPStatus.TOO_MANY_REQUESTS)


class RefusalMixin:
    """Shows a service's refusal as a message in the lobby, in the tab of `currency`."""

    currency = PLAY_POINTS

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return super().dispatch(request, *args, **kwargs)  # type: ignore[misc, no-any-return]
        except (Refusal, rummy.RummyError) as refusal:
            messages.error(request, str(refusal))
            tab = "" if self.currency == PLAY_POINTS else f"?currency={self.currency}"
            return redirect(f"{reverse('lobby')}{tab}")


class TableView(RefusalMixin, View):
    """The card table; players without a seat, and visitors, see the spectators' view.

    Visitors sign in before tables that wait for players, and private ones. Players who may not
    watch a private table are redirected to the lobby.
    """

    def get(self, request: HttpRequest, table_id: UUID) -> HttpResponseBase:
        table = get_object_or_404(Table, public_id=table_id)
        player = request.user if isinstance(request.user, User) else None
        if player is None and (table.phase == Table.Phase.WAITING or table.invite_code):
            return redirect_to_login(request.get_full_path())
        require_may_watch(table, player)
        if player is not None and table.phase == Table.Phase.WAITING:
            presence.note(table_id=table.pk, player_id=player.pk, now=database_now())
        view = table_view(table, player)
        context = {
            "view": as_json(view),
            "api_url": reverse("table-api", args=[table_id]),
            "is_practice": table.bots_fill,
            "is_lesson": table.is_lesson,
            "look_form": look_form(request),
            "reminds": player is not None and wants_reminders(player),
            "phrases": [phrase for phrase in Phrase if phrase not in EMOTES],
            "emotes": EMOTES.items(),
            "running": [as_json(game) for game in running_games(player)] if player else [],
            "avatars": pictures(),
            "view_url": reverse("table-api" if view.me else "table-api-public", args=[table_id]),
        }
        return render(request, "tables/table.html", context)


class StackForm(forms.Form):
    """The stack to sit down with; omitted at tables with one price."""

    stack = forms.DecimalField(
        label=gettext_lazy("Stack"),
        required=False,
        max_digits=14,
        decimal_places=2,
        min_value=Decimal("0.01"),
    )

    def money(self, currency: str) -> Money | None:
        stack = self.cleaned_data["stack"]
        return None if stack is None else Money(stack, currency)


class JoinView(RefusalMixin, View):
    """Seat the caller, with a stack if one is given, and redirect to the table.

    A visitor sits down at a public table for play points as a new guest; elsewhere they sign in.
    """

    def post(self, request: HttpRequest, table_id: UUID) -> HttpResponseBase:
        table = get_object_or_404(Table, public_id=table_id)
        self.currency = table.currency
        form = StackForm(request.POST)
        if not form.is_valid():
            raise BadStack(_("Enter the stack as an amount, such as 80 or 200.50."))
        if not request.user.is_authenticated:
            if table.currency != PLAY_POINTS or table.owner_ref or table.invite_code:
                return redirect_to_login(reverse("lobby"))
            if not Table.objects.joinable().filter(pk=table.pk).exists():
                raise TableFull(_("This table is full. Choose another one."))
        player = take_account(request)
        if player is None:
            return too_many_sign_ups(request)
        terms: dict[str, Any] = {
            "player": player,
            "stack": form.money(table.currency),
            "client_seed": request.POST.get("client_seed", ""),
            "origin": origin_of(request),
        }
        code = request.POST.get("code", "")
        try:
            seating.join(table_id=table.pk, code=code, **terms)
        except BlockBetween:
            if table.invite_code or table.template_id is None:
                raise
            # The lobby lists kinds of tables: the player chose one, not the company.
            return redirect("table", quick_seat.sit_apart(table=table, **terms).table.public_id)
        return redirect("table", table_id)


class LeaveView(RefusalMixin, PlayerView):
    def post(self, request: HttpRequest, table_id: UUID) -> HttpResponse:
        mine = Seat.objects.present().of_player(self.player)
        seat = get_object_or_404(mine, table__public_id=table_id)
        seating.leave(seat_id=seat.pk)
        return redirect("lobby")
