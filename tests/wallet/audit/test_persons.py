"""Forged rows about persons, places and factors are refused by the database or reported."""

import pytest
from django.db import DatabaseError, connection, transaction

from tests.builders.books.persons import persons
from tests.builders.processes.logins import (
    KINDS,
    REFUSED,
    app_login,
    as_owner,
    connected_as,
    protecting,
)
from tests.builders.wallet.players import make_player
from tests.builders.wallet.tax_office import undone
from wallet.audit.audit import audit, row_findings
from wallet.audit.models import RowVersion

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

# Single statements of a web process that was taken over, all guards in force, and the check that
# names what was written. `{clerk}` and `{checker}` are members of staff who did not do it.
FORGED = {
    "a region added over the law": (
        """INSERT INTO players_region (country, region, offer, age_min,
            withdrawal_needs_identity, begins_at, reason, added_at)
        VALUES ('IN', 'TN', 'allowed', 18, false, now(), 'Open', now())""",
        REFUSED,
    ),
    "a region added for a request that was not approved": (
        """INSERT INTO players_region (country, region, offer, age_min,
            withdrawal_needs_identity, begins_at, reason, added_at, change_id)
        SELECT country, region, offer, age_min, withdrawal_needs_identity, begins_at, reason,
            now(), id FROM players_regionchange WHERE id = {waiting}""",
        "region_without_an_approval",
    ),
    "a request approved in a colleague's name": (
        """UPDATE players_regionchange SET status = 'approved', checked_by_id = {checker},
            checked_at = now() WHERE id = {waiting}""",
        "decided_without_an_act",
    ),
    "a request made and approved in two names": (
        """INSERT INTO players_regionchange (country, region, offer, age_min,
            withdrawal_needs_identity, begins_at, reason, made_by_id, made_at, status,
            checked_by_id, checked_at)
        VALUES ('IN', 'TN', 'allowed', 18, false, now(), 'Open', {clerk}, now(), 'approved',
            {checker}, now())""",
        "decided_without_an_act",
    ),
    "a region rewritten": ("UPDATE players_region SET offer = 'allowed'", REFUSED),
    "a region deleted": ("DELETE FROM players_region", REFUSED),
    "an identity verified in a colleague's name": (
        """UPDATE players_identitycheck SET state = 'verified', decided_by_id = {clerk},
            decided_at = now(), expires_at = now() + interval '1 year' WHERE id = {submitted}""",
        "decided_without_an_act",
    ),
    "an identity verified in a provider's name": (
        """UPDATE players_identitycheck SET state = 'verified', decided_by_provider = 'sumsub',
            decided_at = now(), expires_at = now() + interval '1 year' WHERE id = {submitted}""",
        "decided_without_an_act",
    ),
    "an identity made and verified at once": (
        """INSERT INTO players_identitycheck (player_id, name, document_kind, state, submitted_at,
            decided_by_id, decided_by_provider, decided_at, ground, expires_at)
        VALUES ({other}, 'A Name', 'passport', 'verified', now(), {clerk}, '', now(), '',
            now() + interval '1 year')""",
        "decided_without_an_act",
    ),
    "a decided identity given to another decider": (
        "UPDATE players_identitycheck SET decided_by_id = {checker} WHERE id = {verified}",
        REFUSED,
    ),
    "a number deleted that an exclusion needs": (
        "DELETE FROM players_phonenumber WHERE id = {replaced}",
        REFUSED,
    ),
    "a present number deleted": ("DELETE FROM players_phonenumber WHERE id = {present}", REFUSED),
    "a number no longer proved": (
        "UPDATE players_phonenumber SET proved_at = NULL WHERE id = {replaced}",
        REFUSED,
    ),
    "a number given to another player": (
        "UPDATE players_phonenumber SET player_id = {other} WHERE id = {replaced}",
        REFUSED,
    ),
    "two players distinguished in a colleague's name": (
        """UPDATE players_phonenumber SET distinguished_at = now(), distinguished_by_id = {clerk}
        WHERE id = {present}""",
        "decided_without_an_act",
    ),
    "a hold lifted in a colleague's name": (
        """UPDATE players_hold SET lifted_by_id = {checker}, lifted_at = now(),
            lift_reason = 'Fine' WHERE id = {standing}""",
        "decided_without_an_act",
    ),
    "a hold set in a colleague's name": (
        """INSERT INTO players_hold (player_id, kind, reason, set_by_id, set_at, lift_reason)
        VALUES ({other}, 'deposit', 'No', {clerk}, now(), '')""",
        "decided_without_an_act",
    ),
    "a hold deleted": ("DELETE FROM players_hold", REFUSED),
    "a break shortened": ("UPDATE players_break SET ends_at = now()", REFUSED),
    "a break deleted": ("DELETE FROM players_break", REFUSED),
    "a tax number removed": ("DELETE FROM players_taxnumber", "changed_without_an_act"),
    "a tax number given to another player": (
        "UPDATE players_taxnumber SET player_id = {other}",
        REFUSED,
    ),
    "a doubt settled in a colleague's name": (
        """UPDATE players_placedoubt SET settled_at = now(), settlement = 'staff',
            settled_by_id = {checker}, reason = 'Seen' WHERE player_id = {unknown}""",
        "decided_without_an_act",
    ),
    "a request about data answered in a colleague's name": (
        """UPDATE players_datarequest SET answered_at = now(), answered_by_id = {checker}
        WHERE player_id = {unknown}""",
        "decided_without_an_act",
    ),
    "a finding dismissed": (
        "UPDATE tables_finding SET status = 'dismissed'",
        "changed_without_an_act",
    ),
    "a decision on a finding approved in a colleague's name": (
        """UPDATE tables_findingdecision SET status = 'approved', checked_by_id = {checker},
            checked_at = now()""",
        "decided_without_an_act",
    ),
    "a finding deleted": ("DELETE FROM tables_finding", REFUSED),
    "a webhook sent elsewhere": (
        "UPDATE finance_webhookendpoint SET url = 'https://other.example.com/'",
        REFUSED,
    ),
    "a webhook made and approved in two names": (
        """INSERT INTO finance_webhookendpoint (url, kinds, secret_no, made_by_id, made_at, status,
            checked_by_id, checked_at)
        SELECT 'https://other.example.com/', kinds, 1, {clerk}, now(), 'approved', {checker}, now()
        FROM finance_webhookendpoint""",
        "decided_without_an_act",
    ),
    "another secret in a factor": (
        """UPDATE mfa_authenticator SET data = '{{"secret": "A"}}'""",
        REFUSED,
    ),
    "a factor given to another account": (
        "UPDATE mfa_authenticator SET user_id = {other}",
        REFUSED,
    ),
    "a link for a factor made in a colleague's name": (
        """INSERT INTO players_factorlink (player_id, sent_to, made_by_id, made_at, expires_at)
        VALUES ({clerk}, 'i@example.com', {checker}, now(), now() + interval '1 hour')""",
        "decided_without_an_act",
    ),
    "a change of an account forgotten": ("DELETE FROM players_accountchange", REFUSED),
    "a change of an account made older": (
        "UPDATE players_accountchange SET at = at - interval '9 days'",
        REFUSED,
    ),
    "a birth date given again": (
        "UPDATE players_user SET birth_date = '1960-01-01' WHERE id = {other}",
        "rights_changed",
    ),
    "a birth date taken back": (
        "UPDATE players_user SET birth_date = NULL WHERE id = {other}",
        "rights_changed",
    ),
    "a player moved to where cash is played for": (
        "UPDATE players_user SET region = 'GA' WHERE id = {other}",
        "rights_changed",
    ),
    "a blocked account opened again": (
        "UPDATE players_user SET is_active = true WHERE id = {blocked}",
        "rights_changed",
    ),
    "a case given to a colleague": (
        "UPDATE players_case SET owner_id = {checker} WHERE kind = 'players.hold'",
        "changed_without_an_act",
    ),
    "new deals stopped in a colleague's name": (
        "INSERT INTO tables_drain (reason, by_id, at) VALUES ('No', {clerk}, now())",
        "decided_without_an_act",
    ),
}


@pytest.fixture
def people():
    clerk, checker = (make_player(is_staff=True, is_superuser=True) for _ in range(2))
    rows = vars(persons(clerk, checker))
    return {"clerk": clerk.pk, "checker": checker.pk} | {name: row.pk for name, row in rows.items()}


def checks():
    return {finding.check for finding in row_findings()}


@pytest.mark.parametrize("actor", ["{clerk}", "{checker}"])
def test_log_entry_counts_only_for_its_own_person(people, actor):
    """The clerk's action is in the log; the row names the clerk, or a colleague."""
    entry = """
        INSERT INTO core_auditentry
            (by_id, service, at, act, kind, row, name, reason, before, after)
        VALUES ({clerk}, '', now(), 'verified', 'players.identitycheck', '{submitted}', 'x',
            '', '', '')
    """
    sql, _ = FORGED["an identity verified in a colleague's name"]
    with connection.cursor() as cursor:
        cursor.execute(entry.format(**people))
        cursor.execute(sql.replace("{clerk}", actor).format(**people))

    assert checks() == (set() if actor == "{clerk}" else {"decided_without_an_act"})


def test_versions_hold_neither_secrets_nor_addresses(people):
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


def test_the_owner_adds_a_region_without_a_request(people):
    """As a migration of a later release does."""
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(FORGED["a region added over the law"][0])

    assert audit().findings == ()


def outcomes_of(people, forged):
    """Return what comes of each statement: refused, or the checks that name what it wrote."""
    outcomes = {}
    for name, (sql, _) in forged.items():
        with undone():
            try:
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute(sql.format(**people))
                    assert cursor.rowcount >= 1, name
            except DatabaseError:
                outcomes[name] = {REFUSED}
            else:
                outcomes[name] = checks()
    return outcomes


def test_forged_row_of_a_person_is_refused_or_named(people):
    assert audit().findings == ()

    outcomes = outcomes_of(people, FORGED)

    assert {name: found for name, found in outcomes.items() if FORGED[name][1] not in found} == {}
    assert len(outcomes) >= 40


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", KINDS)
def test_forgery_by_a_login_of_each_kind_is_refused_or_named(people, kind):
    """It has no other role to go back to, and all that was decided is committed by then."""
    ended = "UPDATE finance_webhookendpoint SET ended_at = now()"
    forged = FORGED | {"a webhook ended": (ended, "changed_without_an_act")}

    with app_login(kind) as login, connected_as(login):
        outcomes = outcomes_of(people, forged)

    missed = {n: it for n, it in outcomes.items() if not it & protecting(forged[n][1], kind)}
    assert missed == {}
    assert [*outcomes.values()].count({REFUSED}) >= 15
