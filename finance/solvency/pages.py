"""The public page of roots, which also checks proofs, and the download of a player's proofs."""

from __future__ import annotations

import io
from contextlib import suppress
from datetime import date

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views import View

from finance.books.published import pseudonym
from finance.solvency.models import BalanceTree
from finance.solvency.steps import games_with_stakes, proof_of
from players.accounts.models import User
from players.accounts.pages import PlayerView

ROWS_PER_PAGE = 30


class RootsView(View):
    """The totals and roots of closed days, or of one `day`; the browser checks a proof itself."""

    def get(self, request: HttpRequest) -> HttpResponse:
        trees = BalanceTree.objects.defer("secret", "tops")
        with suppress(ValueError):  # Without a day, the latest ones.
            trees = trees.filter(close=date.fromisoformat(request.GET.get("day", "")))
        page = Paginator(trees, ROWS_PER_PAGE).get_page(request.GET.get("page"))
        player, latest, games, aliases = request.user, [], [], {}
        if isinstance(player, User) and page.object_list:
            last = page[0].close_id if page.number == 1 else None
            latest = [tree for tree in page if tree.close_id == last]
            months = {tree.close_id.replace(day=1) for tree in page}
            aliases = {day: pseudonym(player.public_id, day) for day in sorted(months)[::-1]}
            games = [(tree, one) for tree in latest for one in games_with_stakes(player.pk, tree)]
        context = {"page": page, "latest": latest, "games": games, "aliases": aliases}
        return render(request, "finance/solvency.html", context)


class ProofView(PlayerView):
    """The proof of the player's balance on a closed day, or of a game in which they had a stake."""

    def get(self, request: HttpRequest, tree_id: int) -> HttpResponseBase:
        tree = get_object_or_404(BalanceTree, pk=tree_id)
        game = request.GET.get("game", "")
        if game and game not in games_with_stakes(self.player.pk, tree):
            raise Http404
        proof = proof_of(tree, game or str(self.player.public_id))
        if proof is None:
            messages.info(request, _("Your balance was 0 at the end of that day."))
            return redirect("solvency")
        file = io.BytesIO(proof.encode())
        code = f"-{game.rpartition(':')[2][-6:]}" if game else ""
        name = f"balance-{tree.close_id}-{tree.currency}{code}.txt"
        return FileResponse(file, as_attachment=True, filename=name)
