//! Import of a hierarchy from a CSV file: completely or not at all, and without a change when repeated.

use grid::{ClientId, Level};
use serde_json::json;
use store::audit::Origin;
use store::import::{Count, FAULTS_MAX, Imported};

use crate::fixture::{Utility, enter, utility};

const FILE: &str = "\
level,code,name,parent,kv,lat,lon,type,class,device,customers,control,sbo
asset,TX1,Transformer 1,HARBOUR,33,,,2,transformer,TX1,,no,no
asset,F1CB,Feeder 1 breaker,HARBOUR,11,,,3,breaker,F1,,yes,yes
substation,HARBOUR,\"33/11 kV Harbour, new\",QUAY,33/11 kV,17.7,83.3,,,,,,
section,QUAY,Quayside,DOCKS,,,,,,,,,
subdivision,DOCKS,Docks,PORT,,,,,,,,,
town,PORT,Port Town,WATER,,,,,,,,,
division,WATER,Waterside,N1,,,,,,,,,
circle,C9,Ninth,,,,,,,,,,
";

fn done(nodes: (usize, usize, usize), assets: (usize, usize, usize)) -> Imported {
    let count = |(created, updated, unchanged)| Count { created, updated, unchanged };
    Imported::Done { nodes: count(nodes), assets: count(assets), warnings: Vec::new() }
}

impl Utility {
    async fn import_into(&self, client: ClientId, csv: &str, dry_run: bool) -> Imported {
        let origin = Origin { client: Some(client), from: "console".to_owned(), ..Origin::default() };
        self.store.import_hierarchy(client, csv.as_bytes(), dry_run, &origin).await.unwrap()
    }

    async fn import(&self, csv: &str) -> Imported {
        self.import_into(self.client, csv, false).await
    }

    async fn refused(&self, csv: &str) -> Vec<String> {
        let before = self.store.registry(None).await.unwrap();
        let Imported::Refused(faults) = self.import(csv).await else { panic!("taken: {csv}") };
        assert_eq!(self.store.registry(None).await.unwrap(), before, "nothing is stored of {csv}");
        faults.iter().map(ToString::to_string).collect()
    }
}

#[tokio::test]
async fn a_file_in_any_order_is_entered_once_and_again_changes_nothing() {
    let utility = utility().await;
    let before = utility.store.registry(None).await.unwrap();
    let dry = utility.import_into(utility.client, FILE, true).await;
    assert_eq!(dry, done((6, 0, 0), (2, 0, 0)));
    assert_eq!(utility.store.registry(None).await.unwrap(), before, "a dry run stores nothing");
    assert_eq!(utility.import(FILE).await, dry, "and says what the real one does");
    let after = utility.store.registry(None).await.unwrap();
    let harbour = after.nodes.iter().find(|node| node.code == "HARBOUR").unwrap();
    assert_eq!(
        (harbour.level, harbour.name.as_str(), harbour.kv.as_deref(), harbour.lat, harbour.lon),
        (Level::Substation, "33/11 kV Harbour, new", Some("33/11 kV"), Some(17.7), Some(83.3))
    );
    assert_eq!((harbour.path.len(), harbour.path[0]), (6, utility.circle), "hangs under what the database had");
    let breaker = after.assets.iter().find(|asset| asset.location == harbour.id && asset.code == "F1CB").unwrap();
    assert_eq!(
        (
            breaker.type_id,
            breaker.class_name.as_str(),
            breaker.device.as_str(),
            breaker.kv,
            breaker.control_asset_req,
            breaker.is_sbo_supported
        ),
        (3, "breaker", "F1", Some(11.0), true, true)
    );
    assert_eq!(utility.import(FILE).await, done((0, 0, 6), (0, 0, 2)));
    assert_eq!(utility.store.registry(None).await.unwrap(), after);
}

#[tokio::test]
async fn a_changed_row_is_updated_under_its_id_and_absent_columns_leave_what_is_stored() {
    let utility = utility().await;
    utility.import(FILE).await;
    let before = utility.store.registry(None).await.unwrap();
    let csv = "level,code,name,parent,type,class\nsubstation,HARBOUR,Harbour,QUAY,,\nasset,F1CB,Breaker,HARBOUR,3,breaker\ntown,PORT,Port Town,WATER,,\n";
    assert_eq!(utility.import(csv).await, done((0, 1, 1), (0, 1, 0)));
    let after = utility.store.registry(None).await.unwrap();
    let mut expected = before.clone();
    expected.nodes.iter_mut().filter(|node| node.code == "HARBOUR").for_each(|node| node.name = "Harbour".to_owned());
    let location = expected.nodes.iter().find(|node| node.code == "HARBOUR").unwrap().id;
    let breaker = |asset: &&mut store::registry::AssetRecord| asset.location == location && asset.code == "F1CB";
    expected.assets.iter_mut().filter(breaker).for_each(|asset| asset.name = "Breaker".to_owned());
    assert_eq!(after, expected);
    // An empty cell deletes the value, and a node can move to another parent.
    let csv = "level,code,name,parent,kv,lat,lon\nsection,NEW,New,DOCKS,,,\nsubstation,HARBOUR,Harbour,NEW,,,\n";
    assert_eq!(utility.import(csv).await, done((1, 1, 0), (0, 0, 0)));
    let after = utility.store.registry(None).await.unwrap();
    let harbour = after.nodes.iter().find(|node| node.code == "HARBOUR").unwrap();
    let section = after.nodes.iter().find(|node| node.code == "NEW").unwrap();
    assert_eq!(
        (harbour.id, harbour.parent, harbour.kv.as_deref(), harbour.lat, harbour.lon),
        (location, Some(section.id), None, None, None)
    );
}

#[tokio::test]
async fn one_wrong_row_and_nothing_is_stored() {
    let utility = utility().await;
    let (_, _, _) = enter(&utility.store, "KSEB").await;
    let stray = FILE.replace("section,QUAY,Quayside,DOCKS", "section,QUAY,Quayside,DOCK");
    assert_eq!(
        utility.refused(&stray).await,
        ["line 5, column parent: there is no subdivision \"DOCK\", neither in this file nor in the database"]
    );
    let wrong_level = FILE.replace("asset,TX1,Transformer 1,HARBOUR", "asset,TX1,Transformer 1,QUAY");
    assert_eq!(
        utility.refused(&wrong_level).await,
        ["line 2, column parent: there is no substation \"QUAY\", neither in this file nor in the database"]
    );
    let many = FILE.replace("asset,TX1", "asset,").replace("17.7", "x").replace("circle,C9", "region,C9");
    let faults = utility.refused(&many).await;
    assert!(faults.is_sorted() && faults.len() >= 3, "every fault, in the order of the lines: {faults:?}");
    assert!(faults[0].starts_with("line 2") && faults.last().unwrap().starts_with("line 9, column level"), "{faults:?}");
    let hopeless = format!("level,code,name,parent\n{}", "nonsense,a,b,c\n".repeat(500));
    assert_eq!(utility.refused(&hopeless).await.len(), FAULTS_MAX);
    // Errors that only the database can find are reported too.
    let nul = FILE.replace("Ninth", "Nin\0th");
    assert_eq!(utility.refused(&nul).await.len(), 1);
}

#[tokio::test]
async fn a_utility_imports_into_itself_alone() {
    let utility = utility().await;
    let (foreign, _, _) = enter(&utility.store, "KSEB").await;
    utility.import(FILE).await;
    let own = utility.store.registry(Some(utility.client)).await.unwrap();
    let csv = "level,code,name,parent,type,class\nsubstation,HARBOUR,Theirs,N1,,\nasset,TX1,Theirs,HARBOUR,2,transformer\n";
    assert_eq!(utility.import_into(foreign, csv, false).await, done((1, 0, 0), (1, 0, 0)));
    assert_eq!(utility.store.registry(Some(utility.client)).await.unwrap(), own, "the same codes are other nodes there");
    let stray = "level,code,name,parent\nsection,S,S,DOCKS\n";
    let refused = utility.import_into(foreign, stray, false).await;
    assert!(matches!(refused, Imported::Refused(_)), "what another utility has is not there: {refused:?}");
}

#[tokio::test]
async fn what_an_import_came_to_is_in_the_audit_once() {
    let utility = utility().await;
    utility.import_into(utility.client, FILE, true).await;
    utility.import("level,code,name,parent\nsection,S,S,NOWHERE\n").await;
    assert_eq!(utility.count("audit").await, 0, "what stores nothing enters nothing");
    utility.import(FILE).await;
    let rows = utility.store.audit_rows(utility.client, None, 10).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (rows[0].action.as_str(), rows[0].subject.clone(), rows[0].from.as_str()),
        ("hierarchy_imported", format!("client {}", utility.client), "console")
    );
    let expected = json!({
        "nodes": {"created": 6, "updated": 0, "unchanged": 0}, "assets": {"created": 2, "updated": 0, "unchanged": 0}
    });
    assert_eq!((rows[0].before.as_ref(), rows[0].after.as_ref()), (None, Some(&expected)));
}

#[tokio::test]
async fn a_user_for_whom_row_level_security_holds_imports_and_enters_it() {
    let utility = utility().await;
    let role = testkit::unique("importer");
    let owner = utility.database.client().await;
    let grants = format!(
        "CREATE ROLE {role}; ALTER FUNCTION audit_link() OWNER TO {role};
         GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO {role}; GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}"
    );
    owner.batch_execute(&grants).await.unwrap();
    let url = utility.database.url();
    let joint = if url.contains('?') { '&' } else { '?' };
    let store = store::Store::connect(&format!("{url}{joint}options=-c%20role%3D{role}"), 1).await.unwrap();
    let origin = Origin { client: Some(utility.client), from: "console".to_owned(), ..Origin::default() };
    let imported = store.import_hierarchy(utility.client, FILE.as_bytes(), false, &origin).await.unwrap();
    assert_eq!((imported, utility.count("audit").await), (done((6, 0, 0), (2, 0, 0)), 1));
    drop(store);
    let revoke = format!("ALTER FUNCTION audit_link() OWNER TO CURRENT_USER; DROP OWNED BY {role}; DROP ROLE {role}");
    owner.batch_execute(&revoke).await.unwrap();
}

#[tokio::test]
async fn two_imports_at_once_are_one_after_the_other() {
    let utility = utility().await;
    let (one, two) = tokio::join!(utility.import(FILE), utility.import(FILE));
    let both = [one, two];
    assert!(both.contains(&done((6, 0, 0), (2, 0, 0))) && both.contains(&done((0, 0, 6), (0, 0, 2))), "{both:?}");
}

#[tokio::test]
async fn feeders_may_lead_to_a_substation_and_no_further() {
    let utility = utility().await;
    let fields = |feeds: &str| {
        format!("level,code,name,parent,type,class,feeds\nsubstation,HARBOUR,Harbour,N1,,,\nasset,F9,Feeder 9,HARBOUR,1,feeder,{feeds}\n")
    };
    assert_eq!(utility.import(&fields("MVP")).await, done((1, 0, 0), (1, 0, 0)));
    let led = utility.store.feeds(utility.client).await.unwrap();
    assert_eq!(led.iter().map(|(_, to)| *to).collect::<Vec<_>>(), [utility.sites[1].location]);
    assert_eq!(utility.import(&fields("MVP")).await, done((0, 0, 1), (0, 0, 1)), "again changes nothing");
    let without = "level,code,name,parent,type,class\nasset,F9,Feeder 9,HARBOUR,1,feeder\n";
    assert_eq!(utility.import(without).await, done((0, 0, 0), (0, 0, 1)), "a file without the column says nothing of it");
    assert_eq!(utility.store.feeds(utility.client).await.unwrap(), led);
    assert_eq!(utility.import(&fields("AUTONAGAR")).await, done((0, 0, 1), (0, 1, 0)));
    assert_eq!(utility.refused(&fields("HARBOUR")).await, ["line 3, column feeds: a feeder does not lead to its own substation"]);
    assert_eq!(
        utility.refused(&fields("NOWHERE")).await,
        ["line 3, column feeds: there is no substation \"NOWHERE\", neither in this file nor in the database"]
    );
    let breaker = "level,code,name,parent,type,class,feeds\nasset,F9CB,Breaker,HARBOUR,3,breaker,MVP\n";
    assert_eq!(utility.refused(breaker).await, ["line 2, column feeds: only a feeder (type 1) leads to a substation"]);
    // A line (type 4) supplies no substation, whatever was stored before.
    let line = "level,code,name,parent,type,class\nasset,F9,Feeder 9,HARBOUR,4,feeder\n";
    assert_eq!(utility.import(line).await, done((0, 0, 0), (0, 1, 0)));
    assert_eq!(utility.store.feeds(utility.client).await.unwrap(), []);
    assert_eq!(utility.import(&fields("MVP")).await, done((0, 0, 1), (0, 1, 0)));
    assert_eq!(utility.import(&fields("")).await, done((0, 0, 1), (0, 1, 0)));
    assert_eq!(utility.store.feeds(utility.client).await.unwrap(), []);
}

#[tokio::test]
async fn no_customers_are_a_number_and_an_empty_cell_is_none() {
    let utility = utility().await;
    let feeder = |code: &str, customers: &str| format!("asset,{code},Feeder,HARBOUR,,,,1,feeder,{code},{customers},,\n");
    let file = [FILE.to_owned(), feeder("F7", "0"), feeder("F8", ""), feeder("F9", "40")].concat();
    utility.import(&file).await;
    let known = async || {
        let assets = utility.store.registry(None).await.unwrap().assets;
        ["F7", "F8", "F9"].map(|code| assets.iter().find(|asset| asset.code == code).unwrap().known_customers())
    };
    assert_eq!(known().await, [Some(0), None, Some(40)]);
    let Imported::Done { nodes, assets, warnings } = utility.import(&file).await else { panic!("refused") };
    assert_eq!((nodes.unchanged, assets.unchanged, warnings.len()), (6, 5, 1), "of F7 there is a warning: {warnings:?}");
    // Without the column everything stays; an emptied cell is unknown again.
    utility.import("level,code,name,parent,type,class\nasset,F9,Feeder,HARBOUR,1,feeder\n").await;
    assert_eq!(known().await, [Some(0), None, Some(40)]);
    utility.import(&[FILE.to_owned(), feeder("F7", ""), feeder("F8", "0")].concat()).await;
    assert_eq!(known().await, [None, Some(0), Some(40)]);
}

#[tokio::test]
async fn feeder_with_0_customers_is_stored_with_a_warning() {
    let utility = utility().await;
    let rows = "asset,F7,Spare,HARBOUR,11,,,1,feeder,F7,0,no,no,\n\
                asset,F8,Bulk,HARBOUR,11,,,1,feeder,F8,0,no,no,HARBOUR2\n\
                asset,F9,Unknown,HARBOUR,11,,,1,feeder,F9,,no,no,\n\
                asset,TX7,Transformer,HARBOUR,33,,,2,transformer,TX7,0,no,no,\n\
                substation,HARBOUR2,Second,QUAY,11 kV,,,,,,,,,\n";
    let nodes: String = FILE.lines().skip(3).flat_map(|line| [line, ",\n"]).collect();
    let header = FILE.lines().next().unwrap();
    let file = format!("{header},feeds\n{rows}{nodes}");
    for dry_run in [true, false, false] {
        let Imported::Done { warnings, .. } = utility.import_into(utility.client, &file, dry_run).await else { panic!("refused") };
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            warnings,
            [
                r#"line 2, column customers: feeder "F7" has 0 customers, so its outages count in no index; leave the cell empty if the number is not known"#
            ]
        );
    }
    let stored = utility.store.registry(None).await.unwrap();
    let customers = |code: &str| stored.assets.iter().find(|asset| asset.code == code).unwrap().known_customers();
    assert_eq!((customers("F7"), customers("F9")), (Some(0), None));
    // A file without the column keeps what is stored, and says nothing about it.
    let without = "level,code,name,parent,type,class\nasset,F7,Spare feeder,HARBOUR,1,feeder\n";
    assert_eq!(utility.import(without).await, done((0, 0, 0), (0, 1, 0)));
}
