-- What holds where is appended and never rewritten; a request for it is decided once.
REVOKE UPDATE, DELETE, TRUNCATE ON players_region, players_regionchange FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at) ON players_regionchange TO rummy_app;

CREATE OR REPLACE TRIGGER decided_once BEFORE UPDATE ON players_regionchange
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.id, OLD.country, OLD.region, OLD.offer, OLD.age_min, OLD.withdrawal_needs_identity,
            OLD.begins_at, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.id, NEW.country, NEW.region, NEW.offer, NEW.age_min, NEW.withdrawal_needs_identity,
            NEW.begins_at, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION core_refuse_rewriting('a request is decided once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_regionchange
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('staff actions are kept');
CREATE OR REPLACE TRIGGER stays BEFORE UPDATE OR DELETE ON players_region
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('what held where is kept');

-- A region without a request came with a release, whose migrations the owner of the schema runs. Every other one takes
-- over what two members of staff agreed on, and begins no sooner.
CREATE OR REPLACE FUNCTION players_region_was_requested() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.change_id IS NULL AND NOT pg_has_role(
        current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
    THEN
        RAISE EXCEPTION 'INSERT on players_region is refused: it names no request'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION players_region_was_requested() FROM PUBLIC, rummy_app;
CREATE OR REPLACE TRIGGER was_requested BEFORE INSERT ON players_region
    FOR EACH ROW EXECUTE FUNCTION players_region_was_requested();
