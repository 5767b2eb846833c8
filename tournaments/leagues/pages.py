"""Pages of leaderboards."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views import View

from players.accounts.pages import PlayerView
from tables.games import GAMES
from tournaments.leagues import seasons
from tournaments.leagues.contests import day_of
from tournaments.leagues.models import Board, LeagueResult, Season, Unlisted
from tournaments.leagues.series import template_names, tournaments_of
from tournaments.leagues.standings import board_of, last_day, leaderboard, own_division
from tournaments.planning.prize_table import prize_list, rows_for
from wallet.ledger.amounts import Amount

SEASONS_LISTED = 12
RESULTS_LISTED = 10


class LeaguesView(View):
    """Redirects to the leaderboard of the present season, or says that there is none."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        season = present_season()
        if season is None:
            return render(request, "tournaments/leagues.html", {"season": None})
        return redirect("league", season_id=season.public_id)


class LeagueView(View):
    """A leaderboard of a season by day, week or division, with the formula and the prizes."""

    def get(self, request: HttpRequest, season_id: UUID) -> HttpResponse:
        season = get_object_or_404(Season.objects.shown(), public_id=season_id)
        wanted = read_board(season, request.GET, request.user)
        span, day, division = wanted
        board = board_of(season, span, day=day, division=division)
        after = request.GET.get("after", "")
        try:
            listed = leaderboard(board, request.user, after=after)
        except signing.BadSignature:
            messages.warning(request, _("Invalid page link. Showing the first page."))
            after, listed = "", leaderboard(board, request.user)
        tournaments = tournaments_of(season)
        context = {
            "season": season,
            "listed": listed,
            "after": after,
            "query": _query(span, day, division),
            "is_by_division": span == Board.Span.SEASON,
            "day": day,
            "division": division,
            "tabs": _tabs(season, wanted),
            "divisions": range(1, season.lowest_division + 1),
            "step": _step(season, span, day),
            "prizes": _prizes(season, division),
            "pool": Amount.of(season.pool_minor, season.currency),
            "played": [each for each in tournaments if each.finished_at],
            "ahead": [each for each in tournaments if not each.finished_at],
            "template_names": template_names(season),
            "game": GAMES[season.game].title if season.game else "",
            "others": Season.objects.shown().exclude(pk=season.pk)[:SEASONS_LISTED],
            **_own(season, request.user),
        }
        if season.state == Season.State.OPEN and span == Board.Span.SEASON:
            context |= _zones(season, division, listed.players)
        return render(request, "tournaments/leagues.html", context)


class ListedView(PlayerView):
    """Shows the player on leaderboards, or hides them."""

    def post(self, request: HttpRequest) -> HttpResponseBase:
        is_listed = request.POST.get("listed") == "yes"
        seasons.set_listed(player=self.player, is_listed=is_listed)
        shown = _("You are shown on leaderboards.")
        hidden = _("You are no longer shown on leaderboards. Your points and prizes still count.")
        messages.success(request, shown if is_listed else hidden)
        return redirect("leagues")


def present_season() -> Season | None:
    """Return the open season that began last, or the next one, or the last one.

    An open series is returned only if no other season is open.
    """
    shown = Season.objects.shown()
    planned = shown.filter(state=Season.State.PLANNED).order_by("starts_at")
    by_kind = shown.open().order_by("templates__len", "-starts_at")
    return by_kind.first() or planned.first() or shown.first()


def read_board(season: Season, asked: Any, viewer: Any) -> tuple[str, date, int]:
    """Return the span, day and division of a query string; invalid values are replaced."""
    span = asked.get("span", "")
    latest = last_day(season)
    try:
        day = min(parse_date(asked.get("day", "")) or latest, latest)
    except ValueError:
        day = latest
    division = asked.get("division", "")
    is_division = division.isdecimal() and 1 <= int(division) <= season.lowest_division
    return (
        span if span in Board.Span.values else Board.Span.SEASON,
        day,
        int(division) if is_division else own_division(season, viewer),
    )


def _query(span: str, day: date, division: int) -> str:
    asked: dict[str, object] = {"span": span}
    asked |= {"division": division} if span == Board.Span.SEASON else {"day": day}
    return urlencode(asked)


def _tabs(season: Season, wanted: tuple[str, date, int]) -> list[tuple[str, str, bool]]:
    """Return the label, the query and whether it is active, of each span."""
    return [
        (str(name), _query(span, wanted[1], wanted[2]), span == wanted[0])
        for span, name in Board.Span.choices
    ]


def _step(season: Season, span: str, day: date) -> dict[str, Any]:
    """Return the span's days and the queries of the earlier and later one, if any."""
    if span == Board.Span.SEASON:
        return {}
    days = 1 if span == Board.Span.DAY else 7
    first = day - timedelta(days=day.weekday() if days == 7 else 0)
    last, begins = first + timedelta(days=days - 1), day_of(season.starts_at)
    return {
        "first": first,
        "last": last,
        "earlier": _query(span, first - timedelta(days=1), 0) if first > begins else "",
        "later": _query(span, last + timedelta(days=1), 0) if last < last_day(season) else "",
    }


def _prizes(season: Season, division: int) -> list[tuple[int, Amount]]:
    """Return the prizes of a division by place, as if many players took part."""
    pool = season.pools_minor[division - 1]
    rows = tuple(season.prize_bps) or rows_for(100)
    amounts = prize_list(pool, rows, finishers=len(rows)) if pool else ()
    return [(place, Amount.of(won, season.currency)) for place, won in enumerate(amounts, start=1)]


def _zones(season: Season, division: int, players: int) -> dict[str, int]:
    """Return the last place that is promoted and the last that is not relegated; 0 for none."""
    is_relegating = season.relegated and division < season.lowest_division
    up_to = season.promoted if division > 1 else 0
    return {
        "up_to": up_to,
        "down_from": max(players - season.relegated, up_to) if is_relegating else 0,
    }


def _own(season: Season, viewer: Any) -> dict[str, Any]:
    """Return the viewer's latest results, and whether they are listed."""
    if not viewer.is_authenticated:
        return {}
    results = LeagueResult.objects.filter(season=season, player=viewer)
    is_unlisted = Unlisted.objects.filter(player=viewer).exists()
    return {
        "results": results.select_related("tournament")[:RESULTS_LISTED],
        "is_listed": viewer.has_public_profile and not is_unlisted,
        "is_unlisted": is_unlisted,
    }
