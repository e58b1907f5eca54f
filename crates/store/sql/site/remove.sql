-- Its demand files are deleted with it.
DELETE FROM low_carbon_site WHERE client_id = $1 AND device_id = $2
