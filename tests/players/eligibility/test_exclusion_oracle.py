"""Another person's number or PAN reveals nothing about their self-exclusion."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from players.accounts.models import User
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.hold_models import Hold
from players.eligibility.phone_exclusions import forget_numbers
from players.eligibility.verdicts import Act, may
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import remove_number
from players.identity.tax_numbers import give_tax_number
from players.limits.models import OwnLimit
from players.limits.own_limits import Scope, set_own_limit
from tables.accounts.closure import close_account
from tests.builders.people.accounts import sign_up
from tests.builders.people.holds import hold_player
from tests.builders.people.identities import verify_identity
from tests.builders.people.phones import prove
from tests.builders.tables.making import make_table
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import unguarded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]
TAKEN, FREE = "98765 43210", "98765 43211"
PAN_TAKEN, PAN_FREE = "ABCPE1234F", "ABCPE1234G"
EXCLUSION = Break.Kind.EXCLUSION
# Values that differ between two equivalent responses.
NOISE = r'(name="csrfmiddlewaretoken" value|data-csrf|nonce)="[^"]+"|[0-9a-f-]{36}|\+9198765432\d\d'


def excluded(number=TAKEN, *, length=None):
    player = make_player()
    prove(player, number)
    take_break(player=player, kind=EXCLUSION, length=length)
    return player


def sit_down(client, table):
    return client.post(f"/api/v1/tables/{table.public_id}/seats/", content_type="application/json")


def said(answer):
    if answer.status_code == 201:  # A seat at a table of one's own has hashes of its own.
        return answer.status_code, sorted(answer.json())
    times = r"\d{4}-\d\d-\d\d[T ][\d:.]+(\+[\d:]+|Z)?|\d\d? \w{3} \d{4}(, \d\d:\d\d)?"
    # The default avatar follows from the account's key.
    avatar = r'<img class="avatar"[^>]*>|(?<=") checked'
    text = re.sub(f"{NOISE}|{times}|{avatar}|stranger_\\d|s\\d@example.com", "", answer.text)
    return answer.status_code, answer.get("Location"), text.splitlines()


def seen_by_a_stranger(number, place):
    """Sign up with a number, try all actions with it, and return all responses."""
    client = Client()
    who = {"email": f"s{place}@example.com", "handle": f"stranger_{place}"}
    answers = [sign_up(client, **who, mobile=number)]
    answers.append(client.post(reverse("phone"), {"number": f"+91 {number}"}, follow=True))
    answers.append(client.post(reverse("phone-code"), {"code": "000000"}))
    table = make_table(name="A table")
    answers.append(sit_down(client, table))
    answers.append(client.get("/api/v1/account/breaks/"))
    answers += [client.get(reverse(page)) for page in ("break", "phone", "account", "wallet")]
    client.post(reverse("phone"), {"number": ""})
    forget_numbers(now=timezone.now() + timedelta(days=2))
    player = User.objects.get(handle=who["handle"])
    left = PhoneNumber.objects.of_player(player).count()
    answers.append(client.get(reverse("phone")))
    return [said(answer) for answer in answers], left


def test_number_of_an_excluded_player_reveals_nothing():
    excluded(length=timedelta(days=365))

    taken, free = (seen_by_a_stranger(number, no) for no, number in enumerate((TAKEN, FREE)))

    for place, (one, other) in enumerate(zip(taken[0], free[0], strict=True)):
        assert one == other, place
    answers, left = taken
    assert left == free[1]
    assert len(answers) == 10
    # Let in by the page, and seated by the API.
    assert [answer[0] for answer in answers[:4]] == [302, 200, 200, 201]
    assert left == 0, "what is kept of a number would tell, too"


def exclude(player):
    take_break(player=player, kind=EXCLUSION, length=None)


def only_give(player):
    client = Client()
    client.force_login(player)
    assert client.post(reverse("phone"), {"number": TAKEN}).status_code == 302


def prove_and_remove(player):
    prove(player)
    remove_number(player_id=player.pk)


@pytest.mark.parametrize(
    "steps",
    [(only_give, exclude), (exclude, only_give), (exclude, prove), (prove_and_remove, exclude)],
    ids=["given before", "given after", "proved after", "removed before"],
)
def test_number_not_proved_at_the_exclusion_stops_no_other_player(steps):
    excluded, owner, table = make_player(), make_player(), make_table()
    fund(owner, currency="PTS", deposit=1_000_00)
    for step in steps:
        step(excluded)

    prove(owner)

    client = Client()
    client.force_login(owner)
    assert sit_down(client, table).status_code == 201
    assert may(excluded, Act.POINTS).code == "self_excluded"


def test_exclusion_by_number_has_the_same_refusal_as_a_hold():
    """The refusal has the same code, status and text, and no date."""
    excluded(length=timedelta(days=365))
    stopped, held = make_player(), make_player()
    prove(stopped)
    for kind in (Hold.Kind.PLAY, Hold.Kind.DEPOSIT):
        hold_player(held, kind)

    shown = []
    for player in (stopped, held):
        client, table = Client(), make_table()
        client.force_login(player)
        api = sit_down(client, table)
        note = re.search(r'<p class="note warning".*?</p>', client.get(reverse("break")).text)
        shown.append((api.status_code, api.json(), note[0]))

    assert shown[0] == shown[1]
    status, body, note = shown[0]
    assert body["message"] in note
    assert (status, body["code"]) == (403, "play_held")
    assert not {"since", "until"} & body.keys()
    assert not re.search(r"\d{4}", body["message"])
    assert may(stopped, Act.WITHDRAW).is_allowed


def test_an_exclusion_stays_without_any_number():
    player = excluded()
    with unguarded():
        PhoneNumber.objects.all().update(proved_at=None)
    forget_numbers(now=timezone.now() + timedelta(days=2))

    assert may(player, Act.POINTS).code == "self_excluded"


def seen_by_who_types(number):
    """Set a PAN on a new account, try all actions, and return all responses."""
    stranger, client, table = make_player(), Client(), make_table(name="A table")
    client.force_login(stranger)
    client.post(reverse("tax-number"), {"number": number})
    answers = [
        sit_down(client, table),
        client.get("/api/v1/account/breaks/"),
        client.get("/api/v1/account/limits/"),
        *(client.get(reverse(page)) for page in ("break", "account", "tax-number", "own-play")),
    ]
    own = re.compile(rf"{stranger.handle}|{stranger.email}|X{{6}}{number[-4:]}")
    return [(status, place, own.sub("", str(text))) for status, place, text in map(said, answers)]


def test_pan_reveals_nothing_about_a_closed_account():
    """An unverified player with the PAN learns only that an account was closed."""
    for number, is_excluded in ((PAN_TAKEN, True), (PAN_FREE, False)):
        former = make_player()
        give_tax_number(player_id=former.pk, number=number)
        if is_excluded:
            scope = Scope(OwnLimit.Kind.TABLES)
            set_own_limit(player=former, scope=scope, most=1, is_proved=True)
            take_break(player=former, kind=EXCLUSION, length=timedelta(days=365))
        close_account(player_id=former.pk)

    taken, free = seen_by_who_types(PAN_TAKEN), seen_by_who_types(PAN_FREE)

    assert len(taken) == len(free) == 7
    for place, (one, other) in enumerate(zip(taken, free, strict=True)):
        assert one == other, place
    assert taken[0][0] == 403
    assert "identity_unverified" in taken[0][2]
    assert "excluded yourself" not in str(taken)


def test_pan_added_after_the_exclusion_stops_no_player():
    attacker, owner = make_player(), make_player()
    take_break(player=attacker, kind=EXCLUSION, length=None)
    give_tax_number(player_id=attacker.pk, number=PAN_FREE)
    close_account(player_id=attacker.pk)

    give_tax_number(player_id=owner.pk, number=PAN_FREE)
    verify_identity(owner)

    assert may(owner, Act.POINTS).is_allowed
