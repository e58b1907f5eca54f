-- The hashed text is built here and not by the function in the database, which an attacker could have changed together with the rows.
SELECT
    seq, hash,
    jsonb_build_array(
        chain, seq, (extract(epoch FROM at) * 1000000)::bigint, client_id, actor_id, session_id, action, subject, before, after, from_address,
        correlation_id)::text AS canonical
FROM audit
WHERE chain = $1 AND seq > $2
ORDER BY seq
LIMIT $3
