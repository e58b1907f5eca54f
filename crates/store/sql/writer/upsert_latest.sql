-- The rule of grid::Reading::supersedes: readings are ordered as ingest numbered them, whatever their source times. Epochs below -2^63 + 2^32 are leadership
-- terms of ingest. Readings of earlier releases have other epochs: they precede all others and are ordered by source time.
INSERT INTO latest (point_id, client_id, source_ts, recv_ts, epoch, seq, value, quality)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::float8[], $8::smallint[])
ON CONFLICT (point_id) DO UPDATE SET
    source_ts = excluded.source_ts, recv_ts = excluded.recv_ts, epoch = excluded.epoch, seq = excluded.seq,
    value = excluded.value, quality = excluded.quality
WHERE (
    CASE WHEN excluded.epoch < -9223372032559808512 THEN excluded.epoch ELSE '-9223372036854775808'::bigint END,
    CASE WHEN excluded.epoch < -9223372032559808512 THEN excluded.seq ELSE 0 END,
    excluded.source_ts, excluded.epoch, excluded.seq
) > (
    CASE WHEN latest.epoch < -9223372032559808512 THEN latest.epoch ELSE '-9223372036854775808'::bigint END,
    CASE WHEN latest.epoch < -9223372032559808512 THEN latest.seq ELSE 0 END,
    latest.source_ts, latest.epoch, latest.seq
) OR (
    -- A doubt about the stored reading itself, which was committed after it.
    (excluded.epoch, excluded.seq, excluded.source_ts) = (latest.epoch, latest.seq, latest.source_ts) AND excluded.quality > latest.quality
)
