-- A hold is lifted once, and neither rewritten nor deleted.
SELECT core_change_only('players_hold', '{lifted_by_id, lifted_at, lift_reason}',
    'a hold is lifted once and never rewritten', 'OLD.lifted_at IS NOT NULL');
