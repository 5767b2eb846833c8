-- What was asked for, and by whom, stays; what became of it is written down until it is over.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_exportjob FROM rummy_app;
GRANT UPDATE (
    status, attempts, beat_at, rows_done, rows_total, finished_at, expires_at, size_bytes, sha256, code
) ON finance_exportjob TO rummy_app;
CREATE TRIGGER stays BEFORE DELETE ON finance_exportjob
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('exports stay on record');
