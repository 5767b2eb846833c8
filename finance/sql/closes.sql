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

-- Turn the page when the open day is over, though nobody has posted since, and return the open day.
-- Whoever calls it holds the day until COMMIT, as whoever posts does.
CREATE FUNCTION finance_turn_page() RETURNS date
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT ledger_book_day()
$$;
REVOKE ALL ON FUNCTION finance_turn_page() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION finance_turn_page() TO rummy_app;
