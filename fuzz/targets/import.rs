//! Fuzzes files with a hierarchy or with cables: no file panics the parser, and a rejected file has a reason.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    store::import::fuzz(bytes);
    // After a valid heading, so that the cells are parsed.
    let heading = b"level,code,name,parent,kv,lat,lon,type,class,device,customers,control,sbo\n";
    store::import::fuzz(&[heading.as_slice(), bytes].concat());
    store::cable::fuzz(bytes);
    let heading = b"cable_object_id,substation,feeder,cable,section,voltage_kv,installed_year,length_km,load_mva,line\n";
    store::cable::fuzz(&[heading.as_slice(), bytes].concat());
});
