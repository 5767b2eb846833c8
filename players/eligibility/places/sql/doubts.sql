-- A doubt about a player's location is settled once, and neither rewritten nor deleted.
REVOKE UPDATE, DELETE, TRUNCATE ON players_placedoubt FROM rummy_app;
GRANT UPDATE (settled_at, settlement, settled_by_id, reason) ON players_placedoubt TO rummy_app;

CREATE OR REPLACE TRIGGER settled_once BEFORE UPDATE ON players_placedoubt
    FOR EACH ROW WHEN (
        OLD.settled_at IS NOT NULL
        OR (OLD.id, OLD.player_id, OLD.kind, OLD.declared_country, OLD.declared_region, OLD.seen_country,
            OLD.seen_region, OLD.noticed_at)
        IS DISTINCT FROM
           (NEW.id, NEW.player_id, NEW.kind, NEW.declared_country, NEW.declared_region, NEW.seen_country,
            NEW.seen_region, NEW.noticed_at))
    EXECUTE FUNCTION core_refuse_rewriting('a doubt is settled once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_placedoubt
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('doubts are never deleted');
