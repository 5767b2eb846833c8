-- What binds the tax rows: rates begin in the future and never change, what was taxed stays on record.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_taxrate, wallet_withholding, wallet_gstcharge FROM rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_taxrate
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('rates are kept; append another');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_taxrate
    EXECUTE FUNCTION wallet_refuse_rewriting('rates are kept; append another');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_withholding
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('what was withheld is kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_withholding
    EXECUTE FUNCTION wallet_refuse_rewriting('what was withheld is kept');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_gstcharge
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('what was charged is kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_gstcharge
    EXECUTE FUNCTION wallet_refuse_rewriting('what was charged is kept');

CREATE TRIGGER begins_later BEFORE INSERT ON wallet_taxrate
    FOR EACH ROW EXECUTE FUNCTION wallet_taxrate_begins_later();
