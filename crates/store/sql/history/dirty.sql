-- The ranges between two times that the rollup of level $2 may lack. Hours and days are both computed from ten minutes.
SELECT level, block, lo, hi
FROM rollup_dirty
WHERE block = ANY ($1::bigint[]) AND (level = $2 OR level < least($2, 3)) AND hi > $3 AND lo < $4
