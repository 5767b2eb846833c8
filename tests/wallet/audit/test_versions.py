"""Every write of a watched row leaves a version; rows written without one are found."""

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction

from tests.builders.books.rights import NOT_WATCHED
from tests.builders.wallet.players import fund, make_escrow, make_player, make_stake
from tests.builders.wallet.tax_office import unguarded
from wallet.audit import freezes
from wallet.audit.audit import audit
from wallet.audit.models import RowVersion
from wallet.ledger.models import Account
from wallet.stakes import stakes

pytestmark = pytest.mark.django_db


def versions(row):
    rows = RowVersion.objects.filter(relation=row._meta.db_table, row_key=str(row.pk))
    return list(rows.order_by("pk"))


def found():
    return {(finding.check, finding.subject): finding.detail for finding in audit().findings}


def test_a_row_leaves_a_version_whenever_it_is_written():
    stake = make_stake()
    [taken] = versions(stake)
    stakes.lose_stake(stake=stake)
    _, lost = versions(stake)

    assert (taken.act, lost.act) == ("insert", "update")
    assert (taken.facts["status"], lost.facts["status"]) == ("live", "lost")
    assert (taken.facts["entry_minor"], taken.facts["closed_at"]) == ("10000", None)
    assert found() == {}


def test_a_posting_leaves_no_version_of_its_accounts_until_one_is_closed():
    escrow, player = make_escrow(), make_player()
    paid = make_stake(escrow=escrow, player=player)
    assert [version.act for version in versions(escrow)] == ["insert"]

    stakes.cancel_game(escrow=escrow, stakes=[paid], key="cancel:1")

    opened, closed = versions(escrow)
    assert (opened.facts["status"], closed.facts["status"]) == ("open", "closed")
    assert "balance_minor" not in opened.facts


def test_a_long_value_is_kept_as_its_hash():
    account, clerk = fund(make_player(), deposit=5)["deposit"], make_player(is_staff=True)

    short, long = (
        freezes.freeze_account(account=account, reason="A court's order", by=clerk),
        freezes.thaw_account(account=account, reason="The court's second order. " * 5, by=clerk),
    )

    assert versions(short)[0].facts["reason"] == "A court's order"
    assert versions(long)[0].facts["reason"].startswith("sha256:")
    assert found() == {}


def test_audit_names_changed_columns_with_their_old_values():
    stake = make_stake()
    with unguarded() as cursor:
        cursor.execute("UPDATE wallet_stake SET rake_minor = 1 WHERE id = %s", [stake.pk])

    assert found()["row_rewritten", f"wallet_stake {stake.pk}"] == "rake_minor is 1, was 1000"

    with unguarded() as cursor:
        cursor.execute("UPDATE wallet_stake SET rake_minor = 1000 WHERE id = %s", [stake.pk])
    assert found() == {}


def test_a_row_without_a_version_and_a_version_without_a_row_are_found():
    account, other = fund(make_player())["deposit"], make_player()
    with unguarded() as cursor:
        cursor.execute("DELETE FROM wallet_account WHERE id = %s", [account.pk])
        cursor.execute(
            """INSERT INTO wallet_account (public_id, kind, player_id, ref, shard, currency,
                balance_minor, floor_minor, version, status, created_at)
            VALUES (gen_random_uuid(), 'ticket', %s, 't', 0, 'INR', 0, 0, 0, 'open', now())""",
            [other.pk],
        )

    slipped_in = Account.objects.get(player=other)
    assert found().keys() == {
        ("row_deleted", f"wallet_account {account.pk}"),
        ("row_unrecorded", f"wallet_account {slipped_in.pk}"),
    }


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT wallet_adopt('wallet_stake')",
        "SELECT wallet_watch('wallet_stake')",
        "SELECT wallet_end_sessions('0', '1 hour', '1 hour')",
        *(
            f"INSERT INTO wallet_{name} SELECT * FROM wallet_{name}"
            for name in ("rowversion", "seal")
        ),
    ],
)
def test_application_adopts_no_rows_ends_no_sessions_and_writes_no_versions_or_seals(statement):
    with (
        pytest.raises(DatabaseError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


def test_every_table_of_money_results_and_persons_is_watched():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'versions_kept'"
        )
        watched = {name for (name,) in cursor.fetchall()}

    models = [
        model
        for app in ("wallet", "players", "tables", "tournaments", "finance")
        for model in apps.get_app_config(app).get_models()
    ]

    unwatched = {model._meta.label_lower for model in models if model._meta.db_table not in watched}
    assert unwatched == NOT_WATCHED.keys()
    assert len(models) > 90
    assert watched > {"core_auditentry", "mfa_authenticator", "account_emailaddress"}


GUARDS_OFF_ALONE = [
    (
        "UPDATE wallet_stake SET rake_minor = 1",
        "ALTER TABLE wallet_stake DISABLE TRIGGER keeps_its_terms",
        "identity_changed",
        "wallet_stake {0.pk}",
    ),
    (
        "UPDATE wallet_taxrate SET bps = 100 WHERE id = (SELECT min(id) FROM wallet_taxrate)",
        "ALTER TABLE wallet_taxrate DISABLE TRIGGER append_only",
        "kept_row_changed",
        "wallet_taxrate",
    ),
    (
        "DELETE FROM wallet_taxrate WHERE id = (SELECT max(id) FROM wallet_taxrate)",
        "ALTER TABLE wallet_taxrate DISABLE TRIGGER append_only",
        "kept_row_changed",
        "wallet_taxrate",
    ),
]


@pytest.mark.parametrize(("sql", "disable", "check", "subject"), GUARDS_OFF_ALONE)
def test_what_may_never_change_is_found_though_its_version_was_kept(
    owner, sql, disable, check, subject
):
    stake = make_stake()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with owner(), connection.cursor() as cursor:
        cursor.execute(disable)
        cursor.execute(sql)
        cursor.execute(disable.replace("DISABLE", "ENABLE"))

    named = [name for kind, name in found() if kind == check]
    assert len(named) == 1
    assert named[0].startswith(subject.format(stake))
