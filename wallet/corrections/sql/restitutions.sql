-- Guards of restitutions: a request is immutable with its lines, and decided once.

SELECT core_change_only('wallet_restitution', '{status, checked_by_id, checked_at, transfer_id}',
    'a request is decided once and never rewritten', 'OLD.status <> ''requested''');
SELECT core_append_only('wallet_restitutionline', 'staff actions are kept');

-- A restitution is logged as requested when all its lines exist. A line added later could not be removed, and no
-- transfer would match it.
CREATE FUNCTION wallet_line_of_a_new_restitution() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM core_auditentry
        WHERE kind = 'wallet.restitution' AND row = NEW.restitution_id::text)
    THEN
        RAISE EXCEPTION 'restitution % is immutable, with its lines', NEW.restitution_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER as_asked BEFORE INSERT ON wallet_restitutionline
    FOR EACH ROW EXECUTE FUNCTION wallet_line_of_a_new_restitution();
