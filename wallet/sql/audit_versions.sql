-- Rows against their last versions. Each row is a difference: (check, subject, detail).
SELECT "check", subject, detail FROM wallet_audit_versions()
ORDER BY 1, 2
LIMIT 1000
