//! Fuzzes drawings in files: the product's format, SCL, and SVG with its metadata. Each imported drawing must be valid in the product's format.
#![no_main]

use drawing::layout::{Asset, PointOfAsset};
use drawing::schema::File;
use drawing::{check, scl, source, svg};
use libfuzzer_sys::fuzz_target;

const SVG: &[u8] =
    br#"<svg><g id="b"><line x2="90"/></g><g id="c" transform="translate(9,-40)"/><g id="w"><polyline points="9,0,9,-30"/></g></svg>"#;
const METADATA: &[u8] = br#"{"nodes":[{"id":"b","componentType":"BUSBAR_SECTION"},{"id":"c","componentType":"BREAKER"}],"wires":[{"id":"w","nodeId1":"b","nodeId2":"c"}]}"#;

fn good(file: &File) {
    let text = serde_json::to_vec(file).expect("json");
    let again = check::read(&text).expect("what is made is a good drawing");
    assert_eq!(&again, file);
}

fuzz_target!(|bytes: &[u8]| {
    let _ = source::of(bytes);
    let point = PointOfAsset { address: "d/a/Pos".into(), code: "Pos".into(), double: Some(true), ..PointOfAsset::default() };
    let assets = [Asset { code: "a".into(), points: vec![point], ..Asset::default() }];
    if let Ok(file) = check::read(bytes) {
        good(&file);
    }
    // Within a valid frame, so that the elements are parsed.
    let within = [br#"{"format":"switchyard-sld","version":1,"name":"","size":{"width":9,"height":9},"elements":["#, bytes, b"]}"].concat();
    if let Ok(file) = check::read(&within) {
        good(&file);
    }
    let level = [
        b"<SCL><Substation name=\"s\"><VoltageLevel name=\"v\"><Bay name=\"b\">".as_slice(),
        bytes,
        b"</Bay></VoltageLevel></Substation></SCL>",
    ]
    .concat();
    for text in [bytes, &level] {
        if let Ok(imported) = scl::read(text, None, &assets) {
            good(&imported.file);
        }
    }
    for (picture, metadata) in [(bytes, METADATA), (SVG, bytes)] {
        if let Ok(imported) = svg::read(picture, metadata, "s", &assets) {
            good(&imported.file);
        }
    }
});
