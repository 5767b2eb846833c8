-- The record of an export is inserted before the first byte is sent, and can be finished once.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_export FROM rummy_app;
GRANT UPDATE (finished_at, rows, sha256) ON finance_export TO rummy_app;
CREATE TRIGGER finished_stays BEFORE UPDATE ON finance_export
    FOR EACH ROW WHEN (old.finished_at IS NOT NULL)
    EXECUTE FUNCTION core_refuse_rewriting('a finished export stays on record');
CREATE TRIGGER stays BEFORE DELETE ON finance_export
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('exports stay on record');

-- The query and the reader of a job cannot change; its progress can.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_exportjob FROM rummy_app;
GRANT UPDATE (
    status, attempts, beat_at, rows_done, rows_total, finished_at, expires_at, size_bytes, sha256, code,
    is_mail_due
) ON finance_exportjob TO rummy_app;
CREATE TRIGGER stays BEFORE DELETE ON finance_exportjob
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('exports stay on record');
