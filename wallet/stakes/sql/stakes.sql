-- Guards of stakes and their parts, also for the schema's owner: payer, amount, game and rake are immutable, and
-- the outcome only moves forwards.
SELECT core_change_only('wallet_stake', '{status, closed_at}',
    'a stake keeps its terms');
CREATE TRIGGER closes_once BEFORE UPDATE ON wallet_stake
    FOR EACH ROW WHEN (
        OLD.status IN ('settled', 'refunded') OR OLD.status = 'lost' AND NEW.status = 'live')
    EXECUTE FUNCTION core_refuse_rewriting('a closed stake stays closed, a lost one lost');

CREATE TRIGGER keeps_its_terms BEFORE UPDATE ON wallet_stakepart
    FOR EACH ROW WHEN (
        (OLD.id, OLD.stake_id, OLD.account_id, OLD.position, OLD.amount_minor, OLD.is_won)
        IS DISTINCT FROM
        (NEW.id, NEW.stake_id, NEW.account_id, NEW.position, NEW.amount_minor, NEW.is_won)
        -- A part without a lot may get one, once.
        OR OLD.grant_id IS NOT NULL AND OLD.grant_id IS DISTINCT FROM NEW.grant_id)
    EXECUTE FUNCTION core_refuse_rewriting('a part of a stake keeps its terms');
SELECT core_never_delete('wallet_stakepart', 'parts of stakes stay on record');

-- Parts change only while their stake is open.
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
-- transaction is booked. A player's money in games at the end of a day is a sum of these rows (RB 11.4). Only
-- these triggers write them, with one statement for all parts that a statement changes.
CREATE FUNCTION wallet_record_part_changes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    day CONSTANT date := ledger_book_day((SELECT clock_shift FROM wallet_installation WHERE id = 1));
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

SELECT core_append_only('wallet_stakepartchange', 'changes of stakes are append-only');
REVOKE ALL ON wallet_stakepartchange FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_stakepartchange TO rummy_app;
REVOKE ALL ON SEQUENCE wallet_stakepartchange_id_seq FROM PUBLIC, rummy_app;
