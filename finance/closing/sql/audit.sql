-- Compare daily closes with the ledger. Each row is a difference: (check, subject, detail).
WITH
-- Days that were closed since the last audit, or on which something was posted.
new_days AS (
    SELECT row_key::date AS day FROM wallet_rowversion
    WHERE relation = 'finance_dailyclose' AND xid >= wallet_new_xid()
    UNION SELECT name::date FROM wallet_new_names('finance_dailytotal', 'close_id')
    UNION SELECT booked_on FROM wallet_transfer WHERE id >= wallet_new_transfer()
),
-- The closed ones of these days.
new_closes AS (SELECT day FROM finance_dailyclose WHERE day IN (SELECT day FROM new_days)),
booked AS (
    SELECT t.booked_on AS day, count(*) AS transfers, sum(t.entry_count) AS entries
    FROM wallet_transfer AS t
    WHERE t.booked_on IN (SELECT day FROM new_closes)  -- only new
    GROUP BY t.booked_on
),
-- By the days and currencies that entries share with their transfers and accounts (wallet/audit/sql/audit.sql compares
-- them): summed by account first, which needs no join.
moved AS (
    SELECT e.day, a.currency, a.kind, sum(e.change) AS change
    FROM (
        SELECT account_id, booked_on AS day, sum(amount_minor) AS change FROM wallet_entry
        WHERE transfer_id IN (SELECT id FROM wallet_transfer WHERE booked_on IN (SELECT day FROM new_closes))  -- only new
        GROUP BY account_id, booked_on
    ) AS e JOIN wallet_account AS a ON a.id = e.account_id
    GROUP BY e.day, a.currency, a.kind
),
steps AS (
    SELECT c.*, lag(c.control_hash::text, 1, '') OVER (ORDER BY c.day) AS hash_before FROM finance_dailyclose AS c
)

SELECT 'close_differs' AS "check", 'day ' || c.day AS subject,
    format('closed with %s transfers and %s entries, has %s and %s', c.transfers, c.entries,
        coalesce(b.transfers, 0), coalesce(b.entries, 0)) AS detail
FROM finance_dailyclose AS c LEFT JOIN booked AS b ON b.day = c.day
WHERE (c.transfers, c.entries) <> (coalesce(b.transfers, 0), coalesce(b.entries, 0))
    AND c.day IN (SELECT day FROM new_closes)  -- only new

UNION ALL
SELECT 'close_chain', 'day ' || day, 'previous_hash is not the hash of the day before'
FROM steps WHERE previous_hash <> hash_before

UNION ALL
SELECT 'close_total', format('day %s', coalesce(d.close_id, m.day)),
    format('%s of %s changed by %s, its close has %s', coalesce(d.account_kind, m.kind),
        coalesce(d.currency, m.currency), coalesce(m.change, 0), coalesce(d.closing_minor - d.opening_minor, 0))
FROM (
    SELECT * FROM finance_dailytotal
    WHERE close_id IN (SELECT day FROM new_closes)  -- only new
) AS d
FULL JOIN (SELECT * FROM moved WHERE day IN (SELECT day FROM finance_dailyclose)) AS m
    ON m.day = d.close_id AND m.currency = d.currency AND m.kind = d.account_kind
WHERE coalesce(m.change, 0) <> coalesce(d.closing_minor - d.opening_minor, 0)

ORDER BY 1, 2
LIMIT 1000
