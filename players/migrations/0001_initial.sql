-- core.db.roles
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

-- core.db.login_kinds
-- Which kind of process is connected. Groups of logins are the kinds: `rummy_app_web` of the pages, sockets, bots and
-- clocks, `rummy_app_settle` of what posts results, `rummy_app_intake` of what gateways report (core/db/sql/roles.sql).

-- Return whether the session's login is of this kind. `session_user` stays the login where a function runs as its
-- owner and where a session takes a role. A demo's only login, and the owner, are of every kind.
CREATE OR REPLACE FUNCTION core_is_login_of(p_kind text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_has_role(session_user, 'rummy_app_' || p_kind, 'MEMBER')
$$;

-- Refuse a row of another kind of process: a trigger's arguments are the kinds that may write it.
CREATE OR REPLACE FUNCTION core_refuse_other_logins() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    FOR i IN 0 .. TG_NARGS - 1 LOOP
        IF core_is_login_of(TG_ARGV[i]) THEN
            RETURN NEW;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'permission denied: such a row of % is not for the login %', TG_TABLE_NAME, session_user
        USING ERRCODE = 'insufficient_privilege';
END
$$;
REVOKE ALL ON FUNCTION core_is_login_of(text), core_refuse_other_logins() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION core_is_login_of(text) TO rummy_app;
