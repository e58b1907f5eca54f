//! An RTU that is ordered to operate, through a real broker: orders go out as DCMD, answers and positions come back as DDATA.

mod bench;
mod machine;
mod orders;
