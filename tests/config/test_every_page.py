"""Every page and every list of the API opens for a player who has every kind of money.

In Hindi it has Latin letters only in names, codes and units; no cache keeps what the player is
answered.
"""

import pytest
from django.urls import reverse

from tests.builders.people.every_page import addresses
from tests.builders.people.hindi import in_hindi, leaks_of
from tests.builders.processes.routes import is_private
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tickets import open_from
from tests.builders.wallet.amounts import sent
from tournaments.entries.models import Ticket
from tournaments.lobby import registration
from tournaments.planning.template_models import TournamentTemplate
from tournaments.prizes import tickets
from tournaments.rounds import stopping
from wallet.ledger.models import PLAYER_KINDS, Account

pytestmark = pytest.mark.django_db

MONEY_PAGES = ("/wallet/", "/lobby/", "/wallet/deposit/", "/wallet/withdraw/", "/api/v1/wallet/")


@pytest.mark.extended
def test_every_page_opens_in_hindi_for_a_player_with_every_kind_of_money(client, player, known):
    kinds = set(Account.objects.of_player(player).values_list("kind", flat=True))
    assert kinds == {*PLAYER_KINDS, "ticket", "receivable"}, (
        "a new kind of account belongs into the fixture"
    )
    in_hindi(client, player)
    client.raise_request_exception = False

    answers = {address: client.get(address) for address in addresses(known)}

    assert {address for address, answer in answers.items() if answer.status_code >= 500} == set()
    opened = {address for address, answer in answers.items() if answer.status_code == 200}
    assert len(opened) > 80, "most of these are pages that open"
    assert opened >= {"/wallet/", "/lobby/", "/wallet/deposit/", "/api/v1/wallet/", "/history/"}
    open_to_caches = {address for address, answer in answers.items() if not is_private(answer)}
    of_the_app = {"/app/en.webmanifest", "/offline/", "/service-worker.js"}
    picture = f"/shared/{known['code'][-1]}/picture.png"
    assert open_to_caches == {"/api/schema/", "/jsi18n/", picture, *of_the_app}
    pages = {address: each for address, each in answers.items() if address[:5] != "/api/"}
    assert leaks_of(pages) == {}


def _refund(ticket, tournament):
    """Let two clerks turn a ticket into money, its tournaments being over."""
    asks, decides = make_player(is_staff=True), make_player(is_staff=True)
    stopping.cancel(tournament_id=tournament.pk, by=asks, reason="Test.")
    TournamentTemplate.objects.filter(pk=ticket.admits_to_id).update(is_offered=False)
    asked = tickets.request_refund(ticket_id=ticket.pk, reason="No more of them", by=asks)
    tickets.approve_refund(refund_id=asked.pk, by=decides)


@pytest.mark.extended
def test_the_wallet_shows_a_ticket_unused_used_and_paid_back(client, player):
    client.force_login(player)
    ticket = Ticket.objects.select_related("admits_to", "won_in").get(player=player)
    tournament = open_from(ticket.admits_to)

    [shown] = client.get("/api/v1/wallet/").json()["tickets"]
    page = client.get("/wallet/").content.decode()
    entry = registration.register(tournament_id=tournament.pk, player=player, ticket=ticket)
    [used] = client.get("/api/v1/wallet/").json()["tickets"]
    opened = [client.get(page).status_code for page in MONEY_PAGES]
    registration.withdraw(entry_id=entry.pk)
    _refund(ticket, tournament)
    [paid_back] = client.get("/api/v1/wallet/").json()["tickets"]
    opened += [client.get(page).status_code for page in MONEY_PAGES]

    assert shown == {
        "id": str(ticket.public_id),
        "state": "issued",
        "admits_to": ticket.admits_to.name,
        "won_in": ticket.won_in.name,
        "value": sent(200_00, "PTS"),
        "issued_at": shown["issued_at"],
        "usable_until": None,
        "tournaments": [
            {
                "id": str(tournament.public_id),
                "name": tournament.name,
                "starts_at": shown["tournaments"][0]["starts_at"],
            }
        ],
    }
    assert reverse("tournament", args=[tournament.public_id]) in page
    assert (used["state"], used["tournaments"]) == ("used", [])
    assert (paid_back["state"], paid_back["tournaments"]) == ("refunded", [])
    assert set(opened) == {200}
