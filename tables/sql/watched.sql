-- Which rows of games are kept in versions, to be compared by the ledger's audit (wallet/sql/versions.sql): what
-- a table was opened with, who sat where, and what came of it. Phases, clocks and groups of cards are not.
SELECT wallet_watch('tables_table', 'only',
    '{id, public_id, profile_id, stake_mode, currency, entry_minor, point_value_minor, rake_bps,
      escrow_account_id, owner_ref, rejoin_account_id, stop_at_survivors, starters, ending}',
    '{stake_mode, currency, entry_minor, point_value_minor, rake_bps, profile_id, escrow_account_id, owner_ref,
      rejoin_account_id, stop_at_survivors, starters, ending}');
SELECT wallet_watch('tables_seat', 'only', '{id, table_id, player_id, number, joined_at, left_at}',
    '{table_id, player_id, number, left_at}');
SELECT wallet_watch('tables_deal', 'only', '{id, public_id, table_id, no, commitment, chain, ending}',
    '{table_id, no, ending}');
SELECT wallet_watch('tables_dealseat', 'only', '{id, deal_id, seat_id, position}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'tables_score', 'tables_elimination', 'tables_result', 'tables_buyin', 'tables_window', 'tables_answer',
    'tables_ruling', 'tables_dispute', 'tables_ruleprofile', 'tables_tabletemplate']) AS name;
