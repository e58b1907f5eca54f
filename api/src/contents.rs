//! Registers each handler under the path and the methods that its `utoipa::path` attribute declares.
//!
//! The program serves the OpenAPI document as a text that is compiled in (`openapi.json`). Operations and schemas are generated in tests only, which compare them
//! with that text: their code would be a fifth of this crate.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter};
use utoipa::openapi::HttpMethod;

use crate::state::Services;

/// Routes with the templates of their paths.
#[derive(Default)]
pub(crate) struct Contents {
    router: Router<Services>,
    paths: Vec<String>,
    #[cfg(test)]
    described: utoipa_axum::router::OpenApiRouter<Services>,
}

/// The handlers of one path.
#[derive(Default)]
pub(crate) struct Group {
    path: String,
    methods: MethodRouter<Services>,
    #[cfg(test)]
    described: Option<utoipa_axum::router::UtoipaMethodRouter<Services>>,
}

impl Contents {
    /// No routes.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds the handlers of one path, see [`routes`].
    pub(crate) fn routes(mut self, group: Group) -> Self {
        self.router = self.router.route(&group.path, group.methods);
        self.paths.push(group.path);
        #[cfg(test)]
        if let Some(described) = group.described {
            self.described = self.described.routes(described);
        }
        self
    }

    /// Adds all routes of `other`.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.paths.extend(other.paths);
        #[cfg(test)]
        {
            self.described = self.described.merge(other.described);
        }
        self
    }

    /// Lets all routes so far accept bodies of up to `bytes`.
    pub(crate) fn body_limit(mut self, bytes: usize) -> Self {
        self.router = self.router.layer(DefaultBodyLimit::max(bytes));
        self
    }

    /// The routes alone.
    pub(crate) fn into_router(self) -> Router<Services> {
        self.router
    }

    /// The templates of the paths, with parameters in braces.
    pub(crate) fn into_paths(self) -> Vec<String> {
        self.paths
    }

    /// The operations and schemas that the handlers declare, added to `document`.
    #[cfg(test)]
    pub(crate) fn describe(self, document: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
        utoipa_axum::router::OpenApiRouter::with_openapi(document).merge(self.described).into_openapi()
    }
}

impl Group {
    /// Adds a handler. All handlers of a group declare one path.
    pub(crate) fn add<H: Handler<T, Services>, T: 'static>(&mut self, path: String, methods: &[HttpMethod], handler: H) {
        debug_assert!(self.path.is_empty() || self.path == path, "{path} is not {}", self.path);
        self.path = path;
        self.methods = std::mem::take(&mut self.methods).on(filter(methods), handler);
    }

    /// Adds what the same handlers declare for the document.
    #[cfg(test)]
    pub(crate) fn described(mut self, described: utoipa_axum::router::UtoipaMethodRouter<Services>) -> Self {
        self.described = Some(described);
        self
    }
}

fn filter(methods: &[HttpMethod]) -> MethodFilter {
    let one = |method: &HttpMethod| match method {
        HttpMethod::Get => MethodFilter::GET,
        HttpMethod::Put => MethodFilter::PUT,
        HttpMethod::Post => MethodFilter::POST,
        HttpMethod::Delete => MethodFilter::DELETE,
        HttpMethod::Options => MethodFilter::OPTIONS,
        HttpMethod::Head => MethodFilter::HEAD,
        HttpMethod::Patch => MethodFilter::PATCH,
        HttpMethod::Trace => MethodFilter::TRACE,
    };
    let all = methods.iter().map(one).reduce(MethodFilter::or);
    all.expect("utoipa::path requires a method")
}

/// The type that `utoipa::path` generates beside a handler.
macro_rules! declaration {
    ([$($module:ident)*] $handler:ident) => { pastey::paste! { $($module::)* [<__path_ $handler>] } };
    ([$($module:ident)*] $next:ident :: $($rest:tt)+) => { $crate::contents::declaration!([$($module)* $next] $($rest)+) };
}
pub(crate) use declaration;

/// Groups the handlers of one path: `routes!(member::logout::get, member::logout::post)`.
macro_rules! routes {
    ($($($part:ident)::+),+) => {{
        let mut group = $crate::contents::Group::default();
        $(group.add(
            <$crate::contents::declaration!([] $($part)::+) as utoipa::Path>::path(),
            &<$crate::contents::declaration!([] $($part)::+) as utoipa::Path>::methods(),
            $($part)::+,
        );)+
        #[cfg(test)]
        let group = group.described(utoipa_axum::routes!($($($part)::+),+));
        group
    }};
}
pub(crate) use routes;
