-- Wind-down reports are kept as they were created.
SELECT core_append_only('wallet_owedline', 'wind-down reports are kept');
SELECT core_change_only('wallet_owedreport', '{mailed_at}',
    'wind-down reports are kept', 'OLD.mailed_at IS NOT NULL');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY['wallet_owedreport', 'wallet_owedline']) AS name;
