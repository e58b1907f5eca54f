//! Sign-in, renewal and sign-out.

use futures_util::StreamExt;
use wire::bus::BusMessage;

use crate::field::PASSWORD;
use crate::server::{Answer, Server};

/// The hash of "password of old" with outdated parameters.
const OLD_HASH: &str = "$argon2id$v=19$m=4096,t=1,p=1$oLHNo7hPFuheawvanrkApA$As7f3uzL7zpTSBuvu6gt6pUpPAjZ7gl86HgmbUHRRQ0";

const WRONG: &str = "username=one-admin&password=guess&feui=1";

#[tokio::test]
async fn the_answer_has_the_documented_fields_at_its_top() {
    let server = Server::start().await;
    let answer = server.token(&format!("username=ONE-admin&password={}&feui=1", PASSWORD.replace(' ', "%20"))).await;
    let login = answer.json();
    assert_eq!((answer.status, &login["clientName"], &login["roleId"]), (200, &"Utility one".into(), &2.into()), "{answer:?}");
    for field in [
        "fName",
        "lName",
        "clientLogPath",
        "aliveTill",
        "circleId",
        "showRTUHealthTab",
        "showGDSData",
        "memberAccessLvlMsg",
        "ref",
        "timeZone",
    ] {
        assert!(login.get(field).is_some(), "{field} is missing: {login}");
    }
    assert_eq!(login["appBrand"], "Brand of one");
    assert!(answer.head.contains("cache-control: no-store"), "{}", answer.head);
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_name_are_told_the_same() {
    let server = Server::start().await;
    let wrong = server.token(WRONG).await;
    let unknown = server.token("username=nobody&password=guess&feui=1").await;
    assert_eq!((wrong.status, unknown.status), (403, 403));
    assert_eq!(wrong.json()["message"], unknown.json()["message"]);
    assert_eq!(wrong.json()["statusCode"], 403);
    assert_ne!(wrong.json()["correlationId"], unknown.json()["correlationId"]);
}

#[tokio::test]
async fn guessing_is_slowed_down() {
    let server = Server::start().await;
    for _ in 0..5 {
        assert_eq!(server.token(WRONG).await.status, 403);
    }
    let slowed = server.token(WRONG).await;
    assert_eq!(slowed.status, 429, "{slowed:?}");
    assert!(slowed.head.contains("retry-after: "), "{}", slowed.head);
    server.sign_in("two-admin").await;
}

/// Returns the form with the correct password.
fn right(username: &str) -> String {
    format!("username={username}&password={}&feui=1", PASSWORD.replace(' ', "+"))
}

/// Returns the cookie of a sign-in as a browser sends it back.
pub(crate) fn device(answer: &Answer) -> String {
    let line = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap_or_else(|| panic!("no cookie: {answer:?}"));
    // Headers are compared in lower case here, but the name of a cookie is case-sensitive.
    line.split(';').next().expect("a value").replace("__secure-", "__Secure-")
}

#[tokio::test]
async fn a_thousand_guesses_get_ten_answers_a_minute_and_the_person_gets_in() {
    let server = Server::start().await;
    let home = "192.0.2.1";
    let cookie = device(&server.token_from(home, "", &right("one-admin")).await);
    let began = std::time::Instant::now();
    // From one address, then each from another.
    let sources = (0..2_000_u32)
        .map(|number| if number < 1_000 { 9 } else { number })
        .map(|number| format!("203.0.{}.{}", number / 250, number % 250));
    let mut verified = 0;
    for chunk in sources.collect::<Vec<_>>().chunks(50) {
        let guesses = chunk.iter().map(|from| server.token_from(from, "", WRONG));
        for answer in futures_util::future::join_all(guesses).await {
            match answer.status {
                403 => verified += 1,
                429 => assert!(answer.head.contains("retry-after: "), "{}", answer.head),
                _ => panic!("{answer:?}"),
            }
        }
    }
    let minutes = began.elapsed().as_secs() / 60 + 1;
    assert!((5..=10 * minutes).contains(&verified), "{verified} passwords were looked at in {minutes} minutes");
    let entered = server.audited(server.one.client).await.into_iter().filter(|(action, _)| action == "sign_in_refused").count();
    assert_eq!(entered as u64, verified, "each one that was looked at is in the audit");
    // The correct password from another place is also delayed, or the limit would reveal it. On the known device it is not.
    assert_eq!(server.token_from("198.51.100.1", "", &right("one-admin")).await.status, 429);
    let stolen = format!("__Secure-switchyard-device={}", "0".repeat(64));
    assert_eq!(server.token_from(home, &stolen, &right("one-admin")).await.status, 429);
    let back = server.token_from(home, &cookie, &right("one-admin")).await;
    assert_eq!(back.status, 200, "{back:?}");
    let next = device(&back);
    assert_ne!(next, cookie, "by another secret each time");
    assert_eq!(server.token_from(home, &cookie, &right("one-admin")).await.status, 429, "a copy of the one before is worth nothing");
    // Other users sign in on the same console, and it stays a known device of both.
    let both = device(&server.token_from(home, &next, &right("two-admin")).await);
    assert_eq!(server.token_from(home, &both, &right("one-admin")).await.status, 200);
}

#[tokio::test]
async fn a_known_device_may_not_guess_without_end_either() {
    let server = Server::start().await;
    let answer = server.token_from("192.0.2.1", "", &right("one-admin")).await;
    let attributes = answer.head.lines().find(|line| line.starts_with("set-cookie: ")).expect("a cookie").to_owned();
    for attribute in ["httponly", "samesite=strict", "path=/api/token", "secure", "max-age=31536000"] {
        assert!(attributes.contains(attribute), "{attribute}: {attributes}");
    }
    let cookie = device(&answer);
    for number in 0..5 {
        assert_eq!(server.token_from("203.0.113.1", &cookie, WRONG).await.status, 403, "{number}");
    }
    assert_eq!(server.token_from("203.0.113.1", &cookie, &right("one-admin")).await.status, 429);
    // A thief of the cookie delays only themselves, up to the limit of the device.
    for number in 0..25 {
        assert_eq!(server.token_from(&format!("203.0.114.{number}"), &cookie, WRONG).await.status, 403, "{number}");
    }
    assert_eq!(server.token_from("203.0.115.1", &cookie, WRONG).await.status, 429);
    assert_eq!(server.token_from("192.0.2.1", "", &right("one-admin")).await.status, 200, "the delay is the device's alone");
}

#[tokio::test]
async fn what_another_put_into_a_browser_is_not_known_for_its_person() {
    let server = Server::start().await;
    let planted = device(&server.token_from("203.0.113.1", "", &right("two-admin")).await);
    let victim = device(&server.token_from("192.0.2.1", &planted, &right("one-admin")).await);
    let client = server.database.client().await;
    let request = "SELECT count(*), count(DISTINCT member_id) FROM known_device";
    let row = client.query_one(request, &[]).await.expect("a row");
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (2, 2), "each has a secret of their own");
    let (_, secrets) = victim.split_once('=').expect("a value");
    assert_eq!(secrets.split('.').count(), 2);
    // Another site makes the browser sign in as a different user: refused, and no cookie is set.
    let foreign = [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "https://evil.example")];
    let answer = server.send("POST", "/api/token", &foreign, &right("two-admin")).await;
    assert!(answer.status == 403 && !answer.head.contains("set-cookie"), "{answer:?}");
    let own = [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "https://portal.example")];
    assert_eq!(server.send("POST", "/api/token", &own, &right("two-admin")).await.status, 200);
}

#[tokio::test]
async fn twenty_failures_a_minute_are_all_that_one_address_gets_over_all_accounts() {
    let server = Server::start().await;
    let mut answers = Vec::new();
    for number in 0..25 {
        answers.push(server.token_from("203.0.113.9", "", &format!("username=nobody{number}&password=guess")).await.status);
    }
    assert_eq!(answers.iter().filter(|status| **status == 403).count(), 20, "{answers:?}");
    // Refresh secrets, handles and links count with them.
    assert_eq!(server.token_from("203.0.113.9", "", "ref=0123").await.status, 429);
    let from = [("X-Forwarded-For", "203.0.113.9"), ("Content-Type", "application/json")];
    assert_eq!(server.send("GET", "/api/member/generatepwd/0123", &from, "").await.status, 429);
    assert_eq!(server.send("POST", "/api/member/setpassword", &from, r#"{"token":"0","password":"0"}"#).await.status, 429);
    assert_eq!(server.token_from("203.0.113.8", "", "ref=0123").await.status, 403, "another address");
    // A good refresh secret is never held up by others.
    let login = server.token(&right("one-admin")).await.json();
    let form = format!("ref={}&feui=1", login["ref"].as_str().expect("a secret"));
    assert_eq!(server.token_from("203.0.113.9", "", &form).await.status, 200);
}

#[tokio::test]
async fn names_of_nobody_from_all_over_a_site_get_sixty_tries_and_one_row() {
    let server = Server::start().await;
    let cookie = device(&server.token_from("192.0.2.1", "", &right("one-admin")).await);
    let mut answers = Vec::new();
    for number in 0..70 {
        let form = format!("username=nobody{number}&password=guess");
        answers.push(server.token_from(&format!("2001:db8:7:{number:x}::1"), "", &form).await.status);
    }
    assert_eq!(answers.iter().filter(|status| **status == 403).count(), 60, "{answers:?}");
    assert_eq!(server.token_from("2001:db8:8::1", "", "username=nobody&password=guess").await.status, 403, "another site");
    assert_eq!(server.token_from("2001:db8:7::1", &cookie, &right("one-admin")).await.status, 200, "a known device");
    let client = server.database.client().await;
    let rows = client.query("SELECT after FROM audit WHERE chain = 0 ORDER BY seq", &[]).await.expect("rows");
    let tries: Vec<serde_json::Value> = rows.iter().map(|row| row.get(0)).collect();
    assert!(tries.len() <= 3 && tries[0] == serde_json::json!({ "tries": 1 }), "a row a minute: {tries:?}");
}

#[tokio::test]
async fn the_open_routes_work_on_so_many_calls_at_once() {
    let server = Server::start().await;
    let mut client = server.database.client().await;
    let hold = client.transaction().await.expect("signed_in");
    hold.batch_execute("LOCK TABLE throttle").await.expect("locked");
    let calls = (0..260_u32).map(|number| {
        let server = &server;
        async move { server.token_from(&format!("198.51.{}.{}", number / 250, number % 250), "", "ref=0123").await.status }
    });
    let mut answers: futures_util::stream::FuturesUnordered<_> = calls.collect();
    for _ in 0..4 {
        assert_eq!(answers.next().await, Some(429), "while 256 wait");
    }
    hold.rollback().await.expect("released");
    assert!(answers.all(async |status| status == 403 || status == 503).await, "and those are answered");
}

#[tokio::test]
async fn strangers_have_a_limit_together_that_known_devices_have_not() {
    let server = Server::start().await;
    let cookie = device(&server.token_from("192.0.2.1", "", &right("one-admin")).await);
    // All of them have failed 600 times within this minute.
    let client = server.database.client().await;
    let key = auth::hash_token("strangers\n").to_vec();
    let fill = "INSERT INTO throttle (key, recent, stale) VALUES ($1, array_fill(now(), ARRAY[600]), now() + interval '1 min')
        ON CONFLICT (key) DO UPDATE SET recent = excluded.recent, stale = excluded.stale";
    assert_eq!(client.execute(fill, &[&key]).await.expect("filled"), 1);
    assert_eq!(server.token_from("198.51.100.7", "", &right("two-admin")).await.status, 429);
    assert_eq!(server.token_from("198.51.100.7", &cookie, &right("one-admin")).await.status, 200);
}

#[tokio::test]
async fn what_is_missing_is_named_and_only_the_first() {
    let server = Server::start().await;
    for (form, message) in [
        ("username=&password=&feui=1", "Please enter username"),
        ("username=%20&password=x", "Please enter username"),
        ("username=one-admin&feui=1", "Please enter password"),
    ] {
        let answer = server.token(form).await;
        assert_eq!((answer.status, answer.json()["message"].as_str()), (400, Some(message)), "{form}");
    }
    assert_eq!(server.token("username=one%00&password=x").await.status, 400);
}

#[tokio::test]
async fn an_unknown_role_has_no_rights_but_to_leave() {
    let server = Server::start().await;
    let id = server.enter("stray", 99, None).await;
    let token = server.sign_in("stray").await;
    for path in
        ["/api/iecgw/gethoststate", "/api/admin/members", "/api/feedback", &format!("/api/circle/circlesbyclient/{}", server.one.client)]
    {
        assert_eq!(server.get_as(&token, path).await.status, 403, "{path}");
    }
    assert_eq!(server.get_as(&token, &format!("/api/member/logout/{id}")).await.status, 200);
    assert_eq!(server.get_as(&token, &format!("/api/member/logout/{id}")).await.status, 401);
}

#[tokio::test]
async fn a_password_under_an_older_hash_gets_one_of_today() {
    let server = Server::start().await;
    let client = server.database.client().await;
    client.execute("UPDATE member SET password_hash = $1 WHERE username = 'one-admin'", &[&OLD_HASH]).await.expect("set");
    assert_eq!(server.token("username=one-admin&password=password+of+old").await.status, 200);
    let hash: String = client.query_one("SELECT password_hash FROM member WHERE username = 'one-admin'", &[]).await.expect("a row").get(0);
    assert!(auth::is_current(&hash), "{hash}");
    assert_eq!(server.token("username=one-admin&password=password+of+old").await.status, 200);
}

#[tokio::test]
async fn a_refresh_secret_works_once_and_its_reuse_ends_the_session() {
    let server = Server::start().await;
    let form = format!("username=one-admin&password={}&feui=1", PASSWORD.replace(' ', "+"));
    let first = server.token(&form).await.json();
    let text = |login: &serde_json::Value, key: &str| login[key].as_str().expect("text").to_owned();
    let second = server.token(&format!("ref={}&feui=1", text(&first, "ref"))).await.json();
    let path = format!("/api/circle/circlesbyclient/{}", server.one.client);
    assert_eq!(server.get_as(&text(&second, "token"), &path).await.status, 200);
    assert_eq!(server.get_as(&text(&first, "token"), &path).await.status, 401, "the old access token is worth nothing");
    assert_eq!(server.token(&format!("ref={}&feui=1", text(&first, "ref"))).await.status, 403, "reuse");
    assert_eq!(server.get_as(&text(&second, "token"), &path).await.status, 401, "the session has been ended");
    assert_eq!(server.token(&format!("ref={}&feui=1", text(&second, "ref"))).await.status, 403);
}

#[tokio::test]
async fn a_browser_whose_answer_was_lost_asks_again_and_stays_signed_in() {
    let server = Server::start().await;
    let form = right("one-admin");
    let signed_in = server.token(&form).await;
    let cookie = signed_in.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next()).expect("a cookie");
    // Headers are compared in lower case here, but the name of a cookie is case-sensitive.
    let cookie = cookie.replace("__secure-", "__Secure-");
    let text = |login: &serde_json::Value, key: &str| login[key].as_str().expect("text").to_owned();
    let renew = format!("ref={}&feui=1", text(&signed_in.json(), "ref"));
    let lost = server.token_from("127.0.0.1", &cookie, &renew).await;
    assert_eq!(lost.status, 200);
    let again = server.token_from("127.0.0.1", &cookie, &renew).await;
    assert_eq!(again.status, 200, "{}", again.body);
    let path = format!("/api/circle/circlesbyclient/{}", server.one.client);
    assert_eq!(server.get_as(&text(&again.json(), "token"), &path).await.status, 200);
    assert_eq!(server.get_as(&text(&lost.json(), "token"), &path).await.status, 401, "what was lost is worth nothing");
    assert_eq!(server.token(&renew).await.status, 403, "without the cookie it is a copy");
    assert_eq!(server.get_as(&text(&again.json(), "token"), &path).await.status, 401, "and the session is over");
}

/// The cookies of a browser, by name.
#[derive(Default, Clone)]
struct Jar(std::collections::BTreeMap<String, String>);

impl Jar {
    fn take(&mut self, answer: &Answer) {
        for line in answer.head.lines().filter_map(|line| line.strip_prefix("set-cookie: ")) {
            let (name, value) = line.split(';').next().and_then(|pair| pair.split_once('=')).expect("a cookie");
            // Headers are compared in lower case here, but the name of a cookie is case-sensitive.
            self.0.insert(name.replace("__secure-", "__Secure-"), value.to_owned());
        }
    }

    fn send(&self) -> String {
        self.0.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }
}

/// Sends POST /api/token as the page in a browser.
async fn from_page(server: &Server, jar: &Jar, form: &str) -> Answer {
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Cookie", &*jar.send()),
        ("X-Switchyard-Session", "cookie"),
        ("Sec-Fetch-Site", "same-origin"),
    ];
    server.send("POST", "/api/token", &headers, form).await
}

fn token_of(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["token"].as_str().expect("a token").to_owned()
}

#[tokio::test]
async fn browser_keeps_the_refresh_secret_in_a_cookie() {
    let server = Server::start().await;
    let mut jar = Jar::default();
    let signed_in = from_page(&server, &jar, &right("one-admin")).await;
    assert_eq!(signed_in.json()["ref"], "", "no script sees the secret");
    let line = signed_in.head.lines().find(|line| line.starts_with("set-cookie: __secure-switchyard-session=")).expect("a cookie");
    for attribute in ["httponly", "samesite=strict", "path=/api/token", "secure"] {
        assert!(line.contains(attribute), "{attribute}: {line}");
    }
    assert!(!line.contains("max-age"), "it is forgotten with the browser: {line}");
    jar.take(&signed_in);
    let renewed = from_page(&server, &jar, "feui=1").await;
    assert_eq!((renewed.status, &renewed.json()["ref"]), (200, &"".into()));
    let before = jar.send();
    jar.take(&renewed);
    assert_ne!(jar.send(), before, "each renewal has another secret");
    let path = "/api/iecgw/gethoststate";
    assert_eq!(server.get_as(&token_of(&signed_in), path).await.status, 200, "requests of other tabs are under way with it");
    assert_eq!(server.get_as(&token_of(&renewed), path).await.status, 200);
    // Without a cookie, nobody guesses.
    for _ in 0..25 {
        assert_eq!(from_page(&server, &Jar::default(), "feui=1").await.status, 403);
    }
    assert_eq!(from_page(&server, &jar, "feui=1").await.status, 200);
}

#[tokio::test]
async fn tabs_that_renew_at_the_same_time_stay_signed_in() {
    let server = Server::start().await;
    let mut jar = Jar::default();
    jar.take(&from_page(&server, &jar, &right("one-admin")).await);
    let answers = futures_util::future::join_all((0..8).map(|_| from_page(&server, &jar, "feui=1"))).await;
    for answer in &answers {
        assert_eq!(server.get_as(&token_of(answer), "/api/iecgw/gethoststate").await.status, 200);
    }
    // The browser has the cookie of any of the answers.
    for answer in &answers {
        let mut jar = jar.clone();
        jar.take(answer);
        token_of(&from_page(&server, &jar, "feui=1").await);
    }
}

#[tokio::test]
async fn another_origin_cannot_renew_the_session() {
    let server = Server::start().await;
    let mut jar = Jar::default();
    jar.take(&from_page(&server, &jar, &right("one-admin")).await);
    let cookies = jar.send();
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let (cookie, header) = (("Cookie", &*cookies), ("X-Switchyard-Session", "cookie"));
    // A form of another page has no header of its own. With one, the browser names the origin.
    for (headers, status) in [
        (vec![form, cookie], 400),
        (vec![form, cookie, ("Origin", "https://evil.example")], 403),
        (vec![form, cookie, header, ("Origin", "https://evil.example")], 403),
        (vec![form, cookie, header, ("Sec-Fetch-Site", "cross-site")], 403),
        (vec![form, cookie, header, ("Sec-Fetch-Site", "same-site")], 403),
    ] {
        let answer = server.send("POST", "/api/token", &headers, "feui=1").await;
        assert_eq!(answer.status, status, "{headers:?}");
        assert!(!answer.head.contains("set-cookie"), "{answer:?}");
    }
    let allowed = server.send("OPTIONS", "/api/token", &[("Origin", "https://evil.example")], "").await;
    assert!(!allowed.head.contains("access-control-allow"), "{allowed:?}");
    token_of(&from_page(&server, &jar, "feui=1").await);
    // The cookie does not stand in for the secret of another client.
    assert_eq!(server.token_from("192.0.2.1", &cookies, "feui=1").await.status, 400);
}

#[tokio::test]
async fn signing_out_ends_the_session_of_all_tabs() {
    let server = Server::start().await;
    let mut jar = Jar::default();
    let signed_in = from_page(&server, &jar, &right("one-admin")).await;
    jar.take(&signed_in);
    let other_tab = from_page(&server, &jar, "feui=1").await;
    jar.take(&other_tab);
    let id = signed_in.json()["id"].clone();
    assert_eq!(server.get_as(&token_of(&other_tab), &format!("/api/member/logout/{id}")).await.status, 200);
    for answer in [&signed_in, &other_tab] {
        assert_eq!(server.get_as(&token_of(answer), "/api/iecgw/gethoststate").await.status, 401);
    }
    assert_eq!(from_page(&server, &jar, "feui=1").await.status, 403);
}

#[tokio::test]
async fn signing_in_again_ends_the_earlier_session_of_the_browser() {
    let server = Server::start().await;
    let mut jar = Jar::default();
    let first = from_page(&server, &jar, &right("one-admin")).await;
    jar.take(&first);
    let elsewhere = server.sign_in("one-admin").await;
    let mut messages = server.bus_messages();
    let next = from_page(&server, &jar, &right("two-admin")).await;
    jar.take(&next);
    assert_eq!(server.get_as(&token_of(&first), "/api/iecgw/gethoststate").await.status, 401);
    assert!(matches!(*messages.next().await, BusMessage::Session { client, .. } if client == server.one.client.0));
    assert_eq!(server.get_as(&token_of(&next), "/api/iecgw/gethoststate").await.status, 200);
    assert_eq!(server.get_as(&elsewhere, "/api/iecgw/gethoststate").await.status, 200, "of another browser");
    assert_eq!(from_page(&server, &jar, "feui=1").await.json()["username"], "two-admin");
}

#[tokio::test]
async fn neither_renewing_nor_a_timer_keeps_a_session_that_nobody_uses() {
    let server = Server::start().await;
    let first = server.token(&right("one-admin")).await.json();
    let client = server.database.client().await;
    client.batch_execute("UPDATE session SET last_seen = now() - interval '2 h'").await.expect("set");
    let idle = async || {
        let row = client.query_one("SELECT last_seen < now() - interval '1 h' FROM session", &[]).await.expect("a row");
        row.get::<_, bool>(0)
    };
    let next = server.token(&format!("ref={}&feui=1", first["ref"].as_str().expect("a secret"))).await.json();
    let bearer = format!("Bearer {}", next["token"].as_str().expect("a token"));
    for (header, unused) in [("1", true), ("0", false)] {
        let headers = [("Authorization", &*bearer), ("X-Switchyard-Background", header)];
        assert_eq!(server.send("GET", "/api/iecgw/gethoststate", &headers, "").await.status, 200);
        assert_eq!(idle().await, unused, "{header}");
    }
    client.batch_execute("UPDATE session SET last_seen = now() - interval '4 h'").await.expect("set");
    assert_eq!(server.token(&format!("ref={}&feui=1", next["ref"].as_str().expect("a secret"))).await.status, 403);
}

#[tokio::test]
async fn presenting_a_used_secret_again_and_again_enters_one_row_and_is_slowed_down() {
    let server = Server::start().await;
    let first = server.token(&right("one-admin")).await.json();
    let form = format!("ref={}&feui=1", first["ref"].as_str().expect("a secret"));
    assert_eq!(server.token(&form).await.status, 200);
    let mut messages = server.bus_messages();
    let mut answers = Vec::new();
    for _ in 0..25 {
        answers.push(server.token_from("203.0.113.9", "", &form).await.status);
    }
    assert_eq!(answers.iter().filter(|status| **status == 403).count(), 21, "one that ended the session, twenty strangers: {answers:?}");
    assert_eq!(answers.last(), Some(&429));
    let stolen = server.audited(server.one.client).await.into_iter().filter(|(action, _)| action == "session_stolen").count();
    assert_eq!(stolen, 1);
    // The hubs get one message about it; the next one is different.
    let token = server.sign_in("two-admin").await;
    server.get_as(&token, &format!("/api/member/logout/{}", server.two.admin)).await;
    for client in [server.one.client, server.two.client] {
        let message = messages.next().await;
        assert!(matches!(*message, BusMessage::Session { client: utility, .. } if utility == client.0), "{message:?}");
    }
}

#[tokio::test]
async fn signing_out_ends_the_callers_own_session_and_tells_the_hubs() {
    let server = Server::start().await;
    let token = server.sign_in("one-admin").await;
    let mut messages = server.bus_messages();
    assert_eq!(server.get_as(&token, &format!("/api/member/logout/{}", server.two.admin)).await.status, 403);
    assert_eq!(server.get_as(&token, &format!("/api/Member/Logout/{}", server.one.admin)).await.status, 200);
    let message = messages.next().await;
    assert!(matches!(*message, BusMessage::Session { client, .. } if client == server.one.client.0), "{message:?}");
    assert_eq!(server.get_as(&token, "/api/iecgw/gethoststate").await.status, 401);
}

#[tokio::test]
async fn the_published_password_signs_in_nowhere_but_in_the_demo() {
    for (demo, expected) in [(false, 403), (true, 200)] {
        let server = Server::start_as(demo).await;
        let hash = auth::hash_password(identity::session::DEMO_PASSWORD.to_owned()).await.expect("hashed");
        let store = store::Store::connect(server.database.url(), 2).await.expect("connected");
        crate::field::enter(&store, "demo", &hash).await;
        let form = format!("username=demo-admin&password={}&feui=1", identity::session::DEMO_PASSWORD);
        assert_eq!(server.token(&form).await.status, expected, "demo: {demo}");
    }
}

#[tokio::test]
async fn what_is_no_form_is_refused_without_a_fault() {
    let server = Server::start().await;
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let cases = [
        ("POST", "/api/token", &form[..], "x".repeat(300_000), 413),
        ("POST", "/api/token", &form[..], format!("username={}", "x".repeat(300)), 400),
        ("POST", "/api/token", &[], "{}".to_owned(), 415),
        ("GET", "/api/token", &form[..], String::new(), 405),
    ];
    for (method, path, headers, body, expected) in cases {
        let answer = server.send(method, path, headers, &body).await;
        assert_eq!(answer.status, expected, "{answer:?}");
        assert_eq!(answer.json()["statusCode"], expected, "{answer:?}");
    }
}
