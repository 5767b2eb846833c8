-- A doubt about a player's location is settled once, and neither rewritten nor deleted.
SELECT core_change_only('players_placedoubt', '{settled_at, settlement, settled_by_id, reason}',
    'a doubt is settled once and never rewritten', 'OLD.settled_at IS NOT NULL');
