-- Recompute the ledger in one statement, and so on one snapshot: concurrent postings cause no false alarm. Each row
-- is a difference: (check, subject, detail).
--
-- Entries are read once by transfer and once by account for all checks, and rows that pass are dropped early: one
-- scan per check took three times as long.
--
-- A full audit removes the lines that end with `only new` (since.sql).
WITH
new_accounts AS (SELECT key FROM wallet_new_accounts()),
new_escrows AS (SELECT key FROM wallet_new_escrows()),
new_players AS (
    SELECT player_id FROM wallet_account WHERE id IN (SELECT key FROM new_accounts)
    UNION SELECT name::bigint FROM wallet_new_names('wallet_withdrawal', 'player_id')
),
-- Every transfer with the sums of its entries, and its hash for the seal.
stated AS MATERIALIZED (
    SELECT t.id, t.xid, t.booked_on, t.entry_count,
        coalesce(e.entries, 0) AS entries,
        e.total <> 0 OR e.is_mixed AND EXISTS (
            SELECT FROM wallet_entry AS x WHERE x.transfer_id = e.transfer_id
            GROUP BY x.currency HAVING sum(x.amount_minor) <> 0) AS is_lopsided,
        -- A day gets its row shortly after it has ended.
        coalesce(t.created_at > d.closed_at, false) OR d.day IS NULL AND t.booked_on < today.day - 1
            AND t.booked_on <= today.ended OR t.booked_on > today.day
            OR coalesce(e.first_day <> t.booked_on OR e.last_day <> t.booked_on, false) AS is_off_its_day,
        coalesce(e.first_kind <> t.kind OR e.last_kind <> t.kind, false) AS is_of_another_kind,
        ledger_transfer_hash(t, e.stated) AS hash
    FROM wallet_transfer AS t
    LEFT JOIN (
        SELECT transfer_id, count(*) AS entries, sum(amount_minor) AS total,
            min(currency) <> max(currency) AS is_mixed, min(booked_on) AS first_day, max(booked_on) AS last_day,
            min(kind) AS first_kind, max(kind) AS last_kind,
            string_agg(e.stated, '' ORDER BY e.id) AS stated
        FROM (
            SELECT id, transfer_id, currency, booked_on, kind, amount_minor, ledger_entry_text(x) AS stated
            FROM wallet_entry AS x
            WHERE x.transfer_id >= wallet_new_transfer()  -- only new
            ORDER BY transfer_id, id
        ) AS e GROUP BY transfer_id
    ) AS e ON e.transfer_id = t.id
    LEFT JOIN wallet_bookedday AS d ON d.day = t.booked_on
    CROSS JOIN (
        SELECT ledger_site_day() AS day, ledger_last_ended_day() AS ended
    ) AS today
    WHERE t.id >= wallet_new_transfer()  -- only new
),
-- Entries that do not continue from the one before, or do not fit their account.
odd_entries AS MATERIALIZED (
    SELECT e.*, a.currency AS account_currency, a.floor_minor, a.balance_minor,
        e.account_version = a.version AS is_last,
        before.id AS before_id, coalesce(before.balance_after_minor, 0) AS balance_before_minor
    FROM wallet_entry AS e
    LEFT JOIN wallet_entry AS before
        ON before.account_id = e.account_id AND before.account_version = e.account_version - 1
    LEFT JOIN wallet_account AS a ON a.id = e.account_id
    WHERE (e.balance_after_minor <> coalesce(before.balance_after_minor, 0) + e.amount_minor
        OR (before.id IS NULL) <> (e.account_version = 1)
        OR e.currency IS DISTINCT FROM a.currency
        OR e.balance_after_minor < a.floor_minor
        OR e.account_version = a.version AND e.balance_after_minor <> a.balance_minor)
        AND e.transfer_id >= wallet_new_transfer()  -- only new
),
-- Balances, and the sums of entries: if only new entries are read, on top of the balance after the last one
-- before them.
per_account AS (
    SELECT a.id, a.balance_minor, a.version,
        coalesce(p.total, 0) + coalesce(b.balance_after_minor, 0) AS total,
        coalesce(p.entries, 0) + coalesce(b.account_version, 0) AS entries,
        coalesce(p.last_version, 0) AS last_version
    FROM wallet_account AS a
    LEFT JOIN (
        SELECT account_id, sum(amount_minor) AS total, count(*) AS entries,
            max(account_version) AS last_version, min(account_version) AS first_version
        FROM wallet_entry
        WHERE transfer_id >= wallet_new_transfer()  -- only new
        GROUP BY account_id
    ) AS p ON p.account_id = a.id
    LEFT JOIN wallet_entry AS b ON b.account_id = a.id AND b.account_version = p.first_version - 1
    WHERE p.account_id IS NOT NULL  -- only new
),
per_stake AS (
    SELECT stake_id, sum(amount_minor) AS amount, sum(consumed_minor) AS consumed,
        sum(returned_minor) AS returned,
        coalesce(sum(amount_minor) FILTER (WHERE NOT is_won), 0) AS paid
    FROM wallet_stakepart
    WHERE stake_id IN (SELECT id FROM wallet_stake WHERE escrow_id IN (SELECT key FROM new_escrows))  -- only new
    GROUP BY stake_id
),
-- The overlay in a game's escrow: what the operator added for its guarantee, less returns.
overlays AS (
    SELECT e.account_id, sum(e.amount_minor) AS added
    FROM wallet_account AS guarantees
    JOIN wallet_entry AS expense ON expense.account_id = guarantees.id
    JOIN wallet_entry AS e ON e.transfer_id = expense.transfer_id AND e.account_id <> guarantees.id
    WHERE guarantees.kind = 'guarantee'
        AND e.account_id IN (SELECT key FROM new_escrows)  -- only new
    GROUP BY e.account_id
),
-- The part of an escrow that its stakes explain: parts in play (rake included, until the game settles), parts
-- lost to the pot and, while there are any, the overlay of its guarantee.
explained AS (
    SELECT s.escrow_id, sum(CASE s.status
        WHEN 'live' THEN p.amount - p.consumed - p.returned
        WHEN 'lost' THEN p.consumed
        ELSE 0 END)
        + CASE WHEN bool_or(s.status IN ('live', 'lost'))
            THEN coalesce(max(o.added), 0) ELSE 0 END AS held
    FROM wallet_stake AS s JOIN per_stake AS p ON p.stake_id = s.id
    LEFT JOIN overlays AS o ON o.account_id = s.escrow_id
    WHERE s.escrow_id IN (SELECT key FROM new_escrows)  -- only new
    GROUP BY s.escrow_id
),
seal_steps AS (
    SELECT s.*, lag(s.number, 1, 0::bigint) OVER chain AS number_before,
        lag(s.to_xid, 1, 0::bigint) OVER chain AS to_xid_before,
        lag(s.hash::text, 1, '') OVER chain AS hash_before
    FROM wallet_seal AS s
    WHERE s.number >= wallet_new_seal() - 1  -- only new
    WINDOW chain AS (ORDER BY s.number)
),
-- The transfers of each seal: from its first database transaction to the next seal's.
seals AS (
    SELECT s.*, row_number() OVER (ORDER BY s.from_xid) AS place FROM wallet_seal AS s
    WHERE s.number >= wallet_new_seal()  -- only new
),
sealed AS (
    SELECT width_bucket(t.xid, firsts.xids) AS place, count(*) AS transfers,
        sum(t.entries) AS entries, max(t.xid) AS last_xid,
        sha256(string_agg(t.hash, ''::bytea ORDER BY t.xid, t.id)) AS digest
    FROM stated AS t, (
        SELECT array_agg(from_xid ORDER BY from_xid) AS xids, max(to_xid) AS end_xid FROM seals
    ) AS firsts
    WHERE t.xid < firsts.end_xid
        AND t.xid >= wallet_new_xid()  -- only new
    GROUP BY 1
),
sealed_versions AS (
    SELECT width_bucket(v.xid, firsts.xids) AS place, count(*) AS versions, max(v.xid) AS last_xid,
        sha256(string_agg(ledger_version_hash(v), ''::bytea ORDER BY v.xid, v.id)) AS digest
    FROM wallet_rowversion AS v, (
        SELECT array_agg(from_xid ORDER BY from_xid) AS xids, max(to_xid) AS end_xid FROM seals
    ) AS firsts
    WHERE v.xid < firsts.end_xid
        AND v.xid >= wallet_new_xid()  -- only new
    GROUP BY 1
),
broken AS MATERIALIZED (
    SELECT s.number, s.from_xid, s.to_xid, s.transfer_tokens, s.transfer_count, s.entry_count, s.version_count,
        coalesce(b.transfers, 0) AS transfers, coalesce(b.entries, 0) AS entries,
        coalesce(v.versions, 0) AS versions
    FROM seals AS s
    LEFT JOIN sealed AS b ON b.place = s.place
    LEFT JOIN sealed_versions AS v ON v.place = s.place
    WHERE (coalesce(b.transfers, 0) = s.transfer_count AND coalesce(b.entries, 0) = s.entry_count
        AND coalesce(v.versions, 0) = s.version_count AND greatest(b.last_xid, v.last_xid) < s.to_xid
        AND ledger_seal_hash(s.number, s.from_xid, s.to_xid, s.previous,
            coalesce(b.digest, sha256('')) || coalesce(v.digest, '')) = s.hash) IS NOT TRUE
),
-- The id and the first bytes of the hash of each transfer in a broken seal.
tokens AS (
    SELECT b.number, ('x' || encode(substring(b.transfer_tokens FROM 16 * n + 1 FOR 8), 'hex'))::bit(64)::bigint
        AS id, substring(b.transfer_tokens FROM 16 * n + 9 FOR 8) AS token
    FROM broken AS b CROSS JOIN LATERAL generate_series(0, length(b.transfer_tokens) / 16 - 1) AS n
)

SELECT 'transfer_entries' AS "check", 'transfer ' || id AS subject,
    format('has %s entries, declares %s', entries, entry_count) AS detail
FROM stated WHERE entries <> entry_count OR entry_count < 2

UNION ALL
SELECT 'transfer_unbalanced', 'transfer ' || id, 'does not sum to zero'
FROM stated WHERE is_lopsided

UNION ALL
-- Needed only if there are more entries than the transfers declare.
SELECT 'entry_without_transfer', 'transfer ' || e.transfer_id, format('is missing, %s entries', count(*))
FROM wallet_entry AS e LEFT JOIN wallet_transfer AS t ON t.id = e.transfer_id
WHERE t.id IS NULL AND (SELECT sum(entries) FROM stated) IS DISTINCT FROM (
        SELECT nullif(count(*), 0) FROM wallet_entry
        WHERE transfer_id >= wallet_new_transfer()  -- only new
    )
    AND e.transfer_id >= wallet_new_transfer()  -- only new
GROUP BY e.transfer_id

UNION ALL
SELECT 'booked_off_its_day', 'transfer ' || id, 'is booked, or its entries are, off its day: ' || booked_on
FROM stated WHERE is_off_its_day

UNION ALL
-- The last ended day is in the past and has its row, or will soon; an hour is allowed for clock corrections.
SELECT 'day_sequence', 'day ' || c.ended, format('is the last ended day; rows exist up to %s, today is %s',
    coalesce(c.recorded::text, 'none'), c.now::date)
FROM (
    SELECT ledger_last_ended_day() AS ended, (SELECT max(day) FROM wallet_bookedday) AS recorded,
        ledger_now() AT TIME ZONE 'Asia/Kolkata' AS now
) AS c
WHERE c.ended >= (c.now + interval '1 hour')::date OR c.ended < c.recorded

UNION ALL
SELECT 'entry_kind', 'transfer ' || id, 'has an entry of another kind'
FROM stated WHERE is_of_another_kind

UNION ALL
SELECT 'ledger_unbalanced', 'currency ' || currency, 'balances sum to ' || sum(balance_minor)
FROM wallet_account GROUP BY currency HAVING sum(balance_minor) <> 0

UNION ALL
SELECT 'balance_drift', 'account ' || id,
    format('balance %s, entries sum to %s', balance_minor, total)
FROM per_account WHERE balance_minor <> total

UNION ALL
SELECT 'version_drift', 'account ' || id,
    format('version %s, %s entries, last is %s', version, entries, last_version)
FROM per_account WHERE version <> last_version OR version <> entries

UNION ALL
SELECT 'version_gap', 'account ' || account_id,
    format('entry %s has no predecessor', account_version)
FROM odd_entries WHERE (before_id IS NULL) <> (account_version = 1)

UNION ALL
SELECT 'running_balance', 'entry ' || id,
    format('%s after %s and %s', balance_after_minor, balance_before_minor, amount_minor)
FROM odd_entries WHERE balance_after_minor <> balance_before_minor + amount_minor

UNION ALL
SELECT 'entry_currency', 'entry ' || id,
    format('%s on an account in %s', currency, coalesce(account_currency, 'nothing'))
FROM odd_entries WHERE currency IS DISTINCT FROM account_currency

UNION ALL
SELECT 'was_below_floor', 'entry ' || id,
    format('left account %s at %s', account_id, balance_after_minor)
FROM odd_entries WHERE balance_after_minor < floor_minor

UNION ALL
SELECT 'last_balance', 'account ' || account_id,
    format('balance %s, last entry leaves %s', balance_minor, balance_after_minor)
FROM odd_entries WHERE is_last AND balance_after_minor <> balance_minor

UNION ALL
SELECT 'below_floor', 'account ' || id, format('balance %s, floor %s', balance_minor, floor_minor)
FROM wallet_account
WHERE (balance_minor < floor_minor OR balance_minor > 0 AND kind = 'receivable')
    AND id IN (SELECT key FROM new_accounts)  -- only new

UNION ALL
SELECT 'floor_moved', 'account ' || id, format('%s with a floor of %s', kind, coalesce(floor_minor::text, 'none'))
FROM wallet_account
WHERE floor_minor IS DISTINCT FROM CASE WHEN kind IN (
    'bonus', 'deposit', 'winnings', 'withdrawal_hold', 'locked_bonus', 'ticket', 'escrow') THEN 0 END
    AND id IN (SELECT key FROM new_accounts)  -- only new

UNION ALL
SELECT 'closed_not_empty', 'account ' || id, 'closed with ' || balance_minor
FROM wallet_account WHERE status = 'closed' AND balance_minor <> 0
    AND id IN (SELECT key FROM new_accounts)  -- only new

UNION ALL
SELECT 'reversal_differs', 'transfer ' || t.id, 'is not the opposite of transfer ' || t.reverses_id
FROM wallet_transfer AS t
WHERE t.reverses_id IS NOT NULL AND EXISTS (
    SELECT FROM wallet_entry AS e
    WHERE e.transfer_id IN (t.id, t.reverses_id)
    GROUP BY e.account_id HAVING sum(e.amount_minor) <> 0 OR count(*) <> 2)
    AND t.id >= wallet_new_transfer()  -- only new

UNION ALL
-- A trigger refuses it, but not in a session that runs none.
SELECT 'reversal_names_none', 'transfer ' || t.id,
    format('of kind %s reverses %s', t.kind, coalesce('transfer ' || t.reverses_id, 'no transfer'))
FROM wallet_transfer AS t
WHERE (t.kind = 'reversal') <> (t.reverses_id IS NOT NULL)
    AND t.id >= wallet_new_transfer()  -- only new

UNION ALL
SELECT 'stake_parts', 'stake ' || s.id,
    format('parts of %s, entry of %s', coalesce(p.paid, 0), s.entry_minor)
FROM wallet_stake AS s LEFT JOIN per_stake AS p ON p.stake_id = s.id
WHERE coalesce(p.paid, 0) <> s.entry_minor
    AND s.escrow_id IN (SELECT key FROM new_escrows)  -- only new

UNION ALL
SELECT 'stake_part_unpaid', 'stake ' || s.id,
    'its transfer did not take ' || p.amount || ' from account ' || p.account_id
FROM (
    -- Several lots of a bonus may have paid, all from one account.
    SELECT stake_id, account_id, sum(amount_minor) AS amount
    FROM wallet_stakepart WHERE NOT is_won
        AND stake_id IN (SELECT id FROM wallet_stake WHERE escrow_id IN (SELECT key FROM new_escrows))  -- only new
    GROUP BY stake_id, account_id
) AS p JOIN wallet_stake AS s ON s.id = p.stake_id
LEFT JOIN wallet_entry AS e
    ON e.transfer_id = s.transfer_id AND e.account_id = p.account_id
    AND e.amount_minor = -p.amount
WHERE e.id IS NULL

UNION ALL
-- The player and game of a stake are those of its transfer.
SELECT 'stake_escrow', 'stake ' || s.id,
    format('its transfer did not credit %s to account %s', s.entry_minor, s.escrow_id)
FROM wallet_stake AS s LEFT JOIN wallet_entry AS e
    ON e.transfer_id = s.transfer_id AND e.account_id = s.escrow_id
    AND e.amount_minor = s.entry_minor
WHERE e.id IS NULL
    AND s.escrow_id IN (SELECT key FROM new_escrows)  -- only new

UNION ALL
SELECT 'stake_player', 'stake ' || s.id,
    format('of player %s, paid from account %s of %s', s.player_id, a.id, a.player_id)
FROM wallet_stake AS s JOIN wallet_stakepart AS p ON p.stake_id = s.id
JOIN wallet_account AS a ON a.id = p.account_id
WHERE a.player_id <> s.player_id
    AND s.escrow_id IN (SELECT key FROM new_escrows)  -- only new

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
    AND s.escrow_id IN (SELECT key FROM new_escrows)  -- only new

UNION ALL
SELECT 'escrow_unexplained', 'account ' || a.id,
    format('holds %s, its stakes explain %s', a.balance_minor, coalesce(x.held, o.added, 0))
FROM wallet_account AS a LEFT JOIN explained AS x ON x.escrow_id = a.id
-- A season has no stakes: the operator funds its prizes when it opens.
LEFT JOIN overlays AS o ON o.account_id = a.id AND a.status = 'open'
WHERE a.kind = 'escrow' AND a.balance_minor <> coalesce(x.held, o.added, 0)
    AND a.id IN (SELECT key FROM new_escrows)  -- only new

UNION ALL
-- A finished game paid the operator the rake stored on its stakes, and nothing else (RB 7.5). At points tables the
-- rake is booked deal by deal: audit_stacks.sql.
SELECT 'rake_unexplained', 'account ' || n.escrow_id,
    format('its stakes have a rake of %s, booked is %s', n.noted, coalesce(g.got, 0))
FROM (
    SELECT s.escrow_id, sum(s.rake_minor) FILTER (WHERE s.status = 'settled') AS noted
    FROM wallet_stake AS s JOIN wallet_account AS a ON a.id = s.escrow_id AND a.status = 'closed'
    WHERE s.escrow_id NOT IN (
        SELECT x.escrow_id FROM wallet_stackchange AS c JOIN wallet_stake AS x ON x.id = c.stake_id
        WHERE x.escrow_id IN (SELECT key FROM new_escrows)  -- only new
    )
        AND s.escrow_id IN (SELECT key FROM new_escrows)  -- only new
    GROUP BY s.escrow_id
) AS n
LEFT JOIN (
    SELECT out.account_id AS escrow_id, sum(e.amount_minor) AS got
    FROM wallet_entry AS out
    JOIN wallet_account AS game ON game.id = out.account_id AND game.kind = 'escrow'
    JOIN wallet_entry AS e ON e.transfer_id = out.transfer_id
    JOIN wallet_account AS rakes ON rakes.id = e.account_id AND rakes.kind = 'rake'
    WHERE out.amount_minor < 0
        AND out.account_id IN (SELECT key FROM new_escrows)  -- only new
    GROUP BY out.account_id
) AS g ON g.escrow_id = n.escrow_id
WHERE coalesce(n.noted, 0) <> coalesce(g.got, 0)

UNION ALL
SELECT 'hold_unexplained', 'account ' || a.id,
    format('holds %s, withdrawals under way explain %s', a.balance_minor, w.held)
FROM wallet_account AS a CROSS JOIN LATERAL (
    SELECT coalesce(sum(deposit_minor + winnings_minor - tax_minor), 0) AS held FROM wallet_withdrawal
    WHERE player_id = a.player_id AND currency = a.currency
        AND status IN ('requested', 'approved')
) AS w
WHERE a.kind = 'withdrawal_hold' AND a.balance_minor <> w.held
    AND a.player_id IN (SELECT player_id FROM new_players)  -- only new

UNION ALL
SELECT 'deposit_uncredited', 'deposit ' || d.id,
    format('transfer %s did not credit its player with %s', d.transfer_id, d.amount_minor)
FROM wallet_deposit AS d
-- The player's debt is paid first.
WHERE d.status = 'paid' AND d.amount_minor IS DISTINCT FROM (
    SELECT sum(e.amount_minor) FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
    WHERE e.transfer_id = d.transfer_id AND a.player_id = d.player_id
        AND a.kind IN ('deposit', 'receivable') AND a.currency = d.currency)
    AND d.id IN (SELECT key FROM wallet_new_keys('wallet_deposit'))  -- only new

UNION ALL
SELECT 'seal_chain', 'seal ' || number, 'does not follow seal ' || number_before
FROM seal_steps
WHERE (number <> number_before + 1 OR from_xid <> to_xid_before OR previous <> hash_before)
    AND number >= wallet_new_seal()  -- only new

UNION ALL
SELECT 'seal_broken', 'seal ' || number,
    format('sealed %s transfers of %s entries and %s versions, finds %s of %s and %s or others',
        transfer_count, entry_count, version_count, transfers, entries, versions)
FROM broken

UNION ALL
SELECT 'transfer_rewritten', 'transfer ' || m.id,
    format(CASE WHEN t.id IS NULL THEN 'is missing, seal %s contains it' ELSE 'differs from seal %s' END, m.number)
FROM tokens AS m LEFT JOIN stated AS t ON t.id = m.id
WHERE t.id IS NULL OR substring(t.hash FROM 1 FOR 8) <> m.token

UNION ALL
SELECT 'transfer_slipped_in', 'transfer ' || t.id, 'is not in seal ' || b.number
FROM broken AS b JOIN stated AS t ON t.xid >= b.from_xid AND t.xid < b.to_xid
WHERE b.transfer_tokens <> '' AND t.id NOT IN (SELECT id FROM tokens)

UNION ALL
-- Sealed transfers are compared with their seals; the others with their fingerprints.
SELECT 'transfer_not_as_posted', 'transfer ' || t.id, 'does not match its fingerprint and entries'
FROM wallet_transfer AS t
LEFT JOIN LATERAL (
    SELECT string_agg(e.account_id || ':' || e.amount_minor, ',' ORDER BY e.account_id) AS stated
    FROM wallet_entry AS e WHERE e.transfer_id = t.id
) AS e ON true
WHERE t.xid >= coalesce((SELECT max(to_xid) FROM seals), wallet_new_xid())
    AND ledger_fits_its_fingerprint(t, e.stated) IS NOT TRUE

UNION ALL
-- A head that was sent off the host must still be in the chain.
SELECT 'published_head', 'seal ' || h.number, format('%s was sent to %s, but no seal has it', h.hash, h.sent_to)
FROM wallet_senthead AS h LEFT JOIN wallet_seal AS s ON s.number = h.number AND s.hash = h.hash
WHERE s.id IS NULL
    AND h.number >= wallet_new_seal() - 1  -- only new

UNION ALL
-- Sealing runs every few seconds; a stop leaves recent history unprotected.
(SELECT 'seal_lag', 'transfer ' || t.id, 'is unsealed since ' || t.created_at
FROM wallet_transfer AS t
WHERE t.xid >= coalesce((SELECT max(to_xid) FROM seals), wallet_new_xid())
    AND t.xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    AND t.created_at < (SELECT ledger_now()) - interval '1 hour'
ORDER BY t.xid, t.id LIMIT 1)

ORDER BY 1, 2
LIMIT 1000
