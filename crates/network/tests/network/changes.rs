//! Change sets and differences of descriptions.

use network::Description;
use network::changes::{ChangeError, ChangeSet, Difference, PartChanges, PartIds};
use network::description::Node;
use network::findings::PartKind;

fn node(id: &str, name: &str) -> Node {
    Node { id: id.into(), name: name.into(), container: None, nominal_kv: None, is_internal: false, place: None }
}

fn nodes(ids: &[(&str, &str)]) -> Description {
    Description { nodes: ids.iter().map(|(id, name)| node(id, name)).collect(), ..Description::default() }
}

fn change(put: Description, remove: &[&str]) -> ChangeSet {
    let remove = PartIds { nodes: remove.iter().map(|id| (*id).to_owned()).collect(), ..PartIds::default() };
    ChangeSet::Parts(PartChanges { put, remove })
}

#[test]
fn parts_are_replaced_added_and_removed() {
    let old = nodes(&[("a", ""), ("b", ""), ("c", "")]);
    let new = change(nodes(&[("b", "new"), ("d", "")]), &["a"]).apply_to(&old).expect("applied");
    assert_eq!(new, nodes(&[("b", "new"), ("c", ""), ("d", "")]));
    assert_eq!(ChangeSet::Whole(nodes(&[("d", "")])).apply_to(&old).expect("applied"), nodes(&[("d", "")]));
    let twice = change(nodes(&[("d", ""), ("d", "x")]), &[]).apply_to(&old).expect("applied");
    assert!(!twice.check().permit_storing(), "a part that is put twice is a duplicate");
}

#[test]
fn parts_that_do_not_fit_the_network_are_refused() {
    let old = nodes(&[("a", "")]);
    let refused = |set: ChangeSet| set.apply_to(&old).expect_err("refused");
    assert_eq!(refused(change(Description::default(), &["x"])), ChangeError::NotThere(PartKind::Node, "x".into()));
    assert_eq!(refused(change(nodes(&[("a", "")]), &["a"])).to_string(), "node a is to be put and to be removed: name it once");
}

#[test]
fn difference_lists_added_changed_and_removed_parts() {
    let (old, new) = (nodes(&[("a", ""), ("b", ""), ("c", "")]), nodes(&[("c", ""), ("b", "new"), ("d", "")]));
    let Difference { nodes: found, .. } = Difference::new(&old, &new);
    let ids = |nodes: &[&Node]| nodes.iter().map(|node| node.id.clone()).collect::<Vec<_>>();
    assert_eq!((ids(&found.added), ids(&found.changed), found.removed), (vec!["d".into()], vec!["b".into()], vec!["a"]));
    let reordered = nodes(&[("c", ""), ("a", ""), ("b", "")]);
    assert!(Difference::new(&old, &reordered).is_empty());
    assert!(!Difference::new(&old, &new).is_empty());
}
