-- Older than anybody asks for, but the last of each link: it says how it has been since.
DELETE FROM link_change c
WHERE c.at < now() - INTERVAL '400 days'
  AND EXISTS (SELECT FROM link_change n WHERE n.gateway_id = c.gateway_id AND n.device = c.device AND n.at > c.at AND n.at < now() - INTERVAL '400 days')
