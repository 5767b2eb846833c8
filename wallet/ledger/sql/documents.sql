-- Checks of every transfer at COMMIT: its entries exist, and so does its document, with the same amounts and
-- the same player. Each check is an index lookup.

-- Return why a transfer does not fit the stakes of its game, or NULL. The escrow's balance equals the parts in
-- play, the parts lost to the pot and, while there are any, the operator's overlay for a guarantee. Only players
-- with a stake are paid; a refund to a bucket equals the returned parts that came from it; the operator gets the
-- rake stored on the settled stakes, with the transfer that closes the game (RB 7.5, 10.3).
CREATE OR REPLACE FUNCTION wallet_game_adds_up(t wallet_transfer) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
    escrow record;
    held numeric;
    in_play boolean;
    noted numeric;
    taken numeric;
    stranger bigint;
BEGIN
    SELECT a.id, a.balance_minor, a.status, e.account_version = a.version AS is_last INTO escrow
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'escrow'
    WHERE e.transfer_id = t.id;

    SELECT coalesce(sum(CASE s.status WHEN 'live' THEN p.amount_minor - p.consumed_minor - p.returned_minor
            WHEN 'lost' THEN p.consumed_minor ELSE 0 END), 0),
        coalesce(bool_or(s.status IN ('live', 'lost')), false)
    INTO held, in_play
    FROM wallet_stake AS s JOIN wallet_stakepart AS p ON p.stake_id = s.id
    WHERE s.escrow_id = escrow.id;
    IF in_play AND held <> escrow.balance_minor THEN
        SELECT held + coalesce(sum(e.amount_minor), 0) INTO held
        FROM wallet_entry AS e JOIN wallet_transfer AS g ON g.id = e.transfer_id
        WHERE e.account_id = escrow.id AND g.document = 'guarantee';
    END IF;
    IF held <> escrow.balance_minor THEN
        RETURN format('the escrow holds %s, its stakes explain %s', escrow.balance_minor, held);
    END IF;

    IF t.document = 'game' AND (escrow.status <> 'closed' OR in_play) THEN
        RETURN 'the game is not over';
    END IF;
    SELECT e.account_id INTO stranger
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
    WHERE e.transfer_id = t.id AND a.player_id IS NOT NULL AND a.player_id NOT IN (
        SELECT player_id FROM wallet_stake WHERE escrow_id = escrow.id) LIMIT 1;
    IF FOUND THEN
        RETURN format('the owner of account %s has no stake in the game', stranger);
    END IF;
    IF t.kind <> 'prize' THEN
        SELECT e.account_id INTO stranger
        FROM wallet_entry AS e
        JOIN wallet_account AS a ON a.id = e.account_id
        LEFT JOIN (
            SELECT p.account_id, sum(p.returned_minor) AS returned
            FROM wallet_stake AS s JOIN wallet_stakepart AS p ON p.stake_id = s.id
            WHERE s.escrow_id = escrow.id GROUP BY p.account_id
        ) AS back ON back.account_id = e.account_id
        WHERE e.transfer_id = t.id AND a.player_id IS NOT NULL
            AND e.amount_minor > coalesce(back.returned, 0)
            -- In a cancelled game, a share above the player's own entries becomes winnings (RB 7.7).
            AND NOT (t.document = 'game' AND a.kind = 'winnings') LIMIT 1;
        IF FOUND THEN
            RETURN format('no stake came back to account %s with that much', stranger);
        END IF;
    END IF;
    IF t.document = 'game' THEN
        SELECT coalesce(sum(e.amount_minor), 0) INTO taken
        FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'rake'
        WHERE e.transfer_id = t.id;
        SELECT CASE WHEN escrow.is_last THEN coalesce(sum(rake_minor), 0) ELSE 0 END INTO noted
        FROM wallet_stake WHERE escrow_id = escrow.id AND status = 'settled';
        IF taken <> noted THEN
            RETURN format('the rake is %s, the stakes have %s', taken, noted);
        END IF;
    ELSIF t.document = 'deal' THEN
        SELECT -coalesce(sum(c.amount_minor), 0) INTO noted
        FROM wallet_stackchange AS c WHERE c.key = t.key;
        SELECT sum(e.amount_minor) INTO taken
        FROM wallet_entry AS e WHERE e.transfer_id = t.id AND e.amount_minor > 0;
        IF taken <> noted THEN
            RETURN format('the rake is %s, the stacks lost %s', taken, noted);
        END IF;
    END IF;
    RETURN NULL;
END
$$;

-- Return whether the audit log has this action, by someone other than the owner of the money. The entry is
-- written in the transaction of the action (core/audit_log.py).
CREATE OR REPLACE FUNCTION wallet_acted(
    p_kind text, p_row bigint, p_by bigint, p_act text, p_owners bigint[]
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN coalesce(p_by <> ALL (array_remove(p_owners, NULL)), false) AND EXISTS (
        SELECT FROM core_auditentry
        WHERE kind = p_kind AND row = p_row::text AND by_id = p_by AND act = p_act);
END
$$;

-- Return whether the person acting in this transaction is staff now; earlier actors may have left since.
CREATE OR REPLACE FUNCTION wallet_staff_act(
    p_kind text, p_row bigint, p_by bigint, p_act text, p_owners bigint[]
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM players_user WHERE id = p_by AND is_staff)
        AND wallet_acted(p_kind, p_row, p_by, p_act, p_owners);
END
$$;

-- Return whether one person requested this and a member of staff approved it, neither of them for own money.
CREATE OR REPLACE FUNCTION wallet_was_decided(
    p_kind text, p_row bigint, p_made_by bigint, p_checked_by bigint, p_owners bigint[]
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN p_made_by <> p_checked_by
        AND wallet_acted(p_kind, p_row, p_made_by, 'ask', p_owners)
        AND wallet_staff_act(p_kind, p_row, p_checked_by, 'approve', p_owners);
END
$$;

-- Return whether several people handled a withdrawal sent to the bank: one approved it, another sent it, and
-- someone other than the approver, staff now, recorded the bank's answer; for a large amount, a third person
-- (RB 11.2). None of them is its player or its requester.
CREATE OR REPLACE FUNCTION wallet_was_handled(w wallet_withdrawal, p_act text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
DECLARE
    others CONSTANT bigint[] := ARRAY[w.player_id, w.requested_by_id];
    sender bigint;
    takes_three boolean;
BEGIN
    SELECT made_by_id INTO sender FROM wallet_payoutbatch WHERE id = w.batch_id;
    SELECT w.deposit_minor + w.winnings_minor > h.three_people_above::numeric * 10 ^ c.exponent INTO takes_three
    FROM wallet_installation AS h JOIN wallet_currency AS c ON c.code = w.currency WHERE h.id = 1;
    RETURN wallet_acted('wallet.withdrawal', w.id, w.decided_by_id, 'approve', others)
        AND wallet_acted(
            'wallet.payoutbatch', w.batch_id, sender, 'send_to_bank', others || w.decided_by_id)
        AND EXISTS (
            SELECT FROM core_auditentry AS e JOIN players_user AS u ON u.id = e.by_id AND u.is_staff
            WHERE e.kind = 'wallet.withdrawal' AND e.row = w.id::text AND e.act = p_act
                AND e.by_id <> ALL (others || w.decided_by_id)
                AND NOT (takes_three AND e.by_id = sender));
END
$$;

-- Return whether a signed gateway event about a payment is stored.
CREATE OR REPLACE FUNCTION wallet_was_reported(
    p_provider text, p_payment text, p_kinds text[], p_case text, p_currency text, p_minor numeric
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM wallet_gatewayevent
        WHERE provider = p_provider AND payment_reference = p_payment
            AND kind = ANY (p_kinds) AND (source = 'signed' OR kind <> 'paid')
            AND (p_case IS NULL OR case_reference = p_case)
            AND currency = p_currency AND amount_minor = p_minor);
END
$$;

-- Return what is wrong with the document behind a transfer, or NULL.
CREATE OR REPLACE FUNCTION wallet_transfer_lacks(t wallet_transfer) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
    owner bigint;
    money text;
    own numeric;
    taken numeric;
    is_valid boolean;
BEGIN
    IF t.document IN ('game', 'stakes', 'stack', 'deal', 'guarantee') THEN
        RETURN coalesce(wallet_game_adds_up(t), games_transfer_lacks(t));
    END IF;
    -- The player of the transfer, the sum of their entries, and the sum of all credits.
    SELECT min(a.player_id), min(e.currency),
        coalesce(sum(e.amount_minor) FILTER (WHERE a.player_id IS NOT NULL), 0),
        sum(e.amount_minor) FILTER (WHERE e.amount_minor > 0)
    INTO owner, money, own, taken
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
    WHERE e.transfer_id = t.id;

    IF t.document = 'stake' AND t.kind = 'buy_in' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_stake AS s JOIN wallet_account AS a ON a.id = s.escrow_id
            JOIN wallet_entry AS e ON e.transfer_id = s.transfer_id AND e.account_id = a.id
            WHERE s.transfer_id = t.id AND s.player_id = owner AND s.entry_minor = e.amount_minor
                AND a.ref = t.game);
    ELSIF t.document = 'stake' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_stake AS s JOIN wallet_account AS a ON a.id = s.escrow_id
            WHERE s.id = t.document_id AND s.player_id = owner AND s.status = 'settled'
                AND s.entry_minor >= taken AND a.currency = money AND a.ref = t.game);
    ELSIF t.document = 'order' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_deposit AS d
            JOIN wallet_gatewaypayment AS p ON p.transfer_id = t.id AND p.deposit_id = d.id
            WHERE d.id = t.document_id AND d.transfer_id = t.id AND d.status = 'paid'
                AND d.player_id = owner AND d.currency = money
                AND d.amount_minor = own AND d.amount_minor + d.gst_minor = taken
                AND p.provider = d.provider AND p.order_reference = d.order_reference
                AND wallet_was_reported(p.provider, p.reference, '{paid}', NULL, money, taken));
    ELSIF t.document = 'payment' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_stafftask AS k
            JOIN wallet_gatewaypayment AS p ON p.transfer_id = t.id
            WHERE k.transfer_id = t.id AND k.deposit_id IS NOT DISTINCT FROM p.deposit_id
                AND p.currency = money AND p.amount_minor = taken
                AND wallet_was_reported(p.provider, p.reference, '{paid}', NULL, money, taken));
    ELSIF t.document = 'task' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_stafftask AS k
            JOIN wallet_deposit AS d ON d.id = k.deposit_id
            JOIN wallet_entry AS e ON e.transfer_id = k.transfer_id AND e.amount_minor = taken
            JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'suspense'
            WHERE k.id = t.document_id AND k.done_at IS NOT NULL AND e.currency = money
                AND (owner IS NULL OR owner = d.player_id)
                AND wallet_staff_act(
                    'wallet.stafftask', k.id, k.done_by_id,
                    CASE WHEN owner IS NULL THEN 'send_back' ELSE 'place' END,
                    ARRAY[d.player_id]));
    ELSIF t.document = 'payment_return' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_paymentreturn AS r
            JOIN wallet_gatewaypayment AS p ON p.id = r.payment_id
            JOIN wallet_deposit AS d ON d.id = p.deposit_id
            WHERE r.id = t.document_id AND r.transfer_id = t.id AND r.status = 'taken'
                AND r.player_id = owner AND r.currency = money AND r.amount_minor = taken
                AND d.player_id = owner AND p.currency = money
                AND p.amount_minor >= (
                    SELECT sum(o.amount_minor) FROM wallet_paymentreturn AS o
                    WHERE o.payment_id = p.id AND o.status = 'taken')
                -- The player was credited with it: at once, or by staff from suspense.
                AND (p.transfer_id = d.transfer_id OR EXISTS (
                    SELECT FROM wallet_stafftask AS k JOIN wallet_transfer AS placed
                        ON placed.document = 'task' AND placed.document_id = k.id
                    WHERE k.transfer_id = p.transfer_id AND k.deposit_id = d.id))
                AND wallet_was_reported(
                    p.provider, p.reference, '{refund_done,dispute_lost}', r.reference, money, taken));
    ELSIF t.document = 'debt' THEN
        -- It follows a transfer in the same transaction that credited these accounts with at least as much.
        is_valid := EXISTS (
            SELECT FROM wallet_transfer AS c WHERE c.id = t.document_id AND c.id < t.id AND c.xid = t.xid)
            AND NOT EXISTS (
                SELECT FROM wallet_entry AS e WHERE e.transfer_id = t.id AND e.amount_minor < 0
                    AND NOT EXISTS (
                        SELECT FROM wallet_entry AS b
                        WHERE b.transfer_id = t.document_id AND b.account_id = e.account_id
                            AND b.amount_minor >= -e.amount_minor));
    ELSIF t.document = 'withdrawal' AND t.kind = 'withdrawal' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_withdrawal AS w
            WHERE w.hold_id = t.id AND w.player_id = owner AND w.currency = money
                AND w.deposit_minor + w.winnings_minor = taken AND w.tax_minor = -own);
    ELSIF t.document = 'withdrawal' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_withdrawal AS w
            WHERE w.hold_id = t.reverses_id AND CASE w.status
                WHEN 'rejected' THEN wallet_staff_act('wallet.withdrawal', w.id, w.decided_by_id, 'reject',
                    ARRAY[w.player_id, w.requested_by_id])
                WHEN 'failed' THEN wallet_was_handled(w, 'note_failed') END);
    ELSIF t.document = 'payout' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_withdrawal AS w
            WHERE w.id = t.document_id AND w.status = 'paid' AND w.player_id = owner
                AND w.currency = money
                AND w.deposit_minor + w.winnings_minor - w.tax_minor = taken
                AND wallet_was_handled(w, 'note_paid'));
    ELSIF t.document = 'withholding' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_withholding AS w
            WHERE w.transfer_id = t.id AND w.reason = 'year_end' AND w.player_id = owner
                AND w.currency = money AND w.tax_minor = taken);
    ELSIF t.document = 'adjustment' THEN
        is_valid := t.entry_count = 2 AND EXISTS (
            SELECT FROM wallet_adjustment AS x
            JOIN wallet_entry AS gave ON gave.transfer_id = t.id AND gave.account_id = x.source_id
                AND gave.amount_minor = -x.amount_minor
            JOIN wallet_entry AS took ON took.transfer_id = t.id AND took.account_id = x.target_id
                AND took.amount_minor = x.amount_minor
            JOIN wallet_account AS source ON source.id = x.source_id
            JOIN wallet_account AS target ON target.id = x.target_id
            WHERE x.id = t.document_id AND x.transfer_id = t.id AND x.status = 'approved'
                AND wallet_was_decided('wallet.adjustment', x.id, x.made_by_id, x.checked_by_id,
                    ARRAY[source.player_id, target.player_id]));
    ELSIF t.document = 'restitution' THEN
        -- Each player's entries equal their line of the settlement, and nobody without a line has an entry.
        is_valid := EXISTS (
            SELECT FROM wallet_restitution AS x
            WHERE x.id = t.document_id AND x.transfer_id = t.id AND x.status = 'approved'
                AND x.currency = money AND x.amount_minor = taken
                AND wallet_was_decided('wallet.restitution', x.id, x.made_by_id, x.checked_by_id,
                    ARRAY(SELECT l.player_id FROM wallet_restitutionline AS l
                        WHERE l.restitution_id = x.id)))
            AND NOT EXISTS (
                SELECT FROM (
                    SELECT a.player_id, sum(e.amount_minor) AS moved
                    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
                    WHERE e.transfer_id = t.id GROUP BY a.player_id
                ) AS m
                FULL JOIN (
                    SELECT player_id, amount_minor FROM wallet_restitutionline
                    WHERE restitution_id = t.document_id
                ) AS l USING (player_id)
                WHERE m.moved IS DISTINCT FROM l.amount_minor);
    ELSIF t.document = 'settlement' THEN
        -- Each kind of account moves by the amount in the settlement, which two members of staff approved.
        is_valid := EXISTS (
            SELECT FROM wallet_gatewaysettlement AS x
            WHERE x.id = t.document_id AND x.transfer_id = t.id AND x.status = 'approved' AND x.currency = money
                AND wallet_was_decided('wallet.gatewaysettlement', x.id, x.made_by_id, x.checked_by_id, '{}')
                AND NOT EXISTS (
                    SELECT FROM (VALUES ('gateway_clearing', x.fee_minor + x.tax_minor - x.other_minor),
                        ('gateway_fees', -x.fee_minor), ('input_tax', -x.tax_minor), ('suspense', x.other_minor)
                    ) AS l (kind, amount_minor)
                    FULL JOIN (
                        SELECT a.kind, e.amount_minor FROM wallet_entry AS e
                        JOIN wallet_account AS a ON a.id = e.account_id WHERE e.transfer_id = t.id
                    ) AS m USING (kind)
                    WHERE coalesce(m.amount_minor, 0) <> coalesce(l.amount_minor, 0)));
    ELSIF t.document = 'lot' AND t.kind = 'bonus' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_bonusgrant AS g
            JOIN wallet_entry AS e ON e.transfer_id = t.id AND e.account_id = g.account_id
            LEFT JOIN wallet_bonusrequest AS r ON r.grant_id = g.id
            WHERE g.transfer_id = t.id AND g.amount_minor = e.amount_minor
                AND (r.status = 'approved' AND r.player_id = owner AND r.currency = money
                    AND r.amount_minor = taken AND r.mode = g.mode
                    AND g.granted_by_id = r.checked_by_id
                    AND wallet_was_decided('wallet.bonusrequest', r.id, r.made_by_id,
                        r.checked_by_id, ARRAY[owner])
                    OR r.id IS NULL AND ledger_is_trial()));
    ELSIF t.document = 'lot' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_bonusmovement AS m JOIN wallet_bonusgrant AS g ON g.id = m.grant_id
            WHERE m.transfer_id = t.id AND m.amount_minor = -taken AND g.account_id IN (
                SELECT account_id FROM wallet_entry WHERE transfer_id = t.id));
    ELSIF t.document IN ('sign_up', 'refill') THEN
        is_valid := t.document_id = owner AND wallet_is_within_limits(t.document, owner, money, taken);
    ELSIF t.document = 'bot' THEN
        is_valid := EXISTS (SELECT FROM players_user WHERE id = owner AND is_bot);
    ELSIF t.document = 'ticket' THEN
        is_valid := EXISTS (
            SELECT FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
            WHERE e.transfer_id = t.id AND e.balance_after_minor = 0 AND a.kind = 'ticket'
                AND a.ref = t.game);
    ELSE
        RETURN 'the kind of document is unknown';
    END IF;
    IF NOT is_valid THEN
        RETURN 'it is missing or differs';
    ELSIF t.kind = 'buy_in' OR t.document = 'ticket' THEN
        RETURN games_transfer_lacks(t);
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION wallet_transfer_is_whole() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off AS $$
DECLARE
    entries bigint;
    stranded boolean;
    lacking text;
BEGIN
    SELECT count(*), bool_or(a.version < e.account_version) INTO entries, stranded
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
    WHERE e.transfer_id = NEW.id;
    IF entries <> NEW.entry_count THEN
        RAISE EXCEPTION 'transfer % has % entries, not the % it declares', NEW.id, entries, NEW.entry_count
            USING ERRCODE = 'check_violation';
    ELSIF stranded THEN
        RAISE EXCEPTION 'an entry of transfer % is not in its account''s balance', NEW.id
            USING ERRCODE = 'check_violation';
    END IF;
    lacking := CASE WHEN NEW.document <> '' THEN wallet_transfer_lacks(NEW) END;
    IF lacking IS NOT NULL THEN
        RAISE EXCEPTION 'the % behind transfer % of kind %: %', NEW.document, NEW.key, NEW.kind, lacking
            USING ERRCODE = 'RL017';
    END IF;
    RETURN NULL;
END
$$;
DROP TRIGGER IF EXISTS whole ON wallet_transfer;
CREATE CONSTRAINT TRIGGER whole AFTER INSERT ON wallet_transfer
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet_transfer_is_whole();

REVOKE ALL ON FUNCTION
    wallet_game_adds_up(wallet_transfer), wallet_transfer_lacks(wallet_transfer),
    wallet_transfer_is_whole(), wallet_was_decided(text, bigint, bigint, bigint, bigint[]),
    wallet_acted(text, bigint, bigint, text, bigint[]),
    wallet_staff_act(text, bigint, bigint, text, bigint[]),
    wallet_was_handled(wallet_withdrawal, text),
    wallet_was_reported(text, text, text[], text, text, numeric)
FROM PUBLIC, rummy_app;
