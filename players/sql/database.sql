-- What is said of the database as a whole. No backup holds it and no copy of the database has it, so it
-- is said again after both.
DO $$
BEGIN
    -- Nothing here needs temporary tables, and a name in a temporary schema hides the real one.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM rummy_app', current_database());
    -- Large objects lie outside all tables, rights and audits. Their functions are a superuser's.
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        REVOKE EXECUTE ON FUNCTION lo_creat(int), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;
    END IF;
END
$$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
