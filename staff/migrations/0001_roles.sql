-- core.db.functions
-- What every function of the schema keeps to, so that nobody who calls one can lend it other names.

-- A function reads names in the system's schema first and in temporary ones last. Without this, a
-- temporary view named like a table would be read instead of it, with the rights of the schema's owner
-- where the function runs in one of theirs. A body that PostgreSQL has parsed already (RETURN, BEGIN
-- ATOMIC) holds no names any more.
DO $$
DECLARE
    routine regprocedure;
BEGIN
    FOR routine IN
        SELECT p.oid FROM pg_proc AS p
        WHERE p.pronamespace = 'public'::regnamespace AND p.prosqlbody IS NULL
            AND NOT EXISTS (
                SELECT FROM pg_depend
                WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
    LOOP
        EXECUTE format(
            'ALTER FUNCTION %s SET search_path = pg_catalog, public, pg_temp', routine);
    END LOOP;
END
$$;

-- A function may be called by those it is granted to, this day's functions and later ones.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- core.db.database
-- What is said of the database as a whole. No backup holds it and no copy of the database has it, so it
-- is said again after both.
DO $$
DECLARE
    opened regprocedure;
BEGIN
    -- Nothing here needs temporary tables, and a name in a temporary schema hides the real one.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM rummy_app', current_database());
    -- Large objects lie outside all tables, rights and audits; a session may hold advisory locks until the
    -- server has none left for anybody, and end all others of its login. Their functions are a superuser's.
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        FOR opened IN
            SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
                AND (proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_cancel_backend', 'pg_terminate_backend')
                OR proname ~ '^pg_(try_)?advisory_')
        LOOP
            EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', opened);
        END LOOP;
        -- Acts of a player and their breaks wait for each other by these two, which end with the transaction.
        GRANT EXECUTE ON FUNCTION pg_advisory_xact_lock(integer, integer),
            pg_advisory_xact_lock_shared(integer, integer)
            TO rummy_app, rummy_app_web, rummy_app_settle;
    END IF;
END
$$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
