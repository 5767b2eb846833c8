-- Recompute stacks and changes of stakes. Each row is a difference: (check, subject, detail).
WITH
new_escrows AS (SELECT key FROM wallet_new_escrows()),
changed AS (
    SELECT s.escrow_id, s.player_id, sum(c.amount_minor) AS total
    FROM wallet_stackchange AS c JOIN wallet_stake AS s ON s.id = c.stake_id
    WHERE s.escrow_id IN (SELECT key FROM new_escrows)  -- only new
    GROUP BY s.escrow_id, s.player_id
),
-- The same from the parts: winnings, less what was passed to others.
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
-- The state of a part is the sum of its changes, all on its account.
SELECT 'stake_part_changes', 'part ' || coalesce(p.id, c.part_id),
    format('of %s with %s consumed, %s returned; its changes sum to %s, %s and %s', p.amount_minor,
        p.consumed_minor, p.returned_minor, c.amount, c.consumed, c.returned)
FROM (
    SELECT * FROM wallet_stakepart
    WHERE id IN (SELECT key FROM wallet_changed_parts())  -- only new
) AS p FULL JOIN (
    SELECT part_id, sum(amount_minor) AS amount, sum(consumed_minor) AS consumed, sum(returned_minor) AS returned,
        min(account_id) AS account_id, max(account_id) AS last_account_id
    FROM wallet_stakepartchange
    WHERE part_id IN (SELECT key FROM wallet_changed_parts())  -- only new
    GROUP BY part_id
) AS c ON c.part_id = p.id
WHERE (p.amount_minor = c.amount AND p.consumed_minor = c.consumed AND p.returned_minor = c.returned
    AND p.account_id = c.account_id AND p.account_id = c.last_account_id) IS NOT TRUE

UNION ALL
-- A paid amount is in the game from the day of the payment on.
SELECT 'stake_change_off_its_day', 'change ' || c.id,
    format('counts on %s, its stake was paid on %s', c.booked_on, t.booked_on)
FROM wallet_stakepartchange AS c
JOIN wallet_stakepart AS p ON p.id = c.part_id AND NOT p.is_won
JOIN wallet_stake AS s ON s.id = p.stake_id
JOIN wallet_transfer AS t ON t.id = s.transfer_id
WHERE (c.booked_on < t.booked_on OR c.amount_minor > 0 AND c.booked_on <> t.booked_on)
    AND c.part_id IN (SELECT key FROM wallet_changed_parts())  -- only new

UNION ALL
SELECT 'won_part_not_winnings', 'part ' || p.id, 'would be paid to account ' || p.account_id
FROM wallet_stakepart AS p JOIN wallet_stake AS s ON s.id = p.stake_id
JOIN wallet_account AS a ON a.id = p.account_id
WHERE p.is_won AND (a.kind <> 'winnings' OR a.player_id IS DISTINCT FROM s.player_id)
    AND s.escrow_id IN (SELECT key FROM new_escrows)  -- only new

UNION ALL
SELECT 'won_without_a_deal', 'stake ' || p.stake_id, 'won without a deal'
FROM wallet_stakepart AS p JOIN wallet_stake AS s ON s.id = p.stake_id
WHERE p.is_won AND s.escrow_id NOT IN (SELECT escrow_id FROM changed)
    AND s.escrow_id IN (SELECT key FROM new_escrows)  -- only new

ORDER BY 1, 2
LIMIT 1000
