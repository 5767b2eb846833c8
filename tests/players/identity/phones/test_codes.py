"""Codes by text message prove a number; guesses and messages are limited."""

import json
import re

import pytest
from django.urls import reverse

from config.celery import app
from core.http import outgoing
from players.exceptions import BadPhoneCode, TooManyNumbers
from players.identity.phones import codes
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import give_number, remove_number
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db
MOBILE, TYPED = "+919876543210", "098765 43210"
GATEWAY = "https://sms.example.com/send"


@pytest.fixture
def messages(settings, monkeypatch):
    """Collect what is posted to the gateway for text messages."""
    sent = []

    def post(url, body, headers, **_how):
        sent.append((url, json.loads(body), dict(headers)))
        return 202

    settings.SMS_URL, settings.SMS_TOKEN = GATEWAY, "secret"
    monkeypatch.setattr(outgoing, "post", post)
    monkeypatch.setattr(app.conf, "task_always_eager", True)
    return sent


def code_in(message):
    return re.search(r"\b\d{6}\b", message[1]["text"])[0]


def other_than(code):
    return f"{(int(code) + 1) % 1_000_000:06}"


def asked(player):
    """Return the code of a new message."""
    made = codes._made(PhoneNumber.objects.of_player(player).present().get().pk)
    return made and made[1]


def is_proved(player):
    return PhoneNumber.objects.of_player(player).present().get().proved_at is not None


def test_a_player_confirms_their_number_on_the_page(
    client, messages, django_capture_on_commit_callbacks
):
    player = make_player(language="en")
    client.force_login(player)

    with django_capture_on_commit_callbacks(execute=True):
        given = client.post(reverse("phone"), {"number": TYPED}, follow=True)
    [message] = messages
    wrong = client.post(reverse("phone-code"), {"code": other_than(code_in(message))})
    assert not is_proved(player)
    right = client.post(reverse("phone-code"), {"code": code_in(message)}, follow=True)

    assert "not used until you confirm it" in given.text
    assert "wrong or has expired" in wrong.text
    assert "This number is confirmed." in right.text
    assert is_proved(player)
    url, body, headers = message
    assert (url, body["to"], headers["Authorization"]) == (GATEWAY, MOBILE, "Bearer secret")


def test_requested_second_code_is_sent(client, messages, django_capture_on_commit_callbacks):
    player = make_player()
    give_number(player_id=player.pk, number=TYPED)
    client.force_login(player)

    for _ in range(codes.CODES_OF_PLAYER):
        with django_capture_on_commit_callbacks(execute=True):
            client.post(reverse("phone-code"), {"again": "1"})
    refused = client.post(reverse("phone-code"), {"again": "1"}, follow=True)

    assert len(messages) == codes.CODES_OF_PLAYER
    assert "several codes" in refused.text
    with pytest.raises(TooManyNumbers):
        codes.ask_for_code(player_id=player.pk)


def test_a_code_is_guessed_a_few_times_only():
    player = make_player()
    give_number(player_id=player.pk, number=TYPED)
    code = asked(player)

    for _ in range(codes.GUESSES_MAX):
        with pytest.raises(BadPhoneCode):
            codes.prove_number(player_id=player.pk, code=other_than(code))
    with pytest.raises(BadPhoneCode):
        codes.prove_number(player_id=player.pk, code=code)

    assert not is_proved(player)
    codes.prove_number(player_id=player.pk, code=asked(player))
    assert is_proved(player)


def test_a_code_is_valid_for_ten_minutes(clocks):
    player = make_player()
    give_number(player_id=player.pk, number=TYPED)
    code = asked(player)
    clocks.let_pass(minutes=10, seconds=1)

    with pytest.raises(BadPhoneCode):
        codes.prove_number(player_id=player.pk, code=code)


def test_a_code_is_of_one_number_of_one_player():
    player, other = make_player(), make_player()
    for each in (player, other):
        give_number(player_id=each.pk, number=TYPED)
    code = asked(player)
    asked(other)

    with pytest.raises(BadPhoneCode):
        codes.prove_number(player_id=other.pk, code=code)
    give_number(player_id=player.pk, number="98765 43211")
    with pytest.raises(BadPhoneCode):
        codes.prove_number(player_id=player.pk, code=code)


def test_one_number_gets_at_most_ten_codes_a_day_from_all_players():
    players = [make_player() for _ in range(5)]
    for player in players:
        give_number(player_id=player.pk, number=TYPED)

    made = [asked(player) for player in players for _ in range(codes.CODES_OF_PLAYER)]

    assert len([code for code in made if code]) == codes.CODES_PER_DAY
    assert len(made) == 15


def test_a_number_taken_away_or_proved_is_sent_nothing():
    player = make_player()
    row = give_number(player_id=player.pk, number=TYPED)
    codes.prove_number(player_id=player.pk, code=asked(player))
    assert codes._made(row.pk) is None
    remove_number(player_id=player.pk)
    assert codes._made(row.pk) is None


@pytest.mark.parametrize("fails", [500, outgoing.NotSentError("no answer")])
def test_a_gateway_that_fails_sends_nothing_and_another_code_may_be_asked_for(
    settings, monkeypatch, fails
):
    def post(*_what, **_how):
        if isinstance(fails, Exception):
            raise fails
        return fails

    settings.SMS_URL = GATEWAY
    monkeypatch.setattr(outgoing, "post", post)
    player = make_player()
    row = give_number(player_id=player.pk, number=TYPED)

    assert codes.send_code(number_id=row.pk) is False
    assert asked(player)


def test_without_a_gateway_no_code_is_sent_and_the_page_explains_it(client, settings):
    settings.EPHEMERAL = False
    player = make_player(language="en")
    row = give_number(player_id=player.pk, number=TYPED)
    client.force_login(player)

    assert codes.send_code(number_id=row.pk) is False
    assert "does not send codes" in client.get(reverse("phone")).text
