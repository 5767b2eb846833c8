-- The application's role: a demo, the tests and a site's only login act as `rummy_app`, the owner migrates. In
-- production each kind of process has a login in one group below it, which has only that kind's rights
-- (rights.sql): `rummy_app` is a member of all groups, so that who acts as it may do what any of them may.
-- Production may create the roles beforehand, with logins of their own; then this only grants.
DO $$
DECLARE
    made text;
    groups CONSTANT text[] := '{rummy_app_web,rummy_app_settle,rummy_app_intake}';
BEGIN
    FOREACH made IN ARRAY 'rummy_app'::text || groups LOOP
        BEGIN
            IF to_regrole(made) IS NULL THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', made);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- Another database of the cluster is being migrated at the same moment.
        END;
    END LOOP;
    FOREACH made IN ARRAY groups LOOP
        BEGIN
            IF NOT pg_has_role('rummy_app', made, 'MEMBER') THEN
                EXECUTE format('GRANT %I TO rummy_app', made);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END LOOP;
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
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM rummy_app;
