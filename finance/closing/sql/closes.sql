-- Daily closes are append-only.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_dailyclose, finance_dailytotal FROM rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_dailyclose
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('daily closes are append-only');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_dailytotal
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('daily closes are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_dailyclose
    EXECUTE FUNCTION wallet_refuse_rewriting('daily closes are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_dailytotal
    EXECUTE FUNCTION wallet_refuse_rewriting('daily closes are append-only');

-- Allow one transaction at a time to close a day. The lock is on a table, which only the owner's rights can take;
-- any database user could hold an advisory lock for ever.
CREATE OR REPLACE FUNCTION finance_hold_closes() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    LOCK TABLE finance_dailyclose IN SHARE ROW EXCLUSIVE MODE;
END
$$;
REVOKE ALL ON FUNCTION finance_hold_closes() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION finance_hold_closes() TO rummy_app;
