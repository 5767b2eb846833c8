-- Daily closes are append-only.

SELECT core_append_only('finance_dailyclose', 'daily closes are append-only');
SELECT core_append_only('finance_dailytotal', 'daily closes are append-only');
SELECT core_append_only('finance_balancetree', 'trees of balances are append-only');
SELECT core_append_only('finance_balancetreepart', 'trees of balances are append-only');

-- Allow one transaction at a time to close a day. The lock is on a table, which only the owner's rights can take;
-- any database user could hold an advisory lock for ever.
CREATE OR REPLACE FUNCTION finance_hold_closes() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    LOCK TABLE finance_dailyclose IN SHARE ROW EXCLUSIVE MODE;
END
$$;
GRANT EXECUTE ON FUNCTION finance_hold_closes() TO rummy_app;
