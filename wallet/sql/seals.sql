-- A chain of hashes over what has been posted, made behind the postings and not within them: one
-- head that every transfer had to hold would halve what the ledger can do.

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
        SELECT t.id, t.xid, count(e.id) AS entries, sha256(convert_to(
            ROW(t.id, t.public_id, t.key, t.fingerprint, t.kind, t.entry_count, t.reverses_id,
                t.memo, t.actor, t.xid, t.booked_on, t.effective_at, t.created_at)::text
            || coalesce(string_agg(
                ROW(e.id, e.account_id, e.currency, e.amount_minor, e.balance_after_minor,
                    e.account_version)::text, '' ORDER BY e.id), ''), 'UTF8')) AS hash
        FROM wallet_transfer AS t LEFT JOIN wallet_entry AS e ON e.transfer_id = t.id
        WHERE t.xid >= p_from AND t.xid < p_to
        GROUP BY t.id
    ) AS one
$$;

CREATE FUNCTION ledger_seal_hash(
    p_number bigint, p_from bigint, p_to bigint, p_previous text, p_digest bytea
) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN encode(sha256(
    convert_to(concat_ws('|', p_number, p_from, p_to, p_previous), 'UTF8') || p_digest), 'hex');

-- Seal what is finished, one block of about p_transfers_max transfers; nothing if there is nothing.
--
-- Only transactions older than every unfinished one are taken. One that began early and commits late
-- holds the horizon back until it is done, so it comes in a later block and is never passed over.
CREATE FUNCTION ledger_seal(p_transfers_max integer) RETURNS SETOF wallet_seal
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    head wallet_seal;
    block record;
    first_xid bigint;
    end_xid bigint;
    full_xid bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(5211, 2);  -- One at a time; the next snapshot sees the last seal.
    SELECT * INTO head FROM wallet_seal ORDER BY number DESC LIMIT 1;
    first_xid := coalesce(head.to_xid, 0);
    end_xid := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
    SELECT xid INTO full_xid FROM wallet_transfer
    WHERE xid >= first_xid AND xid < end_xid ORDER BY xid OFFSET p_transfers_max - 1 LIMIT 1;
    end_xid := coalesce(full_xid + 1, end_xid);
    SELECT * INTO block FROM ledger_block_digest(first_xid, end_xid);
    IF block.transfers = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY INSERT INTO wallet_seal (
        number, from_xid, to_xid, transfer_count, entry_count, previous, hash, sealed_at)
    SELECT number, first_xid, end_xid, block.transfers, block.entries, previous,
        ledger_seal_hash(number, first_xid, end_xid, previous, block.digest), clock_timestamp()
    FROM (SELECT coalesce(head.number, 0) + 1, coalesce(head.hash, '')) AS follows (number, previous)
    RETURNING *;
END
$$;

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
    ledger_seal(integer), ledger_block_digest(bigint, bigint),
    ledger_seal_hash(bigint, bigint, bigint, text, bytea)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ledger_seal(integer), ledger_block_digest(bigint, bigint),
    ledger_seal_hash(bigint, bigint, bigint, text, bytea)
TO rummy_app;
