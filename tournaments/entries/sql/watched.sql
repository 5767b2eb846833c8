-- Tables of tournaments whose row versions are recorded for the ledger's audit (wallet/audit/sql/versions.sql).
SELECT wallet_watch('tournaments_tournament', 'but', '{version, due_at, armed_at}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'tournaments_tournamenttemplate', 'tournaments_entry', 'tournaments_ticket', 'tournaments_prize',
    'tournaments_round', 'tournaments_roundtable', 'tournaments_seating', 'tournaments_staffaction']) AS name;
SELECT wallet_watch('tournaments_tournamentsecret', p_key => 'tournament_id');
