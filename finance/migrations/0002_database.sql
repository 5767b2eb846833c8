-- finance.closing.closes
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

-- finance.reconciliation.gateway_files
-- What a gateway or a bank said stays as it was said.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_gatewayfile, finance_gatewayline, finance_bankstatement, finance_bankline
    FROM rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_gatewayfile
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('files of gateways stay as they came');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_gatewayline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('files of gateways stay as they came');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_gatewayfile
    EXECUTE FUNCTION wallet_refuse_rewriting('files of gateways stay as they came');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_gatewayline
    EXECUTE FUNCTION wallet_refuse_rewriting('files of gateways stay as they came');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_bankstatement
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('statements of banks stay as they came');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_bankstatement
    EXECUTE FUNCTION wallet_refuse_rewriting('statements of banks stay as they came');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_bankline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('statements of banks stay as they came');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_bankline
    EXECUTE FUNCTION wallet_refuse_rewriting('statements of banks stay as they came');

-- finance.exports.exports
-- An export is written down before it begins, and finished once.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_export FROM rummy_app;
GRANT UPDATE (finished_at, rows, sha256) ON finance_export TO rummy_app;
CREATE TRIGGER finished_stays BEFORE UPDATE ON finance_export
    FOR EACH ROW WHEN (old.finished_at IS NOT NULL)
    EXECUTE FUNCTION wallet_refuse_rewriting('a finished export stays on record');
CREATE TRIGGER stays BEFORE DELETE ON finance_export
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('exports stay on record');

-- What was asked for, and by whom, stays; what became of it is written down until it is over.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_exportjob FROM rummy_app;
GRANT UPDATE (
    status, attempts, beat_at, rows_done, rows_total, finished_at, expires_at, size_bytes, sha256, code
) ON finance_exportjob TO rummy_app;
CREATE TRIGGER stays BEFORE DELETE ON finance_exportjob
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('exports stay on record');

-- finance.closing.watched
-- Which rows of finance are kept in versions, to be compared by the ledger's audit (wallet/audit/sql/versions.sql).
SELECT wallet_watch('finance_dailyclose', p_key => 'day');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'finance_dailytotal', 'finance_export', 'finance_gatewayfile', 'finance_gatewayline', 'finance_bankstatement',
    'finance_bankline', 'finance_webhookendpoint', 'finance_chartaccount']) AS name;
-- When a token was last used is of no account.
SELECT wallet_watch('finance_financetoken', 'but', '{last_used_at}');
