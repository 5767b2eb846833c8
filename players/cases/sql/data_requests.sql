-- A request's text is immutable; it is answered once.
SELECT core_change_only('players_datarequest', '{answered_at, answered_by_id}',
    'a request is answered once and never rewritten', 'OLD.answered_at IS NOT NULL');
