-- A report keeps what was sent; a decision is final.
SELECT core_change_only('tables_playerreport', '{outcome, decided_by_id, decided_at, note}',
    'a report keeps what was sent, and its decision', 'OLD.outcome <> ''''');
