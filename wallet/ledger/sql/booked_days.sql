-- The house's calendar: which day a transfer counts in (Asia/Kolkata), and when a day is closed. No posting
-- waits for it and no session can hold it up (docs/adr/0007-days-end-without-a-lock.md).
--
-- The last day that has ended is the value of a sequence, in days since 2000-01-01. Sequences know no
-- transactions: everybody reads the latest value, whatever their snapshot is, and it is never taken back.
CREATE SEQUENCE IF NOT EXISTS ledger_ended_day MINVALUE 0;
REVOKE ALL ON SEQUENCE ledger_ended_day FROM PUBLIC, rummy_app;

CREATE OR REPLACE FUNCTION ledger_last_ended_day() RETURNS date
LANGUAGE plpgsql PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN date '2000-01-01' + coalesce(pg_sequence_last_value('ledger_ended_day'), 0)::integer;
END
$$;

-- Return the day that a transfer of this transaction is booked on: the day on which the transaction began,
-- unless that has ended meanwhile.
--
-- First the transaction gets its number, then the last ended day is read. So whoever books on a day had a
-- number before the day's end was recorded, and the day closes after all lower numbers are finished.
CREATE OR REPLACE FUNCTION ledger_book_day(p_shift interval) RETURNS date
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    xid CONSTANT bigint := pg_current_xact_id()::text::bigint;
    ended CONSTANT date := ledger_last_ended_day();
    today CONSTANT date := ((transaction_timestamp() + p_shift) AT TIME ZONE 'Asia/Kolkata')::date;
BEGIN
    IF today > ended THEN
        RETURN today;
    END IF;
    RETURN CASE WHEN ledger_may_stay_on(today, xid) THEN today ELSE ended + 1 END;
END
$$;

-- Return whether a transaction with this number may book on a day that has ended. It may if it had the number before
-- that day's end: the day cannot close before it is finished. It may, too, if it has booked on that day already, so
-- that all it does counts in one day while the boundary is not written yet.
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

-- Return the day a posting would be booked on now; exact for a transaction that has locked accounts.
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

-- Return whether nothing can be booked on a day or before it any more.
CREATE OR REPLACE FUNCTION ledger_is_closed(p_day date) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
RETURN EXISTS (SELECT FROM wallet_bookedday WHERE day >= p_day)
    AND NOT EXISTS (SELECT FROM wallet_bookedday WHERE day <= p_day AND closed_at IS NULL);

-- End the days that are over, and close those that cannot grow any more; return the first day that may
-- still grow. Each call is a step, and each step a transaction of its own:
--
-- 1. the day is marked as ended: whoever reads the mark books on a later one;
-- 2. a transaction that begins after that writes its own number down as the day's boundary: whoever has
--    not read the mark has a lower one;
-- 3. the day is closed once all transactions below the boundary are finished.
--
-- A hung session holds back step 3, for as long as it lives. It holds back nobody's posting.
CREATE OR REPLACE FUNCTION ledger_end_days() RETURNS date
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    yesterday CONSTANT date := (ledger_now() AT TIME ZONE 'Asia/Kolkata')::date - 1;
    is_fresh CONSTANT boolean := pg_current_xact_id_if_assigned() IS NULL;
    ended date := ledger_last_ended_day();
    first_day date;
    found_day date;
BEGIN
    -- Of a transaction that has a number already, that number might be lower than somebody's who books.
    IF is_fresh THEN
        -- One at a time, so that the mark never goes back.
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
            -- A transfer of an earlier day may have been out of sight when the first day got its row; when that
            -- one can be closed, all that was booked before it is in sight.
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

-- Let the house's days begin with this one. For the owner, in a demo that has booked nothing: with its time
-- shifted (`ledger_shift_clock`), weeks before today can be lived through.
CREATE OR REPLACE FUNCTION ledger_begin_days(p_day date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    LOCK TABLE wallet_bookedday IN SHARE ROW EXCLUSIVE MODE;
    IF NOT (SELECT is_demo FROM wallet_installation WHERE id = 1)
        OR EXISTS (SELECT FROM wallet_transfer) OR EXISTS (SELECT FROM wallet_bookedday)
    THEN
        RAISE EXCEPTION 'days begin anew in a demo alone, before its first transfer'
            USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM setval('ledger_ended_day', p_day - 1 - date '2000-01-01');
END
$$;

REVOKE ALL ON FUNCTION
    ledger_last_ended_day(), ledger_book_day(interval), ledger_may_stay_on(date, bigint), ledger_site_day(),
    ledger_is_closed(date), ledger_end_days(), ledger_begin_days(date)
FROM PUBLIC, rummy_app;
GRANT EXECUTE ON FUNCTION
    ledger_last_ended_day(), ledger_site_day(), ledger_is_closed(date), ledger_end_days()
TO rummy_app;

-- Yesterday has ended.
SELECT setval('ledger_ended_day',
    (clock_timestamp() AT TIME ZONE 'Asia/Kolkata')::date - 1 - date '2000-01-01');
