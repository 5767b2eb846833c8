-- Posting: the only functions that write transfers, each of two or more entries, in one round trip.
-- Refusals carry SQLSTATE RLnnn; wallet/exceptions.py maps them.

-- Return a hash of the facts that two requests with one key must share: the kind, the entries ("account:amount" in
-- the order of accounts, joined by commas) and the document. Actor and memo may differ, because a sweep may finish a
-- player's request. The audit computes the same hash from the stored rows, so a rewritten transfer no longer matches
-- its fingerprint.
CREATE OR REPLACE FUNCTION ledger_fingerprint(
    p_kind text, p_entries text, p_must_be_empty bigint[], p_effective_at timestamptz, p_reverses bigint,
    p_document text, p_document_id bigint, p_game text, p_deal integer
) RETURNS bytea
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    emptied text;
BEGIN
    IF cardinality(p_must_be_empty) > 0 THEN
        SELECT string_agg(x::text, ',' ORDER BY x) INTO emptied FROM unnest(p_must_be_empty) AS x;
    END IF;
    RETURN sha256(convert_to(
        concat_ws('|',
            p_kind,
            p_entries,
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
    locked record;
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

    -- Lock the accounts in id order and check them in the same scan, so the values hold until COMMIT. FOR NO KEY
    -- UPDATE does not block rows that only refer to an account. A refusal is its rank, its code and its text; of
    -- several the lowest rank is raised.
    SELECT string_agg(a.id || ':' || a.amount, ',') FILTER (WHERE a.place IS NOT NULL) AS entries,
        bool_or(a.kind = 'escrow' AND a.place IS NOT NULL AND a.id = ANY (p_must_be_empty)) AS ends_game,
        least(
            min(CASE
                WHEN a.place IS NULL THEN NULL
                WHEN p_currencies[a.place] <> a.currency
                    THEN format('1RL007account %s is in another currency', a.id)
                WHEN a.kind <> ALL (CASE WHEN a.amount < 0 THEN policy.gives ELSE policy.takes END)
                    THEN format('2RL016%s cannot be %s', a.kind,
                        CASE WHEN a.amount < 0 THEN 'debited' ELSE 'credited' END)
                WHEN a.kind = 'escrow' AND policy.gives IS NOT NULL AND a.ref <> p_game
                    THEN '2RL016the escrow belongs to another game'
                WHEN policy.money = CASE a.currency WHEN 'PTS' THEN 'cash' ELSE 'points' END
                    THEN format('2RL016%s is not allowed', a.currency)
                WHEN a.status = 'closed' THEN format('4RL008account %s is closed', a.id)
                WHEN a.amount < 0 AND a.status = 'frozen' THEN format('7RL009account %s is frozen', a.id)
                WHEN a.amount < 0 AND a.balance_minor + a.amount < a.floor_minor
                    THEN format('8RL010account %s does not hold that much', a.id)
                WHEN a.kind = 'receivable' AND a.amount > 0 AND a.balance_minor + a.amount > 0
                    THEN format('8RL019account %s does not owe that much', a.id)
            END COLLATE "C"),
            min(format('9RL011account %s must be empty afterwards', a.id)) FILTER (
                WHERE a.id = ANY (p_must_be_empty) AND a.balance_minor + a.amount <> 0),
            CASE
            WHEN count(a.place) < cardinality(p_accounts) THEN '0'
            WHEN policy.of_one_player AND min(a.player_id) FILTER (WHERE a.place IS NOT NULL)
                    <> max(a.player_id) FILTER (WHERE a.place IS NOT NULL)
                THEN '3RL016the accounts belong to several players'
            WHEN policy.gives IS NOT NULL
                    AND count(*) FILTER (WHERE a.kind = 'escrow' AND a.place IS NOT NULL) > 1
                THEN '3RL016the escrows belong to several games'
            WHEN sum(a.amount) <> 0
                    OR min(a.currency) FILTER (WHERE a.place IS NOT NULL)
                        <> max(a.currency) FILTER (WHERE a.place IS NOT NULL)
                    AND NOT ledger_is_balanced(p_accounts, p_amounts)
                THEN '5RL003the entries do not sum to zero in every currency'
            WHEN sum(a.amount) FILTER (WHERE a.amount > 0) > policy.most_minor
                THEN format('6RL018a transfer of kind %s moves at most %s, not %s', p_kind, policy.most_minor,
                    sum(a.amount) FILTER (WHERE a.amount > 0))
            WHEN count(*) FILTER (WHERE a.id = ANY (p_must_be_empty)) < cardinality(p_must_be_empty) THEN 'z'
            END) AS refusal
    INTO locked
    FROM (
        SELECT x.*, coalesce(p_amounts[x.place], 0) AS amount
        FROM (
            SELECT id, kind, player_id, ref, currency, balance_minor, floor_minor, status,
                array_position(p_accounts, id) AS place
            FROM wallet_account WHERE id = ANY (p_accounts || p_must_be_empty)
            ORDER BY id FOR NO KEY UPDATE
        ) AS x
    ) AS a;
    -- Entries that are refused below match no earlier transfer.
    asked := ledger_fingerprint(
        p_kind, CASE WHEN locked.refusal = '0' THEN 'unknown' ELSE locked.entries END, p_must_be_empty,
        p_effective_at, p_reverses, p_document, p_document_id, p_game, p_deal);

    -- A second request with the key waits, here or for the accounts, until the first commits or rolls back. So does
    -- a second transfer for a document that allows one.
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

    -- Nested: an expression with a query is executed as a statement, for each kind.
    IF p_kind = 'withdrawal' THEN
        PERFORM FROM wallet_withdrawalfreeze WHERE lifted_at IS NULL;
        IF FOUND THEN
            RAISE EXCEPTION 'withdrawals are frozen until the ledger audit passes' USING ERRCODE = 'RL014';
        END IF;
    END IF;
    IF locked.refusal IS NOT NULL THEN
        IF locked.refusal IN ('0', 'z') THEN
            PERFORM ledger_refuse_accounts(
                CASE locked.refusal WHEN '0' THEN p_accounts ELSE p_must_be_empty END);
        END IF;
        RAISE EXCEPTION USING ERRCODE = substr(locked.refusal, 2, 5), MESSAGE = concat(
            CASE WHEN substr(locked.refusal, 2, 5) = 'RL016'
                THEN format('in a transfer of kind %s with document %s: ', p_kind, p_document) END,
            substr(locked.refusal, 7));
    END IF;

    WITH moved AS (
        UPDATE wallet_account AS a SET
            balance_minor = a.balance_minor + p_amounts[array_position(p_accounts, a.id)],
            version = a.version + 1
        WHERE a.id = ANY (p_accounts)
        RETURNING a.id, a.currency, a.balance_minor, a.version,
            array_position(p_accounts, a.id) AS place
    )
    INSERT INTO wallet_entry (
        transfer_id, account_id, currency, booked_on, kind, amount_minor, balance_after_minor, account_version)
    SELECT transfer.id, id, currency, transfer.booked_on, transfer.kind, p_amounts[place], balance_minor, version
    FROM moved ORDER BY place;
    -- A closed escrow accepts no more transfers. A statement of its own: triggers on changes of the status cost
    -- other postings nothing.
    IF locked.ends_game THEN
        UPDATE wallet_account SET status = 'closed'
        WHERE id = ANY (p_must_be_empty) AND id = ANY (p_accounts) AND kind = 'escrow';
    END IF;
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
