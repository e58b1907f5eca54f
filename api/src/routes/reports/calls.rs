//! The specification's calls of single reports (1, section 7): POST /api/pfcreport/… and GET /api/report/…bydate and …bydaterange. Each names its report, and
//! that is all it does.

use axum::Json;
use axum::extract::{Path, State};
use wire::Envelope;
use wire::envelope::Failure;

use crate::body::Body;
use crate::error::Error;
use crate::extract::View;
use crate::page::{Opens, ReportExport};
use crate::reports::by_key;
use crate::reports::request::ReportQuestion;
use crate::reports::show::{Sets, sets};
use crate::state::Services;

type Answer = Result<Json<Envelope<Sets>>, Error>;

async fn answer(services: &Services, view: &View, key: &str, asked: ReportQuestion) -> Answer {
    let definition = by_key(key).ok_or(Error::NotFound)?;
    let (sets, message) = sets(definition, asked.check(definition, services, view)?).await?;
    Ok(Json(Envelope::ok(sets).with_message(&message)))
}

async fn of_segment(services: &Services, view: &View, key: &str, frequency: i64, segment: &str) -> Answer {
    let asked = ReportQuestion::of_segment(segment, frequency, by_key(key).ok_or(Error::NotFound)?)?;
    answer(services, view, key, asked).await
}

/// A call with a body.
macro_rules! posted {
    ($name:ident, $path:tt, $id:tt, $key:tt) => {
        /// Header row and data rows, 5000 at most; the message says where there are more.
        #[utoipa::path(
                    post, path = $path, tag = "reports", operation_id = $id, security(("bearer" = [])), request_body = ReportQuestion,
                    responses(
                        (status = 200, description = "Header row and data rows", body = Envelope<Sets>),
                        (status = 400, description = "Something cannot be taken; the message says what", body = Failure),
                        (status = 404, description = "There is nothing of that level and id", body = Failure),
                    )
                )]
        pub(crate) async fn $name(
            State(services): State<Services>,
            view: View,
            _: Opens<ReportExport>,
            Body(asked): Body<ReportQuestion>,
        ) -> Answer {
            answer(&services, &view, $key, asked).await
        }
    };
}

/// A call with everything in one segment of its path: `level:ids:YYYY-MM-DD`, or `level:ids:YYYY-MM-DD_YYYY-MM-DD`.
macro_rules! named {
    ($name:ident, $path:tt, $id:tt, $key:tt, $frequency:tt) => {
        /// Header row and data rows, 5000 at most; the message says where there are more.
        #[utoipa::path(
                    get, path = $path, tag = "reports", operation_id = $id, security(("bearer" = [])),
                    params(("param" = String, Path, description = "`level:ids:YYYY-MM-DD`; of a range `level:ids:YYYY-MM-DD_YYYY-MM-DD`")),
                    responses(
                        (status = 200, description = "Header row and data rows", body = Envelope<Sets>),
                        (status = 400, description = "Something cannot be taken; the message says what", body = Failure),
                        (status = 404, description = "There is nothing of that level and id", body = Failure),
                    )
                )]
        pub(crate) async fn $name(
            State(services): State<Services>,
            view: View,
            _: Opens<ReportExport>,
            Path(segment): Path<String>,
        ) -> Answer {
            of_segment(&services, &view, $key, $frequency, &segment).await
        }
    };
}

posted!(saidisaifi, "/api/pfcreport/saidisaifi", "saidiSaifi", "SAIDI_SAIFI");
posted!(circuitbreakertrip, "/api/pfcreport/circuitbreakertrip", "circuitBreakerTrip", "CB_TRIPPING");
posted!(user_24x7, "/api/pfcreport/user24x7", "user24x7", "USER_LOGIN");
posted!(highactivitycb, "/api/pfcreport/highactivitycb", "highActivityCb", "HIGH_ACTIVITY_BREAKER");
named!(subenergylossreport_by_date, "/api/report/subenergylossreportbydate/{param}", "subEnergyLossReportByDate", "SS_ENERGY_LOSS", 7);
named!(
    subenergylossreport_by_daterange,
    "/api/report/subenergylossreportbydaterange/{param}",
    "subEnergyLossReportByDateRange",
    "SS_ENERGY_LOSS",
    6
);
named!(peakdemandreport_by_date, "/api/report/peakdemandreportbydate/{param}", "peakDemandReportByDate", "PEAK_DEMAND_REPORT", 7);
named!(
    peakdemandreport_by_daterange,
    "/api/report/peakdemandreportbydaterange/{param}",
    "peakDemandReportByDateRange",
    "PEAK_DEMAND_REPORT",
    6
);
named!(faultreport_by_date, "/api/report/faultreportbydate/{param}", "faultReportByDate", "FAULT_DATA", 7);
named!(faultreport_by_daterange, "/api/report/faultreportbydaterange/{param}", "faultReportByDateRange", "FAULT_DATA", 6);
named!(
    hourlyfeederdatareport_by_date,
    "/api/report/hourlyfeederdatareportbydate/{param}",
    "hourlyFeederDataReportByDate",
    "EE_HOURLY_FEEDER_LOG",
    7
);
named!(
    hourlyfeederdatareport_by_daterange,
    "/api/report/hourlyfeederdatareportbydaterange/{param}",
    "hourlyFeederDataReportByDateRange",
    "EE_HOURLY_FEEDER_LOG",
    6
);
named!(dailylogads_by_date, "/api/report/dailylogadsbydate/{param}", "dailyLogAdsByDate", "EE_DAILY_FEEDER_DATA", 7);
named!(dailylogads_by_daterange, "/api/report/dailylogadsbydaterange/{param}", "dailyLogAdsByDateRange", "EE_DAILY_FEEDER_DATA", 6);
named!(dailyeventlog_by_date, "/api/report/dailyeventlogbydate/{param}", "dailyEventLogByDate", "EVENT_LOG", 7);
named!(dailyeventlog_by_daterange, "/api/report/dailyeventlogbydaterange/{param}", "dailyEventLogByDateRange", "EVENT_LOG", 6);
