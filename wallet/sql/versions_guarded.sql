-- Versions are written by their trigger alone, and stay.
REVOKE ALL ON wallet_rowversion FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_rowversion TO rummy_app;
REVOKE ALL ON SEQUENCE wallet_rowversion_id_seq FROM PUBLIC, rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_rowversion
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('versions of rows stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_rowversion
    EXECUTE FUNCTION wallet_refuse_rewriting('versions of rows stay on record');
