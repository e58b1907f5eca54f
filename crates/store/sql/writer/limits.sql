-- Otherwise a leader that is disconnected or stopped within a transaction would delay the next leader's term (lead/begin_term).
SELECT set_config('idle_in_transaction_session_timeout', '10s', false)
