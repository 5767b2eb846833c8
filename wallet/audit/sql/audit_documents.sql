-- Transfers against the policy of their kind and their documents, in both directions and set by set: the checks of
-- documents.sql at COMMIT. Transfers without stored facts (`emptied` is null) are covered by the other checks.
-- Each row is a difference: (check, subject, detail).
WITH
-- One scan of the entries: the player and amounts of a transfer, and what its policy does not allow.
moved AS MATERIALIZED (
    SELECT t.id, t.key, t.kind, t.document, t.document_id, t.game, t.reverses_id, p.kind IS NULL AS is_lawless,
        min(a.player_id) AS owner, min(e.currency) AS money,
        p.of_one_player AND min(a.player_id) <> max(a.player_id) AS has_strangers,
        coalesce(sum(e.amount_minor) FILTER (WHERE a.player_id IS NOT NULL), 0) AS own,
        sum(e.amount_minor) FILTER (WHERE e.amount_minor > 0) AS taken,
        string_agg(DISTINCT a.kind, ', ') FILTER (
            WHERE e.amount_minor < 0 AND a.kind <> ALL (p.gives)
                OR e.amount_minor > 0 AND a.kind <> ALL (p.takes)
                OR p.gives IS NOT NULL AND a.kind = 'escrow' AND a.ref <> t.game
                OR p.money = 'points' AND e.currency <> 'PTS' OR p.money = 'cash' AND e.currency = 'PTS'
        ) AS misplaced,
        sum(e.amount_minor) FILTER (WHERE e.amount_minor > 0) > p.most_minor AS is_too_much
    FROM wallet_transfer AS t
    JOIN wallet_entry AS e ON e.transfer_id = t.id
    JOIN wallet_account AS a ON a.id = e.account_id
    LEFT JOIN wallet_policy AS p ON p.kind = t.kind AND p.document = t.document
    WHERE t.emptied IS NOT NULL
        AND t.xid >= wallet_new_xid()  -- only new
    GROUP BY t.id, p.kind, p.of_one_player, p.most_minor
),
-- Staff actions in the audit log on rows that move money.
acts AS MATERIALIZED (
    SELECT kind, row, by_id, act FROM core_auditentry
    WHERE kind IN ('wallet.adjustment', 'wallet.bonusrequest', 'wallet.payoutbatch', 'wallet.restitution',
        'wallet.gatewaysettlement', 'wallet.stafftask', 'wallet.withdrawal')
        AND row IN (SELECT row_key FROM wallet_rowversion WHERE xid >= wallet_new_xid())  -- only new
),
-- Withdrawals that several people handled: the approver neither sent it nor recorded its result.
seen_to AS MATERIALIZED (
    SELECT w.id, n.act
    FROM wallet_withdrawal AS w
    JOIN wallet_payoutbatch AS b ON b.id = w.batch_id
        AND b.made_by_id NOT IN (w.player_id, w.requested_by_id, w.decided_by_id)
    JOIN acts AS a ON a.kind = 'wallet.withdrawal' AND a.row = w.id::text AND a.act = 'approve'
        AND a.by_id = w.decided_by_id
    JOIN acts AS s ON s.kind = 'wallet.payoutbatch' AND s.row = b.id::text AND s.act = 'send_to_bank'
        AND s.by_id = b.made_by_id
    JOIN acts AS n ON n.kind = 'wallet.withdrawal' AND n.row = w.id::text
        AND n.by_id NOT IN (w.player_id, w.requested_by_id, w.decided_by_id)
    WHERE w.decided_by_id NOT IN (w.player_id, w.requested_by_id)
        AND w.id IN (SELECT key FROM wallet_new_keys('wallet_withdrawal'))  -- only new
),
new_payments AS (
    SELECT id FROM wallet_gatewaypayment WHERE transfer_id >= wallet_new_transfer()
    UNION SELECT payment_id FROM wallet_paymentreturn WHERE transfer_id >= wallet_new_transfer()
),
-- Payments in, by the gateway's signed events.
reported AS MATERIALIZED (
    SELECT p.id, p.transfer_id, p.deposit_id, p.provider, p.reference, p.currency, p.amount_minor
    FROM wallet_gatewaypayment AS p
    WHERE EXISTS (
        SELECT FROM wallet_gatewayevent AS e
        WHERE e.provider = p.provider AND e.payment_reference = p.reference AND e.kind = 'paid'
            AND e.source = 'signed'
            AND e.currency = p.currency AND e.amount_minor = p.amount_minor)
        AND p.id IN (SELECT id FROM new_payments)  -- only new
),
-- The highest limits of play points ever in force, from the versions of the installation's row.
point_limits AS (
    SELECT max((facts ->> 'sign_up_points_minor')::bigint) AS sign_up_minor,
        max((facts ->> 'refill_points_to_minor')::bigint) AS refill_to_minor
    FROM wallet_rowversion WHERE relation = 'wallet_installation'
),
-- Transfers whose document is missing or differs.
lacking AS (
    SELECT m.id, m.document FROM moved AS m
    LEFT JOIN wallet_stake AS s ON s.transfer_id = m.id
    LEFT JOIN wallet_account AS a ON a.id = s.escrow_id
    WHERE m.document = 'stake' AND m.kind = 'buy_in'
        AND (s.player_id = m.owner AND s.entry_minor = m.taken AND a.ref = m.game) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m
    LEFT JOIN wallet_stake AS s ON s.id = m.document_id
    LEFT JOIN wallet_account AS a ON a.id = s.escrow_id
    WHERE m.document = 'stake' AND m.kind = 'release'
        AND (s.player_id = m.owner AND s.status = 'settled' AND s.entry_minor >= m.taken
            AND a.currency = m.money AND a.ref = m.game) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m LEFT JOIN wallet_deposit AS d ON d.id = m.document_id
    WHERE m.document = 'order'
        AND (d.transfer_id = m.id AND d.status = 'paid' AND d.player_id = m.owner AND d.currency = m.money
            AND d.amount_minor = m.own AND d.amount_minor + d.gst_minor = m.taken) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m LEFT JOIN reported AS p ON p.transfer_id = m.id
    WHERE m.document = 'payment'
        AND (p.currency = m.money AND p.amount_minor = m.taken AND EXISTS (
            SELECT FROM wallet_stafftask AS k WHERE k.transfer_id = m.id
                AND k.deposit_id IS NOT DISTINCT FROM p.deposit_id)) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m
    LEFT JOIN wallet_stafftask AS k ON k.id = m.document_id
    LEFT JOIN wallet_deposit AS d ON d.id = k.deposit_id
    LEFT JOIN LATERAL (
        SELECT min(e.currency) AS money, sum(e.amount_minor) FILTER (WHERE e.amount_minor > 0) AS taken
        FROM wallet_entry AS e WHERE e.transfer_id = k.transfer_id
    ) AS held ON true
    WHERE m.document = 'task'
        AND (k.done_at IS NOT NULL AND held.money = m.money AND held.taken = m.taken
            AND (m.owner IS NULL OR m.owner = d.player_id) AND k.done_by_id <> d.player_id
            AND EXISTS (
                SELECT FROM acts AS x WHERE x.kind = 'wallet.stafftask' AND x.row = k.id::text
                    AND x.by_id = k.done_by_id
                    AND x.act = CASE WHEN m.owner IS NULL THEN 'send_back' ELSE 'place' END)) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m LEFT JOIN wallet_withdrawal AS w ON w.hold_id = m.id
    WHERE m.document = 'withdrawal' AND m.kind = 'withdrawal'
        AND (w.player_id = m.owner AND w.currency = m.money AND w.deposit_minor + w.winnings_minor = m.taken
            AND w.tax_minor = -m.own) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m LEFT JOIN wallet_withdrawal AS w ON w.hold_id = m.reverses_id
    WHERE m.document = 'withdrawal' AND m.kind = 'reversal'
        AND CASE w.status
            WHEN 'rejected' THEN NOT EXISTS (
                SELECT FROM acts AS x WHERE x.kind = 'wallet.withdrawal' AND x.row = w.id::text
                    AND x.by_id = w.decided_by_id AND x.act = 'reject')
            WHEN 'failed' THEN NOT EXISTS (
                SELECT FROM seen_to AS x WHERE x.id = w.id AND x.act = 'note_failed')
            ELSE true END
    UNION ALL
    SELECT m.id, m.document FROM moved AS m LEFT JOIN wallet_withdrawal AS w ON w.id = m.document_id
    WHERE m.document = 'payout'
        AND (w.status = 'paid' AND w.player_id = m.owner AND w.currency = m.money
            AND w.deposit_minor + w.winnings_minor - w.tax_minor = m.taken
            AND EXISTS (SELECT FROM seen_to AS x WHERE x.id = w.id AND x.act = 'note_paid')) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m
    LEFT JOIN wallet_paymentreturn AS r ON r.id = m.document_id
    LEFT JOIN reported AS p ON p.id = r.payment_id
    LEFT JOIN wallet_deposit AS d ON d.id = p.deposit_id
    WHERE m.document = 'payment_return'
        AND (r.transfer_id = m.id AND r.status = 'taken' AND r.player_id = m.owner AND r.currency = m.money
            AND r.amount_minor = m.taken AND p.transfer_id < m.id AND d.player_id = m.owner
            AND EXISTS (
                SELECT FROM wallet_gatewayevent AS e
                WHERE e.provider = p.provider AND e.payment_reference = p.reference
                    AND e.case_reference = r.reference AND e.kind IN ('refund_done', 'dispute_lost')
                    AND e.currency = m.money AND e.amount_minor = m.taken)) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m
    JOIN wallet_transfer AS t ON t.id = m.id
    LEFT JOIN wallet_transfer AS c ON c.id = m.document_id AND c.id < t.id AND c.xid = t.xid
    WHERE m.document = 'debt' AND (c.id IS NULL OR EXISTS (
        SELECT FROM wallet_entry AS e
        LEFT JOIN wallet_entry AS b ON b.transfer_id = c.id AND b.account_id = e.account_id
        WHERE e.transfer_id = m.id AND e.amount_minor < 0
            AND (b.amount_minor >= -e.amount_minor) IS NOT TRUE))
    UNION ALL
    SELECT m.id, m.document FROM moved AS m LEFT JOIN wallet_withholding AS w ON w.transfer_id = m.id
    WHERE m.document = 'withholding'
        AND (w.reason = 'year_end' AND w.player_id = m.owner AND w.currency = m.money
            AND w.tax_minor = m.taken) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m LEFT JOIN wallet_adjustment AS x ON x.id = m.document_id
    WHERE m.document = 'adjustment'
        AND (x.transfer_id = m.id AND x.status = 'approved' AND x.amount_minor = m.taken
            AND x.made_by_id <> x.checked_by_id
            AND NOT EXISTS (
                SELECT FROM wallet_account AS a WHERE a.id IN (x.source_id, x.target_id)
                    AND a.player_id IN (x.made_by_id, x.checked_by_id))
            AND 2 = (
                SELECT count(DISTINCT y.act) FROM acts AS y
                WHERE y.kind = 'wallet.adjustment' AND y.row = x.id::text
                    AND (y.by_id, y.act) IN ((x.made_by_id, 'ask'), (x.checked_by_id, 'approve')))) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m LEFT JOIN wallet_restitution AS x ON x.id = m.document_id
    WHERE m.document = 'restitution'
        AND (x.transfer_id = m.id AND x.status = 'approved' AND x.amount_minor = m.taken
            AND x.currency = m.money AND x.made_by_id <> x.checked_by_id
            AND NOT EXISTS (
                SELECT FROM wallet_restitutionline AS l
                WHERE l.restitution_id = x.id AND l.player_id IN (x.made_by_id, x.checked_by_id))
            AND NOT EXISTS (
                SELECT FROM (
                    SELECT a.player_id, sum(e.amount_minor) AS moved
                    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
                    WHERE e.transfer_id = m.id GROUP BY a.player_id
                ) AS g
                FULL JOIN (
                    SELECT l.player_id, l.amount_minor FROM wallet_restitutionline AS l
                    WHERE l.restitution_id = m.document_id
                ) AS l USING (player_id)
                WHERE g.moved IS DISTINCT FROM l.amount_minor)
            AND 2 = (
                SELECT count(DISTINCT y.act) FROM acts AS y
                WHERE y.kind = 'wallet.restitution' AND y.row = x.id::text
                    AND (y.by_id, y.act) IN ((x.made_by_id, 'ask'), (x.checked_by_id, 'approve')))) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m LEFT JOIN wallet_gatewaysettlement AS x ON x.id = m.document_id
    WHERE m.document = 'settlement'
        AND (x.transfer_id = m.id AND x.status = 'approved' AND x.currency = m.money
            AND x.made_by_id <> x.checked_by_id
            AND NOT EXISTS (
                SELECT FROM (VALUES ('gateway_clearing', x.fee_minor + x.tax_minor - x.other_minor),
                        ('gateway_fees', -x.fee_minor), ('input_tax', -x.tax_minor), ('suspense', x.other_minor)
                    ) AS l (kind, amount_minor)
                FULL JOIN (
                    SELECT a.kind, e.amount_minor FROM wallet_entry AS e
                    JOIN wallet_account AS a ON a.id = e.account_id WHERE e.transfer_id = m.id
                ) AS g USING (kind)
                WHERE coalesce(g.amount_minor, 0) <> coalesce(l.amount_minor, 0))
            AND 2 = (
                SELECT count(DISTINCT y.act) FROM acts AS y
                WHERE y.kind = 'wallet.gatewaysettlement' AND y.row = x.id::text
                    AND (y.by_id, y.act) IN ((x.made_by_id, 'ask'), (x.checked_by_id, 'approve')))) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m
    LEFT JOIN wallet_bonusgrant AS g ON g.transfer_id = m.id
    LEFT JOIN wallet_bonusrequest AS r ON r.grant_id = g.id
    WHERE m.document = 'lot' AND m.kind = 'bonus'
        AND (g.amount_minor = m.taken AND (r.id IS NULL AND ledger_is_trial()
            OR r.status = 'approved' AND r.player_id = m.owner AND r.currency = m.money
                AND r.amount_minor = m.taken AND g.granted_by_id = r.checked_by_id
                AND r.made_by_id <> r.checked_by_id
                AND r.player_id NOT IN (r.made_by_id, r.checked_by_id)
                AND 2 = (
                    SELECT count(DISTINCT y.act) FROM acts AS y
                    WHERE y.kind = 'wallet.bonusrequest' AND y.row = r.id::text
                        AND (y.by_id, y.act) IN ((r.made_by_id, 'ask'), (r.checked_by_id, 'approve'))
                ))) IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m
    WHERE m.document = 'lot' AND m.kind = 'expiry' AND NOT EXISTS (
        SELECT FROM wallet_bonusmovement AS b WHERE b.transfer_id = m.id AND b.amount_minor = -m.taken)
    UNION ALL
    SELECT m.id, m.document FROM moved AS m CROSS JOIN point_limits AS l
    WHERE m.document IN ('sign_up', 'refill') AND (m.document_id IS DISTINCT FROM m.owner
        OR m.document = 'sign_up' AND m.taken > l.sign_up_minor
        OR m.document = 'refill' AND EXISTS (
            SELECT FROM wallet_entry AS e
            WHERE e.transfer_id = m.id AND e.amount_minor > 0 AND e.balance_after_minor > l.refill_to_minor))
    UNION ALL
    SELECT m.id, m.document FROM moved AS m LEFT JOIN players_user AS u ON u.id = m.owner
    WHERE m.document = 'bot' AND u.is_bot IS NOT TRUE
    UNION ALL
    SELECT m.id, m.document FROM moved AS m
    WHERE m.document = 'ticket' AND NOT EXISTS (
        SELECT FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
        WHERE e.transfer_id = m.id AND e.balance_after_minor = 0 AND a.kind = 'ticket' AND a.ref = m.game)
    UNION ALL
    SELECT m.id, m.document FROM moved AS m
    WHERE m.document = 'deal' AND m.key NOT IN (
        SELECT key FROM wallet_stackchange
        WHERE id IN (SELECT key FROM wallet_new_keys('wallet_stackchange'))  -- only new
    )
)

SELECT 'transfer_policy' AS "check", 'transfer ' || id AS subject,
    format('of kind %s with document "%s": %s', kind, document, CASE
        WHEN is_lawless THEN 'there is no such policy'
        WHEN misplaced IS NOT NULL THEN misplaced || ' may not give or take so'
        WHEN has_strangers THEN 'moves accounts of several players'
        ELSE 'moves more than its policy allows' END) AS detail
FROM moved WHERE is_lawless OR misplaced IS NOT NULL OR has_strangers OR is_too_much

UNION ALL
SELECT 'transfer_without_document', 'transfer ' || id,
    format('the %s behind it is missing or differs', document)
FROM lacking

UNION ALL
-- Only players with a stake in a game are paid from it.
SELECT DISTINCT 'paid_without_a_stake', 'transfer ' || m.id,
    format('pays player %s from %s, but the player has no stake there', a.player_id, m.game)
FROM moved AS m
JOIN wallet_entry AS e ON e.transfer_id = m.id
JOIN wallet_account AS a ON a.id = e.account_id AND a.player_id IS NOT NULL
JOIN wallet_account AS g
    ON g.kind = 'escrow' AND g.player_id IS NULL AND g.ref = m.game AND g.currency = m.money
WHERE m.document IN ('game', 'stakes', 'stack') AND NOT EXISTS (
    SELECT FROM wallet_stake AS s WHERE s.escrow_id = g.id AND s.player_id = a.player_id)

UNION ALL
SELECT 'deposit_without_event', 'deposit ' || d.id,
    format('is %s without an event of its gateway', d.status)
FROM wallet_deposit AS d
WHERE d.status IN ('paid', 'placed') AND NOT EXISTS (
    SELECT FROM wallet_gatewayevent AS e
    WHERE e.provider = d.provider AND e.order_reference = d.order_reference AND e.kind = 'paid'
        AND CASE d.status WHEN 'placed' THEN e.outcome = 'suspense'
            ELSE e.outcome = 'credited' AND e.currency = d.currency
                AND e.amount_minor = d.amount_minor + d.gst_minor END)
    AND d.id IN (SELECT key FROM wallet_new_keys('wallet_deposit'))  -- only new

UNION ALL
SELECT 'event_without_deposit', 'gateway event ' || e.id, 'credited an order that is not paid'
FROM wallet_gatewayevent AS e LEFT JOIN wallet_deposit AS d
    ON d.provider = e.provider AND d.order_reference = e.order_reference AND d.status = 'paid'
WHERE e.outcome = 'credited' AND d.id IS NULL
    AND e.id IN (SELECT key FROM wallet_new_keys('wallet_gatewayevent'))  -- only new

ORDER BY 1, 2
LIMIT 1000
