-- Posting: the only functions that write transfers, each of two or more entries, in one round trip.
-- Refusals carry SQLSTATE RLnnn; wallet/exceptions.py maps them.

-- Return a hash of the facts that two requests with one key must share: the kind, the entries and the document.
-- Actor and memo may differ, because a sweep may finish a player's request. The audit computes the same hash from
-- the stored rows, so a rewritten transfer no longer matches its fingerprint.
CREATE OR REPLACE FUNCTION ledger_fingerprint(
    p_kind text, p_accounts bigint[], p_amounts bigint[], p_must_be_empty bigint[],
    p_effective_at timestamptz, p_reverses bigint,
    p_document text DEFAULT NULL, p_document_id bigint DEFAULT NULL,
    p_game text DEFAULT NULL, p_deal integer DEFAULT NULL
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
            'reverses ' || coalesce(p_reverses::text, ''),
            'behind it ' || p_document || ' ' || coalesce(p_document_id::text, ''),
            'game ' || p_game || ' ' || coalesce(p_deal::text, '')),
        'UTF8'));
END
$$;

-- Refuse arguments that are invalid whatever the state of the accounts is.
CREATE OR REPLACE FUNCTION ledger_refuse_malformed(
    p_key text, p_accounts bigint[], p_amounts bigint[], p_currencies text[], p_must_be_empty bigint[],
    p_memo text, p_actor text, p_effective_at timestamptz, p_game text, p_now timestamptz
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF coalesce(p_key, '') = '' OR length(p_key) > 160 THEN
        RAISE EXCEPTION 'a transfer needs a key of 1 to 160 characters' USING ERRCODE = 'RL015';
    ELSIF length(p_memo) > 200 OR length(p_actor) > 80 OR length(p_game) > 80 THEN
        RAISE EXCEPTION 'a memo has at most 200 characters, an actor and a game 80'
            USING ERRCODE = 'RL015';
    ELSIF p_key || p_memo || p_actor || p_game ~ '[\x01-\x1f\x7f-\x9f]' THEN
        RAISE EXCEPTION 'the texts of a transfer have no control characters' USING ERRCODE = 'RL015';
    ELSIF p_effective_at NOT BETWEEN '2000-01-01 00:00+00' AND p_now + interval '1 day' THEN
        RAISE EXCEPTION 'a transfer is effective between the year 2000 and tomorrow'
            USING ERRCODE = 'RL015';
    END IF;
    IF p_accounts IS NULL OR p_amounts IS NULL OR p_currencies IS NULL
        OR cardinality(p_accounts) <> cardinality(p_amounts)
        OR cardinality(p_accounts) <> cardinality(p_currencies)
        OR array_ndims(p_accounts) <> 1 OR array_ndims(p_amounts) <> 1
        OR array_lower(p_accounts, 1) <> 1 OR array_lower(p_amounts, 1) <> 1
        OR array_position(p_accounts, NULL) IS NOT NULL
        OR array_position(p_amounts, NULL) IS NOT NULL
        OR cardinality(p_must_be_empty) > 1000
        OR array_position(p_must_be_empty, NULL) IS NOT NULL
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

-- Lock the accounts in id order and refuse what they or the kind's policy do not allow. Locks and checks are one
-- scan, so the values hold until COMMIT. FOR NO KEY UPDATE does not block rows that only refer to an account.
CREATE OR REPLACE FUNCTION ledger_lock_and_check(
    p_accounts bigint[], p_amounts bigint[], p_currencies text[], p_must_be_empty bigint[],
    p_kind text, p_document text, p_game text,
    p_gives text[], p_takes text[], p_of_one_player boolean, p_money text, p_most_minor numeric
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
    overpaid bigint;
    filled bigint;
    misplaced text;
    player bigint;
    strangers boolean := false;
    games integer := 0;
    total numeric := 0;
    taken numeric := 0;
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
                IF account.kind <> ALL (p_gives) THEN
                    misplaced := account.kind || ' cannot be debited';
                END IF;
            ELSE
                taken := taken + amount;
                IF account.kind = 'receivable' AND account.balance_minor + amount > 0 THEN
                    overpaid := account.id;
                END IF;
                IF account.kind <> ALL (p_takes) THEN
                    misplaced := account.kind || ' cannot be credited';
                END IF;
            END IF;
            strangers := strangers OR account.player_id <> coalesce(player, account.player_id);
            player := coalesce(account.player_id, player);
            IF account.kind = 'escrow' AND p_gives IS NOT NULL THEN
                games := games + 1;
                IF account.ref <> p_game THEN
                    misplaced := 'the escrow belongs to another game';
                END IF;
            END IF;
            IF account.currency <> 'PTS' AND p_money = 'points'
                OR account.currency = 'PTS' AND p_money = 'cash'
            THEN
                misplaced := account.currency || ' is not allowed';
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
    ELSIF misplaced IS NULL AND p_of_one_player AND strangers THEN
        misplaced := 'the accounts belong to several players';
    ELSIF misplaced IS NULL AND games > 1 THEN
        misplaced := 'the escrows belong to several games';
    END IF;
    IF misplaced IS NOT NULL THEN
        RAISE EXCEPTION 'in a transfer of kind % with document %: %', p_kind, p_document, misplaced
            USING ERRCODE = 'RL016';
    ELSIF closed IS NOT NULL THEN
        RAISE EXCEPTION 'account % is closed', closed USING ERRCODE = 'RL008';
    ELSIF total <> 0 OR is_mixed AND NOT ledger_is_balanced(p_accounts, p_amounts) THEN
        RAISE EXCEPTION 'the entries do not sum to zero in every currency' USING ERRCODE = 'RL003';
    ELSIF taken > p_most_minor THEN
        RAISE EXCEPTION 'a transfer of kind % moves at most %, not %', p_kind, p_most_minor, taken
            USING ERRCODE = 'RL018';
    ELSIF frozen IS NOT NULL THEN
        RAISE EXCEPTION 'account % is frozen', frozen USING ERRCODE = 'RL009';
    ELSIF short IS NOT NULL THEN
        RAISE EXCEPTION 'account % does not hold that much', short USING ERRCODE = 'RL010';
    ELSIF overpaid IS NOT NULL THEN
        RAISE EXCEPTION 'account % does not owe that much', overpaid USING ERRCODE = 'RL019';
    ELSIF filled IS NOT NULL THEN
        RAISE EXCEPTION 'account % must be empty afterwards', filled USING ERRCODE = 'RL011';
    ELSIF emptied < cardinality(p_must_be_empty) THEN
        PERFORM ledger_refuse_accounts(p_must_be_empty);
    END IF;
END
$$;

-- Raise the reason why fewer accounts were found than named.
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

-- Post a transfer. Not for the application's role, which has ledger_post and ledger_reverse.
CREATE OR REPLACE FUNCTION ledger_write(
    p_key text, p_kind text, p_accounts bigint[], p_amounts bigint[], p_currencies text[],
    p_must_be_empty bigint[], p_memo text, p_actor text, p_effective_at timestamptz,
    p_public_id uuid, p_reverses bigint,
    p_document text, p_document_id bigint, p_game text, p_deal integer
) RETURNS wallet_transfer
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    moment timestamptz;
    asked bytea;
    checked text;
    policy record;
    transfer wallet_transfer;
BEGIN
    SELECT p.gives, p.takes, p.of_one_player, p.money, p.most_minor, p.login, h.clock_shift INTO policy
    FROM wallet_policy AS p CROSS JOIN wallet_installation AS h
    WHERE p.kind = p_kind AND p.document = p_document AND h.id = 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no transfer is of kind % with document "%"', p_kind, p_document
            USING ERRCODE = 'RL016';
    END IF;
    IF policy.login IS NOT NULL AND NOT core_is_login_of(policy.login) THEN
        RAISE EXCEPTION 'permission denied: a transfer of kind % with document "%" is not for the login %',
            p_kind, p_document, session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    moment := clock_timestamp() + policy.clock_shift;
    checked := ledger_refuse_malformed(
        p_key, p_accounts, p_amounts, p_currencies, p_must_be_empty, p_memo, p_actor,
        p_effective_at, p_game, moment);
    asked := ledger_fingerprint(
        p_kind, p_accounts, p_amounts, p_must_be_empty, p_effective_at, p_reverses,
        p_document, p_document_id, p_game, p_deal);

    -- The key is inserted first: a second request with it waits here until the first commits or rolls back. So
    -- does a second transfer for a document that allows one.
    INSERT INTO wallet_transfer (
        public_id, key, fingerprint, kind, entry_count, reverses_id, memo, actor,
        document, document_id, game, deal, emptied,
        xid, booked_on, effective_at, created_at)
    VALUES (
        p_public_id, p_key, asked, p_kind, cardinality(p_accounts), p_reverses, p_memo, p_actor,
        p_document, p_document_id, p_game, p_deal, p_must_be_empty,
        pg_current_xact_id()::text::bigint, ledger_book_day(policy.clock_shift),
        coalesce(p_effective_at, moment), moment)
    ON CONFLICT DO NOTHING
    RETURNING * INTO transfer;
    IF NOT FOUND THEN
        RETURN ledger_earlier(p_key, asked, p_document, p_document_id, p_public_id);
    END IF;

    IF p_kind = 'withdrawal'
        AND EXISTS (SELECT FROM wallet_withdrawalfreeze WHERE lifted_at IS NULL)
    THEN
        RAISE EXCEPTION 'withdrawals are frozen until the ledger audit passes' USING ERRCODE = 'RL014';
    END IF;
    checked := ledger_lock_and_check(
        p_accounts, p_amounts, p_currencies, p_must_be_empty, p_kind, p_document, p_game,
        policy.gives, policy.takes, policy.of_one_player, policy.money, policy.most_minor);

    WITH moved AS (
        UPDATE wallet_account AS a SET
            balance_minor = a.balance_minor + p_amounts[array_position(p_accounts, a.id)],
            version = a.version + 1,
            -- A closed escrow accepts no more transfers.
            status = CASE WHEN a.kind = 'escrow' AND a.id = ANY (p_must_be_empty)
                          THEN 'closed' ELSE a.status END
        WHERE a.id = ANY (p_accounts)
        RETURNING a.id, a.currency, a.balance_minor, a.version,
            array_position(p_accounts, a.id) AS place
    )
    INSERT INTO wallet_entry (
        transfer_id, account_id, currency, booked_on, kind, amount_minor, balance_after_minor, account_version)
    SELECT transfer.id, id, currency, transfer.booked_on, transfer.kind, p_amounts[place], balance_minor, version
    FROM moved ORDER BY place;
    RETURN transfer;
END
$$;

-- Return the earlier transfer with this key; raise if it is a different one.
CREATE OR REPLACE FUNCTION ledger_earlier(
    p_key text, p_fingerprint bytea, p_document text, p_document_id bigint, p_public_id uuid
) RETURNS wallet_transfer
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    earlier wallet_transfer;
BEGIN
    SELECT * INTO earlier FROM wallet_transfer WHERE key = p_key;
    IF FOUND AND earlier.fingerprint = p_fingerprint THEN
        RETURN earlier;
    ELSIF FOUND THEN
        RAISE EXCEPTION 'the key % belongs to another transfer', p_key USING ERRCODE = 'RL001';
    ELSIF EXISTS (
        SELECT FROM wallet_transfer WHERE document = p_document AND document_id = p_document_id)
    THEN
        RAISE EXCEPTION 'the % % belongs to another transfer', p_document, p_document_id
            USING ERRCODE = 'RL017';
    ELSIF EXISTS (SELECT FROM wallet_transfer WHERE public_id = p_public_id) THEN
        RAISE EXCEPTION 'the public id % belongs to another transfer', p_public_id
            USING ERRCODE = 'RL015';
    END IF;
    -- Hidden only by a snapshot older than the other's commit.
    RAISE EXCEPTION 'the transfer % was posted meanwhile', p_key USING ERRCODE = 'serialization_failure';
END
$$;

-- Post a transfer. A currency given for an entry must be its account's; null accepts the account's.
-- Accounts in p_must_be_empty must hold 0 afterwards; an escrow among the entries is then closed.
-- p_document names the row of wallet_policy, p_document_id the document if it exists before the transfer.
--
-- Sequential scans are disabled: plans are cached per connection, and a plan made while the tables are small
-- would scan them whole when they are large.
CREATE OR REPLACE FUNCTION ledger_post(
    p_key text, p_kind text, p_accounts bigint[], p_amounts bigint[], p_currencies text[],
    p_must_be_empty bigint[], p_memo text, p_actor text, p_effective_at timestamptz,
    p_public_id uuid, p_document text DEFAULT '', p_document_id bigint DEFAULT NULL,
    p_game text DEFAULT '', p_deal integer DEFAULT NULL
) RETURNS wallet_transfer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
BEGIN
    IF p_kind = 'reversal' THEN
        RAISE EXCEPTION 'a reversal must name the transfer it reverses' USING ERRCODE = 'RL016';
    END IF;
    RETURN ledger_write(
        p_key, p_kind, p_accounts, p_amounts, p_currencies, coalesce(p_must_be_empty, '{}'),
        coalesce(p_memo, ''), coalesce(p_actor, ''), p_effective_at, p_public_id, NULL,
        coalesce(p_document, ''), p_document_id, coalesce(p_game, ''), p_deal);
END
$$;

-- Reverse a transfer by its exact opposite, once. Its document must have a reversal policy. Money in games is
-- refunded through stakes instead, which store its sources; a reversal cannot be reversed.
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
    PERFORM FROM wallet_policy WHERE kind = 'reversal' AND document = original.document;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a transfer with document % is not reversed', original.document
            USING ERRCODE = 'RL013';
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
        coalesce(p_memo, ''), coalesce(p_actor, ''), NULL, p_public_id, p_transfer,
        original.document, NULL, original.game, original.deal);
END
$$;
