-- Guards of restitutions: a request is immutable with its lines, and decided once.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_restitution, wallet_restitutionline FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, transfer_id) ON wallet_restitution TO rummy_app;

CREATE TRIGGER decided_once BEFORE UPDATE ON wallet_restitution
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.ref, OLD.currency, OLD.amount_minor, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.ref, NEW.currency, NEW.amount_minor, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON wallet_restitution
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_restitution
    EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');
CREATE TRIGGER kept BEFORE UPDATE OR DELETE ON wallet_restitutionline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_restitutionline
    EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');

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
REVOKE ALL ON FUNCTION wallet_line_of_a_new_restitution() FROM PUBLIC, rummy_app;
