-- Open, lock, freeze and thaw accounts. Refusals carry SQLSTATE RLnnn; wallet/exceptions.py maps them.

-- Return the lowest balance allowed for an account kind: 0 for players and games, otherwise no floor.
CREATE OR REPLACE FUNCTION ledger_floor(p_kind text) RETURNS bigint
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN p_kind IN (
    'bonus', 'deposit', 'winnings', 'withdrawal_hold', 'locked_bonus', 'ticket', 'escrow') THEN 0 END;

-- Return the account of this kind and owner, opening it if it is missing. Idempotent and safe in a race.
CREATE OR REPLACE FUNCTION ledger_open_account(
    p_kind text, p_player bigint, p_ref text, p_currency text, p_shard integer, p_public_id uuid
) RETURNS wallet_account
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    account wallet_account;
BEGIN
    IF NOT EXISTS (SELECT FROM wallet_currency WHERE code = p_currency) THEN
        RAISE EXCEPTION 'the currency "%" is not registered', p_currency USING ERRCODE = 'RL020';
    ELSIF length(p_ref) > 80 OR p_ref ~ '[\x01-\x1f\x7f-\x9f]' THEN
        RAISE EXCEPTION 'an account''s ref has at most 80 characters, none of them a control character'
            USING ERRCODE = 'RL015';
    ELSIF p_shard < 0 OR p_shard > 0 AND (p_player IS NOT NULL OR p_kind = 'escrow') THEN
        RAISE EXCEPTION 'only the operator has several accounts of a kind' USING ERRCODE = 'RL015';
    END IF;
    INSERT INTO wallet_account (
        public_id, kind, player_id, ref, shard, currency,
        balance_minor, floor_minor, version, status, created_at)
    VALUES (
        p_public_id, p_kind, p_player, p_ref, p_shard, p_currency,
        0, ledger_floor(p_kind), 0, 'open', ledger_now())
    ON CONFLICT ON CONSTRAINT wallet_account_one_of_each DO NOTHING
    RETURNING * INTO account;
    IF FOUND THEN
        RETURN account;
    END IF;
    -- Two branches: only `=` and `IS NULL` can use the index.
    IF p_player IS NULL THEN
        SELECT * INTO STRICT account FROM wallet_account
        WHERE kind = p_kind AND player_id IS NULL AND ref = p_ref
            AND currency = p_currency AND shard = p_shard;
    ELSE
        SELECT * INTO STRICT account FROM wallet_account
        WHERE kind = p_kind AND player_id = p_player AND ref = p_ref
            AND currency = p_currency AND shard = p_shard;
    END IF;
    RETURN account;
END
$$;

-- Lock accounts in id order until the end of the transaction and return their current rows.
-- FOR NO KEY UPDATE does not block inserts of rows that refer to an account.
CREATE OR REPLACE FUNCTION ledger_lock_accounts(p_accounts bigint[]) RETURNS SETOF wallet_account
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM wallet_account WHERE id = ANY (p_accounts)
        ORDER BY id FOR NO KEY UPDATE;
END
$$;

-- Freeze an account (debits are refused), or thaw it.
CREATE OR REPLACE FUNCTION ledger_freeze_account(p_account bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE wallet_account SET status = 'frozen' WHERE id = p_account AND status = 'open'
$$;

CREATE OR REPLACE FUNCTION ledger_thaw_account(p_account bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE wallet_account SET status = 'open' WHERE id = p_account AND status = 'frozen'
$$;
