-- Booked days: which day a transfer counts in (Asia/Kolkata), and when a day is closed. Postings never wait for
-- the end of a day, and no session can delay them (docs/adr/0007-days-end-without-a-lock.md).
--
-- A sequence stores the last ended day, in days since 2000-01-01. Sequences are not transactional: every session
-- reads the latest value whatever its snapshot, and a rollback does not revert it.
CREATE SEQUENCE IF NOT EXISTS ledger_ended_day MINVALUE 0;
REVOKE ALL ON SEQUENCE ledger_ended_day FROM PUBLIC, rummy_app;

CREATE OR REPLACE FUNCTION ledger_last_ended_day() RETURNS date
LANGUAGE plpgsql PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN date '2000-01-01' + coalesce(pg_sequence_last_value('ledger_ended_day'), 0)::integer;
END
$$;

-- Return the day that a transfer of this transaction is booked on: the day on which the transaction began,
-- or a later one if that day has ended.
--
-- The transaction id is assigned before the last ended day is read. So a transaction that books on a day had its
-- id before the end was recorded, and the day closes after all lower ids are finished.
CREATE OR REPLACE FUNCTION ledger_book_day(p_shift interval) RETURNS date
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    xid CONSTANT xid8 := pg_current_xact_id();
    ended CONSTANT date := ledger_last_ended_day();
    today CONSTANT date := (transaction_timestamp() + p_shift) AT TIME ZONE 'Asia/Kolkata';
BEGIN
    IF today > ended THEN
        RETURN today;
    END IF;
    RETURN CASE WHEN ledger_may_stay_on(today, xid::text::bigint) THEN today ELSE ended + 1 END;
END
$$;

-- Return whether a transaction with this id may book on an ended day: if the id is below the day's boundary
-- (the day cannot close before the transaction is finished), or if it has booked on that day already, so that all
-- its transfers count in one day while the boundary is not written yet.
CREATE OR REPLACE FUNCTION ledger_may_stay_on(p_day date, p_xid bigint) RETURNS boolean
LANGUAGE plpgsql PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM wallet_bookedday WHERE day = p_day AND boundary > p_xid)
        OR EXISTS (SELECT FROM wallet_transfer WHERE xid = p_xid AND booked_on = p_day)
        OR EXISTS (
            SELECT FROM wallet_rowversion
            WHERE xid = p_xid AND relation = 'wallet_stakepartchange' AND facts ->> 'booked_on' = p_day::text);
END
$$;

-- Return the day a posting would be booked on now; exact once the transaction has locked accounts.
CREATE OR REPLACE FUNCTION ledger_site_day() RETURNS date
LANGUAGE plpgsql PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    ended CONSTANT date := ledger_last_ended_day();
    today CONSTANT date := (
        (transaction_timestamp() + (SELECT clock_shift FROM wallet_installation WHERE id = 1))
        AT TIME ZONE 'Asia/Kolkata')::date;
BEGIN
    IF today > ended THEN
        RETURN today;
    END IF;
    RETURN CASE WHEN ledger_may_stay_on(today, pg_current_xact_id_if_assigned()::text::bigint)
        THEN today ELSE ended + 1 END;
END
$$;

-- Return whether a day and all earlier ones accept no more transfers.
CREATE OR REPLACE FUNCTION ledger_is_closed(p_day date) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
RETURN EXISTS (SELECT FROM wallet_bookedday WHERE day >= p_day)
    AND NOT EXISTS (SELECT FROM wallet_bookedday WHERE day <= p_day AND closed_at IS NULL);

-- End past days and close those that can be closed; return the first day that is still open. Each call takes
-- one step, in its own transaction:
--
-- 1. Mark the day as ended: transactions that read this book on a later day.
-- 2. A transaction that begins after that writes its own id as the day's boundary: transactions that
--    read the old value have lower ids.
-- 3. Close the day once all transactions below the boundary are finished.
--
-- A hung session delays step 3 until it ends, but no postings.
CREATE OR REPLACE FUNCTION ledger_end_days() RETURNS date
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    yesterday CONSTANT date := (ledger_now() AT TIME ZONE 'Asia/Kolkata')::date - 1;
    is_fresh CONSTANT boolean := pg_current_xact_id_if_assigned() IS NULL;
    ended date := ledger_last_ended_day();
    first_day date;
    found_day date;
BEGIN
    -- A transaction that already has an id could write a boundary below the id of one that still books.
    IF is_fresh THEN
        -- One at a time, so that the last ended day never decreases.
        LOCK TABLE wallet_bookedday IN SHARE ROW EXCLUSIVE MODE;
        ended := ledger_last_ended_day();
        SELECT max(day) + 1 INTO first_day FROM wallet_bookedday;
        SELECT min(booked_on) INTO found_day FROM wallet_transfer;
        first_day := coalesce(first_day, least(found_day, ended + 1));
        IF first_day <= ended THEN
            INSERT INTO wallet_bookedday (day, ended_at, boundary)
            SELECT day::date, ledger_now(), pg_current_xact_id()::text::bigint
            FROM generate_series(first_day, ended, interval '1 day') AS day;
        ELSIF ended < yesterday THEN
            PERFORM setval('ledger_ended_day', yesterday - date '2000-01-01');
        ELSE
            -- A transfer of an earlier day may have been invisible when the first day got its row; once that day can
            -- be closed, all earlier transfers are visible.
            INSERT INTO wallet_bookedday (day, ended_at, boundary)
            SELECT missing::date, first.ended_at, first.boundary
            FROM (SELECT * FROM wallet_bookedday ORDER BY day LIMIT 1) AS first,
                generate_series(found_day, first.day - 1, interval '1 day') AS missing
            WHERE first.closed_at IS NULL
                AND first.boundary <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
            UPDATE wallet_bookedday SET closed_at = ledger_now()
            WHERE closed_at IS NULL
                AND boundary <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
        END IF;
    END IF;
    SELECT coalesce(min(day) FILTER (WHERE closed_at IS NULL), max(day) + 1) INTO first_day
    FROM wallet_bookedday;
    SELECT min(booked_on) INTO found_day FROM wallet_transfer;
    RETURN coalesce(first_day, least(found_day, ledger_last_ended_day() + 1));
END
$$;

-- Set the first day of the ledger. For the owner, in a demo database without transfers: with a shifted clock
-- (`ledger_shift_clock`) sample data of past weeks can then be generated.
CREATE OR REPLACE FUNCTION ledger_begin_days(p_day date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    LOCK TABLE wallet_bookedday IN SHARE ROW EXCLUSIVE MODE;
    IF NOT (SELECT is_demo FROM wallet_installation WHERE id = 1)
        OR EXISTS (SELECT FROM wallet_transfer) OR EXISTS (SELECT FROM wallet_bookedday)
    THEN
        RAISE EXCEPTION 'the first day can be set only in a demo, before its first transfer'
            USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM setval('ledger_ended_day', p_day - 1 - date '2000-01-01');
END
$$;

GRANT EXECUTE ON FUNCTION
    ledger_last_ended_day(), ledger_site_day(), ledger_is_closed(date), ledger_end_days()
TO rummy_app;

-- All days up to yesterday have ended.
SELECT setval('ledger_ended_day',
    (clock_timestamp() AT TIME ZONE 'Asia/Kolkata')::date - 1 - date '2000-01-01');
