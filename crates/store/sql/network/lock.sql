-- Lets one user at a time store or activate a version of a utility.
SELECT pg_advisory_xact_lock(hashtextextended('switchyard network', $1::bigint))
