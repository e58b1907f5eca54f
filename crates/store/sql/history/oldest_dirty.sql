-- The start of the oldest range whose minutes are not computed yet.
SELECT min(lo) AS lo FROM rollup_dirty WHERE level = 1
