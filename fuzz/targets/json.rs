//! Fuzzes the JSON lane: no payload panics with any builtin mapping, and no file of mappings panics.
#![no_main]

use std::sync::LazyLock;

use field::json::Mappings;
use libfuzzer_sys::fuzz_target;

static MAPPINGS: LazyLock<Mappings> = LazyLock::new(|| {
    let of = |(number, name): (usize, &str)| {
        let topic = if name == "text" { "t/{node}/{device}/{point...}".to_owned() } else { format!("m{number}/{{node}}/{{device}}") };
        format!("[[mapping]]\nbuiltin = \"{name}\"\ngroup = \"G\"\ntopic = \"{topic}\"\n")
    };
    let text: String = Mappings::builtin_names().into_iter().enumerate().map(of).collect();
    Mappings::from_toml(&text).expect("the shipped mappings work")
});

fuzz_target!(|bytes: &[u8]| {
    for topic in ["m0/n/d", "m1/n/d", "m2/n/d", "m3/n/d", "t/n/d/p"] {
        let _ = MAPPINGS.read(topic, bytes);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        if let Ok(mappings) = Mappings::from_toml(text) {
            let _ = mappings.read("a/b/c", b"{\"a\":[1]}");
        }
    }
});
