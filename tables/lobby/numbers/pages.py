"""The public page of the game's numbers."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import View

from tables.lobby.numbers import drops, games, hands


class NumbersView(View):
    """All measured numbers; `?drop=10` compares with another price of the first drop."""

    def get(self, request: HttpRequest) -> HttpResponse:
        prices = {str(price): price for price in drops.DROPS}
        drop = prices.get(request.GET.get("drop", str(drops.DROPS[0])))
        if drop is None:
            raise Http404
        sections = [
            drops.drop_section(drop),
            hands.dealt_section(),
            hands.joker_section(),
            hands.turns_section(),
            games.seat_section(),
            games.pool_section(),
            games.rake_section(),
            games.open_meld_section(),
        ]
        context = {"sections": sections, "drop": drop, "drops": drops.DROPS}
        return render(request, "rules/numbers.html", context)
