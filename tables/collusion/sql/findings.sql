-- Findings and their figures stay as they were found; only what becomes of them changes, by two people.

REVOKE UPDATE, DELETE, TRUNCATE ON
    tables_finding, tables_findingfact, tables_findingdecision, tables_voidedprize
FROM rummy_app;
GRANT UPDATE (status) ON tables_finding TO rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at) ON tables_findingdecision TO rummy_app;

-- Whose prizes are void, and who decided so, is kept in versions, to be compared by the ledger's audit.
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'tables_findingdecision', 'tables_voidedprize']) AS name;
