-- The application's roles. In demos, tests and sites with a single login the application runs as `rummy_app`, and
-- the owner migrates. In production each kind of process has a login in one of the groups, which has only that
-- kind's rights (rights.sql). `rummy_app` is a member of all groups and so has the rights of all of them.
-- Production may create the roles beforehand, with separate logins; then this file only grants.
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
            NULL;  -- Another database of the cluster is being migrated at the same time.
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

-- The creator of a role administers it, but may act as it only after granting it to itself.
DO $$
BEGIN
    EXECUTE format('GRANT rummy_app TO %I', current_user);
EXCEPTION WHEN insufficient_privilege THEN
    NULL;  -- Another login administers the role.
END
$$;

GRANT USAGE ON SCHEMA public TO rummy_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO rummy_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO rummy_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO rummy_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO rummy_app;
-- Only the owner may write the record of migrations.
REVOKE INSERT, UPDATE, DELETE ON django_migrations, core_schemahash FROM rummy_app;
