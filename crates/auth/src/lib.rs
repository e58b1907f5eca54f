//! Passwords, tokens, sessions.
