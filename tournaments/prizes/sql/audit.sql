-- Compare the prizes, entries and tickets of tournaments with the ledger. Each row is a difference: (check, subject,
-- detail).
WITH
new_accounts AS (SELECT key FROM wallet_new_accounts()),  -- only new
new_tournaments AS (  -- only new
    SELECT key FROM wallet_new_keys('tournaments_tournament')  -- only new
    UNION SELECT name::bigint FROM wallet_new_names('tournaments_entry', 'tournament_id')  -- only new
    UNION SELECT name::bigint FROM wallet_new_names('tournaments_prize', 'tournament_id')  -- only new
    UNION SELECT id FROM tournaments_tournament WHERE escrow_account_id IN (SELECT key FROM new_accounts)  -- only new
),  -- only new
new_tickets AS (  -- only new
    SELECT key FROM wallet_new_keys('tournaments_ticket')  -- only new
    UNION SELECT id FROM tournaments_ticket WHERE account_id IN (SELECT key FROM new_accounts)  -- only new
),  -- only new
-- Prizes paid from a tournament's escrow, in money and tickets.
paid AS (
    SELECT g.id AS tournament_id, a.player_id, sum(e.amount_minor) AS minor
    FROM tournaments_tournament AS g
    JOIN wallet_entry AS gave ON gave.account_id = g.escrow_account_id AND gave.amount_minor < 0
    JOIN wallet_transfer AS t ON t.id = gave.transfer_id AND t.kind = 'prize'
    JOIN wallet_entry AS e ON e.transfer_id = t.id
    JOIN wallet_account AS a ON a.id = e.account_id AND a.kind IN ('winnings', 'ticket')
    WHERE g.id IN (SELECT key FROM new_tournaments)  -- only new
    GROUP BY g.id, a.player_id
),
won AS (
    SELECT tournament_id, player_id, sum(prize_minor) AS minor
    FROM tournaments_entry
    WHERE tournament_id IN (SELECT key FROM new_tournaments)  -- only new
    GROUP BY tournament_id, player_id
),
-- The operator's net contribution to a guarantee.
overlays AS (
    SELECT e.account_id, sum(e.amount_minor) AS minor
    FROM wallet_account AS guarantee
    JOIN wallet_entry AS expense ON expense.account_id = guarantee.id
    JOIN wallet_entry AS e ON e.transfer_id = expense.transfer_id AND e.account_id <> guarantee.id
    WHERE guarantee.kind = 'guarantee'
        AND e.account_id IN (  -- only new
            SELECT escrow_account_id FROM tournaments_tournament WHERE id IN (SELECT key FROM new_tournaments)  -- only new
            UNION ALL SELECT key FROM new_accounts)  -- only new
    GROUP BY e.account_id
),
-- Prizes paid from a season's escrow, and the ends of the seasons. There are few seasons, so all are compared.
season_paid AS (
    SELECT s.id AS season_id, a.player_id, sum(e.amount_minor) AS minor
    FROM tournaments_season AS s
    JOIN wallet_entry AS gave ON gave.account_id = s.escrow_account_id AND gave.amount_minor < 0
    JOIN wallet_transfer AS t ON t.id = gave.transfer_id AND t.kind = 'prize'
    JOIN wallet_entry AS e ON e.transfer_id = t.id
    JOIN wallet_account AS a ON a.id = e.account_id AND a.player_id IS NOT NULL
    GROUP BY s.id, a.player_id
),
season_won AS (SELECT season_id, player_id, prize_minor AS minor FROM tournaments_outcome WHERE prize_minor > 0),
promised AS (
    SELECT tournament_id, sum(amount_minor) AS minor FROM tournaments_prize
    WHERE tournament_id IN (SELECT key FROM new_tournaments)  -- only new
    GROUP BY tournament_id
)

SELECT 'tournament_prize' AS "check", 'tournament ' || coalesce(w.tournament_id, p.tournament_id) AS subject,
    format('entries give player %s %s, the ledger %s', coalesce(w.player_id, p.player_id),
        coalesce(w.minor, 0), coalesce(p.minor, 0)) AS detail
FROM won AS w FULL JOIN paid AS p ON p.tournament_id = w.tournament_id AND p.player_id = w.player_id
WHERE coalesce(w.minor, 0) <> coalesce(p.minor, 0)

UNION ALL
SELECT 'prize_list', 'tournament ' || g.id,
    format('the prizes sum to %s, the pool is %s', coalesce(p.minor, 0), g.prize_minor)
FROM tournaments_tournament AS g LEFT JOIN promised AS p ON p.tournament_id = g.id
WHERE g.frozen_at IS NOT NULL AND coalesce(p.minor, 0) <> g.prize_minor
    AND g.id IN (SELECT key FROM new_tournaments)  -- only new

UNION ALL
SELECT 'tournament_overlay', 'tournament ' || g.id,
    format('has an overlay of %s, the ledger %s', g.overlay_minor, coalesce(o.minor, 0))
FROM tournaments_tournament AS g LEFT JOIN overlays AS o ON o.account_id = g.escrow_account_id
WHERE g.overlay_minor <> coalesce(o.minor, 0)
    AND g.id IN (SELECT key FROM new_tournaments)  -- only new

UNION ALL
SELECT 'season_prize', 'season ' || coalesce(w.season_id, p.season_id),
    format('its end gives player %s %s, the ledger %s', coalesce(w.player_id, p.player_id),
        coalesce(w.minor, 0), coalesce(p.minor, 0))
FROM season_won AS w FULL JOIN season_paid AS p ON p.season_id = w.season_id AND p.player_id = w.player_id
WHERE coalesce(w.minor, 0) <> coalesce(p.minor, 0)

UNION ALL
SELECT 'season_overlay', 'season ' || s.id,
    format('has an overlay of %s, its escrow %s', s.overlay_minor,
        coalesce((SELECT sum(e.amount_minor) FROM wallet_entry AS e JOIN wallet_transfer AS t ON t.id = e.transfer_id
            WHERE e.account_id = s.escrow_account_id AND t.document = 'guarantee'), 0))
FROM tournaments_season AS s
WHERE s.overlay_minor <> coalesce((
    SELECT sum(e.amount_minor) FROM wallet_entry AS e JOIN wallet_transfer AS t ON t.id = e.transfer_id
    WHERE e.account_id = s.escrow_account_id AND t.document = 'guarantee'), 0)

UNION ALL
SELECT 'season_escrow', 'season ' || s.id, format('has ended, and its escrow holds %s', a.balance_minor)
FROM tournaments_season AS s JOIN wallet_account AS a ON a.id = s.escrow_account_id
WHERE s.finished_at IS NOT NULL AND a.balance_minor <> 0

UNION ALL
SELECT 'entry_stake', 'entry ' || e.id,
    format('is of player %s, its stake of player %s in account %s', e.player_id, k.player_id, k.escrow_id)
FROM tournaments_entry AS e JOIN tournaments_tournament AS g ON g.id = e.tournament_id
JOIN wallet_stake AS k ON k.id IN (e.stake_id, e.addon_stake_id)
WHERE (k.player_id <> e.player_id OR k.escrow_id <> g.escrow_account_id)
    AND e.tournament_id IN (SELECT key FROM new_tournaments)  -- only new

UNION ALL
SELECT 'ticket_owner', 'ticket ' || k.id, format('is of player %s, its account of %s', k.player_id, a.player_id)
FROM tournaments_ticket AS k JOIN wallet_account AS a ON a.id = k.account_id
WHERE (a.kind <> 'ticket' OR a.player_id IS DISTINCT FROM k.player_id)
    AND k.id IN (SELECT key FROM new_tickets)  -- only new

UNION ALL
SELECT 'ticket_value', 'ticket ' || k.id,
    format('is %s with a value of %s, the balance of its account is %s', k.state, k.value_minor, a.balance_minor)
FROM tournaments_ticket AS k JOIN wallet_account AS a ON a.id = k.account_id
WHERE a.balance_minor <> CASE k.state WHEN 'issued' THEN k.value_minor ELSE 0 END
    AND k.id IN (SELECT key FROM new_tickets)  -- only new

UNION ALL
SELECT 'ticket_without_a_row', 'account ' || a.id, format('has a balance of %s and no ticket', a.balance_minor)
FROM wallet_account AS a LEFT JOIN tournaments_ticket AS k ON k.account_id = a.id
WHERE a.kind = 'ticket' AND a.balance_minor <> 0 AND k.id IS NULL
    AND a.id IN (SELECT key FROM new_accounts)  -- only new

UNION ALL
-- A payout of a ticket needs two members of staff other than its player.
SELECT 'ticket_paid_out', 'transfer ' || t.id, 'pays out a ticket without the decision of two people'
FROM wallet_transfer AS t
WHERE t.document = 'ticket' AND NOT ledger_is_trial() AND NOT EXISTS (
    SELECT FROM tournaments_ticketrefund AS r JOIN tournaments_ticket AS k ON k.id = r.ticket_id
    WHERE r.transfer_id = t.id AND r.status = 'approved'
        AND k.player_id NOT IN (r.made_by_id, r.checked_by_id)
        AND 2 = (
            SELECT count(DISTINCT d.act) FROM core_auditentry AS d
            WHERE d.kind = 'tournaments.ticketrefund' AND d.row = r.id::text
                AND (d.by_id, d.act) IN ((r.made_by_id, 'ask'), (r.checked_by_id, 'approve'))))
    AND t.id >= wallet_new_transfer()  -- only new

UNION ALL
-- An escrow account with entries belongs to a table, a tournament or a season.
SELECT 'escrow_without_a_game', 'account ' || a.id, format('has entries for %s, which does not exist', a.ref)
FROM wallet_account AS a
LEFT JOIN tables_table AS b ON b.escrow_account_id = a.id
LEFT JOIN tournaments_tournament AS g ON g.escrow_account_id = a.id
LEFT JOIN tournaments_season AS s ON s.escrow_account_id = a.id
WHERE a.kind = 'escrow' AND a.version > 0 AND b.id IS NULL AND g.id IS NULL AND s.id IS NULL AND NOT ledger_is_trial()
    AND a.id IN (SELECT key FROM new_accounts)  -- only new

UNION ALL
SELECT 'overlay_without_a_guarantee', 'account ' || o.account_id,
    format('received %s for a guarantee of %s', o.minor, coalesce(g.guarantee_minor, 0))
FROM overlays AS o
JOIN wallet_account AS a ON a.id = o.account_id AND a.kind = 'escrow'
LEFT JOIN tournaments_tournament AS g ON g.escrow_account_id = o.account_id
LEFT JOIN tournaments_season AS s ON s.escrow_account_id = o.account_id
WHERE o.minor > coalesce(g.guarantee_minor, (SELECT sum(pool) FROM unnest(s.pools_minor) AS pool), 0)

UNION ALL
-- A tournament's table belongs to one of its rounds.
SELECT 'table_without_a_round', 'table ' || b.id, format('is of %s and in no round', b.owner_ref)
FROM tables_table AS b LEFT JOIN tournaments_roundtable AS r ON r.table_id = b.id
WHERE b.owner_ref LIKE 'tournament:%' AND r.id IS NULL
    AND b.id IN (SELECT key FROM wallet_new_keys('tables_table'))  -- only new

UNION ALL
SELECT 'stake_without_an_entry', 'stake ' || k.id,
    format('is in tournament %s without an entry', g.id)
FROM wallet_stake AS k JOIN tournaments_tournament AS g ON g.escrow_account_id = k.escrow_id
LEFT JOIN tournaments_entry AS n ON n.tournament_id = g.id AND k.id IN (n.stake_id, n.addon_stake_id)
LEFT JOIN tables_buyin AS b ON b.stake_id = k.id
WHERE k.status <> 'refunded' AND n.id IS NULL AND b.id IS NULL
    AND k.id IN (SELECT key FROM wallet_new_keys('wallet_stake'))  -- only new

UNION ALL
-- Replaces a foreign key, which distribution by table forbids (docs/adr/0009-keys-for-distribution-and-partitions.md).
SELECT 'reference_lost', 'round table ' || r.id, format('refers to table %s, which does not exist', r.table_id)
FROM tournaments_roundtable AS r LEFT JOIN tables_table AS g ON g.id = r.table_id
WHERE r.table_id IS NOT NULL AND g.id IS NULL
    AND r.id IN (SELECT key FROM wallet_new_keys('tournaments_roundtable'))  -- only new

ORDER BY 1, 2
LIMIT 1000
