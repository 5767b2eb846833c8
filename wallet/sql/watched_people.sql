-- Who may do what, and who may play for money: rights of people and of groups, kept in versions.
SELECT wallet_watch('players_user', 'only',
    '{id, public_id, is_bot, is_staff, is_superuser, is_active, birth_date, country, region}',
    '{public_id, is_bot, is_staff, is_superuser, is_active, birth_date, country, region}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'players_user_groups', 'players_user_user_permissions', 'auth_group_permissions']) AS name;
