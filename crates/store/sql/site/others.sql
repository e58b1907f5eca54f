-- The number of other sites of the utility.
SELECT count(*) FROM low_carbon_site WHERE client_id = $1 AND device_id <> $2
