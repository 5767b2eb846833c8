"""Tables whose rows cannot be deleted or changed, not even by the owner of the schema."""

import pytest
from django.db import Error, connection, transaction

pytestmark = pytest.mark.django_db

APPEND_ONLY = """
    core_auditentry finance_bankexplanation finance_bankline finance_bankstatement
    finance_dailyclose finance_dailytotal
    finance_balancetree finance_balancetreepart finance_gatewayfile finance_gatewayline
    players_region
    tables_dealsecret tables_findingfact tables_move tables_result tables_reveal
    tables_ruleprofile tables_score tables_voidedprize tournaments_outcome tournaments_prize
    tournaments_tournamentsecret wallet_accountfreeze wallet_auditedbalance wallet_auditedtable
    wallet_auditrun wallet_bonusmovement wallet_entry wallet_gstcharge wallet_invoice
    wallet_owedline players_ownlimit wallet_registration wallet_restitutionline wallet_rowversion
    wallet_schemarecord wallet_seal wallet_senthead wallet_stackchange wallet_stakepartchange
    wallet_taxform wallet_taxrate wallet_transfer wallet_withholding
"""
CHANGED_IN_PARTS = """
    players_datarequest players_factorlink players_helprequest players_hold players_placedoubt
    players_providercheck players_regionchange tables_clientseed tables_deal tables_dispute
    tables_finding tables_findingdecision tables_playerreport tournaments_ticketrefund
    wallet_adjustment wallet_bonusgrant wallet_bonusrequest wallet_depositterm wallet_gatewayevent
    wallet_gatewaypayment wallet_gatewaysettlement wallet_owedreport wallet_paymentreturn
    wallet_registeredpayee wallet_restitution wallet_stake wallet_stakepart wallet_taxresidence
    wallet_withdrawal
"""
# The columns of the others change in ways of their own.
NEVER_DELETED = f"""{CHANGED_IN_PARTS}
    core_archivedmonth players_identitycheck players_case wallet_account wallet_bookedday
    wallet_deposit
"""
GUARDED = """
    SELECT tgrelid::regclass::text FROM pg_trigger
    WHERE tgname = %s AND tgenabled = 'O' AND tgparentid = 0
        AND tgfoid = 'core_refuse_rewriting()'::regprocedure
"""
SCRATCH = """
    CREATE TABLE scratch (id int PRIMARY KEY, amount int, status text);
    GRANT ALL ON scratch TO rummy_app;
    INSERT INTO scratch VALUES (1, 5, 'open'), (2, 5, 'closed');
"""


def run(sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        return [name for (name,) in cursor.fetchall()] if cursor.description else []


@pytest.mark.parametrize(
    ("trigger", "tables"),
    [("append_only", APPEND_ONLY), ("keeps_its_terms", CHANGED_IN_PARTS), ("kept", NEVER_DELETED)],
)
def test_every_table_that_is_kept_has_its_guard(trigger, tables):
    assert set(run(GUARDED, trigger)) == set(tables.split())


@pytest.mark.parametrize(
    ("guard", "refused", "permitted"),
    [
        ("core_never_delete('scratch', 'why')", {"DELETE", "TRUNCATE"}, {"amount", "status"}),
        ("core_append_only('scratch', 'why')", {"DELETE", "TRUNCATE", "amount", "status"}, set()),
        (
            "core_change_only('scratch', '{status}', 'why', 'OLD.status = ''closed''')",
            {"DELETE", "TRUNCATE", "amount", "closed"},
            {"status"},
        ),
    ],
)
def test_guarded_table_refuses_changes_also_by_the_owner(owner, guard, refused, permitted):
    changes = {
        "DELETE": "DELETE FROM scratch",
        "TRUNCATE": "TRUNCATE scratch",
        "amount": "UPDATE scratch SET amount = 6 WHERE id = 1",
        "status": "UPDATE scratch SET status = 'closed' WHERE id = 1",
        "closed": "UPDATE scratch SET status = 'open' WHERE id = 2",
    }
    with owner():
        run(SCRATCH)
        run(f"SELECT {guard}")

        for name in refused:
            with pytest.raises(Error, match="on scratch is refused: why"), transaction.atomic():
                run(changes[name])
        for name in permitted:
            run(changes[name])
        may = run(
            """SELECT privilege_type FROM information_schema.column_privileges
            WHERE table_name = 'scratch' AND grantee = 'rummy_app' AND column_name = 'status'"""
        )

    assert ("UPDATE" in may) == ("status" in permitted)
    assert "INSERT" in may
