//! One utility never sees another, whatever a statement says: what the database itself adds to it.

use crate::fixture::{Utility, enter, utility};

const TENANT: &str = "SET ROLE switchyard_tenant";

/// What people may be shown of their utility, and in how many rows the fixture has it.
const SHOWN: [(&str, i64); 6] = [("client", 1), ("node", 7), ("asset", 4), ("gateway", 2), ("point", 4), ("stream", 1)];

async fn count(client: &tokio_postgres::Client, table: &str) -> i64 {
    client.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap().get(0)
}

async fn two_utilities() -> (Utility, grid::ClientId) {
    let utility = utility().await;
    let other = enter(&utility.store, "KSEB").await.0;
    (utility, other)
}

#[tokio::test]
async fn a_connection_bound_to_one_utility_sees_that_one_alone() {
    let (utility, other) = two_utilities().await;
    let client = utility.database.client().await;
    client.batch_execute(TENANT).await.unwrap();
    for (bound, is_one) in [("", false), ("every ", false), ("-1", false), ("1 OR true", false), (&utility.client.to_string(), true)] {
        client.batch_execute(&format!("SET app.client_id = '{bound}'")).await.unwrap();
        for (table, expected) in SHOWN {
            let seen = count(&client, table).await;
            assert_eq!(seen, if is_one { expected } else { 0 }, "{table} bound to {bound:?}");
            assert_eq!(count(&client, &format!("{table} WHERE {} = {other}", if table == "client" { "id" } else { "client_id" })).await, 0);
        }
    }
}

#[tokio::test]
async fn what_is_asked_for_one_utility_shows_no_other_even_where_the_statement_would() {
    let (utility, other) = two_utilities().await;
    let client = utility.database.client().await;
    let everything = include_str!("../../sql/registry/nodes.sql");
    let all = client.query(everything, &[&None::<i64>]).await.unwrap().len();
    client.batch_execute(&format!("{TENANT}; SET app.client_id = '{}'", utility.client)).await.unwrap();
    // The statement's own filter is off with NULL, and wrong with the other utility's id.
    for (filter, expected) in [(None, 7), (Some(other.0), 0), (Some(utility.client.0), 7)] {
        let seen = client.query(everything, &[&filter]).await.unwrap().len();
        assert!(seen == expected && all > expected, "{filter:?}: {seen} of {all}");
    }
}

#[tokio::test]
async fn people_are_shown_no_secrets_and_change_nothing_on_the_way_that_only_reads() {
    let (utility, _) = two_utilities().await;
    let client = utility.database.client().await;
    client.batch_execute(&format!("{TENANT}; SET app.client_id = '{}'", utility.client)).await.unwrap();
    for refused in [
        "SELECT * FROM member",
        "SELECT * FROM session",
        "SELECT * FROM session_refresh",
        "SELECT * FROM throttle",
        "UPDATE node SET name = 'x'",
        "DELETE FROM event",
    ] {
        let error = client.batch_execute(refused).await.unwrap_err();
        assert_eq!(error.code(), Some(&tokio_postgres::error::SqlState::INSUFFICIENT_PRIVILEGE), "{refused}");
    }
}

#[tokio::test]
async fn the_owner_of_the_tables_is_bound_too() {
    let (utility, _) = two_utilities().await;
    let client = utility.database.client().await;
    let role = testkit::unique("owner");
    client.batch_execute(&format!("CREATE ROLE {role}; ALTER TABLE node OWNER TO {role}; SET ROLE {role}")).await.unwrap();
    for (bound, expected) in [("", 0), (&utility.client.to_string(), 7), ("every", 14)] {
        client.batch_execute(&format!("SET app.client_id = '{bound}'")).await.unwrap();
        assert_eq!(count(&client, "node").await, expected, "bound to {bound:?}");
    }
    client.batch_execute("RESET ROLE").await.unwrap();
    client.batch_execute(&format!("ALTER TABLE node OWNER TO current_user; DROP OWNED BY {role}; DROP ROLE {role}")).await.unwrap();
    let open = client
        .query(
            "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
             AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY 1",
            &[],
        )
        .await
        .unwrap();
    // The history has no utility of its own: it is reached through its point.
    assert_eq!(open.iter().map(|row| row.get::<_, &str>(0)).collect::<Vec<_>>(), ["sample", "schema_migration"]);
}
