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
