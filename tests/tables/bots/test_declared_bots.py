"""Bots that players declare: labelled, for play points, where bots are admitted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from players.accounts.models import User
from players.eligibility import breaks
from players.eligibility.break_models import Break
from players.exceptions import NotEligible, NotForGuests
from players.sign_in import actions as sign_in
from players.sign_in.sessions import TokenSession, key_of_token
from players.sign_in.tokens.models import PlayerToken
from tables.accounts.closure import close_account
from tables.bots import bots, declared
from tables.exceptions import (
    BotIsBusy,
    BotsNotAdmitted,
    HandleTaken,
    NotInvited,
    OwnCompany,
    TooManyBots,
)
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tables.sockets.broadcaster import Subscriber, still_signed_in
from tests.builders.people.sessions import prove
from tests.builders.tables.making import make_player, make_table
from wallet.stakes.balances import wallet_of

pytestmark = pytest.mark.django_db


def declared_bot(owner=None, handle="clever_one"):
    bot, text = declared.declare_bot(owner=owner or make_player(), handle=handle)
    return bot, text


def program(text):
    return Client(headers={"Authorization": f"Bearer {text}"})


def seats_of(table):
    return f"/api/v1/tables/{table.public_id}/seats/"


def test_a_bot_plays_by_its_token_and_is_labelled_at_the_table():
    bot, text = declared_bot()
    table = make_table(bots_fill=True)

    sat = program(text).post(seats_of(table), {}, "application/json")

    assert sat.status_code == 201, sat.content
    [seat] = sat.json()["seats"]
    assert (seat["handle"], seat["is_bot"], seat["is_me"]) == ("clever_one", True, True)
    assert (bot.email, bot.has_usable_password()) == (None, False)
    [points] = wallet_of(bot)
    assert points.currency == "PTS"


def test_the_site_does_not_play_bots_declared_by_players():
    bot, _text = declared_bot()
    table = make_table(bots_fill=True)
    mine = seating.join(table_id=table.pk, player=bot)
    Seat.objects.filter(pk=mine.pk).update(seen_at=timezone.now())
    assert mine in Seat.objects.not_seen_since(timezone.now()), "its program may be away"
    seating.join(table_id=table.pk, player=bots.bots_for(table, 1)[0])
    table = Table.objects.get(pk=table.pk)

    assert list(table.seats.of_site_bots()) != []
    assert mine not in table.seats.of_site_bots()
    assert bot not in User.objects.bots()


def test_a_bot_sits_where_bots_are_admitted_or_its_link_was_given():
    bot, _text = declared_bot()

    with pytest.raises(BotsNotAdmitted):
        seating.join(table_id=make_table(bots_fill=False).pk, player=bot)
    private = make_table(bots_fill=True)
    Table.objects.filter(pk=private.pk).update(invite_code="c" * 20)
    with pytest.raises(NotInvited):
        seating.join(table_id=private.pk, player=bot)

    assert seating.join(table_id=private.pk, player=bot, code="c" * 20).player == bot


@pytest.mark.parametrize("pair", [("owner", "bot"), ("bot", "owner"), ("bot", "second bot")])
def test_an_owner_and_their_bots_cannot_sit_at_one_table(pair):
    owner = make_player()
    players = {
        "owner": owner,
        "bot": declared_bot(owner)[0],
        "second bot": declared_bot(owner, "second_bot")[0],
    }
    table = make_table(bots_fill=True)
    seating.join(table_id=table.pk, player=players[pair[0]])

    with pytest.raises(OwnCompany):
        seating.join(table_id=table.pk, player=players[pair[1]])


def test_a_bot_sits_at_three_tables_at_most():
    bot, _text = declared_bot()
    for _ in range(3):
        seating.join(table_id=make_table(bots_fill=True).pk, player=bot)

    with pytest.raises(BotIsBusy):
        seating.join(table_id=make_table(bots_fill=True).pk, player=bot)


@pytest.mark.django_db(transaction=True)
def test_a_player_declares_three_bots_at_most_and_of_two_at_once_the_last_one_is_refused():
    owner = make_player()
    for number in range(2):
        declared_bot(owner, f"bot_{number}")

    def declare(number):
        try:
            return declared_bot(owner, f"late_{number}")[0].handle
        except TooManyBots:
            return "refused"
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as both:
        answers = list(both.map(declare, range(2)))

    assert sorted(answers)[1] == "refused"
    assert User.objects.filter(owner=owner).count() == 3


def test_guests_and_bots_cannot_declare_bots_and_names_are_unique():
    bot, _text = declared_bot()

    for nobody in (make_player(is_guest=True, email=None), bot):
        with pytest.raises(NotForGuests):
            declared_bot(nobody, "another_bot")
    with pytest.raises(HandleTaken):
        declared_bot(handle="Clever_ONE")


def block(owner):
    sign_in.block(player_id=owner.pk, by=make_player(is_staff=True, is_superuser=True), reason="x")


def close(owner):
    close_account(player_id=owner.pk)


def end(owner):
    declared.end_bot(owner=owner, bot_id=User.objects.get(owner=owner).pk)


def replace(owner):
    declared.replace_token(owner=owner, bot_id=User.objects.get(owner=owner).pk)


def change_password(owner):
    owner.set_password("another long passphrase")
    owner.save(update_fields=["password"])


@pytest.mark.parametrize("ended_by", [block, close, end, replace, change_password])
def test_a_bots_token_ends_with_its_owner_the_bot_or_a_new_token(ended_by):
    owner = make_player()
    bot, text = declared_bot(owner)
    one, watching = program(text), Subscriber(bot, TokenSession(key_of_token(text)))
    assert one.get("/api/v1/tables/").status_code == 200
    assert still_signed_in([watching]) == [watching]

    ended_by(owner)

    assert one.get("/api/v1/tables/").status_code in (401, 403)
    assert still_signed_in([watching]) == [], "an open socket or stream ends too"


def test_a_deleted_bot_keeps_no_token():
    owner = make_player()
    bot, _text = declared_bot(owner)
    tokens = PlayerToken.objects.of_player(bot)
    assert tokens.count() == 1

    end(owner)

    assert not tokens.exists()


def test_the_bots_of_a_player_on_a_break_cannot_sit_down():
    owner = make_player()
    bot, _text = declared_bot(owner)
    breaks.take_break(player=owner, kind=Break.Kind.COOL_OFF, length=timedelta(days=1))

    with pytest.raises(NotEligible):
        seating.join(table_id=make_table(bots_fill=True).pk, player=bot)


def test_a_bot_stays_its_owners_and_only_bots_are_owned():
    bot, _text = declared_bot()

    for change in ({"owner": make_player()}, {"is_bot": False}):
        with pytest.raises((DatabaseError, ValidationError)):
            User.objects.filter(pk=bot.pk).update(**change)
    with pytest.raises(DatabaseError):
        make_player(owner=make_player())


def test_the_page_declares_a_bot_and_shows_its_token_once(client):
    owner = make_player()
    client.force_login(owner)
    prove(client)
    page = reverse("own-bots")

    made = client.post(page, {"handle": "page_bot"}).content.decode()

    bot = User.objects.get(owner=owner)
    assert "rummy_" in made
    assert "rummy_" not in client.get(page).content.decode()
    assert "page_bot" in client.get(page).content.decode()
    assert "Use 3 to 20" in client.post(page, {"handle": "no name"}).content.decode()
    assert client.post(reverse("own-bot", args=[bot.pk, "rename"])).status_code == 404
    assert User.objects.get(pk=bot.pk).is_active
    client.post(reverse("own-bot", args=[bot.pk, "refill"]))
    client.post(reverse("own-bot", args=[bot.pk, "end"]))
    assert "page_bot" not in client.get(page).content.decode().split("<h2", 1)[-1]
    strangers = Client()
    strangers.force_login(make_player())
    prove(strangers)
    assert strangers.post(reverse("own-bot", args=[bot.pk, "token"])).status_code == 404
