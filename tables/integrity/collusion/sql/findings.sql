-- Findings and their figures never change; only their status does, by decisions of two people.

SELECT core_change_only('tables_finding', '{status}',
    'a finding is decided once and never rewritten', 'OLD.status <> ''open''');
SELECT core_change_only('tables_findingdecision', '{status, checked_by_id, checked_at}',
    'a request is decided once and never rewritten', 'OLD.status <> ''requested''');
SELECT core_append_only('tables_findingfact', 'findings and what became of them are kept');
SELECT core_append_only('tables_voidedprize', 'findings and what became of them are kept');

-- Findings, decisions and voided prizes are stored in versions, which the ledger's audit compares.
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'tables_finding', 'tables_findingfact', 'tables_findingdecision', 'tables_voidedprize']) AS name;
