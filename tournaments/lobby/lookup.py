"""What an address of a page or of the API names; 404 for what its caller may not see."""

from __future__ import annotations

from uuid import UUID

from django.shortcuts import get_object_or_404

from players.accounts.models import User
from tournaments.entries.models import Entry
from tournaments.planning.models import Tournament


def shown_or_404(tournament_id: UUID) -> Tournament:
    shown = Tournament.objects.shown().select_related("profile", "awards")
    return get_object_or_404(shown, public_id=tournament_id)


def own_entry_or_404(tournament: Tournament, player: User) -> Entry:
    return get_object_or_404(tournament.entries.of_player(player).entered())
