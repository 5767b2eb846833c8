-- Wind-down reports are kept as they were created.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_owedreport, wallet_owedline FROM rummy_app;
GRANT UPDATE (mailed_at) ON wallet_owedreport TO rummy_app;
CREATE TRIGGER as_reported BEFORE UPDATE OR DELETE ON wallet_owedline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('wind-down reports are kept');
CREATE TRIGGER sent_once BEFORE UPDATE ON wallet_owedreport
    FOR EACH ROW WHEN (
        OLD.mailed_at IS NOT NULL
        OR (OLD.id, OLD.day, OLD.currency, OLD.made_at) IS DISTINCT FROM (NEW.id, NEW.day, NEW.currency, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('wind-down reports are kept');
CREATE TRIGGER kept BEFORE DELETE ON wallet_owedreport
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('wind-down reports are kept');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY['wallet_owedreport', 'wallet_owedline']) AS name;
