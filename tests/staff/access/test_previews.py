"""Previews: manual postings are shown exactly before they are made."""

from __future__ import annotations

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.urls import reverse
from moneyed import Money

from core.admin.previews import moved_now, rolled_back
from core.exceptions import CheckerIsMaker
from core.models import AuditEntry
from tables.integrity.moderation.models import Ruling
from tables.seats import seating
from tests.builders.staff.acts import boss
from tests.builders.staff.previews import post_agreed, previewed
from tests.builders.tables.making import make_player as make_person
from tests.builders.tables.making import make_table
from tests.builders.wallet.players import balances, books, fund, make_player
from wallet.audit.audit import row_findings
from wallet.corrections import adjustments
from wallet.ledger import accounts
from wallet.ledger.models import Account, Transfer
from wallet.stakes.balances import wallet_of

pytestmark = pytest.mark.django_db(transaction=True)
LIST = reverse("admin:wallet_adjustment_changelist")


@pytest.fixture
def asked():
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    target = fund(make_player(), deposit=10_00)["deposit"]
    return adjustments.request_adjustment(
        source=suspense, target=target, amount=Money("5.05", "INR"), reason="Twice", by=boss()
    )


def approve(*rows):
    return {"action": "approve", ACTION_CHECKBOX_NAME: [row.pk for row in rows]}


def test_a_correction_is_shown_to_the_paisa_and_then_posted(client, asked):
    client.force_login(boss())
    before, acts = books(), AuditEntry.objects.count()

    shown = previewed(client, LIST, approve(asked))

    [preview] = shown.context["previews"]
    assert [(line.amount, line.left) for line in preview.lines] == [
        ("-₹5.05", "-₹5.05"),
        ("₹5.05", "₹15.05"),
    ]
    assert asked.target.player.handle in shown.text
    assert (books(), AuditEntry.objects.count()) == (before, acts)

    done = post_agreed(client, LIST, approve(asked))

    assert "Approved and posted" in done.text
    assert balances(asked.target) == [15_05]
    assert row_findings() == ()


def test_action_without_a_matching_preview_is_not_posted(client, asked):
    """A request without the matching preview gets the preview."""
    client.force_login(boss())

    for made_up in ("", "yes", "0" * 64):
        again = client.post(LIST, approve(asked) | {"shown": made_up}, follow=True)
        assert "The preview has changed" in again.text

    asked.refresh_from_db()
    assert (asked.status, balances(asked.target)) == ("requested", [10_00])


def test_a_page_shown_before_another_decided_posts_nothing(client, asked):
    client.force_login(boss())
    seen = dict(previewed(client, LIST, approve(asked)).context["again"])["shown"]
    adjustments.reject_adjustment(adjustment=asked, by=boss())

    late = client.post(LIST, approve(asked) | {"shown": seen}, follow=True)

    assert "(already_decided)" in late.text
    assert balances(asked.target) == [10_00]


def test_preview_shows_refusals(client, asked):
    client.force_login(asked.made_by)

    said = client.post(LIST, approve(asked), follow=True)

    assert "(checker_is_maker)" in said.text
    assert "Nothing is posted yet" not in said.text


def test_a_ruling_shows_what_each_player_gets_back(client):
    players = [make_person() for _ in range(2)]
    before = [str(wallet_of(player)) for player in players]
    table = make_table()
    for player in players:
        seating.join(table_id=table.pk, player=player)
    client.force_login(boss())
    joined = books()
    url = reverse("admin:tables_ruling_add")
    sent = {"table": table.pk, "kind": "cancel", "reason": "A fault of ours"}

    shown = previewed(client, url, sent)

    [preview] = shown.context["previews"]
    back = [line.account for line in preview.lines if not line.amount.startswith("-")]
    assert all(any(player.handle in account for account in back) for player in players)
    assert books() == joined
    assert not Ruling.objects.exists()
    post_agreed(client, url, sent)
    table.refresh_from_db()
    assert table.phase == "cancelled"
    assert [str(wallet_of(player)) for player in players] == before


def test_a_form_that_is_wrong_is_shown_again_and_moves_nothing(client):
    client.force_login(boss())

    page = client.post(reverse("admin:tables_ruling_add"), {"kind": "cancel"})

    assert page.status_code == 200
    assert page.context["adminform"].form.errors


def test_preview_rolls_back_durable_transactions(asked):
    checker, before = boss(), books()

    with rolled_back():
        adjustments.approve_adjustment(adjustment=asked, by=checker)
        assert len(moved_now()) == 2
    with rolled_back(), pytest.raises(CheckerIsMaker):
        adjustments.approve_adjustment(adjustment=asked, by=asked.made_by)

    assert books() == before
    assert not Transfer.objects.filter(kind="adjustment").exists()
