-- Runs under the lock on the utility's stream row, so no other transaction adds events of the utility and the search for stored ones is exact. Only new rows
-- get an offset, in the order of the batch. A point that does not exist, or belongs to another utility, has a NULL asset_id and fails the statement.
--
-- A change can be reported twice: by a birth, which has no number (seq 0), and by the outbox. It is one event, whichever is received first. The first number
-- received for an event of a birth becomes the number of that event, so a further report of the same change at the same time is another event.
--
-- A change without a number is identified by its value, because the index within its message does not distinguish two messages: another value at the same time
-- is another change, the same value is the same message again. Its index is the next free one of its time.
--
-- $11 and $12 are the first and last source time of the batch. They exclude other partitions from each search.
WITH numbered AS (
    SELECT DISTINCT ON (point_id, source_ts, epoch, seq, CASE WHEN seq = 0 THEN value END, CASE WHEN seq <> 0 THEN idx END) *
    FROM unnest($3::bigint[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::smallint[], $8::timestamptz[], $9::float8[], $10::smallint[])
        WITH ORDINALITY AS t (point_id, source_ts, epoch, seq, idx, recv_ts, value, quality, n)
    ORDER BY point_id, source_ts, epoch, seq, CASE WHEN seq = 0 THEN value END, CASE WHEN seq <> 0 THEN idx END, n
), incoming AS (
    SELECT *, bool_or(seq <> 0) OVER change AS in_outbox, row_number() OVER (change ORDER BY seq = 0, epoch, seq, idx) AS turn
    FROM numbered
    WINDOW change AS (PARTITION BY point_id, source_ts, value)
), unknown AS (
    SELECT * FROM incoming i
    WHERE NOT EXISTS (
        SELECT FROM event e
        WHERE e.point_id = i.point_id AND e.source_ts = i.source_ts AND e.source_ts BETWEEN $11 AND $12 AND e.epoch = i.epoch AND e.seq = i.seq
            AND CASE WHEN i.seq = 0 THEN e.value IS NOT DISTINCT FROM i.value ELSE e.idx = i.idx END
    )
), claimed AS (
    UPDATE event e SET epoch = u.epoch, seq = u.seq, idx = u.idx
    FROM unknown u
    WHERE u.seq <> 0 AND u.turn = 1 AND e.point_id = u.point_id AND e.source_ts = u.source_ts AND e.seq = 0
        AND e.source_ts BETWEEN $11 AND $12 AND e.value IS NOT DISTINCT FROM u.value
        AND e.idx = (
            SELECT min(b.idx) FROM event b
            WHERE b.point_id = e.point_id AND b.source_ts = e.source_ts AND b.source_ts BETWEEN $11 AND $12 AND b.seq = 0
                AND b.value IS NOT DISTINCT FROM e.value
        )
    RETURNING u.n
), fresh AS (
    SELECT u.*, $2::bigint + row_number() OVER (ORDER BY u.n) AS place,
        CASE WHEN u.seq <> 0 THEN u.idx ELSE (
            coalesce((
                SELECT max(e.idx) FROM event e
                WHERE e.point_id = u.point_id AND e.source_ts = u.source_ts AND e.source_ts BETWEEN $11 AND $12 AND e.epoch = u.epoch AND e.seq = 0
            ), -1)
            + row_number() OVER (PARTITION BY u.point_id, u.source_ts, u.epoch, u.seq ORDER BY u.n)
        )::smallint END AS own_idx
    FROM unknown u
    WHERE u.n NOT IN (SELECT n FROM claimed) AND (u.seq <> 0 OR NOT u.in_outbox AND NOT EXISTS (
        SELECT FROM event e
        WHERE e.point_id = u.point_id AND e.source_ts = u.source_ts AND e.source_ts BETWEEN $11 AND $12 AND e.value IS NOT DISTINCT FROM u.value
            AND e.seq <> 0
    ))
), stored AS (
    INSERT INTO event (client_id, point_id, asset_id, location_id, source_ts, recv_ts, epoch, seq, "offset", value, idx, quality)
    SELECT $1::bigint, f.point_id, p.asset_id, a.location_id, f.source_ts, f.recv_ts, f.epoch, f.seq, f.place, f.value, f.own_idx, f.quality
    FROM fresh f
    LEFT JOIN point p ON p.id = f.point_id AND p.client_id = $1
    LEFT JOIN asset a ON a.id = p.asset_id
    RETURNING *
), newest AS (
    INSERT INTO event_newest (client_id, location_id, "offset")
    SELECT client_id, location_id, max("offset") FROM stored GROUP BY client_id, location_id
    ON CONFLICT (location_id) DO UPDATE SET "offset" = excluded."offset"
)
SELECT
    e.client_id, e.point_id, e.asset_id, e.location_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e."offset", e.value, e.quality,
    a.name AS asset_name, n.name AS location_name, p.code, p.encoding
FROM stored e
JOIN point p ON p.id = e.point_id
JOIN asset a ON a.id = e.asset_id
JOIN node n ON n.id = e.location_id
ORDER BY e."offset"
