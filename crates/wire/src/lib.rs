//! All that crosses a process: REST envelope and rows, socket messages, bus messages.
