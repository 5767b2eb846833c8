"""New deposits are held for the term in force when they were made; two people set it."""

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone
from moneyed import Money

from core.exceptions import CheckerIsMaker
from tests.builders.wallet.adjustments import make_staff
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.payment_returns import paid, withdraw
from tests.builders.wallet.players import fund
from wallet.deposits import terms as deposit_terms
from wallet.deposits.payment_models import DepositTerm
from wallet.exceptions import DepositHeld
from wallet.withdrawals.withdrawable import withdrawable

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]


def ask(hours, *, by=None, begins_at=None):
    return deposit_terms.request_term(
        hours=hours, begins_at=begins_at or timezone.now(), reason="Cards", by=by or make_staff()
    )


def set_term(hours):
    return deposit_terms.approve_term(term_id=ask(hours).pk, by=make_staff())


def held(player):
    return withdrawable(player=player, currency="INR").held


def test_new_deposits_are_held_for_the_term_that_staff_set(later):
    player = make_depositor()
    fund(player, winnings=50_00)
    set_term(24)
    paid(player)
    # Of earlier deposits nothing is held; `fund` booked winnings alone.

    assert withdraw(player, 20).winnings_minor == 20_00
    with pytest.raises(DepositHeld):
        withdraw(player, 40)
    later(hours=25)
    assert withdraw(player, 130).amount == Money(130, "INR")


def test_a_shorter_term_releases_no_deposit_made_before_it(later):
    set_term(48)
    player = paid().player
    set_term(0)
    late = paid().player

    assert (held(player), held(late)) == (Money(100, "INR"), Money(0, "INR"))
    later(hours=49)
    assert held(player) == Money(0, "INR")


def test_one_person_alone_changes_no_term():
    clerk = make_staff()
    term = ask(48, by=clerk)
    player = paid().player

    with pytest.raises(CheckerIsMaker):
        deposit_terms.approve_term(term_id=term.pk, by=clerk)

    assert held(player) == Money(0, "INR")
    deposit_terms.reject_term(term_id=term.pk, by=make_staff())
    assert held(paid().player) == Money(0, "INR")


def test_a_term_begins_when_it_is_approved_at_the_earliest():
    term = ask(48)
    player = paid().player  # After `begins_at`, before the approval.

    deposit_terms.approve_term(term_id=term.pk, by=make_staff())

    assert held(player) == Money(0, "INR")
    assert held(paid().player) == Money(100, "INR")


def test_decided_term_is_not_decided_again(settings):
    settings.DEPOSIT_TERM_HOURS = 24  # Applies without a term set by staff.
    assert held(paid().player) == Money(100, "INR")
    term = set_term(48)
    with pytest.raises(DatabaseError, match="decided once"), transaction.atomic():
        DepositTerm.objects.filter(pk=term.pk).update(status="rejected")
