//! Single reports by the paths of the specification (1, section 7): POST /api/pfcreport/… and GET /api/report/…bydate and …bydaterange.
//! Each operation only names its report.

use axum::Json;
use axum::extract::{Path, State};
use identity::View;
use reports::catalogue::by_key;
use reports::request::ReportQuestion;
use reports::show::{HeaderAndRows, header_and_rows};
use wire::Envelope;

use crate::body::Body;
use crate::error::Error;
use crate::page::{PageAccess, ReportExport};
use crate::state::Services;

type Answer = Result<Json<Envelope<HeaderAndRows>>, Error>;

async fn answer(services: &Services, view: &View, key: &str, question: ReportQuestion) -> Answer {
    let definition = by_key(key).ok_or(Error::NotFound)?;
    let request = question.check(definition, services.reports(), view).await?;
    let kept_since = request.kept_since;
    let (header_and_rows, message) = header_and_rows(definition, request).await?;
    Ok(Json(Envelope::ok(header_and_rows).with_message(&message).kept_since(kept_since)))
}

/// The period in the single segment of the path.
enum Days {
    One,
    Span,
    Either,
}

async fn of_segment(services: &Services, view: &View, key: &str, days: Days, segment: &str) -> Answer {
    let frequency = match days {
        Days::Span => 6,
        Days::Either if segment.contains('_') => 6,
        Days::One | Days::Either => 7,
    };
    let question = ReportQuestion::of_segment(segment, frequency, by_key(key).ok_or(Error::NotFound)?)?;
    answer(services, view, key, question).await
}

/// Defines an operation with a request body.
macro_rules! posted {
    ($name:ident, $path:tt, $id:tt, $key:tt) => {
        /// Returns a header row and data rows, at most 5000; the message says if there are more.
        #[cfg_attr(test, utoipa::path(
                    post, path = $path, tag = "reports", operation_id = $id, security(("bearer" = [])), request_body = ReportQuestion,
                    responses(
                        (status = 200, description = "Header row and data rows", body = Envelope<HeaderAndRows>),
                        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
                        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
                    )
                ))]
        pub(crate) async fn $name(
            State(services): State<Services>,
            view: View,
            _: PageAccess<ReportExport>,
            Body(question): Body<ReportQuestion>,
        ) -> Answer {
            answer(&services, &view, $key, question).await
        }
    };
}

/// Defines an operation whose parameters are in a single segment of the path.
macro_rules! named {
    ($name:ident, $path:tt, $id:tt, $key:tt, $days:ident) => {
        /// Returns a header row and data rows, at most 5000; the message says if there are more.
        #[cfg_attr(test, utoipa::path(
                    get, path = $path, tag = "reports", operation_id = $id, security(("bearer" = [])),
                    params(("param" = String, Path, description = "`level:ids:YYYY-MM-DD`, or for a range `level:ids:YYYY-MM-DD_YYYY-MM-DD`; then `:input` if the report has one")),
                    responses(
                        (status = 200, description = "Header row and data rows", body = Envelope<HeaderAndRows>),
                        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
                        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
                    )
                ))]
        pub(crate) async fn $name(
            State(services): State<Services>,
            view: View,
            _: PageAccess<ReportExport>,
            Path(segment): Path<String>,
        ) -> Answer {
            of_segment(&services, &view, $key, Days::$days, &segment).await
        }
    };
}

posted!(saidisaifi, "/api/pfcreport/saidisaifi", "saidiSaifi", "SAIDI_SAIFI");
posted!(circuitbreakertrip, "/api/pfcreport/circuitbreakertrip", "circuitBreakerTrip", "CB_TRIPPING");
posted!(user_24x7, "/api/pfcreport/user24x7", "user24x7", "USER_LOGIN");
posted!(highactivitycb, "/api/pfcreport/highactivitycb", "highActivityCb", "HIGH_ACTIVITY_BREAKER");
named!(subenergylossreport_by_date, "/api/report/subenergylossreportbydate/{param}", "subEnergyLossReportByDate", "SS_ENERGY_LOSS", One);
named!(
    subenergylossreport_by_daterange,
    "/api/report/subenergylossreportbydaterange/{param}",
    "subEnergyLossReportByDateRange",
    "SS_ENERGY_LOSS",
    Span
);
named!(peakdemandreport_by_date, "/api/report/peakdemandreportbydate/{param}", "peakDemandReportByDate", "PEAK_DEMAND_REPORT", One);
named!(
    peakdemandreport_by_daterange,
    "/api/report/peakdemandreportbydaterange/{param}",
    "peakDemandReportByDateRange",
    "PEAK_DEMAND_REPORT",
    Span
);
named!(faultreport_by_date, "/api/report/faultreportbydate/{param}", "faultReportByDate", "FAULT_DATA", One);
named!(faultreport_by_daterange, "/api/report/faultreportbydaterange/{param}", "faultReportByDateRange", "FAULT_DATA", Span);
named!(
    hourlyfeederdatareport_by_date,
    "/api/report/hourlyfeederdatareportbydate/{param}",
    "hourlyFeederDataReportByDate",
    "EE_HOURLY_FEEDER_LOG",
    One
);
named!(
    hourlyfeederdatareport_by_daterange,
    "/api/report/hourlyfeederdatareportbydaterange/{param}",
    "hourlyFeederDataReportByDateRange",
    "EE_HOURLY_FEEDER_LOG",
    Span
);
named!(dailylogads_by_date, "/api/report/dailylogadsbydate/{param}", "dailyLogAdsByDate", "EE_DAILY_FEEDER_DATA", One);
named!(dailylogads_by_daterange, "/api/report/dailylogadsbydaterange/{param}", "dailyLogAdsByDateRange", "EE_DAILY_FEEDER_DATA", Span);
named!(dailyeventlog_by_date, "/api/report/dailyeventlogbydate/{param}", "dailyEventLogByDate", "EVENT_LOG", One);
named!(dailyeventlog_by_daterange, "/api/report/dailyeventlogbydaterange/{param}", "dailyEventLogByDateRange", "EVENT_LOG", Span);
posted!(limitviolation, "/api/pfcreport/limitviolation", "limitViolation", "LIMIT_VIOLATION");
named!(
    hourlytransformerdatareport_by_date,
    "/api/report/hourlytransformerdatareportbydate/{param}",
    "hourlyTransformerDataReportByDate",
    "ASSET_HOURLY_LOG_SHEET",
    One
);
named!(
    hourlytransformerdatareport_by_daterange,
    "/api/report/hourlytransformerdatareportbydaterange/{param}",
    "hourlyTransformerDataReportByDateRange",
    "ASSET_HOURLY_LOG_SHEET",
    Span
);
named!(tflossreport_by_date, "/api/report/tflossreportbydate/{param}", "tfLossReportByDate", "SS_TRANSFORMER_LOSS", One);
named!(tflossreport_by_daterange, "/api/report/tflossreportbydaterange/{param}", "tfLossReportByDateRange", "SS_TRANSFORMER_LOSS", Span);
named!(violationsreport_by_date, "/api/report/violationsreportbydate/{param}", "violationsReportByDate", "ASSET_VIOLATION_REPORT", One);
named!(
    violationsreport_by_daterange,
    "/api/report/violationsreportbydaterange/{param}",
    "violationsReportByDateRange",
    "ASSET_VIOLATION_REPORT",
    Span
);
named!(dailylogsheet_by_date, "/api/report/dailylogsheetbydate/{param}", "dailyLogSheetByDate", "SS_DAILY_LOG_SHEET", One);
named!(dailylogsheet_by_daterange, "/api/report/dailylogsheetbydaterange/{param}", "dailyLogSheetByDateRange", "SS_DAILY_LOG_SHEET", Span);
named!(substationdailylog_by_date, "/api/report/substationdailylogbydate/{param}", "substationDailyLogByDate", "SS_DAILY_LOG_SHEET", One);

posted!(customizedpqreport, "/api/pfcreport/getcustomizedpqreport", "customizedPqReport", "PQ");
posted!(customizedpdsreport, "/api/pfcreport/getcustomizedpdsreport", "customizedPdsReport", "PDS");
posted!(rtuhealth, "/api/pfcreport/rtuhealth", "rtuHealth", "RTU_HEALTH");
named!(
    gdsdatabysampletime_by_date,
    "/api/report/gdsdatabysampletimebydate/{param}",
    "gdsDataBySampleTimeByDate",
    "GDSDataSingleDateBySampleTime",
    One
);
named!(
    gdsdatabysampletime_by_daterange,
    "/api/report/gdsdatabysampletimebydaterange/{param}",
    "gdsDataBySampleTimeByDateRange",
    "GDSDataSingleDateBySampleTime",
    Span
);
named!(anomolyreport_by_date, "/api/report/anomolyreportbydate/{param}", "anomolyReportByDate", "ANOMALIES_REPORT", One);
named!(anomolyreport_by_daterange, "/api/report/anomolyreportbydaterange/{param}", "anomolyReportByDateRange", "ANOMALIES_REPORT", Span);
named!(asset_daily_record_count, "/api/report/assetdailyrecordcount/{param}", "assetDailyRecordCount", "ASSET_DAILY_COUNT_RECORD", Either);
named!(
    product_data_stream_by_interval,
    "/api/report/getproductdatastreambyinterval/{param}",
    "productDataStreamByInterval",
    "PRODUCT_DATA_STREAM_INT",
    Either
);
