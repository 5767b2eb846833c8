"""The landing page, a guest's first game, the lobby, quick seating and private tables."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, cast
from urllib.parse import urlencode

import segno
from allauth.core import ratelimit
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views import View

from core.clock import database_now
from core.exceptions import Refusal
from core.text_validation import named
from players.accounts.models import User
from players.accounts.pages import PlayerView
from players.eligibility.checklist import cash_checklist, steps_left
from players.eligibility.verdicts import Act, may
from tables.games import game_of
from tables.lobby import activity, invitations, quick_seat
from tables.lobby.activity import Activity
from tables.lobby.forms import LobbyForm
from tables.lobby.offers import LobbyFilter, kind_rows, lobby_rows
from tables.models.tables import Table
from tables.models.templates import TableTemplate
from tables.play import drains
from tables.play.pages import RefusalMixin
from tables.play.running import running_games
from tables.seats.devices import origin_of
from tables.state.rules import variant_of
from tables.view.schemas import LobbyRow, RunningGame
from wallet.bonuses.signup import sign_up_guest
from wallet.ledger.money import PLAY_POINTS
from wallet.stakes.balances import wallet_of

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


def lobby_form(data: Any) -> LobbyForm:
    return LobbyForm(data, currencies=[PLAY_POINTS, *settings.CASH_CURRENCIES])


class LobbyView(View):
    """The lobby of one currency: the caller's games, games to watch, then kinds of tables."""

    def get(self, request: HttpRequest) -> HttpResponse:
        form = lobby_form(request.GET)
        wanted = form.chosen_filter()
        rows = lobby_rows(request.user)
        offered = [row for row in rows if not row.mine]
        now = activity.activity()
        context: dict[str, Any] = {
            "draining": drains.is_on(),
            "running": _running(request.user, [row for row in rows if row.mine]),
            "form": form,
            "query": form.query(),
            **_activity_in(wanted.currency, now, rows),
            **_kinds([row for row in offered if wanted.fits(row)], now.by_kind),
            **_readiness(request.user, wanted.currency),
        }
        if request.headers.get("HX-Request") == "true":
            return render(request, "tables/_lobby_rows.html", context | {"is_update": True})
        cash = {row.entry.currency for row in offered} | {wanted.currency}
        context["currencies"] = form.currency_tabs([PLAY_POINTS, *sorted(cash - {PLAY_POINTS})])
        if request.user.is_authenticated:
            context["wallets"] = wallet_of(request.user)
            context["private_tables"] = invitations.own_private_tables(request.user)
            context["kinds"] = TableTemplate.objects.offered().order_by("name")
        return render(request, "tables/lobby.html", context)


def _activity_in(currency: str, now: Activity, rows: list[LobbyRow]) -> dict[str, Any]:
    """Return the numbers of people and games in this currency, and the games of others to watch."""
    mine = {str(row.id) for row in rows if row.mine}
    listed = [table for table in now.tables if table.currency == currency]
    others = [table for table in listed if table.id not in mine]
    return {
        "playing": now.playing.get(currency, 0),
        "watchable": now.watchable.get(currency, 0) - (len(listed) - len(others)),
        "watched": others,
    }


def _kinds(rows: list[LobbyRow], playing: Mapping[str, int]) -> dict[str, Any]:
    """Return the kinds of tables: those with bots and those for people."""
    kinds = kind_rows(rows, playing, activity.expected_waits(), database_now())
    return {
        "of_bots": [kind for kind in kinds if kind.row.is_practice],
        "of_people": [kind for kind in kinds if not kind.row.is_practice],
    }


def _readiness(user: User | AnonymousUser, currency: str) -> dict[str, Any]:
    """Return whether the caller may join tables of this currency, and the checklist if not."""
    if currency == PLAY_POINTS or not isinstance(user, User):
        return {"is_ready": True}
    verdict = may(user, Act.CASH)
    steps = cash_checklist(user, verdict.steps) if verdict.steps else []
    return {
        "is_ready": verdict.is_allowed,
        "why_not": "" if steps else verdict.sentence,
        "steps": steps,
        "steps_left": steps_left(steps),
    }


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


class OpenPrivateView(RefusalMixin, PlayerView):
    """Opens a private table of an offered template for the caller's guests."""

    def post(self, request: HttpRequest) -> HttpResponse:
        asked = request.POST.get("kind")
        kind = next((k for k in TableTemplate.objects.offered() if k.slug == asked), None)
        if kind is None:
            raise Http404
        table = invitations.open_private_table(player=self.player, template_id=kind.pk)
        return redirect("private-table", table.invite_code)


class PrivateTableView(PlayerView):
    """The page behind a private table's link."""

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        private = Table.objects.exclude(invite_code="").select_related("profile", "opened_by")
        table = get_object_or_404(private, invite_code=code)
        seats = table.seats.present().select_related("player").order_by("pk")
        is_seated = any(seat.player_id == self.player.pk for seat in seats)
        # Players come and go at points tables; at others no one is invited once the game runs.
        if is_seated and not game_of(table).is_open(table):
            return redirect("table", table.public_id)
        link = request.build_absolute_uri(request.path)  # Without the query.
        message = _("Play rummy with me at %(table)s: %(link)s") % {
            "table": named(table.name),
            "link": link,
        }
        context = {
            "table": table,
            "variant": variant_of(table.profile),
            "seats": seats,
            "is_seated": is_seated,
            "link": link,
            "message": message,
            "whatsapp": f"https://wa.me/?{urlencode({'text': message})}",
            "qr_code": _qr_code(link),
        }
        return render(request, "tables/private.html", context)


def _qr_code(link: str) -> str:
    """Return the link as a QR code: SVG, dark on light in any theme."""
    code = segno.make_qr(link, error="m")
    svg = code.svg_inline(border=4, dark="#17161f", light="#fff", omitsize=True, svgclass="qr-code")
    return mark_safe(svg)  # noqa: S308  # Drawn by Segno; contains no text of the link.
