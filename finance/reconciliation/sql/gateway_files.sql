-- Uploaded files of gateways and banks are append-only.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_gatewayfile, finance_gatewayline, finance_bankstatement, finance_bankline
    FROM rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_gatewayfile
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('gateway files are append-only');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_gatewayline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('gateway files are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_gatewayfile
    EXECUTE FUNCTION wallet_refuse_rewriting('gateway files are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_gatewayline
    EXECUTE FUNCTION wallet_refuse_rewriting('gateway files are append-only');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_bankstatement
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('bank statements are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_bankstatement
    EXECUTE FUNCTION wallet_refuse_rewriting('bank statements are append-only');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_bankline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('bank statements are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_bankline
    EXECUTE FUNCTION wallet_refuse_rewriting('bank statements are append-only');
