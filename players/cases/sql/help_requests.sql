-- The text of a message to support is immutable; it is answered once.
SELECT core_change_only('players_helprequest', '{answered_at, answered_by_id}',
    'a message to support is answered once and never rewritten', 'OLD.answered_at IS NOT NULL');
-- Whether an answer was sent is written; the row stays.
REVOKE DELETE, TRUNCATE ON players_remarkemail FROM rummy_app;
