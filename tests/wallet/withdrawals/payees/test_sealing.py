"""Bank accounts are stored encrypted, bound to their row, and shown by their last digits."""

import pytest
from cryptography.fernet import Fernet
from django.db import connection
from django.urls import reverse

from tests.builders.wallet.payout_desk import PAYEE, make_withdrawal, payee_for, step
from tests.builders.wallet.players import make_player
from wallet.exceptions import PayeeUnreadable
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import PayoutBatch
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import Payee, open_payee
from wallet.withdrawals.refusals import others_with

pytestmark = pytest.mark.django_db


def make_payee(payee=PAYEE):
    return payee_for(make_player(), payee)


def everything_stored(registered):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p::text FROM wallet_registeredpayee AS p WHERE id = %s", [registered.pk]
        )
        return cursor.fetchone()[0]


def test_stored_payee_reveals_no_account_number():
    registered = make_payee()

    stored = everything_stored(registered)

    assert PAYEE.bank_account not in stored
    assert PAYEE.name not in stored
    assert PAYEE.ifsc not in stored
    assert str(registered) == "HDFC, ending in 7890"
    assert open_payee(RegisteredPayee.objects.get()) == PAYEE


def test_new_key_is_put_before_the_old(settings):
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    settings.PAYEE_KEYS = [old]
    registered = make_payee()

    settings.PAYEE_KEYS = [new, old]
    assert open_payee(registered) == PAYEE
    settings.PAYEE_KEYS = [new]
    with pytest.raises(PayeeUnreadable):
        open_payee(registered)


def test_encrypted_account_of_another_row_is_refused():
    mine, theirs = make_payee(), make_payee()
    mine.encrypted_payee = theirs.encrypted_payee

    with pytest.raises(PayeeUnreadable, match="another row"):
        open_payee(mine)


def test_a_file_that_could_not_be_written_whole_is_not_begun(settings):
    withdrawal = make_withdrawal()
    step("approve", withdrawal)
    settings.PAYEE_KEYS = [Fernet.generate_key().decode()]

    with pytest.raises(PayeeUnreadable):
        withdrawals.send_to_bank(by=make_player(is_staff=True))

    assert not PayoutBatch.objects.exists()


@pytest.mark.extended
def test_staff_see_the_name_and_the_last_digits(client, settings):
    withdrawal = make_withdrawal()
    client.force_login(make_player(is_staff=True, is_superuser=True))
    url = reverse("admin:wallet_withdrawal_change", args=[withdrawal.pk])

    page = client.get(url).content.decode()

    assert PAYEE.name in page
    assert "ending in 7890" in page
    assert PAYEE.bank_account not in page
    settings.PAYEE_KEYS = [Fernet.generate_key().decode()]
    assert "No key in PAYEE_KEYS" in client.get(url).content.decode()


@pytest.mark.extended
def test_staff_see_who_else_is_paid_to_the_same_account(client, settings):
    """However it is written, and under an older key too; nothing is refused for it."""
    first, alone = make_withdrawal(), make_withdrawal()
    other = make_payee(Payee("A. Rao", "1234567890", "hdfc0009999"))
    elsewhere = make_payee(Payee("Asha Rao", "001234567890", "ICIC0001234"))
    settings.PAYEE_KEYS = [Fernet.generate_key().decode(), *settings.PAYEE_KEYS]
    newest = make_payee()

    others = {alone.player, other.player}
    assert set(others_with(first.payee)) == {*others, newest.player}
    assert set(others_with(newest)) == {*others, first.player}
    assert not others_with(elsewhere)
    client.force_login(make_player(is_staff=True, is_superuser=True))
    page = client.get(reverse("admin:wallet_withdrawal_change", args=[first.pk])).content.decode()
    assert "Account also used by" in page
    assert str(other.player) in page
    assert first.payee.payee_hash not in page
