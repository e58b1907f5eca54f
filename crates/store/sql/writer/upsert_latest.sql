-- Forward only, by source time and then by the gateway's own order: the rule of grid::Reading::supersedes.
INSERT INTO latest (point_id, client_id, source_ts, recv_ts, epoch, seq, value, quality)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::float8[], $8::smallint[])
ON CONFLICT (point_id) DO UPDATE SET
    source_ts = excluded.source_ts, recv_ts = excluded.recv_ts, epoch = excluded.epoch, seq = excluded.seq,
    value = excluded.value, quality = excluded.quality
WHERE (excluded.source_ts, excluded.epoch, excluded.seq) > (latest.source_ts, latest.epoch, latest.seq)
