-- Check games for consistency: totals are the sums of scores, every seat dealt in has one score, and finished games
-- do not change. Each row is a difference: (check, subject, detail). tables/integrity/play_audit.py compares the
-- scores with the moves.
WITH
new_tables AS (  -- only new
    SELECT key FROM wallet_new_keys('tables_table')  -- only new
    UNION SELECT name::bigint FROM unnest(ARRAY['tables_seat', 'tables_deal', 'tables_dealseat', 'tables_score',  -- only new
        'tables_elimination', 'tables_result', 'tables_ruling']) AS relation,  -- only new
        LATERAL wallet_new_names(relation, 'table_id')  -- only new
),  -- only new
games AS (
    SELECT g.id, g.phase, g.deal_no, g.point_value_minor, g.owner_ref, g.stake_mode
    FROM tables_table AS g
    WHERE g.id IN (SELECT key FROM new_tables)  -- only new
),
deals AS (
    SELECT d.id, d.table_id, d.no, d.status, d.toss, d.started_at, g.phase, g.deal_no, g.owner_ref
    FROM tables_deal AS d JOIN games AS g ON g.id = d.table_id
),
dealt AS (
    SELECT p.deal_id, p.seat_id, p.position, d.table_id, d.no, d.status, d.started_at
    FROM tables_dealseat AS p JOIN deals AS d ON d.table_id = p.table_id AND d.id = p.deal_id
),
scores AS (
    SELECT c.id, c.deal_id, c.seat_id, c.table_id, c.points, c.total_after, c.deal_no, c.status,
        lag(c.deal_id) OVER earlier AS before_id, lag(c.total_after) OVER earlier AS before,
        lead(c.deal_no) OVER earlier AS next_no
    FROM (
        SELECT c.id, c.deal_id, c.seat_id, c.table_id, c.points, c.total_after, d.no AS deal_no, d.status
        FROM tables_score AS c JOIN deals AS d ON d.table_id = c.table_id AND d.id = c.deal_id
    ) AS c
    WINDOW earlier AS (PARTITION BY c.seat_id ORDER BY c.deal_no)
),
outs AS (
    SELECT e.id, e.table_id, e.seat_id, e.deal_id, e.total, e.rejoined_at, e.rejoined_total, d.no AS deal_no
    FROM tables_elimination AS e JOIN deals AS d ON d.table_id = e.table_id AND d.id = e.deal_id
),
-- A seat's total after a deal: its score's, or that of a rejoin.
rejoins AS (
    SELECT seat_id, deal_id, max(rejoined_total) AS total, max(id) AS id
    FROM outs WHERE rejoined_at IS NOT NULL GROUP BY seat_id, deal_id
),
totals AS (
    SELECT s.seat_id, coalesce(r.total, s.total_after) AS total
    FROM scores AS s LEFT JOIN rejoins AS r ON r.seat_id = s.seat_id AND r.deal_id = s.deal_id
    WHERE s.next_no IS NULL
),
acted AS (
    SELECT DISTINCT m.deal_id
    FROM tables_move AS m JOIN deals AS d ON d.id = m.deal_id AND d.status = 'void'
    WHERE m.origin <> 'clock' AND m.text NOT LIKE '% leave'
),
ruled AS (SELECT table_id, deal_id, kind FROM tables_ruling WHERE table_id IN (SELECT id FROM games)),
-- Seat numbers are those of the latest toss; the leader of a deal is its position 1.
numbers AS (
    SELECT d.id AS deal_id, p.seat_id, p.position AS number
    FROM deals AS d
    JOIN LATERAL (
        SELECT t.id FROM deals AS t
        WHERE t.table_id = d.table_id AND t.no < d.no AND t.toss <> '' ORDER BY t.no DESC LIMIT 1
    ) AS tossed ON true
    JOIN dealt AS p ON p.deal_id = tossed.id
    WHERE d.toss = '' AND d.started_at IS NOT NULL
),
turns AS (
    SELECT p.deal_id, p.seat_id, p.position,
        row_number() OVER (PARTITION BY p.deal_id ORDER BY n.number <= led.number, n.number) AS expected
    FROM dealt AS p
    JOIN numbers AS n ON n.deal_id = p.deal_id AND n.seat_id = p.seat_id
    JOIN dealt AS leader ON leader.table_id = p.table_id AND leader.no = p.no - 1 AND leader.position = 1
    JOIN numbers AS led ON led.deal_id = p.deal_id AND led.seat_id = leader.seat_id
)

SELECT 'deal_open' AS "check", 'deal ' || d.id AS subject,
    format('is %s, its table %s is %s in deal %s', d.status, d.table_id, d.phase, d.deal_no) AS detail
FROM deals AS d
WHERE d.status IN ('playing', 'ended') AND (d.phase IN ('finished', 'cancelled') OR d.no <> d.deal_no)

UNION ALL
SELECT 'deal_missing', 'table ' || g.id, format('is in deal %s, and %s are there', g.deal_no, count(d.id))
FROM games AS g LEFT JOIN deals AS d ON d.table_id = g.id AND d.no BETWEEN 1 AND g.deal_no
GROUP BY g.id, g.deal_no HAVING count(d.id) <> g.deal_no

UNION ALL
-- The next deal is committed to before it is dealt.
SELECT 'deal_ahead', 'deal ' || d.id, format('is number %s of table %s, which is in deal %s', d.no, d.table_id, d.deal_no)
FROM deals AS d WHERE d.no > d.deal_no + 1 OR d.no < 1

UNION ALL
SELECT 'score_missing', 'deal ' || p.deal_id, format('is settled, and seat %s has no score', p.seat_id)
FROM dealt AS p LEFT JOIN scores AS s ON s.deal_id = p.deal_id AND s.seat_id = p.seat_id
WHERE p.status = 'settled' AND s.id IS NULL

UNION ALL
SELECT 'score_not_dealt', 'score ' || s.id, format('is of seat %s in deal %s, which is %s', s.seat_id, s.deal_id, s.status)
FROM scores AS s LEFT JOIN dealt AS p ON p.deal_id = s.deal_id AND p.seat_id = s.seat_id
WHERE p.seat_id IS NULL OR s.status <> 'settled'

UNION ALL
SELECT 'score_total', 'score ' || s.id, format('adds %s to %s and says %s', s.points, coalesce(r.total, s.before, 0),
    s.total_after)
FROM scores AS s LEFT JOIN rejoins AS r ON r.seat_id = s.seat_id AND r.deal_id = s.before_id
WHERE coalesce(r.total, s.before, 0) + s.points <> s.total_after

UNION ALL
SELECT 'elimination_total', 'elimination ' || e.id, format('is at %s, the seat had %s', e.total, e.had)
FROM (
    SELECT e.id, e.total, coalesce(again.total, s.total_after, 0) AS had
    FROM outs AS e
    LEFT JOIN scores AS s ON s.seat_id = e.seat_id AND s.deal_no <= e.deal_no
        AND (s.next_no IS NULL OR s.next_no > e.deal_no)
    LEFT JOIN rejoins AS again ON again.seat_id = e.seat_id AND again.deal_id = s.deal_id AND again.id < e.id
) AS e
WHERE e.total <> e.had

UNION ALL
SELECT 'dealt_when_out', 'deal ' || p.deal_id, format('has seat %s, which was out or had left', p.seat_id)
FROM dealt AS p JOIN tables_seat AS s ON s.table_id = p.table_id AND s.id = p.seat_id
WHERE s.left_at < p.started_at OR EXISTS (
    SELECT FROM outs AS e WHERE e.seat_id = p.seat_id AND e.deal_no < p.no
        AND (e.rejoined_at IS NULL OR e.rejoined_at > p.started_at))

UNION ALL
SELECT 'turn_order', 'deal ' || t.deal_id, format('has seat %s at position %s, not %s', t.seat_id, t.position, t.expected)
FROM turns AS t WHERE t.position <> t.expected

UNION ALL
SELECT 'result_early', 'table ' || g.id, format('is %s and has results', g.phase)
FROM games AS g
WHERE (g.phase <> 'finished' OR g.point_value_minor > 0) AND EXISTS (SELECT FROM tables_result WHERE table_id = g.id)

UNION ALL
SELECT 'result_missing', 'table ' || g.id, format('is finished, and seat %s has no result', s.id)
FROM games AS g JOIN tables_seat AS s ON s.table_id = g.id AND s.number IS NOT NULL
LEFT JOIN tables_result AS r ON r.table_id = g.id AND r.seat_id = s.id
WHERE g.phase = 'finished' AND g.point_value_minor = 0 AND r.id IS NULL

UNION ALL
SELECT 'result_total', 'table ' || r.table_id, format('its result gives seat %s %s, its scores %s', r.seat_id, r.total,
    coalesce(t.total, 0))
FROM tables_result AS r JOIN games AS g ON g.id = r.table_id LEFT JOIN totals AS t ON t.seat_id = r.seat_id
WHERE r.total <> coalesce(t.total, 0)

UNION ALL
-- A deal is void by a ruling, with its tournament, or because all players left before any had acted.
SELECT 'void_unexplained', 'deal ' || d.id, format('is void at table %s, and nobody ruled so', d.table_id)
FROM deals AS d JOIN acted AS a ON a.deal_id = d.id
WHERE d.status = 'void' AND NOT (d.phase = 'cancelled' AND d.owner_ref LIKE 'tournament:%')
    AND NOT EXISTS (SELECT FROM ruled AS r WHERE r.deal_id = d.id)

UNION ALL
SELECT 'cancelled_unexplained', 'table ' || g.id, 'was cancelled after it had begun, and nobody ruled so'
FROM games AS g
WHERE g.phase = 'cancelled' AND g.deal_no > 0 AND g.owner_ref NOT LIKE 'tournament:%'
    AND NOT EXISTS (SELECT FROM ruled AS r WHERE r.table_id = g.id)
    AND NOT EXISTS (
        SELECT FROM deals AS d WHERE d.table_id = g.id AND d.no = g.deal_no AND d.status = 'void'
            AND d.id NOT IN (SELECT deal_id FROM acted))

ORDER BY 1, 2
LIMIT 1000
