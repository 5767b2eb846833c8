-- Recompute everything the ledger claims, in one statement and so on one snapshot: postings that go
-- on meanwhile raise no false alarm. Each row is a difference: (check, subject, detail).
WITH
entry_steps AS (
    SELECT e.id, e.transfer_id, e.account_id, e.currency, e.amount_minor, e.balance_after_minor,
        e.account_version,
        lag(e.balance_after_minor, 1, 0::bigint) OVER steps AS balance_before_minor,
        lag(e.account_version, 1, 0::bigint) OVER steps AS version_before
    FROM wallet_entry AS e
    WINDOW steps AS (PARTITION BY e.account_id ORDER BY e.account_version)
),
per_account AS (
    SELECT account_id, sum(amount_minor) AS total, max(account_version) AS last_version
    FROM wallet_entry GROUP BY account_id
),
per_transfer AS (
    SELECT transfer_id, sum(entries) AS entries, bool_or(total <> 0) AS is_lopsided
    FROM (
        SELECT transfer_id, count(*) AS entries, sum(amount_minor) AS total
        FROM wallet_entry GROUP BY transfer_id, currency
    ) AS per_currency
    GROUP BY transfer_id
),
per_stake AS (
    SELECT stake_id, sum(amount_minor) AS amount, sum(consumed_minor) AS consumed,
        sum(returned_minor) AS returned,
        coalesce(sum(amount_minor) FILTER (WHERE NOT is_won), 0) AS paid
    FROM wallet_stakepart GROUP BY stake_id
),
-- What of a game's escrow its stakes explain: parts still in play (rake included, until the game
-- settles) and parts lost to the pot.
explained AS (
    SELECT s.escrow_id, sum(CASE s.status
        WHEN 'live' THEN p.amount - p.consumed - p.returned
        WHEN 'lost' THEN p.consumed
        ELSE 0 END) AS held
    FROM wallet_stake AS s JOIN per_stake AS p ON p.stake_id = s.id
    GROUP BY s.escrow_id
),
seal_steps AS (
    SELECT s.*, lag(s.number, 1, 0::bigint) OVER chain AS number_before,
        lag(s.to_xid, 1, 0::bigint) OVER chain AS to_xid_before,
        lag(s.hash::text, 1, '') OVER chain AS hash_before
    FROM wallet_seal AS s
    WINDOW chain AS (ORDER BY s.number)
)

SELECT 'transfer_entries' AS "check", 'transfer ' || t.id AS subject,
    format('%s entries, says %s', coalesce(p.entries, 0), t.entry_count) AS detail
FROM wallet_transfer AS t LEFT JOIN per_transfer AS p ON p.transfer_id = t.id
WHERE coalesce(p.entries, 0) <> t.entry_count OR t.entry_count < 2

UNION ALL
SELECT 'transfer_unbalanced', 'transfer ' || p.transfer_id, 'does not sum to zero'
FROM per_transfer AS p WHERE p.is_lopsided

UNION ALL
SELECT 'entry_without_transfer', 'entry ' || e.id, 'transfer ' || e.transfer_id || ' is missing'
FROM wallet_entry AS e LEFT JOIN wallet_transfer AS t ON t.id = e.transfer_id WHERE t.id IS NULL

UNION ALL
SELECT 'ledger_unbalanced', 'currency ' || currency, 'balances sum to ' || sum(balance_minor)
FROM wallet_account GROUP BY currency HAVING sum(balance_minor) <> 0

UNION ALL
SELECT 'balance_drift', 'account ' || a.id,
    format('balance %s, entries sum to %s', a.balance_minor, coalesce(p.total, 0))
FROM wallet_account AS a LEFT JOIN per_account AS p ON p.account_id = a.id
WHERE a.balance_minor <> coalesce(p.total, 0)

UNION ALL
SELECT 'version_drift', 'account ' || a.id,
    format('version %s, last entry %s', a.version, coalesce(p.last_version, 0))
FROM wallet_account AS a LEFT JOIN per_account AS p ON p.account_id = a.id
WHERE a.version <> coalesce(p.last_version, 0)

UNION ALL
SELECT 'version_gap', 'account ' || account_id,
    format('entry %s follows %s', account_version, version_before)
FROM entry_steps WHERE account_version <> version_before + 1

UNION ALL
SELECT 'running_balance', 'entry ' || id,
    format('%s after %s and %s', balance_after_minor, balance_before_minor, amount_minor)
FROM entry_steps WHERE balance_after_minor <> balance_before_minor + amount_minor

UNION ALL
SELECT 'last_balance', 'account ' || a.id,
    format('balance %s, last entry leaves %s', a.balance_minor, e.balance_after_minor)
FROM wallet_account AS a
JOIN wallet_entry AS e ON e.account_id = a.id AND e.account_version = a.version
WHERE e.balance_after_minor <> a.balance_minor

UNION ALL
SELECT 'entry_currency', 'entry ' || e.id, format('%s on an account in %s', e.currency, a.currency)
FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
WHERE e.currency <> a.currency

UNION ALL
SELECT 'below_floor', 'account ' || id, format('balance %s, floor %s', balance_minor, floor_minor)
FROM wallet_account
WHERE balance_minor < floor_minor
    OR floor_minor IS NULL
        AND kind IN ('bonus', 'deposit', 'winnings', 'withdrawal_hold', 'escrow')

UNION ALL
SELECT 'was_below_floor', 'entry ' || e.id,
    format('left account %s at %s', a.id, e.balance_after_minor)
FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
WHERE e.balance_after_minor < a.floor_minor

UNION ALL
SELECT 'closed_not_empty', 'account ' || id, 'closed with ' || balance_minor
FROM wallet_account WHERE status = 'closed' AND balance_minor <> 0

UNION ALL
SELECT 'reversal_differs', 'transfer ' || t.id, 'is not the opposite of transfer ' || t.reverses_id
FROM wallet_transfer AS t
WHERE t.reverses_id IS NOT NULL AND EXISTS (
    SELECT FROM wallet_entry AS e
    WHERE e.transfer_id IN (t.id, t.reverses_id)
    GROUP BY e.account_id HAVING sum(e.amount_minor) <> 0 OR count(*) <> 2)

UNION ALL
SELECT 'booked_off_its_day', 'transfer ' || t.id, 'is booked on ' || t.booked_on
FROM wallet_transfer AS t LEFT JOIN wallet_bookedday AS d ON d.day = t.booked_on
WHERE d.day IS NULL OR t.created_at > d.closed_at

UNION ALL
SELECT 'stake_parts', 'stake ' || s.id,
    format('parts of %s, entry of %s', coalesce(p.paid, 0), s.entry_minor)
FROM wallet_stake AS s LEFT JOIN per_stake AS p ON p.stake_id = s.id
WHERE coalesce(p.paid, 0) <> s.entry_minor

UNION ALL
SELECT 'stake_part_unpaid', 'stake ' || s.id,
    'its transfer did not take ' || p.amount || ' from account ' || p.account_id
FROM (
    -- Several lots of a bonus may have paid, all out of one account.
    SELECT stake_id, account_id, sum(amount_minor) AS amount
    FROM wallet_stakepart WHERE NOT is_won GROUP BY stake_id, account_id
) AS p JOIN wallet_stake AS s ON s.id = p.stake_id
LEFT JOIN wallet_entry AS e
    ON e.transfer_id = s.transfer_id AND e.account_id = p.account_id
    AND e.amount_minor = -p.amount
WHERE e.id IS NULL

UNION ALL
SELECT 'stake_status', 'stake ' || s.id,
    format('%s with %s of %s consumed, %s returned', s.status, p.consumed, p.amount, p.returned)
FROM wallet_stake AS s JOIN per_stake AS p ON p.stake_id = s.id
WHERE (CASE s.status
    WHEN 'live' THEN p.consumed + p.returned < p.amount
    WHEN 'lost' THEN p.consumed + p.returned = p.amount
    WHEN 'settled' THEN p.consumed + p.returned = p.amount
    WHEN 'refunded' THEN p.returned = p.amount
    END) IS NOT TRUE

UNION ALL
SELECT 'escrow_unexplained', 'account ' || a.id,
    format('holds %s, its stakes explain %s', a.balance_minor, coalesce(x.held, 0))
FROM wallet_account AS a LEFT JOIN explained AS x ON x.escrow_id = a.id
WHERE a.kind = 'escrow' AND a.balance_minor <> coalesce(x.held, 0)

UNION ALL
SELECT 'hold_unexplained', 'account ' || a.id,
    format('holds %s, withdrawals under way explain %s', a.balance_minor, w.held)
FROM wallet_account AS a CROSS JOIN LATERAL (
    SELECT coalesce(sum(deposit_minor + winnings_minor - tax_minor), 0) AS held FROM wallet_withdrawal
    WHERE player_id = a.player_id AND currency = a.currency
        AND status IN ('requested', 'approved')
) AS w
WHERE a.kind = 'withdrawal_hold' AND a.balance_minor <> w.held

UNION ALL
SELECT 'deposit_uncredited', 'deposit ' || d.id,
    format('transfer %s did not bring its player %s', d.transfer_id, d.amount_minor)
FROM wallet_deposit AS d
WHERE d.status = 'paid' AND NOT EXISTS (
    SELECT FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
    WHERE e.transfer_id = d.transfer_id AND e.amount_minor = d.amount_minor
        AND a.player_id = d.player_id AND a.kind = 'deposit' AND a.currency = d.currency)

UNION ALL
SELECT 'seal_chain', 'seal ' || number, 'does not follow seal ' || number_before
FROM seal_steps
WHERE number <> number_before + 1 OR from_xid <> to_xid_before OR previous <> hash_before

UNION ALL
SELECT 'seal_broken', 'seal ' || s.number,
    format('sealed %s transfers of %s entries, finds %s of %s or others',
        s.transfer_count, s.entry_count, b.transfers, b.entries)
FROM wallet_seal AS s CROSS JOIN LATERAL ledger_block_digest(s.from_xid, s.to_xid) AS b
WHERE b.transfers <> s.transfer_count OR b.entries <> s.entry_count
    OR ledger_seal_hash(s.number, s.from_xid, s.to_xid, s.previous, b.digest) <> s.hash

ORDER BY 1, 2
LIMIT 1000
