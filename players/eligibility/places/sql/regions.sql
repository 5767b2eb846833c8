-- Region rows are append-only; a change request is decided once.
SELECT core_change_only('players_regionchange', '{status, checked_by_id, checked_at}',
    'a request is decided once and never rewritten', 'OLD.status <> ''requested''');
SELECT core_append_only('players_region', 'region rows are append-only');

-- Rows without a change request come from migrations, which run as the owner of the schema. All other rows need a
-- request that two members of staff agreed on.
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
CREATE OR REPLACE TRIGGER was_requested BEFORE INSERT ON players_region
    FOR EACH ROW EXECUTE FUNCTION players_region_was_requested();
