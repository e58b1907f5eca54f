-- One discovery at a time in a utility: two births of one new gateway would otherwise conflict.
SELECT pg_advisory_xact_lock(hashtextextended('switchyard discover', $1::bigint))
