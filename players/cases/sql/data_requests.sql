-- A request's text is immutable; it is answered once.
REVOKE UPDATE, DELETE, TRUNCATE ON players_datarequest FROM rummy_app;
GRANT UPDATE (answered_at, answered_by_id) ON players_datarequest TO rummy_app;

CREATE OR REPLACE TRIGGER answered_once BEFORE UPDATE ON players_datarequest
    FOR EACH ROW WHEN (
        OLD.answered_at IS NOT NULL
        OR (OLD.id, OLD.player_id, OLD.about, OLD.text, OLD.asked_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.about, NEW.text, NEW.asked_at))
    EXECUTE FUNCTION core_refuse_rewriting('a request is answered once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_datarequest
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('requests are never deleted');
