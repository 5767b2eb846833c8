"""The trial balance: sums, pagination, and the record of exports."""

import csv
import hashlib

import pytest
from django.db import IntegrityError, ProgrammingError
from django.test import override_settings
from django.urls import reverse

from finance.reports.exports.models import Export
from finance.tokens.actions import create_token
from tests.builders.api_lists import asked_next
from tests.builders.books.full_books import a_day_passes
from tests.builders.wallet.players import fund, make_player, make_stake
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def get(client):
    _, text = create_token(name="test", scopes=["trial-balance"], created_by=None)

    def get(**params):
        headers = {"Authorization": f"Bearer {text}"}
        return client.get(reverse("finance-trial-balance"), params, headers=headers)

    return get


def test_trial_balance_rows_of_every_account_kind(get):
    fund(make_player(), deposit=100_00)
    a_day_passes()
    make_stake()
    today = Transfer.objects.latest("pk").booked_on

    page = get(**{"from": today}).json()

    rows = {row.pop("account_kind"): row for row in page["results"]}
    names = ("opening_minor", "in_minor", "out_minor", "closing_minor", "entries")
    assert {kind: [row[name] for name in names] for kind, row in rows.items()} == {
        "deposit": [100_00, 100_00, 100_00, 100_00, 2],
        "escrow": [0, 100_00, 0, 100_00, 1],
        "gateway_clearing": [-100_00, 0, 100_00, -200_00, 1],
    }
    assert page["totals"]["INR"] == {
        "opening_minor": 0,
        "in_minor": 200_00,
        "out_minor": 200_00,
        "closing_minor": 0,
        "entries": 4,
    }
    now = {a.kind: a.balance_minor for a in Account.objects.filter(version__gt=0, player=None)}
    assert rows["escrow"]["closing_minor"] == now["escrow"]
    assert rows["gateway_clearing"]["closing_minor"] == now["gateway_clearing"]


def test_trial_balance_pages_are_stable_while_transfers_are_posted(get):
    fund(make_player(), deposit=100_00)
    make_stake()
    whole = get().json()

    first = get(limit=2).json()
    fund(make_player(), deposit=7)
    second = get(**asked_next(first)).json()

    assert first["results"] + second["results"] == whole["results"]
    assert (second["totals"], second["next"]) == (whole["totals"], None)
    assert second["header"] == first["header"]


def test_each_response_is_recorded_with_its_hash(get):
    fund(make_player(), deposit=100_00)

    sent = [get(tz="Asia/Kolkata").content]
    sent += [b"".join(get(format=name).streaming_content) for name in ("csv", "xlsx")]

    shown = Export.objects.order_by("pk").values_list("format", "rows", "sha256", "token__name")
    hashes = [hashlib.sha256(body).hexdigest() for body in sent]
    assert list(shown) == [
        (name, 2, sha256, "test")
        for name, sha256 in zip(("json", "csv", "xlsx"), hashes, strict=True)
    ]
    assert Export.objects.earliest("pk").filters == "tz=Asia/Kolkata"
    assert len(list(csv.reader(sent[1].decode().splitlines()))) == 8 + 1 + 2 + 1


def test_interrupted_response_is_recorded_as_unfinished(get):
    fund(make_player(), deposit=100_00)

    response = get(format="csv")
    response.close()

    export = Export.objects.get()
    assert (export.finished_at, export.rows, export.sha256) == (None, None, "")


@pytest.mark.parametrize(
    "act",
    [
        lambda: Export.objects.update(sha256="0" * 64),
        lambda: Export.objects.update(report="journal"),
        lambda: Export.objects.all().delete(),
    ],
)
def test_export_record_cannot_be_changed(get, act):
    get()

    with pytest.raises((IntegrityError, ProgrammingError)):
        act()


def test_too_many_requests_of_a_token_are_refused(get):
    with override_settings(FINANCE_RATE="2/min"):
        answers = [get() for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].json()["code"] == "throttled"
