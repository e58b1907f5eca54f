-- How many seconds this server is behind its primary: 0 on a primary, NULL on a standby that has received nothing yet.
SELECT CASE WHEN pg_is_in_recovery()
            THEN extract(epoch FROM now() - pg_last_xact_replay_timestamp())::double precision
            ELSE 0 END
