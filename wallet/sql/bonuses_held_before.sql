-- Bonus money from before there were lots becomes one lot per bucket, with a month to go.

INSERT INTO wallet_bonusgrant (
    public_id, account_id, transfer_id, mode, amount_minor, remaining_minor, reason, granted_at,
    expires_at)
SELECT gen_random_uuid(), a.id, first.transfer_id, 'spend', sum(greatest(e.amount_minor, 0)),
    a.balance_minor, 'Bonus from before', first.created_at, clock_timestamp() + interval '30 days'
FROM wallet_account AS a
JOIN wallet_entry AS e ON e.account_id = a.id
CROSS JOIN LATERAL (
    SELECT t.id AS transfer_id, t.created_at
    FROM wallet_entry AS o JOIN wallet_transfer AS t ON t.id = o.transfer_id
    WHERE o.account_id = a.id ORDER BY o.account_version LIMIT 1
) AS first
WHERE a.kind = 'bonus'
    AND NOT EXISTS (SELECT FROM wallet_bonusgrant AS g WHERE g.account_id = a.id)
GROUP BY a.id, first.transfer_id, first.created_at;

INSERT INTO wallet_bonusmovement (grant_id, transfer_id, amount_minor)
SELECT g.id, e.transfer_id, e.amount_minor
FROM wallet_bonusgrant AS g JOIN wallet_entry AS e ON e.account_id = g.account_id
WHERE NOT EXISTS (SELECT FROM wallet_bonusmovement AS m WHERE m.grant_id = g.id);

UPDATE wallet_stakepart AS p SET grant_id = g.id
FROM wallet_bonusgrant AS g
WHERE g.account_id = p.account_id AND p.grant_id IS NULL;
