//! docs/DATABASE.md describes the tables of a migrated database, by subject: one subject for each file of migrations.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use testkit::Flavour;
use tokio_postgres::Client;

const HEAD: &str = "# Database\n\n\
    Generated from a migrated database (plain PostgreSQL) and the comments in it. `crates/store/migrations` creates the tables, `crates/store/sql` has the \
    statements. [ARCHITECTURE.md](ARCHITECTURE.md) describes the data flow.\n\n\
    - Times are `timestamptz`, with microseconds. They have no zone; a zone in a description is that of the utility.\n\
    - A column is NULL only if its description says when.\n\
    - Each table with a `client_id` has row-level security: a connection reads and writes the rows of the utility for which it works \
    (`crates/store/src/tenant.rs`). `client_id` refers to `client` directly or together with another column; the diagrams omit it.\n\
    - `sample`, `event` and the packed rollups are partitioned by time; on TimescaleDB they are hypertables \
    ([decision 0024](decisions/0024-history-partitions.md)).\n\
    - An index shows the queries that it serves, with the first statements of `crates/store/sql` that use it.\n";

/// Tables of a subject, in the order in which its file creates them.
struct Subject {
    title: String,
    file: String,
    tables: Vec<String>,
}

/// Reads title and tables from the files of migrations. A later file that only changes tables has no subject.
fn subjects() -> Vec<Subject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let subject = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let title = text.lines().next().unwrap().trim_start_matches("-- ").to_owned();
        let created = |line: &str| Some(line.strip_prefix("CREATE TABLE ")?.split(' ').next()?.to_owned());
        Subject {
            title,
            file: path.file_name().unwrap().to_string_lossy().into_owned(),
            tables: text.lines().filter_map(created).collect(),
        }
    };
    files.iter().map(subject).filter(|subject| !subject.tables.is_empty()).collect()
}

/// Returns rows of texts by their first column, in the order of the query.
async fn by_table(client: &Client, statement: &str) -> BTreeMap<String, Vec<Vec<String>>> {
    let mut found: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for row in client.query(statement, &[]).await.unwrap() {
        let texts = (1..row.len()).map(|column| row.get::<_, String>(column).replace('|', "\\|")).collect();
        found.entry(row.get(0)).or_default().push(texts);
    }
    found
}

const TABLES: &str = "
    SELECT relname::text, coalesce(obj_description(oid, 'pg_class'), '')
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'schema_migration'";
const COLUMNS: &str = "
    SELECT c.relname::text, a.attname::text,
        replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz') || CASE WHEN a.attnotnull THEN '' ELSE ', NULL' END,
        coalesce(col_description(c.oid, a.attnum), '')
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY c.relname, a.attnum";
const INDEXES: &str = "
    SELECT c.relname::text, n.relname::text,
        CASE WHEN i.indisunique THEN 'unique ' ELSE '' END || regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING [a-z]+ ', ''),
        coalesce(obj_description(i.indexrelid, 'pg_class'), '')
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class n ON n.oid = i.indexrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    ORDER BY c.relname, NOT i.indisprimary, n.relname";
/// The foreign keys: the table, the table that it refers to, the columns without the utility, whether at most one row refers to the same row.
const REFERENCES: &str = "
    SELECT r.conrelid::regclass::text, r.confrelid::regclass::text,
        (SELECT string_agg(a.attname, ', ' ORDER BY k.place)
         FROM unnest(r.conkey) WITH ORDINALITY AS k (number, place) JOIN pg_attribute a ON a.attrelid = r.conrelid AND a.attnum = k.number
         WHERE cardinality(r.conkey) = 1 OR a.attname <> 'client_id')::text,
        (EXISTS (SELECT FROM pg_index i
                 WHERE i.indrelid = r.conrelid AND i.indisunique AND i.indpred IS NULL AND string_to_array(i.indkey::text, ' ')::int2[] <@ r.conkey))::text
    FROM pg_constraint r
    WHERE r.contype = 'f' AND r.connamespace = 'public'::regnamespace AND r.confrelid <> 'client'::regclass
    ORDER BY 1, 2, 3";

fn table_of(page: &mut String, head: [&str; 3], rows: &[Vec<String>]) {
    writeln!(page, "\n| {} |\n| --- | --- | --- |", head.join(" | ")).unwrap();
    for row in rows {
        writeln!(page, "| `{}` | {} | {} |", row[0], row[1], row[2]).unwrap();
    }
}

async fn page(client: &Client) -> String {
    let tables = by_table(client, TABLES).await;
    let columns = by_table(client, COLUMNS).await;
    let indexes = by_table(client, INDEXES).await;
    let references = by_table(client, REFERENCES).await;
    let subjects = subjects();
    let mut described: Vec<&String> = subjects.iter().flat_map(|subject| &subject.tables).collect();
    described.sort();
    assert_eq!(described, tables.keys().collect::<Vec<_>>(), "each table is created by a line CREATE TABLE of a migration");
    let mut page = HEAD.to_owned();
    for subject in &subjects {
        let (name, rest) = subject.title.split_once([':', ',']).unwrap_or((&subject.title, ""));
        write!(page, "\n## {name}\n\n").unwrap();
        if rest.is_empty() {
            writeln!(page, "`{}`.", subject.file).unwrap();
        } else {
            writeln!(page, "{} `{}`.", subject.title, subject.file).unwrap();
        }
        let edges: Vec<String> = subject
            .tables
            .iter()
            .flat_map(|table| references.get(table).into_iter().flatten().map(move |to| (table, to)))
            .map(|(table, to)| {
                let many = if to[2] == "true" { "|o" } else { "}o" };
                format!("    {table} {many}--|| {} : \"{}\"", to[0], to[1])
            })
            .collect();
        if !edges.is_empty() {
            write!(page, "\n```mermaid\nerDiagram\n{}\n```\n", edges.join("\n")).unwrap();
        }
        for table in &subject.tables {
            write!(page, "\n### {table}\n\n{}\n", tables[table][0][0]).unwrap();
            table_of(&mut page, ["Column", "Type", "Meaning"], &columns[table]);
            if let Some(indexes) = indexes.get(table) {
                table_of(&mut page, ["Index", "Columns", "Queries"], indexes);
            }
        }
    }
    page
}

#[tokio::test]
async fn page_of_the_database_is_up_to_date() {
    let database = testkit::database_on(Flavour::Plain).await;
    let page = page(&database.client().await).await;
    let kept = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/DATABASE.md")).unwrap_or_default();
    if kept != page {
        let fresh = std::env::temp_dir().join("DATABASE.md");
        std::fs::write(&fresh, page).unwrap();
        panic!("docs/DATABASE.md is stale: copy {} over it", fresh.display());
    }
}
