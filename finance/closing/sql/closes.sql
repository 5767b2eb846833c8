-- Closes of days stay as they were made.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_dailyclose, finance_dailytotal FROM rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_dailyclose
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('closes of days stay as they were made');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_dailytotal
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('closes of days stay as they were made');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_dailyclose
    EXECUTE FUNCTION wallet_refuse_rewriting('closes of days stay as they were made');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_dailytotal
    EXECUTE FUNCTION wallet_refuse_rewriting('closes of days stay as they were made');

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
