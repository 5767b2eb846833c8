"""Finance reads every entry once, in JSON and CSV alike, and only what is settled."""

import base64
import csv
import io
import json
from datetime import date, timedelta
from io import StringIO
from threading import Event, Thread

import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.db import connection, transaction
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from tests.wallet.builders import fund, make_player
from wallet import journal, ledger
from wallet.models import Account, Entry, FinanceToken, Transfer
from wallet.services import accounts
from wallet.services.finance_tokens import create_token, revoke_token

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def get(client):
    _, text = create_token(name="test", scope="journal", created_by=None)

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
        cursor = {"cursor": answer["next"]}


def test_pages_add_up_to_the_control_totals(get):
    for amount in (100, 250, 333):
        fund(make_player(), deposit=amount)

    read = list(pages(get, limit=4))

    rows = [row for page in read for row in page["results"]]
    assert [len(page["results"]) for page in read] == [4, 2]
    assert [row["amount_minor"] for row in rows] == [-100, 100, -250, 250, -333, 333]
    assert [row["amount"] for row in rows[:2]] == ["-1.00", "1.00"]
    totals = {"entries": 6, "transfers": 3, "in_minor": 683, "out_minor": 683}
    assert [page["totals"] for page in read] == [{"INR": totals}] * 2


def test_csv_and_json_agree(get):
    fund(make_player(), deposit=100_00)

    [page] = pages(get)
    response = get(format="csv")

    rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))
    assert rows == [{name: str(cell) for name, cell in row.items()} for row in page["results"]]
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert json.loads(response["X-Control-Totals"]) == page["totals"]


def test_csv_may_be_asked_for_by_the_accept_header(client):
    _, text = create_token(name="test", scope="journal", created_by=None)

    response = client.get(
        reverse("finance-journal"),
        headers={"Authorization": f"Bearer {text}", "Accept": "text/csv"},
    )

    assert b"".join(response.streaming_content).startswith(b"transfer,key,kind,")


async def read_as_served(token):
    """Ask the ASGI application, which may not wait for the last row before it sends the first."""
    response = await AsyncClient().get(
        reverse("finance-journal"),
        {"format": "csv"},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert response.is_async
    return [part async for part in response.streaming_content]


def test_an_asgi_server_streams_the_same_rows_chunk_by_chunk(get, monkeypatch):
    monkeypatch.setattr(journal, "CHUNK", 2)
    for amount in (100, 250, 333):
        fund(make_player(), deposit=amount)
    plain = b"".join(get(format="csv").streaming_content)
    _, text = create_token(name="test", scope="journal", created_by=None)

    parts = async_to_sync(read_as_served)(text)

    assert b"".join(parts) == plain
    assert [part.count(b"deposit,") > 0 for part in parts] == [True, True, True, False]


def test_the_command_prints_a_token_that_works_once_it_is_printed(get):
    printed = StringIO()

    arguments = ["--name", "Tally", "--scope", "journal", "--days", "30"]
    call_command("create_finance_token", *arguments, stdout=printed)

    assert get(token=printed.getvalue().strip()).status_code == 200
    token = FinanceToken.objects.get(name="Tally")
    assert (token.expires_at - token.created_at).days in {29, 30}


def test_a_memo_never_becomes_a_formula(get):
    mine = fund(make_player(), deposit=100)
    suspense = accounts.house_account(kind=Account.Kind.SUSPENSE, currency="INR")
    ledger.post(
        key="adjust:1",
        kind=Transfer.Kind.ADJUSTMENT,
        entries=[(mine["deposit"], -40), (suspense, 40)],
        memo="=HYPERLINK(1)",
    )

    text = b"".join(get(format="csv").streaming_content).decode()

    assert "'=HYPERLINK(1)" in text
    assert ",=HYPERLINK(1)" not in text
    assert ",-40,-0.40," in text  # A negative amount stays a number.


def test_days_limit_the_journal(get):
    fund(make_player(), deposit=100)
    today = Transfer.objects.get().booked_on

    assert len(get(**{"from": today, "to": today}).json()["results"]) == 2
    tomorrow = get(**{"from": today + timedelta(days=1)}).json()
    assert (tomorrow["results"], tomorrow["totals"]) == ([], {})


def test_a_page_does_not_move_when_more_is_posted(get):
    fund(make_player(), deposit=100)
    first = get(limit=1).json()

    fund(make_player(), deposit=200)

    second = get(limit=10, cursor=first["next"]).json()
    assert [row["amount_minor"] for row in second["results"]] == [100]
    assert second["totals"] == first["totals"]
    assert second["next"] is None


def test_a_slow_transfer_is_not_slipped_in_behind_the_reader(get):
    """Its ids are lower than those read meanwhile; it must appear later, not be passed over."""
    slow, fast = fund(make_player(), winnings=5), fund(make_player())
    suspense = accounts.house_account(kind=Account.Kind.SUSPENSE, currency="INR")
    gateway = accounts.house_account(kind=Account.Kind.GATEWAY_CLEARING, currency="INR")
    posted, read = Event(), Event()

    def post_slowly():
        try:
            with transaction.atomic():
                entries = [(suspense, -1), (slow["deposit"], 1)]
                ledger.post(key="slow", kind=Transfer.Kind.DEPOSIT, entries=entries)
                posted.set()
                assert read.wait(10)
        finally:
            connection.close()

    thread = Thread(target=post_slowly)
    thread.start()
    assert posted.wait(10)
    entries = [(gateway, -2), (fast["deposit"], 2)]
    ledger.post(key="fast", kind=Transfer.Kind.DEPOSIT, entries=entries)
    [meanwhile] = pages(get)
    read.set()
    thread.join()

    [afterwards] = pages(get)

    assert Transfer.objects.get(key="slow").pk < Transfer.objects.get(key="fast").pk
    assert [row["amount_minor"] for row in meanwhile["results"]] == [-5, 5]
    assert [row["amount_minor"] for row in afterwards["results"]] == [-5, 5, -1, 1, -2, 2]


@pytest.mark.parametrize("token", [None, "nonsense", "0123456789ab.wrong"])
def test_without_a_token_there_is_nothing_to_read(get, token):
    response = get(token=token)

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == 'Bearer realm="finance"'
    assert response.json()["code"] in {"not_authenticated", "authentication_failed"}


def test_a_token_ends_when_it_is_revoked_or_expires(get):
    revoked, revoked_text = create_token(name="gone", scope="journal", created_by=None)
    assert get(token=revoked_text).status_code == 200
    late = timezone.now() + timedelta(seconds=0.05)
    _, expired = create_token(name="old", scope="journal", created_by=None, expires_at=late)

    revoke_token(token=revoked)
    while timezone.now() < late:
        pass

    assert get(token=revoked_text).status_code == 401
    assert get(token=expired).status_code == 401


def test_a_token_is_kept_as_a_hash_and_its_use_is_noted(get):
    token, text = create_token(name="seen", scope="journal", created_by=None)

    get(token=text)

    token.refresh_from_db()
    assert text.partition(".")[2] not in str(vars(token))
    assert len(token.digest) == 64
    assert token.last_used_at is not None


def as_cursor(text):
    return base64.urlsafe_b64encode(text.replace("'", '"').encode()).decode()


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"from": "yesterday"}, "invalid"),
        ({"limit": "0"}, "invalid"),
        ({"limit": "1001"}, "invalid"),
        ({"cursor": "%%%"}, "bad_cursor"),
        ({"cursor": "WzFd"}, "bad_cursor"),
        ({"cursor": as_cursor("[9, 9, 99999999999999999999, '', '']")}, "bad_cursor"),
        ({"cursor": as_cursor("[9, 9, -1, '', '']")}, "bad_cursor"),
        ({"cursor": as_cursor("[9, 9, Infinity, '', '']")}, "bad_cursor"),
        ({"cursor": as_cursor("[9, 9, 9, '2026-13-01', '']")}, "bad_cursor"),
        ({"cursor": as_cursor("[" * 3_000)}, "bad_cursor"),
        ({"cursor": as_cursor("9")}, "bad_cursor"),
    ],
)
def test_bad_questions_are_refused(get, params, code):
    response = get(**params)

    assert (response.status_code, response.json()["code"]) == (400, code)


@pytest.mark.parametrize("params", [{"cursor": "%%%"}, {"from": "yesterday"}, {"token": "no"}])
def test_a_refusal_of_csv_is_json_and_says_so(get, params):
    response = get(format="csv", **params)

    assert response.status_code in {400, 401}
    assert response["Content-Type"] == "application/json"
    assert response.json()["code"]


def test_an_export_is_the_same_to_the_byte_and_closes(get, settings):
    """Opening balance and movements make the closing balance, whoever asks from wherever."""
    players = [fund(make_player(), deposit=100, winnings=30) for _ in range(3)]
    for number, mine in enumerate(players):
        entries = [(mine["deposit"], -number - 1), (mine["winnings"], number + 1)]
        ledger.post(key=f"n:{number}", kind=Transfer.Kind.ADJUSTMENT, entries=entries)
    day = Transfer.objects.latest("pk").booked_on
    days = {"from": day, "to": day, "format": "csv"}

    first = b"".join(get(**days).streaming_content)
    with timezone.override("America/Los_Angeles"):
        again = b"".join(get(**days).streaming_content)

    assert again == first
    moved = {}
    for row in csv.DictReader(io.StringIO(first.decode())):
        after, amount = int(row["balance_after_minor"]), int(row["amount_minor"])
        opening, closing = moved.get(row["account"], (after - amount, after - amount))
        assert closing + amount == after
        moved[row["account"]] = (opening, after)
    assert {opening for opening, _ in moved.values()} == {0}
    now = {str(a.public_id): a.balance_minor for a in Account.objects.filter(version__gt=0)}
    assert {account: closing for account, (_, closing) in moved.items()} == now


def test_an_unknown_format_is_not_found(get):
    assert get(format="xml").status_code == 404


def test_a_token_for_something_else_does_not_open_the_journal(get):
    """Only one scope exists yet, so this one is written past the choices."""
    token, text = create_token(name="other", scope="liability", created_by=None)

    response = get(token=text)

    assert (response.status_code, response.json()["code"]) == (403, "permission_denied")
    assert token.scope != "journal"


def test_a_cursor_keeps_its_days(get):
    fund(make_player(), deposit=100)
    cursor = get(limit=1).json()["next"]

    response = get(cursor=cursor, **{"from": date(2020, 1, 1)})

    assert (response.status_code, response.json()["code"]) == (400, "bad_cursor")
    assert Entry.objects.count() == 2
