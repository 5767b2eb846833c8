-- RB 11.2: requested -> approved -> paid or failed; or rejected, as long as it is in no file for the bank.
CREATE OR REPLACE FUNCTION wallet_withdrawal_goes_forwards() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF (OLD.status, NEW.status) NOT IN (
        ('requested', 'approved'), ('requested', 'rejected'),
        ('approved', 'approved'), ('approved', 'rejected'), ('approved', 'paid'),
        ('approved', 'failed'))
    THEN
        RAISE EXCEPTION 'a withdrawal does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'restrict_violation';
    ELSIF OLD.batch_id IS NOT NULL AND NEW.batch_id IS DISTINCT FROM OLD.batch_id THEN
        RAISE EXCEPTION 'withdrawal % went to the bank in another file', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
