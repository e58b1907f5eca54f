-- Deletes all dirty ranges within the ranges that are about to be computed.
DELETE FROM rollup_dirty d
USING unnest($2::bigint[], $3::timestamptz[], $4::timestamptz[]) AS taken (block, lo, hi)
WHERE d.level = $1 AND d.block = taken.block AND d.lo >= taken.lo AND d.hi <= taken.hi
