//! The contents page: every route of the api. Only the first group can be reached without signing in.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Router, middleware};
use tower_http::timeout::TimeoutLayer;

use crate::contents::{Contents, routes};
use crate::correlate;
use crate::error::Error;
use crate::extract::authenticate;
use crate::routes::{
    actionnotes, admin, alarms, analytics, app, appsconfig, asset, assethealth, audit, circle, client, digiops, division, eealerts,
    faultdata, feedback, hierarchy, history, iecgw, lowcarbon, map, member, monitoring, overview, powerbi, product, report, reports, role,
    section, service, sld, subdivision, substation, tags, token, town,
};
use crate::state::{Deps, Services};

/// The largest body that any route takes so far.
const BODY_MAX_BYTES: usize = 64 * 1024;
/// The longest that a call may take.
const CALL_MAX: Duration = Duration::from_secs(30);
/// The longest that the rows of a report, or the first of a file, may take (specification 1, section 9).
const REPORT_MAX: Duration = Duration::from_mins(10);

/// Open to everybody. Whoever adds a line here changes the list in tests/closed_by_default.rs as well.
fn open() -> Contents {
    Contents::new()
        .routes(routes!(token::sign_in::handle))
        .routes(routes!(app::site_brand::handle))
        .routes(routes!(service::openapi_json::handle))
        .routes(routes!(member::by_email::handle))
        .routes(routes!(member::generate_password::handle))
        .routes(routes!(member::set_password::handle))
        .routes(routes!(reports::links::open))
}

/// For those who have signed in.
fn signed_in() -> Contents {
    Contents::new()
        .routes(routes!(member::logout::get, member::logout::post))
        .routes(routes!(iecgw::host_state::handle))
        .routes(routes!(sld::file::handle))
        .routes(routes!(sld::di_values::handle))
        .routes(routes!(sld::data_values::handle))
        .routes(routes!(sld::generic_values::handle))
        .routes(routes!(sld::acknowledge::handle))
        .routes(routes!(monitoring::event_log::of_node))
        .routes(routes!(monitoring::event_log::of_asset))
        .routes(routes!(analytics::load_current::handle))
}

/// The hierarchy, and what a person gets to see of the portal: for those who have signed in, too.
fn places() -> Contents {
    Contents::new()
        .routes(routes!(circle::lists::by_user))
        .routes(routes!(circle::lists::by_client))
        .routes(routes!(division::lists::by_user))
        .routes(routes!(division::lists::by_client))
        .routes(routes!(division::lists::by_circle))
        .routes(routes!(town::lists::by_user))
        .routes(routes!(town::lists::by_client))
        .routes(routes!(town::lists::by_division))
        .routes(routes!(subdivision::lists::by_user))
        .routes(routes!(subdivision::lists::by_client))
        .routes(routes!(subdivision::lists::by_town))
        .routes(routes!(section::lists::by_user))
        .routes(routes!(section::lists::by_client))
        .routes(routes!(section::lists::by_subdivision))
        .routes(routes!(substation::lists::by_user))
        .routes(routes!(substation::lists::by_client))
        .routes(routes!(substation::lists::by_section))
        .routes(routes!(substation::lists::by_division))
        .routes(routes!(asset::lists::by_user))
        .routes(routes!(asset::lists::by_user_of_types))
        .routes(routes!(asset::lists::by_client))
        .routes(routes!(asset::lists::by_client_of_types))
        .routes(routes!(asset::lists::by_substation))
        .routes(routes!(asset::lists::by_substation_of_types))
        .routes(routes!(hierarchy::children::handle))
        .routes(routes!(appsconfig::clients::handle))
        .routes(routes!(appsconfig::divisions::handle))
        .routes(routes!(appsconfig::products::handle))
        .routes(routes!(appsconfig::primary_substations::handle))
        .routes(routes!(appsconfig::assets::primary))
        .routes(routes!(appsconfig::assets::secondary))
        .routes(routes!(appsconfig::assets::of_app))
        .routes(routes!(role::pages::handle))
        .routes(routes!(role::levels::handle))
        .routes(routes!(client::client_configuration::handle))
}

/// Administration, and what a person does with their own session: for those who have signed in, too.
fn people() -> Contents {
    Contents::new()
        .routes(routes!(client::switch::handle))
        .routes(routes!(member::second_factor::state))
        .routes(routes!(member::second_factor::begin))
        .routes(routes!(member::second_factor::confirm))
        .routes(routes!(member::second_factor::remove))
        .routes(routes!(member::second_factor::codes))
        .routes(routes!(sld::validate_credentials::handle))
        .routes(routes!(digiops::status::handle))
        .routes(routes!(digiops::operate::handle))
        .routes(routes!(digiops::commands::one))
        .routes(routes!(digiops::commands::of_location))
        .routes(routes!(tags::list::handle))
        .routes(routes!(tags::place::handle))
        .routes(routes!(tags::remove::handle))
        .routes(routes!(admin::members::list, admin::members::add))
        .routes(routes!(admin::members::change))
        .routes(routes!(admin::invite::handle))
        .routes(routes!(admin::second_factor::remove))
        .routes(routes!(admin::page_access::get, admin::page_access::put, admin::page_access::reset))
        .routes(routes!(admin::brands::list))
        .routes(routes!(admin::brands::put, admin::brands::delete))
        .routes(routes!(admin::configuration::get, admin::configuration::put))
        .routes(routes!(audit::list::handle))
        .routes(routes!(feedback::list::handle, feedback::send::handle))
}

/// What is measured now, and where the network runs: for those who have signed in, too.
fn live_tables() -> Contents {
    let map = Contents::new().routes(routes!(admin::map::put)).body_limit(admin::map::BODY_MAX_BYTES);
    Contents::new()
        .routes(routes!(monitoring::energy::of_location))
        .routes(routes!(monitoring::energy::of_asset))
        .routes(routes!(monitoring::energy::generic))
        .routes(routes!(monitoring::power_quality::of_location))
        .routes(routes!(monitoring::power_quality::of_asset))
        .routes(routes!(monitoring::assets::of_location))
        .routes(routes!(monitoring::assets::of_asset))
        .routes(routes!(report::readings::handle))
        .routes(routes!(report::phasor::handle))
        .routes(routes!(overview::rows::handle))
        .routes(routes!(map::network::handle))
        .routes(routes!(product::csv_search::handle))
        .merge(map)
}

/// Transformers: what may be loaded on them, and what is known of them.
fn transformers() -> Contents {
    Contents::new()
        .routes(routes!(assethealth::permissible_load::handle))
        .routes(routes!(admin::ratings::list))
        .routes(routes!(admin::ratings::get, admin::ratings::put))
}

/// The health of cables and plant: for those who have signed in, too.
fn cable_health() -> Contents {
    let forecast =
        Contents::new().routes(routes!(assethealth::cable_forecast::handle)).body_limit(assethealth::cable_forecast::BODY_MAX_BYTES);
    Contents::new()
        .routes(routes!(admin::cable_health::template))
        .routes(routes!(assethealth::cable_stations::handle))
        .routes(routes!(assethealth::cable_sections::of_substation))
        .routes(routes!(assethealth::cable_sections::of_field))
        .routes(routes!(assethealth::plant_health::handle))
        .merge(forecast)
}

/// The history of assets, and the profiles that are made of it: for those who have signed in, too.
fn histories() -> Contents {
    Contents::new()
        .routes(routes!(history::asset::handle))
        .routes(routes!(report::profiles::current))
        .routes(routes!(report::profiles::frequency))
        .routes(routes!(report::profiles::voltage))
        .routes(routes!(report::profiles_power::total))
        .routes(routes!(report::profiles_power::reactive))
        .routes(routes!(report::profiles_power::active))
        .routes(routes!(report::profiles_energy::accumulated))
        .routes(routes!(report::profiles_energy::profile))
        .routes(routes!(report::profiles_energy::active))
        .routes(routes!(report::profiles_energy::reactive))
}

/// Energy, losses and demand, and what batteries and transformers show: for those who have signed in, too.
fn energy_and_demand() -> Contents {
    Contents::new()
        .routes(routes!(analytics::unit::handle))
        .routes(routes!(analytics::energy::handle))
        .routes(routes!(analytics::efficiency::real_time))
        .routes(routes!(analytics::efficiency::changes))
        .routes(routes!(analytics::losses::handle))
        .routes(routes!(analytics::demand::handle))
        .routes(routes!(analytics::demand_peaks::profile))
        .routes(routes!(analytics::demand_peaks::table))
        .routes(routes!(report::dc_profile::handle))
        .routes(routes!(assethealth::transformer_live::handle))
}

/// How the field communicates, and which feeders are on: for those who have signed in, too.
fn communication() -> Contents {
    Contents::new()
        .routes(routes!(assethealth::rtu_status::by_date))
        .routes(routes!(assethealth::rtu_status::by_hour))
        .routes(routes!(assethealth::feeder_status::on))
        .routes(routes!(assethealth::feeder_status::outages))
        .routes(routes!(assethealth::comm_lists::rtus))
        .routes(routes!(assethealth::comm_lists::feeders))
        .routes(routes!(assethealth::monitoring::handle))
}

/// Alarms, faults and what is planned about them: for those who have signed in, too.
fn alarms() -> Contents {
    Contents::new()
        .routes(routes!(alarms::list::handle))
        .routes(routes!(alarms::acknowledge::handle))
        .routes(routes!(alarms::shelve::shelve))
        .routes(routes!(alarms::shelve::unshelve))
        .routes(routes!(alarms::note::handle))
        .routes(routes!(admin::alarm_settings::get, admin::alarm_settings::put))
        .routes(routes!(faultdata::lists::by_place))
        .routes(routes!(faultdata::lists::of_caller))
        .routes(routes!(eealerts::alerts::handle))
        .routes(routes!(eealerts::trackers::handle))
        .routes(routes!(actionnotes::list::handle, actionnotes::put::handle))
}

/// Faults over time, the quality of what is measured, and the curves of feeders: for those who have signed in, too.
fn faults_and_quality() -> Contents {
    Contents::new()
        .routes(routes!(analytics::fault_trends::handle))
        .routes(routes!(analytics::quality_check::handle))
        .routes(routes!(analytics::feeder_curves::handle))
        .routes(routes!(admin::relay_settings::get, admin::relay_settings::put))
}

/// What is expected, beside what came: for those who have signed in, too.
fn forecasts() -> Contents {
    Contents::new()
        .routes(routes!(analytics::forecast::handle))
        .routes(routes!(analytics::budget::handle))
        .routes(routes!(report::current_forecast::handle))
}

/// Outages and the reliability that they amount to: for those who have signed in, too.
fn reliability() -> Contents {
    Contents::new()
        .routes(routes!(analytics::outages::list))
        .routes(routes!(analytics::outages::get, analytics::outages::put))
        .routes(routes!(analytics::reliability::scores))
        .routes(routes!(analytics::reliability::profile))
        .routes(routes!(analytics::reliability::yearly))
        .routes(routes!(report::reliability_by_frequency::handle))
        .routes(routes!(admin::feeder_supply::get, admin::feeder_supply::put))
}

/// Low-carbon sites and the plans of their days: for those who have signed in, too.
fn low_carbon() -> Contents {
    Contents::new()
        .routes(routes!(lowcarbon::sites::list))
        .routes(routes!(lowcarbon::sites::one))
        .routes(routes!(lowcarbon::run::handle))
        .routes(routes!(lowcarbon::run::measured))
        .routes(routes!(lowcarbon::compare::handle))
        .routes(routes!(admin::low_carbon_sites::list))
        .routes(routes!(admin::low_carbon_sites::put, admin::low_carbon_sites::delete))
}

/// Files that come by slow lines, or are long to go through: for those who have signed in, too, and with a longer time than other calls.
fn uploads() -> Contents {
    let imports = Contents::new().routes(routes!(admin::cable_health::import)).body_limit(admin::cable_health::BODY_MAX_BYTES);
    Contents::new().routes(routes!(lowcarbon::demand_file::handle)).body_limit(lowcarbon::demand_file::BODY_MAX_BYTES).merge(imports)
}

/// Calls of several kinds, each with the longest that they may take: none is around two, or the shorter would hold for both.
fn timed<S: Clone + Send + Sync + 'static>(kinds: impl IntoIterator<Item = (Router<S>, Duration)>) -> Router<S> {
    let within = |time| TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, time);
    kinds.into_iter().fold(Router::new(), |all, (calls, most)| all.merge(calls.layer(within(most))))
}

/// What can be asked of reports: for those who have signed in, too.
fn report_lists() -> Contents {
    Contents::new()
        .routes(routes!(powerbi::handle))
        .routes(routes!(reports::catalogue::list))
        .routes(routes!(reports::catalogue::list_of_level))
        .routes(routes!(reports::catalogue::frequencies))
        .routes(routes!(reports::catalogue::details))
}

/// Reports: for those who have signed in, and have a turn.
fn report_calls() -> Contents {
    Contents::new()
        .routes(routes!(reports::monthly::handle))
        .routes(routes!(reports::own::show))
        .routes(routes!(reports::own::download))
        .routes(routes!(reports::calls::saidisaifi))
        .routes(routes!(reports::calls::circuitbreakertrip))
        .routes(routes!(reports::calls::user_24x7))
        .routes(routes!(reports::calls::highactivitycb))
        .routes(routes!(reports::calls::subenergylossreport_by_date))
        .routes(routes!(reports::calls::subenergylossreport_by_daterange))
        .routes(routes!(reports::calls::peakdemandreport_by_date))
        .routes(routes!(reports::calls::peakdemandreport_by_daterange))
        .routes(routes!(reports::calls::faultreport_by_date))
        .routes(routes!(reports::calls::faultreport_by_daterange))
        .routes(routes!(reports::calls::hourlyfeederdatareport_by_date))
        .routes(routes!(reports::calls::hourlyfeederdatareport_by_daterange))
        .routes(routes!(reports::calls::dailylogads_by_date))
        .routes(routes!(reports::calls::dailylogads_by_daterange))
        .routes(routes!(reports::calls::dailyeventlog_by_date))
        .routes(routes!(reports::calls::dailyeventlog_by_daterange))
        .routes(routes!(reports::calls::limitviolation))
        .routes(routes!(reports::calls::hourlytransformerdatareport_by_date))
        .routes(routes!(reports::calls::hourlytransformerdatareport_by_daterange))
        .routes(routes!(reports::calls::tflossreport_by_date))
        .routes(routes!(reports::calls::tflossreport_by_daterange))
        .routes(routes!(reports::calls::violationsreport_by_date))
        .routes(routes!(reports::calls::violationsreport_by_daterange))
        .routes(routes!(reports::calls::dailylogsheet_by_date))
        .routes(routes!(reports::calls::dailylogsheet_by_daterange))
        .routes(routes!(reports::calls::substationdailylog_by_date))
        .routes(routes!(reports::calls::customizedpqreport))
        .routes(routes!(reports::calls::customizedpdsreport))
        .routes(routes!(reports::calls::rtuhealth))
        .routes(routes!(reports::calls::gdsdatabysampletime_by_date))
        .routes(routes!(reports::calls::gdsdatabysampletime_by_daterange))
        .routes(routes!(reports::calls::anomolyreport_by_date))
        .routes(routes!(reports::calls::anomolyreport_by_daterange))
        .routes(routes!(reports::calls::asset_daily_record_count))
        .routes(routes!(reports::calls::product_data_stream_by_interval))
}

/// Reports that are asked again: for those who have signed in, too.
fn kept_reports() -> Contents {
    Contents::new()
        .routes(routes!(reports::selections::list, reports::selections::add))
        .routes(routes!(reports::selections::change, reports::selections::remove))
        .routes(routes!(reports::schedules::list, reports::schedules::add))
        .routes(routes!(reports::schedules::change, reports::schedules::remove))
        .routes(routes!(reports::runs::list))
        .routes(routes!(reports::runs::ask))
        .routes(routes!(reports::runs::stop))
        .routes(routes!(reports::runs::file))
        .routes(routes!(reports::links::list, reports::links::make))
        .routes(routes!(reports::links::withdraw))
}

/// Around the open routes: works on so many calls at once and sends the others away. The body is read before, so that who sends one slowly holds
/// nobody up.
async fn in_turn(State(services): State<Services>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_MAX_BYTES).await else { return StatusCode::PAYLOAD_TOO_LARGE.into_response() };
    match services.0.open.try_acquire() {
        Ok(_turn) => next.run(Request::from_parts(parts, Body::from(body))).await,
        Err(_) => Error::TooMany { retry_after_s: 2 }.into_response(),
    }
}

/// The routes with everything they need, under the paths of the document.
pub fn router(deps: Deps) -> Router {
    let services = Services::new(deps);
    let authenticated = || middleware::from_fn_with_state(services.clone(), authenticate);
    let signed_in = with_a_session().into_router().route_layer(authenticated());
    let uploads = uploads().into_router().route_layer(authenticated());
    let in_turn_of_reports = middleware::from_fn_with_state(services.clone(), reports::in_turn);
    let reports = report_calls().into_router().route_layer(in_turn_of_reports).route_layer(authenticated());
    let open = open().into_router().route_layer(middleware::from_fn_with_state(services.clone(), in_turn));
    let calls = open.merge(signed_in).route("/api/{*unknown}", axum::routing::any(async || Error::NotFound));
    timed([(calls, CALL_MAX), (uploads, lowcarbon::demand_file::CALL_MAX), (reports, REPORT_MAX)])
        .layer(DefaultBodyLimit::max(BODY_MAX_BYTES))
        .layer(middleware::from_fn(correlate::layer))
        .with_state(services)
}

/// Every route that needs a session and none of the longer time limits.
fn with_a_session() -> Contents {
    signed_in()
        .merge(places())
        .merge(people())
        .merge(live_tables())
        .merge(transformers())
        .merge(cable_health())
        .merge(histories())
        .merge(energy_and_demand())
        .merge(communication())
        .merge(alarms())
        .merge(faults_and_quality())
        .merge(forecasts())
        .merge(reliability())
        .merge(low_carbon())
        .merge(report_lists())
        .merge(kept_reports())
}

/// Every route.
pub(crate) fn contents() -> Contents {
    open().merge(with_a_session()).merge(report_calls()).merge(uploads())
}

/// The paths of the api, with parameters in braces; [`crate::shell::wrap`] matches them without regard to case.
pub fn templates() -> Vec<String> {
    contents().into_paths().into_iter().filter(|path| path.starts_with("/api/")).collect()
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn a_file_may_take_longer_to_arrive_than_other_calls_take() {
        let (short, long) = (Duration::from_millis(1), Duration::from_hours(1));
        let slow = |path| Router::<()>::new().route(path, get(async || tokio::time::sleep(Duration::from_millis(50)).await));
        let never = |path| Router::<()>::new().route(path, get(std::future::pending::<()>));
        for (routes, path, status) in [
            (timed([(never("/call"), short), (slow("/file"), long)]), "/call", StatusCode::REQUEST_TIMEOUT),
            (timed([(never("/call"), short), (slow("/file"), long)]), "/file", StatusCode::OK),
            (timed([(never("/call"), long), (never("/file"), short)]), "/file", StatusCode::REQUEST_TIMEOUT),
        ] {
            let asked = Request::builder().uri(path).body(Body::empty()).expect("a call");
            assert_eq!(routes.oneshot(asked).await.expect("an answer").status(), status, "{path}");
        }
    }
}
