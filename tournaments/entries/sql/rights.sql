REVOKE DELETE, TRUNCATE ON tournaments_tournament, tournaments_entry, tournaments_ticket,
    tournaments_round, tournaments_roundtable, tournaments_seating, tournaments_staffact
    FROM rummy_app;
REVOKE UPDATE, DELETE, TRUNCATE ON tournaments_prize, tournaments_tournamentsecret FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON tournaments_prize
FOR EACH ROW EXECUTE FUNCTION tables_refuse_rewriting_history();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON tournaments_tournamentsecret
FOR EACH ROW EXECUTE FUNCTION tables_refuse_rewriting_history();
REVOKE UPDATE, DELETE, TRUNCATE ON tournaments_ticketrefund FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, transfer_id) ON tournaments_ticketrefund TO rummy_app;
SELECT wallet_watch('tournaments_ticketrefund');
