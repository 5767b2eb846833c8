-- Sealing: hash finished transfers and row versions into a block that names the block before.

CREATE OR REPLACE FUNCTION ledger_version_hash(v wallet_rowversion) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(convert_to(ROW(v.id, v.xid, v.relation, v.row_key, v.act, v.facts)::text, 'UTF8'));

-- Return the hash of the versions in a range of database transactions, or null if there are none. `of_others`
-- counts those that are not versions of seals.
CREATE OR REPLACE FUNCTION ledger_versions_digest(
    p_from bigint, p_to bigint, OUT versions bigint, OUT of_others bigint, OUT digest bytea
)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT count(*), count(*) FILTER (WHERE v.relation <> 'wallet_seal'),
        sha256(string_agg(ledger_version_hash(v), ''::bytea ORDER BY v.xid, v.id))
    FROM wallet_rowversion AS v WHERE v.xid >= p_from AND v.xid < p_to
$$;

-- Raise if the last seals are gone although their versions exist. Sealing again would hide changes of what they
-- covered.
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
        RAISE EXCEPTION 'seal % is missing', missing USING ERRCODE = 'RL030';
    END IF;
END
$$;

-- Return whether a transfer and its entries still match the fingerprint of the request.
CREATE FUNCTION ledger_fits_its_fingerprint(
    t wallet_transfer, p_entries text
) RETURNS boolean
LANGUAGE sql STABLE
RETURN t.fingerprint = ledger_fingerprint(
    t.kind, p_entries, t.emptied, nullif(t.effective_at, t.created_at), t.reverses_id,
    t.document, t.document_id, t.game, t.deal);

-- Raise for a transfer that differs from its posting, because a seal would confirm the change.
CREATE OR REPLACE FUNCTION ledger_refuse_rewritten(p_from bigint, p_to bigint) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    rewritten bigint;
BEGIN
    SELECT t.id INTO rewritten
    FROM wallet_transfer AS t
    LEFT JOIN LATERAL (
        SELECT count(*) AS entries, array_agg(e.account_id ORDER BY e.id) AS accounts,
            array_agg(e.amount_minor ORDER BY e.id) AS amounts,
            string_agg(e.account_id || ':' || e.amount_minor, ',' ORDER BY e.account_id) AS stated
        FROM wallet_entry AS e WHERE e.transfer_id = t.id
    ) AS e ON true
    WHERE t.xid >= p_from AND t.xid < p_to
        AND NOT (e.entries = t.entry_count AND ledger_is_balanced(e.accounts, e.amounts)
            AND ledger_fits_its_fingerprint(t, e.stated))
    ORDER BY t.xid, t.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'transfer % differs from its posting', rewritten
            USING ERRCODE = 'RL031', DETAIL = rewritten::text;
    END IF;
END
$$;

-- Seal what is finished: one block of about p_transfers_max transfers and ten times as many versions; nothing if
-- the only new versions are of seals.
--
-- Only transactions older than every unfinished one are included. One that begins early and commits late delays
-- the horizon until it ends, so it is in a later block and never skipped.
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
    -- One process at a time. This table lock needs rights that only this function has; any login could take an
    -- advisory lock and keep it. A process does not wait for a sealer that hangs: the next run seals.
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
        number, from_xid, to_xid, transfer_count, entry_count, version_count, transfer_tokens,
        previous, hash, sealed_at)
    SELECT number, first_xid, end_xid, block.transfers, block.entries, kept.versions,
        block.tokens, previous,
        ledger_seal_hash(number, first_xid, end_xid, previous, block.digest || coalesce(kept.digest, '')),
        ledger_now()
    FROM (SELECT coalesce(head.number, 0) + 1, coalesce(head.hash, '')) AS follows (number, previous)
    RETURNING *;
END
$$;

GRANT EXECUTE ON FUNCTION
    ledger_seal(integer), ledger_version_hash(wallet_rowversion)
TO rummy_app;
-- The audit calls it for unsealed transfers.
GRANT EXECUTE ON FUNCTION
    ledger_fits_its_fingerprint(wallet_transfer, text),
    ledger_fingerprint(text, text, bigint[], timestamptz, bigint, text, bigint, text, integer)
TO rummy_app;
