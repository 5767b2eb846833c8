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

-- A rate in force, or of the past, is what people were taxed by.
CREATE OR REPLACE FUNCTION wallet_taxrate_begins_later() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.starts_on <= (ledger_now() AT TIME ZONE 'Asia/Kolkata')::date THEN
        RAISE EXCEPTION 'a rate begins tomorrow at the earliest, not on %', NEW.starts_on
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER begins_later BEFORE INSERT ON wallet_taxrate
    FOR EACH ROW EXECUTE FUNCTION wallet_taxrate_begins_later();
REVOKE ALL ON FUNCTION wallet_taxrate_begins_later() FROM PUBLIC, rummy_app;
