-- Seasons and what their end decided. Results and leaderboards are computed, and are deleted and written again by
-- `manage.py recompute_leagues`.
REVOKE DELETE, TRUNCATE ON tournaments_season, tournaments_board FROM rummy_app;
SELECT core_append_only('tournaments_outcome', 'history is append-only');

-- The terms of a season cannot change after it opens.
CREATE TRIGGER terms_fixed BEFORE UPDATE ON tournaments_season
FOR EACH ROW
WHEN (OLD.state <> 'planned' AND
    to_jsonb(OLD) - '{state,overlay_minor,counted_change,finished_at}'::text[]
        IS DISTINCT FROM to_jsonb(NEW) - '{state,overlay_minor,counted_change,finished_at}'::text[]
    OR OLD.finished_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION core_refuse_rewriting('the terms of a season cannot change after it opens');

SELECT wallet_watch('tournaments_season', 'but', '{counted_change}');
SELECT wallet_watch('tournaments_outcome');
