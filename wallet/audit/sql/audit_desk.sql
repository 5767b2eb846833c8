-- Outcomes recorded by the cashier's staff, against the transfers behind them. Each row is a difference:
-- (check, subject, detail).
WITH
new_accounts AS (
    SELECT key FROM wallet_new_keys('wallet_account')
    UNION SELECT name::bigint FROM wallet_new_names('wallet_accountfreeze', 'account_id')
),
new_withdrawals AS (
    SELECT key FROM wallet_new_keys('wallet_withdrawal')
    UNION SELECT document_id FROM wallet_transfer WHERE document = 'payout' AND id >= wallet_new_transfer()
    UNION SELECT w.id FROM wallet_withdrawal AS w JOIN wallet_transfer AS t ON t.reverses_id = w.hold_id
    WHERE t.id >= wallet_new_transfer()
),
ways AS (
    SELECT w.*, paid.id AS paid_id, back.id AS back_id
    FROM wallet_withdrawal AS w
    LEFT JOIN wallet_transfer AS paid ON paid.key = 'withdrawal:' || w.public_id || ':paid'
    LEFT JOIN wallet_transfer AS back ON back.reverses_id = w.hold_id
    WHERE w.id IN (SELECT key FROM new_withdrawals)  -- only new
)

SELECT 'withdrawal_outcome' AS "check", 'withdrawal ' || id AS subject,
    format('is %s; paid by transfer %s, returned by transfer %s', status,
        coalesce(paid_id::text, 'none'), coalesce(back_id::text, 'none')) AS detail
FROM ways
WHERE (paid_id IS NOT NULL) <> (status = 'paid')
    OR (back_id IS NOT NULL) <> (status IN ('rejected', 'failed'))

UNION ALL
SELECT 'withdrawal_hold', 'withdrawal ' || w.id,
    format('has %s of deposit, %s of winnings and %s of tax, its hold took %s, %s and %s',
        w.deposit_minor, w.winnings_minor, w.tax_minor, h.deposit, h.winnings, h.tax)
FROM wallet_withdrawal AS w CROSS JOIN LATERAL (
    SELECT -coalesce(sum(e.amount_minor) FILTER (WHERE a.kind = 'deposit'), 0) AS deposit,
        -coalesce(sum(e.amount_minor) FILTER (WHERE a.kind = 'winnings'), 0) AS winnings,
        coalesce(sum(e.amount_minor) FILTER (WHERE a.kind = 'tds_payable'), 0) AS tax,
        count(*) FILTER (WHERE a.player_id <> w.player_id OR e.currency <> w.currency) AS strange
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
    WHERE e.transfer_id = w.hold_id
) AS h
WHERE ((h.deposit, h.winnings, h.tax) <> (w.deposit_minor, w.winnings_minor, w.tax_minor)
    OR h.strange <> 0)
    AND w.id IN (SELECT key FROM new_withdrawals)  -- only new

UNION ALL
SELECT 'withdrawal_paid', 'withdrawal ' || w.id,
    format('transfer %s did not pay %s out of its hold', w.paid_id,
        w.deposit_minor + w.winnings_minor - w.tax_minor)
FROM ways AS w
WHERE w.paid_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
    WHERE e.transfer_id = w.paid_id AND a.kind = 'withdrawal_hold' AND a.player_id = w.player_id
        AND e.currency = w.currency
        AND e.amount_minor = -(w.deposit_minor + w.winnings_minor - w.tax_minor))

UNION ALL
SELECT 'adjustment_differs', 'adjustment ' || x.id,
    format('transfer %s did not move %s from account %s to account %s',
        x.transfer_id, x.amount_minor, x.source_id, x.target_id)
FROM wallet_adjustment AS x
WHERE x.transfer_id IS NOT NULL AND 2 <> (
    SELECT count(*) FROM wallet_entry AS e
    WHERE e.transfer_id = x.transfer_id AND (e.account_id, e.amount_minor)
        IN ((x.source_id, -x.amount_minor), (x.target_id, x.amount_minor)))
    AND x.id IN (SELECT key FROM wallet_new_keys('wallet_adjustment'))  -- only new

UNION ALL
-- A frozen account needs a staff action; so does an account that is open after one that froze it.
SELECT 'thawed_without_an_act', 'account ' || a.id, 'is open, but its last action is a freeze'
FROM wallet_account AS a
WHERE a.status = 'open' AND 'freeze' = (
    SELECT f.act FROM wallet_accountfreeze AS f WHERE f.account_id = a.id ORDER BY f.id DESC LIMIT 1)
    AND a.id IN (SELECT key FROM new_accounts)  -- only new

UNION ALL
SELECT 'frozen_without_an_act', 'account ' || a.id, 'is frozen without a staff action'
FROM wallet_account AS a
WHERE a.status = 'frozen' AND 'freeze' IS DISTINCT FROM (
    SELECT f.act FROM wallet_accountfreeze AS f WHERE f.account_id = a.id ORDER BY f.id DESC LIMIT 1)
    AND a.id IN (SELECT key FROM new_accounts)  -- only new

ORDER BY 1, 2
LIMIT 1000
