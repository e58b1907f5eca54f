//! Routes: handlers by path and method.
//!
//! The program serves the OpenAPI document as a text that is compiled in (`openapi.json`). The attributes that describe the operations, and the schemas of the
//! types that they name, exist in tests only. A test compares them with that text. They are left out of the program, because their code would be a fifth of
//! this crate.

use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter};
use store::ReadClass;

use crate::state::Services;

/// Routes of one class of database work, or of several after [`RouteTable::merge`], with the templates of their paths.
pub(crate) struct RouteTable {
    class: ReadClass,
    router: Router<Services>,
    paths: Vec<(String, ReadClass)>,
    #[cfg(test)]
    described: utoipa_axum::router::OpenApiRouter<Services>,
}

/// The handlers of one path.
pub(crate) struct PathHandlers {
    path: &'static str,
    handlers: Vec<(MethodFilter, HandlerFn)>,
    #[cfg(test)]
    described: Option<utoipa_axum::router::UtoipaMethodRouter<Services>>,
}

impl RouteTable {
    /// Creates an empty table. Handlers of routes that are added get the database in `class`.
    pub(crate) fn of(class: ReadClass) -> Self {
        Self {
            class,
            router: Router::new(),
            paths: Vec::new(),
            #[cfg(test)]
            described: utoipa_axum::router::OpenApiRouter::default(),
        }
    }

    /// Adds the handlers of one path, see [`routes`].
    pub(crate) fn routes(mut self, handlers: PathHandlers) -> Self {
        #[cfg(test)]
        if let Some(described) = handlers.described {
            let filters: Vec<MethodFilter> = handlers.handlers.iter().map(|(filter, _)| *filter).collect();
            assert_described(handlers.path, &filters, &described);
            self.described = self.described.routes(described);
        }
        let class = self.class;
        let methods = handlers
            .handlers
            .into_iter()
            .fold(MethodRouter::new(), |methods, (filter, handler)| methods.on(filter, BoxedHandler { handler, class }));
        self.router = self.router.route(handlers.path, methods);
        self.paths.push((handlers.path.to_owned(), class));
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

    /// Lets all routes that were added so far accept bodies of up to `bytes`.
    pub(crate) fn body_limit(mut self, bytes: usize) -> Self {
        self.router = self.router.layer(DefaultBodyLimit::max(bytes));
        self
    }

    /// Returns the router.
    pub(crate) fn into_router(self) -> Router<Services> {
        self.router
    }

    /// Returns the templates of the paths, with parameters in braces.
    pub(crate) fn into_paths(self) -> Vec<String> {
        self.paths.into_iter().map(|(path, _)| path).collect()
    }

    /// Returns the templates of the paths, with their classes.
    #[cfg(test)]
    pub(crate) fn classes(&self) -> &[(String, ReadClass)] {
        &self.paths
    }

    /// Adds the operations and schemas of the handlers to `document`.
    #[cfg(test)]
    pub(crate) fn describe(self, document: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
        utoipa_axum::router::OpenApiRouter::with_openapi(document).merge(self.described).into_openapi()
    }
}

impl PathHandlers {
    /// A path without handlers.
    pub(crate) fn at(path: &'static str) -> Self {
        Self {
            path,
            handlers: Vec::new(),
            #[cfg(test)]
            described: None,
        }
    }

    pub(crate) fn get<T: 'static>(self, handler: impl Handler<T, Services>) -> Self {
        self.on(MethodFilter::GET, boxed(handler))
    }

    pub(crate) fn post<T: 'static>(self, handler: impl Handler<T, Services>) -> Self {
        self.on(MethodFilter::POST, boxed(handler))
    }

    pub(crate) fn put<T: 'static>(self, handler: impl Handler<T, Services>) -> Self {
        self.on(MethodFilter::PUT, boxed(handler))
    }

    pub(crate) fn delete<T: 'static>(self, handler: impl Handler<T, Services>) -> Self {
        self.on(MethodFilter::DELETE, boxed(handler))
    }

    fn on(mut self, filter: MethodFilter, handler: HandlerFn) -> Self {
        self.handlers.push((filter, handler));
        self
    }

    /// Adds the declarations for the document, which belong to the same handlers.
    #[cfg(test)]
    pub(crate) fn described(mut self, described: utoipa_axum::router::UtoipaMethodRouter<Services>) -> Self {
        self.described = Some(described);
        self
    }
}

/// A handler behind a pointer, so that the layers of the router are compiled once and not once for each handler.
#[derive(Clone)]
struct BoxedHandler {
    handler: HandlerFn,
    class: ReadClass,
}

type HandlerFn = Arc<dyn Fn(Request, Services) -> Answering + Send + Sync>;

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

fn boxed<T: 'static>(handler: impl Handler<T, Services>) -> HandlerFn {
    Arc::new(move |request, services| Box::pin(handler.clone().call(request, services)))
}

impl Handler<(), Services> for BoxedHandler {
    type Future = Answering;

    fn call(self, request: Request, services: Services) -> Self::Future {
        (self.handler)(request, services.in_class(self.class))
    }
}

/// Panics unless the `utoipa::path` attributes of the handlers declare the path and the methods that they are registered under.
#[cfg(test)]
fn assert_described(path: &str, filters: &[MethodFilter], described: &utoipa_axum::router::UtoipaMethodRouter<Services>) {
    let (_, declared, _) = described;
    assert_eq!(declared.paths.keys().collect::<Vec<_>>(), [path], "the attribute has another path");
    let item = &declared.paths[path];
    let declared = [
        (&item.get, MethodFilter::GET),
        (&item.post, MethodFilter::POST),
        (&item.put, MethodFilter::PUT),
        (&item.delete, MethodFilter::DELETE),
        (&item.patch, MethodFilter::PATCH),
    ];
    for (operation, filter) in declared {
        assert_eq!(operation.is_some(), filters.contains(&filter), "{path}: the attributes and the routes differ in {filter:?}");
    }
}

/// Groups the handlers of one path: `routes!("/api/member/logout/{memberId}" => get member::logout::get, post member::logout::post)`.
macro_rules! routes {
    ($path:literal => $($method:ident $($part:ident)::+),+) => {{
        let handlers = $crate::route_table::PathHandlers::at($path)$(.$method($($part)::+))+;
        #[cfg(test)]
        let handlers = handlers.described(utoipa_axum::routes!($($($part)::+),+));
        handlers
    }};
}
pub(crate) use routes;
