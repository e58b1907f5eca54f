//! Pages by role, and brands.

use store::Store;
use store::access::PageGrant;
use store::brand::BrandRecord;

use crate::fixture::{Utility, enter, utility};

fn grant(tab_key: &str, is_readonly: bool) -> PageGrant {
    PageGrant { tab_key: tab_key.to_owned(), is_readonly, show_in_tab: true }
}

async fn keys(store: &Store, utility: &Utility, role: i32) -> Vec<String> {
    store.page_access(utility.client, role..=role).await.unwrap().into_iter().map(|access| access.page.tab_key).collect()
}

#[tokio::test]
async fn what_is_not_granted_for_writing_is_refused() {
    let utility = utility().await;
    let store = &utility.store;
    for (role, page, expected) in [
        (1, "admin.members", true),
        (2, "admin.members", true),
        (3, "admin.members", false),
        (3, "dashboard.sld", true),
        (8, "dashboard.sld", true),
        (3, "dashboard.event-log", false),
        (5, "lc.site-analytics", true),
        (7, "lc.site-analytics", false),
        (2, "no such page", false),
        (0, "dashboard.sld", false),
        (9, "dashboard.sld", false),
    ] {
        assert_eq!(store.may_write_from(utility.client, role, page).await.unwrap(), expected, "role {role} from {page}");
    }
    store.put_page_access(utility.client, 2, &[grant("dashboard.sld", true), grant("ee.sld", false)]).await.unwrap();
    assert!(!store.may_write_from(utility.client, 2, "dashboard.sld").await.unwrap(), "only to look at");
    assert!(store.may_write_from(utility.client, 2, "ee.sld").await.unwrap());
    assert!(!store.may_write_from(utility.client, 2, "admin.members").await.unwrap(), "not among its pages any more");
}

#[tokio::test]
async fn a_utility_replaces_the_defaults_role_by_role_and_gets_them_back() {
    let utility = utility().await;
    let store = &utility.store;
    let (foreign, _, _) = enter(store, "KSEB").await;
    let defaults = keys(store, &utility, 4).await;
    assert!(defaults.len() > 30);
    for grants in [vec![grant("dashboard.sld", false), grant("dashboard.map", true)], vec![grant("dashboard.map", true)]] {
        store.put_page_access(utility.client, 4, &grants).await.unwrap();
        assert_eq!(keys(store, &utility, 4).await.len(), grants.len(), "the new list replaces the one before");
    }
    assert_eq!(keys(store, &utility, 5).await, defaults, "another role keeps the defaults");
    assert_eq!(store.page_access(foreign, 4..=4).await.unwrap().len(), defaults.len(), "and so does another utility");
    let refused = store.put_page_access(utility.client, 4, &[grant("dashboard.sld", false), grant("no such page", false)]).await;
    assert!(refused.unwrap_err().is_permanent());
    assert!(store.put_page_access(utility.client, 9, &[grant("dashboard.sld", false)]).await.unwrap_err().is_permanent());
    assert_eq!(keys(store, &utility, 4).await, ["dashboard.map"], "a refused list changes nothing");
    store.put_page_access(utility.client, 4, &[]).await.unwrap();
    assert_eq!(keys(store, &utility, 4).await, defaults);
}

#[tokio::test]
async fn roles_come_in_order_and_tabs_by_application_and_sequence() {
    let utility = utility().await;
    let all = utility.store.page_access(utility.client, 1..=8).await.unwrap();
    assert!(all.is_sorted_by_key(|access| (access.role_id, access.page.app_id, access.page.sequence)));
    assert_eq!((all.first().map(|access| access.role_id), all.last().map(|access| access.role_id)), (Some(1), Some(8)));
}

fn brand(host: &str) -> BrandRecord {
    BrandRecord {
        host: host.to_owned(),
        client: None,
        logo: "/logo.svg".to_owned(),
        favi_icon: "/favicon.svg".to_owned(),
        favi_icon_text: "A site".to_owned(),
        footer_text: "<p>Here</p>".to_owned(),
        map_url: "https://tiles.example/{z}/{x}/{y}.png".to_owned(),
        title: "A site".to_owned(),
        grey_login: true,
        servers: vec![("a".to_owned(), "A".to_owned()), ("b".to_owned(), "B".to_owned())],
    }
}

#[tokio::test]
async fn a_brand_reads_back_clean_and_a_host_stays_with_its_utility() {
    let utility = utility().await;
    let store = &utility.store;
    let (foreign, _, _) = enter(store, "KSEB").await;
    store.put_brand(&brand("Portal.Example:443")).await.unwrap();
    assert_eq!(store.brand("PORTAL.example").await.unwrap(), Some(brand("portal.example")));
    assert_eq!(store.brand("other.example").await.unwrap(), None);
    let owned = BrandRecord { client: Some(utility.client), footer_text: "<script>x</script>a<i>b</i>".to_owned(), ..brand("own.example") };
    store.put_brand(&owned).await.unwrap();
    store.put_brand(&BrandRecord { title: "Changed".to_owned(), ..owned.clone() }).await.unwrap();
    let stored: String =
        utility.database.client().await.query_one("SELECT footer_text FROM brand WHERE host = 'own.example'", &[]).await.unwrap().get(0);
    assert_eq!(stored, "a<i>b</i>", "cleaned before it is stored");
    for thief in [Some(foreign), None] {
        assert!(store.put_brand(&BrandRecord { client: thief, ..owned.clone() }).await.unwrap_err().is_permanent());
    }
    assert_eq!(store.brand("own.example").await.unwrap().unwrap().title, "Changed");
}

#[tokio::test]
async fn a_brand_that_would_lead_elsewhere_or_is_too_long_is_refused() {
    let utility = utility().await;
    for refused in [
        brand("not a host"),
        brand(""),
        BrandRecord { logo: "https://elsewhere.example/x.png".to_owned(), ..brand("a.example") },
        BrandRecord { logo: "//elsewhere.example/x.png".to_owned(), ..brand("a.example") },
        BrandRecord { favi_icon: "javascript:x".to_owned(), ..brand("a.example") },
        BrandRecord { map_url: "http://tiles.example/".to_owned(), ..brand("a.example") },
        BrandRecord { map_url: "https://tiles.example/".to_owned(), ..brand("a.example") },
        BrandRecord { title: "x".repeat(201), ..brand("a.example") },
        BrandRecord { title: "two\nlines".to_owned(), ..brand("a.example") },
        BrandRecord { footer_text: "x".repeat(4_001), ..brand("a.example") },
        BrandRecord { servers: vec![("a".to_owned(), "A".to_owned()); 4], ..brand("a.example") },
        BrandRecord { servers: vec![("a b".to_owned(), "A".to_owned())], ..brand("a.example") },
        BrandRecord { servers: vec![(String::new(), "A".to_owned())], ..brand("a.example") },
    ] {
        assert!(utility.store.put_brand(&refused).await.unwrap_err().is_permanent(), "{refused:?}");
    }
    assert_eq!(utility.count("brand").await, 0);
}

#[tokio::test]
async fn a_connection_bound_to_one_utility_sees_the_defaults_and_its_own_pages() {
    let utility = utility().await;
    let (foreign, _, _) = enter(&utility.store, "KSEB").await;
    for client in [utility.client, foreign] {
        utility.store.put_page_access(client, 4, &[grant("dashboard.sld", true)]).await.unwrap();
    }
    let defaults = utility.count("page_access").await - 2;
    let role = testkit::unique("tenant_role");
    let client = utility.database.client().await;
    client
        .batch_execute(&format!("CREATE ROLE {role}; GRANT SELECT, UPDATE ON page_access, page, brand TO {role}; SET ROLE {role}"))
        .await
        .unwrap();
    let count =
        async |client: &tokio_postgres::Client| -> i64 { client.query_one("SELECT count(*) FROM page_access", &[]).await.unwrap().get(0) };
    assert_eq!(count(&client).await, defaults, "bound to none");
    client.batch_execute(&format!("SET app.client_id = '{}'", utility.client)).await.unwrap();
    assert_eq!(count(&client).await, defaults + 1, "and its own row");
    assert_eq!(client.execute("UPDATE page_access SET is_readonly = false", &[]).await.unwrap(), 1, "of which it may change its own alone");
    client.batch_execute(&format!("RESET ROLE; DROP OWNED BY {role}; DROP ROLE {role}")).await.unwrap();
}
