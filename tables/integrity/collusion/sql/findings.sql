-- Findings and their figures never change; only their status does, by decisions of two people.

REVOKE UPDATE, DELETE, TRUNCATE ON
    tables_finding, tables_findingfact, tables_findingdecision, tables_voidedprize
FROM rummy_app;
GRANT UPDATE (status) ON tables_finding TO rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at) ON tables_findingdecision TO rummy_app;

CREATE TRIGGER decided_once BEFORE UPDATE ON tables_finding
    FOR EACH ROW WHEN (
        OLD.status <> 'open' OR to_jsonb(OLD) - 'status' IS DISTINCT FROM to_jsonb(NEW) - 'status')
    EXECUTE FUNCTION wallet_refuse_rewriting('a finding is decided once and never rewritten');
CREATE TRIGGER decided_once BEFORE UPDATE ON tables_findingdecision
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.finding_id, OLD.outcome, OLD.reason, OLD.restitution_id, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.finding_id, NEW.outcome, NEW.reason, NEW.restitution_id, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'tables_finding', 'tables_findingfact', 'tables_findingdecision', 'tables_voidedprize']
    LOOP
        EXECUTE format(
            'CREATE TRIGGER kept BEFORE DELETE ON %I FOR EACH ROW
             EXECUTE FUNCTION wallet_refuse_rewriting(''findings and what became of them are kept'')', name);
        EXECUTE format(
            'CREATE TRIGGER not_emptied BEFORE TRUNCATE ON %I
             EXECUTE FUNCTION wallet_refuse_rewriting(''findings and what became of them are kept'')', name);
        CONTINUE WHEN name IN ('tables_finding', 'tables_findingdecision');
        EXECUTE format(
            'CREATE TRIGGER as_found BEFORE UPDATE ON %I FOR EACH ROW
             EXECUTE FUNCTION wallet_refuse_rewriting(''findings and what became of them are kept'')', name);
    END LOOP;
END
$$;

-- Findings, decisions and voided prizes are stored in versions, which the ledger's audit compares.
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'tables_finding', 'tables_findingfact', 'tables_findingdecision', 'tables_voidedprize']) AS name;
