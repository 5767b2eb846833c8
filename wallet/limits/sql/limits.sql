-- Limits players set on themselves are added, never rewritten: the next one replaces the last.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_ownlimit FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_ownlimit
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('limits are kept as they were set');
