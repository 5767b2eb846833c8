"""The landing page, and a practice game for a new guest in one click."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final, cast

from allauth.core import ratelimit
from allauth.usersessions.models import UserSession
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views import View

from players.accounts.models import User
from tables.lobby import invitations, quick_seat
from tables.lobby.offers import LobbyFilter
from tables.play.pages import RefusalMixin
from tables.seats.devices import origin_of
from wallet.bonuses.signup import sign_up_guest

A_FIRST_HAND: Final = LobbyFilter(game="pool", kind="practice")
BACKEND: Final = "allauth.account.auth_backends.AuthenticationBackend"


class LandingView(View):
    """The landing page for visitors; signed-in players are redirected to the lobby."""

    def get(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            return redirect("lobby")
        return render(request, "players/landing.html")


class PlayNowView(RefusalMixin, View):
    """Makes a visitor a guest and seats them alone with easy bots; players keep their account.

    If no practice pool is offered, use the best open practice table.
    """

    def post(self, request: HttpRequest) -> HttpResponseBase:
        if not request.user.is_authenticated:
            if not ratelimit.consume(request, action="signup"):
                return render(request, "429.html", status=HTTPStatus.TOO_MANY_REQUESTS)
            login(request, sign_up_guest(), backend=BACKEND)
            UserSession.objects.create_from_request(request)
        player = cast(User, request.user)
        origin = origin_of(request)
        seat = invitations.join_first_game(player=player, origin=origin)
        if seat is None:
            seat = quick_seat.sit_down(player=player, wanted=A_FIRST_HAND, origin=origin)
        return redirect("table", seat.table.public_id)
