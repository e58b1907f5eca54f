COPY sample (point_id, ts, recv_ts, value, quality) FROM STDIN BINARY
