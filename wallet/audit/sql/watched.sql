-- Which of the wallet's rows are kept in versions. Balances, what is left of bonuses, and what became of parts of
-- stakes are recomputed from their entries, movements and changes instead.
SELECT wallet_watch('wallet_account', 'only',
    '{id, public_id, kind, player_id, ref, shard, currency, floor_minor, status, created_at}', '{status}');
SELECT wallet_watch('wallet_bookedday', p_key => 'day');
SELECT wallet_watch('wallet_bonusgrant', 'but', '{remaining_minor}');
SELECT wallet_watch('wallet_stakepart', 'but', '{consumed_minor, returned_minor}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'wallet_idempotentrequest', 'wallet_stake', 'wallet_stakepartchange', 'wallet_stackchange', 'wallet_bonusmovement',
    'wallet_bonusrequest',
    'wallet_deposit', 'wallet_gatewayevent', 'wallet_stafftask', 'wallet_ownlimit',
    'wallet_registeredpayee', 'wallet_withdrawal', 'wallet_payoutbatch', 'wallet_taxrate', 'wallet_withholding', 'wallet_gstcharge',
    'wallet_taxresidence',
    'wallet_gatewaysettlement', 'wallet_adjustment', 'wallet_restitution', 'wallet_restitutionline', 'wallet_accountfreeze', 'wallet_withdrawalfreeze', 'wallet_auditrun', 'wallet_seal',
    'core_auditentry', 'core_archivedmonth']) AS name;
-- Who may do what, and who may play for money: rights of people and of groups, kept in versions.
SELECT wallet_watch('players_user', 'only',
    '{id, public_id, is_bot, is_staff, is_superuser, is_active, birth_date, country, region}',
    '{public_id, is_bot, is_staff, is_superuser, is_active, birth_date, country, region}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'players_user_groups', 'players_user_user_permissions', 'auth_group_permissions']) AS name;
-- What a transfer may move is no less worth a version than the transfers.
SELECT wallet_watch('wallet_policy', p_key => 'name');
