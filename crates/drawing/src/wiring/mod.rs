//! How the symbols and lines of a drawing are connected: its nodes, and which element stands on which.
