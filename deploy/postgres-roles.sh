#!/bin/sh
# Runs once, when the database is made: separate logins for the schema's owner and for each
# kind of the application's processes.
set -eu
psql -v ON_ERROR_STOP=1 -U postgres -d rummy \
    -v owner_password="$OWNER_PASSWORD" -v web_password="$WEB_PASSWORD" \
    -v settle_password="$SETTLE_PASSWORD" -v intake_password="$INTAKE_PASSWORD" <<'SQL'
CREATE ROLE rummy_app NOLOGIN;
CREATE ROLE rummy_owner LOGIN PASSWORD :'owner_password';
GRANT rummy_app TO rummy_owner;
-- A login for each kind of process, in a group of its own: what one of them writes, the others may not.
SELECT format(statement, kind, password)
FROM (VALUES ('web', :'web_password'), ('settle', :'settle_password'), ('intake', :'intake_password'))
    AS l (kind, password)
CROSS JOIN unnest(ARRAY[
    'CREATE ROLE rummy_app_%1$s NOLOGIN',
    'GRANT rummy_app_%1$s TO rummy_app',
    'CREATE ROLE rummy_%1$s LOGIN PASSWORD %2$L IN ROLE rummy_app_%1$s',
    -- The owner ends sessions of the application that hold others up.
    'GRANT rummy_%1$s TO rummy_owner',
    -- A process that hangs must not stop the others: its transaction ends before they give up waiting.
    'ALTER ROLE rummy_%1$s SET idle_in_transaction_session_timeout = ''10s''',
    'ALTER ROLE rummy_%1$s SET lock_timeout = ''15s''',
    'ALTER ROLE rummy_%1$s SET statement_timeout = ''30s''',
    -- The server notices a client that has gone without a word.
    'ALTER ROLE rummy_%1$s SET tcp_keepalives_idle = 10',
    'ALTER ROLE rummy_%1$s SET tcp_keepalives_interval = 5',
    'ALTER ROLE rummy_%1$s SET tcp_keepalives_count = 4',
    'ALTER ROLE rummy_%1$s SET tcp_user_timeout = ''30s'''
]) WITH ORDINALITY AS s (statement, no)
ORDER BY kind, no
\gexec
ALTER DATABASE rummy OWNER TO rummy_owner;
REVOKE TEMPORARY ON DATABASE rummy FROM PUBLIC;
-- Large objects lie outside all tables, rights and audits; a session may hold advisory locks until the
-- server has none left for anybody, and end all others of its login. The owner may: `migrate` makes a
-- function of the owner's that ends what holds others up.
DO $$
DECLARE
    opened regprocedure;
BEGIN
    FOR opened IN
        SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
            AND (proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_cancel_backend', 'pg_terminate_backend')
                OR proname ~ '^pg_(try_)?advisory_')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', opened);
    END LOOP;
END
$$;
GRANT EXECUTE ON FUNCTION pg_terminate_backend(integer, bigint) TO rummy_owner;
-- Acts of a player and their breaks wait for each other by these two, which end with the transaction.
GRANT EXECUTE ON FUNCTION pg_advisory_xact_lock(integer, integer), pg_advisory_xact_lock_shared(integer, integer)
    TO rummy_app, rummy_app_web, rummy_app_settle;
SQL
