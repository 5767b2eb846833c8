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
REVOKE ALL ON FUNCTION wallet_taxrate_begins_later() FROM PUBLIC, rummy_app;
