"""Play points are granted once and never become money."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from django.urls import reverse
from moneyed import Money

from players.accounts.models import User
from tests.builders.wallet.players import balances, fund, make_escrow, make_player, make_stake
from tests.builders.wallet.tax_office import undone, unguarded
from wallet import exceptions
from wallet.apps import keep_settings
from wallet.audit.audit import row_findings
from wallet.bonuses import play_points
from wallet.bonuses.play_points import sign_up_guest
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes

pytestmark = pytest.mark.django_db


def points_of(player):
    return accounts.open_player_accounts(player=player, currency="PTS")


def test_new_player_gets_sign_up_points_once():
    player = make_player()

    first = play_points.grant_sign_up(player=player)
    again = play_points.grant_sign_up(player=player)

    promotions = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="PTS")
    assert (first.key, again.pk) == (f"grant:signup:{player.pk}", first.pk)
    assert balances(points_of(player)["deposit"], promotions) == [10_000_00, -10_000_00]
    # Registering brings no more than playing as a guest.
    assert balances(points_of(sign_up_guest())["deposit"]) == [10_000_00]


def test_grant_and_level_of_points_are_settings(settings):
    settings.PLAY_POINTS_SIGN_UP, settings.PLAY_POINTS_REFILL_TO = 25_00, 40_00
    newcomer, returning = make_player(), make_player()

    play_points.grant_sign_up(player=newcomer)
    play_points.refill_points(player=returning)

    assert balances(points_of(newcomer)["deposit"], points_of(returning)["deposit"]) == [
        25_00,
        40_00,
    ]


def test_sign_up_grants_points(client):
    fields = {
        "email": "new@example.com",
        "handle": "newcomer",
        "password1": "a long enough pass phrase",
    }

    response = client.post(reverse("account_signup"), fields)

    assert response.status_code == 302
    player = User.objects.get(handle="newcomer")
    assert balances(points_of(player)["deposit"]) == [10_000_00]
    assert Transfer.objects.get().memo == "Welcome"


def test_a_bot_is_topped_up_to_what_it_needs():
    bot = make_player(is_bot=True, email=None)
    fund(bot, currency="PTS", deposit=30_00, winnings=20_00)

    granted = play_points.ensure_points(player=bot, at_least=Money(100, "PTS"))
    again = play_points.ensure_points(player=bot, at_least=Money(100, "PTS"))

    assert (granted.kind, again) == ("grant", None)
    assert balances(points_of(bot)["deposit"], points_of(bot)["winnings"]) == [80_00, 20_00]


def spend(player, points):
    return stakes.take_stake(
        player=player,
        escrow=make_escrow(currency="PTS"),
        entry=Money(points, "PTS"),
        rake_bps=0,
        key=f"buyin:{player.pk}:{points}",
    )


def lose(stake):
    """End a game so that its players lose their points."""
    winner = make_stake(escrow=stake.escrow, entry=Money(1, "PTS"), rake_bps=0)
    stakes.settle_game(
        escrow=stake.escrow,
        stakes=[stake, winner],
        prizes=[(winner.player, stake.entry + winner.entry)],
        key=f"finish:{stake.pk}",
    )


def test_points_are_filled_up_once_a_day():
    player = make_player()
    play_points.grant_sign_up(player=player)
    lose(spend(player, 4_000))

    granted = play_points.refill_points(player=player)
    lose(spend(player, 1_000))
    again = play_points.refill_points(player=player)

    day = granted.booked_on.isoformat()
    assert granted.key == f"grant:daily:{player.pk}:{day}"
    assert (again.pk, again.is_replay) == (granted.pk, True)
    assert balances(points_of(player)["deposit"]) == [9_000_00]


def test_a_new_day_brings_a_new_refill():
    player = make_player()
    play_points.refill_points(player=player)
    lose(spend(player, 300))
    with unguarded() as cursor:
        cursor.execute("UPDATE wallet_transfer SET booked_on = booked_on - 1, key = 'then:' || key")

    play_points.refill_points(player=player)

    assert balances(points_of(player)["deposit"]) == [10_000_00]


def test_refill_needs_a_game_since_the_last_grant(settings, owner):
    """A farm of idle accounts is worth what signing up brings, once."""
    player = make_player()
    play_points.grant_sign_up(player=player)
    settings.PLAY_POINTS_REFILL_TO = 20_000_00
    with owner():
        keep_settings(using="default")

    with pytest.raises(exceptions.PlayFirst):
        play_points.refill_points(player=player)
    waiting = spend(player, 1_000)
    with pytest.raises(exceptions.PlayFirst):
        play_points.refill_points(player=player)
    stakes.return_stakes(stakes=[waiting], key=f"refund:{waiting.pk}")
    with pytest.raises(exceptions.PlayFirst):
        play_points.refill_points(player=player)
    lose(spend(player, 2_000))

    play_points.refill_points(player=player)

    assert balances(points_of(player)["deposit"]) == [20_000_00]


def test_refill_button_refills_or_shows_the_reason(client):
    player = make_player()
    client.force_login(player)
    play_points.grant_sign_up(player=player)
    press = reverse("refill-points")

    full = client.post(press, follow=True).content.decode()
    lose(spend(player, 50))
    filled = client.post(press, follow=True).content.decode()
    again = client.post(press, follow=True).content.decode()

    assert "You already have 10,000 PTS or more." in full
    assert "Play points refilled." in filled
    assert "Try again tomorrow" in again
    assert f'action="{press}"' in again
    assert client.get(press).status_code == 405
    assert balances(points_of(player)["deposit"]) == [10_000_00]


Document = Transfer.Document


def give(player, amount, document):
    """Post a grant as any caller of the posting function can."""
    mine = accounts.open_player_accounts(player=player, currency="PTS")
    promotions = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="PTS")
    return posting.post(
        key=f"try:{document}:{player.pk}",
        kind=Transfer.Kind.GRANT,
        entries=[(promotions, -amount), (mine["deposit"], amount)],
        document=document,
        document_id=player.pk,
    )


@pytest.mark.parametrize("document", [Document.SIGN_UP, Document.REFILL])
@pytest.mark.parametrize(("amount", "is_found"), [(10_000_00, False), (1_000_000_00, True)])
def test_the_audit_finds_a_grant_above_the_limit(document, amount, is_found):
    # Checks at COMMIT are tested in tests/wallet/ledger/test_policies.py.
    with undone():
        transfer = give(make_player(), amount, document)
        found = [(finding.check, finding.subject) for finding in row_findings()]

    named = ("transfer_without_document", f"transfer {transfer.pk}")
    assert found == ([named] if is_found else [])


def test_the_audit_finds_a_refill_of_an_account_that_was_full():
    player = make_player()
    play_points.grant_sign_up(player=player)

    with undone():
        transfer = give(player, 1, Document.REFILL)
        found = [finding.subject for finding in row_findings()]

    assert found == [f"transfer {transfer.pk}"]


def test_migration_stores_enforced_settings_and_lower_ones_spare_earlier_grants(owner, settings):
    play_points.grant_sign_up(player=make_player())
    play_points.refill_points(player=make_player())
    lower = {"PLAY_POINTS_SIGN_UP": 5_000_00, "PLAY_POINTS_REFILL_TO": 8_000_00}

    with override_settings(THREE_PEOPLE_ABOVE=50_000, **lower), owner():
        call_command("migrate", verbosity=0)

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT three_people_above, sign_up_points_minor, refill_points_to_minor"
            " FROM wallet_installation"
        )
        assert cursor.fetchone() == (50_000, 5_000_00, 8_000_00)
    assert row_findings() == ()
    with owner():
        keep_settings(using="default")
