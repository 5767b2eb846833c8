-- Compare games with the ledger: results, scores and buy-ins with the transfers. Each row is a difference:
-- (check, subject, detail).
WITH
new_tables AS (  -- only new
    SELECT key FROM wallet_new_keys('tables_table')  -- only new
    UNION SELECT name::bigint FROM wallet_new_names('tables_result', 'table_id')  -- only new
    UNION SELECT id FROM tables_table WHERE escrow_account_id IN (SELECT key FROM wallet_new_accounts())  -- only new
),  -- only new
-- Deals whose scores or changes of stacks are new.
new_deals AS (  -- only new
    SELECT d.table_id, d.no, format('deal:%s:%s', d.table_id, d.no) AS key  -- only new
    FROM tables_deal AS d  -- only new
    WHERE d.id IN (SELECT name::bigint FROM wallet_new_names('tables_score', 'deal_id'))  -- only new
    UNION  -- only new
    SELECT split_part(n.name, ':', 2)::bigint, split_part(n.name, ':', 3)::integer, n.name  -- only new
    FROM wallet_new_names('wallet_stackchange', 'key') AS n WHERE n.name ~ '^deal:\d{1,18}:\d{1,9}$'  -- only new
),  -- only new
-- Prizes paid from a game's escrow to winnings.
paid AS (
    SELECT g.id AS table_id, a.player_id, sum(e.amount_minor) AS minor
    FROM tables_table AS g
    JOIN wallet_entry AS gave ON gave.account_id = g.escrow_account_id AND gave.amount_minor < 0
    JOIN wallet_transfer AS t ON t.id = gave.transfer_id AND t.kind = 'prize'
    JOIN wallet_entry AS e ON e.transfer_id = t.id
    JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'winnings'
    WHERE g.id IN (SELECT key FROM new_tables)  -- only new
    GROUP BY g.id, a.player_id
),
results AS (
    SELECT r.table_id, s.player_id, sum(r.prize_minor) AS minor
    FROM tables_result AS r JOIN tables_seat AS s ON s.table_id = r.table_id AND s.id = r.seat_id
    JOIN tables_table AS g ON g.id = r.table_id AND g.stake_mode = 'cash'
    WHERE r.table_id IN (SELECT key FROM new_tables)  -- only new
    GROUP BY r.table_id, s.player_id
),
-- Wins and losses of deals at points tables, by the stacks and by the scores.
stacks AS (
    SELECT c.key, k.player_id, sum(c.amount_minor) AS minor
    FROM wallet_stackchange AS c JOIN wallet_stake AS k ON k.id = c.stake_id
    JOIN tables_table AS g ON g.escrow_account_id = k.escrow_id
    WHERE c.key IN (SELECT key FROM new_deals)  -- only new
    GROUP BY c.key, k.player_id
),
scores AS (
    SELECT format('deal:%s:%s', d.table_id, d.no) AS key, s.player_id, sum(c.won_minor) AS minor
    FROM tables_score AS c JOIN tables_deal AS d ON d.table_id = c.table_id AND d.id = c.deal_id
    JOIN tables_seat AS s ON s.table_id = c.table_id AND s.id = c.seat_id
    WHERE c.won_minor <> 0
        AND (d.table_id, d.no) IN (SELECT table_id, no FROM new_deals)  -- only new
    GROUP BY d.table_id, d.no, s.player_id
),
moves AS (
    SELECT m.deal_id, count(*)::text AS moves, encode(sha256(convert_to(
        string_agg(tables_move_as_text(m), '' ORDER BY m.ply), 'UTF8')), 'hex') AS hash
    FROM tables_move AS m
    WHERE m.deal_id IN (SELECT key FROM wallet_new_keys('tables_move'))  -- only new
    GROUP BY m.deal_id
),
-- Archived months of moves (core/partitions), and their deals.
away AS (
    SELECT month, row_count FROM core_archivedmonth WHERE relation = 'tables_move' AND restored_at IS NULL
        AND id IN (SELECT key FROM wallet_new_keys('core_archivedmonth'))  -- only new
),
away_deals AS (
    SELECT d.id, a.month
    FROM tables_deal AS d JOIN away AS a ON a.month = date_trunc('month', d.started_at AT TIME ZONE 'UTC')::date
),
moves_kept AS (
    SELECT row_key, facts ->> 'moves' AS moves, facts ->> 'sha256' AS hash
    FROM wallet_rowversion WHERE relation = 'tables_move'
        AND xid >= wallet_new_xid()  -- only new
)

SELECT 'result_prize' AS "check", 'table ' || coalesce(r.table_id, p.table_id) AS subject,
    format('its results give player %s %s, the ledger %s', coalesce(r.player_id, p.player_id),
        coalesce(r.minor, 0), coalesce(p.minor, 0)) AS detail
FROM results AS r FULL JOIN paid AS p ON p.table_id = r.table_id AND p.player_id = r.player_id
WHERE coalesce(r.minor, 0) <> coalesce(p.minor, 0)

UNION ALL
SELECT 'score_stack', coalesce(c.key, s.key),
    format('its scores give player %s %s, the stacks %s', coalesce(c.player_id, s.player_id),
        coalesce(c.minor, 0), coalesce(s.minor, 0))
FROM scores AS c FULL JOIN stacks AS s ON s.key = c.key AND s.player_id = c.player_id
WHERE coalesce(c.minor, 0) <> coalesce(s.minor, 0)

UNION ALL
SELECT 'buy_in_stake', 'buy-in ' || b.id,
    format('of player %s at table %s, its stake is of player %s in account %s', s.player_id, s.table_id,
        k.player_id, k.escrow_id)
FROM tables_buyin AS b JOIN tables_seat AS s ON s.table_id = b.table_id AND s.id = b.seat_id
JOIN tables_table AS g ON g.id = b.table_id
JOIN wallet_stake AS k ON k.id = b.stake_id
WHERE (k.player_id <> s.player_id
    OR (k.escrow_id = g.escrow_account_id OR k.escrow_id = g.rejoin_account_id) IS NOT TRUE)
    AND b.id IN (SELECT key FROM wallet_new_keys('tables_buyin'))  -- only new

UNION ALL
SELECT 'stake_without_a_seat', 'stake ' || k.id, format('lies in table %s, and no seat bought in with it', g.id)
FROM wallet_stake AS k JOIN tables_table AS g ON g.escrow_account_id = k.escrow_id
LEFT JOIN tables_buyin AS b ON b.table_id = g.id AND b.stake_id = k.id
WHERE b.id IS NULL
    AND k.id IN (SELECT key FROM wallet_new_keys('wallet_stake'))  -- only new

UNION ALL
-- A seat's payment equals the table's entry; at a points table the stack is the player's choice.
SELECT 'buy_in_price', 'buy-in ' || b.id,
    format('of table %s paid %s with a rake of %s, its entry is %s', b.table_id, k.entry_minor, k.rake_minor, g.entry_minor)
FROM tables_buyin AS b JOIN tables_table AS g ON g.id = b.table_id JOIN wallet_stake AS k ON k.id = b.stake_id
WHERE CASE WHEN g.point_value_minor > 0 THEN k.rake_minor <> 0
        ELSE (k.entry_minor, k.rake_minor) <> (g.entry_minor, g.entry_minor * g.rake_bps / 10000) END
    AND (b.id IN (SELECT key FROM wallet_new_keys('tables_buyin'))  -- only new
        OR b.table_id IN (SELECT key FROM wallet_new_keys('tables_table')))  -- only new

UNION ALL
SELECT 'seat_not_paid', 'seat ' || s.id, format('plays at table %s, and nothing was paid for it', s.table_id)
FROM tables_seat AS s JOIN tables_table AS g ON g.id = s.table_id AND g.stake_mode = 'cash'
LEFT JOIN tables_buyin AS b ON b.table_id = s.table_id AND b.seat_id = s.id
WHERE s.number IS NOT NULL AND b.id IS NULL
    AND s.id IN (SELECT key FROM wallet_new_keys('tables_seat'))  -- only new

UNION ALL
SELECT 'bot_for_money', 'seat ' || s.id, format('is a bot''s at table %s, for %s', s.table_id, g.currency)
FROM tables_seat AS s JOIN tables_table AS g ON g.id = s.table_id AND g.stake_mode = 'cash' AND g.currency <> 'PTS'
JOIN players_user AS u ON u.id = s.player_id AND u.is_bot
WHERE (s.id IN (SELECT key FROM wallet_new_keys('tables_seat'))  -- only new
    OR u.id IN (SELECT key FROM wallet_new_keys('players_user')))  -- only new

UNION ALL
SELECT 'table_over_with_money', 'table ' || g.id, format('is %s, its account holds %s', g.phase, a.balance_minor)
FROM tables_table AS g JOIN wallet_account AS a ON a.id = g.escrow_account_id
WHERE g.phase IN ('finished', 'cancelled') AND a.balance_minor <> 0
    AND g.id IN (SELECT key FROM new_tables)  -- only new

UNION ALL
-- The moves of a deal, compared with the hash stored when the deal was over.
SELECT 'moves_rewritten', 'deal ' || d.id,
    format('has %s moves, had %s when it ended', coalesce(m.moves, '0'), k.moves)
FROM moves_kept AS k JOIN tables_deal AS d ON d.id::text = k.row_key LEFT JOIN moves AS m ON m.deal_id = d.id
WHERE (k.moves <> coalesce(m.moves, '0') OR k.hash <> coalesce(m.hash, encode(sha256(''), 'hex')))
    AND d.id NOT IN (SELECT id FROM away_deals)

UNION ALL
-- An archive file holds exactly the moves that its deals had, and none remain in or were added to the database.
SELECT 'moves_archived', 'month ' || to_char(a.month, 'YYYY-MM'),
    format('its file holds %s moves, its deals had %s, and %s are here', a.row_count, coalesce(p.moves_kept, 0),
        coalesce(p.here, 0))
FROM away AS a LEFT JOIN (
    SELECT w.month, sum(k.moves::bigint) AS moves_kept, sum(m.moves::bigint) AS here
    FROM away_deals AS w LEFT JOIN moves_kept AS k ON k.row_key = w.id::text LEFT JOIN moves AS m ON m.deal_id = w.id
    GROUP BY w.month
) AS p ON p.month = a.month
WHERE a.row_count <> coalesce(p.moves_kept, 0) OR p.here <> 0

UNION ALL
-- Foreign keys that distribution by table forbids (docs/adr/0009-keys-for-distribution-and-partitions.md).
SELECT 'reference_lost', r.name || ' ' || r.id, format('names %s %s, which is not there', r.what, r.named)
FROM (
    SELECT 'seat' AS name, s.id, 'player' AS what, s.player_id AS named
    FROM tables_seat AS s LEFT JOIN players_user AS u ON u.id = s.player_id WHERE u.id IS NULL
        AND s.id IN (SELECT key FROM wallet_new_keys('tables_seat'))  -- only new
    UNION ALL
    SELECT 'table', g.id, 'player', g.opened_by_id
    FROM tables_table AS g LEFT JOIN players_user AS u ON u.id = g.opened_by_id
    WHERE g.opened_by_id IS NOT NULL AND u.id IS NULL
        AND g.id IN (SELECT key FROM new_tables)  -- only new
    UNION ALL
    SELECT 'table', g.id, 'account', g.escrow_account_id
    FROM tables_table AS g LEFT JOIN wallet_account AS a ON a.id = g.escrow_account_id
    WHERE g.escrow_account_id IS NOT NULL AND a.id IS NULL
        AND g.id IN (SELECT key FROM new_tables)  -- only new
    UNION ALL
    SELECT 'table', g.id, 'account', g.rejoin_account_id
    FROM tables_table AS g LEFT JOIN wallet_account AS a ON a.id = g.rejoin_account_id
    WHERE g.rejoin_account_id IS NOT NULL AND a.id IS NULL
        AND g.id IN (SELECT key FROM new_tables)  -- only new
    UNION ALL
    SELECT 'buy-in', b.id, 'stake', b.stake_id
    FROM tables_buyin AS b LEFT JOIN wallet_stake AS k ON k.id = b.stake_id WHERE k.id IS NULL
        AND b.id IN (SELECT key FROM wallet_new_keys('tables_buyin'))  -- only new
    UNION ALL
    SELECT 'ruling', r.id, 'table', r.table_id
    FROM tables_ruling AS r LEFT JOIN tables_table AS g ON g.id = r.table_id WHERE g.id IS NULL
        AND r.id IN (SELECT key FROM wallet_new_keys('tables_ruling'))  -- only new
    UNION ALL
    SELECT 'ruling', r.id, 'deal', r.deal_id
    FROM tables_ruling AS r LEFT JOIN tables_deal AS d ON d.id = r.deal_id
    WHERE r.deal_id IS NOT NULL AND d.id IS NULL
        AND r.id IN (SELECT key FROM wallet_new_keys('tables_ruling'))  -- only new
    UNION ALL
    SELECT 'dispute', p.id, 'deal', p.deal_id
    FROM tables_dispute AS p LEFT JOIN tables_deal AS d ON d.id = p.deal_id WHERE d.id IS NULL
        AND p.id IN (SELECT key FROM wallet_new_keys('tables_dispute'))  -- only new
    UNION ALL
    SELECT 'dispute', p.id, 'seat', p.seat_id
    FROM tables_dispute AS p LEFT JOIN tables_seat AS s ON s.id = p.seat_id WHERE s.id IS NULL
        AND p.id IN (SELECT key FROM wallet_new_keys('tables_dispute'))  -- only new
    UNION ALL
    SELECT 'review flag', f.id, 'seat', f.seat_id
    FROM tables_reviewflag AS f LEFT JOIN tables_seat AS s ON s.id = f.seat_id
    WHERE f.seat_id IS NOT NULL AND s.id IS NULL
    UNION ALL
    SELECT 'review flag', f.id, 'seat', f.other_id
    FROM tables_reviewflag AS f LEFT JOIN tables_seat AS s ON s.id = f.other_id
    WHERE f.other_id IS NOT NULL AND s.id IS NULL
    UNION ALL
    SELECT 'review flag', f.id, 'table', f.table_id
    FROM tables_reviewflag AS f LEFT JOIN tables_table AS g ON g.id = f.table_id
    WHERE f.table_id IS NOT NULL AND g.id IS NULL
) AS r

UNION ALL
SELECT 'stake_twice', 'buy-in ' || b.id, format('shares stake %s with another', b.stake_id)
FROM (SELECT id, stake_id, count(*) OVER (PARTITION BY stake_id) AS buyins FROM tables_buyin
    WHERE stake_id IN (SELECT name::bigint FROM wallet_new_names('tables_buyin', 'stake_id'))  -- only new
) AS b
WHERE b.buyins > 1

UNION ALL
-- Copies of columns that statements of a move read instead of the original rows.
SELECT 'address_differs', 'table ' || coalesce(g.id, a.table_id),
    format('is %s, its address %s', g.public_id, a.public_id)
FROM (
    SELECT id, public_id FROM tables_table
    WHERE id IN (SELECT key FROM new_tables)  -- only new
) AS g FULL JOIN (
    SELECT table_id, public_id FROM tables_address
    WHERE public_id IN (SELECT public_id FROM tables_table WHERE id IN (SELECT key FROM new_tables))  -- only new
) AS a ON a.table_id = g.id
WHERE g.public_id IS DISTINCT FROM a.public_id

UNION ALL
SELECT 'name_differs', 'player ' || coalesce(u.id, n.player_id), 'is called otherwise at tables'
FROM (
    SELECT id, handle, is_bot, avatar, owner_id FROM players_user
    WHERE id IN (SELECT key FROM wallet_new_keys('players_user'))  -- only new
) AS u FULL JOIN (
    SELECT player_id, handle, is_bot, avatar, owner_id FROM players_playername
    WHERE player_id IN (SELECT key FROM wallet_new_keys('players_user'))  -- only new
) AS n ON n.player_id = u.id
WHERE (u.handle, u.is_bot, u.avatar, u.owner_id) IS DISTINCT FROM (n.handle, n.is_bot, n.avatar, n.owner_id)

ORDER BY 1, 2
LIMIT 1000
