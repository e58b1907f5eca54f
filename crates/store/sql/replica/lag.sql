-- How many seconds this standby is behind its primary: NULL if it has received nothing yet, or is no standby (any more): such a server ends at some time without
-- saying so.
SELECT CASE WHEN pg_is_in_recovery() THEN abs(extract(epoch FROM now() - pg_last_xact_replay_timestamp()))::double precision END
