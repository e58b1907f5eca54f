//! The list of all routes. Only the first group can be called without signing in.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use store::ReadClass;
use tower_http::timeout::TimeoutLayer;

use crate::correlate;
use crate::error::Error;
use crate::extract::authenticate;
use crate::heavy;
use crate::route_table::{RouteTable, routes};
use crate::routes::{
    actionnotes, admin, alarms, analytics, app, appsconfig, areas, asset, assethealth, audit, circle, client, digiops, division, eealerts,
    faultdata, feedback, hierarchy, history, iecgw, lowcarbon, map, member, monitoring, network, overview, powerbi, product, report,
    reports, role, section, service, sld, subdivision, substation, tags, token, town,
};
use crate::state::{Deps, Services};

/// Limit of the body of a request, bytes, unless the route has its own limit.
const BODY_MAX_BYTES: usize = 64 * 1024;
/// Time limit of a request.
const CALL_MAX: Duration = Duration::from_secs(30);
/// Time limit of a heavy read, from the request to its rows or to the first byte of its file, including the time in the queue (specification 1, section 9).
const HEAVY_MAX: Duration = Duration::from_mins(10);

/// Routes that need no sign-in. If you add a line here, add one to the list in tests/http/closed_by_default.rs too.
fn open() -> RouteTable {
    RouteTable::of(ReadClass::Reserved)
        .routes(routes!("/api/token" => post token::sign_in::handle))
        .routes(routes!("/api/app/sitebrand/{host}" => get app::site_brand::handle))
        .routes(routes!("/api/openapi.json" => get service::openapi_json::handle))
        .routes(routes!("/api/member/memberbyemail/{email}" => get member::by_email::handle))
        .routes(routes!("/api/member/generatepwd/{handle}" => get member::generate_password::handle))
        .routes(routes!("/api/member/setpassword" => post member::set_password::handle))
        .routes(routes!("/api/reports/file/{token}" => get reports::links::open))
}

/// The user's own session, commands and acknowledgements. They need a session. Their database connections are reserved, so that no slow read delays them.
fn sessions_and_commands() -> RouteTable {
    RouteTable::of(ReadClass::Reserved)
        .routes(routes!("/api/member/logout/{memberId}" => get member::logout::get, post member::logout::post))
        .routes(routes!("/api/sld/acknowledge" => post sld::acknowledge::handle))
        .routes(routes!("/api/client/switch/{clientId}" => post client::switch::handle))
        .routes(routes!("/api/member/secondfactor" => get member::second_factor::state))
        .routes(routes!("/api/member/secondfactor/begin" => post member::second_factor::begin))
        .routes(routes!("/api/member/secondfactor/confirm" => post member::second_factor::confirm))
        .routes(routes!("/api/member/secondfactor/remove" => post member::second_factor::remove))
        .routes(routes!("/api/member/secondfactor/codes" => post member::second_factor::codes))
        .routes(routes!("/api/sld/validatecredentialsfordocontrol" => post sld::validate_credentials::handle))
        .routes(routes!("/api/digiops/cbstatus/{deviceId}/{assetToDiSettingId}" => get digiops::status::handle))
        .routes(routes!("/api/digiops" => post digiops::operate::handle))
        .routes(routes!("/api/digiops/command/{commandId}" => get digiops::commands::one))
        .routes(routes!("/api/areas/desk" => put areas::desk::handle))
        .routes(routes!("/api/areas/desk/request" => post areas::desk::request))
        .routes(routes!("/api/areas/desk/consent" => post areas::desk::consent))
        .routes(routes!("/api/areas/desk/refuse" => post areas::desk::refuse))
        .routes(routes!("/api/areas/{id}/request" => post areas::hand_over::request))
        .routes(routes!("/api/areas/{id}/offer" => post areas::hand_over::offer))
        .routes(routes!("/api/areas/{id}/consent" => post areas::hand_over::consent))
        .routes(routes!("/api/areas/{id}/refuse" => post areas::hand_over::refuse))
        .routes(routes!("/api/areas/{id}/take" => post areas::hand_over::take))
        .routes(routes!("/api/areas/{id}/move" => post areas::hand_over::move_to))
        .routes(routes!("/api/tags" => post tags::place::handle))
        .routes(routes!("/api/tags/{id}/remove" => post tags::remove::handle))
        .routes(routes!("/api/alarms/acknowledge" => post alarms::acknowledge::handle))
        .routes(routes!("/api/alarms/shelve" => post alarms::shelve::shelve))
        .routes(routes!("/api/alarms/unshelve" => post alarms::shelve::unshelve))
        .routes(routes!("/api/alarms/note" => post alarms::note::handle))
}

/// Sums over many points, and figures from all values of a long period. They need a session and wait in the fair queue.
fn sums() -> RouteTable {
    RouteTable::of(ReadClass::Heavy)
        .routes(routes!("/api/report/dcprofile/{id}/{flag}" => get report::dc_profile::handle))
        .routes(routes!("/api/product/getdataforcsvbysearch" => get product::csv_search::handle))
        .routes(routes!("/api/analytics/getenergyovertime/{type}/{id}" => get analytics::energy::handle))
        .routes(routes!("/api/analytics/registersteps/{type}/{id}/{days}" => get analytics::register_steps::list))
        .routes(routes!("/api/analytics/realtimeefficiency/{type}/{id}" => get analytics::efficiency::real_time))
        .routes(routes!("/api/analytics/getefficiencychange/{type}/{id}" => get analytics::efficiency::changes))
        .routes(routes!("/api/analytics/getaccumulatedlosses/{type}/{id}" => get analytics::losses::handle))
        .routes(routes!("/api/analytics/getdemandovertimegraph/{type}/{id}" => get analytics::demand::handle))
        .routes(routes!("/api/analytics/peakdemandprofiledatabyid/{type}/{id}" => get analytics::demand_peaks::profile))
        .routes(routes!("/api/analytics/getpeakdemandtable/{type}/{id}" => get analytics::demand_peaks::table))
        .routes(routes!("/api/assethealth/getrtucommlistbycircleid/{id}/{from}/{to}" => get assethealth::comm_lists::rtus))
        .routes(routes!("/api/assethealth/getfeedercommlistbycircleid/{id}/{from}/{to}" => get assethealth::comm_lists::feeders))
        .routes(routes!("/api/analytics/faulttypesovertime/{type}/{id}" => get analytics::fault_trends::handle))
        .routes(routes!("/api/analytics/qualitycheck/{id}" => get analytics::quality_check::handle))
        .routes(routes!("/api/analytics/feedercurves/{id}" => get analytics::feeder_curves::handle))
        .routes(routes!("/api/analytics/getreliabilityscores/{type}/{id}/{yyyymm}" => get analytics::reliability::scores))
        .routes(routes!("/api/analytics/reliabilityprofile/{type}/{id}/{yyyymm}" => get analytics::reliability::profile))
        .routes(routes!("/api/analytics/getreliabilityscoresyearly/{type}/{id}" => get analytics::reliability::yearly))
        .routes(routes!("/api/report/relibdatabyfrequency" => post report::reliability_by_frequency::handle))
}

/// Routes for signed-in users.
fn signed_in() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/iecgw/gethoststate" => get iecgw::host_state::handle))
        .routes(routes!("/api/sld/substationsldfile/{id}" => get sld::file::handle))
        .routes(routes!("/api/sld/slddivaluesbyastpt/{id}" => get sld::di_values::handle))
        .routes(routes!("/api/sld/slddatavaluesbyastpt/{id}" => get sld::data_values::handle))
        .routes(routes!("/api/sld/sldgenericdatavalues/location/{id}" => get sld::generic_values::handle))
        .routes(routes!("/api/monitoring/dieventlog/{id}" => get monitoring::event_log::of_node))
        .routes(routes!("/api/monitoring/diasseteventlog/{id}" => get monitoring::event_log::of_asset))
        .routes(routes!("/api/analytics/loadcurrentvalues/{type}/{id}" => get analytics::load_current::handle))
}

/// The hierarchy and the configuration of the screens. They need a session.
fn places() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/circle/circlesbyuser/{id}" => get circle::lists::by_user))
        .routes(routes!("/api/circle/circlesbyclient/{id}" => get circle::lists::by_client))
        .routes(routes!("/api/division/divisionsbyuser/{id}" => get division::lists::by_user))
        .routes(routes!("/api/division/divisionsbyclient/{id}" => get division::lists::by_client))
        .routes(routes!("/api/division/divisionsbycircle/{id}" => get division::lists::by_circle))
        .routes(routes!("/api/town/townsbyuser/{id}" => get town::lists::by_user))
        .routes(routes!("/api/town/townsbyclient/{id}" => get town::lists::by_client))
        .routes(routes!("/api/town/townsbydivision/{id}" => get town::lists::by_division))
        .routes(routes!("/api/subdivision/subdivisionsbyuser/{id}" => get subdivision::lists::by_user))
        .routes(routes!("/api/subdivision/subdivisionsbyclient/{id}" => get subdivision::lists::by_client))
        .routes(routes!("/api/subdivision/subdivisionsbytown/{id}" => get subdivision::lists::by_town))
        .routes(routes!("/api/section/sectionsbyuser/{id}" => get section::lists::by_user))
        .routes(routes!("/api/section/sectionsbyclient/{id}" => get section::lists::by_client))
        .routes(routes!("/api/section/sectionsbysubdivision/{id}" => get section::lists::by_subdivision))
        .routes(routes!("/api/substation/substationsbyuser/{id}" => get substation::lists::by_user))
        .routes(routes!("/api/substation/substationsbyclient/{id}" => get substation::lists::by_client))
        .routes(routes!("/api/substation/substationsbysection/{id}" => get substation::lists::by_section))
        .routes(routes!("/api/substation/substationsbydivision/{id}" => get substation::lists::by_division))
        .routes(routes!("/api/asset/assetsbyuser/{id}" => get asset::lists::by_user))
        .routes(routes!("/api/asset/assetsbyuser/{id}/{types}" => get asset::lists::by_user_of_types))
        .routes(routes!("/api/asset/assetsbyclient/{id}" => get asset::lists::by_client))
        .routes(routes!("/api/asset/assetsbyclient/{id}/{types}" => get asset::lists::by_client_of_types))
        .routes(routes!("/api/asset/assetsbysubstation/{id}" => get asset::lists::by_substation))
        .routes(routes!("/api/asset/assetsbysubstation/{id}/{types}" => get asset::lists::by_substation_of_types))
        .routes(routes!("/api/hierarchy/children/{type}/{id}" => get hierarchy::children::handle))
        .routes(routes!("/api/appsconfig/client" => get appsconfig::clients::handle))
        .routes(routes!("/api/appsconfig/division" => get appsconfig::divisions::handle))
        .routes(routes!("/api/appsconfig/product" => get appsconfig::products::handle))
        .routes(routes!("/api/appsconfig/primsubstbyclient/{id}" => get appsconfig::primary_substations::handle))
        .routes(routes!("/api/appsconfig/primaryassetsbyassetpoint/{id}" => get appsconfig::assets::primary))
        .routes(routes!("/api/appsconfig/secondaryassetsbyassetpoint/{id}" => get appsconfig::assets::secondary))
        .routes(routes!("/api/appsconfig/assetsbyappidastptid/{id}/{appId}" => get appsconfig::assets::of_app))
        .routes(routes!("/api/role/rolepages/{roleId}" => get role::pages::handle))
        .routes(routes!("/api/role/rolesbyroleidinclself/{roleId}" => get role::levels::handle))
        .routes(routes!("/api/client/clientconfiguration/{id}" => get client::client_configuration::handle))
}

/// Administration, and the user's own session. They need a session.
fn people() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/digiops/commands/{id}" => get digiops::commands::of_location))
        .routes(routes!("/api/tags/location/{id}" => get tags::list::handle))
        .routes(routes!("/api/admin/members" => get admin::members::list, post admin::members::add))
        .routes(routes!("/api/admin/members/{id}" => put admin::members::change))
        .routes(routes!("/api/admin/members/{id}/invite" => post admin::invite::handle))
        .routes(routes!("/api/admin/members/{id}/secondfactor" => delete admin::second_factor::remove))
        .routes(routes!("/api/admin/pageaccess/{roleId}" => get admin::page_access::get, put admin::page_access::put, delete admin::page_access::reset))
        .routes(routes!("/api/admin/brands" => get admin::brands::list))
        .routes(routes!("/api/admin/brands/{host}" => put admin::brands::put, delete admin::brands::delete))
        .routes(routes!("/api/admin/configuration" => get admin::configuration::get, put admin::configuration::put))
        .routes(routes!("/api/areas" => get areas::list::handle))
        .routes(routes!("/api/admin/areas" => put admin::areas::put))
        .routes(routes!("/api/audit" => get audit::list::handle))
        .routes(routes!("/api/feedback" => get feedback::list::handle, post feedback::send::handle))
}

/// Present values, and the map. They need a session.
fn live_tables() -> RouteTable {
    let map = RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/admin/map" => put admin::map::put))
        .body_limit(admin::map::BODY_MAX_BYTES);
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/monitoring/getpdsdata/location/{id}" => get monitoring::energy::of_location))
        .routes(routes!("/api/monitoring/getpdsdata/ast/{id}" => get monitoring::energy::of_asset))
        .routes(routes!("/api/monitoring/getgdsdata/asset/{id}" => get monitoring::energy::generic))
        .routes(routes!("/api/monitoring/getpqdata/location/{id}" => get monitoring::power_quality::of_location))
        .routes(routes!("/api/monitoring/getpqdata/ast/{id}" => get monitoring::power_quality::of_asset))
        .routes(routes!("/api/monitoring/getadsdata/location/{id}" => get monitoring::assets::of_location))
        .routes(routes!("/api/monitoring/getadsdata/ast/{id}" => get monitoring::assets::of_asset))
        .routes(routes!("/api/report/feederinstantaneousdata/{id}" => get report::readings::handle))
        .routes(routes!("/api/report/phasordiagram/{id}" => get report::phasor::handle))
        .routes(routes!("/api/overview/{type}/{id}" => get overview::rows::handle))
        .routes(routes!("/api/map/network/{type}/{id}" => get map::network::handle))
        .merge(map)
}

/// Ratings and loading of transformers.
fn transformers() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/assethealth/assetpermissibleloadnew/{id}/{months}" => get assethealth::permissible_load::handle))
        .routes(routes!("/api/admin/ratings" => get admin::ratings::list))
        .routes(routes!("/api/admin/ratings/{id}" => get admin::ratings::get, put admin::ratings::put))
}

/// The health of cables and plant. They need a session.
fn cable_health() -> RouteTable {
    let forecast = RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/assethealth/cableriskforecast" => post assethealth::cable_forecast::handle))
        .body_limit(assethealth::cable_forecast::BODY_MAX_BYTES);
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/admin/cablehealth/template/{kind}" => get admin::cable_health::template))
        .routes(routes!("/api/assethealth/cablehealthsubstations" => get assethealth::cable_stations::handle))
        .routes(routes!("/api/assethealth/cablehealthdatabyassetpoint/{id}/{year}" => get assethealth::cable_sections::of_substation))
        .routes(routes!("/api/assethealth/cablehealthfilterdata" => post assethealth::cable_sections::of_field))
        .routes(routes!("/api/assethealth/planthealth/{id}/{year}" => get assethealth::plant_health::handle))
        .merge(forecast)
}

/// The history of assets, and profiles that are computed from it. They need a session.
fn histories() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/history/asset/{id}" => get history::asset::handle))
        .routes(routes!("/api/report/currentprofile/{id}/{months}" => get report::profiles::current))
        .routes(routes!("/api/report/frequencyprofile/" => get report::profiles::frequency))
        .routes(routes!("/api/report/voltageforecast/{range}" => get report::profiles::voltage))
        .routes(routes!("/api/report/totalpowerdemand/{id}/{months}" => get report::profiles_power::total))
        .routes(routes!("/api/report/reactivepwrvstime/{id}/{months}" => get report::profiles_power::reactive))
        .routes(routes!("/api/report/activepwrvstime" => post report::profiles_power::active))
        .routes(routes!("/api/report/accumulatedenergybyassetid/{id}/{months}" => get report::profiles_energy::accumulated))
        .routes(routes!("/api/report/energyprofilebyassetid/{id}/{months}" => get report::profiles_energy::profile))
        .routes(routes!("/api/report/activeimpexpenergybyassetid/{id}/{months}" => get report::profiles_energy::active))
        .routes(routes!("/api/report/reactiveimpexpenergybyassetid/{id}/{months}" => get report::profiles_energy::reactive))
}

/// Units and transformers. They need a session.
fn energy_and_demand() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/analytics/measurementunit/{type}/{id}" => get analytics::unit::handle))
        .routes(routes!("/api/assethealth/transformerlivedata/{id}" => get assethealth::transformer_live::handle))
}

/// Communication of gateways, and the status of feeders. They need a session.
fn communication() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/assethealth/realtimertustatusbydate/{date}/{id}" => get assethealth::rtu_status::by_date))
        .routes(routes!("/api/assethealth/realtimertucommstatusbydate/{date}" => get assethealth::rtu_status::by_hour))
        .routes(routes!("/api/assethealth/realtimefeederonstatusbydate/{date}" => get assethealth::feeder_status::on))
        .routes(routes!("/api/assethealth/realtimefeederoutagestatus/{date}/{id}" => get assethealth::feeder_status::outages))
        .routes(routes!("/api/assethealth/assetmonitoringdata/{id}" => get assethealth::monitoring::handle))
}

/// Alarms, faults and trackers. They need a session.
fn alarms() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/alarms/{type}/{id}" => get alarms::list::handle))
        .routes(routes!("/api/admin/alarmsettings/{id}" => get admin::alarm_settings::get, put admin::alarm_settings::put))
        .routes(routes!("/api/faultdata/bytypeandid/{type}/{id}" => get faultdata::lists::by_place))
        .routes(routes!("/api/faultdata/faultsbyuserrole" => get faultdata::lists::of_caller))
        .routes(routes!("/api/eealerts/{type}/{id}" => get eealerts::alerts::handle))
        .routes(routes!("/api/eetrackers/{type}/{id}" => get eealerts::trackers::handle))
        .routes(routes!("/api/actionnotes" => get actionnotes::list::handle, post actionnotes::put::handle))
}

/// Fault trends, data quality, and curves of feeders. They need a session.
fn faults_and_quality() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/analytics/registerstep/{id}" => put analytics::register_steps::put))
        .routes(routes!("/api/admin/relaysettings/{id}" => get admin::relay_settings::get, put admin::relay_settings::put))
}

/// Forecasts with the actual values. They need a session.
fn forecasts() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/analytics/peakdemandforecastvsactual/asset/{id}/{days}" => get analytics::forecast::handle))
        .routes(routes!("/api/analytics/energybudget/{type}/{id}/month" => get analytics::budget::handle))
        .routes(routes!("/api/analytics/energybudget/{type}/{id}/entered" => get analytics::budget::entered))
        .routes(routes!("/api/admin/energybudget/{type}/{id}" => put admin::energy_budgets::put))
        .routes(routes!("/api/report/currentforecast/{id}/{days}" => get report::current_forecast::handle))
}

/// Outages and reliability indices. They need a session.
fn reliability() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/analytics/outages/{type}/{id}" => get analytics::outages::list))
        .routes(routes!("/api/analytics/outage/{id}" => get analytics::outages::get, put analytics::outages::put))
        .routes(routes!("/api/admin/feedersupply/{id}" => get admin::feeder_supply::get, put admin::feeder_supply::put))
}

/// Low-carbon sites and their plans. They need a session.
fn low_carbon() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/lowcarbon/sites/{type}/{id}" => get lowcarbon::sites::list))
        .routes(routes!("/api/lowcarbon/site/{deviceId}" => get lowcarbon::sites::one))
        .routes(routes!("/api/optimisebattery/{deviceId}" => post lowcarbon::run::handle))
        .routes(routes!("/api/lowcarbon/site/{deviceId}/reported" => get lowcarbon::run::measured))
        .routes(routes!("/api/optimisebattery/{deviceId}/compare" => post lowcarbon::compare::handle))
        .routes(routes!("/api/admin/lowcarbonsites" => get admin::low_carbon_sites::list))
        .routes(routes!("/api/admin/lowcarbonsite/{deviceId}" => put admin::low_carbon_sites::put, delete admin::low_carbon_sites::delete))
}

/// Uploads of files, with a longer time limit for slow connections. They need a session.
fn uploads() -> RouteTable {
    let imports = RouteTable::of(ReadClass::Heavy)
        .routes(routes!("/api/admin/cablehealth/import/{kind}" => post admin::cable_health::import))
        .routes(routes!("/api/admin/energybudgets/import" => post admin::energy_budgets::import))
        .body_limit(admin::cable_health::BODY_MAX_BYTES.max(admin::energy_budgets::BODY_MAX_BYTES));
    let networks = RouteTable::of(ReadClass::Heavy)
        .routes(routes!("/api/network/change" => post network::change::handle))
        .body_limit(network::change::BODY_MAX_BYTES);
    RouteTable::of(ReadClass::Heavy)
        .routes(routes!("/api/optimisebattery/{deviceId}/demandfile" => post lowcarbon::demand_file::handle))
        .body_limit(lowcarbon::demand_file::BODY_MAX_BYTES)
        .merge(imports)
        .merge(networks)
}

/// The versions of the network, without their parts, and a list of the feeders of the active version. They need a session.
fn network_versions() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/network/feeders" => get network::feeders::list))
        .routes(routes!("/api/network/summary" => get network::summary::handle))
        .routes(routes!("/api/network/versions" => get network::versions::list))
        .routes(routes!("/api/network/version/{number}" => get network::versions::one))
}

/// The present network: deviations from the normal state, effects of switching operations, and traces of the supply. They need a session.
fn present_network() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/network/abnormal" => get network::abnormal::handle))
        .routes(routes!("/api/network/consequences" => get network::consequences::handle))
        .routes(routes!("/api/network/entries" => get network::entries::list, post network::entries::put))
        .routes(routes!("/api/network/entries/options" => get network::entries::options))
        .routes(routes!("/api/network/entries/{id}/withdraw" => post network::entries::withdraw))
        .routes(routes!("/api/network/temporary" => get network::temporary::list, post network::temporary::place))
        .routes(routes!("/api/network/temporary/terminals" => get network::temporary::at))
        .routes(routes!("/api/network/temporary/{id}/remove" => post network::temporary::remove))
        .routes(routes!("/api/network/trace" => get network::trace::handle))
}

/// Whole networks, which take seconds to read and check, and the layout of feeders. They need a session and wait in the fair queue, so that only a few networks
/// are in memory at once.
fn whole_networks() -> RouteTable {
    RouteTable::of(ReadClass::Heavy)
        .routes(routes!("/api/network/version/{number}/parts/{kind}" => get network::parts::handle))
        .routes(routes!("/api/network/version/{number}/check" => get network::check::handle))
        .routes(routes!("/api/network/version/{number}/export/{format}" => get network::export::handle))
        .routes(routes!("/api/network/feeders/{id}/diagram" => get network::feeders::diagram))
        .routes(routes!("/api/network/version/{number}/activate" => post network::activate::handle))
}

/// Merges groups of routes, each with its own time limit. The limits are not nested, because then the shorter limit would apply to both groups.
fn timed<S: Clone + Send + Sync + 'static>(kinds: impl IntoIterator<Item = (Router<S>, Duration)>) -> Router<S> {
    let within = |time| TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, time);
    kinds.into_iter().fold(Router::new(), |all, (calls, most)| all.merge(calls.layer(within(most))))
}

/// Lists for requests of reports. They need a session.
fn report_lists() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/powerbi/getembedinfo" => get powerbi::handle))
        .routes(routes!("/api/pfcreport/reportslist" => get reports::catalogue::list))
        .routes(routes!("/api/pfcreport/reportslistbyrole/{level}/{client}" => get reports::catalogue::list_of_level))
        .routes(routes!("/api/pfcreport/reportfrequencylist" => get reports::catalogue::frequencies))
        .routes(routes!("/api/pfcreport/reportdetails/{id}" => get reports::catalogue::details))
}

/// Reports. They need a session and wait in the fair queue.
fn report_calls() -> RouteTable {
    RouteTable::of(ReadClass::Heavy)
        .routes(routes!("/api/reports/monthly" => post reports::monthly::handle))
        .routes(routes!("/api/reports/show" => post reports::own::show))
        .routes(routes!("/api/reports/download" => post reports::own::download))
        .routes(routes!("/api/pfcreport/saidisaifi" => post reports::calls::saidisaifi))
        .routes(routes!("/api/pfcreport/circuitbreakertrip" => post reports::calls::circuitbreakertrip))
        .routes(routes!("/api/pfcreport/user24x7" => post reports::calls::user_24x7))
        .routes(routes!("/api/pfcreport/highactivitycb" => post reports::calls::highactivitycb))
        .routes(routes!("/api/report/subenergylossreportbydate/{param}" => get reports::calls::subenergylossreport_by_date))
        .routes(routes!("/api/report/subenergylossreportbydaterange/{param}" => get reports::calls::subenergylossreport_by_daterange))
        .routes(routes!("/api/report/peakdemandreportbydate/{param}" => get reports::calls::peakdemandreport_by_date))
        .routes(routes!("/api/report/peakdemandreportbydaterange/{param}" => get reports::calls::peakdemandreport_by_daterange))
        .routes(routes!("/api/report/faultreportbydate/{param}" => get reports::calls::faultreport_by_date))
        .routes(routes!("/api/report/faultreportbydaterange/{param}" => get reports::calls::faultreport_by_daterange))
        .routes(routes!("/api/report/hourlyfeederdatareportbydate/{param}" => get reports::calls::hourlyfeederdatareport_by_date))
        .routes(routes!("/api/report/hourlyfeederdatareportbydaterange/{param}" => get reports::calls::hourlyfeederdatareport_by_daterange))
        .routes(routes!("/api/report/dailylogadsbydate/{param}" => get reports::calls::dailylogads_by_date))
        .routes(routes!("/api/report/dailylogadsbydaterange/{param}" => get reports::calls::dailylogads_by_daterange))
        .routes(routes!("/api/report/dailyeventlogbydate/{param}" => get reports::calls::dailyeventlog_by_date))
        .routes(routes!("/api/report/dailyeventlogbydaterange/{param}" => get reports::calls::dailyeventlog_by_daterange))
        .routes(routes!("/api/pfcreport/limitviolation" => post reports::calls::limitviolation))
        .routes(routes!("/api/report/hourlytransformerdatareportbydate/{param}" => get reports::calls::hourlytransformerdatareport_by_date))
        .routes(routes!("/api/report/hourlytransformerdatareportbydaterange/{param}" => get reports::calls::hourlytransformerdatareport_by_daterange))
        .routes(routes!("/api/report/tflossreportbydate/{param}" => get reports::calls::tflossreport_by_date))
        .routes(routes!("/api/report/tflossreportbydaterange/{param}" => get reports::calls::tflossreport_by_daterange))
        .routes(routes!("/api/report/violationsreportbydate/{param}" => get reports::calls::violationsreport_by_date))
        .routes(routes!("/api/report/violationsreportbydaterange/{param}" => get reports::calls::violationsreport_by_daterange))
        .routes(routes!("/api/report/dailylogsheetbydate/{param}" => get reports::calls::dailylogsheet_by_date))
        .routes(routes!("/api/report/dailylogsheetbydaterange/{param}" => get reports::calls::dailylogsheet_by_daterange))
        .routes(routes!("/api/report/substationdailylogbydate/{param}" => get reports::calls::substationdailylog_by_date))
        .routes(routes!("/api/pfcreport/getcustomizedpqreport" => post reports::calls::customizedpqreport))
        .routes(routes!("/api/pfcreport/getcustomizedpdsreport" => post reports::calls::customizedpdsreport))
        .routes(routes!("/api/pfcreport/rtuhealth" => post reports::calls::rtuhealth))
        .routes(routes!("/api/report/gdsdatabysampletimebydate/{param}" => get reports::calls::gdsdatabysampletime_by_date))
        .routes(routes!("/api/report/gdsdatabysampletimebydaterange/{param}" => get reports::calls::gdsdatabysampletime_by_daterange))
        .routes(routes!("/api/report/anomolyreportbydate/{param}" => get reports::calls::anomolyreport_by_date))
        .routes(routes!("/api/report/anomolyreportbydaterange/{param}" => get reports::calls::anomolyreport_by_daterange))
        .routes(routes!("/api/report/assetdailyrecordcount/{param}" => get reports::calls::asset_daily_record_count))
        .routes(routes!("/api/report/getproductdatastreambyinterval/{param}" => get reports::calls::product_data_stream_by_interval))
}

/// Saved requests and schedules of reports. They need a session.
fn kept_reports() -> RouteTable {
    RouteTable::of(ReadClass::Interactive)
        .routes(routes!("/api/reports/selections" => get reports::selections::list, post reports::selections::add))
        .routes(routes!("/api/reports/selections/{id}" => put reports::selections::change, delete reports::selections::remove))
        .routes(routes!("/api/reports/schedules" => get reports::schedules::list, post reports::schedules::add))
        .routes(routes!("/api/reports/schedules/{id}" => put reports::schedules::change, delete reports::schedules::remove))
        .routes(routes!("/api/reports/schedules/{id}/runs" => get reports::runs::list))
        .routes(routes!("/api/reports/schedules/{id}/run" => post reports::runs::ask))
        .routes(routes!("/api/reports/runs/{id}/stop" => post reports::runs::stop))
        .routes(routes!("/api/reports/runs/{id}/file" => get reports::runs::file))
        .routes(routes!("/api/reports/runs/{id}/links" => get reports::links::list, post reports::links::make))
        .routes(routes!("/api/reports/links/{id}" => delete reports::links::withdraw))
}

/// Limits the number of open requests that are processed at once; further ones are refused. The body is read before, so a slow client does
/// not hold a slot.
async fn in_turn(State(services): State<Services>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_MAX_BYTES).await else { return StatusCode::PAYLOAD_TOO_LARGE.into_response() };
    match services.0.open.try_acquire() {
        Ok(_turn) => next.run(Request::from_parts(parts, Body::from(body))).await,
        Err(_) => Error::TooMany { retry_after_s: 2 }.into_response(),
    }
}

/// Returns all routes with their layers, under the paths of the document.
pub fn router(deps: Deps) -> Router {
    let services = Services::new(deps);
    let authenticated = || middleware::from_fn_with_state(services.clone(), authenticate);
    let signed_in = with_a_session().into_router().route_layer(authenticated());
    let uploads = uploads().into_router().route_layer(authenticated());
    let queued = middleware::from_fn_with_state(services.clone(), heavy::queued);
    let heavy = heavy_reads().into_router().route_layer(queued).route_layer(authenticated());
    let open = open().into_router().route_layer(middleware::from_fn_with_state(services.clone(), in_turn));
    let calls = open.merge(signed_in).route("/api/{*unknown}", axum::routing::any(async || Error::NotFound));
    timed([(calls, CALL_MAX), (uploads, lowcarbon::demand_file::CALL_MAX), (heavy, HEAVY_MAX)])
        .layer(DefaultBodyLimit::max(BODY_MAX_BYTES))
        .layer(middleware::from_fn(correlate::layer))
        .with_state(services)
}

/// Returns the routes that need a session and have the normal time limit.
fn with_a_session() -> RouteTable {
    signed_in()
        .merge(sessions_and_commands())
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
        .merge(network_versions())
        .merge(present_network())
}

/// Returns all routes that wait in the fair queue.
fn heavy_reads() -> RouteTable {
    report_calls().merge(sums()).merge(whole_networks())
}

/// Returns all routes.
pub(crate) fn route_table() -> RouteTable {
    open().merge(with_a_session()).merge(heavy_reads()).merge(uploads())
}

/// Returns the paths of the api, with parameters in braces. [`crate::shell::wrap`] matches them without regard to case.
pub fn templates() -> Vec<String> {
    route_table().into_paths().into_iter().filter(|path| path.starts_with("/api/")).collect()
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    #[test]
    fn heavy_routes_are_queued_and_reserved_ones_are_few() {
        let of = |routes: &RouteTable, class| {
            let paths = routes.classes().iter().filter(|(_, other)| *other == class).map(|(path, _)| path.clone());
            paths.collect::<std::collections::BTreeSet<_>>()
        };
        assert!(of(&with_a_session(), ReadClass::Heavy).is_empty(), "these routes do not wait in the queue");
        assert_eq!(of(&heavy_reads(), ReadClass::Heavy).len(), heavy_reads().classes().len(), "all of these wait in it");
        // All data of a battery are ten years.
        assert!(of(&heavy_reads(), ReadClass::Heavy).contains("/api/report/dcprofile/{id}/{flag}"));
        // A layout of a feeder takes longer than a read.
        assert!(of(&heavy_reads(), ReadClass::Heavy).contains("/api/network/feeders/{id}/diagram"));
        let reserved = of(&with_a_session(), ReadClass::Reserved);
        let expected = [
            "/api/alarms/acknowledge",
            "/api/alarms/note",
            "/api/alarms/shelve",
            "/api/alarms/unshelve",
            "/api/areas/desk",
            "/api/areas/desk/consent",
            "/api/areas/desk/refuse",
            "/api/areas/desk/request",
            "/api/areas/{id}/consent",
            "/api/areas/{id}/move",
            "/api/areas/{id}/offer",
            "/api/areas/{id}/refuse",
            "/api/areas/{id}/request",
            "/api/areas/{id}/take",
            "/api/client/switch/{clientId}",
            "/api/digiops",
            "/api/digiops/cbstatus/{deviceId}/{assetToDiSettingId}",
            "/api/digiops/command/{commandId}",
            "/api/member/logout/{memberId}",
            "/api/member/secondfactor",
            "/api/member/secondfactor/begin",
            "/api/member/secondfactor/codes",
            "/api/member/secondfactor/confirm",
            "/api/member/secondfactor/remove",
            "/api/sld/acknowledge",
            "/api/sld/validatecredentialsfordocontrol",
            "/api/tags",
            "/api/tags/{id}/remove",
        ];
        assert_eq!(reserved, expected.map(str::to_owned).into());
        assert!(of(&route_table(), ReadClass::Background).is_empty(), "a call has a user");
    }

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
            let request = Request::builder().uri(path).body(Body::empty()).expect("a call");
            assert_eq!(routes.oneshot(request).await.expect("an answer").status(), status, "{path}");
        }
    }
}
