-- Let one at a time close a day, until the end of the transaction. A lock of a table that only these rights
-- can take: an advisory lock could be taken, and kept for ever, by whoever is logged in.
CREATE OR REPLACE FUNCTION finance_hold_closes() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    LOCK TABLE finance_dailyclose IN SHARE ROW EXCLUSIVE MODE;
END
$$;
REVOKE ALL ON FUNCTION finance_hold_closes() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION finance_hold_closes() TO rummy_app;
