//! The migrations: databases of earlier development versions are refused, landed files never change, and the schema describes itself.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};
use store::{Error, migrate};
use testkit::Flavour;

/// The landed migrations with the SHA-256 of their content. **A landed file never changes**: databases that ran it would be refused, and others would differ
/// from them. To change the schema, add a file with the next number, and add its line here.
const LANDED: [(&str, &str); 27] = [
    ("V001__utilities.sql", "c6577fb83f02d35b17abd02c2d2f738ee9a1315a8b306068147b31e13222b300"),
    ("V002__hierarchy.sql", "96d9ff57965aceda677dea0a819f766f2556b53e20f81a63ec2d33746654091c"),
    ("V003__registry_log.sql", "69ff61dd0254611e91f0be9a028e4ec5b5567ae44721071b49469160dd98e5de"),
    ("V004__telemetry.sql", "a395e8e1a08cd29c9b467749fc997f54341a6c660ae5fb89b18943c56a35553d"),
    ("V005__rollups.sql", "9ff24d7027d395c918dd8c7a696b65a3af50568d1c2adeddcff6a023cbae23b5"),
    ("V006__users.sql", "adaf28aa499a8a5d972b40d3b37c6c755eddc9f76401cc795341329e044e1e9a"),
    ("V007__access.sql", "48d13a4caf4fdad648c7e5c996e102d76952eefbea06c043cbbcf9c3c9a2e931"),
    ("V008__audit.sql", "b4db99815f36910532b7ee6cbada7028fa0e9b5e91d7d69aacf2a8c392c4616d"),
    ("V009__control.sql", "0a0f439396cdcda02607e4c1a4d0eee00746be9d11d8cab8595f4c6f970d0b06"),
    ("V010__alarms.sql", "436a360fc3c509b646c1499660cac3a59e9b533a20ef9b5733c777b4a44e7b15"),
    ("V011__outages.sql", "48a1da3c99ae8675c93f2e908e8926a97b6cb82e9efd9d284415d14a6adaa306"),
    ("V012__equipment.sql", "81db862185c767b1e2cb2609fd821a493d9387e3bc383cc4d66f791891d3caf9"),
    ("V013__low_carbon.sql", "a562058033c379f7bb6bad59643fde5575ed9b62ef4c88f6e833c860e571e03c"),
    ("V014__reports.sql", "b1f83deabf1294e81bb188a7ddd350e432b16ba3b28c4283d68f0dc7d5c0d07c"),
    ("V015__network.sql", "b0a07cef6ab764939406e68bc416d9b0deb130a08efc488e58c3da09df7c72cc"),
    ("V016__feeds_log.sql", "5a4c013491886bda2f1c5300f216c5f2da14ce3f86ce5bead60f339bfd72bb9d"),
    ("V017__outage_threshold.sql", "b090109f5780887d378401e4718a75f4345c13e092186c9ab4c2592ca9117d5e"),
    ("V018__energy_budget.sql", "471bf74fe31a691616d4478f4b6b94ace49ae4a914a50bdf6cfb7d335a1a0010"),
    ("V019__register_step.sql", "0224f4997555a625e99cf994f95ddabc803b6d79edd3c76c210d4b6d0c992121"),
    ("V020__outages_of_networks.sql", "4ca2b1abaa06b6750ce0fb6c244a258dd611c187d8eea13528056608430e41a7"),
    ("V021__manual_entry.sql", "bdcc2973d32eee3dd5b4ef7e57ec7559f718f8bafa67569fe2c3328d306f764c"),
    ("V022__alarm_kinds.sql", "0ed7f05c717858c2f373964183f5210523de8042abce1b1858ca8907b543ebfe"),
    ("V023__temporary_change.sql", "fa1641a28723868c0505e439721ff79eec2380f58394747b32f2861703770259"),
    ("V024__areas.sql", "7ca4e7c19d4084b6add1191e93e015f8651fc207a499afcf0da671b8dc37e622"),
    ("V025__manual_entry_values.sql", "315458a8f59bb2fc4c26ea83506f7156d6b2d757f7d177b67e7e841382f5522e"),
    ("V026__seat_requests.sql", "f4eac60da9a0bb08f2a7171ead0292dbf2d93b8f7fbe876d091b5b8b63fa560f"),
    ("V027__manual_entry_seen.sql", "6b238ca53d8a0d2f4c796775f0a70485ded1546e5d31ee7a9c12ff7a051f8885"),
];

/// The table of migrations as a development version before the first release has left it.
const FORMER: &str = "
    CREATE TABLE schema_migration (version int4 PRIMARY KEY, name varchar(255), applied_on varchar(255), checksum varchar(255));
    INSERT INTO schema_migration VALUES (1, 'field', '2026-09-01T00:00:00Z', '1'), (35, 'registry_log', '2026-11-01T00:00:00Z', '35');
    CREATE TABLE client (id bigint PRIMARY KEY, code text NOT NULL);
    INSERT INTO client VALUES (1, 'A')";

/// Returns all names in the schema, and the rows of the table of migrations.
async fn content(client: &tokio_postgres::Client) -> Vec<String> {
    let names = "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace
                 UNION ALL SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
                 UNION ALL SELECT extname::text FROM pg_extension
                 UNION ALL SELECT m::text FROM schema_migration m
                 UNION ALL SELECT c::text FROM client c ORDER BY 1";
    client.query(names, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn database_of_a_version_before_the_release_is_refused_unchanged() {
    for flavour in Flavour::ALL {
        let database = testkit::empty_database(flavour).await;
        let client = database.client().await;
        client.batch_execute(FORMER).await.unwrap();
        let before = content(&client).await;
        let error = migrate(database.url()).await.unwrap_err();
        assert!(matches!(error, Error::FormerSchema), "{flavour:?}: {error}");
        let message = error.to_string();
        assert!(message.contains("Nothing was changed") && message.contains("export") && message.contains("empty database"), "{message}");
        assert!(!error.is_connection() && !error.is_overdue() && !error.is_permanent());
        assert_eq!(content(&client).await, before, "{flavour:?}");
    }
}

#[test]
fn landed_migrations_never_change() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let entry = entry.unwrap();
        let checksum = Sha256::digest(std::fs::read(entry.path()).unwrap());
        let hex = checksum.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        found.insert(entry.file_name().into_string().unwrap(), hex);
    }
    let landed: BTreeMap<String, String> = LANDED.map(|(name, checksum)| (name.to_owned(), checksum.to_owned())).into();
    for (name, checksum) in &landed {
        assert_eq!(
            found.get(name),
            Some(checksum),
            "{name} has landed and must not change: restore it, and put the change into a new file with the next number"
        );
    }
    let new: Vec<String> =
        found.iter().filter(|(name, _)| !landed.contains_key(*name)).map(|(name, sum)| format!("    (\"{name}\", \"{sum}\"),")).collect();
    assert!(new.is_empty(), "add these lines to LANDED when the files land:\n{}", new.join("\n"));
}

/// Tables with more than three indexes, their number, and the reason.
const MORE_INDEXES: [(&str, usize, &str); 9] = [
    ("alarm_event", 4, "offsets of a utility and of a substation, a period, and acknowledgements of a point are all queried"),
    ("command", 4, "besides its key: newest of a substation, newest of a switch, and the few that are not finished"),
    ("fault", 6, "rare rows; newest of an asset takes 1 ms instead of 40 ms, of a substation 5 ms instead of 27 ms; two unique rules"),
    ("node", 4, "the target of foreign keys needs (client_id, id)"),
    ("outage", 4, "rare rows; derived and corrected starts are both queried, one of them is unique"),
    ("point", 4, "the target of foreign keys needs (client_id, id)"),
    ("report_link", 4, "few rows; the hash of the link is unique"),
    ("report_run", 6, "few rows; two unique rules"),
    ("temporary_change", 5, "few rows; two unique keys of requests"),
];

const UNCOMMENTED: &str = "
    SELECT 'table ' || c.relname FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND c.relname <> 'schema_migration'
      AND coalesce(obj_description(c.oid, 'pg_class'), '') = ''
    UNION ALL
    SELECT 'column ' || c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND c.relname <> 'schema_migration'
      AND a.attnum > 0 AND NOT a.attisdropped AND coalesce(col_description(c.oid, a.attnum), '') = ''
    UNION ALL
    SELECT 'meaning of NULL of ' || c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND c.relname <> 'schema_migration'
      AND a.attnum > 0 AND NOT a.attisdropped AND NOT a.attnotnull AND col_description(c.oid, a.attnum) !~ 'NULL'
    UNION ALL
    SELECT 'index ' || n.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class n ON n.oid = i.indexrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition AND c.relname <> 'schema_migration'
      AND coalesce(obj_description(n.oid, 'pg_class'), '') = ''
    ORDER BY 1";

#[tokio::test]
async fn every_table_column_and_index_has_a_comment() {
    for flavour in Flavour::ALL {
        let client_of = testkit::database_on(flavour).await;
        let missing = client_of.client().await.query(UNCOMMENTED, &[]).await.unwrap();
        let missing: Vec<String> = missing.iter().map(|row| row.get(0)).collect();
        assert!(missing.is_empty(), "{flavour:?}, COMMENT ON is missing for:\n{}", missing.join("\n"));
    }
}

#[tokio::test]
async fn comments_of_indexes_name_existing_statements() {
    let database = testkit::database_on(Flavour::Plain).await;
    let comments = "SELECT n.relname::text, obj_description(n.oid, 'pg_class') FROM pg_class n
                    WHERE n.relnamespace = 'public'::regnamespace AND n.relkind IN ('i', 'I') AND obj_description(n.oid, 'pg_class') IS NOT NULL";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
    let (mut named, mut wrong) = (0, Vec::new());
    for row in database.client().await.query(comments, &[]).await.unwrap() {
        let (index, comment): (String, String) = (row.get(0), row.get(1));
        for word in comment.split([' ', ',', '(', ')']).filter(|word| word.contains('/')) {
            named += 1;
            if !root.join(format!("{word}.sql")).exists() {
                wrong.push(format!("{index}: {word}"));
            }
        }
    }
    assert!(named > 100, "{named} names found");
    assert!(wrong.is_empty(), "no such statement; give the index a new comment in a new migration:\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn tables_have_at_most_three_indexes() {
    let database = testkit::database_on(Flavour::Plain).await;
    let counts = "SELECT c.relname::text, count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
                  WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition GROUP BY 1 HAVING count(*) > 3 ORDER BY 1";
    let found = database.client().await.query(counts, &[]).await.unwrap();
    let found: Vec<(String, i64)> = found.iter().map(|row| (row.get(0), row.get(1))).collect();
    let allowed: Vec<(String, i64)> =
        MORE_INDEXES.iter().map(|(table, count, _)| ((*table).to_owned(), i64::try_from(*count).unwrap())).collect();
    assert_eq!(found, allowed);
}
