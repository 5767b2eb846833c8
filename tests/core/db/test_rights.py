"""Columns and rows that the application's role can never change or delete."""

from contextlib import nullcontext

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import IntegrityError, ProgrammingError, transaction

from tests.builders.books.rights import DELETED
from tests.builders.sql import run
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db

# Whose something is, when and under which key it was made, what was agreed to be paid.
KEPT = """
auth_permission: codename content_type_id
django_content_type: app_label model
auth_group_permissions: group_id permission_id
players_user_groups: user_id group_id
players_user_user_permissions: user_id permission_id
django_admin_log: user_id change_message
players_notification: player_id key amount created_at
players_notificationchoice: player_id
finance_financetoken: digest scopes created_by_id expires_at
wallet_deposit: public_id player_id amount_minor order_reference created_at gst_minor gst_bps
wallet_depositterm: hours
wallet_gatewayevent: amount_minor
wallet_taxrate: bps
wallet_gstcharge: tax_minor
wallet_withholding: tax_minor
wallet_withdrawal: public_id player_id deposit_minor tax_minor payee_id
wallet_registeredpayee: player_id encrypted_payee payee_hash usable_from
wallet_stake: player_id escrow_id transfer_id entry_minor rake_minor
wallet_stakepart: stake_id account_id grant_id amount_minor
wallet_bonusgrant: account_id mode amount_minor expires_at granted_by_id
wallet_bonusmovement: amount_minor
wallet_bonusrequest: player_id amount_minor made_by_id
wallet_adjustment: amount_minor source_id target_id made_by_id
wallet_gatewaysettlement: reference fee_minor made_by_id
wallet_restitution: ref amount_minor made_by_id
wallet_restitutionline: player_id amount_minor
players_ownlimit: player_id amount_minor
wallet_idempotentrequest: player_id key body_sha256 created_at
tables_table: public_id template_id entry_minor rake_bps currency escrow_account_id
tables_table: stop_at_survivors
tables_seat: table_id player_id joined_at
tables_buyin: table_id seat_id stake_id
tables_deal: public_id table_id no
tables_dealsecret: encrypted_seed
tables_dealseat: table_id deal_id seat_id position
tables_move: seat_id text made_at
tables_score: seat_id points total_after
tables_result: seat_id place prize_minor
tables_elimination: table_id seat_id total at
tables_window: public_id table_id kind opened_at
tables_answer: table_id seat_id total amount_minor
tables_ruling: table_id kind by_id
tables_seatorigin: table_id seat_id device_hash
tables_finding: one_id first_day group_key
tables_findingfact: seen z
tables_findingdecision: finding_id outcome made_by_id restitution_id
tables_voidedprize: table_id deal_id
tables_dispute: public_id seat_id evidence opened_at
tables_playerreport: reporter_id reported_id table_id text sent_at
tables_block: player_id blocked_id at
tournaments_tournament: public_id entry_minor prize_bps commitment registers_at late_minutes
tournaments_tournament: round_minutes
tournaments_tournamentsecret: encrypted_seed
tournaments_ticket: public_id player_id account_id value_minor issued_at
tournaments_entry: public_id tournament_id player_id registered_at
tournaments_entryorigin: entry_id device_hash
tournaments_seating: round_id round_table_id entry_id
tournaments_prize: tournament_id place amount_minor
tournaments_staffaction: tournament_id kind asked_by_id
tournaments_season: public_id
tournaments_leagueresult: player_id place points
tournaments_outcome: player_id place next_division prize_minor
finance_export: token_id staff_id report
finance_exportjob: public_id token_id staff_id horizon
finance_gatewayline: reference amount_minor
finance_bankstatement: sha256 closing_minor
finance_bankexplanation: row reason staff_id
finance_bankline: day amount_minor text
"""


def test_application_cannot_change_columns_that_never_change():
    rows = [line.split(": ") for line in KEPT.strip().splitlines()]
    columns = [(table, column) for table, names in rows for column in names.split()]

    assert [each for each in columns if may_update(*each)] == []
    assert len(columns) > 150
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        run("UPDATE wallet_stake SET entry_minor = entry_minor")


@pytest.mark.parametrize("change", ["public_id = gen_random_uuid()", "is_bot = NOT is_bot"])
def test_identity_of_a_player_never_changes(owner, change):
    player = make_player(handle="kept")

    for role in (nullcontext, owner):
        with (
            role(),
            pytest.raises(IntegrityError, match="public_id, is_bot and owner_id never change"),
            transaction.atomic(),
        ):
            run(f"UPDATE players_user SET {change}")

    player.region = "KA"
    player.save()  # The whole row, as forms do.
    assert (player.__class__.objects.get().public_id, player.region) == (player.public_id, "KA")


def test_the_application_deletes_from_no_other_table_and_truncates_none():
    tables = run(
        "SELECT relname, has_table_privilege(oid, 'DELETE'), has_table_privilege(oid, 'TRUNCATE')"
        " FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
    )

    assert {name for name, is_deletable, _ in tables if is_deletable} == DELETED.keys()
    assert not any(may_truncate for *_, may_truncate in tables)
    assert len(tables) > 120
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        run("DELETE FROM players_user")


def test_player_and_public_id_of_a_row_never_change():
    """The rights of a new model must not include these columns (core/db/sql/rights.sql)."""
    columns = [
        (model._meta.db_table, field.column)
        for name in ("wallet", "tables", "tournaments")
        for model in apps.get_app_config(name).get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        # A player who may be unknown at first is named later, by grants of that table's own.
        if field.name in {"player", "public_id"} and not field.null
    ]

    assert len(columns) > 20
    changing = [each for each in columns if may_update(*each)]
    assert changing == [], "name them in core/db/sql/rights.sql"


def test_rows_of_a_table_cannot_be_moved_to_another_table():
    """Its deals, seats and windows are named together with the table."""
    found = run(
        "SELECT DISTINCT c.conrelid::regclass::text,"
        " has_column_privilege(c.conrelid, c.conkey[1], 'UPDATE') FROM pg_constraint AS c"
        " WHERE c.contype = 'f' AND cardinality(c.conkey) > 1"
    )

    assert len(found) > 5
    movable = [table for table, may in found if may]
    assert movable == [], "name them in core/db/sql/rights.sql"


def test_application_cannot_create_permissions():
    for table in ("auth_permission", "django_content_type"):
        assert run(f"SELECT has_table_privilege('{table}', 'INSERT')") == [(False,)]


def may_update(table, column):
    [(may,)] = run(f"SELECT has_column_privilege('{table}', '{column}', 'UPDATE')")
    return may


def test_column_added_by_a_migration_may_be_updated_afterwards(owner):
    with owner(), transaction.atomic():
        run("ALTER TABLE tables_dealseat ADD COLUMN lately int")
        call_command("migrate", verbosity=0)
        run("SET LOCAL ROLE rummy_app")
        may = [may_update("tables_dealseat", column) for column in ("lately", "groups", "seat_id")]
        transaction.set_rollback(True)

    assert may == [True, True, False]
