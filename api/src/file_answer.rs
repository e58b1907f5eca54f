//! Answers with the file of a report.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use reports::SentFile;

/// Answers with a file that is sent while it is written or read.
pub(crate) fn file_answer(file: SentFile) -> Response {
    let SentFile { name, media_type, bytes, body } = file;
    let headers = [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    let mut response = (headers, Body::from_stream(body)).into_response();
    if let Some(bytes) = bytes {
        response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
    }
    response
}
