SELECT host, client_id, logo, favi_icon, favi_icon_text, footer_text, map_url, title, login_variant, servers
FROM brand
WHERE host = $1 AND client_id = $2
FOR UPDATE
