REVOKE DELETE, TRUNCATE ON tables_window, tables_answer FROM rummy_app;
REVOKE DELETE, TRUNCATE ON tables_ruling, tables_drain, tables_reviewflag, tables_seatorigin, tables_shareddeal FROM rummy_app;
REVOKE UPDATE ON tables_ruling, tables_seatorigin, tables_ratingchange FROM rummy_app;
REVOKE UPDATE, DELETE, TRUNCATE ON tables_address FROM rummy_app;
