//! Operating breakers: from the request of a user to the command for a gateway, and back to its outcome. Each decision is one transaction
//! (`store::control`) by the rules in `grid::control`. This crate does the IO around it.
//!
//! - `request`: decides and answers requests of users. `decide`: collects the facts of a decision. `status`: returns the same facts for the screen.
//!   `network_rules`: checks the effects of an operation in the network.
//! - `carry_out`: carries out committed decisions. `send`: the only module that publishes commands to gateways.
//! - `service`: processes answers of gateways, positions, deadlines, lost links, ended sessions and stopped apis, until shutdown.
//! - `image`: latest positions and link states from the bus. `open`: the open commands. `steps`: applies events to them.
//! - `areas`: who sits where, and which desk holds which area. `tags`: tags that block or caution. `tickets`: permission for one operation after a user has given their credentials.
//!
//! # Invariants
//!
//! The tests of each invariant are listed as `file::test`.
//!
//! - Only this crate publishes commands, and within it only `send`. `crates/switchyard/tests/architecture.rs::only_control_publishes_commands`
//! - An operation that cannot be stored is not carried out: audit, command, states and reservation are committed together.
//!   `api/tests/http/control/refusals.rs::operation_that_cannot_be_stored_is_refused`
//! - A command is published after its COMMIT, or never. `api/tests/http/control/late.rs::command_delayed_by_stalled_commit_is_never_published`
//! - A command is published once. It is never sent again, not by a repeated request and not after a crash.
//!   `api/tests/http/control/operate.rs::the_same_request_gets_the_first_answer_and_never_runs_twice`
//!   `api/tests/http/control/life.rs::an_api_that_dies_between_select_and_execute_leaves_nothing_selected_and_nothing_sent_again`
//! - A command is valid for 5 s after its decision. A command that moves a device is published within 2 s or never.
//!   `crates/control/src/send.rs::an_order_is_good_for_what_is_left_of_its_time_and_what_moves_something_leaves_soon_or_never`
//! - A command is DONE only after the field has reported the target position with a source time after the command.
//!   `api/tests/http/control/doubt.rs::only_the_wanted_position_is_success`
//! - An outcome that is unknown is reported as unknown, and no other command is accepted until the field has reported.
//!   `api/tests/http/control/late.rs::timeout_of_command_returns_504_outcome_unknown`
//!   `api/tests/http/control/doubt.rs::gateway_death_makes_outcome_unknown`
//!   `api/tests/http/control/doubt.rs::between_the_end_of_a_commands_time_and_its_entry_nothing_else_is_ordered`
//! - Only answers of the gateway to which the command was sent are used. `api/tests/http/control/doubt.rs::answers_of_another_gateway_count_for_nothing`
//! - A point has at most one command, with one holder. `api/tests/http/control/races.rs::of_two_operators_exactly_one_selects`
//! - A selection ends when it expires, when its session ends, or when its holder cancels it. Only its holder can execute it.
//!   `api/tests/http/control/life.rs::a_selection_runs_out`
//!   `api/tests/http/control/life.rs::sign_out_cancels_selections`
//!   `api/tests/http/control/operate.rs::a_selection_is_given_up_by_its_holder_alone`
//!   `crates/grid/src/control/check/tests.rs::reservation_holder_decides_the_refusal`
//! - Setting the wall clock prolongs no selection and no command.
//!   `crates/control/src/request.rs::set_wall_clock_does_not_prolong_a_command`
//!   `crates/control/src/steps.rs::overdue_command_ends_whatever_the_wall_clock_says`
//! - If a decision knew a link state, this link state does not end the command of the decision.
//!   `crates/control/src/open.rs::decision_knows_link_states_up_to_its_own`
//!   `api/tests/http/control/races.rs::a_link_that_went_before_a_selection_ends_the_one_before_it_and_not_this_one`
//! - Nothing is operated without a link, or from a position that is stale, invalid or not the one that the user saw.
//!   `api/tests/http/control/refusals.rs::without_a_link_nothing_is_operated`
//!   `api/tests/http/control/refusals.rs::stale_position_refuses_operation`
//!   `api/tests/http/control/refusals.rs::what_the_device_reports_refuses`
//!   `api/tests/http/control/refusals.rs::from_position_must_equal_live_position`
//! - The server applies the interlocks, whatever a client shows.
//!   `api/tests/http/control/refusals.rs::interlocks_of_the_bay_refuse`
//! - No switch is closed onto an earth anywhere on its metallic section, and no earth switch onto a part that may have supply. A position that is unknown, or
//!   that no point reports, does not permit closing. `api/tests/http/control/network.rs::breaker_does_not_close_onto_an_earth_of_another_substation`
//!   `api/tests/http/control/network.rs::position_that_nobody_reports_does_not_permit_closing`
//! - An entered position never outranks a command that is on its way, or one whose outcome is not known, and no switch is operated while an entry for it counts.
//!   `api/tests/http/control/entries.rs::entry_from_before_a_command_without_known_outcome_is_refused_and_does_not_count`
//!   `api/tests/http/control/entries.rs::nothing_is_entered_for_a_switch_while_a_command_is_on_its_way_to_it`
//!   `api/tests/http/control/entries.rs::switch_is_not_operated_while_an_entry_for_it_counts`
//!   `api/tests/http/control/entries.rs::switch_in_no_network_is_not_operated_while_an_entry_for_it_counts`
//! - Of the switches that the active network lacks in a substation, only those are opened that are known as breakers, and earth switches.
//!   `api/tests/http/control/network.rs::switch_that_the_network_lacks_is_opened_only_if_it_is_a_breaker`
//! - Decisions about random operations in random states are those of a script that shares no code with this crate.
//!   `crates/control/tests/labels/main.rs::decisions_are_those_of_the_script`
//! - While a temporary change does not fit the active version, no switch of the utility closes, whether or not the network has the switch.
//!   `api/tests/http/control/temporary.rs::change_that_does_not_fit_a_new_version_blocks_closing_until_it_is_removed`
//!   `api/tests/http/control/temporary.rs::lost_change_blocks_closing_in_a_substation_outside_of_the_network`
//!   `api/tests/http/control/temporary.rs::lost_jumper_blocks_opening_of_an_isolator_outside_of_the_network`
//! - While a temporary change does not fit the active version, no jumper is placed and no cut is removed; while a jumper does not fit, nothing is placed. What
//!   the crew has proved dead permits none of it. `api/tests/http/control/temporary.rs::lost_earth_blocks_jumpers_and_removals_of_cuts`
//!   `api/tests/http/control/temporary.rs::lost_jumper_blocks_earths_and_cuts`
//! - Two sources are joined only by a switch that checks their synchronism.
//!   `api/tests/http/control/network.rs::sources_are_joined_only_by_a_switch_that_checks_synchronism`
//! - A disconnector does not interrupt or make a load, wherever the load is.
//!   `api/tests/http/control/network.rs::switch_that_is_not_made_for_load_is_not_opened_under_load`
//! - An inhibit blocks every switch of the utility that could energise the tagged equipment, and every jumper and every removal of a cut.
//!   `api/tests/http/control/network.rs::inhibit_on_a_feeder_blocks_what_would_energise_it_from_another_substation`
//!   `api/tests/http/control/network.rs::inhibit_elsewhere_blocks_in_a_network_without_bound_points`
//!   `api/tests/http/control/temporary.rs::jumper_and_removal_of_a_cut_do_not_energise_what_an_inhibit_protects`
//! - A decision uses the permissions at the time of its transaction. The operator is the user of the session, whatever the request body contains.
//!   `api/tests/http/control/refusals.rs::users_without_permission_cannot_operate`
//!   `api/tests/http/control/operate.rs::command_belongs_to_the_session_whatever_the_body_claims`
//! - A ticket is valid once, for 60 s, and only for its session and its operation.
//!   `api/tests/http/control/credentials.rs::a_ticket_is_good_once_and_not_for_long`
//!   `api/tests/http/control/credentials.rs::a_ticket_is_of_one_session_and_of_what_it_was_given_for`
//! - An inhibit blocks all users including its holder, and ends a selection.
//!   `api/tests/http/control/tags.rs::an_inhibit_blocks_everybody_until_it_is_taken_off`
//!   `api/tests/http/control/tags.rs::inhibit_cancels_selection_and_reports_sent_command`
//! - An inhibit on a bay or a substation blocks every switch inside. No inhibit ends by itself.
//!   `api/tests/http/control/tags.rs::inhibit_on_a_bay_or_a_station_blocks_what_is_inside`
//!   `api/tests/http/control/tags.rs::what_is_no_tag_is_refused_and_one_with_an_end_ends`
//! - Nothing is operated from a desk that does not hold the area of the device, and a selection ends when its area passes to another desk.
//!   `api/tests/http/control/areas.rs::each_act_is_refused_outside_and_permitted_inside`
//!   `api/tests/http/control/areas.rs::selection_ends_when_its_area_moves`
//!   `crates/store/tests/store/areas.rs::operation_during_a_takeover_sees_the_new_holder`
//! - The limit of operations never refuses to close a switch. `api/tests/http/control/refusals.rs::a_device_is_not_pumped`
//! - Rights and times of operating change only after the administrator has confirmed their credentials.
//!   `api/tests/http/control/credentials.rs::rights_and_times_of_operating_change_only_with_confirmed_credentials`
//! - For a gateway that requires signatures, the signature covers every part of the command.
//!   `api/tests/http/control/operate.rs::orders_are_signed_for_a_gateway_that_wants_that`
//!   `crates/field/src/command.rs::every_part_of_an_order_is_signed`

mod areas;
mod carry_out;
mod clock;
mod decide;
mod device_report;
mod error;
#[cfg(test)]
mod example;
mod handle;
mod image;
mod job;
mod judge;
mod network_rules;
mod open;
mod request;
mod send;
mod service;
mod status;
mod steps;
mod tags;
mod tickets;

pub use areas::AreaAct;
pub use decide::throw_of;
pub use ed25519_dalek::SigningKey;
pub use error::Error;
pub use handle::{Control, ControlSettings};
pub use judge::{Judgement, judge};
pub use network_rules::{MoveKind, inhibits_on, lost_change_against};
pub use request::{Action, CommandRequest, Outcome, RefusalClass, not_permitted};
pub use tickets::TICKET_S;
