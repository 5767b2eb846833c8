-- Blocking sessions of the application are terminated whatever limits they have set: any login may disable its own
-- time-outs, so another session must watch.

-- Terminate sessions that are in a transaction for too long: `p_waited` while other sessions wait for their locks
-- (a waiting session itself is spared, the one that blocks it is not), `p_idle` without a statement, `p_ever` in
-- any case. Only logins of the application, never the owner's. PostgreSQL lets the owner see and terminate them
-- if it is a member of that login (docs/operators/servers.md).
CREATE OR REPLACE FUNCTION wallet_end_sessions(p_waited interval, p_idle interval, p_ever interval)
RETURNS TABLE (pid integer, login name, seconds integer, waiting integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN QUERY
    WITH open AS MATERIALIZED (
        SELECT a.pid, a.usename AS login, a.wait_event_type, clock_timestamp() - a.xact_start AS age,
            CASE WHEN a.state LIKE 'idle in transaction%'
                THEN clock_timestamp() - a.state_change END AS idle
        FROM pg_stat_activity AS a
        WHERE a.datname = current_database() AND a.backend_type = 'client backend'
            AND a.pid <> pg_backend_pid()
            AND EXISTS (SELECT FROM pg_roles AS g WHERE g.rolname ~ '^rummy_app_(web|settle|intake)$'
                AND pg_has_role(a.usesysid, g.oid, 'MEMBER'))
            AND NOT pg_has_role(a.usesysid, current_user, 'MEMBER')
    ), blocking AS MATERIALIZED (
        SELECT held.pid, count(*)::integer AS waiting
        FROM pg_stat_activity AS w, unnest(pg_blocking_pids(w.pid)) AS held (pid)
        WHERE w.wait_event_type = 'Lock' GROUP BY held.pid
    ), stuck AS MATERIALIZED (
        SELECT o.pid, o.login, o.age, coalesce(b.waiting, 0) AS waiting
        FROM open AS o LEFT JOIN blocking AS b ON b.pid = o.pid
        WHERE o.age > p_waited AND b.waiting > 0 AND o.wait_event_type IS DISTINCT FROM 'Lock'
            OR o.idle > p_idle OR o.age > p_ever
    )
    SELECT s.pid, s.login, extract(epoch FROM s.age)::integer, s.waiting
    FROM stuck AS s WHERE pg_terminate_backend(s.pid);
END
$$;

-- Called by the application's worker every few seconds, which cannot choose the limits. No transaction that blocks
-- others takes a minute, and no statement more than half an hour.
CREATE OR REPLACE FUNCTION wallet_end_stuck_sessions()
RETURNS TABLE (pid integer, login name, seconds integer, waiting integer)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT * FROM wallet_end_sessions(interval '1 minute', interval '1 minute', interval '1 hour')
$$;
GRANT EXECUTE ON FUNCTION wallet_end_stuck_sessions() TO rummy_app;
