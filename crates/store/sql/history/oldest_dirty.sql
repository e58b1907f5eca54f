-- The start of the oldest range for which one of some levels is not computed yet, those set aside included.
SELECT min(lo) AS lo FROM rollup_dirty WHERE level = ANY ($1::smallint[])
