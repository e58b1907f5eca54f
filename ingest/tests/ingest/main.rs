//! Tests ingest with a real broker and a real database.

mod backlog;
mod json_lane;
mod latest;
mod leadership;
mod link;
mod live_path;
mod panics;
mod rig;
mod sessions;
mod shards;
mod spool;
mod stall;
mod writer;
