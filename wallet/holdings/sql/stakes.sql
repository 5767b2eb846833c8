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

REVOKE ALL ON FUNCTION wallet_part_of_open_stake() FROM PUBLIC, rummy_app;
