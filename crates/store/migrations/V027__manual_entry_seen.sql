-- Manual entries yield to telemetry by the numbers of readings.

ALTER TABLE manual_entry ADD COLUMN seen_epoch bigint;
ALTER TABLE manual_entry ADD COLUMN seen_seq bigint;
ALTER TABLE manual_entry ADD CHECK ((seen_epoch IS NULL) = (seen_seq IS NULL));
COMMENT ON COLUMN manual_entry.seen_epoch IS 'With seen_seq, the greatest number (latest.epoch and latest.seq) of the readings that the points of the value had at the entry: a reading with a greater one is newer. NULL for entries of earlier releases, and for positions that no point or several gateways report; their readings are compared by time.';
COMMENT ON COLUMN manual_entry.seen_seq IS 'See seen_epoch. NULL if seen_epoch is.';
