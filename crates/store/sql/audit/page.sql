-- What is hashed is put together here again, and not by the database's own function, which somebody may have changed with the rows.
SELECT
    seq, hash,
    jsonb_build_array(
        chain, seq, (extract(epoch FROM at) * 1000000)::bigint, client_id, actor_id, session_id, action, subject, before, after, from_address,
        correlation_id)::text AS canonical
FROM audit
WHERE chain = $1 AND seq > $2
ORDER BY seq
LIMIT $3
