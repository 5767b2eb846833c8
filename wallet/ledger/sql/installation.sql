-- The house's time: one clock for everything in the ledger, and the days that transfers count in.

-- What this database is for. One row, made with the schema. A database for demonstrations and tests is
-- marked as one before its first transfer; only there may the owner let the house's time run ahead or
-- behind, so that data of many weeks can be made through the services. The application may do neither.
CREATE TABLE IF NOT EXISTS wallet_installation (
    id smallint PRIMARY KEY CHECK (id = 1),
    is_demo boolean NOT NULL DEFAULT false,
    clock_shift interval NOT NULL DEFAULT interval '0',
    -- Above so many units of a currency three people see to a withdrawal: the setting of that name, as migrated.
    three_people_above bigint NOT NULL DEFAULT 100000 CHECK (three_people_above >= 0),
    -- Play points given at sign-up, and what they are filled up to once a day, at most and in minor units: the
    -- settings of those names, as migrated.
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
REVOKE ALL ON FUNCTION wallet_installation_keeps_demo_flag() FROM PUBLIC, rummy_app;
CREATE OR REPLACE TRIGGER keeps_demo_flag BEFORE UPDATE OR DELETE ON wallet_installation
    FOR EACH ROW EXECUTE FUNCTION wallet_installation_keeps_demo_flag();
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_installation
    EXECUTE FUNCTION wallet_installation_keeps_demo_flag();

-- Mark this database as one for demonstrations and tests. For the owner.
CREATE OR REPLACE FUNCTION ledger_mark_demo() RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE wallet_installation SET is_demo = true WHERE NOT is_demo
$$;

-- Let the house's time differ from the server's by so much. For the owner, in a demo.
CREATE OR REPLACE FUNCTION ledger_shift_clock(p_shift interval) RETURNS timestamptz
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE wallet_installation SET clock_shift = p_shift;
    RETURN ledger_now();
END
$$;
REVOKE ALL ON FUNCTION ledger_mark_demo(), ledger_shift_clock(interval) FROM PUBLIC, rummy_app;

-- The house's time.
CREATE OR REPLACE FUNCTION ledger_now() RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN clock_timestamp() + (SELECT clock_shift FROM wallet_installation WHERE id = 1);
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
    house CONSTANT wallet_installation := (SELECT h FROM wallet_installation AS h WHERE h.id = 1);
BEGIN
    RETURN CASE p_document
        WHEN 'sign_up' THEN p_granted <= house.sign_up_points_minor
        WHEN 'refill' THEN wallet_held_of(p_player, p_currency) <= house.refill_points_to_minor END;
END
$$;
REVOKE ALL ON FUNCTION
    wallet_held_of(bigint, text), wallet_is_within_limits(text, bigint, text, numeric)
FROM PUBLIC, rummy_app;
