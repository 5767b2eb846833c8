-- The application's role: web and workers act as `rummy_app`, the owner migrates.
-- Production may create it beforehand with a login of its own; then this only grants.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'rummy_app') THEN
        CREATE ROLE rummy_app NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;  -- Another database of the cluster is being migrated at the same moment.
END
$$;

-- Whoever made the role administers it, and may still not act as it before saying so.
DO $$
BEGIN
    EXECUTE format('GRANT rummy_app TO %I', current_user);
EXCEPTION WHEN insufficient_privilege THEN
    NULL;  -- Somebody else administers it, and has or has not made this login a member.
END
$$;

GRANT USAGE ON SCHEMA public TO rummy_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO rummy_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO rummy_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO rummy_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO rummy_app;
-- What has been migrated is the owner's to say.
REVOKE INSERT, UPDATE, DELETE ON django_migrations, core_schemahash FROM rummy_app;
