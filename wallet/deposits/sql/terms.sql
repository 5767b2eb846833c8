-- Guards of terms of new deposits: a request is immutable and decided once.
SELECT core_change_only('wallet_depositterm', '{status, checked_by_id, checked_at}',
    'a request is decided once and never rewritten', 'OLD.status <> ''requested''');

SELECT wallet_watch('wallet_depositterm');
