-- The one door for money: a transfer of two or more entries in one round trip.
-- Refusals carry SQLSTATE RLnnn; wallet/exceptions.py names them.

-- What two requests with one key must have in common. Who asked and how it is worded may differ:
-- a sweep may finish what a player's request began.
CREATE OR REPLACE FUNCTION ledger_fingerprint(
    p_kind text, p_accounts bigint[], p_amounts bigint[], p_must_be_empty bigint[],
    p_effective_at timestamptz, p_reverses bigint
) RETURNS bytea
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    entries text;
    emptied text;
BEGIN
    SELECT string_agg(e.account_id || ':' || e.amount, ',' ORDER BY e.account_id) INTO entries
    FROM unnest(p_accounts, p_amounts) AS e (account_id, amount);
    IF cardinality(p_must_be_empty) > 0 THEN
        SELECT string_agg(x::text, ',' ORDER BY x) INTO emptied FROM unnest(p_must_be_empty) AS x;
    END IF;
    RETURN sha256(convert_to(
        concat_ws('|',
            p_kind,
            entries,
            'empty ' || coalesce(emptied, ''),
            'at ' || coalesce(extract(epoch FROM p_effective_at)::text, ''),
            'reverses ' || coalesce(p_reverses::text, '')),
        'UTF8'));
END
$$;

-- Refuse what no state of the accounts could make right.
CREATE OR REPLACE FUNCTION ledger_refuse_malformed(
    p_key text, p_accounts bigint[], p_amounts bigint[], p_currencies text[]
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF coalesce(p_key, '') = '' OR length(p_key) > 160 THEN
        RAISE EXCEPTION 'a transfer needs a key of 1 to 160 characters' USING ERRCODE = 'RL015';
    END IF;
    IF p_accounts IS NULL OR p_amounts IS NULL OR p_currencies IS NULL
        OR cardinality(p_accounts) <> cardinality(p_amounts)
        OR cardinality(p_accounts) <> cardinality(p_currencies)
        OR array_position(p_accounts, NULL) IS NOT NULL
        OR array_position(p_amounts, NULL) IS NOT NULL
    THEN
        RAISE EXCEPTION 'every entry needs an account and an amount' USING ERRCODE = 'RL015';
    END IF;
    IF cardinality(p_accounts) NOT BETWEEN 2 AND 1000 THEN
        RAISE EXCEPTION 'a transfer has 2 to 1000 entries, not %', cardinality(p_accounts)
            USING ERRCODE = 'RL002';
    END IF;
    IF 0 = ANY (p_amounts) THEN
        RAISE EXCEPTION 'an entry of zero moves nothing' USING ERRCODE = 'RL004';
    END IF;
END
$$;

-- Lock the accounts in id order, whatever order they were named in, and refuse what they do not allow.
-- One walk does both; what is read here is what holds until COMMIT. FOR NO KEY UPDATE, because rows
-- that only refer to an account need not wait for it.
CREATE OR REPLACE FUNCTION ledger_lock_and_check(
    p_accounts bigint[], p_amounts bigint[], p_currencies text[], p_must_be_empty bigint[]
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    account wallet_account;
    place integer;
    amount bigint;
    posted integer := 0;
    emptied integer := 0;
    mistaken bigint;
    closed bigint;
    frozen bigint;
    short bigint;
    filled bigint;
    total numeric := 0;
    currency text;
    is_mixed boolean := false;
BEGIN
    FOR account IN
        SELECT * FROM wallet_account WHERE id = ANY (p_accounts || p_must_be_empty)
        ORDER BY id FOR NO KEY UPDATE
    LOOP
        place := array_position(p_accounts, account.id);
        amount := coalesce(p_amounts[place], 0);
        IF place IS NOT NULL THEN
            posted := posted + 1;
            total := total + amount;
            is_mixed := is_mixed OR account.currency <> coalesce(currency, account.currency);
            currency := account.currency;
            IF p_currencies[place] <> account.currency THEN mistaken := account.id; END IF;
            IF account.status = 'closed' THEN closed := account.id; END IF;
            IF amount < 0 THEN
                IF account.status = 'frozen' THEN frozen := account.id; END IF;
                IF account.balance_minor + amount < account.floor_minor THEN
                    short := account.id;
                END IF;
            END IF;
        END IF;
        IF account.id = ANY (p_must_be_empty) THEN
            emptied := emptied + 1;
            IF account.balance_minor + amount <> 0 THEN filled := account.id; END IF;
        END IF;
    END LOOP;

    IF posted < cardinality(p_accounts) THEN
        PERFORM ledger_refuse_accounts(p_accounts);
    ELSIF mistaken IS NOT NULL THEN
        RAISE EXCEPTION 'account % is in another currency', mistaken USING ERRCODE = 'RL007';
    ELSIF closed IS NOT NULL THEN
        RAISE EXCEPTION 'account % is closed', closed USING ERRCODE = 'RL008';
    ELSIF total <> 0 OR is_mixed AND NOT ledger_is_balanced(p_accounts, p_amounts) THEN
        RAISE EXCEPTION 'the entries do not sum to zero in every currency' USING ERRCODE = 'RL003';
    ELSIF frozen IS NOT NULL THEN
        RAISE EXCEPTION 'account % is frozen', frozen USING ERRCODE = 'RL009';
    ELSIF short IS NOT NULL THEN
        RAISE EXCEPTION 'account % does not hold that much', short USING ERRCODE = 'RL010';
    ELSIF filled IS NOT NULL THEN
        RAISE EXCEPTION 'account % must be empty afterwards', filled USING ERRCODE = 'RL011';
    ELSIF emptied < cardinality(p_must_be_empty) THEN
        PERFORM ledger_refuse_accounts(p_must_be_empty);
    END IF;
END
$$;

-- Say why fewer accounts were found than named.
CREATE OR REPLACE FUNCTION ledger_refuse_accounts(p_accounts bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    unknown bigint;
BEGIN
    SELECT x INTO unknown FROM unnest(p_accounts) AS x
    WHERE NOT EXISTS (SELECT FROM wallet_account WHERE id = x) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'there is no account %', unknown USING ERRCODE = 'RL006';
    END IF;
    RAISE EXCEPTION 'an account is named more than once' USING ERRCODE = 'RL005';
END
$$;

CREATE OR REPLACE FUNCTION ledger_is_balanced(p_accounts bigint[], p_amounts bigint[]) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT NOT EXISTS (
        SELECT FROM unnest(p_accounts, p_amounts) AS e (account_id, amount)
        JOIN wallet_account AS a ON a.id = e.account_id
        GROUP BY a.currency HAVING sum(e.amount) <> 0)
$$;

-- The posting itself; not for the application, which has ledger_post and ledger_reverse.
CREATE OR REPLACE FUNCTION ledger_write(
    p_key text, p_kind text, p_accounts bigint[], p_amounts bigint[], p_currencies text[],
    p_must_be_empty bigint[], p_memo text, p_actor text, p_effective_at timestamptz,
    p_public_id uuid, p_reverses bigint
) RETURNS wallet_transfer
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    asked bytea;
    checked text;
    transfer wallet_transfer;
BEGIN
    checked := ledger_refuse_malformed(p_key, p_accounts, p_amounts, p_currencies);
    asked := ledger_fingerprint(
        p_kind, p_accounts, p_amounts, p_must_be_empty, p_effective_at, p_reverses);

    -- The key comes first: a second request with it waits here until the first is decided.
    INSERT INTO wallet_transfer (
        public_id, key, fingerprint, kind, entry_count, reverses_id, memo, actor,
        xid, booked_on, effective_at, created_at)
    VALUES (
        p_public_id, p_key, asked, p_kind, cardinality(p_accounts), p_reverses, p_memo, p_actor,
        pg_current_xact_id()::text::bigint, ledger_book_day(),
        coalesce(p_effective_at, clock_timestamp()), clock_timestamp())
    ON CONFLICT (key) DO NOTHING
    RETURNING * INTO transfer;
    IF NOT FOUND THEN
        SELECT * INTO transfer FROM wallet_transfer WHERE key = p_key;
        IF NOT FOUND THEN  -- Only a snapshot older than the other's commit hides it.
            RAISE EXCEPTION 'the transfer % was posted meanwhile', p_key
                USING ERRCODE = 'serialization_failure';
        ELSIF transfer.fingerprint <> asked THEN
            RAISE EXCEPTION 'the key % belongs to another transfer', p_key USING ERRCODE = 'RL001';
        END IF;
        RETURN transfer;
    END IF;

    IF p_kind = 'withdrawal'
        AND EXISTS (SELECT FROM wallet_withdrawalfreeze WHERE lifted_at IS NULL)
    THEN
        RAISE EXCEPTION 'withdrawals are frozen until the books agree' USING ERRCODE = 'RL014';
    END IF;
    checked := ledger_lock_and_check(p_accounts, p_amounts, p_currencies, p_must_be_empty);

    WITH moved AS (
        UPDATE wallet_account AS a SET
            balance_minor = a.balance_minor + p_amounts[array_position(p_accounts, a.id)],
            version = a.version + 1,
            -- A game's account that has been emptied for good takes nothing any more.
            status = CASE WHEN a.kind = 'escrow' AND a.id = ANY (p_must_be_empty)
                          THEN 'closed' ELSE a.status END
        WHERE a.id = ANY (p_accounts)
        RETURNING a.id, a.currency, a.balance_minor, a.version,
            array_position(p_accounts, a.id) AS place
    )
    INSERT INTO wallet_entry (
        transfer_id, account_id, currency, amount_minor, balance_after_minor, account_version)
    SELECT transfer.id, id, currency, p_amounts[place], balance_minor, version
    FROM moved ORDER BY place;
    RETURN transfer;
END
$$;

-- Post a transfer. A currency given for an entry must be its account's; null trusts the account.
-- Accounts in p_must_be_empty must hold 0 afterwards; an escrow among the entries is then closed.
--
-- A connection plans what a posting asks once and for long; made while the books were short, such a plan
-- would read them from end to end. So no walk over a table may look cheap here.
CREATE OR REPLACE FUNCTION ledger_post(
    p_key text, p_kind text, p_accounts bigint[], p_amounts bigint[], p_currencies text[],
    p_must_be_empty bigint[], p_memo text, p_actor text, p_effective_at timestamptz,
    p_public_id uuid
) RETURNS wallet_transfer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
BEGIN
    RETURN ledger_write(
        p_key, p_kind, p_accounts, p_amounts, p_currencies, coalesce(p_must_be_empty, '{}'),
        coalesce(p_memo, ''), coalesce(p_actor, ''), p_effective_at, p_public_id, NULL);
END
$$;

-- Undo a transfer by its exact opposite, once. Money in games goes back through stakes instead,
-- which know whose it was; and what was undone is not undone again.
CREATE OR REPLACE FUNCTION ledger_reverse(
    p_transfer bigint, p_key text, p_memo text, p_actor text, p_public_id uuid
) RETURNS wallet_transfer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
    original wallet_transfer;
    accounts bigint[];
    amounts bigint[];
    currencies text[];
    in_a_game boolean;
BEGIN
    SELECT * INTO original FROM wallet_transfer WHERE id = p_transfer FOR NO KEY UPDATE;
    IF NOT FOUND OR original.kind = 'reversal' THEN
        RAISE EXCEPTION 'transfer % cannot be reversed', p_transfer USING ERRCODE = 'RL013';
    END IF;
    IF EXISTS (SELECT FROM wallet_transfer WHERE reverses_id = p_transfer AND key <> p_key) THEN
        RAISE EXCEPTION 'transfer % is reversed already', p_transfer USING ERRCODE = 'RL012';
    END IF;
    SELECT array_agg(e.account_id ORDER BY e.id), array_agg(-e.amount_minor ORDER BY e.id),
        array_agg(e.currency ORDER BY e.id), bool_or(a.kind = 'escrow')
    INTO accounts, amounts, currencies, in_a_game
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
    WHERE e.transfer_id = p_transfer;
    IF in_a_game THEN
        RAISE EXCEPTION 'transfer % belongs to a game', p_transfer USING ERRCODE = 'RL013';
    END IF;
    RETURN ledger_write(
        p_key, 'reversal', accounts, amounts, currencies, '{}',
        coalesce(p_memo, ''), coalesce(p_actor, ''), NULL, p_public_id, p_transfer);
END
$$;
