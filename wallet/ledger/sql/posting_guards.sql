-- Guards of every posting, kept cheap: PostgreSQL parses the expression of a trigger's WHEN in each statement
-- that may need it.

-- All entries of a transfer are written in one statement, in its transaction, on accounts in their currency,
-- and balance; the same statement updates the accounts. An entry added or moved later breaks the count, so nothing is
-- deferred to COMMIT. Foreign keys would check each entry separately at twice the cost.
--
-- A single transfer in one currency, the usual case, needs one query, by key. A join of all tables would get a cached
-- plan, made while the tables were small, that scans all transfers.
CREATE OR REPLACE FUNCTION wallet_entries_complete_their_transfer() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    broken record;
BEGIN
    IF (SELECT count(*) = min(t.entry_count) AND count(a.id) = min(t.entry_count) AND sum(e.amount_minor) = 0
            AND min(t.entry_count) = (SELECT count(*) FROM added)
        FROM (
            SELECT t.id, t.entry_count, t.booked_on, t.kind, one.currency
            FROM added AS one JOIN wallet_transfer AS t ON t.id = one.transfer_id
            WHERE t.xid = pg_current_xact_id()::text::bigint LIMIT 1
        ) AS t
        JOIN wallet_entry AS e ON e.transfer_id = t.id
        LEFT JOIN wallet_account AS a ON a.id = e.account_id AND a.version >= e.account_version
            AND a.currency = e.currency AND e.currency = t.currency AND e.booked_on = t.booked_on AND e.kind = t.kind)
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
        SELECT e.transfer_id INTO broken
        FROM added AS e JOIN wallet_account AS a ON a.id = e.account_id
        WHERE a.version < e.account_version LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'an entry of transfer % is not in its account''s balance', broken.transfer_id
                USING ERRCODE = 'check_violation';
        END IF;
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
    RAISE EXCEPTION 'transfer % has % entries, not the % it declares', broken.id, broken.entries, broken.entry_count
        USING ERRCODE = 'check_violation';
END
$$;
CREATE OR REPLACE TRIGGER complete AFTER INSERT ON wallet_entry REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION wallet_entries_complete_their_transfer();

-- An account's owner never changes; checked only by statements that name one of these columns.
CREATE OR REPLACE TRIGGER keeps_its_identity
    BEFORE UPDATE OF id, public_id, kind, player_id, ref, shard, currency, floor_minor, created_at
    ON wallet_account
    FOR EACH ROW WHEN (
        (OLD.id, OLD.public_id, OLD.kind, OLD.player_id, OLD.ref, OLD.shard, OLD.currency,
            OLD.floor_minor, OLD.created_at)
        IS DISTINCT FROM
           (NEW.id, NEW.public_id, NEW.kind, NEW.player_id, NEW.ref, NEW.shard, NEW.currency,
            NEW.floor_minor, NEW.created_at))
    EXECUTE FUNCTION core_refuse_rewriting('an account keeps its identity');
