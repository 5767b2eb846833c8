-- Sent heads are kept.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_senthead FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_senthead
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('heads that were sent stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_senthead
    EXECUTE FUNCTION wallet_refuse_rewriting('heads that were sent stay on record');
SELECT wallet_watch('wallet_senthead');
