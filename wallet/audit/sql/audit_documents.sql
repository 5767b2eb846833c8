-- Transfers against the policy of their kind and their documents, and orders against the gateway's events. Each row is
-- a difference: (check, subject, detail).
SELECT "check", 'transfer ' || id AS subject, detail FROM wallet_transfers_lacking(wallet_new_transfer())

UNION ALL
SELECT 'deposit_without_event', 'deposit ' || d.id,
    format('is %s without an event of its gateway', d.status)
FROM wallet_deposit AS d
WHERE d.status IN ('paid', 'placed') AND NOT EXISTS (
    SELECT FROM wallet_gatewayevent AS e
    WHERE e.provider = d.provider AND e.order_reference = d.order_reference AND e.kind = 'paid'
        AND CASE d.status WHEN 'placed' THEN e.outcome = 'suspense'
            ELSE e.outcome = 'credited' AND e.currency = d.currency
                AND e.amount_minor - e.fee_minor - e.tax_minor = d.amount_minor + d.gst_minor END)
    AND d.id IN (SELECT key FROM wallet_new_keys('wallet_deposit'))  -- only new

UNION ALL
SELECT 'event_without_deposit', 'gateway event ' || e.id, 'credited an order that is not paid'
FROM wallet_gatewayevent AS e LEFT JOIN wallet_deposit AS d
    ON d.provider = e.provider AND d.order_reference = e.order_reference AND d.status = 'paid'
WHERE e.outcome = 'credited' AND d.id IS NULL
    AND e.id IN (SELECT key FROM wallet_new_keys('wallet_gatewayevent'))  -- only new

ORDER BY 1, 2
LIMIT 1000
