"""The search of staff: what a term finds, for whom, with which index, and its record."""

from __future__ import annotations

import pytest
from django.db import connection
from django.urls import reverse

from core.models import AuditEntry
from players.cases.help_requests import write_to_support
from staff.search import sources
from staff.search.terms import Term
from tables.models.tables import Table
from tests.builders.staff.people import SUPERUSER, a_person, clerk, clerk_who_may
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.tables.making import make_table
from tests.builders.wallet.players import create_user, fund, make_player
from wallet.deposits.models import Deposit
from wallet.ledger.models import Transfer
from wallet.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db


def make_deposit(player, *, minor=100_00, gst=28_00, order="order_Kq1") -> Deposit:
    return Deposit.objects.create(
        player=player,
        provider="sandbox",
        order_reference=order,
        pay_url="https://pay.example/1",
        currency="INR",
        amount_minor=minor,
        gst_minor=gst,
        gst_bps=2_800 if gst else 0,
        gst_treatment="exclusive" if gst else "none",
    )


def found(client, text, viewer=None):
    client.force_login(viewer or a_person(SUPERUSER))
    page = client.get(reverse("staff-search"), {"q": text})
    assert page.status_code == 200
    return {group.title: group for group in page.context["groups"]}, page.content.decode()


@pytest.mark.parametrize("text", ["meera", "MEERA_k", "meera@ex", "{code}", "…{code}", "{uuid}"])
def test_a_person_is_found_by_name_address_short_code_and_id(client, text):
    person = create_user(handle="Meera_K", email="meera@example.com")
    create_user(handle="Ameera", email="other@example.com")

    groups, _page = found(client, text.format(code=person.short_code, uuid=person.public_id))

    assert [hit.title for hit in groups["People"].hits] == ["Meera_K"]


@pytest.mark.parametrize("text", ["order_Kq1", "₹100", "128", "Rs. 128.00", "meera", "{uuid}"])
def test_a_deposit_is_found_by_order_amounts_player_and_id(client, text):
    person = create_user(handle="Meera_K", email="meera@example.com")
    deposit = make_deposit(person)
    make_deposit(make_player(), minor=250_00, order="order_other")

    groups, _page = found(client, text.format(uuid=deposit.public_id))

    url = reverse("admin:wallet_deposit_change", args=[deposit.pk])
    assert [hit.url for hit in groups["Deposits"].hits] == [url]


def test_an_amount_with_tax_is_shown_beside_the_amount_credited(client):
    make_deposit(create_user(handle="meera_k", email="m@example.com"), gst=40_00)

    groups, _page = found(client, "140")

    assert groups["Deposits"].hits[0].note.startswith("₹100.00 (paid ₹140.00), ")


def test_message_of_a_visitor_is_found_by_its_address(client):
    asked = write_to_support(
        player=None, email="harini@example.com", language="hi", subject="Number", text="Changed"
    )

    groups, _page = found(client, "Harini@example.com")
    shared, _page = found(client, "harini")

    [group] = [group for title, group in groups.items() if title.startswith("Cases")]
    assert [hit.title for hit in group.hits] == ["Number"]
    assert group.hits[0].url == reverse("case", args=["players.helprequest", asked.pk])
    assert not any(title.startswith("Cases") for title in shared)


def test_more_deposits_than_shown_are_linked(client):
    for number in range(sources.SHOWN + 1):
        make_deposit(make_player(), order=f"order_{number}")

    groups, _page = found(client, "100")

    assert len(groups["Deposits"].hits) == sources.SHOWN
    listed = client.get(groups["Deposits"].more_url).content.decode()
    assert listed.count("order_") >= sources.SHOWN + 1


def test_transfers_are_found_by_player_and_by_key(client):
    person, other = make_player(), make_player()
    fund(person, deposit=50_00)
    fund(other, deposit=60_00)
    transfer = Transfer.objects.filter(entries__account__player=person).get()

    for text in (person.handle, transfer.key, str(transfer.public_id)):
        groups, _page = found(client, text)
        assert {hit.url for hit in groups["Transfers"].hits} == {
            reverse("admin:wallet_transfer_change", args=[transfer.pk])
        }


def test_a_table_is_found_by_its_id_its_code_and_its_name_with_the_code(client):
    table = make_table()
    make_table()

    for text in (str(table.public_id), str(table.public_id)[-6:], str(table)):
        groups, _page = found(client, text)
        assert [hit.title for hit in groups["Tables"].hits] == [str(table)]


def test_tables_are_found_by_a_part_of_their_name_newest_first(client):
    first, second = make_table(name="Diwali duel"), make_table(name="Evening Diwali pool")
    make_table(name="Holi pool")

    groups, _page = found(client, "diwali")
    hidden, _page = found(client, "diwali", clerk_who_may("view_user"))

    assert [hit.title for hit in groups["Tables"].hits] == [str(second), str(first)]
    assert hidden == {}


def test_cases_are_found_by_the_words_of_their_title_within_permissions(client):
    dispute = complain(played_deal())
    asked = write_to_support(
        player=make_player(), email="", language="en", subject="Clock of my phone", text="Hello"
    )
    url = reverse("case", args=["tables.dispute", dispute.pk])

    groups, _page = found(client, "clock REPORTS")
    both, _page = found(client, "clock")
    support_only, _page = found(client, "clock", clerk_who_may("view_helprequest", "view_case"))

    assert [hit.url for group in groups.values() for hit in group.hits] == [url]
    assert set(both) == {"Cases: Disputes", "Cases: Messages to support"}
    assert set(support_only) == {"Cases: Messages to support"}
    [hit] = support_only["Cases: Messages to support"].hits
    assert hit.url == reverse("case", args=["players.helprequest", asked.pk])


@pytest.mark.parametrize(
    ("permissions", "titles"),
    [
        ((), set()),
        (("view_deposit",), set()),
        (("view_user",), {"People"}),
        (("view_user", "view_deposit"), {"People", "Deposits"}),
    ],
)
def test_only_kinds_that_the_viewer_may_see_are_searched(client, permissions, titles):
    person = create_user(handle="Meera_K", email="meera@example.com")
    make_deposit(person)
    viewer = clerk_who_may(*permissions) if permissions else clerk()

    groups, page = found(client, "meera", viewer)

    assert set(groups) == titles
    assert ("meera@example.com" in page) == ("People" in titles)


@pytest.mark.parametrize(
    ("text", "advice"), [("ab", "at least 3 characters"), ("zzzz", "Nothing that")]
)
def test_a_search_without_results_says_what_to_try(client, text, advice):
    create_user(handle="abba", email="abba@example.com")

    groups, page = found(client, text)

    assert not groups
    assert advice in page


def test_a_search_that_shows_people_is_recorded_without_its_text(client):
    person = create_user(handle="Meera_K", email="meera@example.com")
    viewer = a_person("Support")
    notified = viewer.notifications.count()

    found(client, "meera@example", viewer)
    found(client, "zzzz", viewer)
    found(client, "280", viewer)

    [entry] = AuditEntry.objects.filter(act="search")
    assert (entry.by, entry.about) == (viewer, person)
    assert entry.after == f"accounts={person.short_code}"
    assert viewer.notifications.count() == notified  # It is no decision in the viewer's name.


@pytest.mark.parametrize(
    ("rows", "index"),
    [
        (lambda: sources.people_of(Term.parse("meera")), "players_user_plain_handle"),
        (lambda: sources.people_of(Term.parse("meera")), "players_user_plain_email"),
        (lambda: sources.people_of(Term.parse("1a2b3c4d")), "players_user_short_code"),
        (lambda: Table.objects.with_short_code("8e00aa"), "tables_table_short_code"),
        (lambda: Deposit.objects.of_amount(100_00), "wallet_deposit_by_amount"),
        (lambda: Deposit.objects.of_amount(100_00), "wallet_deposit_by_paid"),
        (lambda: Withdrawal.objects.of_amount(100_00), "wallet_withdrawal_by_asked"),
        (lambda: Withdrawal.objects.of_amount(100_00), "wallet_withdrawal_by_sent"),
    ],
)
def test_a_search_reads_an_index(rows, index):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # The tables are empty here.

    assert index in rows().explain()


def test_every_staff_page_has_the_search(client):
    client.force_login(a_person("Support"))
    for name in ("admin:index", "admin:wallet_deposit_changelist", "cases"):
        url = reverse(name)
        assert f'action="{reverse("staff-search")}"' in client.get(url).content.decode()


def test_a_list_without_rows_says_what_is_empty(client):
    client.force_login(a_person("Support"))
    url = reverse("admin:wallet_deposit_changelist")

    empty, filtered = (client.get(f"{url}{query}").content.decode() for query in ("", "?q=zzzz"))

    assert "There are no deposits yet." in empty
    assert "No deposits match." in filtered
    assert "Show the whole list" in filtered
    assert "yielded" not in empty + filtered
