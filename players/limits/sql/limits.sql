-- Players' own limits are append-only: the next replaces the last.
SELECT core_append_only('players_ownlimit', 'own limits are append-only');
