-- Closes of days stay as they were made; an export is written down before it begins, finished once.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_dailyclose, finance_dailytotal, finance_export
FROM rummy_app;
GRANT UPDATE (finished_at, rows, sha256) ON finance_export TO rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_dailyclose
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('closes of days stay as they were made');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_dailytotal
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('closes of days stay as they were made');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_dailyclose
    EXECUTE FUNCTION wallet_refuse_rewriting('closes of days stay as they were made');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_dailytotal
    EXECUTE FUNCTION wallet_refuse_rewriting('closes of days stay as they were made');
CREATE TRIGGER finished_stays BEFORE UPDATE ON finance_export
    FOR EACH ROW WHEN (old.finished_at IS NOT NULL)
    EXECUTE FUNCTION wallet_refuse_rewriting('a finished export stays on record');
CREATE TRIGGER stays BEFORE DELETE ON finance_export
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('exports stay on record');
