-- Payments, refunds and disputes against gateway events: each row needs an event of its gateway. Signatures cannot
-- be verified here: wallet/audit/gateway_events.py. Each row is a difference: (check, subject, detail).
SELECT 'payment_without_event' AS "check", 'gateway payment ' || p.id AS subject,
    format('%s %s is booked with %s %s for order %s, without a signed event', p.provider, p.reference,
        p.amount_minor, p.currency, p.order_reference) AS detail
FROM wallet_gatewaypayment AS p
WHERE p.transfer_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM wallet_gatewayevent AS e
    WHERE e.provider = p.provider AND e.payment_reference = p.reference AND e.kind = 'paid' AND e.source = 'signed'
        AND e.order_reference = p.order_reference AND e.currency = p.currency AND e.amount_minor = p.amount_minor)
    AND p.id IN (SELECT key FROM wallet_new_keys('wallet_gatewaypayment'))  -- only new

UNION ALL
SELECT 'return_without_event', 'payment return ' || r.id,
    format('%s %s of %s %s is %s, without an event of its gateway', r.provider, r.reference, r.amount_minor,
        r.currency, r.status)
FROM wallet_paymentreturn AS r JOIN wallet_gatewaypayment AS p ON p.id = r.payment_id
WHERE NOT EXISTS (
    SELECT FROM wallet_gatewayevent AS e
    WHERE e.provider = r.provider AND e.payment_reference = p.reference AND e.case_reference = r.reference
        AND e.currency = r.currency AND e.amount_minor = r.amount_minor
        AND CASE r.what WHEN 'refund' THEN e.kind LIKE 'refund\_%' ELSE e.kind LIKE 'dispute\_%' END
        AND (r.status <> 'taken' OR e.kind IN ('refund_done', 'dispute_lost')
            AND e.moved_minor IS NOT DISTINCT FROM r.moved_minor))
    AND r.id IN (SELECT key FROM wallet_new_keys('wallet_paymentreturn'))  -- only new

ORDER BY 1, 2
LIMIT 1000
