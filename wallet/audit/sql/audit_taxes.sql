-- Taxes in the ledger against the rows that explain them. Adjustments may move these accounts too: they record the
-- operator's tax payments. Each row is a difference: (check, subject, detail).
WITH
new_withdrawals AS (
    SELECT key FROM wallet_new_keys('wallet_withdrawal')
    UNION SELECT name::bigint FROM wallet_new_names('wallet_withholding', 'withdrawal_id')
),
new_deposits AS (
    SELECT key FROM wallet_new_keys('wallet_deposit')
    UNION SELECT name::bigint FROM wallet_new_names('wallet_gstcharge', 'deposit_id')
),
-- The tax of each transfer, under the transfer that first moved it: a reversal subtracts what it reverses.
moved AS (
    SELECT coalesce(t.reverses_id, t.id) AS transfer_id, t.reverses_id IS NOT NULL AS is_undoing,
        a.kind, sum(e.amount_minor) AS amount
    FROM wallet_account AS a
    JOIN wallet_entry AS e ON e.account_id = a.id
    JOIN wallet_transfer AS t ON t.id = e.transfer_id
    LEFT JOIN wallet_transfer AS undone ON undone.id = t.reverses_id
    WHERE a.kind IN ('tds_payable', 'gst_payable')
        AND coalesce(undone.kind, t.kind) <> 'adjustment'
        AND e.transfer_id >= wallet_new_transfer()  -- only new
    GROUP BY 1, 2, 3
),
-- The bucket entries of A and B, each with its contribution.
counted AS (
    SELECT a.player_id, e.currency, t.booked_on, e.id,
        CASE WHEN coalesce(undone.kind, t.kind) = 'withdrawal' THEN -e.amount_minor ELSE 0 END AS a,
        CASE WHEN coalesce(undone.kind, t.kind) = 'withdrawal' THEN 0 ELSE e.amount_minor END AS b,
        coalesce(undone.kind, '') = 'withdrawal' AS is_return, undone.booked_on AS went_on
    FROM wallet_entry AS e
    JOIN wallet_account AS a ON a.id = e.account_id
    JOIN wallet_transfer AS t ON t.id = e.transfer_id
    LEFT JOIN wallet_transfer AS undone ON undone.id = t.reverses_id
    -- Reversed payments are not deposits, whether the money was there or is owed.
    WHERE a.kind IN ('deposit', 'winnings', 'receivable') AND (
        coalesce(undone.kind, t.kind) IN ('withdrawal', 'deposit', 'chargeback')
        OR coalesce(undone.kind, t.kind) = 'adjustment' AND EXISTS (
            SELECT FROM wallet_entry AS o JOIN wallet_account AS oa ON oa.id = o.account_id
            WHERE o.transfer_id = t.id AND oa.kind IN ('gateway_clearing', 'suspense')))
),
-- Of each withholding: its year, and the last entry it could see. A year's end sees all entries booked in the
-- year.
withheld AS MATERIALIZED (
    SELECT w.*, make_date(w.year, 4, 1) AS first_day, make_date(w.year + 1, 3, 31) AS last_day,
        w.closing_minor - w.tax_minor - (w.net_minor - w.taxed_minor) AS carried,
        CASE w.reason WHEN 'withdrawal'
            THEN (SELECT max(e.id) FROM wallet_entry AS e WHERE e.transfer_id = w.transfer_id)
            ELSE 9223372036854775807 END AS last_entry
    FROM wallet_withholding AS w
    WHERE w.player_id IN (SELECT name::bigint FROM wallet_new_names('wallet_withholding', 'player_id'))  -- only new
),
-- A, B and returns of earlier years; joined by player, since a join by withholding would be slow.
ledger_says AS (
    SELECT w.id,
        coalesce(sum(c.a) FILTER (WHERE NOT c.is_return OR c.went_on >= w.first_day), 0) AS a,
        coalesce(sum(c.b), 0) AS b,
        -coalesce(sum(c.a) FILTER (WHERE c.is_return AND c.went_on < w.first_day), 0) AS late
    FROM withheld AS w LEFT JOIN counted AS c
        ON c.player_id = w.player_id AND c.currency = w.currency AND c.id <= w.last_entry
        AND c.booked_on BETWEEN w.first_day AND w.last_day
    GROUP BY w.id
),
-- Withholdings from withdrawals, and when they were refunded.
taken AS (
    SELECT r.*, back.booked_on AS back_on,
        (SELECT min(be.id) FROM wallet_entry AS be WHERE be.transfer_id = back.id) AS back_entry
    FROM withheld AS r LEFT JOIN wallet_transfer AS back ON back.reverses_id = r.transfer_id
    WHERE r.reason = 'withdrawal'
),
-- E: net winnings taxed and not refunded; less refunds in this year of tax from earlier ones.
rows_say AS (
    SELECT w.id,
        coalesce(sum(r.taxed_minor) FILTER (WHERE r.year = w.year AND r.last_entry < w.last_entry
            AND (r.back_on IS NULL OR r.back_on > w.last_day OR r.back_entry > w.last_entry)), 0) AS e,
        coalesce(sum(r.taxed_minor) FILTER (WHERE r.year < w.year AND r.back_entry < w.last_entry
            AND r.back_on BETWEEN w.first_day AND w.last_day), 0) AS taxed_late
    FROM withheld AS w LEFT JOIN taken AS r
        ON r.player_id = w.player_id AND r.currency = w.currency
    GROUP BY w.id
),
-- What players had of their own at the end of each settled year.
had AS (
    SELECT w.id, coalesce(sum(e.amount_minor), 0) AS balance
    FROM withheld AS w
    JOIN wallet_account AS a ON a.player_id = w.player_id AND a.currency = w.currency
        AND a.kind IN ('deposit', 'winnings')
    LEFT JOIN (wallet_entry AS e JOIN wallet_transfer AS t ON t.id = e.transfer_id)
        ON e.account_id = a.id AND t.booked_on <= w.last_day
    WHERE w.reason = 'year_end'
    GROUP BY w.id
)

SELECT 'tds_unexplained' AS "check", 'transfer ' || coalesce(m.transfer_id, w.transfer_id) AS subject,
    format('moved %s of tax, its withholding has %s',
        coalesce(m.amount, 0), coalesce(w.tax_minor, 0)) AS detail
FROM (SELECT * FROM moved WHERE kind = 'tds_payable' AND NOT is_undoing) AS m
FULL JOIN (
    SELECT * FROM wallet_withholding WHERE tax_minor <> 0
        AND transfer_id >= wallet_new_transfer()  -- only new
) AS w
    ON w.transfer_id = m.transfer_id
WHERE coalesce(m.amount, 0) <> coalesce(w.tax_minor, 0)

UNION ALL
SELECT 'gst_unexplained', 'transfer ' || coalesce(m.transfer_id, g.transfer_id),
    format('moved %s of tax, the register has %s', coalesce(m.amount, 0), coalesce(g.tax_minor, 0))
FROM (SELECT * FROM moved WHERE kind = 'gst_payable' AND NOT is_undoing) AS m
FULL JOIN (
    SELECT * FROM wallet_gstcharge WHERE tax_minor <> 0
        AND transfer_id >= wallet_new_transfer()  -- only new
) AS g
    ON g.transfer_id = m.transfer_id
WHERE coalesce(m.amount, 0) <> coalesce(g.tax_minor, 0)

UNION ALL
SELECT 'tax_undone_otherwise', 'transfer ' || m.transfer_id, 'its reversal moved ' || m.amount
FROM moved AS m LEFT JOIN wallet_withholding AS w ON w.transfer_id = m.transfer_id
LEFT JOIN wallet_gstcharge AS g ON g.transfer_id = m.transfer_id
WHERE m.is_undoing AND -m.amount <> coalesce(
    CASE m.kind WHEN 'tds_payable' THEN w.tax_minor ELSE g.tax_minor END, 0)

UNION ALL
SELECT 'withdrawal_tax', 'withdrawal ' || x.id,
    format('has %s of tax, its withholding %s', x.tax_minor, coalesce(w.tax_minor, 0))
FROM wallet_withdrawal AS x LEFT JOIN wallet_withholding AS w ON w.withdrawal_id = x.id
WHERE x.tax_minor <> coalesce(w.tax_minor, 0)
    AND x.id IN (SELECT key FROM new_withdrawals)  -- only new

UNION ALL
SELECT 'withholding_sum', 'withholding ' || w.id,
    format('net %s, taxed %s, tax %s', w.net_minor, w.taxed_minor, w.tax_minor)
FROM withheld AS w
WHERE w.net_minor <> greatest(0, w.withdrawn_minor + w.closing_minor
        - (w.deposited_minor + w.opening_minor + w.taxed_before_minor))
    OR w.taxed_minor > w.net_minor
    OR w.tax_minor <> (w.taxed_minor * w.bps + 5000) / 10000 + w.surcharge_minor + w.cess_minor
    OR w.surcharge_minor <> ((w.taxed_minor * w.bps + 5000) / 10000 * w.surcharge_bps + 5000) / 10000
    OR w.cess_minor
        <> (((w.taxed_minor * w.bps + 5000) / 10000 + w.surcharge_minor) * w.cess_bps + 5000) / 10000

UNION ALL
SELECT 'withholding_year', 'withholding ' || w.id,
    format('of %s, its transfer is booked on %s', w.year, t.booked_on)
FROM withheld AS w JOIN wallet_transfer AS t ON t.id = w.transfer_id
WHERE w.reason = 'withdrawal' AND t.booked_on NOT BETWEEN w.first_day AND w.last_day

UNION ALL
SELECT 'withholding_a_b', 'withholding ' || w.id,
    format('A %s and B %s, the ledger has %s and %s',
        w.withdrawn_minor, w.deposited_minor, l.a, l.b)
FROM withheld AS w JOIN ledger_says AS l ON l.id = w.id
WHERE (l.a, l.b) <> (w.withdrawn_minor, w.deposited_minor)

UNION ALL
-- C: the result of the year before if it was settled; nothing if there was no year before.
SELECT 'withholding_c', 'withholding ' || w.id,
    format('C %s, the year before left %s', w.opening_minor, coalesce(before.carried, 0))
FROM withheld AS w
JOIN ledger_says AS l ON l.id = w.id
JOIN rows_say AS r ON r.id = w.id
LEFT JOIN withheld AS before ON before.player_id = w.player_id AND before.currency = w.currency
    AND before.year = w.year - 1 AND before.reason = 'year_end'
WHERE w.opening_minor <> coalesce(before.carried, 0) + l.late - r.taxed_late
    AND (before.id IS NOT NULL OR NOT EXISTS (
        SELECT FROM wallet_account AS a
        JOIN wallet_entry AS e ON e.account_id = a.id AND e.account_version = 1
        JOIN wallet_transfer AS t ON t.id = e.transfer_id
        WHERE a.player_id = w.player_id AND a.currency = w.currency
            AND a.kind IN ('deposit', 'winnings') AND t.booked_on < w.first_day))

UNION ALL
-- D: balances, less taxes of earlier years collected later.
SELECT 'withholding_d', 'withholding ' || w.id,
    format('D %s, %s of it in games, the ledger has %s', w.closing_minor, w.in_games_minor,
        h.balance - later.tax)
FROM withheld AS w JOIN had AS h ON h.id = w.id CROSS JOIN LATERAL (
    SELECT coalesce(sum(o.tax_minor), 0) AS tax
    FROM wallet_withholding AS o JOIN wallet_transfer AS t ON t.id = o.transfer_id
    WHERE o.player_id = w.player_id AND o.currency = w.currency AND o.reason = 'year_end'
        AND o.year < w.year AND t.booked_on > w.last_day
) AS later
WHERE w.closing_minor - w.in_games_minor <> h.balance - later.tax

UNION ALL
SELECT 'withholding_e', 'withholding ' || w.id,
    format('E %s, the rows before it have %s', w.taxed_before_minor, r.e)
FROM withheld AS w JOIN rows_say AS r ON r.id = w.id
WHERE r.e <> w.taxed_before_minor

UNION ALL
-- Calculations without tax are stored too, since later ones build on them.
SELECT 'withholding_missing', 'withdrawal ' || x.id, 'was requested while a rate was in force'
FROM wallet_withdrawal AS x
JOIN wallet_transfer AS t ON t.id = x.hold_id
LEFT JOIN wallet_withholding AS w ON w.withdrawal_id = x.id
CROSS JOIN LATERAL (
    -- The rate may be the one for residents or the other; the player's residence is not checked here.
    SELECT bool_and(f.treatment <> 'none') AS is_for_all FROM (
        SELECT DISTINCT ON (rate.payee) rate.treatment FROM wallet_taxrate AS rate
        WHERE rate.tax = 'tds' AND rate.currency = x.currency AND rate.starts_on <= t.booked_on
        ORDER BY rate.payee, rate.starts_on DESC, rate.id DESC
    ) AS f
) AS r
WHERE w.id IS NULL AND r.is_for_all
    AND x.id IN (SELECT key FROM new_withdrawals)  -- only new
    -- Withdrawals before the first rate have no tax.
    AND x.id > (SELECT min(withdrawal_id) FROM wallet_withholding)

UNION ALL
SELECT 'deposit_gst', 'deposit ' || d.id,
    format('has %s of GST, the register %s', d.gst_minor, coalesce(g.tax_minor, 0))
FROM wallet_deposit AS d LEFT JOIN wallet_gstcharge AS g ON g.transfer_id = d.transfer_id
WHERE d.status = 'paid' AND d.gst_minor <> coalesce(g.tax_minor, 0)
    AND d.id IN (SELECT key FROM new_deposits)  -- only new

ORDER BY 1, 2
LIMIT 1000
