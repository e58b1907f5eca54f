SELECT client_id, kind, epoch, top FROM stream WHERE kind IN ('event', 'command', 'alarm', 'fault', 'tag', 'area') ORDER BY client_id
