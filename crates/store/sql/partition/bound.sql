-- A time as a literal for statements that take no parameters.
SELECT quote_literal(to_char($1::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00')
