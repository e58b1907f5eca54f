-- Allows one decision about a utility's commands at a time: what is read under this lock does not change until the end of the transaction, and offsets are in
-- commit order. An activation of a network takes it too.
SELECT epoch, top FROM stream WHERE client_id = $1 AND kind = 'command' FOR UPDATE
