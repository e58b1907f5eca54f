-- Until the end of the transaction rows of another utility can neither be read nor written, even if a statement is wrong.
SELECT set_config('app.client_id', $1, true)
