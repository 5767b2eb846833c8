-- The wallet's tables with versions. Balances, remainders of bonuses and states of parts of stakes are recomputed
-- from entries, movements and changes instead.
SELECT wallet_watch('wallet_account', 'only',
    '{id, public_id, kind, player_id, ref, shard, currency, floor_minor, status, created_at}', '{status}');
SELECT wallet_watch('wallet_bookedday', p_key => 'day');
SELECT wallet_watch('wallet_bonusgrant', 'but', '{remaining_minor}');
SELECT wallet_watch('wallet_stakepart', 'but', '{consumed_minor, returned_minor}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'wallet_idempotentrequest', 'wallet_stake', 'wallet_stakepartchange', 'wallet_stackchange', 'wallet_bonusmovement',
    'wallet_bonusrequest',
    'wallet_deposit', 'wallet_gatewayevent', 'wallet_stafftask',
    'wallet_registeredpayee', 'wallet_withdrawal', 'wallet_payoutbatch', 'wallet_taxrate', 'wallet_withholding', 'wallet_gstcharge',
    'wallet_taxresidence',
    'wallet_gatewaysettlement', 'wallet_adjustment', 'wallet_restitution', 'wallet_restitutionline', 'wallet_accountfreeze', 'wallet_withdrawalfreeze', 'wallet_auditrun', 'wallet_seal',
    'core_auditentry', 'core_archivedmonth']) AS name;
-- Rights of users and groups, eligibility for cash play, and sign-in data.
SELECT wallet_watch('players_user', 'only',
    '{id, public_id, is_bot, is_guest, is_staff, is_superuser, is_active, birth_date, country, region, email, password}',
    '{public_id, is_bot, is_guest, is_staff, is_superuser, is_active, birth_date, country, region, email, password}',
    p_hashed => '{email, password}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'players_user_groups', 'players_user_user_permissions', 'auth_group_permissions']) AS name;
-- The policies of transfers deserve versions as much as transfers.
SELECT wallet_watch('wallet_policy', p_key => 'name');
-- Identity of players, places where games are offered, and holds. Codes, attempts and e-mails are excluded, as is
-- the content of documents, which is megabytes; addresses and secrets are stored as hashes.
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'players_region', 'players_regionchange', 'players_identitycheck', 'players_hold', 'players_break',
    'players_placedoubt', 'players_ownlimit', 'players_taxnumber', 'players_datarequest', 'players_case', 'players_remark']) AS name;
SELECT wallet_watch('players_helprequest', p_hashed => '{email}');
SELECT wallet_watch('players_identitydocument', 'only',
    '{id, public_id, identity_check_id, media_type, size_bytes, delete_at, deleted_at}');
SELECT wallet_watch('players_providercheck', 'but', '{tries, next_try_at}');
SELECT wallet_watch('players_phonenumber', 'but', '{code_hash, code_made_at, code_guesses, codes_made}',
    p_hashed => '{number_hash}');
SELECT wallet_watch('players_accountchange', 'but', '{unsent, mail_tries}', p_hashed => '{subject}');
-- Sign-in methods of an account.
SELECT wallet_watch('players_factorlink', p_hashed => '{sent_to}');
SELECT wallet_watch('mfa_authenticator', 'but', '{last_used_at}', p_hashed => '{data}');
SELECT wallet_watch('account_emailaddress', p_hashed => '{email}');
SELECT wallet_watch('players_playertoken', 'but', '{last_used_at}', p_hashed => '{session_key}');
