#!/bin/sh
# Runs once, when the database is made: separate logins for the schema's owner and the application.
set -eu
psql -v ON_ERROR_STOP=1 -U postgres -d rummy \
    -v owner_password="$OWNER_PASSWORD" -v app_password="$APP_PASSWORD" <<'SQL'
CREATE ROLE rummy_app NOLOGIN;
CREATE ROLE rummy_owner LOGIN PASSWORD :'owner_password';
GRANT rummy_app TO rummy_owner;
CREATE ROLE rummy_web LOGIN PASSWORD :'app_password' IN ROLE rummy_app;
-- It ends sessions of the application that hold others up.
GRANT rummy_web TO rummy_owner;
-- A process that hangs must not stop the others: its transaction ends before they give up waiting.
ALTER ROLE rummy_web SET idle_in_transaction_session_timeout = '10s';
ALTER ROLE rummy_web SET lock_timeout = '15s';
ALTER ROLE rummy_web SET statement_timeout = '30s';
-- The server notices a client that has gone without a word.
ALTER ROLE rummy_web SET tcp_keepalives_idle = 10;
ALTER ROLE rummy_web SET tcp_keepalives_interval = 5;
ALTER ROLE rummy_web SET tcp_keepalives_count = 4;
ALTER ROLE rummy_web SET tcp_user_timeout = '30s';
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
    TO rummy_app;
SQL
