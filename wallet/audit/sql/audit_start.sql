-- Whether the full audit that a short one builds on is still valid: its seal, and the balances of each kind of account
-- then, computed from today's less later entries. Each row is a difference: (check, subject, detail).
SELECT 'start_altered' AS "check", 'seal ' || r.seal_number AS subject,
    'audit ' || r.id || ' began at it, and the chain holds another' AS detail
FROM wallet_auditrun AS r
LEFT JOIN wallet_seal AS s ON s.number = r.seal_number AND s.hash = r.seal_hash AND s.to_xid = r.to_xid
WHERE r.id = wallet_audited_run() AND r.seal_number > 0 AND s.id IS NULL

UNION ALL
SELECT 'balance_carried', format('accounts of kind %s in %s', kind, currency),
    format('held %s after %s entries in audit %s, now %s after %s without new ones', coalesce(b.balance_minor, 0),
        coalesce(b.entries, 0), wallet_audited_run(), coalesce(n.balance_minor, 0), coalesce(n.entries, 0))
FROM wallet_balances_before() AS n
FULL JOIN (
    SELECT account_kind AS kind, currency, balance_minor, entries
    FROM wallet_auditedbalance WHERE run_id = wallet_audited_run()
) AS b USING (kind, currency)
WHERE (coalesce(b.balance_minor, 0), coalesce(b.entries, 0)) <> (coalesce(n.balance_minor, 0), coalesce(n.entries, 0))

ORDER BY 1, 2
LIMIT 1000
