-- Guards of stacks: changes are append-only, and winnings belong to the stake's player.

SELECT core_append_only('wallet_stackchange', 'changes of stacks are append-only');

-- At COMMIT the changes under a key and the rake posted with it sum to zero.
CREATE FUNCTION wallet_stack_changes_balance() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    passed bigint;
    raked bigint;
BEGIN
    SELECT sum(amount_minor) INTO passed FROM wallet_stackchange WHERE key = NEW.key;
    SELECT coalesce(sum(e.amount_minor), 0) INTO raked
    FROM wallet_transfer AS t
    JOIN wallet_entry AS e ON e.transfer_id = t.id
    JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'rake'
    WHERE t.key = NEW.key;
    IF passed + raked <> 0 THEN
        RAISE EXCEPTION 'changes of % sum to %, its rake is %', NEW.key, passed, raked
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER balanced AFTER INSERT ON wallet_stackchange
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet_stack_changes_balance();

-- Money won at a table belongs to the winnings account of the stake's player.
CREATE FUNCTION wallet_won_part_is_its_players() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM FROM wallet_account AS a
    JOIN wallet_stake AS s ON s.id = NEW.stake_id AND s.player_id = a.player_id
    JOIN wallet_account AS e ON e.id = s.escrow_id AND e.currency = a.currency
    WHERE a.id = NEW.account_id AND a.kind = 'winnings' AND NEW.grant_id IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the winnings of stake % belong to its player''s winnings account', NEW.stake_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER won_by_its_player BEFORE INSERT ON wallet_stakepart
    FOR EACH ROW WHEN (NEW.is_won) EXECUTE FUNCTION wallet_won_part_is_its_players();

CREATE TRIGGER won_by_settlement BEFORE INSERT ON wallet_stakepart
    FOR EACH ROW WHEN (NEW.is_won) EXECUTE FUNCTION core_refuse_other_logins('settle');
