-- References noted before they had a column of their own; of two with one reference the first keeps it.
GRANT UPDATE (bank_reference) ON wallet_withdrawal TO rummy_app;
ALTER TABLE wallet_withdrawal DISABLE TRIGGER forwards;
UPDATE wallet_withdrawal AS w SET bank_reference = w.remark
WHERE w.status = 'paid' AND w.bank_reference = '' AND NOT EXISTS (
    SELECT FROM wallet_withdrawal AS first
    WHERE first.status = 'paid' AND first.currency = w.currency AND first.remark = w.remark
        AND first.id < w.id);
ALTER TABLE wallet_withdrawal ENABLE TRIGGER forwards;
