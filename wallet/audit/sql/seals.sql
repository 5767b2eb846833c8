-- A hash chain over the posted transfers, made after the postings and not within them: a lock on one head for
-- every posting would halve the throughput. See sealing.sql.

-- Return the hash of the transfers of a range of database transactions: of each with its entries, then of all; and a
-- token for each transfer, its id and the first bytes of its hash. A seal stores the tokens, so that the audit can
-- identify the altered transfer of a broken block.
-- The settings fix the format of values, so that every session computes the same hash.
CREATE FUNCTION ledger_block_digest(
    p_from bigint, p_to bigint,
    OUT transfers bigint, OUT entries bigint, OUT digest bytea, OUT tokens bytea
)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET datestyle = 'ISO, YMD' SET bytea_output = 'hex' AS $$
    SELECT count(*), coalesce(sum(one.entries), 0)::bigint,
        sha256(coalesce(string_agg(one.hash, ''::bytea ORDER BY one.xid, one.id), ''::bytea)),
        coalesce(string_agg(int8send(one.id) || substring(one.hash FROM 1 FOR 8), ''::bytea
            ORDER BY one.xid, one.id), '')
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

REVOKE INSERT ON wallet_seal FROM rummy_app;
REVOKE ALL ON SEQUENCE wallet_seal_id_seq FROM rummy_app;
SELECT core_append_only('wallet_seal', 'seals are append-only');
SELECT core_append_only('wallet_auditrun', 'audits stay on record');

GRANT EXECUTE ON FUNCTION
    ledger_block_digest(bigint, bigint),
    ledger_seal_hash(bigint, bigint, bigint, text, bytea)
TO rummy_app;
