//! Tests commands to an RTU through a real broker: commands are sent as DCMD, answers and positions are returned as DDATA.

mod bench;
mod machine;
mod orders;
