"""The pages of the lobby and of quick seating."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views import View

from core.exceptions import Refusal
from players.accounts.models import User
from players.accounts.pages import PlayerView
from tables.lobby import quick_seat
from tables.lobby.forms import LobbyForm
from tables.lobby.invitations import own_private_tables
from tables.lobby.offers import lobby_rows
from tables.models.profiles import TableTemplate
from tables.play import drains
from tables.play.running import running_games
from tables.seats.devices import origin_of
from tables.view.schemas import LobbyRow, RunningGame
from wallet.ledger.money import PLAY_POINTS
from wallet.stakes.balances import wallet_of


def lobby_form(data: Any) -> LobbyForm:
    return LobbyForm(data, currencies=[PLAY_POINTS, *settings.CASH_CURRENCIES])


class LobbyView(View):
    """The lobby: the caller's running games, then open tables."""

    def get(self, request: HttpRequest) -> HttpResponse:
        form = lobby_form(request.GET)
        rows = lobby_rows(request.user, form.chosen_filter())
        context: dict[str, Any] = {
            "draining": drains.is_on(),
            "running": _running(request.user, [row for row in rows if row.mine]),
            "open_tables": [row for row in rows if not row.mine],
            "form": form,
            "query": form.query(),
        }
        if request.headers.get("HX-Request") == "true":
            return render(request, "tables/_lobby_rows.html", context)
        if request.user.is_authenticated:
            context["wallets"] = wallet_of(request.user)
            context["private_tables"] = own_private_tables(request.user)
            context["kinds"] = TableTemplate.objects.offered().order_by("name")
        return render(request, "tables/lobby.html", context)


def _running(
    user: User | AnonymousUser, mine: list[LobbyRow]
) -> list[tuple[LobbyRow, RunningGame]]:
    """Return the caller's running games, those that await the caller first."""
    rows = {row.id: row for row in mine}
    games = running_games(user) if rows and isinstance(user, User) else []
    return [(rows[game.id], game) for game in games if game.id in rows]


class QuickSeatView(PlayerView):
    """Seats the caller at the best open table for the filters, or explains in the lobby why not."""

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = lobby_form(request.POST)
        try:
            seat = quick_seat.sit_down(
                player=self.player,
                wanted=form.chosen_filter(),
                origin=origin_of(request),
                client_seed=request.POST.get("client_seed", ""),
            )
        except Refusal as refusal:
            messages.error(request, str(refusal))
            return redirect(f"{reverse('lobby')}?{form.query()}")
        return redirect("table", seat.table.public_id)
