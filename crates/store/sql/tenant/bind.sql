SELECT set_config('app.client_id', $1, false)
