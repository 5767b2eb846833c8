-- A hold is lifted once, and neither rewritten nor forgotten.
REVOKE UPDATE, DELETE, TRUNCATE ON players_hold FROM rummy_app;
GRANT UPDATE (lifted_by_id, lifted_at, lift_reason) ON players_hold TO rummy_app;

CREATE OR REPLACE TRIGGER lifted_once BEFORE UPDATE ON players_hold
    FOR EACH ROW WHEN (
        OLD.lifted_at IS NOT NULL
        OR (OLD.id, OLD.player_id, OLD.kind, OLD.reason, OLD.set_by_id, OLD.set_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.kind, NEW.reason, NEW.set_by_id, NEW.set_at))
    EXECUTE FUNCTION core_refuse_rewriting('a hold is lifted once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_hold
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('staff actions are kept');
