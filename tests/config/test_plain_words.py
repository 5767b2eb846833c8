"""The words in which pages name what confused new players, in English and in Hindi."""

import pytest
from django.urls import reverse
from django.utils.translation import gettext, override

from tables.lobby import invitations
from tables.lobby.table_templates import profiles
from tables.models.profiles import TableTemplate
from tests.builders.tables.making import make_player, make_rules
from tests.builders.tournaments.tournaments import make_tournament
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import fund

pytestmark = [pytest.mark.django_db, pytest.mark.extended]

FOOTER = ["Help", "Contact", "Terms", "Responsible play", "Privacy: what we store"]
WORDS = {
    "network-data": ["Privacy: what we store"],
    "notification-choices": ["Notification settings"],
    "account": ["Notification settings", "Download my data"],
    "wallet": ["Recent transactions", "Top up free points", "Withdraw", *FOOTER],
    "start-withdrawal": ["Request withdrawal"],
    "tournament": ["Advance", "Prizes for current entrants"],
    "private-table": [],
    "lobby": ["You get a link. Only people with this link can join; there are no bots."],
}
PRIVATE = "A private table of %(handle)s. Only people with this link can join."


@pytest.fixture
def page(client):
    player = make_player()
    duel = TableTemplate.objects.create(
        slug="duel",
        name="Duel",
        profile=profiles.register_profile(make_rules()),
        seats_max=2,
        entry_minor=100_00,
    )
    fund(player, winnings=100_00)
    payee_for(player)
    client.force_login(player)
    made_from = {
        "tournament": lambda: make_tournament().public_id,
        "private-table": lambda: (
            invitations.open_private_table(player=player, template_id=duel.pk).invite_code
        ),
    }

    def text_of(name, language):
        args = [made_from[name]()] if name in made_from else []
        return client.get(reverse(name, args=args), headers={"accept-language": language}).text

    text_of.handle = player.handle
    return text_of


@pytest.mark.parametrize("language", ["en", "hi"])
@pytest.mark.parametrize("name", WORDS)
def test_pages_use_plain_words(page, name, language):
    shown = page(name, language)

    with override(language):
        words = {word: gettext(word) for word in WORDS[name]}
        if name == "private-table":
            words[PRIVATE] = gettext(PRIVATE) % {"handle": page.handle}
    assert words
    assert all(
        (word == said) == (language == "en") for word, said in words.items() if "%" not in word
    )
    assert [word for word, said in words.items() if said not in shown] == []
