-- Fix the search path of every function of the schema, so that callers cannot replace the tables it reads.

-- Functions search the system's schema first and temporary schemas last. Otherwise a temporary view with a
-- table's name would be read instead of it, with the owner's rights in SECURITY DEFINER functions. Bodies that
-- PostgreSQL has parsed at creation (RETURN, BEGIN ATOMIC) do not depend on the search path.
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

-- Only roles with a grant may call a function; this applies to present and later functions.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
