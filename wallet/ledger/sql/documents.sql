-- Checks of every transfer at COMMIT: its entries exist, its document justifies it (document_rules.sql), and it fits
-- the stakes of its game. Each check is an index lookup.

-- Return why a transfer does not fit the stakes of its game, or NULL. The escrow's balance equals the parts in
-- play, the parts lost to the pot and, while there are any or in a game without stakes, the operator's overlay for a
-- guarantee. Only players with a stake are refunded; a refund to a bucket equals the returned parts that came from
-- it; the operator gets the rake stored on the settled stakes, with the transfer that closes the game (RB 7.5, 10.3).
CREATE FUNCTION wallet_game_adds_up(t wallet_transfer) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
    escrow record;
    held numeric;
    in_play boolean;
    no_stakes boolean;
    noted numeric;
    taken numeric;
    stranger bigint;
BEGIN
    SELECT a.id, a.balance_minor, a.status, e.account_version = a.version AS is_last INTO escrow
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'escrow'
    WHERE e.transfer_id = t.id;

    SELECT coalesce(sum(CASE s.status WHEN 'live' THEN p.amount_minor - p.consumed_minor - p.returned_minor
            WHEN 'lost' THEN p.consumed_minor ELSE 0 END), 0),
        coalesce(bool_or(s.status IN ('live', 'lost')), false), count(*) = 0
    INTO held, in_play, no_stakes
    FROM wallet_stake AS s JOIN wallet_stakepart AS p ON p.stake_id = s.id
    WHERE s.escrow_id = escrow.id;
    IF (in_play OR no_stakes AND escrow.status = 'open') AND held <> escrow.balance_minor THEN
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
    END IF;
    RETURN NULL;
END
$$;

-- Return why a transfer does not fit its document and its game, or NULL.
CREATE FUNCTION wallet_transfer_lacks(t wallet_transfer) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    in_game CONSTANT boolean := t.document IN ('game', 'stakes', 'stack', 'deal', 'guarantee');
BEGIN
    RETURN coalesce(
        CASE WHEN in_game THEN wallet_game_adds_up(t) END,
        wallet_document_lacks(t),
        CASE WHEN in_game OR t.kind = 'buy_in' OR t.document = 'ticket' THEN games_transfer_lacks(t) END);
END
$$;

-- A transfer has entries; those it has are all of them and in the balances (posting_guards.sql).
CREATE FUNCTION wallet_transfer_is_whole() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
DECLARE
    lacking text;
BEGIN
    PERFORM FROM wallet_entry WHERE transfer_id = NEW.id LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'transfer % has 0 entries, not the % it declares', NEW.id, NEW.entry_count
            USING ERRCODE = 'check_violation';
    ELSIF NOT wallet_transfer_fits_its_kind(NEW.kind, NEW.reverses_id) THEN
        RAISE EXCEPTION 'a reversal names the transfer it reverses, and transfer % of kind % is of none', NEW.id, NEW.kind
            USING ERRCODE = 'check_violation';
    ELSIF NEW.document = '' THEN
        RETURN NULL;
    END IF;
    lacking := wallet_transfer_lacks(NEW);
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
