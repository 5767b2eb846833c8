"""The public page of a player: ratings, their course, and figures of their games."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from core.pages.charts import LineChart, line_chart
from players.accounts.pages import PlayerView
from tables.manners.models import Block
from tables.ratings import profile
from tables.ratings.profile import RatingRow


class PlayerPageView(PlayerView):
    """Shows a player to signed-in viewers; without figures if the player hides them."""

    def get(self, request: HttpRequest, handle: str) -> HttpResponse:
        shown = profile.player_named(handle)
        if shown is None:
            raise Http404
        context: dict[str, Any] = {"shown": shown, "is_me": shown.pk == self.player.pk}
        context["is_blocked"] = Block.objects.filter(player=self.player, blocked=shown).exists()
        if profile.may_see_profile(shown, self.player):
            rows = profile.rating_rows(shown)
            named = (row for row in rows if row.name == request.GET.get("rating"))
            chosen = next(named, rows[0] if rows else None)
            context |= {
                "rows": rows,
                "chosen": chosen,
                "chart": _chart(chosen) if chosen else None,
                "record": profile.record_of(shown),
                "recent": profile.recent_play(shown),
                "against": profile.head_to_head(shown, self.player),
            }
        return render(request, "tables/player.html", context)


def _chart(row: RatingRow) -> LineChart | None:
    """Return the course of the rating; None for a single game."""
    changes = profile.plotted(row.rating)
    if len(changes) < 2:
        return None
    title = _("%(game)s: rating after each of the last %(n)d games") % {
        "game": row.title,
        "n": len(changes),
    }
    return line_chart(title, [(each.shown, each.margin) for each in changes])
