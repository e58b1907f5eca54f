-- The start of the oldest range for which one of some levels is not computed yet. A range that was set aside cannot be computed: it would hold up the expiry of
-- all utilities for ever.
SELECT min(lo) AS lo FROM rollup_dirty WHERE level = ANY ($1::smallint[]) AND NOT aside
