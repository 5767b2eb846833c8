-- Rows of games of which versions are stored, for the ledger's audit (wallet/audit/sql/versions.sql): how a table was
-- opened, its seats and its results. Phases, clocks and card groups are not included.
SELECT wallet_watch('tables_table', 'only',
    '{id, public_id, profile_id, stake_mode, currency, entry_minor, point_value_minor, rake_bps,
      escrow_account_id, owner_ref, rejoin_account_id, stop_at_survivors, starters, ending}',
    '{stake_mode, currency, entry_minor, point_value_minor, rake_bps, profile_id, escrow_account_id, owner_ref,
      rejoin_account_id, stop_at_survivors, starters, ending}',
    p_over => 'phase', p_ends => '{finished, cancelled}',
    p_then => '{finished_at, started_at, created_at, name, template_id, opened_by_id, seats_min, seats_max}');
SELECT wallet_watch('tables_seat', 'only', '{id, table_id, player_id, number, joined_at, left_at, extra_chips}',
    '{table_id, player_id, number, left_at}');
SELECT wallet_watch('tables_deal', 'only', '{id, public_id, table_id, no, commitment, chain, redrawn, ending}',
    '{table_id, no, ending, redrawn}', p_over => 'status', p_ends => '{settled, void}',
    p_then => '{toss, started_at, ended_at, settled_at}');
SELECT wallet_watch('tables_dealseat', 'only', '{id, table_id, deal_id, seat_id, position}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'tables_score', 'tables_elimination', 'tables_result', 'tables_buyin', 'tables_window', 'tables_answer',
    'tables_ruling', 'tables_dispute', 'tables_reviewflag', 'tables_drain', 'tables_ruleprofile',
    'tables_playerreport', 'tables_tabletemplate']) AS name;
-- Proofs of a deal; seeds are stored as their hash.
SELECT wallet_watch('tables_clientseed');
SELECT wallet_watch('tables_dealsecret', p_key => 'deal_id');
SELECT wallet_watch('tables_reveal', p_key => 'deal_id');
