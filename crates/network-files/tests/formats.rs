//! Recognises formats by their content, and refuses what is none or is hostile.

use std::io::Write;

use network_files::{ImportError, read_bytes};
use proptest::prelude::*;

/// Returns a zip with files.
fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a zip in memory");
        zip.write_all(bytes).expect("a zip in memory");
    }
    zip.finish().expect("a zip in memory").into_inner()
}

const CIM: &str = "<?xml version=\"1.0\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:cim=\"http://iec.ch/TC57/CIM100#\">\
    <cim:ConnectivityNode rdf:ID=\"_n\"/></rdf:RDF>";
const SCL: &str = "<SCL xmlns=\"http://www.iec.ch/61850/2003/SCL\"><Substation name=\"S\"/></SCL>";
const PANDAPOWER: &str = "{\"_class\": \"pandapowerNet\", \"_object\": {\"bus\": {\"_class\": \"DataFrame\", \"orient\": \"split\", \
    \"_object\": \"{\\\"columns\\\":[\\\"vn_kv\\\"],\\\"index\\\":[0],\\\"data\\\":[[11]]}\"}}}";

#[test]
fn format_is_recognised_by_content() {
    let nodes = |bytes: &[u8]| {
        let imported = read_bytes("upload", bytes.to_vec()).unwrap_or_else(|error| panic!("{error}"));
        imported.description.nodes.into_iter().map(|node| node.id).collect::<Vec<_>>()
    };
    assert_eq!(nodes(PANDAPOWER.as_bytes()), ["bus:0"]);
    assert_eq!(nodes(CIM.as_bytes()), ["n"]);
    assert!(nodes(SCL.as_bytes()).is_empty());
    assert_eq!(nodes(&zip_of(&[("a/nodes.csv", b"id\na\n")])), ["a"]);
    assert_eq!(nodes(&zip_of(&[("Node.csv", b"id;vmR\nN1;20\n")])), ["N1"]);
    // Profiles are often zips in a zip, with a text beside them.
    let inner = zip_of(&[("EQ.xml", CIM.as_bytes())]);
    assert_eq!(nodes(&zip_of(&[("EQ.zip", &inner), ("readme.txt", b"hello")])), ["n"]);
}

#[test]
fn zip_in_zip_in_zip_is_refused() {
    let deep = zip_of(&[("c.zip", &zip_of(&[("b.zip", &zip_of(&[("a.xml", CIM.as_bytes())]))]))]);
    let error = read_bytes("upload.zip", deep).unwrap_err().to_string();
    assert!(error.ends_with("it is a zip in a zip in a zip; allowed is one zip in another"), "{error}");
    let many: Vec<(String, Vec<u8>)> = (0..600).map(|number| (format!("{number}.xml"), Vec::new())).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    assert_eq!(read_bytes("upload.zip", zip_of(&many)).unwrap_err().to_string(), "upload.zip: it has 600 files; allowed are 500");
}

#[test]
fn root_is_found_after_a_long_comment() {
    let comment = format!("<?xml version=\"1.0\"?><!-- {}<rdf:RDF> -->", "x".repeat(10_000));
    let scl = read_bytes("upload", format!("{comment}{SCL}").into_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scl.description.containers.len(), 1);
    let cim = CIM.split_once('\n').expect("two lines").1;
    assert_eq!(read_bytes("upload", format!("{comment}{cim}").into_bytes()).expect("a network").description.nodes.len(), 1);
}

#[test]
fn several_files_of_scl_are_read_together() {
    let other = SCL.replace("\"S\"", "\"T\"");
    let imported =
        read_bytes("upload", zip_of(&[("s.scd", SCL.as_bytes()), ("t.scd", other.as_bytes())])).unwrap_or_else(|error| panic!("{error}"));
    let ids: Vec<_> = imported.description.containers.iter().map(|container| container.id.as_str()).collect();
    assert_eq!(ids, ["S", "T"]);
}

#[test]
fn file_beside_a_network_is_noted() {
    let imported = read_bytes("upload", zip_of(&[("EQ.xml", CIM.as_bytes()), ("readme.txt", b"hello")])).expect("a network");
    let notes: Vec<_> = imported.notes.iter().map(|note| format!("{}: {}", note.place, note.reason)).collect();
    assert!(notes.contains(&"readme.txt: left out, because it is no XML, and the files beside it are".to_owned()), "{notes:?}");
}

/// Without this limit, a small zip with many of these entries takes minutes.
#[test]
fn inner_zips_count_for_the_size() {
    // Begins as a zip does, inflates to a third of the limit, and ends as an empty zip.
    let mut empty = b"PK\x03\x04".to_vec();
    empty.resize(usize::try_from(network_files::SIZE_LIMIT / 3).expect("a size"), 0);
    empty.extend(zip_of(&[]));
    let outer = zip_of(&[("1.zip", &empty), ("2.zip", &empty), ("3.zip", &empty), ("nodes.csv", b"id\na\n")]);
    assert!(outer.len() < 1 << 20);
    assert!(matches!(read_bytes("upload.zip", outer), Err(ImportError::TooLarge(_))));
}

#[test]
fn what_is_no_network_is_refused() {
    assert!(matches!(read_bytes("x", b"hello".to_vec()), Err(ImportError::UnknownFormat)));
    assert!(matches!(read_bytes("x", b"<html/>".to_vec()), Err(ImportError::UnknownFormat)));
    assert_eq!(read_bytes("x", vec![0xff, 0xfe, 0x00]).unwrap_err().to_string(), "x: it is not UTF-8");
    assert!(matches!(read_bytes("x", b"PK\x03\x04damaged".to_vec()), Err(ImportError::File { .. })));
    assert!(read_bytes("x", b"{\"a\": 1}".to_vec()).unwrap_err().to_string().starts_with("the file is no pandapower network"));
}

proptest! {
    #[test]
    fn any_change_of_a_byte_is_read_or_refused(which in 0_usize..3, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = [PANDAPOWER, CIM, SCL][which].as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = read_bytes("x", bytes);
    }
}
