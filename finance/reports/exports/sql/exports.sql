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
