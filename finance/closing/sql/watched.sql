-- Tables of finance whose row versions are recorded for the ledger's audit (wallet/audit/sql/versions.sql).
SELECT wallet_watch('finance_dailyclose', p_key => 'day');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'finance_dailytotal', 'finance_balancetree', 'finance_export', 'finance_gatewayfile', 'finance_gatewayline', 'finance_bankstatement',
    'finance_bankline', 'finance_bankexplanation', 'finance_webhookendpoint', 'finance_chartaccount']) AS name;
-- Changes of `last_used_at` are not recorded.
SELECT wallet_watch('finance_financetoken', 'but', '{last_used_at}');
