-- References from a table's rows to deals, seats and windows are compared together with the table's key,
-- as distribution by table needs it (docs/adr/0009-keys-for-distribution-and-partitions.md).
DO $$
DECLARE
    link record;
BEGIN
    FOR link IN SELECT * FROM (VALUES
        ('tables_dealseat', 'deal_id', 'tables_deal'), ('tables_dealseat', 'seat_id', 'tables_seat'),
        ('tables_dealsecret', 'deal_id', 'tables_deal'), ('tables_reveal', 'deal_id', 'tables_deal'),
        ('tables_move', 'deal_id', 'tables_deal'), ('tables_move', 'seat_id', 'tables_seat'),
        ('tables_score', 'deal_id', 'tables_deal'), ('tables_score', 'seat_id', 'tables_seat'),
        ('tables_clientseed', 'deal_id', 'tables_deal'), ('tables_clientseed', 'seat_id', 'tables_seat'),
        ('tables_elimination', 'deal_id', 'tables_deal'), ('tables_elimination', 'seat_id', 'tables_seat'),
        ('tables_window', 'deal_id', 'tables_deal'), ('tables_window', 'proposed_by_id', 'tables_seat'),
        ('tables_answer', 'window_id', 'tables_window'), ('tables_answer', 'seat_id', 'tables_seat'),
        ('tables_result', 'seat_id', 'tables_seat'), ('tables_buyin', 'seat_id', 'tables_seat'),
        ('tables_seatorigin', 'seat_id', 'tables_seat')
    ) AS links (held, named_by, named) LOOP
        EXECUTE format(
            'ALTER TABLE %I ADD CONSTRAINT %I FOREIGN KEY (table_id, %I) REFERENCES %I (table_id, id)
             DEFERRABLE INITIALLY DEFERRED',
            link.held, link.held || '_' || link.named_by || '_of_its_table', link.named_by, link.named);
    END LOOP;
END
$$;
