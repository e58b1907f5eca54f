-- Stores a packed row.
INSERT INTO rollup_1m (
    point_id, start, base, step, n, bad, worst, last_at, first_at, received_first, received_last, held_ms,
    value_last, value_first, value_min, value_max, value_mean, exact_last, exact_first, exact_min, exact_max, exact_mean)
VALUES ($1, $2, $3, $4, $5::integer[], $6::integer[], $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
ON CONFLICT (point_id, start) DO UPDATE SET
    base = excluded.base,
    step = excluded.step,
    n = excluded.n,
    bad = excluded.bad,
    worst = excluded.worst,
    last_at = excluded.last_at,
    first_at = excluded.first_at,
    received_first = excluded.received_first,
    received_last = excluded.received_last,
    held_ms = excluded.held_ms,
    value_last = excluded.value_last,
    value_first = excluded.value_first,
    value_min = excluded.value_min,
    value_max = excluded.value_max,
    value_mean = excluded.value_mean,
    exact_last = excluded.exact_last,
    exact_first = excluded.exact_first,
    exact_min = excluded.exact_min,
    exact_max = excluded.exact_max,
    exact_mean = excluded.exact_mean
