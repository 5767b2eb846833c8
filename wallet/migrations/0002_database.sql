-- wallet.ledger.currencies
-- The register of currencies: an account is of one of these, and so is whatever is posted. The exponent says how
-- many digits the minor unit has. Play points have two; the others are those of ISO 4217 that
-- `moneyed` knows too. What the house takes in and pays out is the setting CASH_CURRENCIES.
CREATE TABLE IF NOT EXISTS wallet_currency (
    code varchar(3) PRIMARY KEY CHECK (code ~ '^[A-Z]{3}$'),
    exponent smallint NOT NULL CHECK (exponent BETWEEN 0 AND 4)
);
REVOKE ALL ON wallet_currency FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_currency TO rummy_app;

INSERT INTO wallet_currency (code, exponent)
SELECT regexp_split_to_table(listed.codes, '\s+'), listed.exponent
FROM (VALUES
    (0, 'ADP ALK AON AOR BIF BYR CLE CLP CSK DDM DJF ECS ESA ESB ESP GNF ISK ITL JPY KMF KRW MGF MLF PEI PTE
        PYG ROL RWF TJR TPE TRL UGX UYI VND VNN VUV XAF XAG XAU XBA XBB XBC XBD XDR XEU XOF XPD XPF
        XPT XSU XUA YDD'),
    (2, 'AED AFA AFN ALL AMD ANG AOA ARA ARP ARS ATS AUD AWG AZM AZN BAD BAM BBD BDT BEF BGL BGN BMD BND BOB
        BOV BRC BRE BRL BRN BRR BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CSD CUC CUP
        CVE CYP CZK DEM DKK DOP DZD ECV EEK EGP ERN ETB EUR FIM FJD FKP FRF GBP GEL GHC GHS GIP GMD
        GRD GTQ GWP GYD HKD HNL HRD HRK HTG HUF IDR IEP ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK
        LBP LKR LRD LSL LTL LUF LVL MAD MDL MGA MKD MMK MNT MOP MRO MTL MUR MVR MWK MXN MXV MYR MZM
        MZN NAD NGN NIO NLG NOK NPR NZD PAB PEN PGK PHP PKR PLN PLZ PTS QAR RON RSD RUB RUR SAR SBD
        SCR SDD SDG SEK SGD SHP SIT SKK SLE SLL SOS SRD SRG SSP STD SVC SYP SZL THB TJS TMM TMT TOP
        TRY TTD TWD TZS UAH UAK USD USN USS UYU UZS VEB VED VEF WST XCD YER YUM YUN ZAL ZAR ZMK ZMW
        ZRN ZRZ ZWD ZWL ZWN ZWR'),
    (3, 'BHD IQD JOD KWD LYD OMR TND'),
    (4, 'CLF')
) AS listed (exponent, codes)
ON CONFLICT DO NOTHING;

ALTER TABLE wallet_account DROP CONSTRAINT IF EXISTS wallet_account_currency_registered;
ALTER TABLE wallet_account ADD CONSTRAINT wallet_account_currency_registered
    FOREIGN KEY (currency) REFERENCES wallet_currency (code);

-- wallet.ledger.accounts
-- Opening, locking and freezing accounts. Refusals carry SQLSTATE RLnnn; wallet/exceptions.py names them.

-- What an account's kind says about how far it may sink: players and games cannot owe.
CREATE OR REPLACE FUNCTION ledger_floor(p_kind text) RETURNS bigint
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN p_kind IN (
    'bonus', 'deposit', 'winnings', 'withdrawal_hold', 'locked_bonus', 'ticket', 'escrow') THEN 0 END;

-- Return the one account of this kind and owner, opened if there is none; safe to repeat and to race.
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
        RAISE EXCEPTION 'only the house has several accounts of a kind' USING ERRCODE = 'RL015';
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
    -- Two branches, because only `=` and `IS NULL` can use the index.
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

-- Lock accounts in id order until the end of the transaction and return them as they are now.
-- FOR NO KEY UPDATE: inserting a row that refers to the account must not have to wait.
CREATE OR REPLACE FUNCTION ledger_lock_accounts(p_accounts bigint[]) RETURNS SETOF wallet_account
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM wallet_account WHERE id = ANY (p_accounts)
        ORDER BY id FOR NO KEY UPDATE;
END
$$;

-- Let nothing leave an account any more, or let it leave again.
CREATE OR REPLACE FUNCTION ledger_freeze_account(p_account bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE wallet_account SET status = 'frozen' WHERE id = p_account AND status = 'open'
$$;

CREATE OR REPLACE FUNCTION ledger_thaw_account(p_account bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE wallet_account SET status = 'open' WHERE id = p_account AND status = 'frozen'
$$;

-- wallet.ledger.posting
-- The one door for money: a transfer of two or more entries in one round trip.
-- Refusals carry SQLSTATE RLnnn; wallet/exceptions.py names them.

-- What two requests with one key must have in common: the kind, the entries and the facts. Who asked and
-- how it is worded may differ: a sweep may finish what a player's request began. A transfer's own rows
-- give the same hash again, so a transfer that was rewritten no longer fits its fingerprint. Of a transfer
-- from before its facts stood in columns the hash has none of them.
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

-- Refuse what no state of the accounts could make right.
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

-- Lock the accounts in id order, whatever order they were named in, and refuse what they or the kind's
-- policy do not allow. One walk does both; what is read here is what holds until COMMIT. FOR NO KEY
-- UPDATE, because rows that only refer to an account need not wait for it.
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
                    misplaced := account.kind || ' gives nothing';
                END IF;
            ELSE
                taken := taken + amount;
                IF account.kind = 'receivable' AND account.balance_minor + amount > 0 THEN
                    overpaid := account.id;
                END IF;
                IF account.kind <> ALL (p_takes) THEN
                    misplaced := account.kind || ' takes nothing';
                END IF;
            END IF;
            strangers := strangers OR account.player_id <> coalesce(player, account.player_id);
            player := coalesce(account.player_id, player);
            IF account.kind = 'escrow' AND p_gives IS NOT NULL THEN
                games := games + 1;
                IF account.ref <> p_game THEN
                    misplaced := 'the escrow is of another game';
                END IF;
            END IF;
            IF account.currency <> 'PTS' AND p_money = 'points'
                OR account.currency = 'PTS' AND p_money = 'cash'
            THEN
                misplaced := account.currency || ' does not move';
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
        misplaced := 'only one player''s accounts move';
    ELSIF misplaced IS NULL AND games > 1 THEN
        misplaced := 'only one game''s escrow moves';
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
        RAISE EXCEPTION 'account % is not owed that much', overpaid USING ERRCODE = 'RL019';
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
    FROM wallet_policy AS p CROSS JOIN wallet_house AS h
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

    -- The key comes first: a second request with it waits here until the first is decided. So does a
    -- second transfer for a document that has one transfer.
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
        RAISE EXCEPTION 'withdrawals are frozen until the books agree' USING ERRCODE = 'RL014';
    END IF;
    checked := ledger_lock_and_check(
        p_accounts, p_amounts, p_currencies, p_must_be_empty, p_kind, p_document, p_game,
        policy.gives, policy.takes, policy.of_one_player, policy.money, policy.most_minor);

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
        transfer_id, account_id, currency, booked_on, kind, amount_minor, balance_after_minor, account_version)
    SELECT transfer.id, id, currency, transfer.booked_on, transfer.kind, p_amounts[place], balance_minor, version
    FROM moved ORDER BY place;
    RETURN transfer;
END
$$;

-- Return the transfer that a key belongs to, or refuse where it is another one.
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
        RAISE EXCEPTION 'the % % stands behind another transfer', p_document, p_document_id
            USING ERRCODE = 'RL017';
    ELSIF EXISTS (SELECT FROM wallet_transfer WHERE public_id = p_public_id) THEN
        RAISE EXCEPTION 'the public id % belongs to another transfer', p_public_id
            USING ERRCODE = 'RL015';
    END IF;
    -- Only a snapshot older than the other's commit hides it.
    RAISE EXCEPTION 'the transfer % was posted meanwhile', p_key USING ERRCODE = 'serialization_failure';
END
$$;

-- Post a transfer. A currency given for an entry must be its account's; null trusts the account.
-- Accounts in p_must_be_empty must hold 0 afterwards; an escrow among the entries is then closed.
-- p_document names the row of wallet_policy, p_document_id the document where it is known before.
--
-- A connection plans what a posting asks once and for long; made while the books were short, such a plan
-- would read them from end to end. So no walk over a table may look cheap here.
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
        RAISE EXCEPTION 'a reversal names what it undoes' USING ERRCODE = 'RL016';
    END IF;
    RETURN ledger_write(
        p_key, p_kind, p_accounts, p_amounts, p_currencies, coalesce(p_must_be_empty, '{}'),
        coalesce(p_memo, ''), coalesce(p_actor, ''), p_effective_at, p_public_id, NULL,
        coalesce(p_document, ''), p_document_id, coalesce(p_game, ''), p_deal);
END
$$;

-- Undo a transfer by its exact opposite, once. Its document must have a policy for that. Money in games
-- goes back through stakes instead, which know whose it was; and what was undone is not undone again.
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

-- wallet.ledger.guards
-- What binds everybody, the owner of the schema included. Each refusal is an integrity error.

CREATE FUNCTION wallet_refuse_rewriting() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
        USING ERRCODE = 'restrict_violation';
END
$$;

-- Transfers and entries stay as they were written.
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_transfer
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('the ledger is append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_transfer
    EXECUTE FUNCTION wallet_refuse_rewriting('the ledger is append-only');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_entry
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('the ledger is append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_entry
    EXECUTE FUNCTION wallet_refuse_rewriting('the ledger is append-only');

-- An account starts at nothing.
CREATE TRIGGER starts_empty BEFORE INSERT ON wallet_account
    FOR EACH ROW WHEN (NEW.balance_minor <> 0 OR NEW.version <> 0 OR NEW.status <> 'open')
    EXECUTE FUNCTION wallet_refuse_rewriting('an account opens empty');
CREATE TRIGGER kept BEFORE DELETE ON wallet_account
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('accounts are closed, not deleted');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_account
    EXECUTE FUNCTION wallet_refuse_rewriting('accounts are closed, not deleted');

-- A balance moves one entry at a time, by that entry's amount, to that entry's balance.
CREATE FUNCTION wallet_balances_follow_entries() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    drifting bigint;
BEGIN
    SELECT after.id INTO drifting
    FROM before JOIN after ON after.id = before.id
    LEFT JOIN wallet_entry AS e ON e.account_id = after.id AND e.account_version = after.version
    WHERE (after.balance_minor <> before.balance_minor OR after.version <> before.version)
        AND (after.version = before.version + 1
             AND e.amount_minor = after.balance_minor - before.balance_minor
             AND e.balance_after_minor = after.balance_minor) IS NOT TRUE
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the balance of account % may only follow an entry', drifting
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER follows_entries AFTER UPDATE ON wallet_account
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION wallet_balances_follow_entries();

-- Days are opened and closed, never reopened or removed.
CREATE TRIGGER closes_once BEFORE UPDATE ON wallet_bookedday
    FOR EACH ROW WHEN (OLD.closed_at IS NOT NULL OR NEW.day <> OLD.day)
    EXECUTE FUNCTION wallet_refuse_rewriting('a closed day stays closed');
CREATE TRIGGER kept BEFORE DELETE ON wallet_bookedday
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('days stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_bookedday
    EXECUTE FUNCTION wallet_refuse_rewriting('days stay on record');

-- Foreign keys are checked at once, not at COMMIT.
DO $$
DECLARE
    link record;
BEGIN
    FOR link IN
        SELECT conrelid::regclass AS held_by, conname FROM pg_constraint
        WHERE contype = 'f' AND condeferrable AND conrelid IN (
            'wallet_account'::regclass, 'wallet_transfer'::regclass, 'wallet_entry'::regclass,
            'wallet_stake'::regclass, 'wallet_stakepart'::regclass, 'wallet_stakepartchange'::regclass)
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', link.held_by, link.conname);
    END LOOP;
END
$$;

-- Room on the page for the next version of a balance, so that updates touch no index.
ALTER TABLE wallet_account SET (fillfactor = 50);

-- wallet.ledger.documents
-- What is asked of every transfer at COMMIT: its entries are there, and so is the document behind it, with
-- the same amounts and the same player. Each question is a look-up by an index.

-- What of a game's escrow its stakes explain, after this transfer: parts still in play, parts lost to the
-- pot and, while there are any, what the house added for a guarantee. Nobody is paid out of a game without
-- a stake in it; what goes back to a bucket is what parts of stakes from there came back; and the house
-- gets the rake that the settled stakes noted, with the transfer that closes the game (RB 7.5, 10.3).
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
            -- Of a game that was called off, more than the own entries becomes winnings (RB 7.7).
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
            RETURN format('the house takes %s, the stakes noted %s', taken, noted);
        END IF;
    ELSIF t.document = 'deal' THEN
        SELECT -coalesce(sum(c.amount_minor), 0) INTO noted
        FROM wallet_stackchange AS c WHERE c.key = t.key;
        SELECT sum(e.amount_minor) INTO taken
        FROM wallet_entry AS e WHERE e.transfer_id = t.id AND e.amount_minor > 0;
        IF taken <> noted THEN
            RETURN format('the house takes %s, the stacks lost %s', taken, noted);
        END IF;
    END IF;
    RETURN NULL;
END
$$;

-- Return whether the audit log has an act, of somebody whose money it is not. It is written in the transaction
-- that it belongs to (core/audit_log.py).
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

-- Return whether a member of staff acts so now. Who acted earlier may have left since.
CREATE OR REPLACE FUNCTION wallet_staff_act(
    p_kind text, p_row bigint, p_by bigint, p_act text, p_owners bigint[]
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM players_user WHERE id = p_by AND is_staff)
        AND wallet_acted(p_kind, p_row, p_by, p_act, p_owners);
END
$$;

-- Return whether one person asked for this and a member of staff approves it, neither about money of their own.
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

-- Return whether several people saw to a withdrawal that went to the bank: one approved it, another sent it, and
-- somebody else than its approver, a member of staff today, noted what became of it; of a large amount, a third
-- (RB 11.2). None of them is its player or who asked for it.
CREATE OR REPLACE FUNCTION wallet_was_seen_to(w wallet_withdrawal, p_act text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
DECLARE
    others CONSTANT bigint[] := ARRAY[w.player_id, w.requested_by_id];
    sender bigint;
    takes_three boolean;
BEGIN
    SELECT made_by_id INTO sender FROM wallet_payoutbatch WHERE id = w.batch_id;
    SELECT w.deposit_minor + w.winnings_minor > h.three_people_above::numeric * 10 ^ c.exponent INTO takes_three
    FROM wallet_house AS h JOIN wallet_currency AS c ON c.code = w.currency WHERE h.id = 1;
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

-- Return whether the gateway's signed word about a payment is kept.
CREATE OR REPLACE FUNCTION wallet_was_heard(
    p_provider text, p_payment text, p_kinds text[], p_case text, p_currency text, p_minor numeric
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM wallet_gatewayevent
        WHERE provider = p_provider AND payment_reference = p_payment
            AND kind = ANY (p_kinds) AND (p_case IS NULL OR case_reference = p_case)
            AND currency = p_currency AND amount_minor = p_minor);
END
$$;

-- Return what is wrong with the document behind a transfer; nothing where it stands.
CREATE OR REPLACE FUNCTION wallet_transfer_lacks(t wallet_transfer) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
    owner bigint;
    money text;
    own numeric;
    taken numeric;
    stands boolean;
BEGIN
    IF t.document IN ('game', 'stakes', 'stack', 'deal', 'guarantee') THEN
        RETURN coalesce(wallet_game_adds_up(t), games_transfer_lacks(t));
    END IF;
    -- Whose transfer it is; what it brings their accounts together, and what all who take get.
    SELECT min(a.player_id), min(e.currency),
        coalesce(sum(e.amount_minor) FILTER (WHERE a.player_id IS NOT NULL), 0),
        sum(e.amount_minor) FILTER (WHERE e.amount_minor > 0)
    INTO owner, money, own, taken
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
    WHERE e.transfer_id = t.id;

    IF t.document = 'stake' AND t.kind = 'buy_in' THEN
        stands := EXISTS (
            SELECT FROM wallet_stake AS s JOIN wallet_account AS a ON a.id = s.escrow_id
            JOIN wallet_entry AS e ON e.transfer_id = s.transfer_id AND e.account_id = a.id
            WHERE s.transfer_id = t.id AND s.player_id = owner AND s.entry_minor = e.amount_minor
                AND a.ref = t.game);
    ELSIF t.document = 'stake' THEN
        stands := EXISTS (
            SELECT FROM wallet_stake AS s JOIN wallet_account AS a ON a.id = s.escrow_id
            WHERE s.id = t.document_id AND s.player_id = owner AND s.status = 'settled'
                AND s.entry_minor >= taken AND a.currency = money AND a.ref = t.game);
    ELSIF t.document = 'order' THEN
        stands := EXISTS (
            SELECT FROM wallet_deposit AS d
            JOIN wallet_gatewaypayment AS p ON p.transfer_id = t.id AND p.deposit_id = d.id
            WHERE d.id = t.document_id AND d.transfer_id = t.id AND d.status = 'paid'
                AND d.player_id = owner AND d.currency = money
                AND d.amount_minor = own AND d.amount_minor + d.gst_minor = taken
                AND p.provider = d.provider AND p.order_reference = d.order_reference
                AND wallet_was_heard(p.provider, p.reference, '{paid}', NULL, money, taken));
    ELSIF t.document = 'payment' THEN
        stands := EXISTS (
            SELECT FROM wallet_stafftask AS k
            JOIN wallet_gatewaypayment AS p ON p.transfer_id = t.id
            WHERE k.transfer_id = t.id AND k.deposit_id IS NOT DISTINCT FROM p.deposit_id
                AND p.currency = money AND p.amount_minor = taken
                AND wallet_was_heard(p.provider, p.reference, '{paid}', NULL, money, taken));
    ELSIF t.document = 'task' THEN
        stands := EXISTS (
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
        stands := EXISTS (
            SELECT FROM wallet_paymentreturn AS r
            JOIN wallet_gatewaypayment AS p ON p.id = r.payment_id
            JOIN wallet_deposit AS d ON d.id = p.deposit_id
            WHERE r.id = t.document_id AND r.transfer_id = t.id AND r.status = 'taken'
                AND r.player_id = owner AND r.currency = money AND r.amount_minor = taken
                AND d.player_id = owner AND p.currency = money
                AND p.amount_minor >= (
                    SELECT sum(o.amount_minor) FROM wallet_paymentreturn AS o
                    WHERE o.payment_id = p.id AND o.status = 'taken')
                -- The player was credited with it: at once, or by staff out of suspense.
                AND (p.transfer_id = d.transfer_id OR EXISTS (
                    SELECT FROM wallet_stafftask AS k JOIN wallet_transfer AS placed
                        ON placed.document = 'task' AND placed.document_id = k.id
                    WHERE k.transfer_id = p.transfer_id AND k.deposit_id = d.id))
                AND wallet_was_heard(
                    p.provider, p.reference, '{refund_done,dispute_lost}', r.reference, money, taken));
    ELSIF t.document = 'debt' THEN
        -- It follows a transfer that brought these accounts at least as much, in the same transaction.
        stands := EXISTS (
            SELECT FROM wallet_transfer AS c WHERE c.id = t.document_id AND c.id < t.id AND c.xid = t.xid)
            AND NOT EXISTS (
                SELECT FROM wallet_entry AS e WHERE e.transfer_id = t.id AND e.amount_minor < 0
                    AND NOT EXISTS (
                        SELECT FROM wallet_entry AS b
                        WHERE b.transfer_id = t.document_id AND b.account_id = e.account_id
                            AND b.amount_minor >= -e.amount_minor));
    ELSIF t.document = 'withdrawal' AND t.kind = 'withdrawal' THEN
        stands := EXISTS (
            SELECT FROM wallet_withdrawal AS w
            WHERE w.hold_id = t.id AND w.player_id = owner AND w.currency = money
                AND w.deposit_minor + w.winnings_minor = taken AND w.tax_minor = -own);
    ELSIF t.document = 'withdrawal' THEN
        stands := EXISTS (
            SELECT FROM wallet_withdrawal AS w
            WHERE w.hold_id = t.reverses_id AND CASE w.status
                WHEN 'rejected' THEN wallet_staff_act('wallet.withdrawal', w.id, w.decided_by_id, 'reject',
                    ARRAY[w.player_id, w.requested_by_id])
                WHEN 'failed' THEN wallet_was_seen_to(w, 'note_failed') END);
    ELSIF t.document = 'payout' THEN
        stands := EXISTS (
            SELECT FROM wallet_withdrawal AS w
            WHERE w.id = t.document_id AND w.status = 'paid' AND w.player_id = owner
                AND w.currency = money
                AND w.deposit_minor + w.winnings_minor - w.tax_minor = taken
                AND wallet_was_seen_to(w, 'note_paid'));
    ELSIF t.document = 'withholding' THEN
        stands := EXISTS (
            SELECT FROM wallet_withholding AS w
            WHERE w.transfer_id = t.id AND w.reason = 'year_end' AND w.player_id = owner
                AND w.currency = money AND w.tax_minor = taken);
    ELSIF t.document = 'adjustment' THEN
        stands := t.entry_count = 2 AND EXISTS (
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
        -- Each player gives or gets what their line says, and nobody has an entry without a line.
        stands := EXISTS (
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
        -- Each kind of account moves by what the settlement says, as two members of staff decided.
        stands := EXISTS (
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
        stands := EXISTS (
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
        stands := EXISTS (
            SELECT FROM wallet_bonusmovement AS m JOIN wallet_bonusgrant AS g ON g.id = m.grant_id
            WHERE m.transfer_id = t.id AND m.amount_minor = -taken AND g.account_id IN (
                SELECT account_id FROM wallet_entry WHERE transfer_id = t.id));
    ELSIF t.document IN ('sign_up', 'refill') THEN
        stands := t.document_id = owner AND wallet_is_within_limits(t.document, owner, money, taken);
    ELSIF t.document = 'bot' THEN
        stands := EXISTS (SELECT FROM players_user WHERE id = owner AND is_bot);
    ELSIF t.document = 'ticket' THEN
        stands := EXISTS (
            SELECT FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
            WHERE e.transfer_id = t.id AND e.balance_after_minor = 0 AND a.kind = 'ticket'
                AND a.ref = t.game);
    ELSE
        RETURN 'nobody knows this document';
    END IF;
    IF NOT stands THEN
        RETURN 'it is missing or says something else';
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
        RAISE EXCEPTION 'transfer % has % entries and says %', NEW.id, entries, NEW.entry_count
            USING ERRCODE = 'check_violation';
    ELSIF stranded THEN
        RAISE EXCEPTION 'an entry of transfer % never reached its account', NEW.id
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
    wallet_was_seen_to(wallet_withdrawal, text),
    wallet_was_heard(text, text, text[], text, text, numeric)
FROM PUBLIC, rummy_app;

-- wallet.ledger.posting_guards
-- The guards that every posting passes, as cheap as they can be kept. PostgreSQL reads the expressions
-- of a trigger's WHEN anew in each statement that may need them.

-- A transfer belongs to the database transaction that makes it.
CREATE OR REPLACE FUNCTION wallet_transfer_is_made_now() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.xid <> pg_current_xact_id()::text::bigint THEN
        RAISE EXCEPTION 'a transfer carries its own database transaction'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER made_now BEFORE INSERT ON wallet_transfer
    FOR EACH ROW WHEN (NEW.xid <> pg_current_xact_id()::text::bigint)
    EXECUTE FUNCTION wallet_transfer_is_made_now();

-- All entries of a transfer come in one statement, in its transaction, on accounts that are in their
-- currency, and balance. Whoever adds to it later, or moves an entry over, breaks the count; so nothing
-- is left open until COMMIT. Foreign keys would ask the same of each entry apart, at twice the price.
--
-- One transfer in one currency is looked up by its key and needs no more. A join with `added` would be
-- planned once, when the books were young, as a walk over all transfers, and stay so.
CREATE OR REPLACE FUNCTION wallet_entries_complete_their_transfer() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    broken record;
BEGIN
    IF (SELECT t.xid = pg_current_xact_id()::text::bigint AND (
            SELECT count(*) = t.entry_count AND count(a.id) = t.entry_count
                AND sum(e.amount_minor) = 0 AND min(e.currency) = max(e.currency)
                AND min(e.booked_on) = t.booked_on AND max(e.booked_on) = t.booked_on
                AND min(e.kind) = t.kind AND max(e.kind) = t.kind
            FROM wallet_entry AS e
            LEFT JOIN wallet_account AS a ON a.id = e.account_id AND a.currency = e.currency
            WHERE e.transfer_id = t.id)
        FROM (SELECT min(transfer_id) AS id, max(transfer_id) AS last_id FROM added) AS touched
        JOIN wallet_transfer AS t ON t.id = touched.id
        WHERE touched.id = touched.last_id)
    THEN
        RETURN NULL;
    END IF;
    SELECT e.transfer_id, e.account_id, e.currency, t.id AS of_transfer INTO broken
    FROM added AS e
    LEFT JOIN wallet_transfer AS t ON t.id = e.transfer_id
    LEFT JOIN wallet_account AS a ON a.id = e.account_id AND a.currency = e.currency
    WHERE t.id IS NULL OR a.id IS NULL LIMIT 1;
    IF FOUND AND broken.of_transfer IS NULL THEN
        RAISE EXCEPTION 'there is no transfer %', broken.transfer_id
            USING ERRCODE = 'foreign_key_violation';
    ELSIF FOUND THEN
        RAISE EXCEPTION 'there is no account % in %', broken.account_id, broken.currency
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    SELECT t.id, t.xid, t.kind, t.booked_on, t.entry_count, sums.entries, sums.lopsided, sums.is_off_its_day,
        sums.is_of_another_kind
    INTO broken
    FROM (SELECT DISTINCT transfer_id FROM added) AS touched
    JOIN wallet_transfer AS t ON t.id = touched.transfer_id
    CROSS JOIN LATERAL (
        SELECT sum(per.entries) AS entries, bool_or(per.total <> 0) AS lopsided,
            min(per.first_day) <> t.booked_on OR max(per.last_day) <> t.booked_on AS is_off_its_day,
            min(per.first_kind) <> t.kind OR max(per.last_kind) <> t.kind AS is_of_another_kind
        FROM (SELECT count(*) AS entries, sum(e.amount_minor) AS total,
                  min(e.booked_on) AS first_day, max(e.booked_on) AS last_day,
                  min(e.kind) AS first_kind, max(e.kind) AS last_kind
              FROM wallet_entry AS e WHERE e.transfer_id = t.id GROUP BY e.currency) AS per
    ) AS sums
    WHERE t.xid <> pg_current_xact_id()::text::bigint
        OR sums.entries <> t.entry_count OR sums.lopsided OR sums.is_off_its_day
        OR sums.is_of_another_kind
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF broken.xid <> pg_current_xact_id()::text::bigint THEN
        RAISE EXCEPTION 'transfer % is sealed', broken.id USING ERRCODE = 'restrict_violation';
    ELSIF broken.lopsided THEN
        RAISE EXCEPTION 'transfer % does not sum to zero in every currency', broken.id
            USING ERRCODE = 'check_violation';
    ELSIF broken.is_off_its_day THEN
        RAISE EXCEPTION 'the entries of transfer % are booked on its day, %', broken.id, broken.booked_on
            USING ERRCODE = 'check_violation';
    ELSIF broken.is_of_another_kind THEN
        RAISE EXCEPTION 'the entries of transfer % are of its kind, %', broken.id, broken.kind
            USING ERRCODE = 'check_violation';
    END IF;
    RAISE EXCEPTION 'transfer % has % entries and says %', broken.id, broken.entries, broken.entry_count
        USING ERRCODE = 'check_violation';
END
$$;
CREATE OR REPLACE TRIGGER complete AFTER INSERT ON wallet_entry REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION wallet_entries_complete_their_transfer();

-- Whose an account is never changes: asked only of statements that name one of these columns.
CREATE OR REPLACE TRIGGER keeps_its_identity
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
CREATE OR REPLACE TRIGGER stays_closed BEFORE UPDATE ON wallet_account
    FOR EACH ROW WHEN (OLD.status = 'closed')
    EXECUTE FUNCTION wallet_refuse_rewriting('a closed account keeps its identity');

-- wallet.ledger.grants
-- What the application's role may do with money: look, and ask the functions.
REVOKE ALL ON wallet_account, wallet_transfer, wallet_entry, wallet_bookedday FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_account, wallet_transfer, wallet_entry, wallet_bookedday TO rummy_app;
REVOKE ALL ON SEQUENCE wallet_account_id_seq, wallet_transfer_id_seq, wallet_entry_id_seq
FROM PUBLIC, rummy_app;

-- Stakes are its own bookkeeping, but who paid what is written once.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_stake, wallet_stakepart FROM rummy_app;
GRANT UPDATE (status, closed_at) ON wallet_stake TO rummy_app;
GRANT UPDATE (consumed_minor, returned_minor) ON wallet_stakepart TO rummy_app;
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_withdrawalfreeze FROM rummy_app;
GRANT UPDATE (lifted_at, lifted_by, cleared_by) ON wallet_withdrawalfreeze TO rummy_app;
CREATE TRIGGER lifted_once BEFORE UPDATE ON wallet_withdrawalfreeze
    FOR EACH ROW WHEN (OLD.lifted_at IS NOT NULL)
    EXECUTE FUNCTION wallet_refuse_rewriting('a freeze that was lifted stays as it was');

DO $$
DECLARE
    routine regprocedure;
BEGIN
    FOR routine IN
        SELECT oid FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace
            AND (proname LIKE 'ledger\_%' OR proname LIKE 'wallet\_%')
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC, rummy_app', routine);
    END LOOP;
END
$$;
GRANT EXECUTE ON FUNCTION
    ledger_open_account(text, bigint, text, text, integer, uuid),
    ledger_lock_accounts(bigint[]),
    ledger_freeze_account(bigint),
    ledger_thaw_account(bigint),
    ledger_post(
        text, text, bigint[], bigint[], text[], bigint[], text, text, timestamptz, uuid,
        text, bigint, text, integer),
    ledger_reverse(bigint, text, text, text, uuid)
TO rummy_app;

-- wallet.ledger.house
-- The house's time: one clock for everything in the ledger, and the days that transfers count in.

-- What this database is for. One row, made with the schema. A database for demonstrations and tests is
-- marked as one before its first transfer; only there may the owner let the house's time run ahead or
-- behind, so that data of many weeks can be made through the services. The application may do neither.
CREATE TABLE IF NOT EXISTS wallet_house (
    id smallint PRIMARY KEY CHECK (id = 1),
    is_demo boolean NOT NULL DEFAULT false,
    clock_shift interval NOT NULL DEFAULT interval '0',
    -- Above so many units of a currency three people see to a withdrawal: the setting of that name, as migrated.
    three_people_above bigint NOT NULL DEFAULT 100000 CHECK (three_people_above >= 0),
    -- Play points given at sign-up, and what they are filled up to once a day, at most and in minor units: the
    -- settings of those names, as migrated.
    sign_up_points_minor bigint NOT NULL DEFAULT 1000000 CHECK (sign_up_points_minor >= 0),
    refill_points_to_minor bigint NOT NULL DEFAULT 1000000 CHECK (refill_points_to_minor >= 0),
    CONSTRAINT wallet_house_shifted_in_a_demo CHECK (is_demo OR clock_shift = interval '0')
);
INSERT INTO wallet_house (id) VALUES (1) ON CONFLICT DO NOTHING;
REVOKE ALL ON wallet_house FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_house TO rummy_app;

CREATE OR REPLACE FUNCTION wallet_house_keeps_its_mark() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP <> 'UPDATE' THEN
        RAISE EXCEPTION 'the house stays on record' USING ERRCODE = 'restrict_violation';
    ELSIF NEW.id <> OLD.id OR OLD.is_demo AND NOT NEW.is_demo
        OR NEW.is_demo AND NOT OLD.is_demo AND EXISTS (SELECT FROM wallet_transfer)
    THEN
        RAISE EXCEPTION 'a database is marked as a demo before its first transfer, and stays one'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION wallet_house_keeps_its_mark() FROM PUBLIC, rummy_app;
CREATE OR REPLACE TRIGGER keeps_its_mark BEFORE UPDATE OR DELETE ON wallet_house
    FOR EACH ROW EXECUTE FUNCTION wallet_house_keeps_its_mark();
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_house
    EXECUTE FUNCTION wallet_house_keeps_its_mark();

-- Mark this database as one for demonstrations and tests. For the owner.
CREATE OR REPLACE FUNCTION ledger_mark_demo() RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE wallet_house SET is_demo = true WHERE NOT is_demo
$$;

-- Let the house's time differ from the server's by so much. For the owner, in a demo.
CREATE OR REPLACE FUNCTION ledger_shift_clock(p_shift interval) RETURNS timestamptz
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE wallet_house SET clock_shift = p_shift;
    RETURN ledger_now();
END
$$;
REVOKE ALL ON FUNCTION ledger_mark_demo(), ledger_shift_clock(interval) FROM PUBLIC, rummy_app;

-- The house's time.
CREATE OR REPLACE FUNCTION ledger_now() RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN clock_timestamp() + (SELECT clock_shift FROM wallet_house WHERE id = 1);
END
$$;
REVOKE ALL ON FUNCTION ledger_now() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger_now() TO rummy_app;

-- Return what a player holds in a currency: in their buckets, and of their own in games. What they won in games that
-- are not over is left out, because it changes without a lock of the player's accounts.
CREATE OR REPLACE FUNCTION wallet_held_of(p_player bigint, p_currency text) RETURNS numeric
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
BEGIN
    RETURN coalesce((
        SELECT sum(balance_minor) FROM wallet_account
        WHERE player_id = p_player AND currency = p_currency AND kind IN ('bonus', 'deposit', 'winnings')), 0)
    + coalesce((
        SELECT sum(p.amount_minor - p.consumed_minor - p.returned_minor)
        FROM wallet_stake AS s
        JOIN wallet_stakepart AS p ON p.stake_id = s.id AND NOT p.is_won
        JOIN wallet_account AS a ON a.id = p.account_id AND a.currency = p_currency
        WHERE s.player_id = p_player AND s.status = 'live'), 0);
END
$$;

-- Return whether a grant of play points, and what the player holds after a refill, are within the limits.
CREATE OR REPLACE FUNCTION wallet_is_within_limits(
    p_document text, p_player bigint, p_currency text, p_granted numeric
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    house CONSTANT wallet_house := (SELECT h FROM wallet_house AS h WHERE h.id = 1);
BEGIN
    RETURN CASE p_document
        WHEN 'sign_up' THEN p_granted <= house.sign_up_points_minor
        WHEN 'refill' THEN wallet_held_of(p_player, p_currency) <= house.refill_points_to_minor END;
END
$$;
REVOKE ALL ON FUNCTION
    wallet_held_of(bigint, text), wallet_is_within_limits(text, bigint, text, numeric)
FROM PUBLIC, rummy_app;

-- wallet.ledger.booked_days
-- The house's calendar: which day a transfer counts in (Asia/Kolkata), and when a day is closed. No posting
-- waits for it and no session can hold it up (docs/adr/0007-days-end-without-a-lock.md).
--
-- The last day that has ended is the value of a sequence, in days since 2000-01-01. Sequences know no
-- transactions: everybody reads the latest value, whatever their snapshot is, and it is never taken back.
CREATE SEQUENCE IF NOT EXISTS ledger_ended_day MINVALUE 0;
REVOKE ALL ON SEQUENCE ledger_ended_day FROM PUBLIC, rummy_app;

CREATE OR REPLACE FUNCTION ledger_last_ended_day() RETURNS date
LANGUAGE plpgsql PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN date '2000-01-01' + coalesce(pg_sequence_last_value('ledger_ended_day'), 0)::integer;
END
$$;

-- Return the day that a transfer of this transaction is booked on: the day on which the transaction began,
-- unless that has ended meanwhile.
--
-- First the transaction gets its number, then the last ended day is read. So whoever books on a day had a
-- number before the day's end was recorded, and the day closes after all lower numbers are finished.
CREATE OR REPLACE FUNCTION ledger_book_day(p_shift interval) RETURNS date
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    xid CONSTANT bigint := pg_current_xact_id()::text::bigint;
    ended CONSTANT date := ledger_last_ended_day();
    today CONSTANT date := ((transaction_timestamp() + p_shift) AT TIME ZONE 'Asia/Kolkata')::date;
BEGIN
    IF today > ended THEN
        RETURN today;
    END IF;
    RETURN CASE WHEN ledger_may_stay_on(today, xid) THEN today ELSE ended + 1 END;
END
$$;

-- Return whether a transaction with this number may book on a day that has ended. It may if it had the number before
-- that day's end: the day cannot close before it is finished. It may, too, if it has booked on that day already, so
-- that all it does counts in one day while the boundary is not written yet.
CREATE OR REPLACE FUNCTION ledger_may_stay_on(p_day date, p_xid bigint) RETURNS boolean
LANGUAGE plpgsql PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM wallet_bookedday WHERE day = p_day AND boundary > p_xid)
        OR EXISTS (SELECT FROM wallet_transfer WHERE xid = p_xid AND booked_on = p_day)
        OR EXISTS (
            SELECT FROM wallet_rowversion
            WHERE xid = p_xid AND relation = 'wallet_stakepartchange' AND facts ->> 'booked_on' = p_day::text);
END
$$;

-- Return the day a posting would be booked on now; exact for a transaction that has locked accounts.
CREATE OR REPLACE FUNCTION ledger_house_day() RETURNS date
LANGUAGE plpgsql PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    ended CONSTANT date := ledger_last_ended_day();
    today CONSTANT date := (
        (transaction_timestamp() + (SELECT clock_shift FROM wallet_house WHERE id = 1))
        AT TIME ZONE 'Asia/Kolkata')::date;
BEGIN
    IF today > ended THEN
        RETURN today;
    END IF;
    RETURN CASE WHEN ledger_may_stay_on(today, pg_current_xact_id_if_assigned()::text::bigint)
        THEN today ELSE ended + 1 END;
END
$$;

-- Return whether nothing can be booked on a day or before it any more.
CREATE OR REPLACE FUNCTION ledger_is_closed(p_day date) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
RETURN EXISTS (SELECT FROM wallet_bookedday WHERE day >= p_day)
    AND NOT EXISTS (SELECT FROM wallet_bookedday WHERE day <= p_day AND closed_at IS NULL);

-- End the days that are over, and close those that cannot grow any more; return the first day that may
-- still grow. Each call is a step, and each step a transaction of its own:
--
-- 1. the day is marked as ended: whoever reads the mark books on a later one;
-- 2. a transaction that begins after that writes its own number down as the day's boundary: whoever has
--    not read the mark has a lower one;
-- 3. the day is closed once all transactions below the boundary are finished.
--
-- A hung session holds back step 3, for as long as it lives. It holds back nobody's posting.
CREATE OR REPLACE FUNCTION ledger_end_days() RETURNS date
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    yesterday CONSTANT date := (ledger_now() AT TIME ZONE 'Asia/Kolkata')::date - 1;
    is_fresh CONSTANT boolean := pg_current_xact_id_if_assigned() IS NULL;
    ended date := ledger_last_ended_day();
    first_day date;
    found_day date;
BEGIN
    -- Of a transaction that has a number already, that number might be lower than somebody's who books.
    IF is_fresh THEN
        -- One at a time, so that the mark never goes back.
        LOCK TABLE wallet_bookedday IN SHARE ROW EXCLUSIVE MODE;
        ended := ledger_last_ended_day();
        SELECT max(day) + 1 INTO first_day FROM wallet_bookedday;
        SELECT min(booked_on) INTO found_day FROM wallet_transfer;
        first_day := coalesce(first_day, least(found_day, ended + 1));
        IF first_day <= ended THEN
            INSERT INTO wallet_bookedday (day, ended_at, boundary)
            SELECT day::date, ledger_now(), pg_current_xact_id()::text::bigint
            FROM generate_series(first_day, ended, interval '1 day') AS day;
        ELSIF ended < yesterday THEN
            PERFORM setval('ledger_ended_day', yesterday - date '2000-01-01');
        ELSE
            -- A transfer of an earlier day may have been out of sight when the first day got its row; when that
            -- one can be closed, all that was booked before it is in sight.
            INSERT INTO wallet_bookedday (day, ended_at, boundary)
            SELECT missing::date, first.ended_at, first.boundary
            FROM (SELECT * FROM wallet_bookedday ORDER BY day LIMIT 1) AS first,
                generate_series(found_day, first.day - 1, interval '1 day') AS missing
            WHERE first.closed_at IS NULL
                AND first.boundary <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
            UPDATE wallet_bookedday SET closed_at = ledger_now()
            WHERE closed_at IS NULL
                AND boundary <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
        END IF;
    END IF;
    SELECT coalesce(min(day) FILTER (WHERE closed_at IS NULL), max(day) + 1) INTO first_day
    FROM wallet_bookedday;
    SELECT min(booked_on) INTO found_day FROM wallet_transfer;
    RETURN coalesce(first_day, least(found_day, ledger_last_ended_day() + 1));
END
$$;

-- Let the house's days begin with this one. For the owner, in a demo that has booked nothing: with its time
-- shifted (`ledger_shift_clock`), weeks before today can be lived through.
CREATE OR REPLACE FUNCTION ledger_begin_days(p_day date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    LOCK TABLE wallet_bookedday IN SHARE ROW EXCLUSIVE MODE;
    IF NOT (SELECT is_demo FROM wallet_house WHERE id = 1)
        OR EXISTS (SELECT FROM wallet_transfer) OR EXISTS (SELECT FROM wallet_bookedday)
    THEN
        RAISE EXCEPTION 'days begin anew in a demo alone, before its first transfer'
            USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM setval('ledger_ended_day', p_day - 1 - date '2000-01-01');
END
$$;

REVOKE ALL ON FUNCTION
    ledger_last_ended_day(), ledger_book_day(interval), ledger_may_stay_on(date, bigint), ledger_house_day(),
    ledger_is_closed(date), ledger_end_days(), ledger_begin_days(date)
FROM PUBLIC, rummy_app;
GRANT EXECUTE ON FUNCTION
    ledger_last_ended_day(), ledger_house_day(), ledger_is_closed(date), ledger_end_days()
TO rummy_app;

-- Yesterday has ended.
SELECT setval('ledger_ended_day',
    (clock_timestamp() AT TIME ZONE 'Asia/Kolkata')::date - 1 - date '2000-01-01');

-- wallet.payments.deposits
-- What binds deposits: an order keeps what was asked and agreed to, and a credited one stays credited.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_deposit, wallet_gatewayevent, wallet_stafftask FROM rummy_app;
GRANT UPDATE (status, transfer_id) ON wallet_deposit TO rummy_app;
GRANT UPDATE (outcome) ON wallet_gatewayevent TO rummy_app;
GRANT UPDATE (done_at, done_by_id) ON wallet_stafftask TO rummy_app;

-- What came of an event is written once, when it is applied.
CREATE TRIGGER outcome_once BEFORE UPDATE ON wallet_gatewayevent
    FOR EACH ROW WHEN (OLD.outcome <> 'received' OR to_jsonb(OLD) - 'outcome' <> to_jsonb(NEW) - 'outcome')
    EXECUTE FUNCTION wallet_refuse_rewriting('what a gateway said is kept');
CREATE TRIGGER kept BEFORE DELETE ON wallet_gatewayevent
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('what a gateway said is kept');
-- Gateways are heard by the intake alone. Of money taken back a settlement's file tells too, once staff approve it
-- (finance/reconciliation/returns.py).
CREATE TRIGGER heard_by_the_intake BEFORE INSERT ON wallet_gatewayevent
    FOR EACH ROW WHEN (
        NEW.kind IN ('paid', 'failed', 'closed') OR NEW.event_reference !~ '^(settled|named):')
    EXECUTE FUNCTION core_refuse_other_logins('intake');
-- Whose order money in suspense belongs to is said by what brought it there.
CREATE TRIGGER placed_by_settlement BEFORE INSERT ON wallet_stafftask
    FOR EACH ROW WHEN (NEW.deposit_id IS NOT NULL)
    EXECUTE FUNCTION core_refuse_other_logins('settle');
CREATE TRIGGER kept BEFORE DELETE ON wallet_deposit
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('orders are kept');
-- An order's amount and tax stay what the player agreed to, for the owner too.
CREATE TRIGGER tax_stays BEFORE UPDATE ON wallet_deposit
    FOR EACH ROW WHEN (
        (OLD.amount_minor, OLD.gst_minor, OLD.gst_bps, OLD.gst_treatment)
        IS DISTINCT FROM (NEW.amount_minor, NEW.gst_minor, NEW.gst_bps, NEW.gst_treatment))
    EXECUTE FUNCTION wallet_refuse_rewriting('what was agreed to is kept');

-- An order is made once and given up only while it waits for its payment; a credited one stays credited.
CREATE OR REPLACE FUNCTION wallet_deposit_stays_credited() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.status = 'paid' THEN
        RAISE EXCEPTION 'deposit % is credited', OLD.id USING ERRCODE = 'restrict_violation';
    ELSIF NEW.status = 'created' AND OLD.status <> 'created' THEN
        RAISE EXCEPTION 'deposit % is %, and no new order', OLD.id, OLD.status
            USING ERRCODE = 'restrict_violation';
    ELSIF NEW.status IN ('cancelled', 'closed')
        AND OLD.status NOT IN ('created', 'failed', NEW.status)
    THEN
        RAISE EXCEPTION 'deposit % is %, and no unpaid order', OLD.id, OLD.status
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER credited_once BEFORE UPDATE ON wallet_deposit
    FOR EACH ROW EXECUTE FUNCTION wallet_deposit_stays_credited();

-- What waited for staff is done once.
CREATE TRIGGER done_once BEFORE UPDATE ON wallet_stafftask
    FOR EACH ROW WHEN (OLD.done_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
    EXECUTE FUNCTION wallet_refuse_rewriting('what waited for staff is done once');

REVOKE ALL ON FUNCTION wallet_deposit_stays_credited() FROM PUBLIC, rummy_app;

-- wallet.payees.payees
-- What binds registered bank accounts: they stay as they were registered, and are removed once.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_registeredpayee FROM rummy_app;
GRANT UPDATE (removed_at) ON wallet_registeredpayee TO rummy_app;

CREATE TRIGGER as_registered BEFORE UPDATE ON wallet_registeredpayee
    FOR EACH ROW WHEN (
        (OLD.id, OLD.public_id, OLD.player_id, OLD.encrypted_payee, OLD.bank, OLD.account_end, OLD.payee_hash,
         OLD.registered_at, OLD.usable_from)
        IS DISTINCT FROM
        (NEW.id, NEW.public_id, NEW.player_id, NEW.encrypted_payee, NEW.bank, NEW.account_end, NEW.payee_hash,
         NEW.registered_at, NEW.usable_from))
    EXECUTE FUNCTION wallet_refuse_rewriting('a bank account stays as it was registered');
CREATE TRIGGER removed_once BEFORE UPDATE ON wallet_registeredpayee
    FOR EACH ROW WHEN (OLD.removed_at IS NOT NULL AND NEW.removed_at IS DISTINCT FROM OLD.removed_at)
    EXECUTE FUNCTION wallet_refuse_rewriting('a removed bank account stays removed');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_registeredpayee
    EXECUTE FUNCTION wallet_refuse_rewriting('registered bank accounts are kept');
CREATE TRIGGER kept BEFORE DELETE ON wallet_registeredpayee
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('registered bank accounts are kept');

-- wallet.payments.withdrawals
-- What binds withdrawals: what was asked stays as it was asked, and the status only moves forwards.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_withdrawal, wallet_payoutbatch FROM rummy_app;
GRANT UPDATE (status, due_at, decided_by_id, decided_at, batch_id, closed_at, remark, bank_reference)
    ON wallet_withdrawal TO rummy_app;

-- It goes to a bank account that its own player has registered.
ALTER TABLE wallet_withdrawal ADD CONSTRAINT wallet_withdrawal_to_its_player
    FOREIGN KEY (payee_id, player_id) REFERENCES wallet_registeredpayee (id, player_id);

-- What was asked of a withdrawal, whoever owns the schema: how much, for whom, to which bank account.
CREATE TRIGGER as_asked BEFORE UPDATE ON wallet_withdrawal
    FOR EACH ROW WHEN (
        (OLD.id, OLD.public_id, OLD.player_id, OLD.currency, OLD.deposit_minor, OLD.winnings_minor,
         OLD.tax_minor, OLD.hold_id, OLD.payee_id, OLD.requested_by_id,
         OLD.requested_at, OLD.account_new_until)
        IS DISTINCT FROM
        (NEW.id, NEW.public_id, NEW.player_id, NEW.currency, NEW.deposit_minor, NEW.winnings_minor,
         NEW.tax_minor, NEW.hold_id, NEW.payee_id, NEW.requested_by_id,
         NEW.requested_at, NEW.account_new_until))
    EXECUTE FUNCTION wallet_refuse_rewriting('a withdrawal stays as it was asked');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_withdrawal
    EXECUTE FUNCTION wallet_refuse_rewriting('withdrawals are kept');
CREATE TRIGGER kept BEFORE DELETE ON wallet_withdrawal
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('withdrawals are kept');

-- RB 11.2: requested -> approved -> paid or failed; or rejected, as long as it is in no file for the bank.
CREATE OR REPLACE FUNCTION wallet_withdrawal_goes_forwards() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF (OLD.status, NEW.status) NOT IN (
        ('requested', 'approved'), ('requested', 'rejected'),
        ('approved', 'approved'), ('approved', 'rejected'), ('approved', 'paid'),
        ('approved', 'failed'))
    THEN
        RAISE EXCEPTION 'a withdrawal does not go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'restrict_violation';
    ELSIF OLD.batch_id IS NOT NULL AND NEW.batch_id IS DISTINCT FROM OLD.batch_id THEN
        RAISE EXCEPTION 'withdrawal % went to the bank in another file', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER forwards BEFORE UPDATE ON wallet_withdrawal
    FOR EACH ROW EXECUTE FUNCTION wallet_withdrawal_goes_forwards();

REVOKE ALL ON FUNCTION wallet_withdrawal_goes_forwards() FROM PUBLIC, rummy_app;

-- wallet.cashier.answers
-- What binds the answers to money requests: each is given once.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_idempotentrequest FROM rummy_app;
GRANT UPDATE (status, answer) ON wallet_idempotentrequest TO rummy_app;

CREATE FUNCTION wallet_answer_stays() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.status IS NOT NULL THEN
        RAISE EXCEPTION 'request % is answered', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER answered_once BEFORE UPDATE ON wallet_idempotentrequest
    FOR EACH ROW EXECUTE FUNCTION wallet_answer_stays();

-- They are forgotten in the end, but never one that may still be asked for.
GRANT DELETE ON wallet_idempotentrequest TO rummy_app;
CREATE TRIGGER kept_a_day BEFORE DELETE ON wallet_idempotentrequest
    FOR EACH ROW WHEN (OLD.status IS NULL OR OLD.created_at > ledger_now() - interval '1 day')
    EXECUTE FUNCTION wallet_refuse_rewriting('an answer is kept for a day at least');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_idempotentrequest
    EXECUTE FUNCTION wallet_refuse_rewriting('answers are forgotten one by one, and not before their time');

REVOKE ALL ON FUNCTION wallet_answer_stays() FROM PUBLIC, rummy_app;

-- wallet.corrections.adjustments
-- What binds adjustments: each stays as it was requested, and is decided once.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_adjustment FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, transfer_id) ON wallet_adjustment TO rummy_app;

CREATE TRIGGER decided_once BEFORE UPDATE ON wallet_adjustment
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.source_id, OLD.target_id, OLD.amount_minor, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.source_id, NEW.target_id, NEW.amount_minor, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON wallet_adjustment
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_adjustment
    EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');

-- wallet.corrections.restitutions
-- What binds restitutions: each stays as it was requested, with its lines, and is decided once.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_restitution, wallet_restitutionline FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, transfer_id) ON wallet_restitution TO rummy_app;

CREATE TRIGGER decided_once BEFORE UPDATE ON wallet_restitution
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.ref, OLD.currency, OLD.amount_minor, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.ref, NEW.currency, NEW.amount_minor, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON wallet_restitution
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_restitution
    EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER kept BEFORE UPDATE OR DELETE ON wallet_restitutionline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_restitutionline
    EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');

-- The log says that it was asked for when all its lines are there. A line too many would stay for good, and
-- no transfer would ever agree with it.
CREATE FUNCTION wallet_line_of_a_new_restitution() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM core_auditentry
        WHERE kind = 'wallet.restitution' AND row = NEW.restitution_id::text)
    THEN
        RAISE EXCEPTION 'restitution % stays as it was asked for, with its lines', NEW.restitution_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER as_asked BEFORE INSERT ON wallet_restitutionline
    FOR EACH ROW EXECUTE FUNCTION wallet_line_of_a_new_restitution();
REVOKE ALL ON FUNCTION wallet_line_of_a_new_restitution() FROM PUBLIC, rummy_app;

-- wallet.payments.settlements
-- What binds settlements of gateways: each stays as it was requested, and is decided once.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_gatewaysettlement FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, transfer_id) ON wallet_gatewaysettlement TO rummy_app;

CREATE TRIGGER decided_once BEFORE UPDATE ON wallet_gatewaysettlement
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.provider, OLD.reference, OLD.bank_reference, OLD.settled_on, OLD.currency, OLD.paid_minor,
            OLD.returned_minor, OLD.other_minor, OLD.fee_minor, OLD.tax_minor, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.provider, NEW.reference, NEW.bank_reference, NEW.settled_on, NEW.currency, NEW.paid_minor,
            NEW.returned_minor, NEW.other_minor, NEW.fee_minor, NEW.tax_minor, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON wallet_gatewaysettlement
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_gatewaysettlement
    EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');

-- wallet.audit.hashes
-- How a transfer and its entries are spelled before they are hashed: one spelling for the seal and for
-- the audit that makes it anew. Small enough to be taken into the statement that asks.
CREATE FUNCTION ledger_entry_text(e wallet_entry) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ROW(e.id, e.account_id, e.currency, e.booked_on, e.amount_minor, e.balance_after_minor,
    e.account_version)::text;

-- The facts behind a transfer are sealed with it; those from before they were columns keep the hash they had.
CREATE OR REPLACE FUNCTION ledger_transfer_hash(t wallet_transfer, p_entries text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(convert_to(
    ROW(t.id, t.public_id, t.key, t.fingerprint, t.kind, t.entry_count, t.reverses_id,
        t.memo, t.actor, t.xid, t.booked_on, t.effective_at, t.created_at)::text
    || CASE WHEN (t.emptied, t.document_id, t.deal) IS NULL AND t.document = '' AND t.game = '' THEN ''
        ELSE ROW(t.document, t.document_id, t.game, t.deal, t.emptied)::text END
    || coalesce(p_entries, ''), 'UTF8'));

REVOKE ALL ON FUNCTION ledger_entry_text(wallet_entry), ledger_transfer_hash(wallet_transfer, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ledger_entry_text(wallet_entry), ledger_transfer_hash(wallet_transfer, text)
TO rummy_app;

-- wallet.audit.seals
-- A chain of hashes over what has been posted, made behind the postings and not within them: one
-- head that every transfer had to hold would halve what the ledger can do. sealing.sql makes it.

-- Hash the transfers of a range of database transactions: each with its entries, then all of them.
-- The settings decide how values are spelled, so that every session finds the same hash.
CREATE FUNCTION ledger_block_digest(
    p_from bigint, p_to bigint,
    OUT transfers bigint, OUT entries bigint, OUT digest bytea
)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET datestyle = 'ISO, YMD' SET bytea_output = 'hex' AS $$
    SELECT count(*), coalesce(sum(one.entries), 0)::bigint,
        sha256(coalesce(string_agg(one.hash, ''::bytea ORDER BY one.xid, one.id), ''::bytea))
    FROM (
        SELECT t.id, t.xid, count(e.id) AS entries,
            ledger_transfer_hash(t, string_agg(ledger_entry_text(e), '' ORDER BY e.id)) AS hash
        FROM wallet_transfer AS t LEFT JOIN wallet_entry AS e ON e.transfer_id = t.id
        WHERE t.xid >= p_from AND t.xid < p_to
        GROUP BY t.id
    ) AS one
$$;

CREATE FUNCTION ledger_seal_hash(
    p_number bigint, p_from bigint, p_to bigint, p_previous text, p_digest bytea
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN encode(sha256(
    convert_to(concat_ws('|', p_number, p_from, p_to, p_previous), 'UTF8') || p_digest), 'hex');

REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON wallet_seal FROM rummy_app;
REVOKE ALL ON SEQUENCE wallet_seal_id_seq FROM rummy_app;
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_auditrun FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_seal
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('seals are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_seal
    EXECUTE FUNCTION wallet_refuse_rewriting('seals are append-only');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_auditrun
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('audits stay on record');

REVOKE ALL ON FUNCTION
    ledger_block_digest(bigint, bigint),
    ledger_seal_hash(bigint, bigint, bigint, text, bytea)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ledger_block_digest(bigint, bigint),
    ledger_seal_hash(bigint, bigint, bigint, text, bytea)
TO rummy_app;

-- wallet.holdings.bonuses
-- What binds bonuses: a lot keeps its terms, and all lots of an account add up to its balance.

REVOKE UPDATE, DELETE, TRUNCATE
ON wallet_bonusgrant, wallet_bonusmovement, wallet_bonusrequest FROM rummy_app;
GRANT UPDATE (remaining_minor) ON wallet_bonusgrant TO rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, grant_id) ON wallet_bonusrequest TO rummy_app;

-- Foreign keys are checked at once, not at COMMIT, as all around the ledger.
DO $$
DECLARE
    link record;
BEGIN
    FOR link IN
        SELECT conrelid::regclass AS held_by, conname FROM pg_constraint
        WHERE contype = 'f' AND condeferrable AND conrelid IN (
            'wallet_bonusgrant'::regclass, 'wallet_bonusmovement'::regclass,
            'wallet_bonusrequest'::regclass, 'wallet_stakepart'::regclass)
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', link.held_by, link.conname);
    END LOOP;
END
$$;

-- Only what is left of a lot ever changes.
CREATE TRIGGER keeps_its_terms BEFORE UPDATE ON wallet_bonusgrant
    FOR EACH ROW WHEN (
        (OLD.id, OLD.public_id, OLD.account_id, OLD.transfer_id, OLD.mode, OLD.amount_minor,
         OLD.release_bps, OLD.reason, OLD.granted_by_id, OLD.granted_at, OLD.expires_at)
        IS DISTINCT FROM
        (NEW.id, NEW.public_id, NEW.account_id, NEW.transfer_id, NEW.mode, NEW.amount_minor,
         NEW.release_bps, NEW.reason, NEW.granted_by_id, NEW.granted_at, NEW.expires_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a bonus keeps its terms');
CREATE TRIGGER kept BEFORE DELETE ON wallet_bonusgrant
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('bonuses stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_bonusgrant
    EXECUTE FUNCTION wallet_refuse_rewriting('bonuses stay on record');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_bonusmovement
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('movements of bonuses are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_bonusmovement
    EXECUTE FUNCTION wallet_refuse_rewriting('movements of bonuses are append-only');
CREATE TRIGGER decided_once BEFORE UPDATE ON wallet_bonusrequest
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.player_id, OLD.currency, OLD.amount_minor, OLD.mode, OLD.release_bps,
            OLD.term_days, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.player_id, NEW.currency, NEW.amount_minor, NEW.mode, NEW.release_bps,
            NEW.term_days, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON wallet_bonusrequest
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_bonusrequest
    EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');

-- A lot lies in the account its mode names, so it is never spent and released both.
CREATE FUNCTION wallet_bonus_fits_its_account() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM FROM wallet_account WHERE id = NEW.account_id
        AND kind = CASE NEW.mode WHEN 'spend' THEN 'bonus' WHEN 'release' THEN 'locked_bonus' END;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a bonus of mode % does not lie in account %', NEW.mode, NEW.account_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER fits_its_account BEFORE INSERT ON wallet_bonusgrant
    FOR EACH ROW EXECUTE FUNCTION wallet_bonus_fits_its_account();

-- At COMMIT the lots of an account add up to its balance, and each lot to its movements. Whoever
-- posts to a bonus without saying which lot is refused. The account's lock, which every posting
-- holds until COMMIT, keeps the two sides still meanwhile.
CREATE FUNCTION wallet_bonus_adds_up() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    account bigint;
    lot bigint;
    held bigint;
    lots bigint;
BEGIN
    IF TG_TABLE_NAME = 'wallet_account' THEN
        account := NEW.id;
    ELSE
        account := NEW.account_id;
        lot := NEW.id;
    END IF;
    SELECT a.balance_minor, coalesce(sum(g.remaining_minor), 0) INTO held, lots
    FROM wallet_account AS a
    LEFT JOIN wallet_bonusgrant AS g ON g.account_id = a.id AND g.remaining_minor > 0
    WHERE a.id = account GROUP BY a.id;
    IF held <> lots THEN
        RAISE EXCEPTION 'account % holds %, its bonuses add up to %', account, held, lots
            USING ERRCODE = 'check_violation';
    END IF;
    IF lot IS NOT NULL THEN
        SELECT g.remaining_minor, coalesce(sum(m.amount_minor), 0) INTO held, lots
        FROM wallet_bonusgrant AS g LEFT JOIN wallet_bonusmovement AS m ON m.grant_id = g.id
        WHERE g.id = lot GROUP BY g.id;
        IF held <> lots THEN
            RAISE EXCEPTION 'bonus % says %, its movements add up to %', lot, held, lots
                USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER bonuses_add_up AFTER UPDATE ON wallet_account
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.kind LIKE '%bonus')
    EXECUTE FUNCTION wallet_bonus_adds_up();
CREATE CONSTRAINT TRIGGER adds_up AFTER INSERT OR UPDATE ON wallet_bonusgrant
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet_bonus_adds_up();

-- At COMMIT the movements a transfer made in an account's lots are its entry on that account.
CREATE FUNCTION wallet_bonus_follows_entry() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    moved bigint;
    posted bigint;
BEGIN
    SELECT sum(m.amount_minor) INTO moved
    FROM wallet_bonusmovement AS m JOIN wallet_bonusgrant AS g ON g.id = m.grant_id
    WHERE m.transfer_id = NEW.transfer_id
        AND g.account_id = (SELECT account_id FROM wallet_bonusgrant WHERE id = NEW.grant_id);
    SELECT e.amount_minor INTO posted
    FROM wallet_entry AS e JOIN wallet_bonusgrant AS g ON g.account_id = e.account_id
    WHERE e.transfer_id = NEW.transfer_id AND g.id = NEW.grant_id;
    IF moved IS DISTINCT FROM posted THEN
        RAISE EXCEPTION 'bonuses moved by %, transfer % by %', moved, NEW.transfer_id, posted
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER follows_entry AFTER INSERT ON wallet_bonusmovement
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet_bonus_follows_entry();

REVOKE ALL ON FUNCTION
    wallet_bonus_fits_its_account(), wallet_bonus_adds_up(), wallet_bonus_follows_entry()
FROM PUBLIC, rummy_app;

-- wallet.holdings.stacks
-- What binds stacks: a change is written once, and only a player's winnings are ever won.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_stackchange FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_stackchange
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('changes of stacks are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_stackchange
    EXECUTE FUNCTION wallet_refuse_rewriting('changes of stacks are append-only');

-- At COMMIT the changes of a key and the rake taken under it sum to nothing: what one lost, others won.
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

-- What was won goes to the winnings of whoever holds the stake.
CREATE FUNCTION wallet_won_part_is_its_players() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM FROM wallet_account AS a
    JOIN wallet_stake AS s ON s.id = NEW.stake_id AND s.player_id = a.player_id
    JOIN wallet_account AS e ON e.id = s.escrow_id AND e.currency = a.currency
    WHERE a.id = NEW.account_id AND a.kind = 'winnings' AND NEW.grant_id IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'what stake % won goes to its player''s winnings', NEW.stake_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER won_by_its_player BEFORE INSERT ON wallet_stakepart
    FOR EACH ROW WHEN (NEW.is_won) EXECUTE FUNCTION wallet_won_part_is_its_players();

CREATE TRIGGER won_by_settlement BEFORE INSERT ON wallet_stakepart
    FOR EACH ROW WHEN (NEW.is_won) EXECUTE FUNCTION core_refuse_other_logins('settle');

REVOKE ALL ON FUNCTION wallet_stack_changes_balance(), wallet_won_part_is_its_players()
FROM PUBLIC, rummy_app;

-- wallet.holdings.stakes
-- What binds stakes and their parts, the owner of the schema included: who paid what for which game, and
-- the rake noted then, stay; what became of it goes forwards.
CREATE TRIGGER keeps_its_terms BEFORE UPDATE ON wallet_stake
    FOR EACH ROW WHEN (
        (OLD.id, OLD.player_id, OLD.escrow_id, OLD.transfer_id, OLD.entry_minor, OLD.rake_minor,
         OLD.created_at)
        IS DISTINCT FROM
        (NEW.id, NEW.player_id, NEW.escrow_id, NEW.transfer_id, NEW.entry_minor, NEW.rake_minor,
         NEW.created_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a stake keeps its terms');
CREATE TRIGGER closes_once BEFORE UPDATE ON wallet_stake
    FOR EACH ROW WHEN (
        OLD.status IN ('settled', 'refunded') OR OLD.status = 'lost' AND NEW.status = 'live')
    EXECUTE FUNCTION wallet_refuse_rewriting('a closed stake stays closed, a lost one lost');
CREATE TRIGGER kept BEFORE DELETE ON wallet_stake
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('stakes stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_stake
    EXECUTE FUNCTION wallet_refuse_rewriting('stakes stay on record');

CREATE TRIGGER keeps_its_terms BEFORE UPDATE ON wallet_stakepart
    FOR EACH ROW WHEN (
        (OLD.id, OLD.stake_id, OLD.account_id, OLD.position, OLD.amount_minor, OLD.is_won)
        IS DISTINCT FROM
        (NEW.id, NEW.stake_id, NEW.account_id, NEW.position, NEW.amount_minor, NEW.is_won)
        -- What was paid before bonuses had lots is given one, once.
        OR OLD.grant_id IS NOT NULL AND OLD.grant_id IS DISTINCT FROM NEW.grant_id)
    EXECUTE FUNCTION wallet_refuse_rewriting('a part of a stake keeps its terms');
CREATE TRIGGER kept BEFORE DELETE ON wallet_stakepart
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('parts of stakes stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_stakepart
    EXECUTE FUNCTION wallet_refuse_rewriting('parts of stakes stay on record');

-- What became of a part is settled while its stake is open.
CREATE FUNCTION wallet_part_of_open_stake() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM FROM wallet_stake WHERE id = NEW.stake_id AND status IN ('settled', 'refunded');
    IF FOUND THEN
        RAISE EXCEPTION 'stake % is closed', NEW.stake_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER of_an_open_stake BEFORE INSERT OR UPDATE ON wallet_stakepart
    FOR EACH ROW EXECUTE FUNCTION wallet_part_of_open_stake();

-- Each change of a part is a row with the day it counts in: the day on which a transfer of the same database
-- transaction is booked. What a player had in games at the end of a day is a sum of these rows (RB 11.4).
-- Only these triggers write them, one statement for all parts that a statement changes.
CREATE FUNCTION wallet_record_part_changes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    day CONSTANT date := ledger_book_day((SELECT clock_shift FROM wallet_house WHERE id = 1));
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO wallet_stakepartchange (
            part_id, account_id, booked_on, amount_minor, consumed_minor, returned_minor)
        SELECT p.id, p.account_id, day, p.amount_minor, p.consumed_minor, p.returned_minor
        FROM added AS p ORDER BY p.id;
    ELSE
        INSERT INTO wallet_stakepartchange (
            part_id, account_id, booked_on, amount_minor, consumed_minor, returned_minor)
        SELECT p.id, p.account_id, day, 0,
            p.consumed_minor - b.consumed_minor, p.returned_minor - b.returned_minor
        FROM changed AS p JOIN before AS b ON b.id = p.id
        WHERE (p.consumed_minor, p.returned_minor) <> (b.consumed_minor, b.returned_minor)
        ORDER BY p.id;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER written_down AFTER INSERT ON wallet_stakepart REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION wallet_record_part_changes();
CREATE TRIGGER changes_written_down AFTER UPDATE ON wallet_stakepart
    REFERENCING OLD TABLE AS before NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION wallet_record_part_changes();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_stakepartchange
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('changes of stakes are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_stakepartchange
    EXECUTE FUNCTION wallet_refuse_rewriting('changes of stakes are append-only');
REVOKE ALL ON wallet_stakepartchange FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_stakepartchange TO rummy_app;
REVOKE ALL ON SEQUENCE wallet_stakepartchange_id_seq FROM PUBLIC, rummy_app;

REVOKE ALL ON FUNCTION wallet_part_of_open_stake(), wallet_record_part_changes() FROM PUBLIC, rummy_app;

-- wallet.tax.rates
-- What Indian law says, as far as this release knows; staff append what comes after (RB 11.4, 11.5).
-- Who is not resident pays 4 % cess and a surcharge by the net winnings of the year (docs/rulebook.md).
INSERT INTO wallet_taxrate
    (tax, currency, payee, starts_on, bps, cess_bps, surcharges, treatment, law, added_by, added_at)
VALUES
    ('tds', 'INR', 'resident', '2023-04-01', 3000, 0, '[]', 'withheld',
        'Income-tax Act 1961, section 194BA', 'release', now()),
    ('tds', 'INR', 'non_resident', '2023-04-01', 3000, 400,
        '[[500000000, 1000], [1000000000, 1500], [2000000000, 2500]]', 'withheld',
        'Income-tax Act 1961, section 194BA', 'release', now()),
    ('tds', 'INR', 'resident', '2026-04-01', 3000, 0, '[]', 'withheld',
        'Income-tax Act 2025, section 393(3)', 'release', now()),
    ('tds', 'INR', 'non_resident', '2026-04-01', 3000, 400,
        '[[500000000, 1000], [1000000000, 1500], [2000000000, 2500]]', 'withheld',
        'Income-tax Act 2025, section 393(3)', 'release', now()),
    ('gst', 'INR', 'resident', '2023-10-01', 2800, 0, '[]', 'exclusive', 'CGST Rules, rule 31B', 'release', now()),
    ('gst', 'INR', 'resident', '2025-09-22', 4000, 0, '[]', 'exclusive',
        'CGST Rules, rule 31B; 56th GST Council', 'release', now());

-- wallet.tax.taxes
-- What binds the tax rows: rates begin in the future and never change, what was taxed stays on record.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_taxrate, wallet_withholding, wallet_gstcharge FROM rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_taxrate
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('rates are kept; append another');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_taxrate
    EXECUTE FUNCTION wallet_refuse_rewriting('rates are kept; append another');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_withholding
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('what was withheld is kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_withholding
    EXECUTE FUNCTION wallet_refuse_rewriting('what was withheld is kept');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_gstcharge
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('what was charged is kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_gstcharge
    EXECUTE FUNCTION wallet_refuse_rewriting('what was charged is kept');

-- A rate in force, or of the past, is what people were taxed by.
CREATE OR REPLACE FUNCTION wallet_taxrate_begins_later() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.starts_on <= (ledger_now() AT TIME ZONE 'Asia/Kolkata')::date THEN
        RAISE EXCEPTION 'a rate begins tomorrow at the earliest, not on %', NEW.starts_on
            USING ERRCODE = 'check_violation';
    END IF;
    IF EXISTS (
        SELECT FROM (
            SELECT (pair ->> 0)::bigint AS above, (pair ->> 1)::integer AS bps,
                lag((pair ->> 0)::bigint, 1, 0) OVER (ORDER BY n) AS before
            FROM jsonb_array_elements(NEW.surcharges) WITH ORDINALITY AS slab (pair, n)
        ) AS s
        WHERE (s.above > s.before AND s.bps BETWEEN 1 AND 9999) IS NOT TRUE
    ) THEN
        RAISE EXCEPTION 'surcharges are pairs of an amount and basis points, ascending: %', NEW.surcharges
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER begins_later BEFORE INSERT ON wallet_taxrate
    FOR EACH ROW EXECUTE FUNCTION wallet_taxrate_begins_later();
REVOKE ALL ON FUNCTION wallet_taxrate_begins_later() FROM PUBLIC, rummy_app;

-- What a player declared stays, and is decided once.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_taxresidence FROM rummy_app;
GRANT UPDATE (state, decided_by_id, decided_at, reason) ON wallet_taxresidence TO rummy_app;
CREATE TRIGGER decided_once BEFORE UPDATE ON wallet_taxresidence
    FOR EACH ROW WHEN (
        OLD.state <> 'declared'
        OR (OLD.id, OLD.public_id, OLD.player_id, OLD.kind, OLD.country, OLD.from_year, OLD.declared_at)
        IS DISTINCT FROM
           (NEW.id, NEW.public_id, NEW.player_id, NEW.kind, NEW.country, NEW.from_year, NEW.declared_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a declaration is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON wallet_taxresidence
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('declarations of tax residence are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_taxresidence
    EXECUTE FUNCTION wallet_refuse_rewriting('declarations of tax residence are kept');

-- wallet.limits.limits
-- Limits players set on themselves are added, never rewritten: the next one replaces the last.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_ownlimit FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_ownlimit
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('limits are kept as they were set');

-- wallet.audit.versions
-- A version of each row that says something about money or a result, written by a trigger in the database
-- transaction that writes the row. Versions are append-only and sealed with the transfers, so the audit can
-- compare a row with its last version, whatever state it is in, and name the column that was altered.

-- The trigger. Its arguments are the key's column, a rule and columns: `only` those are kept, or all `but`
-- those. Then, for rows that end, a column, its last values, and what is kept as well once it has one of them; last,
-- columns that are always kept as their hash. Values are kept as text, long ones (a gateway's words, an encrypted bank
-- account) and those of the columns named last (a secret, an e-mail address) as their SHA-256.
CREATE OR REPLACE FUNCTION wallet_record_version() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
DECLARE
    written jsonb;
    kept text[] := TG_ARGV[2];
    hashed text[] := '{}';
BEGIN
    IF TG_OP = 'DELETE' THEN
        written := to_jsonb(OLD);
    ELSE
        written := to_jsonb(NEW);
    END IF;
    IF TG_NARGS > 3 AND written ->> TG_ARGV[3] = ANY (TG_ARGV[4]::text[]) THEN
        kept := kept || TG_ARGV[5]::text[];
    END IF;
    IF TG_NARGS > 6 THEN
        hashed := TG_ARGV[6];
    END IF;
    INSERT INTO wallet_rowversion (xid, relation, row_key, act, facts)
    SELECT pg_current_xact_id()::text::bigint, TG_TABLE_NAME, written ->> TG_ARGV[0], lower(TG_OP),
        jsonb_object_agg(f.key, CASE WHEN length(f.value) > 64 OR f.key = ANY (hashed)
            THEN 'sha256:' || encode(sha256(convert_to(f.value, 'UTF8')), 'hex') ELSE f.value END)
    FROM jsonb_each_text(written) AS f
    WHERE (f.key = ANY (kept)) = (TG_ARGV[1] = 'only');
    RETURN NULL;
END
$$;

-- Return the statement that reads what versions would keep of a table's rows now: (row_key, facts). `p_words` are
-- the trigger's arguments; with `p_all` also what is kept of ended rows alone.
CREATE OR REPLACE FUNCTION wallet_present_facts(p_table regclass, p_words text[], p_all boolean)
RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT format(
        'SELECT r.%I::text AS row_key, (
            SELECT jsonb_object_agg(f.key, CASE WHEN length(f.value) > 64 OR f.key = ANY (%L::text[])
                THEN ''sha256:'' || encode(sha256(convert_to(f.value, ''UTF8'')), ''hex'') ELSE f.value END)
            FROM jsonb_each_text(%s) AS f WHERE (f.key = ANY (%s)) = %L) AS facts
        FROM %s AS r',
        p_words[1], coalesce(nullif(p_words[7], ''), '{}'),
        -- What is not kept is not read either: documents are megabytes.
        CASE p_words[2] WHEN 'only' THEN (
            SELECT format('jsonb_build_object(%s)',
                string_agg(format('%1$L, r.%1$I', a.attname), ', ' ORDER BY a.attnum))
            FROM pg_attribute AS a
            WHERE a.attrelid = p_table AND a.attnum > 0 AND NOT a.attisdropped
                AND a.attname = ANY (p_words[3]::text[] || coalesce(nullif(p_words[6], ''), '{}')::text[])
        ) ELSE 'to_jsonb(r)' END,
        CASE WHEN coalesce(p_words[4], '') = '' THEN format('%L::text[]', p_words[3])
            ELSE format('CASE WHEN %s THEN %L::text[] ELSE %L::text[] END',
                CASE WHEN p_all THEN 'true' ELSE format('r.%I = ANY (%L::text[])', p_words[4], p_words[5]) END,
                (p_words[3]::text[] || p_words[6]::text[])::text, p_words[3]) END,
        p_words[2] = 'only', p_table)
$$;

-- Keep versions of a table from now on, and of each row as it stands now.
--
-- `but` leaves out columns that change without meaning; `only` keeps a few of a table that is written often,
-- whose other updates then cost nothing. `p_changing` names those of the few that can change at all. Of a row
-- whose column `p_over` has come to one of `p_ends`, that column and `p_then` are kept too. Of `p_hashed` only the
-- SHA-256 is kept, however short the value is.
CREATE OR REPLACE FUNCTION wallet_watch(
    p_table regclass, p_rule text DEFAULT 'but', p_columns text[] DEFAULT '{}',
    p_changing text[] DEFAULT NULL, p_key text DEFAULT 'id',
    p_over text DEFAULT NULL, p_ends text[] DEFAULT NULL, p_then text[] DEFAULT NULL, p_hashed text[] DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    changing text[] := coalesce(p_changing, CASE p_rule WHEN 'only' THEN p_columns END);
    ending CONSTANT text[] := p_over || p_then;
    arguments CONSTANT text := format('%L, %L, %L', p_key, p_rule, p_columns::text)
        || CASE WHEN p_over IS NULL AND p_hashed IS NULL THEN ''
            ELSE format(', %L, %L, %L', coalesce(p_over, ''), coalesce(p_ends, '{}'),
                CASE WHEN p_over IS NULL THEN '{}' ELSE ending::text END) END
        || CASE WHEN p_hashed IS NULL THEN '' ELSE format(', %L', p_hashed) END;
    named text;
    altered text;
BEGIN
    IF p_rule = 'only' THEN
        SELECT 'OF ' || string_agg(quote_ident(name), ', '),
            format('(%s) IS DISTINCT FROM (%s)',
                string_agg(format('OLD.%I', name), ', '), string_agg(format('NEW.%I', name), ', '))
        INTO named, altered FROM unnest(changing) AS name;
        IF p_over IS NOT NULL THEN
            SELECT named || ', ' || string_agg(quote_ident(name), ', '),
                format('%1$s OR (OLD.%2$I = ANY (%3$L) OR NEW.%2$I = ANY (%3$L)) AND (%4$s) IS DISTINCT FROM (%5$s)',
                    altered, p_over, p_ends, string_agg(format('OLD.%I', name), ', '),
                    string_agg(format('NEW.%I', name), ', '))
            INTO named, altered FROM unnest(ending) AS name WHERE name <> ALL (changing);
        END IF;
    ELSIF p_rule = 'but' THEN
        altered := format('to_jsonb(OLD) - %1$L::text[] IS DISTINCT FROM to_jsonb(NEW) - %1$L::text[]', p_columns);
    ELSE
        RAISE EXCEPTION 'all columns are watched but some, or only some; not %', p_rule;
    END IF;
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER versions_kept AFTER INSERT OR DELETE ON %s
         FOR EACH ROW EXECUTE FUNCTION wallet_record_version(%s)', p_table, arguments);
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER versions_kept_of_changes AFTER UPDATE %s ON %s
         FOR EACH ROW WHEN (%s) EXECUTE FUNCTION wallet_record_version(%s)',
        named, p_table, altered, arguments);
    PERFORM wallet_adopt(p_table);
END
$$;

-- Record the rows of a watched table that differ from their last version: after a migration that altered
-- them, and never to make an audit pass. Of a row that is gone nothing is kept but that.
CREATE OR REPLACE FUNCTION wallet_adopt(p_table regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
DECLARE
    words CONSTANT text[] := (
        SELECT string_to_array(encode(tgargs, 'escape'), '\000') FROM pg_trigger
        WHERE tgrelid = p_table AND tgname = 'versions_kept');
BEGIN
    EXECUTE format(
        'INSERT INTO wallet_rowversion (xid, relation, row_key, act, facts)
         SELECT pg_current_xact_id()::text::bigint, %1$L, coalesce(now.row_key, last.row_key),
             CASE WHEN now.row_key IS NULL THEN ''delete'' ELSE ''adopt'' END, coalesce(now.facts, ''{}'')
         FROM (%2$s) AS now FULL JOIN (%3$s) AS last ON last.row_key = now.row_key
         WHERE CASE WHEN now.row_key IS NULL THEN last.act <> ''delete''
             ELSE (last.facts = now.facts AND last.act <> ''delete'') IS NOT TRUE END',
        p_table::text, wallet_present_facts(p_table, words, false),
        wallet_last_versions(p_table::text));
END
$$;

-- Return the statement that reads the last version of each row of a table, or of those that have one since a database
-- transaction.
CREATE OR REPLACE FUNCTION wallet_last_versions(p_relation text, p_since bigint DEFAULT 0) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT format(
        'SELECT DISTINCT ON (row_key) row_key, act, facts FROM wallet_rowversion
         WHERE relation = %L %s ORDER BY row_key, id DESC',
        p_relation, CASE WHEN p_since > 0 THEN format('AND xid >= %s', p_since) ELSE '' END)
$$;

-- Compare the rows of every watched table with their last versions: (check, subject, detail). A column that a
-- version does not know yet, or that its table no longer has, is not compared. With the run that a shorter audit builds
-- on, only rows that have a version since `p_since`, and those with later keys than that run found; of the small tables
-- whose key is no number all rows.
CREATE OR REPLACE FUNCTION wallet_audit_versions(p_since bigint DEFAULT 0, p_run bigint DEFAULT 0)
RETURNS TABLE ("check" text, subject text, detail text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
DECLARE
    watched record;
    is_filled bool;
    since bigint;
    only_new text;
BEGIN
    FOR watched IN
        SELECT w.relation, w.words, k.newest
        FROM (
            SELECT t.tgrelid::regclass AS relation,
                string_to_array(encode(t.tgargs, 'escape'), '\000') AS words
            FROM pg_trigger AS t WHERE t.tgname = 'versions_kept'
        ) AS w
        LEFT JOIN wallet_auditedtable AS k ON k.run_id = p_run AND k.relation = w.relation::text
        ORDER BY w.relation::text
    LOOP
        since := CASE WHEN watched.newest IS NULL THEN 0 ELSE p_since END;
        only_new := CASE WHEN watched.newest IS NULL THEN '' ELSE format(
            'WHERE r.%1$I IN (
                 SELECT row_key::bigint FROM wallet_rowversion WHERE relation = %2$L AND xid >= %3$s
                 UNION SELECT %1$I FROM %2$s WHERE %1$I > %4$s)',
            watched.words[1], watched.relation::text, since, watched.newest) END;
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM %1$s WHERE %3$s)
                 OR EXISTS (SELECT FROM wallet_rowversion WHERE relation = %2$L AND xid >= %4$s)',
            watched.relation, watched.relation::text,
            CASE WHEN watched.newest IS NULL THEN 'true' ELSE format('%I > %s', watched.words[1], watched.newest) END,
            since) INTO is_filled;
        CONTINUE WHEN NOT is_filled;
        RETURN QUERY EXECUTE format(
            'SELECT CASE
                 WHEN now.row_key IS NULL THEN ''row_deleted''
                 WHEN last.row_key IS NULL OR last.act = ''delete'' THEN ''row_unrecorded''
                 ELSE ''row_rewritten'' END,
                 %1$L || '' '' || coalesce(now.row_key, last.row_key),
                 CASE
                 WHEN now.row_key IS NULL THEN ''is gone, and no version says that it was deleted''
                 WHEN last.row_key IS NULL OR last.act = ''delete'' THEN ''no version says that it was written''
                 ELSE altered.words END
             FROM (%2$s %4$s) AS now FULL JOIN (%3$s) AS last ON last.row_key = now.row_key
             CROSS JOIN LATERAL (
                 SELECT string_agg(format(''%%s is %%s, was %%s'', f.key, coalesce(now.facts ->> f.key, ''null''),
                     coalesce(f.value, ''null'')), ''; '' ORDER BY f.key) AS words
                 FROM jsonb_each_text(last.facts) AS f
                 WHERE NOT now.facts @> last.facts AND now.facts ? f.key
                     AND now.facts ->> f.key IS DISTINCT FROM f.value
             ) AS altered
             WHERE now.row_key IS NULL AND last.act <> ''delete'' OR last.row_key IS NULL
                 OR now.row_key IS NOT NULL AND last.act = ''delete'' OR altered.words IS NOT NULL',
            watched.relation::text,
            wallet_present_facts(watched.relation, watched.words, true),
            wallet_last_versions(watched.relation::text, since), only_new);
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION
    wallet_record_version(), wallet_present_facts(regclass, text[], boolean),
    wallet_watch(regclass, text, text[], text[], text, text, text[], text[], text[]), wallet_adopt(regclass),
    wallet_last_versions(text, bigint), wallet_audit_versions(bigint, bigint)
FROM PUBLIC, rummy_app;
GRANT EXECUTE ON FUNCTION
    wallet_audit_versions(bigint, bigint), wallet_last_versions(text, bigint), wallet_present_facts(regclass, text[], boolean)
TO rummy_app;

-- Versions are written by their trigger alone, and stay.
REVOKE ALL ON wallet_rowversion FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_rowversion TO rummy_app;
REVOKE ALL ON SEQUENCE wallet_rowversion_id_seq FROM PUBLIC, rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_rowversion
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('versions of rows stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_rowversion
    EXECUTE FUNCTION wallet_refuse_rewriting('versions of rows stay on record');

-- wallet.audit.sealing
-- Sealing: hash what is finished, transfers and versions of rows, into a block that names the block before.

CREATE OR REPLACE FUNCTION ledger_version_hash(v wallet_rowversion) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(convert_to(ROW(v.id, v.xid, v.relation, v.row_key, v.act, v.facts)::text, 'UTF8'));

-- Hash the versions of a range of database transactions; null where there are none, as in seals from before
-- versions were kept. `of_others` counts those that are
-- not of seals themselves.
CREATE OR REPLACE FUNCTION ledger_versions_digest(
    p_from bigint, p_to bigint, OUT versions bigint, OUT of_others bigint, OUT digest bytea
)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT count(*), count(*) FILTER (WHERE v.relation <> 'wallet_seal'),
        sha256(string_agg(ledger_version_hash(v), ''::bytea ORDER BY v.xid, v.id))
    FROM wallet_rowversion AS v WHERE v.xid >= p_from AND v.xid < p_to
$$;

-- Return what tells the transfers of a block apart: of each its id and the beginning of its hash. A seal
-- keeps it, so that the audit can name the transfer when a block is broken.
CREATE OR REPLACE FUNCTION ledger_transfer_marks(p_from bigint, p_to bigint) RETURNS bytea
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET datestyle = 'ISO, YMD' SET bytea_output = 'hex' AS $$
    SELECT coalesce(string_agg(int8send(one.id) || substring(one.hash FROM 1 FOR 8), ''::bytea
        ORDER BY one.xid, one.id), '')
    FROM (
        SELECT t.id, t.xid,
            ledger_transfer_hash(t, string_agg(ledger_entry_text(e), '' ORDER BY e.id)) AS hash
        FROM wallet_transfer AS t LEFT JOIN wallet_entry AS e ON e.transfer_id = t.id
        WHERE t.xid >= p_from AND t.xid < p_to
        GROUP BY t.id
    ) AS one
$$;

-- Refuse to go on where the last seals are gone: their versions say that they were made. Sealing anew would
-- give whatever lay in them a good name.
CREATE OR REPLACE FUNCTION ledger_refuse_missing_seals(p_number bigint, p_hash text, p_from bigint) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    missing bigint;
BEGIN
    SELECT max((v.facts ->> 'number')::bigint) INTO missing
    FROM wallet_rowversion AS v
    WHERE v.xid >= p_from AND v.relation = 'wallet_seal' AND v.act IN ('insert', 'adopt')
        AND ((v.facts ->> 'number')::bigint > p_number
            OR (v.facts ->> 'number')::bigint = p_number AND v.facts ->> 'hash' <> p_hash);
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION 'seal % was made and is not there', missing USING ERRCODE = 'RL030';
    END IF;
END
$$;

-- Return whether a transfer and its entries still give the fingerprint that was taken of what was asked for.
-- Of a transfer from before its facts were columns it is not known whether a time was asked for, and whether
-- the game's account had to be empty: all four are tried.
CREATE OR REPLACE FUNCTION ledger_fits_its_fingerprint(
    t wallet_transfer, p_accounts bigint[], p_amounts bigint[]
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    entries text;
    game text;
BEGIN
    IF t.emptied IS NOT NULL THEN
        RETURN t.fingerprint = ledger_fingerprint(
            t.kind, p_accounts, p_amounts, t.emptied, nullif(t.effective_at, t.created_at), t.reverses_id,
            t.document, t.document_id, t.game, t.deal);
    END IF;
    SELECT string_agg(e.account_id || ':' || e.amount, ',' ORDER BY e.account_id) INTO entries
    FROM unnest(p_accounts, p_amounts) AS e (account_id, amount);
    SELECT string_agg(a.id::text, ',' ORDER BY a.id) INTO game
    FROM wallet_account AS a WHERE a.id = ANY (p_accounts) AND a.kind = 'escrow';
    RETURN t.fingerprint IN (
        SELECT sha256(convert_to(
            format('%s|%s|empty %s|at %s|reverses %s', t.kind, entries, emptied, asked, t.reverses_id), 'UTF8'))
        FROM unnest(ARRAY['', game]) AS emptied, unnest(ARRAY['', extract(epoch FROM t.effective_at)::text]) AS asked);
END
$$;

-- Refuse a transfer that is not as the posting wrote it: sealed, a rewritten one would pass for true.
CREATE OR REPLACE FUNCTION ledger_refuse_rewritten(p_from bigint, p_to bigint) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    rewritten bigint;
BEGIN
    SELECT t.id INTO rewritten
    FROM wallet_transfer AS t
    LEFT JOIN LATERAL (
        SELECT count(*) AS entries, array_agg(e.account_id ORDER BY e.id) AS accounts,
            array_agg(e.amount_minor ORDER BY e.id) AS amounts
        FROM wallet_entry AS e WHERE e.transfer_id = t.id
    ) AS e ON true
    WHERE t.xid >= p_from AND t.xid < p_to
        AND NOT (e.entries = t.entry_count AND ledger_is_balanced(e.accounts, e.amounts)
            AND ledger_fits_its_fingerprint(t, e.accounts, e.amounts))
    ORDER BY t.xid, t.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'transfer % is not as it was posted', rewritten
            USING ERRCODE = 'RL031', DETAIL = rewritten::text;
    END IF;
END
$$;

-- Seal what is finished, one block of about p_transfers_max transfers and ten times as many versions; nothing
-- if there is nothing new but seals.
--
-- Only transactions older than every unfinished one are taken. One that began early and commits late
-- holds the horizon back until it is done, so it comes in a later block and is never passed over.
CREATE OR REPLACE FUNCTION ledger_seal(p_transfers_max integer) RETURNS SETOF wallet_seal
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    head wallet_seal;
    block record;
    kept record;
    first_xid bigint;
    end_xid bigint;
    horizon bigint;
BEGIN
    -- One at a time. Only these rights can take a lock of this table; an advisory lock could be taken, and
    -- kept for ever, by whoever is logged in. Nobody waits for a sealer that hangs: the next run seals.
    BEGIN
        LOCK TABLE wallet_seal IN SHARE ROW EXCLUSIVE MODE NOWAIT;
    EXCEPTION WHEN lock_not_available THEN
        RETURN;
    END;
    SELECT * INTO head FROM wallet_seal ORDER BY number DESC LIMIT 1;
    first_xid := coalesce(head.to_xid, 0);
    PERFORM ledger_refuse_missing_seals(coalesce(head.number, 0), head.hash, first_xid);
    horizon := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
    SELECT least(
        horizon,
        1 + (SELECT xid FROM wallet_transfer WHERE xid >= first_xid AND xid < horizon
             ORDER BY xid OFFSET p_transfers_max - 1 LIMIT 1),
        1 + (SELECT xid FROM wallet_rowversion WHERE xid >= first_xid AND xid < horizon
             ORDER BY xid OFFSET p_transfers_max * 10 - 1 LIMIT 1)) INTO end_xid;
    SELECT * INTO block FROM ledger_block_digest(first_xid, end_xid);
    SELECT * INTO kept FROM ledger_versions_digest(first_xid, end_xid);
    IF block.transfers = 0 AND kept.of_others = 0 THEN
        RETURN;
    END IF;
    PERFORM ledger_refuse_rewritten(first_xid, end_xid);
    RETURN QUERY INSERT INTO wallet_seal (
        number, from_xid, to_xid, transfer_count, entry_count, version_count, transfer_marks,
        previous, hash, sealed_at)
    SELECT number, first_xid, end_xid, block.transfers, block.entries, kept.versions,
        ledger_transfer_marks(first_xid, end_xid), previous,
        ledger_seal_hash(number, first_xid, end_xid, previous, block.digest || coalesce(kept.digest, '')),
        ledger_now()
    FROM (SELECT coalesce(head.number, 0) + 1, coalesce(head.hash, '')) AS follows (number, previous)
    RETURNING *;
END
$$;

REVOKE ALL ON FUNCTION
    ledger_seal(integer), ledger_version_hash(wallet_rowversion), ledger_versions_digest(bigint, bigint),
    ledger_transfer_marks(bigint, bigint), ledger_refuse_missing_seals(bigint, text, bigint),
    ledger_refuse_rewritten(bigint, bigint),
    ledger_fits_its_fingerprint(wallet_transfer, bigint[], bigint[])
FROM PUBLIC, rummy_app;
GRANT EXECUTE ON FUNCTION
    ledger_seal(integer), ledger_version_hash(wallet_rowversion),
    ledger_fits_its_fingerprint(wallet_transfer, bigint[], bigint[])
TO rummy_app;
-- The audit asks it of what is not sealed yet.
GRANT EXECUTE ON FUNCTION
    ledger_fits_its_fingerprint(wallet_transfer, bigint[], bigint[]),
    ledger_fingerprint(
        text, bigint[], bigint[], bigint[], timestamptz, bigint, text, bigint, text, integer)
TO rummy_app;

-- wallet.ledger.policies
-- What each kind of transfer may move: one row for each kind and the document behind it. A posting that
-- names no row here, or moves money between other accounts, is refused (RL016); that the document stands
-- behind it is asked at COMMIT (documents.sql). A new kind of transfer is one more row.
CREATE TABLE wallet_policy (
    kind text NOT NULL,
    document text NOT NULL,
    -- Kinds of accounts that may give and take; null allows all.
    gives text[],
    takes text[],
    -- All players' accounts belong to one and the same player.
    of_one_player boolean NOT NULL,
    -- 'points' or 'cash'; null allows both.
    money text CHECK (money IN ('points', 'cash')),
    -- The most that one transfer moves, in minor units.
    most_minor numeric,
    -- The one kind of process whose login may post it (core/db/sql/login_kinds.sql); null allows all.
    login text CHECK (login IN ('web', 'settle')),
    name text GENERATED ALWAYS AS (kind || ':' || document) STORED,
    PRIMARY KEY (kind, document)
);
REVOKE ALL ON wallet_policy FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_policy TO rummy_app;

INSERT INTO wallet_policy (kind, document, gives, takes, of_one_player, money, most_minor) VALUES
    -- Money in: an order that was paid; a payment nobody can place; and what staff do with that one.
    ('deposit', 'order', '{gateway_clearing}', '{deposit,gst_payable,receivable}', true, 'cash', NULL),
    ('deposit', 'payment', '{gateway_clearing}', '{suspense}', true, 'cash', NULL),
    ('deposit', 'task', '{suspense}', '{deposit,gst_payable,gateway_clearing,receivable}', true, 'cash', NULL),
    -- A refund or a lost dispute: what the player does not hold is owed. Deposits pay it first, and so does
    -- whatever else comes into their wallet, by a transfer that follows.
    ('chargeback', 'payment_return', '{deposit,winnings,receivable}', '{gateway_clearing}', true, 'cash', NULL),
    ('chargeback', 'debt', '{deposit,winnings}', '{receivable}', true, 'cash', NULL),
    -- Money out: set aside with its tax, paid by the bank, or given back.
    ('withdrawal', 'withdrawal', '{deposit,winnings}', '{withdrawal_hold,tds_payable}', true, 'cash', NULL),
    ('withdrawal', 'payout', '{withdrawal_hold}', '{gateway_clearing}', true, 'cash', NULL),
    ('reversal', 'withdrawal', '{withdrawal_hold,tds_payable}', '{deposit,winnings}', true, 'cash', NULL),
    ('tax', 'withholding', '{winnings,deposit}', '{tds_payable}', true, 'cash', NULL),
    -- Games: what one player pays, and what players of the same game are paid.
    ('buy_in', 'stake', '{bonus,deposit,winnings,ticket}', '{escrow}', true, NULL, NULL),
    ('prize', 'game', '{escrow}', '{winnings,ticket,rake}', false, NULL, NULL),
    ('refund', 'game', '{escrow}', '{bonus,deposit,winnings,ticket,rake}', false, NULL, NULL),
    ('refund', 'stakes', '{escrow}', '{bonus,deposit,winnings,ticket}', false, NULL, NULL),
    ('cash_out', 'stack', '{escrow}', '{bonus,deposit,winnings,ticket}', true, NULL, NULL),
    ('rake', 'deal', '{escrow}', '{rake}', true, NULL, NULL),
    ('refund', 'ticket', '{ticket}', '{winnings}', true, NULL, NULL),
    ('grant', 'guarantee', '{guarantee}', '{escrow}', true, NULL, 10000000000),
    ('refund', 'guarantee', '{escrow}', '{guarantee}', true, NULL, 10000000000),
    -- Promotions: play points, and bonuses with their lots.
    ('grant', 'sign_up', '{promotions}', '{deposit}', true, 'points', 100000000),
    ('grant', 'refill', '{promotions}', '{deposit}', true, 'points', 100000000),
    ('grant', 'bot', '{promotions}', '{deposit}', true, 'points', 10000000000),
    ('bonus', 'lot', '{promotions}', '{bonus,locked_bonus}', true, 'cash', 100000000),
    ('release', 'stake', '{locked_bonus}', '{winnings}', true, 'cash', NULL),
    ('expiry', 'lot', '{bonus,locked_bonus}', '{promotions}', true, 'cash', NULL),
    -- Corrections by two members of staff; what stakes, withdrawals, lots and tickets explain is not theirs.
    ('adjustment', 'adjustment',
        '{deposit,winnings,receivable,rake,promotions,guarantee,gateway_clearing,tds_payable,gst_payable,suspense,gateway_fees,input_tax}',
        '{deposit,winnings,receivable,rake,promotions,guarantee,gateway_clearing,tds_payable,gst_payable,suspense,gateway_fees,input_tax}',
        false, NULL, NULL),
    -- Void prizes, from those who won them by foul play to those who lost; what is no longer there is owed.
    ('restitution', 'restitution', '{winnings,deposit,receivable}', '{winnings}', false, 'cash', NULL),
    -- What a gateway keeps of a payment to the bank; what it adds or deducts without a word goes to suspense.
    ('fee', 'settlement', '{gateway_fees,input_tax,gateway_clearing,suspense}', '{gateway_clearing,suspense}',
        true, 'cash', NULL);

-- What brings money to players by what others did, a gateway or a game, is posted by settlement workers alone: who
-- plays a game or opens an order credits nothing. Stakes, cash-outs of what is left of them and acts of staff are
-- posted where they are asked for.
UPDATE wallet_policy SET login = 'settle'
WHERE name IN ('deposit:order', 'deposit:payment', 'chargeback:payment_return', 'prize:game', 'refund:game',
    'rake:deal', 'release:stake');

-- A database for trials posts what no document stands behind (the tests and `bench.ledger` add such rows). There
-- games need no table either, and bonuses no request.
CREATE OR REPLACE FUNCTION ledger_is_trial() RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM wallet_policy WHERE document = '');
REVOKE ALL ON FUNCTION ledger_is_trial() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger_is_trial() TO rummy_app;

-- wallet.audit.watched
-- Which of the wallet's rows are kept in versions. Balances, what is left of bonuses, and what became of parts of
-- stakes are recomputed from their entries, movements and changes instead.
SELECT wallet_watch('wallet_account', 'only',
    '{id, public_id, kind, player_id, ref, shard, currency, floor_minor, status, created_at}', '{status}');
SELECT wallet_watch('wallet_bookedday', p_key => 'day');
SELECT wallet_watch('wallet_bonusgrant', 'but', '{remaining_minor}');
SELECT wallet_watch('wallet_stakepart', 'but', '{consumed_minor, returned_minor}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'wallet_idempotentrequest', 'wallet_stake', 'wallet_stakepartchange', 'wallet_stackchange', 'wallet_bonusmovement',
    'wallet_bonusrequest',
    'wallet_deposit', 'wallet_gatewayevent', 'wallet_stafftask', 'wallet_ownlimit',
    'wallet_registeredpayee', 'wallet_withdrawal', 'wallet_payoutbatch', 'wallet_taxrate', 'wallet_withholding', 'wallet_gstcharge',
    'wallet_taxresidence',
    'wallet_gatewaysettlement', 'wallet_adjustment', 'wallet_restitution', 'wallet_restitutionline', 'wallet_accountfreeze', 'wallet_withdrawalfreeze', 'wallet_auditrun', 'wallet_seal',
    'core_auditentry', 'core_archivedmonth']) AS name;
-- Who may do what, and who may play for money: rights of people and of groups, kept in versions.
SELECT wallet_watch('players_user', 'only',
    '{id, public_id, is_bot, is_staff, is_superuser, is_active, birth_date, country, region}',
    '{public_id, is_bot, is_staff, is_superuser, is_active, birth_date, country, region}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'players_user_groups', 'players_user_user_permissions', 'auth_group_permissions']) AS name;
-- What a transfer may move is no less worth a version than the transfers.
SELECT wallet_watch('wallet_policy', p_key => 'name');
-- Who a player is, where which game is offered, and what keeps a player from an act. Codes that are sent, tries and
-- mails are left out, as is what documents hold, which is megabytes; addresses and secrets are kept as their hash.
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'players_region', 'players_regionchange', 'players_identitycheck', 'players_hold', 'players_break',
    'players_placedoubt', 'players_taxnumber', 'players_datarequest', 'players_case', 'players_remark']) AS name;
SELECT wallet_watch('players_identitydocument', 'only',
    '{id, public_id, identity_check_id, media_type, size_bytes, delete_at, deleted_at}');
SELECT wallet_watch('players_providercheck', 'but', '{tries, next_try_at}');
SELECT wallet_watch('players_phonenumber', 'but', '{code_hash, code_made_at, code_guesses, codes_made}',
    p_hashed => '{number_hash}');
SELECT wallet_watch('players_accountchange', 'but', '{unsent, mail_tries}', p_hashed => '{subject}');
-- How an account is signed in to.
SELECT wallet_watch('players_factorlink', p_hashed => '{sent_to}');
SELECT wallet_watch('mfa_authenticator', 'but', '{last_used_at}', p_hashed => '{data}');
SELECT wallet_watch('account_emailaddress', p_hashed => '{email}');

-- wallet.audit.since
-- What is new since the audit that a shorter one builds on, for the lines of the audit's statements that end with
-- `-- only new`; a full audit leaves those lines out. The settings stand in its transaction (wallet/audit/audit.py).

-- The first database transaction, transfer and seal after those that are known to be right.
CREATE FUNCTION wallet_new_xid() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE RETURN current_setting('wallet.audit_xid')::bigint;

CREATE FUNCTION wallet_new_transfer() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE RETURN current_setting('wallet.audit_transfer')::bigint;

CREATE FUNCTION wallet_new_seal() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE RETURN current_setting('wallet.audit_seal')::bigint;

-- The run that the audit builds on; 0 for a full one.
CREATE FUNCTION wallet_audited_run() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE RETURN current_setting('wallet.audit_run')::bigint;

-- Keys of the rows of a watched table that have been written, changed or deleted since.
CREATE FUNCTION wallet_new_keys(p_relation text) RETURNS TABLE (key bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT v.row_key::bigint FROM wallet_rowversion AS v WHERE v.xid >= wallet_new_xid() AND v.relation = p_relation;
END;

-- What those rows name in one of their columns.
CREATE FUNCTION wallet_new_names(p_relation text, p_column text) RETURNS TABLE (name text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT v.facts ->> p_column FROM wallet_rowversion AS v
    WHERE v.xid >= wallet_new_xid() AND v.relation = p_relation;
END;

-- Accounts on which something was posted since, or that were opened, frozen, thawed or closed.
CREATE FUNCTION wallet_new_accounts() RETURNS TABLE (key bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT e.account_id FROM wallet_entry AS e WHERE e.transfer_id >= wallet_new_transfer()
    UNION
    SELECT n.key FROM wallet_new_keys('wallet_account') AS n;
END;

-- Parts of stakes that were written or changed since.
CREATE FUNCTION wallet_changed_parts() RETURNS TABLE (key bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT n.key FROM wallet_new_keys('wallet_stakepart') AS n
    UNION SELECT n.name::bigint FROM wallet_new_names('wallet_stakepartchange', 'part_id') AS n;
END;

-- Escrows of the games in which something has happened since.
CREATE FUNCTION wallet_new_escrows() RETURNS TABLE (key bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT a.id FROM wallet_account AS a JOIN wallet_new_accounts() AS n ON n.key = a.id WHERE a.kind = 'escrow'
    UNION
    SELECT n.name::bigint FROM wallet_new_names('wallet_stake', 'escrow_id') AS n
    UNION
    SELECT s.escrow_id FROM wallet_stake AS s WHERE s.id IN (
        SELECT n.name::bigint FROM wallet_new_names('wallet_stakepart', 'stake_id') AS n
        UNION ALL SELECT p.stake_id FROM wallet_stakepart AS p JOIN wallet_changed_parts() AS n ON n.key = p.id
        UNION ALL SELECT n.name::bigint FROM wallet_new_names('wallet_stackchange', 'stake_id') AS n);
END;

-- What accounts of each kind held before all that is new, and how many entries had brought them there.
CREATE FUNCTION wallet_balances_before() RETURNS TABLE (kind text, currency text, balance_minor numeric, entries numeric)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT a.kind, a.currency, sum(a.balance_minor) - coalesce(sum(e.amount), 0),
        sum(a.version) - coalesce(sum(e.entries), 0)
    FROM wallet_account AS a
    LEFT JOIN (
        SELECT e.account_id, sum(e.amount_minor) AS amount, count(*) AS entries
        FROM wallet_transfer AS t JOIN wallet_entry AS e ON e.transfer_id = t.id
        WHERE t.xid >= wallet_new_xid() AND t.id >= wallet_new_transfer()
        GROUP BY e.account_id
    ) AS e ON e.account_id = a.id
    GROUP BY a.kind, a.currency;
END;

-- The newest key of each watched table whose keys are numbers that only grow.
CREATE FUNCTION wallet_newest_keys() RETURNS TABLE (relation text, newest bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    watched record;
BEGIN
    FOR watched IN
        SELECT t.tgrelid::regclass::text AS name, a.attname AS key
        FROM pg_trigger AS t JOIN pg_attribute AS a ON a.attrelid = t.tgrelid
            AND a.attname = split_part(encode(t.tgargs, 'escape'), '\000', 1) AND a.atttypid = 'bigint'::regtype
        WHERE t.tgname = 'versions_kept' ORDER BY 1
    LOOP
        relation := watched.name;
        EXECUTE format('SELECT coalesce(max(%I), 0) FROM %s', watched.key, watched.name) INTO newest;
        RETURN NEXT;
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION
    wallet_new_xid(), wallet_new_transfer(), wallet_new_seal(), wallet_audited_run(), wallet_new_keys(text),
    wallet_new_names(text, text), wallet_new_accounts(), wallet_changed_parts(), wallet_new_escrows(),
    wallet_balances_before(), wallet_newest_keys()
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    wallet_new_xid(), wallet_new_transfer(), wallet_new_seal(), wallet_audited_run(), wallet_new_keys(text),
    wallet_new_names(text, text), wallet_new_accounts(), wallet_changed_parts(), wallet_new_escrows(),
    wallet_balances_before(), wallet_newest_keys()
TO rummy_app;

-- What a full audit that found nothing leaves for the shorter ones.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_auditedbalance, wallet_auditedtable FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_auditedbalance
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('audits stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_auditedbalance
    EXECUTE FUNCTION wallet_refuse_rewriting('audits stay on record');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_auditedtable
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('audits stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_auditedtable
    EXECUTE FUNCTION wallet_refuse_rewriting('audits stay on record');
SELECT wallet_watch('wallet_auditedbalance');
SELECT wallet_watch('wallet_auditedtable');

-- wallet.audit.sent_heads
-- Heads that were sent away stay on record.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_senthead FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_senthead
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('heads that were sent stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_senthead
    EXECUTE FUNCTION wallet_refuse_rewriting('heads that were sent stay on record');
SELECT wallet_watch('wallet_senthead');

-- wallet.payments.gateway_payments
-- What binds payments, and refunds and disputes of them: what the gateway said stays as it said it, and
-- what was posted is final.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_gatewaypayment, wallet_paymentreturn FROM rummy_app;
GRANT UPDATE (order_reference, currency, amount_minor, deposit_id, transfer_id)
    ON wallet_gatewaypayment TO rummy_app;
GRANT UPDATE (status, reported, player_id, transfer_id, closed_at, closed_by_id, remark)
    ON wallet_paymentreturn TO rummy_app;

CREATE OR REPLACE TRIGGER as_booked BEFORE UPDATE ON wallet_gatewaypayment
    FOR EACH ROW WHEN (
        OLD.transfer_id IS NOT NULL
        OR (OLD.id, OLD.provider, OLD.reference) IS DISTINCT FROM (NEW.id, NEW.provider, NEW.reference))
    EXECUTE FUNCTION wallet_refuse_rewriting('a payment stays as it was booked');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON wallet_gatewaypayment
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('payments are kept');
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_gatewaypayment
    EXECUTE FUNCTION wallet_refuse_rewriting('payments are kept');

CREATE OR REPLACE TRIGGER as_reported BEFORE UPDATE ON wallet_paymentreturn
    FOR EACH ROW WHEN (
        OLD.status = 'taken'
        OR (OLD.id, OLD.payment_id, OLD.provider, OLD.reference, OLD.what, OLD.currency,
            OLD.amount_minor, OLD.opened_at)
        IS DISTINCT FROM
           (NEW.id, NEW.payment_id, NEW.provider, NEW.reference, NEW.what, NEW.currency,
            NEW.amount_minor, NEW.opened_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('what was taken back is taken back');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON wallet_paymentreturn
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('refunds and disputes are kept');
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_paymentreturn
    EXECUTE FUNCTION wallet_refuse_rewriting('refunds and disputes are kept');

SELECT wallet_watch(name::regclass)
FROM unnest(ARRAY['wallet_gatewaypayment', 'wallet_paymentreturn']) AS name;

-- wallet.deposits.terms
-- What binds terms of new deposits: each stays as it was asked for, and is decided once.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_depositterm FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at) ON wallet_depositterm TO rummy_app;

CREATE OR REPLACE TRIGGER decided_once BEFORE UPDATE ON wallet_depositterm
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.id, OLD.hours, OLD.begins_at, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.id, NEW.hours, NEW.begins_at, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON wallet_depositterm
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_depositterm
    EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');

SELECT wallet_watch('wallet_depositterm');

-- wallet.audit.schema_record
-- What the schema consisted of when it was last migrated: written by `migrate`, compared by the audit
-- (wallet/audit/schema_record.py). Append-only, and sealed by way of its versions.
CREATE TABLE IF NOT EXISTS wallet_schemarecord (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The hash of each object, by its name.
    objects jsonb NOT NULL
);
REVOKE ALL ON wallet_schemarecord FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_schemarecord TO rummy_app;
REVOKE ALL ON SEQUENCE wallet_schemarecord_id_seq FROM PUBLIC, rummy_app;
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_schemarecord
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('records of the schema are append-only');
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_schemarecord
    EXECUTE FUNCTION wallet_refuse_rewriting('records of the schema are append-only');
SELECT wallet_watch('wallet_schemarecord');
SELECT wallet_watch('wallet_house');

-- wallet.ledger.freezes
-- Accounts are frozen and thawed by acts of staff: the last one says what the account is.

-- Return what is wrong with an account's status; nothing where an act of staff stands behind it. The
-- account's own player does not act on it.
CREATE OR REPLACE FUNCTION wallet_status_lacks(p_account bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
DECLARE
    account wallet_account;
    last record;
BEGIN
    SELECT * INTO account FROM wallet_account WHERE id = p_account;
    SELECT act, by_id INTO last FROM wallet_accountfreeze
    WHERE account_id = p_account ORDER BY id DESC LIMIT 1;
    IF account.status NOT IN ('open', 'frozen') THEN
        RETURN NULL;
    ELSIF account.status = 'frozen' AND last.act IS DISTINCT FROM 'freeze'
        OR account.status = 'open' AND last.act IS DISTINCT FROM 'thaw'
    THEN
        RETURN format('is %s, and no act of staff says so', account.status);
    ELSIF NOT wallet_staff_act(
        'wallet.account', account.id, last.by_id, last.act, ARRAY[account.player_id])
    THEN
        RETURN format('is %s by somebody who may not', account.status);
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION wallet_frozen_by_staff() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    lacking CONSTANT text := wallet_status_lacks(NEW.id);
BEGIN
    IF lacking IS NOT NULL THEN
        RAISE EXCEPTION 'account % %', NEW.id, lacking USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER frozen_by_staff AFTER UPDATE OF status ON wallet_account
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.status <> NEW.status AND 'frozen' IN (OLD.status, NEW.status))
    EXECUTE FUNCTION wallet_frozen_by_staff();

REVOKE ALL ON FUNCTION wallet_status_lacks(bigint), wallet_frozen_by_staff() FROM PUBLIC, rummy_app;

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_accountfreeze FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_accountfreeze
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_accountfreeze
    EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');

-- wallet.audit.stuck_sessions
-- A session of the application that holds others up is ended, whatever limits it has set for itself: any
-- login may switch its own time-outs off, so another session has to look.

-- End sessions that have been in a transaction for too long: for `p_waited` while somebody waits for their
-- locks (a waiting session is not ended itself; who holds up both is), for `p_idle` without a statement, for
-- `p_ever` in any case. Only logins of the application are meant, never the owner's. PostgreSQL lets the
-- owner see and end them if it is a member of that login (README).
CREATE OR REPLACE FUNCTION wallet_end_sessions(p_waited interval, p_idle interval, p_ever interval)
RETURNS TABLE (pid integer, login name, seconds integer, waiting integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN QUERY
    WITH open AS MATERIALIZED (
        SELECT a.pid, a.usename AS login, a.wait_event_type, clock_timestamp() - a.xact_start AS age,
            CASE WHEN a.state LIKE 'idle in transaction%'
                THEN clock_timestamp() - a.state_change END AS idle
        FROM pg_stat_activity AS a
        WHERE a.datname = current_database() AND a.backend_type = 'client backend'
            AND a.pid <> pg_backend_pid()
            AND EXISTS (SELECT FROM pg_roles AS g WHERE g.rolname ~ '^rummy_app_(web|settle|intake)$'
                AND pg_has_role(a.usesysid, g.oid, 'MEMBER'))
            AND NOT pg_has_role(a.usesysid, current_user, 'MEMBER')
    ), blocking AS MATERIALIZED (
        SELECT held.pid, count(*)::integer AS waiting
        FROM pg_stat_activity AS w, unnest(pg_blocking_pids(w.pid)) AS held (pid)
        WHERE w.wait_event_type = 'Lock' GROUP BY held.pid
    ), stuck AS MATERIALIZED (
        SELECT o.pid, o.login, o.age, coalesce(b.waiting, 0) AS waiting
        FROM open AS o LEFT JOIN blocking AS b ON b.pid = o.pid
        WHERE o.age > p_waited AND b.waiting > 0 AND o.wait_event_type IS DISTINCT FROM 'Lock'
            OR o.idle > p_idle OR o.age > p_ever
    )
    SELECT s.pid, s.login, extract(epoch FROM s.age)::integer, s.waiting
    FROM stuck AS s WHERE pg_terminate_backend(s.pid);
END
$$;

-- What the application's worker asks for every few seconds. The limits are not the caller's to choose. No
-- transaction that others wait for takes a minute, and no statement more than half an hour.
CREATE OR REPLACE FUNCTION wallet_end_stuck_sessions()
RETURNS TABLE (pid integer, login name, seconds integer, waiting integer)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT * FROM wallet_end_sessions(interval '1 minute', interval '1 minute', interval '1 hour')
$$;
REVOKE ALL ON FUNCTION
    wallet_end_sessions(interval, interval, interval), wallet_end_stuck_sessions() FROM PUBLIC, rummy_app;
GRANT EXECUTE ON FUNCTION wallet_end_stuck_sessions() TO rummy_app;

-- wallet.filing.forms
-- The forms that this release knows; staff append what comes after (RB 11.4, 11.5). Payment codes: form
-- 140 and 144 ask for 1060, net winnings from online games, in place of a section (docs/finance.md).
-- GSTR-5A: CGST Rules, rule 64, for an operator outside India.
INSERT INTO wallet_taxform
    (tax, payee, starts_on, return_form, certificate_form, section, payment_code, large_above_minor, added_by,
    added_at)
VALUES
    ('tds', 'resident', '2023-04-01', '26Q', '16A', '194BA', '', NULL, 'release', now()),
    ('tds', 'non_resident', '2023-04-01', '27Q', '16A', '194BA', '', NULL, 'release', now()),
    ('tds', 'resident', '2026-04-01', '140', '131', '393(3)', '1060', NULL, 'release', now()),
    ('tds', 'non_resident', '2026-04-01', '144', '131', '393(3)', '1060', NULL, 'release', now()),
    ('gst', 'resident', '2023-10-01', 'GSTR-1', '', 'Rule 31B', '', 25000000, 'release', now()),
    ('gst', 'resident', '2024-08-01', 'GSTR-1', '', 'Rule 31B', '', 10000000, 'release', now()),
    ('gst', 'non_resident', '2023-10-01', 'GSTR-5A', '', 'Rule 31B', '', NULL, 'release', now());

-- wallet.filing.filing
-- What binds the rows that taxes are filed with: they are appended, and invoices are numbered without gaps.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_taxform, wallet_registration FROM rummy_app;
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON wallet_invoice FROM rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_taxform
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('names of forms are kept; append another');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_taxform
    EXECUTE FUNCTION wallet_refuse_rewriting('names of forms are kept; append another');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_registration
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('registrations are kept; append another');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_registration
    EXECUTE FUNCTION wallet_refuse_rewriting('registrations are kept; append another');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_invoice
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('invoices are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_invoice
    EXECUTE FUNCTION wallet_refuse_rewriting('invoices are kept');

-- A financial year by the year it begins in.
CREATE OR REPLACE FUNCTION wallet_financial_year(p_day date) RETURNS integer
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT extract(year FROM p_day - interval '3 months')::integer
$$;

-- Each invoice has the number after the last one of its year, whoever writes it.
CREATE OR REPLACE FUNCTION wallet_invoice_follows() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    charged date;
    last_number bigint;
BEGIN
    SELECT charged_on INTO STRICT charged FROM wallet_gstcharge WHERE id = NEW.charge_id;
    SELECT max(number) INTO last_number FROM wallet_invoice WHERE year = NEW.year;
    IF NEW.year <> wallet_financial_year(charged) OR NEW.number <> coalesce(last_number, 0) + 1 THEN
        RAISE EXCEPTION 'invoice % of % does not follow %', NEW.number, NEW.year, last_number
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER follows BEFORE INSERT ON wallet_invoice
    FOR EACH ROW EXECUTE FUNCTION wallet_invoice_follows();

-- Issue the invoices of all charges of closed days that have none; return how many.
--
-- Numbered in the order of the days and of the database transactions, so that the numbers are the same however
-- late this runs. A closed day gets no more charges, so nothing is numbered out of order.
CREATE OR REPLACE FUNCTION wallet_issue_invoices() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    issued bigint;
BEGIN
    LOCK TABLE wallet_invoice IN SHARE ROW EXCLUSIVE MODE;
    INSERT INTO wallet_invoice (charge_id, year, number, registration_id, issued_at)
    SELECT c.id, c.year,
        coalesce((SELECT max(i.number) FROM wallet_invoice AS i WHERE i.year = c.year), 0)
            + row_number() OVER (PARTITION BY c.year ORDER BY c.charged_on, c.xid, c.id),
        (SELECT r.id FROM wallet_registration AS r WHERE r.starts_on <= c.charged_on
            ORDER BY r.starts_on DESC, r.id DESC LIMIT 1),
        ledger_now()
    FROM (
        SELECT g.id, g.charged_on, t.xid, wallet_financial_year(g.charged_on) AS year
        FROM wallet_gstcharge AS g
        JOIN wallet_transfer AS t ON t.id = g.transfer_id
        JOIN wallet_bookedday AS d ON d.day = g.charged_on AND d.closed_at IS NOT NULL
        WHERE NOT EXISTS (SELECT FROM wallet_invoice AS i WHERE i.charge_id = g.id)
    ) AS c
    ORDER BY c.charged_on, c.xid, c.id;
    GET DIAGNOSTICS issued = ROW_COUNT;
    RETURN issued;
END
$$;

-- What is booked under the names or rates in force cannot be given others afterwards.
CREATE OR REPLACE FUNCTION wallet_refuse_late_start() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    booked date;
BEGIN
    IF NEW.tax = 'gst' THEN
        SELECT max(charged_on) INTO booked FROM wallet_gstcharge;
    ELSE
        SELECT max(deducted_on) INTO booked FROM wallet_withholding;
    END IF;
    IF booked >= NEW.starts_on THEN
        RAISE EXCEPTION 'what was booked on % is after %, the day this would begin', booked, NEW.starts_on
            USING ERRCODE = 'check_violation', CONSTRAINT = 'wallet_starts_before_something_booked';
    END IF;
    RETURN NEW;
END
$$;
-- Asked again at COMMIT: what is booked in between counts.
CREATE CONSTRAINT TRIGGER starts_later AFTER INSERT ON wallet_taxrate DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_late_start();
CREATE TRIGGER starts_after_booked BEFORE INSERT ON wallet_taxrate
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_late_start();
CREATE TRIGGER starts_after_booked BEFORE INSERT ON wallet_taxform
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_late_start();

REVOKE ALL ON FUNCTION
    wallet_invoice_follows(), wallet_issue_invoices(), wallet_refuse_late_start(), wallet_financial_year(date)
FROM PUBLIC, rummy_app;
GRANT EXECUTE ON FUNCTION wallet_issue_invoices(), wallet_financial_year(date) TO rummy_app;
GRANT SELECT ON wallet_invoice TO rummy_app;

SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'wallet_taxform', 'wallet_registration', 'wallet_invoice']) AS name;

-- wallet.closed_places.reports
-- What was owed on a day stays as it was reported.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_owedreport, wallet_owedline FROM rummy_app;
GRANT UPDATE (mailed_at) ON wallet_owedreport TO rummy_app;
CREATE TRIGGER as_reported BEFORE UPDATE OR DELETE ON wallet_owedline
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('what was owed on a day stays on record');
CREATE TRIGGER sent_once BEFORE UPDATE ON wallet_owedreport
    FOR EACH ROW WHEN (
        OLD.mailed_at IS NOT NULL
        OR (OLD.id, OLD.day, OLD.currency, OLD.made_at) IS DISTINCT FROM (NEW.id, NEW.day, NEW.currency, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('what was owed on a day stays on record');
CREATE TRIGGER kept BEFORE DELETE ON wallet_owedreport
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('what was owed on a day stays on record');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY['wallet_owedreport', 'wallet_owedline']) AS name;
