"""The public pages of the rules, the first lesson, the split calculator and the numbers."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import View

from rummy import RummyError
from tables.games import PROFILES, game_of
from tables.lobby.numbers import drops, games, hands
from tables.lobby.rules.rules_page import rules_page
from tables.lobby.rules.split import SplitForm, split_sum
from tables.state.rules import rules_called, title_of

AN_EXAMPLE = {
    "profile": "total-rummy-pool-101",
    "scores": "20, 55, 92",
    "started": 5,
    "entries": 7,
    "entry": "100",
    "rake": "10",
}
LONGEST_VERSION = 9
# The game of the example.
HOW_TO_PLAY = "total-rummy-pool-101"


class RulesIndexView(View):
    def get(self, request: HttpRequest) -> HttpResponse:
        known = [(rules.name, title_of(rules)) for rules in PROFILES.values()]
        return render(request, "rules/index.html", {"known": known})


class RulesView(View):
    """A profile's rules: the requested version (`?version=2`) or the latest."""

    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        asked = request.GET.get("version", "")
        is_number = asked.isascii() and asked.isdigit() and len(asked) <= LONGEST_VERSION
        if (asked and not is_number) or "\0" in name:
            raise Http404
        rules = rules_called(name, int(asked) if asked else None)
        if rules is None:
            raise Http404
        return render(request, "rules/rules.html", {"page": rules_page(rules)})


class HowToPlayView(View):
    """The first lesson, with the numbers of the requested rules (`?rules=vengala-points`)."""

    def get(self, request: HttpRequest) -> HttpResponse:
        asked = request.GET.get("rules", HOW_TO_PLAY)
        if asked not in PROFILES:
            raise Http404
        rules = PROFILES[asked]
        page = {"lesson": game_of(rules).lesson(rules), "title": title_of(rules), "rules": asked}
        return render(request, "rules/how_to_play.html", {"page": page})


class SplitView(View):
    """The shares of each survivor of a pool, with the calculation; all input is in the query."""

    def get(self, request: HttpRequest) -> HttpResponse:
        form = SplitForm(request.GET or AN_EXAMPLE)
        context: dict[str, Any] = {"form": form}
        if form.is_valid():
            data = form.cleaned_data
            try:
                context["split"] = split_sum(
                    form.rules,
                    data["scores"],
                    started=data["started"],
                    entries=data["entries"],
                    entry=form.entry_minor,
                    bps=form.rake_bps,
                )
            except RummyError as refusal:
                form.add_error(None, str(refusal))
        return render(request, "rules/split.html", context)


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
