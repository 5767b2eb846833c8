-- Compare gateway events read from settlement files with the lines of these files. Each row is a difference:
-- (check, subject, detail).
WITH
reported AS MATERIALIZED (
    SELECT e.*, convert_from(e.body, 'UTF8')::jsonb AS line
    FROM wallet_gatewayevent AS e
    WHERE e.source = 'file'
        AND e.id IN (SELECT key FROM wallet_new_keys('wallet_gatewayevent'))  -- only new
)

SELECT 'event_without_a_line' AS "check", 'gateway event ' || s.id AS subject,
    format('returns %s %s of %s, unlike line %s of file %s', s.amount_minor, s.currency, s.payment_reference,
        s.line ->> 'line', left(s.line ->> 'file', 12)) AS detail
FROM reported AS s
WHERE NOT EXISTS (
    SELECT FROM finance_gatewayline AS l JOIN finance_gatewayfile AS f ON f.id = l.file_id
    WHERE f.provider = s.provider AND f.sha256 = s.line ->> 'file' AND l.number::text = s.line ->> 'line'
        AND l.what = 'refund' AND l.settlement = s.line ->> 'settlement' AND l.reference = s.case_reference
        AND l.payment_reference IN ('', s.payment_reference)
        AND l.currency = s.currency AND -l.amount_minor = coalesce(s.moved_minor, s.amount_minor))

ORDER BY 1, 2
LIMIT 1000
