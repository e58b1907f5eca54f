-- To the end of the transaction: rows of another utility are neither read nor written, whatever a statement gets wrong.
SELECT set_config('app.client_id', $1, true)
