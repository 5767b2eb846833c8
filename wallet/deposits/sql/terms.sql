-- Guards of terms of new deposits: a request is immutable and decided once.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_depositterm FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at) ON wallet_depositterm TO rummy_app;

CREATE OR REPLACE TRIGGER decided_once BEFORE UPDATE ON wallet_depositterm
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.id, OLD.hours, OLD.begins_at, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.id, NEW.hours, NEW.begins_at, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON wallet_depositterm
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_depositterm
    EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');

SELECT wallet_watch('wallet_depositterm');
