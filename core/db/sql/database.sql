-- Rights on the database as a whole. Backups and copies of the database lack them, so they are granted again
-- after every migration and restore.
DO $$
DECLARE
    opened regprocedure;
BEGIN
    -- The project needs no temporary tables, and a temporary table could hide a real one of the same name.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM rummy_app', current_database());
    -- Large objects are not covered by any table, right or audit; a session could take all advisory locks of the
    -- server, and end all other sessions of its login. Only a superuser may grant these functions.
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        FOR opened IN
            SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
                AND (proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_cancel_backend', 'pg_terminate_backend')
                OR proname ~ '^pg_(try_)?advisory_')
        LOOP
            EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', opened);
        END LOOP;
        -- These two locks, which end with the transaction, serialize a player's actions and breaks.
        GRANT EXECUTE ON FUNCTION pg_advisory_xact_lock(integer, integer),
            pg_advisory_xact_lock_shared(integer, integer)
            TO rummy_app, rummy_app_web, rummy_app_settle;
    END IF;
END
$$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
