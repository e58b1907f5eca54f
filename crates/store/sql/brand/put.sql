-- No row if the host belongs to another utility.
INSERT INTO brand (host, client_id, logo, favi_icon, favi_icon_text, footer_text, map_url, title, login_variant, servers)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (host) DO UPDATE SET
    logo = excluded.logo, favi_icon = excluded.favi_icon, favi_icon_text = excluded.favi_icon_text, footer_text = excluded.footer_text,
    map_url = excluded.map_url, title = excluded.title, login_variant = excluded.login_variant, servers = excluded.servers
WHERE brand.client_id IS NOT DISTINCT FROM excluded.client_id
