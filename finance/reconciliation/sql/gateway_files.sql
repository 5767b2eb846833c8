-- What a gateway or a bank said stays as it was said.
REVOKE UPDATE, DELETE, TRUNCATE ON finance_gatewayfile, finance_gatewayline, finance_bankstatement, finance_bankline
    FROM rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_gatewayfile
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('files of gateways stay as they came');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_gatewayline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('files of gateways stay as they came');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_gatewayfile
    EXECUTE FUNCTION wallet_refuse_rewriting('files of gateways stay as they came');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_gatewayline
    EXECUTE FUNCTION wallet_refuse_rewriting('files of gateways stay as they came');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_bankstatement
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('statements of banks stay as they came');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_bankstatement
    EXECUTE FUNCTION wallet_refuse_rewriting('statements of banks stay as they came');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance_bankline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('statements of banks stay as they came');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON finance_bankline
    EXECUTE FUNCTION wallet_refuse_rewriting('statements of banks stay as they came');
