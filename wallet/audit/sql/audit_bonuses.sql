-- Recompute bonuses on one snapshot. Each row is a difference: (check, subject, detail).
WITH
new_accounts AS (SELECT key FROM wallet_new_accounts()),
new_lots AS (
    SELECT key FROM wallet_new_keys('wallet_bonusgrant')
    UNION SELECT name::bigint FROM wallet_new_names('wallet_bonusmovement', 'grant_id')
    UNION SELECT name::bigint FROM wallet_new_names('wallet_stakepart', 'grant_id')
    UNION SELECT p.grant_id FROM wallet_stakepart AS p JOIN wallet_changed_parts() AS n ON n.key = p.id
        WHERE p.grant_id IS NOT NULL
),
per_account AS (
    SELECT account_id, sum(remaining_minor) AS remaining FROM wallet_bonusgrant
    WHERE account_id IN (SELECT key FROM new_accounts)  -- only new
    GROUP BY account_id
),
per_lot AS (
    SELECT grant_id, sum(amount_minor) AS moved FROM wallet_bonusmovement
    WHERE grant_id IN (SELECT key FROM new_lots)  -- only new
    GROUP BY grant_id
),
-- The change of each transfer to the lots of an account, and to the account.
per_posting AS (
    SELECT m.transfer_id, g.account_id, sum(m.amount_minor) AS moved
    FROM wallet_bonusmovement AS m JOIN wallet_bonusgrant AS g ON g.id = m.grant_id
    WHERE m.transfer_id >= wallet_new_transfer()  -- only new
    GROUP BY m.transfer_id, g.account_id
),
bonus_entries AS (
    SELECT e.transfer_id, e.account_id, e.amount_minor
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
    WHERE a.kind IN ('bonus', 'locked_bonus')
        AND e.transfer_id >= wallet_new_transfer()  -- only new
)

SELECT 'bonus_unexplained' AS "check", 'account ' || a.id AS subject,
    format('holds %s, its bonuses explain %s', a.balance_minor, coalesce(l.remaining, 0)) AS detail
FROM wallet_account AS a LEFT JOIN per_account AS l ON l.account_id = a.id
WHERE a.kind IN ('bonus', 'locked_bonus') AND a.balance_minor <> coalesce(l.remaining, 0)
    AND a.id IN (SELECT key FROM new_accounts)  -- only new

UNION ALL
SELECT 'bonus_drift', 'bonus ' || g.id,
    format('%s left, its movements add up to %s', g.remaining_minor, coalesce(m.moved, 0))
FROM wallet_bonusgrant AS g LEFT JOIN per_lot AS m ON m.grant_id = g.id
WHERE g.remaining_minor <> coalesce(m.moved, 0)
    AND g.id IN (SELECT key FROM new_lots)  -- only new

UNION ALL
SELECT 'bonus_movement', 'transfer ' || coalesce(p.transfer_id, e.transfer_id),
    format('moved %s on account %s, and its bonuses by %s', coalesce(e.amount_minor, 0),
        coalesce(p.account_id, e.account_id), coalesce(p.moved, 0))
FROM per_posting AS p FULL JOIN bonus_entries AS e
    ON e.transfer_id = p.transfer_id AND e.account_id = p.account_id
WHERE p.moved IS DISTINCT FROM e.amount_minor

UNION ALL
SELECT 'bonus_terms', 'bonus ' || g.id,
    format('%s of %s in an account of kind %s', g.mode, g.amount_minor, a.kind)
FROM wallet_bonusgrant AS g JOIN wallet_account AS a ON a.id = g.account_id
WHERE (a.kind <> CASE g.mode WHEN 'spend' THEN 'bonus' ELSE 'locked_bonus' END
    OR NOT EXISTS (
        SELECT FROM wallet_entry AS e WHERE e.transfer_id = g.transfer_id
            AND e.account_id = g.account_id AND e.amount_minor BETWEEN 1 AND g.amount_minor))
    AND g.id IN (SELECT key FROM new_lots)  -- only new

UNION ALL
-- The amount granted, or, for a lot without a grant, all credits of its account.
SELECT 'bonus_amount', 'bonus ' || g.id, format('of %s, was credited with %s', g.amount_minor, m.given)
FROM wallet_bonusgrant AS g CROSS JOIN LATERAL (
    SELECT coalesce(sum(x.amount_minor) FILTER (WHERE x.transfer_id = g.transfer_id), 0) AS given,
        coalesce(sum(x.amount_minor) FILTER (WHERE x.amount_minor > 0), 0) AS came
    FROM wallet_bonusmovement AS x WHERE x.grant_id = g.id
) AS m
WHERE g.amount_minor NOT IN (m.given, m.came)
    AND g.id IN (SELECT key FROM new_lots)  -- only new

UNION ALL
SELECT 'bonus_returned', 'bonus ' || g.id,
    format('its parts were refunded %s, its movements %s', p.returned, m.returned)
FROM wallet_bonusgrant AS g CROSS JOIN LATERAL (
    SELECT coalesce(sum(x.returned_minor), 0) AS returned
    FROM wallet_stakepart AS x WHERE x.grant_id = g.id
) AS p CROSS JOIN LATERAL (
    SELECT coalesce(sum(x.amount_minor), 0) AS returned
    FROM wallet_bonusmovement AS x JOIN wallet_transfer AS t ON t.id = x.transfer_id
    WHERE x.grant_id = g.id AND x.amount_minor > 0 AND t.kind <> 'bonus'
) AS m
WHERE p.returned <> m.returned
    AND g.id IN (SELECT key FROM new_lots)  -- only new

UNION ALL
SELECT 'bonus_part', 'part ' || p.id || ' of stake ' || p.stake_id,
    'is of account ' || p.account_id || ' and of bonus ' || coalesce(p.grant_id::text, 'none')
FROM wallet_stakepart AS p JOIN wallet_account AS a ON a.id = p.account_id
LEFT JOIN wallet_bonusgrant AS g ON g.id = p.grant_id
WHERE (a.kind = 'bonus' OR p.grant_id IS NOT NULL) AND g.account_id IS DISTINCT FROM p.account_id
    AND p.id IN (SELECT key FROM wallet_new_keys('wallet_stakepart'))  -- only new

UNION ALL
SELECT 'bonus_spent', 'stake ' || p.stake_id,
    format('took %s of bonus %s, which moved by %s', p.amount, p.grant_id, m.amount_minor)
FROM (
    SELECT stake_id, grant_id, sum(amount_minor) AS amount FROM wallet_stakepart
    WHERE grant_id IS NOT NULL
        AND grant_id IN (SELECT key FROM new_lots)  -- only new
    GROUP BY stake_id, grant_id
) AS p JOIN wallet_stake AS s ON s.id = p.stake_id
LEFT JOIN wallet_bonusmovement AS m ON m.transfer_id = s.transfer_id AND m.grant_id = p.grant_id
WHERE m.amount_minor IS DISTINCT FROM -p.amount

UNION ALL
-- A settled entry releases its share once, and never more than the share; other entries release nothing.
SELECT 'bonus_released', 'transfer ' || t.id, format('%s released %s', t.key, -sum(m.amount_minor))
FROM wallet_transfer AS t
JOIN wallet_bonusmovement AS m ON m.transfer_id = t.id
JOIN wallet_bonusgrant AS g ON g.id = m.grant_id
LEFT JOIN wallet_stake AS s ON t.key = 'release:' || s.id
WHERE t.kind = 'release'
    AND t.id >= wallet_new_transfer()  -- only new
GROUP BY t.id, s.id
HAVING s.id IS NULL OR s.status <> 'settled'
    OR -sum(m.amount_minor) > s.entry_minor::numeric * max(g.release_bps) / 10000

ORDER BY 1, 2
LIMIT 1000
