-- The log of the registry has the assets whose supply of another substation changed: rows of the overview name such feeders.
CREATE TRIGGER registry_inserted AFTER INSERT ON feeds REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION log_registry_rows('asset', 'client_id', 'asset_id');
CREATE TRIGGER registry_deleted AFTER DELETE ON feeds REFERENCING OLD TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION log_registry_rows('asset', 'client_id', 'asset_id');
CREATE TRIGGER registry_updated AFTER UPDATE ON feeds REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION log_registry_updates('asset', 'client_id', 'asset_id');
