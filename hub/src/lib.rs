//! Live pictures to clients over Socket.IO.
