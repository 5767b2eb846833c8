"""Bank accounts are kept encrypted, bound to their withdrawal, and shown by their last digits."""

import pytest
from cryptography.fernet import Fernet
from django.db import IntegrityError, connection, transaction
from django.urls import reverse
from moneyed import Money

from tests.builders.wallet.payout_desk import PAYEE, make_sent, make_withdrawal, step
from tests.builders.wallet.players import fund, make_player
from wallet.payments.exceptions import PayeeUnreadable
from wallet.payments.withdrawal_models import PayoutBatch, Withdrawal
from wallet.withdrawals import withdrawals
from wallet.withdrawals.payees import Payee, open_payee, others_paid_to
from wallet.withdrawals.payout_file import payout_rows

pytestmark = pytest.mark.django_db


def everything_stored(withdrawal):
    with connection.cursor() as cursor:
        cursor.execute("SELECT w::text FROM wallet_withdrawal AS w WHERE id = %s", [withdrawal.pk])
        return cursor.fetchone()[0]


def test_what_is_stored_tells_no_account():
    withdrawal = make_withdrawal()

    stored = everything_stored(withdrawal)

    assert PAYEE.bank_account not in stored
    assert PAYEE.name not in stored
    assert PAYEE.ifsc not in stored
    assert withdrawal.account_end == "7890"
    assert open_payee(Withdrawal.objects.get()) == PAYEE


def test_a_new_key_comes_in_front_of_the_old(settings):
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    settings.PAYEE_KEYS = [old]
    withdrawal = make_withdrawal()

    settings.PAYEE_KEYS = [new, old]
    assert open_payee(withdrawal) == PAYEE
    settings.PAYEE_KEYS = [new]
    with pytest.raises(PayeeUnreadable):
        open_payee(withdrawal)


def test_an_account_cannot_be_slipped_under_another_withdrawal():
    mine, theirs = make_withdrawal(), make_withdrawal()
    mine.encrypted_payee = theirs.encrypted_payee

    with pytest.raises(PayeeUnreadable, match="another's"):
        open_payee(mine)


def test_the_owner_changes_nobodys_account(owner):
    withdrawal = make_withdrawal()

    for change in ("encrypted_payee = ''", "account_end = '1'", "winnings_minor = 1"):
        with owner(), pytest.raises(IntegrityError, match="as it was asked"), transaction.atomic():
            connection.cursor().execute(
                f"UPDATE wallet_withdrawal SET status = 'approved', {change} WHERE id = %s",
                [withdrawal.pk],
            )


def test_only_the_bank_s_file_holds_the_whole_account():
    make_sent()

    [[line]] = payout_rows(PayoutBatch.objects.get())

    found = (line["payee_name"], line["bank_account"], line["ifsc"])
    assert found == (PAYEE.name, PAYEE.bank_account, PAYEE.ifsc)


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
    other = ask(Payee("A. Rao", "1234567890", "hdfc0009999"))
    elsewhere = ask(Payee("Asha Rao", "001234567890", "ICIC0001234"))
    settings.PAYEE_KEYS = [Fernet.generate_key().decode(), *settings.PAYEE_KEYS]
    newest = make_withdrawal(player=first.player, rupees=10)

    assert set(others_paid_to(first)) == {alone.player, other.player}
    assert set(others_paid_to(newest)) == {alone.player, other.player}
    assert not others_paid_to(elsewhere)
    client.force_login(make_player(is_staff=True, is_superuser=True))
    page = client.get(reverse("admin:wallet_withdrawal_change", args=[newest.pk])).content.decode()
    assert "Account also used by" in page
    assert str(other.player) in page
    assert newest.payee_hash not in page


def ask(payee):
    player = make_player()
    fund(player, deposit=50_00)
    return withdrawals.request_withdrawal(
        player=player, amount=Money(10, "INR"), payee=payee, requested_by=player
    )
