-- Which rows of finance are kept in versions, to be compared by the ledger's audit (wallet/audit/sql/versions.sql).
SELECT wallet_watch('finance_dailyclose', p_key => 'day');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'finance_dailytotal', 'finance_export', 'finance_gatewayfile', 'finance_gatewayline', 'finance_bankstatement',
    'finance_bankline', 'finance_webhookendpoint', 'finance_chartaccount']) AS name;
-- When a token was last used is of no account.
SELECT wallet_watch('finance_financetoken', 'but', '{last_used_at}');
