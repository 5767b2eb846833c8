"""What a player sees of his money, and nobody else's."""

import pytest
from django.urls import reverse
from moneyed import Money

from tests.wallet.builders import fund, make_escrow, make_player
from wallet.models import Transfer
from wallet.selectors import StatementRow, statement, wallet_of
from wallet.services import play_points, stakes

pytestmark = pytest.mark.django_db


def test_the_wallet_shows_buckets_and_money_in_games():
    player = make_player()
    fund(player, bonus=50_00, deposit=70_00, winnings=30_00)
    stakes.take_stake(
        player=player,
        escrow=make_escrow(),
        entry=Money(100, "INR"),
        rake_bps=1_000,
        key="buyin:1:1",
    )

    [wallet] = wallet_of(player)

    shown = (wallet.bonus, wallet.deposit, wallet.winnings, wallet.in_games, wallet.spendable)
    assert shown == tuple(Money(units, "INR") for units in (40, 0, 10, 100, 50))


def test_the_statement_says_what_happened_and_what_was_left():
    player = make_player()
    fund(player, deposit=120_00)
    stakes.take_stake(
        player=player,
        escrow=make_escrow(),
        entry=Money(100, "INR"),
        rake_bps=0,
        key="buyin:1:1",
        memo="Pool 101",
    )

    rows = [StatementRow(entry) for entry in statement(player)]

    assert [(row.words, row.bucket) for row in rows] == [
        ("Entry paid: Pool 101", "Deposit"),
        ("Deposit", "Deposit"),
    ]
    moved = [(row.entry.amount_minor, row.entry.balance_after_minor) for row in rows]
    assert moved == [(-100_00, 20_00), (120_00, 120_00)]


def test_the_page_needs_a_player(client):
    response = client.get(reverse("wallet"))

    assert response.status_code == 302
    assert response.url.startswith(reverse("account_login"))


def test_the_page_shows_my_entries_only_page_by_page(client, django_assert_max_num_queries):
    me, other = make_player(), make_player()
    play_points.grant_sign_up(player=me)
    for amount in range(1, 31):
        fund(me, deposit=amount * 100)
    fund(other, deposit=987_65)
    client.force_login(me)

    with django_assert_max_num_queries(12):
        first = client.get(reverse("wallet")).content.decode()
    second = client.get(reverse("wallet"), {"page": 2}).content.decode()

    assert "987.65" not in first + second
    assert first.count("<tr>") == 1 + 25
    assert second.count("<tr>") == 1 + 6
    assert "Play points granted: Welcome" in second
    assert "10,000.00&nbsp;PTS" in first
    assert client.get(reverse("wallet"), {"page": 9}).status_code == 404


def test_every_kind_of_transfer_has_its_words():
    from wallet.selectors import _WORDS

    assert set(_WORDS) == set(Transfer.Kind)
