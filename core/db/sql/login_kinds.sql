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
