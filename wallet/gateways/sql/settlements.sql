-- Guards of gateway settlements: a request is immutable and decided once.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_gatewaysettlement FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, transfer_id) ON wallet_gatewaysettlement TO rummy_app;

CREATE TRIGGER decided_once BEFORE UPDATE ON wallet_gatewaysettlement
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.provider, OLD.reference, OLD.bank_reference, OLD.settled_on, OLD.currency, OLD.paid_minor,
            OLD.returned_minor, OLD.other_minor, OLD.fee_minor, OLD.tax_minor, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.provider, NEW.reference, NEW.bank_reference, NEW.settled_on, NEW.currency, NEW.paid_minor,
            NEW.returned_minor, NEW.other_minor, NEW.fee_minor, NEW.tax_minor, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON wallet_gatewaysettlement
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_gatewaysettlement
    EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');
