"""The landing page, a guest's first game, the lobby and quick seating."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views import View

from core.clock import database_now
from core.exceptions import Refusal
from players.accounts.models import User
from players.accounts.pages import PlayerView
from tables.lobby import activity, invitations, quick_seat, watched
from tables.lobby.activity import Activity
from tables.lobby.forms import LobbyForm
from tables.lobby.offers import Listed, LobbyFilter, Offer, kind_rows, lobby_tables
from tables.models.tables import Table
from tables.play import drains
from tables.play.pages import RefusalMixin, take_account, too_many_sign_ups
from tables.play.running import games_at
from tables.responsible.readiness import readiness
from tables.seats.devices import origin_of
from tables.view.schemas import LobbyRow, RunningGame, TableView
from tables.view.table_view import table_view
from wallet.ledger.money import PLAY_POINTS
from wallet.stakes.balances import spendable_of
from wallet.stakes.losses import LimitsLeft, limits_left

# Why a player may not sit down, by the code of the refusal, as the text of a button.
REFUSALS: Final = {
    "cooling_off": _("On a break"),
    "self_excluded": _("Excluded"),
    "play_held": _("On hold"),
    "table_limit": _("Table limit reached"),
    "time_limit": _("Time limit reached"),
    "debt_outstanding": _("Payment owed"),
}
A_FIRST_HAND: Final = LobbyFilter(game="pool", kind="practice")

# The phases in which there is something to see at a table.
SEEN_IN: Final = (Table.Phase.TOSS, Table.Phase.PLAYING, Table.Phase.SHOWING, Table.Phase.BETWEEN)


class LandingView(View):
    """The landing page for visitors; signed-in players are redirected to the lobby."""

    def get(self, request: HttpRequest) -> HttpResponse:
        live = _live_table()
        # A points table lists seats of the last two deals, also of players who have left.
        seats = [seat for seat in live.seats if seat.status != "left"] if live else []
        context = {"live": live, "live_seats": seats}
        if request.headers.get("HX-Request") == "true":
            return render(request, "players/_live_table.html", context)
        if request.user.is_authenticated:
            return redirect("lobby")
        return render(request, "players/landing.html", context)


def _live_table() -> TableView | None:
    """Return what a spectator sees of the longest public game; people's games come first."""
    running = Table.objects.filter(due_at__isnull=False, phase__in=SEEN_IN)
    public = running.filter(invite_code="", owner_ref="").select_related("profile")
    table = public.order_by("bots_fill", "started_at").first()
    return table_view(table, None) if table else None


class PlayNowView(RefusalMixin, View):
    """Makes a visitor a guest and seats them alone with easy bots; players keep their account.

    If no practice pool is offered, use the best open practice table.
    """

    def post(self, request: HttpRequest) -> HttpResponseBase:
        player = take_account(request)
        if player is None:
            return too_many_sign_ups(request)
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
        listed = lobby_tables(request.user)
        offered = [row for _, row in listed if not row.mine]
        own = [each for each in listed if each.row.mine]
        now = activity.activity()
        ready = readiness(request.user, wanted.currency)
        context: dict[str, Any] = {
            "draining": drains.is_on(),
            "running": _running(request.user, own),
            "form": form,
            "query": form.query(),
            **_activity_in(wanted.currency, now, {str(row.id) for _, row in own}),
            **_kinds([row for row in offered if wanted.fits(row)], now.by_kind),
            "friends": _friends_games(request.user, {str(row.id) for _, row in own}),
            "offer": _offer(request, ready, wanted.currency),
            "limits": _limits(request.user, wanted.currency),
            **ready,
        }
        if request.headers.get("HX-Request") == "true":
            return render(request, "tables/_lobby_rows.html", context | {"is_update": True})
        cash = {row.entry.currency for row in offered} | {wanted.currency}
        context["currencies"] = form.currency_tabs([PLAY_POINTS, *sorted(cash - {PLAY_POINTS})])
        if request.user.is_authenticated:
            context["purse"] = spendable_of(request.user)
            context["private_tables"] = invitations.own_private_tables(request.user.pk)
        return render(request, "tables/lobby.html", context)


def _activity_in(currency: str, now: Activity, mine: Collection[str]) -> dict[str, Any]:
    """Return the numbers of people and games in this currency, and the games of others to watch.

    `mine` has the public ids of the caller's tables.
    """
    listed = [table for table in now.tables if table.currency == currency]
    others = [table for table in listed if table.id not in mine]
    return {
        "playing": now.playing.get(currency, 0),
        "watchable": now.watchable.get(currency, 0) - (len(listed) - len(others)),
        "watched": others,
    }


def _friends_games(user: User | AnonymousUser, mine: Collection[str]) -> list[watched.WatchedTable]:
    return watched.of_friends(user, besides=mine) if isinstance(user, User) else []


def _kinds(rows: list[LobbyRow], playing: Mapping[str, int]) -> dict[str, Any]:
    """Return the kinds of tables: those with bots and those for people."""
    kinds = kind_rows(rows, playing, activity.expected_waits(), database_now())
    return {
        "of_bots": [kind for kind in kinds if kind.row.is_practice],
        "of_people": [kind for kind in kinds if not kind.row.is_practice],
    }


def _limits(user: User | AnonymousUser, currency: str) -> LimitsLeft:
    """Return what the caller's own limits leave for the price of a seat."""
    return limits_left(user, currency) if isinstance(user, User) else LimitsLeft()


def _offer(request: HttpRequest, ready: dict[str, Any], currency: str) -> Offer:
    """Return what the rows' buttons do; visitors play for points as guests, for money sign in."""
    if not request.user.is_authenticated:
        if currency == PLAY_POINTS:
            return Offer(is_open=True, text=gettext("Play as guest"))
        here = urlencode({"next": request.get_full_path()})
        address = f"{reverse('account_login')}?{here}"
        return Offer(is_open=False, text=gettext("Sign in to play"), address=address)
    if ready["is_ready"]:
        return Offer(is_open=True)
    if number := ready["steps_left"]:
        text = ngettext("Complete %(n)s step", "Complete %(n)s steps", number) % {"n": number}
        return Offer(is_open=False, text=text, address="#checklist")
    text = str(REFUSALS.get(ready["code"], _("Not available to you")))
    address = "#checklist" if ready["why_not"] else ""
    return Offer(is_open=False, text=text, address=address, is_off=True)


def _running(user: User | AnonymousUser, own: list[Listed]) -> list[tuple[LobbyRow, RunningGame]]:
    """Return the caller's running games, those that await the caller first."""
    rows = {row.id: row for _, row in own}
    games = games_at([table for table, _ in own], user) if isinstance(user, User) else []
    return [(rows[game.id], game) for game in games]


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
