-- Assigns a host without a utility to one, and returns the previous row.
UPDATE brand SET client_id = $2 WHERE host = $1 AND client_id IS NULL
RETURNING host, NULL::bigint AS client_id, logo, favi_icon, favi_icon_text, footer_text, map_url, title, login_variant, servers
