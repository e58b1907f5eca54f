-- A row if a version before the first release ran its migrations.
SELECT version FROM schema_migration WHERE version = 1 AND name = 'field'
