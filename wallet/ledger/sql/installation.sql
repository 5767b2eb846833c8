-- The clock of the ledger, and the row that describes this installation.

-- The purpose of this database. One row, created with the schema. A database for demos and tests is marked as
-- such before its first transfer; only there can the owner shift the clock, so that the services can generate
-- data of many weeks. The application's role can do neither.
CREATE TABLE IF NOT EXISTS wallet_installation (
    id smallint PRIMARY KEY CHECK (id = 1),
    is_demo boolean NOT NULL DEFAULT false,
    clock_shift interval NOT NULL DEFAULT interval '0',
    -- Above this amount of a currency three people handle a withdrawal: the setting of this name at migration.
    three_people_above bigint NOT NULL DEFAULT 100000 CHECK (three_people_above >= 0),
    -- Play points granted at sign-up, and the balance a daily refill reaches, as maxima in minor units: the
    -- settings of these names at migration.
    sign_up_points_minor bigint NOT NULL DEFAULT 1000000 CHECK (sign_up_points_minor >= 0),
    refill_points_to_minor bigint NOT NULL DEFAULT 1000000 CHECK (refill_points_to_minor >= 0),
    CONSTRAINT wallet_installation_shifted_in_a_demo CHECK (is_demo OR clock_shift = interval '0')
);
INSERT INTO wallet_installation (id) VALUES (1) ON CONFLICT DO NOTHING;
REVOKE ALL ON wallet_installation FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_installation TO rummy_app;

CREATE OR REPLACE FUNCTION wallet_installation_keeps_demo_flag() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP <> 'UPDATE' THEN
        RAISE EXCEPTION 'the installation''s row stays on record' USING ERRCODE = 'restrict_violation';
    ELSIF NEW.id <> OLD.id OR OLD.is_demo AND NOT NEW.is_demo
        OR NEW.is_demo AND NOT OLD.is_demo AND EXISTS (SELECT FROM wallet_transfer)
    THEN
        RAISE EXCEPTION 'a database is marked as a demo before its first transfer, and stays one'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER keeps_demo_flag BEFORE UPDATE OR DELETE ON wallet_installation
    FOR EACH ROW EXECUTE FUNCTION wallet_installation_keeps_demo_flag();
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_installation
    EXECUTE FUNCTION wallet_installation_keeps_demo_flag();

-- Mark this database as a demo, for demonstrations and tests. For the owner.
CREATE OR REPLACE FUNCTION ledger_mark_demo() RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE wallet_installation SET is_demo = true WHERE NOT is_demo
$$;

-- Shift the ledger's clock against the server's. For the owner, in a demo.
CREATE OR REPLACE FUNCTION ledger_shift_clock(p_shift interval) RETURNS timestamptz
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE wallet_installation SET clock_shift = p_shift;
    RETURN ledger_now();
END
$$;

-- Return the ledger's time.
CREATE OR REPLACE FUNCTION ledger_now() RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN clock_timestamp() + (SELECT clock_shift FROM wallet_installation WHERE id = 1);
END
$$;
GRANT EXECUTE ON FUNCTION ledger_now() TO rummy_app;

-- Return what a player holds in a currency: in the buckets, and own parts in games. Winnings in games that are
-- still running are left out, because they change without a lock on the player's accounts.
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

-- Return whether a grant of play points, and the player's holding after a refill, are within the limits.
CREATE OR REPLACE FUNCTION wallet_is_within_limits(
    p_document text, p_player bigint, p_currency text, p_granted numeric
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    site CONSTANT wallet_installation := (SELECT h FROM wallet_installation AS h WHERE h.id = 1);
BEGIN
    RETURN CASE p_document
        WHEN 'sign_up' THEN p_granted <= site.sign_up_points_minor
        WHEN 'refill' THEN wallet_held_of(p_player, p_currency) <= site.refill_points_to_minor END;
END
$$;
