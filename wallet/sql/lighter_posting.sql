-- The same promises with less work per posting. A statement costs more than what it computes here, so
-- a call is an assignment wherever PERFORM would plan and run a query; and PostgreSQL reads the
-- expressions of CHECK constraints and of triggers' WHEN anew in each statement that may need them.

-- As before, to the byte: keys used earlier are still recognised.
CREATE OR REPLACE FUNCTION ledger_fingerprint(
    p_kind text, p_accounts bigint[], p_amounts bigint[], p_must_be_empty bigint[],
    p_effective_at timestamptz, p_reverses bigint
) RETURNS bytea
LANGUAGE plpgsql STABLE AS $$
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

-- An account keeps its identity: asked only of statements that name one of these columns.
DROP TRIGGER keeps_its_identity ON wallet_account;
CREATE TRIGGER keeps_its_identity
    BEFORE UPDATE OF id, public_id, kind, player_id, ref, shard, currency, floor_minor, created_at
    ON wallet_account
    FOR EACH ROW WHEN (
        (OLD.id, OLD.public_id, OLD.kind, OLD.player_id, OLD.ref, OLD.shard, OLD.currency,
            OLD.floor_minor, OLD.created_at)
        IS DISTINCT FROM
           (NEW.id, NEW.public_id, NEW.kind, NEW.player_id, NEW.ref, NEW.shard, NEW.currency,
            NEW.floor_minor, NEW.created_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('an account keeps its identity');
-- A closed one stays closed, whatever is named.
CREATE TRIGGER stays_closed BEFORE UPDATE ON wallet_account
    FOR EACH ROW WHEN (OLD.status = 'closed')
    EXECUTE FUNCTION wallet_refuse_rewriting('a closed account keeps its identity');

-- A transfer belongs to the database transaction that makes it.
DROP TRIGGER made_now ON wallet_transfer;
CREATE TRIGGER made_now BEFORE INSERT ON wallet_transfer
    FOR EACH ROW WHEN (NEW.xid <> pg_current_xact_id()::text::bigint)
    EXECUTE FUNCTION wallet_transfer_is_made_now();

-- All entries of a transfer come in one statement, in its transaction, and balance. A transfer in one
-- currency is looked at once; only if anything is odd, or currencies are mixed, one by one.
CREATE OR REPLACE FUNCTION wallet_entries_complete_their_transfer() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    broken record;
BEGIN
    SELECT t.id INTO broken
    FROM wallet_transfer AS t JOIN wallet_entry AS e ON e.transfer_id = t.id
    WHERE t.id IN (SELECT transfer_id FROM added)
    GROUP BY t.id
    HAVING t.xid <> pg_current_xact_id()::text::bigint OR count(*) <> t.entry_count
        OR sum(e.amount_minor) <> 0 OR min(e.currency) <> max(e.currency)
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT t.id, t.xid, t.entry_count, sums.entries, sums.lopsided INTO broken
    FROM (SELECT DISTINCT transfer_id FROM added) AS touched
    JOIN wallet_transfer AS t ON t.id = touched.transfer_id
    CROSS JOIN LATERAL (
        SELECT sum(per.entries) AS entries, bool_or(per.total <> 0) AS lopsided
        FROM (SELECT count(*) AS entries, sum(e.amount_minor) AS total
              FROM wallet_entry AS e WHERE e.transfer_id = t.id GROUP BY e.currency) AS per
    ) AS sums
    WHERE t.xid <> pg_current_xact_id()::text::bigint
        OR sums.entries <> t.entry_count OR sums.lopsided
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF broken.xid <> pg_current_xact_id()::text::bigint THEN
        RAISE EXCEPTION 'transfer % is sealed', broken.id USING ERRCODE = 'restrict_violation';
    ELSIF broken.lopsided THEN
        RAISE EXCEPTION 'transfer % does not sum to zero in every currency', broken.id
            USING ERRCODE = 'check_violation';
    END IF;
    RAISE EXCEPTION 'transfer % has % entries and says %', broken.id, broken.entries, broken.entry_count
        USING ERRCODE = 'check_violation';
END
$$;

-- Hold the open day until the end of this transaction and return it; see booked_days.sql.
CREATE OR REPLACE FUNCTION ledger_book_day() RETURNS date
LANGUAGE plpgsql AS $$
DECLARE
    today CONSTANT date := (clock_timestamp() AT TIME ZONE 'Asia/Kolkata')::date;
    open_day date;
    locked text;
BEGIN
    SELECT day INTO open_day FROM wallet_bookedday WHERE closed_at IS NULL;
    IF open_day >= today OR ledger_holds_the_day() THEN
        locked := pg_advisory_xact_lock_shared(5211, 1);
        SELECT day INTO open_day FROM wallet_bookedday WHERE closed_at IS NULL;
        RETURN open_day;
    END IF;
    PERFORM pg_advisory_xact_lock(5211, 1);
    SELECT day INTO open_day FROM wallet_bookedday WHERE closed_at IS NULL;
    IF open_day >= today THEN  -- Somebody else turned the page while this one waited.
        RETURN open_day;
    END IF;
    UPDATE wallet_bookedday SET closed_at = clock_timestamp() WHERE closed_at IS NULL;
    INSERT INTO wallet_bookedday (day, opened_at) VALUES (today, clock_timestamp());
    RETURN today;
END
$$;

-- The posting itself; not for the application, which has ledger_post and ledger_reverse.
CREATE OR REPLACE FUNCTION ledger_write(
    p_key text, p_kind text, p_accounts bigint[], p_amounts bigint[], p_currencies text[],
    p_must_be_empty bigint[], p_memo text, p_actor text, p_effective_at timestamptz,
    p_public_id uuid, p_reverses bigint
) RETURNS wallet_transfer
LANGUAGE plpgsql AS $$
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
            balance_minor = a.balance_minor + e.amount,
            version = a.version + 1,
            -- A game's account that has been emptied for good takes nothing any more.
            status = CASE WHEN a.kind = 'escrow' AND a.id = ANY (p_must_be_empty)
                          THEN 'closed' ELSE a.status END
        FROM unnest(p_accounts, p_amounts) WITH ORDINALITY AS e (account_id, amount, place)
        -- Said twice, so that the accounts are looked up and not searched for.
        WHERE a.id = e.account_id AND a.id = ANY (p_accounts)
        RETURNING a.id, a.currency, e.amount, a.balance_minor, a.version, e.place
    )
    INSERT INTO wallet_entry (
        transfer_id, account_id, currency, amount_minor, balance_after_minor, account_version)
    SELECT transfer.id, id, currency, amount, balance_minor, version FROM moved ORDER BY place;
    RETURN transfer;
END
$$;
