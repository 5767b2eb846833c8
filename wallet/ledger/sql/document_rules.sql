-- The document that each transfer needs, and what must be true of it: for the trigger of documents.sql at COMMIT and
-- for the audit. Where a trigger calls them, each query is an index lookup.

-- Return whether the audit log has this action, by someone other than the owner of the money. The entry is
-- written in the transaction of the action (core/audit_log.py).
CREATE FUNCTION wallet_acted(
    p_kind text, p_row bigint, p_by bigint, p_act text, p_owners bigint[]
) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN coalesce(p_by <> ALL (array_remove(p_owners, NULL)), false) AND EXISTS (
        SELECT FROM core_auditentry
        WHERE kind = p_kind AND row = p_row::text AND by_id = p_by AND act = p_act);
END
$$;

-- As above; at COMMIT the person must also be staff. Earlier actors may have left since.
CREATE FUNCTION wallet_staff_act(
    p_kind text, p_row bigint, p_by bigint, p_act text, p_owners bigint[], p_at_commit boolean DEFAULT true
) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (NOT p_at_commit OR EXISTS (SELECT FROM players_user WHERE id = p_by AND is_staff))
        AND wallet_acted(p_kind, p_row, p_by, p_act, p_owners);
END
$$;

-- Return whether one person requested this and a member of staff approved it, neither of them for own money.
CREATE FUNCTION wallet_was_decided(
    p_kind text, p_row bigint, p_made_by bigint, p_checked_by bigint, p_owners bigint[],
    p_at_commit boolean DEFAULT true
) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN p_made_by <> p_checked_by
        AND wallet_acted(p_kind, p_row, p_made_by, 'ask', p_owners)
        AND wallet_staff_act(p_kind, p_row, p_checked_by, 'approve', p_owners, p_at_commit);
END
$$;

-- Return whether several people handled a withdrawal sent to the bank: one approved it, another sent it, and
-- someone other than the approver recorded the bank's answer; at COMMIT that person is staff and, for a large
-- amount, a third one (RB 11.2). None of them is its player or its requester.
CREATE FUNCTION wallet_was_handled(w wallet_withdrawal, p_act text, p_at_commit boolean) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
DECLARE
    others CONSTANT bigint[] := ARRAY[w.player_id, w.requested_by_id];
    sender bigint;
    takes_three boolean := false;
BEGIN
    SELECT made_by_id INTO sender FROM wallet_payoutbatch WHERE id = w.batch_id;
    IF p_at_commit THEN
        SELECT w.deposit_minor + w.winnings_minor > h.three_people_above::numeric * 10 ^ c.exponent INTO takes_three
        FROM wallet_installation AS h JOIN wallet_currency AS c ON c.code = w.currency WHERE h.id = 1;
    END IF;
    RETURN wallet_acted('wallet.withdrawal', w.id, w.decided_by_id, 'approve', others)
        AND wallet_acted(
            'wallet.payoutbatch', w.batch_id, sender, 'send_to_bank', others || w.decided_by_id)
        AND EXISTS (
            SELECT FROM core_auditentry AS e JOIN players_user AS u ON u.id = e.by_id
            WHERE e.kind = 'wallet.withdrawal' AND e.row = w.id::text AND e.act = p_act
                AND e.by_id <> ALL (others || w.decided_by_id)
                AND (u.is_staff OR NOT p_at_commit)
                AND NOT (takes_three AND e.by_id = sender));
END
$$;

-- Return whether a signed gateway event about a payment is stored: what it moved, and the fee in it that the payer bore.
CREATE FUNCTION wallet_was_reported(
    p_provider text, p_payment text, p_kinds text[], p_case text, p_currency text, p_minor numeric, p_borne numeric
) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM wallet_gatewayevent
        WHERE provider = p_provider AND payment_reference = p_payment
            AND kind = ANY (p_kinds) AND (source = 'signed' OR kind <> 'paid')
            AND (p_case IS NULL OR case_reference = p_case)
            AND currency = p_currency AND coalesce(moved_minor, amount_minor) = p_minor
            AND fee_minor + tax_minor = p_borne);
END
$$;

-- Return the highest value that a limit of play points ever had, from the versions of the installation's row.
CREATE FUNCTION wallet_highest_limit(p_name text) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (
        SELECT max((facts ->> p_name)::bigint) FROM wallet_rowversion WHERE relation = 'wallet_installation');
END
$$;

-- Create two functions from the rules below: wallet_document_lacks(transfer), which the trigger of documents.sql calls,
-- and wallet_transfers_lacking(first), which the audit calls (wallet/audit/sql/audit_documents.sql). A rule is the
-- documents and the kind of transfer it applies to ('' for all), and what is wrong if true of the transfer `m`. For
-- the trigger `m` is a variable, so that each query is an index lookup whatever plan is cached; for the audit it is
-- a row of a statement over all transfers, which joins whole tables. `p_at_commit` is replaced by `true` or `false`.
DO $make$
DECLARE
    moved CONSTANT text := $$
        SELECT t.document, t.kind, t.id, t.key, t.xid, t.entry_count, t.document_id, t.game, t.reverses_id,
            min(a.player_id) AS owner, min(e.currency) AS money,
            coalesce(sum(e.amount_minor) FILTER (WHERE a.player_id IS NOT NULL), 0) AS own,
            sum(e.amount_minor) FILTER (WHERE e.amount_minor > 0) AS taken,
            coalesce(sum(e.amount_minor) FILTER (WHERE a.kind IN ('gateway_fees', 'input_tax')), 0) AS fees$$;
    entries CONSTANT text := $$
        FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id$$;
    rule record;
    applies text;
    checks text := '';
    branches text[];
BEGIN
    FOR rule IN SELECT * FROM (VALUES
        ('{stake}', 'buy_in', $$NOT EXISTS (
            SELECT FROM wallet_stake AS s JOIN wallet_account AS a ON a.id = s.escrow_id
            WHERE s.transfer_id = m.id AND s.player_id = m.owner AND s.entry_minor = m.taken AND a.ref = m.game)$$),
        ('{stake}', 'release', $$NOT EXISTS (
            SELECT FROM wallet_stake AS s JOIN wallet_account AS a ON a.id = s.escrow_id
            WHERE s.id = m.document_id AND s.player_id = m.owner AND s.status = 'settled'
                AND s.entry_minor >= m.taken AND a.currency = m.money AND a.ref = m.game)$$),
        -- The rake of a deal is what its stacks lost.
        ('{deal}', '', $$m.taken IS DISTINCT FROM (
            SELECT -sum(c.amount_minor) FROM wallet_stackchange AS c WHERE c.key = m.key)$$),
        ('{order}', '', $$NOT EXISTS (
            SELECT FROM wallet_deposit AS d JOIN wallet_gatewaypayment AS p ON p.deposit_id = d.id
            WHERE d.id = m.document_id AND d.transfer_id = m.id AND p.transfer_id = m.id AND d.status = 'paid'
                AND d.player_id = m.owner AND d.currency = m.money
                AND d.amount_minor = m.own AND d.amount_minor + d.gst_minor = m.taken - m.fees
                AND p.provider = d.provider AND p.order_reference = d.order_reference
                AND wallet_was_reported(p.provider, p.reference, '{paid}', NULL, m.money, m.taken, m.fees))$$),
        ('{payment}', '', $$NOT EXISTS (
            SELECT FROM wallet_stafftask AS k JOIN wallet_gatewaypayment AS p ON p.transfer_id = k.transfer_id
            WHERE k.transfer_id = m.id AND k.deposit_id IS NOT DISTINCT FROM p.deposit_id
                AND p.currency = m.money AND p.amount_minor = m.taken
                AND wallet_was_reported(p.provider, p.reference, '{paid}', NULL, m.money, m.taken, m.fees))$$),
        ('{task}', '', $$NOT EXISTS (
            SELECT FROM wallet_stafftask AS k
            JOIN wallet_deposit AS d ON d.id = k.deposit_id
            JOIN wallet_entry AS e ON e.transfer_id = k.transfer_id
            JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'suspense'
            WHERE k.id = m.document_id AND k.done_at IS NOT NULL
                AND e.amount_minor = m.taken AND e.currency = m.money
                AND (m.owner IS NULL OR m.owner = d.player_id)
                AND wallet_staff_act(
                    'wallet.stafftask', k.id, k.done_by_id,
                    CASE WHEN m.owner IS NULL THEN 'send_back' ELSE 'place' END,
                    ARRAY[d.player_id], p_at_commit))$$),
        ('{payment_return}', '', $$NOT EXISTS (
            SELECT FROM wallet_paymentreturn AS r
            JOIN wallet_gatewaypayment AS p ON p.id = r.payment_id
            JOIN wallet_deposit AS d ON d.id = p.deposit_id
            WHERE r.id = m.document_id AND r.transfer_id = m.id AND r.status = 'taken'
                -- A return of nothing but a fee moves no account of the player.
                AND r.player_id = coalesce(m.owner, r.player_id) AND r.currency = m.money
                AND coalesce(r.moved_minor, r.amount_minor) = m.taken
                AND d.player_id = r.player_id AND p.currency = m.money
                AND p.amount_minor >= (
                    SELECT sum(coalesce(o.moved_minor, o.amount_minor)) FROM wallet_paymentreturn AS o
                    WHERE o.payment_id = p.id AND o.status = 'taken')
                -- The operator bears at most the fee that the payer paid for the gateway.
                AND (m.fees = 0 OR -m.fees <= (
                    SELECT sum(e.amount_minor) FROM wallet_entry AS e
                    JOIN wallet_account AS a ON a.id = e.account_id AND a.kind IN ('gateway_fees', 'input_tax')
                    WHERE e.transfer_id = p.transfer_id))
                -- The player was credited with it: at once, or by staff from suspense.
                AND (p.transfer_id = d.transfer_id OR EXISTS (
                    SELECT FROM wallet_stafftask AS k JOIN wallet_transfer AS placed
                        ON placed.document = 'task' AND placed.document_id = k.id
                    WHERE k.transfer_id = p.transfer_id AND k.deposit_id = d.id))
                AND wallet_was_reported(
                    p.provider, p.reference, '{refund_done,dispute_lost}', r.reference, m.money, m.taken, 0))$$),
        -- It follows a transfer in the same transaction that credited these accounts with at least as much.
        ('{debt}', '', $$(NOT EXISTS (
                SELECT FROM wallet_transfer AS c WHERE c.id = m.document_id AND c.id < m.id AND c.xid = m.xid)
            OR EXISTS (
                SELECT FROM wallet_entry AS e WHERE e.transfer_id = m.id AND e.amount_minor < 0
                    AND NOT EXISTS (
                        SELECT FROM wallet_entry AS b
                        WHERE b.transfer_id = m.document_id AND b.account_id = e.account_id
                            AND b.amount_minor >= -e.amount_minor)))$$),
        ('{withdrawal}', 'withdrawal', $$NOT EXISTS (
            SELECT FROM wallet_withdrawal AS w
            WHERE w.hold_id = m.id AND w.player_id = m.owner AND w.currency = m.money
                AND w.deposit_minor + w.winnings_minor = m.taken AND w.tax_minor = -m.own)$$),
        ('{withdrawal}', 'reversal', $$NOT EXISTS (
            SELECT FROM wallet_withdrawal AS w
            WHERE w.hold_id = m.reverses_id AND CASE w.status
                WHEN 'rejected' THEN wallet_staff_act('wallet.withdrawal', w.id, w.decided_by_id, 'reject',
                    ARRAY[w.player_id, w.requested_by_id], p_at_commit)
                WHEN 'failed' THEN wallet_was_handled(w, 'note_failed', p_at_commit) END)$$),
        ('{payout}', '', $$NOT EXISTS (
            SELECT FROM wallet_withdrawal AS w
            WHERE w.id = m.document_id AND w.status = 'paid' AND w.player_id = m.owner AND w.currency = m.money
                AND w.deposit_minor + w.winnings_minor - w.tax_minor = m.taken
                AND wallet_was_handled(w, 'note_paid', p_at_commit))$$),
        ('{withholding}', '', $$NOT EXISTS (
            SELECT FROM wallet_withholding AS w
            WHERE w.transfer_id = m.id AND w.reason = 'year_end' AND w.player_id = m.owner
                AND w.currency = m.money AND w.tax_minor = m.taken)$$),
        ('{adjustment}', '', $$NOT EXISTS (
            SELECT FROM wallet_adjustment AS x
            JOIN wallet_account AS source ON source.id = x.source_id
            JOIN wallet_account AS target ON target.id = x.target_id
            WHERE x.id = m.document_id AND x.transfer_id = m.id AND x.status = 'approved' AND m.entry_count = 2
                AND 2 = (
                    SELECT count(*) FROM wallet_entry AS e
                    WHERE e.transfer_id = x.transfer_id AND (e.account_id, e.amount_minor)
                        IN ((x.source_id, -x.amount_minor), (x.target_id, x.amount_minor)))
                AND wallet_was_decided('wallet.adjustment', x.id, x.made_by_id, x.checked_by_id,
                    ARRAY[source.player_id, target.player_id], p_at_commit))$$),
        -- Each player's entries equal their line of the restitution, and nobody without a line has an entry.
        ('{restitution}', '', $$(NOT EXISTS (
                SELECT FROM wallet_restitution AS x
                WHERE x.id = m.document_id AND x.transfer_id = m.id AND x.status = 'approved'
                    AND x.currency = m.money AND x.amount_minor = m.taken
                    AND wallet_was_decided('wallet.restitution', x.id, x.made_by_id, x.checked_by_id,
                        ARRAY(SELECT l.player_id FROM wallet_restitutionline AS l
                            WHERE l.restitution_id = x.id), p_at_commit))
            OR EXISTS (
                SELECT FROM (
                    SELECT a.player_id, sum(e.amount_minor) AS moved
                    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
                    WHERE e.transfer_id = m.id GROUP BY a.player_id
                ) AS g
                FULL JOIN (
                    SELECT l.player_id, l.amount_minor FROM wallet_restitutionline AS l
                    WHERE l.restitution_id = m.document_id
                ) AS l USING (player_id)
                WHERE g.moved IS DISTINCT FROM l.amount_minor))$$),
        -- Each kind of account moves by the amount in the settlement, which two members of staff approved.
        ('{settlement}', '', $$NOT EXISTS (
            SELECT FROM wallet_gatewaysettlement AS x
            WHERE x.id = m.document_id AND x.transfer_id = m.id AND x.status = 'approved' AND x.currency = m.money
                AND wallet_was_decided(
                    'wallet.gatewaysettlement', x.id, x.made_by_id, x.checked_by_id, '{}', p_at_commit)
                AND NOT EXISTS (
                    SELECT FROM (VALUES ('gateway_clearing', x.fee_minor + x.tax_minor - x.other_minor),
                        ('gateway_fees', -x.fee_minor), ('input_tax', -x.tax_minor), ('suspense', x.other_minor)
                    ) AS l (kind, amount_minor)
                    FULL JOIN (
                        SELECT a.kind, e.amount_minor FROM wallet_entry AS e
                        JOIN wallet_account AS a ON a.id = e.account_id WHERE e.transfer_id = m.id
                    ) AS g USING (kind)
                    WHERE coalesce(g.amount_minor, 0) <> coalesce(l.amount_minor, 0)))$$),
        ('{lot}', 'bonus', $$NOT EXISTS (
            SELECT FROM wallet_bonusgrant AS g
            JOIN wallet_entry AS e ON e.transfer_id = g.transfer_id AND e.account_id = g.account_id
            LEFT JOIN wallet_bonusrequest AS r ON r.grant_id = g.id
            WHERE g.transfer_id = m.id AND g.amount_minor = e.amount_minor
                AND (r.status = 'approved' AND r.player_id = m.owner AND r.currency = m.money
                    AND r.amount_minor = m.taken AND r.mode = g.mode AND g.granted_by_id = r.checked_by_id
                    AND wallet_was_decided('wallet.bonusrequest', r.id, r.made_by_id, r.checked_by_id,
                        ARRAY[m.owner], p_at_commit)
                    OR r.id IS NULL AND ledger_is_trial()))$$),
        ('{lot}', 'expiry', $$NOT EXISTS (
            SELECT FROM wallet_bonusmovement AS b JOIN wallet_bonusgrant AS g ON g.id = b.grant_id
            JOIN wallet_entry AS e ON e.transfer_id = b.transfer_id AND e.account_id = g.account_id
            WHERE b.transfer_id = m.id AND b.amount_minor = -m.taken)$$),
        ('{sign_up}', '', $$(m.document_id = m.owner AND CASE
            WHEN p_at_commit THEN wallet_is_within_limits(m.document, m.owner, m.money, m.taken)
            ELSE m.taken <= (SELECT wallet_highest_limit('sign_up_points_minor')) END) IS NOT TRUE$$),
        ('{refill}', '', $$(m.document_id = m.owner AND CASE
            WHEN p_at_commit THEN wallet_is_within_limits(m.document, m.owner, m.money, m.taken)
            ELSE NOT EXISTS (
                SELECT FROM wallet_entry AS e WHERE e.transfer_id = m.id AND e.amount_minor > 0
                    AND e.balance_after_minor > (SELECT wallet_highest_limit('refill_points_to_minor')))
            END) IS NOT TRUE$$),
        ('{bot}', '', $$NOT EXISTS (SELECT FROM players_user AS u WHERE u.id = m.owner AND u.is_bot)$$),
        ('{ticket}', '', $$NOT EXISTS (
            SELECT FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
            WHERE e.transfer_id = m.id AND e.balance_after_minor = 0 AND a.kind = 'ticket' AND a.ref = m.game)$$),
        -- Only players with a stake in a game are paid from it; the prizes of a season and of a free tournament, which
        -- have no stakes, are those of their places (games_transfer_lacks).
        ('{game,stakes,stack}', '', $$NOT (m.kind = 'prize' AND (m.game LIKE 'season:%'
            OR m.game LIKE 'tournament:%' AND NOT EXISTS (
                SELECT FROM wallet_stake AS s JOIN wallet_account AS g ON g.id = s.escrow_id
                WHERE g.ref = m.game AND g.currency = m.money))) AND EXISTS (
            SELECT FROM wallet_entry AS e
            JOIN wallet_account AS a ON a.id = e.account_id AND a.player_id IS NOT NULL
            JOIN wallet_account AS g ON g.kind = 'escrow' AND g.player_id IS NULL
            WHERE e.transfer_id = m.id AND g.ref = m.game AND g.currency = m.money AND NOT EXISTS (
                SELECT FROM wallet_stake AS s WHERE s.escrow_id = g.id AND s.player_id = a.player_id))$$)
    ) AS r (documents, kind, is_wrong)
    LOOP
        applies := format('m.document = ANY (%L)', rule.documents)
            || CASE WHEN rule.kind = '' THEN '' ELSE format(' AND m.kind = %L', rule.kind) END;
        checks := checks || format(
            'IF %s THEN RETURN CASE WHEN %s THEN ''it is missing or differs'' END; END IF;
            ', applies, replace(rule.is_wrong, 'p_at_commit', 'true'));
        branches := branches || format(
            'SELECT m.id, m.document FROM moved AS m WHERE %s AND %s',
            applies, replace(rule.is_wrong, 'p_at_commit', 'false'));
    END LOOP;

    -- The player of a transfer, the sum of their entries, and the sum of all credits are read once.
    EXECUTE format($$
        CREATE FUNCTION wallet_document_lacks(t wallet_transfer) RETURNS text
        LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
        SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $body$
        DECLARE
            m record;
        BEGIN
            %s INTO m %s WHERE e.transfer_id = t.id;
            %s
            RETURN CASE WHEN t.document <> 'guarantee' THEN 'the kind of document is unknown' END;
        END
        $body$
        $$, moved, entries, checks);
    -- One scan of the entries is enough for the documents and for what the policies do not allow (posting.sql).
    EXECUTE format($$
        CREATE FUNCTION wallet_transfers_lacking(p_first bigint)
        RETURNS TABLE ("check" text, id bigint, detail text)
        LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $body$
        #variable_conflict use_column
        BEGIN
        RETURN QUERY WITH moved AS MATERIALIZED (
            %s,
            CASE
            WHEN p.kind IS NULL THEN 'there is no such policy'
            WHEN p.of_one_player AND min(a.player_id) <> max(a.player_id) THEN 'moves accounts of several players'
            WHEN sum(e.amount_minor) FILTER (WHERE e.amount_minor > 0) > p.most_minor
                THEN 'moves more than its policy allows'
            ELSE string_agg(DISTINCT a.kind, ', ') FILTER (
                WHERE e.amount_minor < 0 AND a.kind <> ALL (p.gives)
                    OR e.amount_minor > 0 AND a.kind <> ALL (p.takes)
                    OR p.gives IS NOT NULL AND a.kind = 'escrow' AND a.ref <> t.game
                    OR p.money = 'points' AND e.currency <> 'PTS' OR p.money = 'cash' AND e.currency = 'PTS'
            ) || ' may not give or take so' END AS against_policy
            %s JOIN wallet_transfer AS t ON t.id = e.transfer_id
            LEFT JOIN wallet_policy AS p ON p.kind = t.kind AND p.document = t.document
            WHERE t.id >= p_first
            GROUP BY t.id, p.kind, p.document
        ),
        lacking AS (%s)
        SELECT 'transfer_without_document'::text, l.id, format('the %%s behind it is missing or differs', l.document)
        FROM lacking AS l
        UNION ALL
        SELECT 'transfer_policy', m.id, format('of kind %%s with document "%%s": %%s', m.kind, m.document, m.against_policy)
        FROM moved AS m WHERE m.against_policy IS NOT NULL;
        END
        $body$
        $$, moved, entries, array_to_string(branches, ' UNION ALL '));
END
$make$;
GRANT EXECUTE ON FUNCTION
    wallet_transfers_lacking(bigint), wallet_highest_limit(text),
    wallet_acted(text, bigint, bigint, text, bigint[]),
    wallet_staff_act(text, bigint, bigint, text, bigint[], boolean),
    wallet_was_decided(text, bigint, bigint, bigint, bigint[], boolean),
    wallet_was_handled(wallet_withdrawal, text, boolean),
    wallet_was_reported(text, text, text[], text, text, numeric, numeric)
TO rummy_app;
