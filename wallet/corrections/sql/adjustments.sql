-- Guards of adjustments: a request is immutable and decided once.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_adjustment FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, transfer_id) ON wallet_adjustment TO rummy_app;

CREATE TRIGGER decided_once BEFORE UPDATE ON wallet_adjustment
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.source_id, OLD.target_id, OLD.amount_minor, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.source_id, NEW.target_id, NEW.amount_minor, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON wallet_adjustment
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_adjustment
    EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');
