//! Separation of utilities: row-level security applies even if a statement is wrong.

use store::Store;
use store::access::PageGrant;
use store::audit::Origin;
use store::brand::BrandRecord;
use store::configuration::ClientDraft;
use store::people::MemberDraft;

use crate::fixture::{START, Utility, enter, utility};

const TENANT: &str = "SET ROLE switchyard_tenant";

/// The tables that users can read of their utility, and their number of rows in the fixture.
const SHOWN: [(&str, i64); 6] = [("client", 1), ("node", 7), ("asset", 4), ("gateway", 2), ("point", 4), ("stream", 2)];

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
async fn tenant_role_hides_other_utilities_without_filter() {
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
async fn tenant_role_reads_no_secrets_and_writes_nothing() {
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
    // The history has no utility column: it is accessed through its point.
    let history = ["demand_quarter", "rollup_10m", "rollup_1d", "rollup_1h", "rollup_1m", "sample"];
    assert_eq!(open.iter().map(|row| row.get::<_, &str>(0)).collect::<Vec<_>>(), [&history[..], &["schema_migration"]].concat());
}

/// Creates a role with all rights on the tables but without exemption from row-level security, as a deployment's user should be. Returns its address.
async fn plain_user(utility: &Utility, client: &tokio_postgres::Client) -> (String, String) {
    let role = testkit::unique("plain");
    let grants = format!(
        "CREATE ROLE {role} LOGIN;
         GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role}"
    );
    client.batch_execute(&grants).await.unwrap();
    let address = format!("{}?user={role}", utility.database.url());
    (role, address)
}

#[tokio::test]
async fn without_the_role_for_one_utility_the_store_is_not_ready() {
    let utility = utility().await;
    let client = utility.database.client().await;
    let (role, address) = plain_user(&utility, &client).await;
    let refused = Store::connect(&address, 2).await.err().expect("refused");
    assert!(format!("{refused:?}").contains("permission denied"), "{refused:?}");
    client.batch_execute(&format!("GRANT switchyard_tenant TO {role}")).await.unwrap();
    Store::connect(&address, 2).await.unwrap().ping().await.unwrap();
    client.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await.unwrap();
}

#[tokio::test]
async fn administration_reads_and_writes_members_and_audit_bound_to_its_utility() {
    let (utility, other) = two_utilities().await;
    let client = utility.database.client().await;
    let (role, address) = plain_user(&utility, &client).await;
    // A connection that is bound to no utility now reads and writes no members.
    client.batch_execute(&format!("GRANT switchyard_tenant TO {role}; DROP POLICY every ON member")).await.unwrap();
    let store = Store::connect(&address, 2).await.unwrap();
    let draft = |email: &str| MemberDraft {
        first_name: "Asha".to_owned(),
        last_name: "Rao".to_owned(),
        email: email.to_owned(),
        role_id: 2,
        role_name: "ClientAdmin".to_owned(),
        node: None,
        can_operate: false,
        flags: serde_json::json!({}),
        disabled: false,
    };
    let origin = Origin { client: Some(utility.client), ..Origin::default() };
    let added = store.add_member(utility.client, "one", "a hash", &draft("one@example.org"), &origin).await.unwrap().unwrap();
    let permitted = |_: &_| Ok::<(), ()>(());
    let changed = store.change_member(utility.client, added.id, &draft("two@example.org"), START, &origin, permitted).await.unwrap();
    assert_eq!(changed.unwrap().unwrap().member.email, "two@example.org");
    assert_eq!(store.members(utility.client, 0, 10).await.unwrap().len(), 1);
    assert!(store.member(utility.client, added.id).await.unwrap().is_some());
    assert!(store.member(other, added.id).await.unwrap().is_none());
    client.batch_execute("DROP POLICY every ON audit").await.unwrap();
    assert_eq!(store.audit_rows(utility.client, None, 10).await.unwrap().len(), 2);
    assert!(store.audit_rows(other, None, 10).await.unwrap().is_empty());
    drop(store);
    client.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await.unwrap();
}

#[tokio::test]
async fn pages_configuration_and_brands_are_written_bound_to_their_utility() {
    let (utility, other) = two_utilities().await;
    let client = utility.database.client().await;
    let brand = |host: &str, owner| BrandRecord {
        host: host.to_owned(),
        client: owner,
        logo: String::new(),
        favi_icon: String::new(),
        favi_icon_text: "A site".to_owned(),
        footer_text: String::new(),
        map_url: String::new(),
        title: "A site".to_owned(),
        grey_login: false,
        servers: Vec::new(),
    };
    utility.store.put_brand(&brand("nobodys.example", None)).await.unwrap();
    utility.store.put_brand(&brand("other.example", Some(other))).await.unwrap();
    let (role, address) = plain_user(&utility, &client).await;
    // A connection that is bound to no utility now reads and writes none of these.
    let unseen = "DROP POLICY every ON page_access; DROP POLICY every ON client; DROP POLICY every ON brand";
    client.batch_execute(&format!("GRANT switchyard_tenant TO {role}; {unseen}")).await.unwrap();
    let store = Store::connect(&address, 2).await.unwrap();
    let (own, origin) = (utility.client, Origin { client: Some(utility.client), ..Origin::default() });
    let grant = PageGrant { tab_key: "dashboard.sld".to_owned(), is_readonly: true, show_in_tab: true };
    assert!(store.change_page_access(own, 4, &[grant], &origin).await.unwrap().is_own);
    let renamed = |before: &store::registry::ClientRecord| ClientDraft {
        name: "Another name".to_owned(),
        time_zone: before.time_zone.clone(),
        config: before.config.clone(),
    };
    assert_eq!(store.change_client(own, &origin, renamed).await.unwrap().unwrap().name, "Another name");
    store.put_brand(&brand("own.example", Some(own))).await.unwrap();
    assert!(store.change_brand(&brand("own.example", Some(own)), false, &origin).await.unwrap().is_some());
    for may_assign in [false, true] {
        assert_eq!(store.change_brand(&brand("other.example", Some(own)), may_assign, &origin).await.unwrap(), None);
    }
    assert_eq!(store.brands(own).await.unwrap().len(), 1);
    assert!(!store.delete_brand(own, "other.example", &origin).await.unwrap());
    assert!(store.delete_brand(own, "own.example", &origin).await.unwrap());
    // Assigning a host without a utility requires a connection for all utilities.
    client.batch_execute("CREATE POLICY every ON brand USING ((SELECT bound_to_every()))").await.unwrap();
    let given = store.change_brand(&brand("nobodys.example", Some(own)), true, &origin).await.unwrap();
    assert_eq!(given.unwrap().client, Some(own));
    drop(store);
    client.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await.unwrap();
}
