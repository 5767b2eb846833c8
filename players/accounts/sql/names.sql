-- Copies of players' names for tables (players/accounts/models.py), written only by this trigger.
CREATE FUNCTION players_copy_name() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO players_playername (player_id, handle, is_bot, avatar, owner_id)
    VALUES (NEW.id, NEW.handle, NEW.is_bot, NEW.avatar, NEW.owner_id)
    ON CONFLICT (player_id) DO UPDATE SET handle = excluded.handle, is_bot = excluded.is_bot,
        avatar = excluded.avatar, owner_id = excluded.owner_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER name_copied AFTER INSERT OR UPDATE OF handle, is_bot, avatar, owner_id ON players_user
    FOR EACH ROW EXECUTE FUNCTION players_copy_name();
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON players_playername FROM rummy_app;
