//! Files with a hierarchy: no file panics the reader, and none is refused without a reason.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    store::import::fuzz(bytes);
    // Past the heading, so that the cells are reached.
    let heading = b"level,code,name,parent,kv,lat,lon,type,class,device,customers,control,sbo\n";
    store::import::fuzz(&[heading.as_slice(), bytes].concat());
});
