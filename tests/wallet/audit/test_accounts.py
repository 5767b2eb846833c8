"""Forged changes of sign-in data and bank accounts are refused or reported."""

from datetime import timedelta
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from core.clock import database_now
from players.accounts.models import User
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import give_number
from players.identity.tax_number_models import TaxNumber
from players.identity.tax_numbers import give_tax_number
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange
from players.sign_in.tokens.actions import create_token
from tests.builders.processes.logins import (
    KINDS,
    REFUSED,
    app_login,
    as_owner,
    connected_as,
    protecting,
)
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import admit_to_cash, make_player
from wallet.audit.audit import audit, row_findings

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

NAMED = "changed_without_a_record"
RECORD = """
    INSERT INTO players_accountchange (player_id, kind, subject, by_staff, at, unsent, mail_tries)
    VALUES ({owner}, '%s', '%s', false, now(), '%s', 0)
"""
FACTOR = """
    INSERT INTO mfa_authenticator (user_id, type, data, created_at)
    VALUES ({owner}, 'webauthn', '{{"secret": "A"}}', now())
"""
REMOVED = "DELETE FROM account_emailaddress WHERE user_id = {owner} AND verified"
# Statements of a process that was taken over, of one transaction each, all guards in force. A web
# process is known to get as far as this; other logins are refused, or named by the same check.
FORGED = {
    "a factor added": (FACTOR, NAMED),
    "a factor added with a record that its owner is not written to about": (
        RECORD % ("factor_added", "", "{{}}") + ";" + FACTOR,
        REFUSED,
    ),
    "a factor added with a record that another address is written to about": (
        RECORD % ("factor_added", "", "{{i@example.com}}") + ";" + FACTOR,
        REFUSED,
    ),
    "a factor added with a record of something else": (
        RECORD % ("token_made", "", "{{{email}}}") + ";" + FACTOR,
        NAMED,
    ),
    "a factor removed": ("DELETE FROM mfa_authenticator WHERE type = 'totp'", NAMED),
    "used codes made good again": (
        """UPDATE mfa_authenticator SET data = jsonb_set(data, '{{used_mask}}', '0')
        WHERE type = 'recovery_codes'""",
        REFUSED,
    ),
    "other codes put in their place": (
        """UPDATE mfa_authenticator SET data = jsonb_set(data, '{{seed}}', '"mine"')
        WHERE type = 'recovery_codes'""",
        REFUSED,
    ),
    "a verified address added": (
        """INSERT INTO account_emailaddress (user_id, email, verified, "primary")
        VALUES ({owner}, 'i@example.com', true, false)""",
        NAMED,
    ),
    "an address added that is to be verified by a link": (
        """INSERT INTO account_emailaddress (user_id, email, verified, "primary")
        VALUES ({owner}, 'i@example.com', false, false)""",
        NAMED,
    ),
    "a first address that is not the account's": (
        """INSERT INTO account_emailaddress (user_id, email, verified, "primary")
        VALUES ({plain}, 'i@example.com', true, true)""",
        NAMED,
    ),
    "an address verified without its link": (
        "UPDATE account_emailaddress SET verified = true WHERE NOT verified",
        NAMED,
    ),
    "an address no longer verified": (
        "UPDATE account_emailaddress SET verified = false WHERE user_id = {owner}",
        REFUSED,
    ),
    "an address rewritten": (
        """UPDATE account_emailaddress SET email = 'i@example.com'
        WHERE user_id = {owner} AND verified""",
        REFUSED,
    ),
    "an address given to another account": (
        "UPDATE account_emailaddress SET user_id = {plain} WHERE NOT verified",
        REFUSED,
    ),
    "an address removed": (REMOVED, NAMED),
    "an address removed, with a record that it is not written to about": (
        REMOVED + ";" + RECORD % ("email_removed", "{email}", "{{}}"),
        REFUSED,
    ),
    "another address to which a new password is sent": (
        "UPDATE players_user SET email = 'i@example.com' WHERE id = {owner}",
        NAMED,
    ),
    "another password": (
        "UPDATE players_user SET password = 'pbkdf2_sha256$1$a$b' WHERE id = {owner}",
        NAMED,
    ),
    "a password set while the player is a guest": (
        "UPDATE players_user SET is_guest = true WHERE id = {owner}",
        REFUSED,
    ),
    "a password set while the account is blocked": (
        """UPDATE players_user SET is_active = false, password = 'x' WHERE id = {owner};
        UPDATE players_user SET is_active = true WHERE id = {owner}""",
        "rights_changed",
    ),
    "a token made": (
        """INSERT INTO players_playertoken (player_id, name, scopes, session_key, created_at,
            expires_at)
        SELECT player_id, name, scopes, 'mine', created_at, expires_at FROM players_playertoken""",
        NAMED,
    ),
    "a token of a reader that plays": (
        "UPDATE players_playertoken SET scopes = '{{play}}'",
        REFUSED,
    ),
    "a bank account registered": (
        """INSERT INTO wallet_registeredpayee (public_id, player_id, encrypted_payee, bank,
            account_end, payee_hash, registered_at, usable_from)
        SELECT gen_random_uuid(), player_id, encrypted_payee, bank, '0000', repeat('0', 64),
            now(), now() + interval '1 day' FROM wallet_registeredpayee""",
        NAMED,
    ),
    "a bank account removed": ("UPDATE wallet_registeredpayee SET removed_at = now()", NAMED),
    "the hash of a number that an exclusion is found by": (
        "UPDATE players_phonenumber SET number_hash = repeat('0', 64)",
        REFUSED,
    ),
    "another number in its place": (
        "UPDATE players_phonenumber SET encrypted_content = '\\x00'",
        REFUSED,
    ),
    "the hash of a tax number": (
        "UPDATE players_taxnumber SET number_hash = repeat('0', 64)",
        REFUSED,
    ),
}


@pytest.fixture
def people():
    """Return the keys of an account with one of everything, and of one without an address."""
    owner, plain = admit_to_cash(make_player()), make_player()
    give_tax_number(player_id=owner.pk, number="ABCPE1234F")
    give_number(player_id=owner.pk, number="+919876512345")
    payee_for(owner)
    create_token(player=owner, name="A program", scopes=["read"])
    with transaction.atomic():
        EmailAddress.objects.create(user=owner, email="second@example.com")
        subject = {"subject": "second@example.com"}
        record_change(player=owner, kind=AccountChange.Kind.EMAIL_ADDED, **subject)
    with transaction.atomic():
        Authenticator.objects.create(user=owner, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"})
        codes = {"seed": "theirs", "used_mask": 3}
        Authenticator.objects.create(user=owner, type="recovery_codes", data=codes)
        record_change(player=owner, kind=AccountChange.Kind.FACTOR_ADDED)
    return {"owner": owner.pk, "plain": plain.pk, "email": owner.email}


def outcome_of(sql):
    """Return which checks name what statements wrote, or that they were refused."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in sql.split(";"):
                cursor.execute(statement)
                assert cursor.rowcount >= 1, statement
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except DatabaseError:
        return {REFUSED}
    return {finding.check for finding in row_findings()}


@pytest.mark.parametrize("kind", KINDS)
def test_forged_account_rows_are_refused_or_reported(people, kind):
    outcomes = {}
    with app_login(kind) as login, connected_as(login):
        for name, (sql, _) in FORGED.items():
            with transaction.atomic():
                outcomes[name] = outcome_of(sql.format(**people))
                transaction.set_rollback(True)

    missed = {
        n: found for n, found in outcomes.items() if not found & protecting(FORGED[n][1], kind)
    }
    assert missed == {}
    assert len(outcomes) >= 27


def test_audit_of_an_account_with_every_kind_of_row_is_clean(people):
    assert audit().findings == ()


def test_change_record_applies_only_to_its_account_and_address(people):
    other = make_player()
    added = """
        INSERT INTO account_emailaddress (user_id, email, verified, "primary")
        VALUES ({owner}, 'i@example.com', false, false)"""

    def found(player, subject):
        with transaction.atomic():
            kind = AccountChange.Kind.EMAIL_ADDED
            record_change(player=User.objects.get(pk=player), kind=kind, subject=subject)
            outcome = outcome_of(added.format(**people))
            transaction.set_rollback(True)
        return outcome

    assert found(people["owner"], "i@example.com") == set()
    assert found(people["owner"], "you@example.com") == {NAMED}
    assert found(other.pk, "i@example.com") == {NAMED}


def test_a_record_of_an_earlier_transaction_does_not_count(people):
    record_change(player=User.objects.get(pk=people["owner"]), kind=AccountChange.Kind.FACTOR_ADDED)

    with transaction.atomic():
        assert outcome_of(FACTOR.format(**people)) == {NAMED}
        transaction.set_rollback(True)


def test_a_stronger_hash_of_the_same_password_is_recorded_and_written_about(people, settings):
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
        "django.contrib.auth.hashers.MD5PasswordHasher",
    ]
    owner = User.objects.get(pk=people["owner"])
    before = database_now() - timedelta(minutes=1)

    with transaction.atomic():
        owner.password = MD5PasswordHasher().encode("secret", "salt")
        owner.save(update_fields=["password"])
        record_change(player=owner, kind=AccountChange.Kind.PASSWORD_SET)
    assert owner.check_password("secret")

    owner.refresh_from_db()
    change = AccountChange.objects.of_player(owner).since(before).first()
    assert owner.password.startswith("pbkdf2_sha256$")
    assert (change.kind, change.unsent) == ("password_stored", [owner.email])
    assert row_findings() == ()


def test_audit_reports_rewritten_secrets_only_outside_a_key_rotation(people, settings):
    settings.IDENTITY_KEYS = [Fernet.generate_key().decode(), *settings.IDENTITY_KEYS]
    settings.PAYEE_KEYS = [Fernet.generate_key().decode(), *settings.PAYEE_KEYS]
    tables = ("players_phonenumber", "players_taxnumber")
    before = [row.number_hash for row in (PhoneNumber.objects.get(), TaxNumber.objects.get())]

    with pytest.raises(CommandError):
        call_command("rotate_identity_keys", stdout=StringIO())
    with as_owner():
        call_command("rotate_identity_keys", stdout=StringIO())
        call_command("rotate_payee_keys", stdout=StringIO())

    after = [row.number_hash for row in (PhoneNumber.objects.get(), TaxNumber.objects.get())]
    assert not {*before} & {*after}
    assert row_findings() == ()
    with as_owner(), transaction.atomic():
        with connection.cursor() as cursor:
            for table in tables:
                cursor.execute(f"UPDATE {table} SET number_hash = repeat('0', 64)")
        named = {(found.check, found.subject.split()[0]) for found in row_findings()}
        transaction.set_rollback(True)
    assert named == {("rewritten_outside_a_rotation", table) for table in tables}


def test_a_number_given_during_a_rotation_is_found_with_those_given_before(people, settings):
    settings.IDENTITY_KEYS = [Fernet.generate_key().decode(), *settings.IDENTITY_KEYS]
    [known] = PhoneNumber.objects.all()

    again = give_number(player_id=people["plain"], number="+919876512345")

    assert again.number_hash == known.number_hash
    with as_owner():
        call_command("rotate_identity_keys", stdout=StringIO())
    [shared] = {*PhoneNumber.objects.values_list("number_hash", flat=True)}
    assert shared != known.number_hash
