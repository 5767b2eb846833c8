-- Uploaded files of gateways and banks are append-only.

SELECT core_append_only('finance_gatewayfile', 'gateway files are append-only');
SELECT core_append_only('finance_gatewayline', 'gateway files are append-only');
SELECT core_append_only('finance_bankstatement', 'bank statements are append-only');
SELECT core_append_only('finance_bankline', 'bank statements are append-only');
SELECT core_append_only('finance_bankexplanation', 'explanations of bank lines are append-only');
