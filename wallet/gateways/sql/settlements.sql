-- Guards of gateway settlements: a request is immutable and decided once.

SELECT core_change_only('wallet_gatewaysettlement', '{status, checked_by_id, checked_at, transfer_id}',
    'a request is decided once and never rewritten', 'OLD.status <> ''requested''');
