-- The house's calendar: which day a transfer counts in (Asia/Kolkata).

-- Hold the open day until the end of this transaction and return it; turn the page when it is over.
--
-- Everybody who posts holds advisory lock (5211, 1) shared; turning the page takes it alone. So a day
-- closes only after all transfers booked on it have committed, and none is booked on it afterwards.
-- A row lock would do the same, at the price of a multixact on one hot row per transfer.
CREATE OR REPLACE FUNCTION ledger_book_day() RETURNS date
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    today CONSTANT date := (clock_timestamp() AT TIME ZONE 'Asia/Kolkata')::date;
    open_day date;
    locked text;
BEGIN
    SELECT day INTO open_day FROM wallet_bookedday WHERE closed_at IS NULL;
    IF open_day >= today OR ledger_holds_the_day() THEN
        locked := pg_advisory_xact_lock_shared(5211, 1);
        SELECT day INTO open_day FROM wallet_bookedday WHERE closed_at IS NULL;
        RETURN open_day;
    END IF;
    PERFORM pg_advisory_xact_lock(5211, 1);
    SELECT day INTO open_day FROM wallet_bookedday WHERE closed_at IS NULL;
    IF open_day >= today THEN  -- Somebody else turned the page while this one waited.
        RETURN open_day;
    END IF;
    UPDATE wallet_bookedday SET closed_at = clock_timestamp() WHERE closed_at IS NULL;
    INSERT INTO wallet_bookedday (day, opened_at) VALUES (today, clock_timestamp());
    RETURN today;
END
$$;

-- A transaction that has booked already stays on its day: turning the page would wait for itself.
CREATE OR REPLACE FUNCTION ledger_holds_the_day() RETURNS boolean
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM pg_locks
        WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted
            AND classid = 5211 AND objid = 1 AND objsubid = 2
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
$$;
