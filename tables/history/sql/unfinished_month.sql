-- Reasons why a month's moves cannot be archived yet (core/partitions/archive.py), one of each kind. The month is the
-- setting `months.asked`.
WITH asked AS (
    SELECT day AS begins, (day + interval '1 month')::date AS ends
    FROM CAST(current_setting('months.asked') AS date) AS day
)

(SELECT 'deal ' || d.id || ' is not over'
FROM tables_deal AS d JOIN asked AS a ON (d.started_at AT TIME ZONE 'UTC')::date >= a.begins
    AND (d.started_at AT TIME ZONE 'UTC')::date < a.ends
WHERE d.status NOT IN ('settled', 'void')
ORDER BY d.id LIMIT 1)

UNION ALL
(SELECT 'dispute ' || p.id || ' is open'
FROM tables_dispute AS p JOIN tables_deal AS d ON d.id = p.deal_id
JOIN asked AS a ON (d.started_at AT TIME ZONE 'UTC')::date >= a.begins
    AND (d.started_at AT TIME ZONE 'UTC')::date < a.ends
WHERE p.status IN ('open', 'assigned')
ORDER BY p.id LIMIT 1)
