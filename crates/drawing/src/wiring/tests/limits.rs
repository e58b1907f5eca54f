//! Tests of the limits of the wiring, and of changes of the mark.

use super::*;

#[test]
fn other_devices_on_the_same_nodes_make_another_mark() {
    let of = |change: &dyn Fn(&mut Value)| {
        let rows = json!([{ "point": "F1/F1/Ir" }]);
        let mut sheet = json!([line(&[[0.0, 0.0], [0.0, 100.0]]), breaker(0.0, 40.0), { "id": "v", "class": "values", "rows": rows }]);
        change(&mut sheet);
        wire(sheet.as_array().expect("elements"))
    };
    let first = of(&|_| {});
    assert_eq!(first.mark(), of(&|sheet| sheet[1]["y"] = json!(41)).mark());
    for (what, change) in [
        ("the id", &(|sheet: &mut Value| sheet[1]["id"] = json!("other")) as &dyn Fn(&mut Value)),
        ("the asset", &|sheet| sheet[1]["asset"] = json!("F2CB")),
        ("the class", &|sheet| sheet[1]["class"] = json!("isolator")),
        ("the point", &|sheet| sheet[1]["position"]["point"] = json!("F2/F2CB/Pos")),
        ("the point of a value", &|sheet| sheet[2]["rows"][0]["point"] = json!("F2/F2/Ir")),
        ("the name of a node", &|sheet| sheet[0]["nodes"] = json!(["A", "B"])),
    ] {
        let other = of(change);
        assert_eq!(nodes(&other), nodes(&first), "{what}");
        assert_ne!(other.mark(), first.mark(), "{what}");
    }
}

#[test]
fn beyond_the_limits_nothing_is_wired() {
    let nothing = |elements: &[Value], excess: Excess| {
        let wiring = wire(elements);
        assert_eq!((wiring.excess, wiring.node_count, wiring.elements.len()), (Some(excess), 0, elements.len()));
        assert!(wiring.elements.iter().all(|wired| *wired == Wired::default()));
        assert!(wiring.branches.is_empty() && wiring.sources.is_empty() && wiring.earths.is_empty());
        assert_ne!(wiring.mark(), Wiring::default().mark());
    };
    let mut feeders: Vec<Value> = (0..=ELEMENTS_MAX).map(|number| at("feeder", number as f64 * 40.0, 0.0)).collect();
    nothing(&feeders, Excess::Elements);
    feeders.pop();
    feeders.push(at("text", 0.0, 0.0));
    assert_eq!((wire(&feeders).node_count, wire(&feeders).excess), (ELEMENTS_MAX, None), "what does not conduct does not count");
    let long: Vec<[f64; 2]> = (0..VERTICES_MAX).map(|number| [number as f64, 0.0]).collect();
    assert_eq!(wire(&[line(&long)]).node_count, 1);
    nothing(&[line(&long), line(&long[..2])], Excess::Vertices);
}

#[test]
fn what_is_made_to_take_long_is_given_up() {
    let half = ELEMENTS_MAX / 2;
    let of =
        |one: &dyn Fn(usize) -> Value, other: &dyn Fn(usize) -> Value| (0..half).flat_map(|at| [one(at), other(at)]).collect::<Vec<_>>();
    let upright = |_: usize| line(&[[0.0, 0.0], [0.0, 100_000.0]]);
    let cases = [
        ("each line cut by each breaker", of(&upright, &|at| breaker(0.0, at as f64 * 40.0)), Excess::Pieces),
        (
            "terminals and ends in one place",
            of(&|_| line(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [0.0, 2.0]]), &|_| breaker(0.0, 0.0)),
            Excess::Crowd,
        ),
        ("lines without end", of(&|_| line(&[[-1e6, 0.0], [1e6, 0.0]]), &|_| line(&[[-1e6, 9.0], [1e6, 9.0]])), Excess::Crowd),
    ];
    for (what, elements, expected) in cases {
        let start = std::time::Instant::now();
        let wiring = wire(&elements);
        let took = start.elapsed();
        println!("{what}: {took:?}");
        assert_eq!((wiring.excess, wiring.node_count), (Some(expected), 0), "{what}");
        // An optimised build takes a tenth of that.
        assert!(took < std::time::Duration::from_secs(20), "{what}: {took:?}");
    }
}
