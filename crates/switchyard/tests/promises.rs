//! Tests the promises of the live path in their short forms, with processes of the product. The long forms run with `cargo run --release -p rig`.

use rig::promise::{Trial, try_promise};

async fn keep(name: &str) {
    // A promise that this machine cannot test is reported as skipped.
    let missing = match name {
        "P8" if !testkit::SmallDisk::is_possible() => "one may not mount disks here",
        "P16" | "P16c" if testkit::faketime().is_none() => "libfaketime is not here",
        _ => "",
    };
    if !missing.is_empty() {
        return eprintln!("{name} is not tried: {missing}");
    }
    let seed = std::env::var("SWITCHYARD_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let trial = Trial { switchyard: env!("CARGO_BIN_EXE_switchyard").into(), seed, short: true };
    let report = Box::pin(try_promise(name, trial)).await.unwrap_or_else(|error| panic!("{name} seed {seed}: {error:#}"));
    assert!(report.is_kept(), "{report}");
}

macro_rules! promises {
    ($($test:ident: $name:literal,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                keep($name).await;
            }
        )*
    };
}

promises! {
    ingest_may_crash: "P1",
    the_database_may_crash: "P2",
    the_broker_may_crash: "P3",
    everything_may_stop_at_once: "P4",
    what_is_sent_again_is_stored_once: "P5",
    an_avalanche_of_events_is_complete: "P6",
    late_values_go_to_history: "P7",
    full_disks_lose_nothing: "P8",
    a_disturbed_link_heals: "P9",
    a_database_that_does_not_answer_is_bridged: "P10",
    poisoned_input_is_set_aside: "P11",
    clients_resume_without_a_gap: "P12",
    a_client_that_does_not_read_hurts_only_itself: "P13",
    values_are_on_the_screen_in_time: "P14",
    positions_are_seen_at_once_and_what_has_died_is_not_live: "P15",
    clocks_that_jump_do_no_harm: "P16",
    clocks_that_jump_prolong_no_selection: "P16c",
    a_reconnect_storm_is_over_soon: "P17",
    an_order_acts_at_most_once: "P19",
    no_late_kept_replayed_or_foreign_order_acts: "P20",
    database_restart_with_a_standby_disturbs_no_gateway: "standby",
    leader_cut_off_from_the_database_disturbs_no_gateway: "cutoff",
    death_after_a_clock_correction_is_shown: "corrected",
    switch_that_moves_unseen_is_not_shown_where_it_was: "blind",
    data_under_new_aliases_is_not_stored_under_the_old_names: "aliases",
    hub_whose_core_does_no_work_shows_nothing_as_live: "frozen",
    apart_stores_what_one_process_stores: "apart",
}
