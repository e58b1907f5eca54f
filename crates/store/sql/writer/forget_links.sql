-- Deletes old changes, but not the last one of each link, which is its present state.
DELETE FROM link_change c
WHERE c.at < now() - INTERVAL '400 days'
  AND EXISTS (SELECT FROM link_change n WHERE n.gateway_id = c.gateway_id AND n.device = c.device AND n.at > c.at AND n.at < now() - INTERVAL '400 days')
