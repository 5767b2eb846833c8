"""`rotate_payee_keys` encrypts every payee with the newest key; it can be interrupted."""

from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import IntegrityError, ProgrammingError, connection, transaction

from tests.builders.wallet.payout_desk import PAYEE, make_sent, payee_for, step
from tests.builders.wallet.players import make_player
from wallet.withdrawals.payees import sealing
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import open_payee, payee_hash, rewrap_payees

pytestmark = pytest.mark.django_db(transaction=True)
OLD, NEW = (Fernet.generate_key().decode() for _ in range(2))


@pytest.fixture(autouse=True)
def _small_batches(settings, monkeypatch):
    settings.PAYEE_KEYS = [OLD]
    monkeypatch.setattr(sealing, "REWRAPPED_AT_ONCE", 2)


def make_payee():
    return payee_for(make_player())


def rotate():
    out = StringIO()
    call_command("rotate_payee_keys", stdout=out, stderr=out)
    return out.getvalue().splitlines()


@pytest.mark.extended
def test_old_key_is_not_needed_after_rotation(settings, owner):
    paid, *_others = make_sent(), make_payee(), make_payee()
    step("mark_paid", paid)
    settings.PAYEE_KEYS = [NEW, OLD]
    rows = RegisteredPayee.objects.values()
    anew = {"encrypted_payee": None, "payee_hash": payee_hash(PAYEE)}
    before = [row | anew for row in rows]

    with owner():
        first, second = rotate(), rotate()

    settings.PAYEE_KEYS = [NEW]
    assert [open_payee(payee) for payee in RegisteredPayee.objects.all()] == [PAYEE] * 3
    assert [row | {"encrypted_payee": None} for row in rows.all()] == before
    assert first == [
        "2 checked, 2 encrypted again",
        "3 checked, 3 encrypted again",
        "Done: 3 of 3 encrypted again.",
    ]
    assert second[-1] == "Done: 0 of 3 encrypted again."


def test_interrupted_rotation_continues_with_the_remaining_rows(settings, owner):
    for _ in range(3):
        make_payee()
    settings.PAYEE_KEYS = [NEW, OLD]

    with owner():
        assert next(rewrap_payees())[:2] == (2, 2)
        assert rotate()[-1] == "Done: 1 of 3 encrypted again."


def test_rotation_or_a_failed_batch_of_it_leaves_payees_immutable(settings, owner):
    registered = make_payee()
    settings.PAYEE_KEYS = [NEW, OLD]
    failing = {registered.pk: (b"nonsense", ""), 0: (object(), "")}
    changes = ("encrypted_payee = ''", "account_end = '1'", "usable_from = registered_at")

    with owner():
        with pytest.raises(ProgrammingError):
            sealing._rewrite(failing)
        for rotated in (False, True):
            if rotated:
                rotate()
            for change in changes:
                with pytest.raises(IntegrityError, match="immutable"), transaction.atomic():
                    connection.cursor().execute(
                        f"UPDATE wallet_registeredpayee SET {change} WHERE id = %s", [registered.pk]
                    )
    assert open_payee(RegisteredPayee.objects.get()) == PAYEE


def test_undecryptable_payee_is_reported_and_left_unchanged(settings, owner):
    make_payee()
    settings.PAYEE_KEYS = [NEW]
    readable = make_payee()

    with owner(), pytest.raises(SystemExit):
        rotate()

    assert open_payee(RegisteredPayee.objects.get(pk=readable.pk)) == PAYEE


def test_rotation_needs_the_owner_of_the_schema(settings):
    make_payee()
    settings.PAYEE_KEYS = [NEW, OLD]

    with pytest.raises(CommandError, match="owner of the schema"):
        rotate()

    settings.PAYEE_KEYS = [OLD]
    assert open_payee(RegisteredPayee.objects.get()) == PAYEE
