"""Rows forged past the services are refused by the database, or the audit reports them."""

from datetime import timedelta
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from moneyed import Money

from core.clock import database_now
from finance.tokens.actions import create_token as create_finance_token
from players.accounts.models import User
from players.cases.models import Case
from players.identity.models import TaxNumber
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import give_number
from players.identity.tax_numbers import give_tax_number
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange
from players.sign_in.tokens.actions import create_token
from tests.builders.books import statements
from tests.builders.books.persons import persons
from tests.builders.people.regions import region_open
from tests.builders.processes.logins import (
    KINDS,
    REFUSED,
    app_login,
    as_owner,
    connected_as,
    protecting,
)
from tests.builders.tables.offers import make_template
from tests.builders.tournaments.tournaments import make_tournament
from tests.builders.wallet.adjustments import make_request, make_staff
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, payee_for, step
from tests.builders.wallet.players import admit_to_cash, fund, make_player
from tests.builders.wallet.tax_office import undone
from tournaments.rounds import staff_actions
from wallet.audit import freezes
from wallet.audit.audit import audit, row_findings
from wallet.audit.models import RowVersion, WithdrawalFreeze
from wallet.bonuses.models import BonusMode
from wallet.bonuses.requests import request_bonus
from wallet.deposits.models import StaffTask
from wallet.deposits.terms import approve_term, request_term

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]
FORGED = statements.read("forged_rows.txt")


def persons_of_every_kind():
    clerk, checker = (make_player(is_staff=True, is_superuser=True) for _ in range(2))
    rows = vars(persons(clerk, checker))
    return {"clerk": clerk.pk, "checker": checker.pk} | {name: row.pk for name, row in rows.items()}


def an_account_with_every_kind_of_row():
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


def acts_of_staff():
    """Leave terms, a template, a token and a freeze as staff set them."""
    maker, checker = (make_player(is_staff=True, is_superuser=True) for _ in range(2))
    asked, decided = (
        request_term(hours=hours, begins_at=timezone.now(), reason="Test", by=maker)
        for hours in (1, 2)
    )
    approve_term(term_id=decided.pk, by=checker)
    make_template()
    create_finance_token(name="Tally", scopes=["journal"], created_by=maker)
    create_finance_token(name="Command line", scopes=["journal"], created_by=None)
    freeze = WithdrawalFreeze.objects.create(reason="The audit found 1 differences")
    freezes.clear_freeze(freeze=freeze, by=maker)
    freezes.lift_freeze(freeze=freeze, by=checker)
    WithdrawalFreeze.objects.create(reason="The audit found 2 differences")
    return {"clerk": make_staff().pk, "checker": make_staff().pk, "term": asked.pk}


def decisions_of_staff():
    """Return two members of staff; requests and acts of others wait for their decision."""
    others = make_staff(), make_staff()
    make_request(by=others[0])
    with region_open("IN-KA"):
        request_bonus(
            player=admit_to_cash(make_player()),
            amount=Money(10, "INR"),
            mode=BonusMode.SPEND,
            term_days=30,
            reason="A present",
            by=others[0],
        )
    request_term(hours=24, begins_at=timezone.now(), reason="A law", by=others[0])
    make_withdrawal()
    step("approve", make_withdrawal(), by=others[1])
    make_sent()
    held = make_withdrawal()
    StaffTask.objects.create(
        kind=StaffTask.Kind.LATE_DECISION, transfer=held.hold, details="A withdrawal waits"
    )
    freezes.freeze_account(
        account=fund(make_player(), deposit=10_00)["deposit"], reason="Asked", by=others[0]
    )
    delayed = make_tournament()
    staff_actions.delay(
        tournament_id=delayed.pk,
        starts_at=database_now() + timedelta(days=3),
        by=others[1],
        reason="Rain",
    )
    Case.objects.create(kind="players.hold", row=1, name="A hold", player=make_player())
    return {"clerk": make_staff().pk, "checker": make_staff().pk}


SCENES = {
    "persons": persons_of_every_kind,
    "decisions": decisions_of_staff,
    "accounts": an_account_with_every_kind_of_row,
    "acts": acts_of_staff,
}


def outcome_of(wanted):
    """Return whether the statements are refused, or the checks that name what they wrote."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in wanted:
                cursor.execute(statement)
                assert cursor.rowcount >= 1, statement
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except DatabaseError:
        return {REFUSED}
    return {finding.check for finding in row_findings()}


def outcomes_of(forged, keys):
    found = {}
    for one in forged:
        with undone():
            found[one.name] = outcome_of(one.statements(keys))
    return found


@pytest.mark.parametrize("scene", ["persons", "decisions"])
def test_forged_row_is_refused_or_reported(scene):
    keys = SCENES[scene]()
    assert audit().findings == ()

    found = outcomes_of(FORGED[scene], keys)

    missed = [one.name for one in FORGED[scene] if one.outcomes[0] not in found[one.name]]
    assert missed == []
    assert len(found) >= {"persons": 40, "decisions": 15}[scene]


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("scene", "kind"),
    [
        *(("persons", kind) for kind in KINDS),
        *(("accounts", kind) for kind in KINDS),
        ("acts", "web"),
    ],
)
def test_row_forged_by_a_login_is_refused_or_reported(scene, kind):
    """It has no other role to go back to, and all that was decided is committed by then."""
    keys = SCENES[scene]()
    forged = [*FORGED[scene], *FORGED.get(f"{scene}_by_login", [])]
    assert row_findings() == ()

    with app_login(kind) as login, connected_as(login):
        found = outcomes_of(forged, keys)

    missed = {
        one.name: found[one.name]
        for one in forged
        if not found[one.name] & protecting(one.outcomes[0], kind)
    }
    assert missed == {}
    assert len(found) == len(forged) >= {"persons": 40, "accounts": 27, "acts": 7}[scene]


@pytest.mark.parametrize("actor", ["clerk", "checker"])
def test_log_entry_counts_only_for_its_own_person(actor):
    """The clerk's action is in the log; the row names the clerk, or a colleague."""
    keys = persons_of_every_kind()
    entry = """
        INSERT INTO core_auditentry
            (by_id, service, at, act, kind, row, name, reason, before, after)
        VALUES ({clerk}, '', now(), 'verified', 'players.identitycheck', '{submitted}', 'x',
            '', '', '')
    """
    [verified] = (
        one for one in FORGED["persons"] if one.name == "an identity verified in a colleague's name"
    )
    with connection.cursor() as cursor:
        cursor.execute(statements.filled(entry, keys))

    found = outcome_of(verified.statements(keys | {"clerk": keys[actor]}))

    assert found == (set() if actor == "clerk" else {"decided_without_an_act"})


def test_versions_hold_neither_secrets_nor_addresses():
    persons_of_every_kind()
    hashed = {
        "mfa_authenticator": "data",
        "account_emailaddress": "email",
        "players_factorlink": "sent_to",
        "players_phonenumber": "number_hash",
    }
    for table, column in hashed.items():
        versions = RowVersion.objects.filter(relation=table).values_list("facts", flat=True)
        texts = [str(value) for facts in versions for value in facts.values()]

        assert {facts[column][:7] for facts in versions} == {"sha256:"}
        assert not [text for text in texts if "secret" in text or "@" in text]


def test_owner_adds_a_region_without_a_request():
    """As a migration of a later release does."""
    [added] = (one for one in FORGED["persons"] if one.name == "a region added over the law")
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(added.text)

    assert audit().findings == ()


committed = pytest.mark.django_db(transaction=True)


NAMED = "changed_without_a_record"
FACTOR = """
    INSERT INTO mfa_authenticator (user_id, type, data, created_at)
    VALUES ({owner}, 'webauthn', '{{"secret": "A"}}', now())
"""


@pytest.fixture
def people():
    return an_account_with_every_kind_of_row()


@committed
def test_change_record_applies_only_to_its_account_and_address(people):
    other = make_player()
    added = """
        INSERT INTO account_emailaddress (user_id, email, verified, "primary")
        VALUES ({owner}, 'i@example.com', false, false)"""

    def found(player, subject):
        with transaction.atomic():
            kind = AccountChange.Kind.EMAIL_ADDED
            record_change(player=User.objects.get(pk=player), kind=kind, subject=subject)
            outcome = outcome_of([added.format(**people)])
            transaction.set_rollback(True)
        return outcome

    assert found(people["owner"], "i@example.com") == set()
    assert found(people["owner"], "you@example.com") == {NAMED}
    assert found(other.pk, "i@example.com") == {NAMED}


@committed
def test_a_record_of_an_earlier_transaction_does_not_count(people):
    record_change(player=User.objects.get(pk=people["owner"]), kind=AccountChange.Kind.FACTOR_ADDED)

    with transaction.atomic():
        assert outcome_of([FACTOR.format(**people)]) == {NAMED}
        transaction.set_rollback(True)


@committed
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


@committed
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


@committed
def test_a_number_given_during_a_rotation_is_found_with_those_given_before(people, settings):
    settings.IDENTITY_KEYS = [Fernet.generate_key().decode(), *settings.IDENTITY_KEYS]
    [known] = PhoneNumber.objects.all()

    again = give_number(player_id=people["plain"], number="+919876512345")

    assert again.number_hash == known.number_hash
    with as_owner():
        call_command("rotate_identity_keys", stdout=StringIO())
    [shared] = {*PhoneNumber.objects.values_list("number_hash", flat=True)}
    assert shared != known.number_hash
