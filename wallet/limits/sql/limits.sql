-- Players' own limits are append-only: the next replaces the last.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_ownlimit FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_ownlimit
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('own limits are append-only');
