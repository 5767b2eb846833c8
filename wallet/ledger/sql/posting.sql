-- Posting: the only functions that write transfers, each of two or more entries, in one round trip.
-- Refusals carry SQLSTATE RLnnn; wallet/exceptions.py maps them.

-- Return a hash of the facts that two requests with one key must share: the kind, the entries ("account:amount" in
-- the order of accounts, joined by commas) and the document. Actor and memo may differ, because a sweep may finish a
-- player's request. The audit computes the same hash from the stored rows, so a rewritten transfer no longer matches
-- its fingerprint. `p_must_be_empty` is in ascending order. Short enough to be inlined.
CREATE OR REPLACE FUNCTION ledger_fingerprint(
    p_kind text, p_entries text, p_must_be_empty bigint[], p_effective_at timestamptz, p_reverses bigint,
    p_document text, p_document_id bigint, p_game text, p_deal integer
) RETURNS bytea
LANGUAGE sql STABLE
RETURN sha256(convert_to(
    ROW(p_kind, p_entries, p_must_be_empty, extract(epoch FROM p_effective_at), p_reverses, p_document, p_document_id,
        p_game, p_deal)::text, 'UTF8'));

-- Refuse arguments that are invalid whatever the state of the accounts is.
CREATE OR REPLACE FUNCTION ledger_refuse_malformed(
    p_key text, p_accounts bigint[], p_amounts bigint[], p_currencies text[], p_must_be_empty bigint[],
    p_memo text, p_actor text, p_effective_at timestamptz, p_game text
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF (length(p_key) BETWEEN 1 AND 160 AND greatest(length(p_memo) - 120, length(p_actor), length(p_game)) <= 80
        AND p_key || p_memo || p_actor || p_game !~ '[\x01-\x1f\x7f-\x9f]') IS NOT TRUE
    THEN
        RAISE EXCEPTION 'a transfer has a key of 1 to 160 characters, a memo of at most 200, an actor and a game of '
            'at most 80, and no control characters in them' USING ERRCODE = 'RL015';
    ELSIF p_effective_at IS NOT NULL THEN
        IF p_effective_at NOT BETWEEN '2000-01-01 00:00+00' AND ledger_now() + interval '1 day' THEN
            RAISE EXCEPTION 'a transfer is effective between the year 2000 and tomorrow' USING ERRCODE = 'RL015';
        END IF;
    END IF;
    IF cardinality(p_accounts) NOT BETWEEN 2 AND 1000 THEN
        RAISE EXCEPTION 'a transfer has 2 to 1000 entries, not %', cardinality(p_accounts) USING ERRCODE = 'RL002';
    ELSIF (array_dims(p_accounts) = '[1:' || cardinality(p_amounts) || ']'
        AND array_dims(p_amounts) = array_dims(p_accounts) AND array_dims(p_currencies) = array_dims(p_accounts)
        AND array_position(p_accounts, NULL) IS NULL AND array_position(p_amounts, NULL) IS NULL
        AND array_position(p_must_be_empty, NULL) IS NULL AND cardinality(p_must_be_empty) <= 1000) IS NOT TRUE
    THEN
        RAISE EXCEPTION 'every entry needs an account and an amount' USING ERRCODE = 'RL015';
    ELSIF 0 = ANY (p_amounts) THEN
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

-- Raise the refusal of a rank that `ledger_write` found; of several, the lowest is raised.
CREATE OR REPLACE FUNCTION ledger_refuse(
    p_rank bigint, p_account bigint, p_kind text, p_document text, p_accounts bigint[], p_must_be_empty bigint[]
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    named CONSTANT text := format('in a transfer of kind %s with document %s: ', p_kind, p_document);
BEGIN
    CASE p_rank
    WHEN 0 THEN PERFORM ledger_refuse_accounts(p_accounts);
    WHEN 10 THEN RAISE EXCEPTION 'account % is in another currency', p_account USING ERRCODE = 'RL007';
    WHEN 20 THEN RAISE EXCEPTION '%account % cannot be debited', named, p_account USING ERRCODE = 'RL016';
    WHEN 21 THEN RAISE EXCEPTION '%account % cannot be credited', named, p_account USING ERRCODE = 'RL016';
    WHEN 22 THEN RAISE EXCEPTION '%the escrow belongs to another game', named USING ERRCODE = 'RL016';
    WHEN 23 THEN RAISE EXCEPTION '%its currency is not allowed', named USING ERRCODE = 'RL016';
    WHEN 30 THEN RAISE EXCEPTION '%the accounts belong to several players', named USING ERRCODE = 'RL016';
    WHEN 31 THEN RAISE EXCEPTION '%the escrows belong to several games', named USING ERRCODE = 'RL016';
    WHEN 40 THEN RAISE EXCEPTION 'account % is closed', p_account USING ERRCODE = 'RL008';
    WHEN 50 THEN RAISE EXCEPTION 'the entries do not sum to zero in every currency' USING ERRCODE = 'RL003';
    WHEN 60 THEN RAISE EXCEPTION 'a transfer of kind % does not move that much', p_kind USING ERRCODE = 'RL018';
    WHEN 70 THEN RAISE EXCEPTION 'account % is frozen', p_account USING ERRCODE = 'RL009';
    WHEN 80 THEN RAISE EXCEPTION 'account % does not hold that much', p_account USING ERRCODE = 'RL010';
    WHEN 81 THEN RAISE EXCEPTION 'account % does not owe that much', p_account USING ERRCODE = 'RL019';
    WHEN 90 THEN RAISE EXCEPTION 'account % must be empty afterwards', p_account USING ERRCODE = 'RL011';
    WHEN 91 THEN PERFORM ledger_refuse_accounts(p_must_be_empty);
    END CASE;
END
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
    checked text;
    locked record;
    transfer wallet_transfer;
BEGIN
    checked := ledger_refuse_malformed(
        p_key, p_accounts, p_amounts, p_currencies, p_must_be_empty, p_memo, p_actor, p_effective_at, p_game);

    -- Lock the accounts in id order and check them in the same scan, so the values hold until COMMIT. FOR NO KEY
    -- UPDATE does not block rows that only refer to an account.
    SELECT p.login, h.clock_shift, clock_timestamp() + h.clock_shift AS moment, a.refusal,
        -- Entries that are refused below match no earlier transfer.
        ledger_fingerprint(p_kind, CASE WHEN a.refusal[1] = 0 THEN 'unknown' ELSE a.entries END, p_must_be_empty,
            p_effective_at, p_reverses, p_document, p_document_id, p_game, p_deal) AS fingerprint
    INTO locked
    FROM wallet_policy AS p CROSS JOIN wallet_installation AS h
    CROSS JOIN LATERAL (
        SELECT string_agg(a.id || ':' || a.amount, ',') AS entries,
            least(
                min(ARRAY[CASE
                    WHEN p_currencies[a.place] <> a.currency THEN 10
                    WHEN a.kind <> ALL (CASE WHEN a.amount < 0 THEN p.gives ELSE p.takes END)
                        THEN CASE WHEN a.amount < 0 THEN 20 ELSE 21 END
                    WHEN a.kind = 'escrow' AND p.gives IS NOT NULL AND a.ref <> p_game THEN 22
                    WHEN p.money = CASE a.currency WHEN 'PTS' THEN 'cash' ELSE 'points' END THEN 23
                    WHEN a.status = 'closed' THEN 40
                    WHEN a.amount < 0 AND a.status = 'frozen' THEN 70
                    WHEN a.amount < 0 AND a.balance_minor + a.amount < a.floor_minor THEN 80
                    WHEN a.kind = 'receivable' AND a.amount > 0 AND a.balance_minor + a.amount > 0 THEN 81
                    END, a.id]) FILTER (WHERE a.amount IS NOT NULL),
                min(ARRAY[90, a.id]) FILTER (
                    WHERE a.id = ANY (p_must_be_empty) AND a.balance_minor + coalesce(a.amount, 0) <> 0),
                CASE
                WHEN count(a.amount) < cardinality(p_accounts) THEN '{0}'::bigint[]
                WHEN p.of_one_player AND min(a.player_id) FILTER (WHERE a.amount IS NOT NULL)
                        <> max(a.player_id) FILTER (WHERE a.amount IS NOT NULL) THEN '{30}'::bigint[]
                WHEN p.gives IS NOT NULL
                    AND count(*) FILTER (WHERE a.kind = 'escrow' AND a.amount IS NOT NULL) > 1 THEN '{31}'::bigint[]
                WHEN sum(a.amount) <> 0
                        OR min(a.currency) <> max(a.currency) AND NOT ledger_is_balanced(p_accounts, p_amounts)
                    THEN '{50}'::bigint[]
                WHEN sum(a.amount) FILTER (WHERE a.amount > 0) > p.most_minor THEN '{60}'::bigint[]
                WHEN count(*) FILTER (WHERE a.id = ANY (p_must_be_empty)) < cardinality(p_must_be_empty) THEN '{91}'::bigint[]
                END) AS refusal
        FROM (
            SELECT id, kind, player_id, ref, currency, balance_minor, floor_minor, status,
                array_position(p_accounts, id) AS place,
                p_amounts[array_position(p_accounts, id)] AS amount
            FROM wallet_account WHERE id = ANY (p_accounts || p_must_be_empty)
            ORDER BY id FOR NO KEY UPDATE
        ) AS a
    ) AS a
    WHERE p.kind = p_kind AND p.document = p_document AND h.id = 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no transfer is of kind % with document "%"', p_kind, p_document
            USING ERRCODE = 'RL016';
    END IF;
    IF locked.login IS NOT NULL AND NOT core_is_login_of(locked.login) THEN
        RAISE EXCEPTION 'permission denied: a transfer of kind % with document "%" is not for the login %',
            p_kind, p_document, session_user USING ERRCODE = 'insufficient_privilege';
    END IF;

    -- A second request with the key waits, here or for the accounts, until the first commits or rolls back. So does
    -- a second transfer for a document that allows one.
    INSERT INTO wallet_transfer (
        public_id, key, fingerprint, kind, entry_count, reverses_id, memo, actor,
        document, document_id, game, deal, emptied,
        xid, booked_on, effective_at, created_at)
    VALUES (
        p_public_id, p_key, locked.fingerprint, p_kind, cardinality(p_accounts), p_reverses, p_memo, p_actor,
        p_document, p_document_id, p_game, p_deal, p_must_be_empty,
        pg_current_xact_id()::text::bigint, ledger_book_day(locked.clock_shift),
        coalesce(p_effective_at, locked.moment), locked.moment)
    ON CONFLICT DO NOTHING
    RETURNING * INTO transfer;
    IF NOT FOUND THEN
        RETURN ledger_earlier(p_key, locked.fingerprint, p_document, p_document_id, p_public_id);
    END IF;

    -- Nested: an expression with a query is executed as a statement, for each kind.
    IF p_kind = 'withdrawal' THEN
        PERFORM FROM wallet_withdrawalfreeze WHERE lifted_at IS NULL;
        IF FOUND THEN
            RAISE EXCEPTION 'withdrawals are frozen until the ledger audit passes' USING ERRCODE = 'RL014';
        END IF;
    END IF;
    IF locked.refusal[1] IS NOT NULL THEN
        PERFORM ledger_refuse(locked.refusal[1], locked.refusal[2], p_kind, p_document, p_accounts, p_must_be_empty);
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
    IF p_must_be_empty <> '{}' THEN
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
        p_key, p_kind, p_accounts, p_amounts, p_currencies, coalesce(array_sort(p_must_be_empty), '{}'),
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
