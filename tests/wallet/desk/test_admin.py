"""The admin of the wallet is read-only for staff, except for its actions."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from tests.builders.wallet.payout_desk import make_withdrawal
from tests.builders.wallet.players import make_escrow, make_player, make_stake
from wallet.audit import freezes
from wallet.audit.models import AuditRun, Seal, WithdrawalFreeze
from wallet.ledger.days import site_day
from wallet.ledger.models import Account, BookedDay, Entry, Transfer
from wallet.stakes import stakes
from wallet.stakes.models import Stake
from wallet.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db
LEDGER = [Account, BookedDay, Entry, Stake, Transfer]


@pytest.fixture
def staff(client):
    admin = make_player(is_staff=True, is_superuser=True)
    client.force_login(admin)
    return client


@pytest.fixture
def finished_game():
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=winner), make_stake(escrow=escrow)]
    prizes = [(winner, Money(180, "INR"))]
    return stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")


def page(model, what="changelist", *args):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{what}", args=args)


@pytest.fixture
def ended_day(owner):
    """A day is a row once it has ended."""
    with owner():
        yesterday = site_day() - timedelta(days=1)
        return BookedDay.objects.create(day=yesterday, ended_at=timezone.now(), boundary=1)


@pytest.mark.extended
@pytest.mark.soak
def test_lists_and_rows_open_and_offer_no_change(staff, finished_game, ended_day, subtests):
    for model in LEDGER:
        with subtests.test(model.__name__):
            row = model.objects.first()

            assert staff.get(page(model)).status_code == 200
            listing = staff.get(page(model), {"q": "finish:1"})
            detail = staff.get(page(model, "change", row.pk))

            assert (listing.status_code, detail.status_code) == (200, 200)
            assert 'name="_save"' not in detail.content.decode()
            assert staff.get(page(model, "add")).status_code == 403
            assert staff.post(page(model, "delete", row.pk), {"post": "yes"}).status_code == 403
            assert staff.post(page(model, "change", row.pk), {"memo": "x"}).status_code == 403


@pytest.mark.extended
def test_a_transfer_and_its_accounts_lead_to_each_other(staff, finished_game):
    escrow = finished_game.entries.first().account

    transfer = staff.get(page(Transfer, "change", finished_game.pk)).content.decode()
    account = staff.get(page(Account, "change", escrow.pk)).content.decode()

    assert page(Account, "change", escrow.pk) in transfer
    [entries] = re.findall(r'href="([^"]+entry/\?account__id__exact=\d+)"', account)
    listed = staff.get(entries.replace("&amp;", "&")).content.decode()
    assert page(Transfer, "change", finished_game.pk) in listed


def test_list_of_transfers_shows_accounts_by_handle_and_other_actors_by_their_text(staff):
    winner = make_player()
    for actor in ("robot:7", winner.actor):
        escrow = make_escrow()
        stake = make_stake(escrow=escrow, player=winner)
        prizes = [(winner, Money(90, "INR"))]
        stakes.settle_game(
            escrow=escrow, stakes=[stake], prizes=prizes, key=f"finish:{escrow.pk}", actor=actor
        )

    shown = re.sub(r"<[^>]*>", " ", staff.get(page(Transfer)).text)

    named = [name in shown for name in ("robot:7", winner.handle, winner.actor)]
    assert named == [True, True, False]


def test_list_of_stakes_shows_their_entries_and_rake(staff, finished_game):
    listed = staff.get(page(Stake)).text

    assert (listed.count("₹100.00"), listed.count("₹10.00")) == (2, 2)


def test_a_freeze_is_lifted_by_a_second_person(client):
    freeze = WithdrawalFreeze.objects.create(reason="The audit found 1 differences")
    first, second = (make_player(is_staff=True, is_superuser=True) for _ in range(2))

    def act(person, action):
        client.force_login(person)
        data = {"action": action, "_selected_action": [freeze.pk]}
        said = client.post(page(WithdrawalFreeze), data, follow=True).content.decode()
        freeze.refresh_from_db()
        return said

    assert "not_cleared" in act(first, "lift")
    act(first, "clear")
    assert "checker_is_maker" in act(first, "lift")
    assert freeze.lifted_at is None
    act(second, "lift")

    assert freeze.lifted_at is not None
    assert (freeze.cleared_by, freeze.lifted_by) == (first.actor, second.actor)
    for address in (page(WithdrawalFreeze), page(WithdrawalFreeze, "change", freeze.pk)):
        shown = client.get(address).content.decode()
        assert (first.handle in shown, first.actor in shown) == (True, False)


@pytest.mark.extended
def test_the_audit_page_shows_balances_audits_and_seals(staff, finished_game):
    assert "No audit has run yet" in staff.get(page(AuditRun)).content.decode()
    freezes.check_books()
    WithdrawalFreeze.objects.create(reason="The audit found 1 differences")

    shown = " ".join(staff.get(page(AuditRun)).content.decode().split())

    assert "ledger balanced" in shown
    assert "Withdrawals are frozen: The audit found 1 differences." in shown
    words = " ".join(re.sub(r"<[^>]*>", " ", shown).split())
    assert re.search(r"Rake \d+ ₹20\.00", words)  # One row per rake shard.
    assert "Sum, must be zero ₹0.00" in words
    assert "Nothing is sealed yet" in shown
    assert staff.get(page(Seal)).status_code == 200


QUEUE = reverse("admin:wallet_withdrawal_changelist")


@pytest.fixture
def asked(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    return make_withdrawal()


def page_of(client, withdrawal):
    return client.get(reverse("admin:wallet_withdrawal_change", args=[withdrawal.pk])).text


def press(client, withdrawal, action, remark=""):
    said = {"_selected_action": withdrawal.pk, "action": action, "remark": remark}
    page = client.post(QUEUE, said, follow=True).text
    withdrawal.refresh_from_db()
    return page


@pytest.mark.extended
def test_withdrawal_page_offers_both_decisions_and_then_the_next_step(client, asked):
    before = page_of(client, asked)
    press(client, asked, "reject")  # Without its reason.
    assert asked.status == Withdrawal.Status.REQUESTED
    press(client, asked, "approve")
    after = page_of(client, asked)

    assert asked.status == Withdrawal.Status.APPROVED
    assert 'value="approve"' in before
    assert 'value="reject"' in before
    assert "Deposit minor" not in before
    assert "send the approved withdrawals to the bank" in after
    assert 'value="approve"' not in after
