-- An order is given up only while it waits for its payment; a credited one stays credited.

CREATE OR REPLACE FUNCTION wallet_deposit_stays_credited() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.status = 'paid' THEN
        RAISE EXCEPTION 'deposit % is credited', OLD.id USING ERRCODE = 'restrict_violation';
    ELSIF NEW.status IN ('cancelled', 'closed')
        AND OLD.status NOT IN ('created', 'failed', NEW.status)
    THEN
        RAISE EXCEPTION 'deposit % is %, and no unpaid order', OLD.id, OLD.status
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
