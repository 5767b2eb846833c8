-- Guards of adjustments: a request is immutable and decided once.

SELECT core_change_only('wallet_adjustment', '{status, checked_by_id, checked_at, transfer_id}',
    'a request is decided once and never rewritten', 'OLD.status <> ''requested''');
