-- What is said of the database as a whole. No backup holds it and no copy of the database has it, so it
-- is said again after both.
DO $$
BEGIN
    -- Nothing here needs temporary tables, and a name in a temporary schema hides the real one.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM rummy_app', current_database());
END
$$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
