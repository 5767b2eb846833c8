-- What binds restitutions: each stays as it was requested, with its lines, and is decided once.

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
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_restitution
    EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER kept BEFORE UPDATE OR DELETE ON wallet_restitutionline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_restitutionline
    EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
