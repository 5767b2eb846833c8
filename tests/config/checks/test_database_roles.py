"""The application's login cannot become the owner's; a deployment where it can is refused."""

import psycopg
import pytest
from django.core.checks import run_checks
from django.db import ProgrammingError, connection

from tests.builders.processes.logins import LIMITS, as_owner, connected_as, web_login, where
from tests.builders.sql import run
from wallet.audit.audit import schema_findings
from wallet.audit.schema_record import record_schema

pytestmark = pytest.mark.django_db(transaction=True)
OWNER = "rummy_owner"


def refusals():
    found = run_checks(tags=["roles"], include_deployment_checks=True)
    # Owners cannot revoke large objects, so every login of the tests' server may create them.
    return [message.id for message in found if message.id != "config.W011"]


def record():
    """Record the schema with its logins, as `migrate` does."""
    with as_owner():
        record_schema(using=connection.alias)


@pytest.fixture
def owners_name():
    return connection.settings_dict["USER"]


def test_a_login_of_the_application_s_own_passes():
    with web_login() as login, connected_as(login):
        assert refusals() == []


def test_one_login_for_both_is_refused_though_it_takes_the_role(owners_name):
    with connected_as(owners_name, role="rummy_app", **LIMITS):
        assert run("SELECT current_user") == [("rummy_app",)]
        assert refusals() == ["config.E011"]
        # Why: nothing keeps the application from giving the role back.
        run("SELECT set_config('role', 'none', false)")
        assert run("SELECT current_user") == [(owners_name,)]


def test_login_that_is_a_member_of_a_tables_owner_is_refused(owners_name):
    with psycopg.connect(**where(), autocommit=True) as maker:
        maker.execute(f"CREATE ROLE rummy_test_other ROLE {owners_name}")
        maker.execute("CREATE TABLE others_table ()")
        maker.execute("GRANT CREATE ON SCHEMA public TO rummy_test_other")
        maker.execute("ALTER TABLE others_table OWNER TO rummy_test_other")
        try:
            with (
                web_login(member_of="rummy_app, rummy_test_other") as login,
                connected_as(login),
            ):
                assert refusals() == ["config.E011"]
        finally:
            maker.execute("DROP OWNED BY rummy_test_other")
            maker.execute("DROP ROLE rummy_test_other")


def test_a_login_that_may_create_roles_is_refused(owners_name):
    with web_login() as login, psycopg.connect(**where(), autocommit=True) as maker:
        maker.execute(f"ALTER ROLE {login} CREATEROLE")
        with connected_as(login):
            assert refusals() == ["config.E011"]


def test_a_login_that_may_make_temporary_tables_is_refused():
    with web_login() as login, psycopg.connect(**where(), autocommit=True) as maker:
        name = connection.ops.quote_name(connection.settings_dict["NAME"])
        maker.execute(f"GRANT TEMPORARY ON DATABASE {name} TO {login}")
        try:
            with connected_as(login):
                assert refusals() == ["config.E012"]
        finally:
            maker.execute(f"REVOKE TEMPORARY ON DATABASE {name} FROM {login}")


def test_a_login_without_limits_is_warned_of():
    with web_login(limits={"lock_timeout": "15s"}) as login, connected_as(login):
        assert refusals() == ["config.W010"]


@pytest.mark.parametrize(
    "sql",
    [
        "SET statement_timeout = 0",
        "SET search_path = other, public",
        "RESET ALL",
        "IN DATABASE {database} SET lock_timeout = '1d'",
    ],
)
def test_a_login_that_alters_its_own_settings_is_named(sql):
    """PostgreSQL lets every login do so; what it set is found by the audit and by the check."""
    database = psycopg.sql.Identifier(connection.settings_dict["NAME"]).as_string()
    with web_login() as login:
        record()
        with connected_as(login):
            assert refusals() == [] == [*schema_findings()]

            with psycopg.connect(**where(user=login), autocommit=True) as intruder:
                intruder.execute(f"ALTER ROLE {login} {sql.format(database=database)}")

            [named] = schema_findings()
            assert (named.check, named.detail) == ("schema_altered", "is not as migrated")
            assert named.subject.startswith(f"login settings of {login} (")
            assert "config.W018" in refusals()


def test_a_login_that_takes_over_and_one_that_is_gone_are_no_difference():
    with web_login():
        record()
        assert schema_findings() == ()
    assert schema_findings() == ()
    with web_login(limits={}):
        assert schema_findings() == ()


@pytest.mark.parametrize(
    "sql",
    ["CREATEROLE", "CREATEDB", "BYPASSRLS", "CONNECTION LIMIT 1"],
)
def test_a_login_alters_nothing_else_of_itself(sql):
    with (
        web_login() as login,
        psycopg.connect(**where(user=login), autocommit=True) as intruder,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        intruder.execute(f"ALTER ROLE {login} {sql}")


def test_a_login_whose_sessions_the_owner_may_not_end_is_warned_of():
    with web_login() as login, psycopg.connect(**where(), autocommit=True) as maker:
        maker.execute(f"REVOKE {login} FROM CURRENT_USER")
        with connected_as(login):
            assert refusals() == ["config.W013"]


def test_a_login_that_may_make_large_objects_is_warned_of():
    with web_login() as login, connected_as(login):
        found = run_checks(tags=["roles"], include_deployment_checks=True)

    assert [message.id for message in found] == ["config.W011"]


def test_unreachable_database_fails_the_deploy_check():
    with connected_as("nobody_of_that_name"):
        assert refusals() == ["config.E010"]


@pytest.mark.parametrize(
    "sql",
    [
        f"SET ROLE {OWNER}",
        f"SELECT set_config('role', '{OWNER}', false)",
        f"SET SESSION AUTHORIZATION {OWNER}",
        "RESET ROLE; UPDATE wallet_account SET balance_minor = 1",
        "SET ROLE none; UPDATE wallet_account SET balance_minor = 1",
        f"GRANT {OWNER} TO rummy_app",
        "ALTER TABLE wallet_entry DISABLE TRIGGER ALL",
        "CREATE TEMP TABLE wallet_entry (id int)",
    ],
)
def test_the_application_s_login_cannot_become_the_owner(owners_name, sql):
    with (
        web_login() as login,
        connected_as(login),
        pytest.raises(ProgrammingError, match=r"permission denied|must be owner"),
    ):
        run(sql.replace(OWNER, owners_name))
