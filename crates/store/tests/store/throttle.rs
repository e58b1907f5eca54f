//! Attempts are counted before they are made, for all processes together, and the counts survive a restart.

use grid::Micros;
use store::Store;
use store::throttle::{Admission, AttemptLimits, Counted, FailureDelay};

use crate::fixture::{START, utility};

const DELAYS_MS: [i64; 4] = [0, 0, 1_000, 2_000];

fn counted(key: u8, now: Micros) -> AttemptLimits {
    AttemptLimits { counted: vec![Counted { key: [key; 32], window_ms: 60_000, max: 3 }], slowed: None, now }
}

fn slowed(key: u8, now: Micros) -> AttemptLimits {
    AttemptLimits { counted: Vec::new(), slowed: Some(FailureDelay { key: [key; 32], delays_ms: &DELAYS_MS, forget_ms: 900_000 }), now }
}

fn at(ms: i64) -> Micros {
    START.plus_millis(ms)
}

#[tokio::test]
async fn no_window_holds_more_than_its_limit_wherever_it_begins() {
    let utility = utility().await;
    let admit = async |ms| utility.store.admit(&counted(1, at(ms))).await.unwrap();
    for ms in [0, 50_000, 59_000] {
        assert_eq!(admit(ms).await, Admission::Granted { failures: 0 }, "{ms}");
    }
    assert_eq!(admit(59_500).await, Admission::Wait { ms: 500 });
    assert_eq!(admit(60_000).await, Admission::Granted { failures: 0 }, "the first has left the window");
    assert_eq!(admit(60_001).await, Admission::Wait { ms: 49_999 });
    utility.store.settle(&counted(1, at(60_000))).await.unwrap();
    assert_eq!(admit(60_002).await, Admission::Granted { failures: 0 }, "a success was taken back");
    assert_eq!(utility.store.admit(&counted(2, at(60_003))).await.unwrap(), Admission::Granted { failures: 0 }, "another key");
}

#[tokio::test]
async fn the_delay_grows_with_the_failures_and_success_or_time_forgets_them() {
    let utility = utility().await;
    let admit = async |ms| utility.store.admit(&slowed(1, at(ms))).await.unwrap();
    assert_eq!(admit(0).await, Admission::Granted { failures: 1 });
    assert_eq!(admit(0).await, Admission::Granted { failures: 2 });
    assert_eq!(admit(0).await, Admission::Granted { failures: 3 });
    assert_eq!(admit(999).await, Admission::Wait { ms: 1 });
    // Another process, or this one after a restart.
    let other = Store::connect(utility.database.url(), 1).await.unwrap();
    assert_eq!(other.admit(&slowed(1, at(500))).await.unwrap(), Admission::Wait { ms: 500 });
    assert_eq!(admit(1_000).await, Admission::Granted { failures: 4 });
    assert_eq!(admit(1_000).await, Admission::Wait { ms: 2_000 });
    assert_eq!(admit(3_000).await, Admission::Granted { failures: 5 });
    assert_eq!(admit(3_001).await, Admission::Wait { ms: 1_999 }, "the last step stands for all further ones");
    utility.store.settle(&slowed(1, at(3_000))).await.unwrap();
    assert_eq!(admit(3_002).await, Admission::Granted { failures: 1 });
    assert_eq!(admit(3_003).await, Admission::Granted { failures: 2 });
    assert_eq!(admit(3_003 + 900_001).await, Admission::Granted { failures: 1 }, "a quarter of an hour without a failure");
}

#[tokio::test]
async fn many_at_once_get_no_further_than_one_after_another() {
    let utility = utility().await;
    let (claim, slow) = (counted(1, START), slowed(2, START));
    let granted = async |claim: &AttemptLimits| {
        let tries = futures_util::future::join_all((0..40).map(|_| utility.store.admit(claim))).await;
        tries.into_iter().filter(|admission| matches!(admission, Ok(Admission::Granted { .. }))).count()
    };
    assert_eq!(granted(&claim).await, 3);
    assert_eq!(granted(&slow).await, 3, "two that cost nothing, and the one that begins the delay");
}

#[tokio::test]
async fn what_is_refused_is_not_counted_and_what_is_over_is_swept() {
    let utility = utility().await;
    let both = |now| AttemptLimits { slowed: slowed(9, now).slowed, ..counted(1, now) };
    for _ in 0..3 {
        utility.store.admit(&counted(1, START)).await.unwrap();
    }
    assert!(matches!(utility.store.admit(&both(START)).await.unwrap(), Admission::Wait { .. }));
    assert_eq!(utility.count("throttle").await, 1, "the delay's row was not begun");
    utility.store.admit(&counted(2, at(3_600_000))).await.unwrap();
    assert_eq!(utility.count("throttle").await, 1);
}

#[tokio::test]
async fn what_came_to_nothing_is_taken_back_alone() {
    let utility = utility().await;
    let admit = async |ms| utility.store.admit(&slowed(1, at(ms))).await.unwrap();
    for (ms, failures) in [(0, 1), (0, 2), (0, 3)] {
        assert_eq!(admit(ms).await, Admission::Granted { failures });
    }
    assert_eq!(admit(1_000).await, Admission::Granted { failures: 4 });
    utility.store.take_back(&slowed(1, at(1_000)), 4).await.unwrap();
    assert_eq!(admit(1_001).await, Admission::Granted { failures: 4 }, "its delay is gone, the three before it are not");
    // Another failure followed: its delay is kept.
    assert_eq!(admit(3_001).await, Admission::Granted { failures: 5 });
    utility.store.take_back(&slowed(1, at(1_001)), 4).await.unwrap();
    assert_eq!(admit(3_002).await, Admission::Wait { ms: 1_999 });
    assert_eq!(admit(5_001).await, Admission::Granted { failures: 5 });
    for ms in 0..3 {
        utility.store.admit(&counted(2, at(ms))).await.unwrap();
    }
    utility.store.take_back(&counted(2, at(1)), 0).await.unwrap();
    assert_eq!(utility.store.admit(&counted(2, at(3))).await.unwrap(), Admission::Granted { failures: 0 });
    assert!(matches!(utility.store.admit(&counted(2, at(4))).await.unwrap(), Admission::Wait { .. }));
}

#[tokio::test]
async fn tries_over_the_same_keys_never_wait_for_each_other_in_a_circle() {
    let utility = utility().await;
    let store = Store::connect(utility.database.url(), 16).await.unwrap();
    let many = |key: u8| Counted { key: [key; 32], window_ms: 60_000, max: 100_000 };
    let done = (0..200_u32).map(|number| {
        let claim = AttemptLimits {
            counted: if number % 2 == 0 { vec![many(9), many(1), many(5)] } else { vec![many(1), many(5), many(9)] },
            slowed: Some(FailureDelay { key: [4; 32], delays_ms: &[0], forget_ms: 900_000 }),
            now: at(i64::from(number)),
        };
        let store = store.clone();
        async move {
            store.admit(&claim).await?;
            if number % 3 == 0 { store.take_back(&claim, 1).await } else { store.settle(&claim).await }
        }
    });
    for outcome in futures_util::future::join_all(done).await {
        outcome.unwrap();
    }
}
