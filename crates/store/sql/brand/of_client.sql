SELECT host, client_id, logo, favi_icon, favi_icon_text, footer_text, map_url, title, login_variant, servers
FROM brand
WHERE client_id = $1
ORDER BY host
