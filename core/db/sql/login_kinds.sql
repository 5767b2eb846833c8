-- The kind of process that is connected, by the login's group: `rummy_app_web` for pages, sockets, bots and timers,
-- `rummy_app_settle` for posting results, `rummy_app_intake` for receiving gateway events (core/db/sql/roles.sql).

-- Return whether the session's login is of this kind. `session_user` is the login also in SECURITY DEFINER functions
-- and after SET ROLE. A demo's only login and the owner are of every kind. With a parsed body and no settings the
-- expression is inlined where it is called, so that a posting executes no further statement for it.
CREATE OR REPLACE FUNCTION core_is_login_of(p_kind text) RETURNS boolean
LANGUAGE sql STABLE
RETURN pg_has_role(session_user, 'rummy_app_' || p_kind, 'MEMBER');

-- Refuse a row written by another kind of process; the trigger's arguments are the permitted kinds.
CREATE OR REPLACE FUNCTION core_refuse_other_logins() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    FOR i IN 0 .. TG_NARGS - 1 LOOP
        IF core_is_login_of(TG_ARGV[i]) THEN
            RETURN NEW;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'permission denied: the login % may not write such a row of %', session_user, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END
$$;
GRANT EXECUTE ON FUNCTION core_is_login_of(text) TO rummy_app;
