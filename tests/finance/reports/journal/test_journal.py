"""The journal in JSON and CSV: completeness, pagination, time zones and access."""

import csv
import json
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from finance.reports.journal import journal
from finance.tokens.actions import create_token, revoke_token
from tests.builders.api import asked_next
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.slow_posting import posted_slowly
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def get(client):
    _, text = create_token(name="test", scopes=["journal"], created_by=None)

    def get(token=text, **params):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return client.get(reverse("finance-journal"), params, headers=headers)

    return get


def pages(get, **params):
    cursor = {}
    while True:
        answer = get(**params, **cursor).json()
        yield answer
        if answer["next"] is None:
            return
        cursor = {"cursor": asked_next(answer)["cursor"]}


def test_journal_pages_sum_to_the_control_totals_while_transfers_are_posted(get):
    for amount in (100, 250, 333):
        fund(make_player(), deposit=amount)
    first = get(limit=4).json()
    fund(make_player(), deposit=9)

    second = get(**asked_next(first)).json()

    read = [first, second]
    rows = [row for page in read for row in page["results"]]
    assert [len(page["results"]) for page in read] == [4, 2]
    assert [row["amount_minor"] for row in rows] == [-100, 100, -250, 250, -333, 333]
    assert [row["amount"] for row in rows[:2]] == ["-1.00", "1.00"]
    totals = {"entries": 6, "transfers": 3, "in_minor": 683, "out_minor": 683}
    assert [page["totals"] for page in read] == [{"INR": totals}] * 2
    assert second["next"] is None


def read_csv(response):
    """Return the header, rows and control totals of a response."""
    lines = b"".join(response.streaming_content).decode().splitlines(keepends=True)
    shown = [next(csv.reader([line])) for line in lines if line.startswith(("# ", '"# '))]
    rows = list(csv.DictReader(line for line in lines if not line.startswith(("# ", '"# '))))
    assert lines[-1].startswith("# control totals,")
    header = {name.removeprefix("# "): value for name, *value in shown}
    return header, rows, json.loads(header["control totals"][0])


def test_csv_and_json_agree(get):
    fund(make_player(), deposit=100_00)

    [page] = pages(get)
    response = get(format="csv")

    header, rows, totals = read_csv(response)
    assert rows == [
        {name: "" if cell is None else str(cell) for name, cell in row.items()}
        for row in page["results"]
    ]
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert totals == page["totals"]
    assert header["title"] == ["Journal"] == [page["header"]["title"]]
    assert (header["from"], header["tz"]) == (["the beginning"], ["Asia/Kolkata"])
    assert "No activity" not in header


async def read_as_served(token):
    """The ASGI application must send the first row before it has the last."""
    response = await AsyncClient().get(
        reverse("finance-journal"),
        {"format": "csv"},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert response.is_async
    return [part async for part in response.streaming_content]


def test_an_asgi_server_streams_the_same_rows_chunk_by_chunk(get, monkeypatch):
    monkeypatch.setattr(journal, "TRANSFERS_AT_ONCE", 1)
    for amount in (100, 250, 333):
        fund(make_player(), deposit=amount)
    plain = b"".join(get(format="csv").streaming_content).splitlines()
    _, text = create_token(name="test", scopes=["journal"], created_by=None)

    parts = async_to_sync(read_as_served)(text)

    lines = b"".join(parts).splitlines()
    generated = b"# generated_at"
    assert [x for x in lines if not x.startswith(generated)] == [
        x for x in plain if not x.startswith(generated)
    ]
    assert [part.count(b"deposit,") > 0 for part in parts] == [False, True, True, True, False]


def test_slow_transfer_appears_after_the_rows_already_read(get):
    """Its ids are lower than those already read, but it must not be skipped."""
    slow, fast = fund(make_player(), winnings=5), fund(make_player())
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    gateway = accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency="INR")
    with posted_slowly(suspense, slow["deposit"], key="slow"):
        entries = [(gateway, -2), (fast["deposit"], 2)]
        posting.post(key="fast", kind=Transfer.Kind.DEPOSIT, entries=entries)
        [meanwhile] = pages(get)

    [afterwards] = pages(get)

    assert Transfer.objects.get(key="slow").pk < Transfer.objects.get(key="fast").pk
    assert [row["amount_minor"] for row in meanwhile["results"]] == [-5, 5]
    assert [row["amount_minor"] for row in afterwards["results"]] == [-5, 5, -1, 1, -2, 2]


def test_journal_needs_a_valid_token(get):
    for token in (None, "nonsense", "0123456789ab.wrong"):
        response = get(token=token)
        assert response.status_code == 401
        assert response["WWW-Authenticate"] == 'Bearer realm="finance"'
        assert response.json()["code"] in {"not_authenticated", "authentication_failed"}


def test_token_ends_when_it_is_revoked_or_expires_and_is_stored_as_a_hash(get):
    revoked, revoked_text = create_token(name="gone", scopes=["journal"], created_by=None)
    assert get(token=revoked_text).status_code == 200
    revoked.refresh_from_db()
    assert revoked_text.partition(".")[2] not in str(vars(revoked))
    assert (len(revoked.digest), revoked.last_used_at is not None) == (64, True)
    late = timezone.now() + timedelta(seconds=0.05)
    _, expired = create_token(name="old", scopes=["journal"], created_by=None, expires_at=late)

    revoke_token(token=revoked, by=make_player(is_staff=True))
    while timezone.now() < late:
        pass

    assert get(token=revoked_text).status_code == 401
    assert get(token=expired).status_code == 401


BAD_QUESTIONS = [
    ({"from": "yesterday"}, "bad_parameter"),
    ({"limit": "0"}, "bad_parameter"),
    ({"limit": "1001"}, "bad_parameter"),
    ({"from": "2026-02-02", "to": "2026-02-01"}, "bad_period"),
    ({"from": "0001-01-01"}, "bad_period"),
    ({"to": "9999-12-31", "tz": "Pacific/Kiritimati"}, "bad_period"),
    ({"tz": "Asia/Atlantis"}, "unknown_time_zone"),
    ({"tz": "../../etc/passwd"}, "unknown_time_zone"),
    ({"tz": "Asia"}, "unknown_time_zone"),
    ({"tz": "localtime"}, "unknown_time_zone"),
    ({"tz": "\x00"}, "bad_parameter"),
    ({"cursor": "%%%"}, "bad_cursor"),
    ({"cursor": "WzFd"}, "bad_cursor"),
    ({"cursor": "WzFd:signed"}, "bad_cursor"),
]


def test_journal_refuses_invalid_parameters_in_json(get):
    for params, code in BAD_QUESTIONS:
        for form in ({}, {"format": "csv"}):
            response = get(**params | form)
            assert (response.status_code, response.json()["code"]) == (400, code), params
            assert response["Content-Type"] == "application/problem+json"
    assert get(format="xml").status_code == 404


def test_journal_export_is_the_same_in_every_time_zone_and_balances(get, settings):
    """Opening + movements = closing for every reader and time zone."""
    players = [fund(make_player(), deposit=100, winnings=30) for _ in range(3)]
    for number, mine in enumerate(players):
        entries = [(mine["deposit"], -number - 1), (mine["winnings"], number + 1)]
        posting.post(key=f"n:{number}", kind=Transfer.Kind.ADJUSTMENT, entries=entries)
    day = Transfer.objects.latest("pk").booked_on
    days = {"from": day, "to": day, "format": "csv"}

    _, first, _ = read_csv(get(**days))
    with timezone.override("America/Los_Angeles"):
        _, again, _ = read_csv(get(**days))

    assert again == first
    moved = {}
    for row in first:
        after, amount = int(row["balance_after_minor"]), int(row["amount_minor"])
        opening, closing = moved.get(row["account"], (after - amount, after - amount))
        assert closing + amount == after
        moved[row["account"]] = (opening, after)
    assert {opening for opening, _ in moved.values()} == {0}
    now = {str(a.public_id): a.balance_minor for a in Account.objects.filter(version__gt=0)}
    assert {account: closing for account, (_, closing) in moved.items()} == now


def test_cursor_of_another_report_or_period_is_refused(get, client):
    fund(make_player(), deposit=100)
    _, text = create_token(name="both", scopes=["journal", "trial-balance"], created_by=None)
    headers = {"Authorization": f"Bearer {text}"}
    cursor = asked_next(get(limit=1).json())["cursor"]
    url = reverse("finance-trial-balance")

    for response in (
        client.get(url, {"cursor": cursor}, headers=headers),
        get(cursor=cursor, **{"from": date(2020, 1, 1)}),
    ):
        assert (response.status_code, response.json()["code"]) == (400, "bad_cursor")


def test_days_limit_the_journal_and_begin_at_the_midnights_of_a_time_zone(get):
    fund(make_player(), deposit=100)
    posted = Transfer.objects.get().created_at

    for tz in ("Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"):
        there = posted.astimezone(ZoneInfo(tz)).date()
        days = [there + timedelta(days=n) for n in (-1, 0, 1)]
        found = [len(get(**{"from": d, "to": d, "tz": tz}).json()["results"]) for d in days]
        assert found == [0, 2, 0]


def test_former_name_of_the_site_zone_means_booking_days(get):
    fund(make_player(), deposit=100)

    first = get(tz="Asia/Calcutta", limit=1).json()
    second = get(**asked_next(first)).json()

    assert first["header"]["tz"] == second["header"]["tz"] == "Asia/Kolkata"
    assert first["results"] + second["results"] == get().json()["results"]
