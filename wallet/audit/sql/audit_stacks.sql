-- Stacks recomputed: each row is a difference, (check, subject, detail).
WITH
new_escrows AS (SELECT key FROM wallet_new_escrows()),
changed AS (
    SELECT s.escrow_id, s.player_id, sum(c.amount_minor) AS total
    FROM wallet_stackchange AS c JOIN wallet_stake AS s ON s.id = c.stake_id
    WHERE s.escrow_id IN (SELECT key FROM new_escrows)  -- only new
    GROUP BY s.escrow_id, s.player_id
),
-- What the parts say of the same: won, less what went to others.
parted AS (
    SELECT s.escrow_id, s.player_id,
        sum(CASE WHEN p.is_won THEN p.amount_minor ELSE 0 END) - sum(p.consumed_minor) AS total
    FROM wallet_stakepart AS p JOIN wallet_stake AS s ON s.id = p.stake_id
    WHERE s.escrow_id IN (SELECT escrow_id FROM changed)
    GROUP BY s.escrow_id, s.player_id
),
per_key AS (
    SELECT key, sum(amount_minor) AS total FROM wallet_stackchange
    WHERE key IN (SELECT name FROM wallet_new_names('wallet_stackchange', 'key'))  -- only new
    GROUP BY key
)

SELECT 'stack_changes' AS "check",
    format('player %s in escrow %s', p.player_id, p.escrow_id) AS subject,
    format('deals changed it by %s, its parts by %s', coalesce(c.total, 0), p.total) AS detail
FROM parted AS p
LEFT JOIN changed AS c ON c.escrow_id = p.escrow_id AND c.player_id = p.player_id
WHERE coalesce(c.total, 0) <> p.total

UNION ALL
SELECT 'stack_change_unbalanced', k.key, format('changes sum to %s, rake is %s', k.total, r.rake)
FROM per_key AS k CROSS JOIN LATERAL (
    SELECT coalesce(sum(e.amount_minor), 0) AS rake
    FROM wallet_transfer AS t JOIN wallet_entry AS e ON e.transfer_id = t.id
    JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'rake'
    WHERE t.key = k.key
) AS r
WHERE k.total + r.rake <> 0

UNION ALL
SELECT 'won_part_not_winnings', 'part ' || p.id, 'would be paid to account ' || p.account_id
FROM wallet_stakepart AS p JOIN wallet_stake AS s ON s.id = p.stake_id
JOIN wallet_account AS a ON a.id = p.account_id
WHERE p.is_won AND (a.kind <> 'winnings' OR a.player_id IS DISTINCT FROM s.player_id)
    AND s.escrow_id IN (SELECT key FROM new_escrows)  -- only new

UNION ALL
SELECT 'won_without_a_deal', 'stake ' || p.stake_id, 'won, and no deal says so'
FROM wallet_stakepart AS p JOIN wallet_stake AS s ON s.id = p.stake_id
WHERE p.is_won AND s.escrow_id NOT IN (SELECT escrow_id FROM changed)
    AND s.escrow_id IN (SELECT key FROM new_escrows)  -- only new

ORDER BY 1, 2
LIMIT 1000
