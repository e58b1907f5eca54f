SELECT gateway_id, to_char(day, 'YYYY-MM-DD') AS day, taken, late, missing, skew_ms, last_message
FROM gateway_day
WHERE client_id = $1 AND gateway_id = ANY ($2::bigint[]) AND day BETWEEN $3::text::date AND $4::text::date
ORDER BY gateway_id, gateway_day.day
