//! The sample site: the help centre of a shop for lamps, served by this process to itself.

use std::net::{Ipv4Addr, SocketAddr};

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, rt, web};
use anyhow::{Context, Result};

const HTML: &str = "text/html; charset=utf-8";

/// The files of the site: path, media type, content.
const FILES: [(&str, &str, &str); 8] = [
    ("/robots.txt", "text/plain; charset=utf-8", include_str!("../../seed/site/robots.txt")),
    ("/", HTML, include_str!("../../seed/site/index.html")),
    ("/opening-hours.html", HTML, include_str!("../../seed/site/opening-hours.html")),
    ("/orders.html", HTML, include_str!("../../seed/site/orders.html")),
    ("/returns.html", HTML, include_str!("../../seed/site/returns.html")),
    ("/care.html", HTML, include_str!("../../seed/site/care.html")),
    ("/interface.html", HTML, include_str!("../../seed/site/interface.html")),
    ("/staff.html", HTML, include_str!("../../seed/site/staff.html")),
];

/// The site while it is served.
pub struct Site {
    address: SocketAddr,
    server: ServerHandle,
}

impl Site {
    /// Serves it on a free port of the loopback address.
    ///
    /// # Errors
    /// If there is none.
    pub fn serve() -> Result<Self> {
        let server = HttpServer::new(|| App::new().default_service(web::to(file)))
            .workers(1)
            .disable_signals()
            .bind((Ipv4Addr::LOCALHOST, 0))
            .context("the sample site can't be served")?;
        let address = server.addrs().first().copied().context("the sample site has no address")?;
        let server = server.run();
        let handle = server.handle();
        rt::spawn(server);
        Ok(Self { address, server: handle })
    }

    /// Where it is served.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of its first page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Serves it no longer.
    pub async fn close(self) {
        self.server.stop(false).await;
    }
}

async fn file(request: HttpRequest) -> HttpResponse {
    match FILES.iter().find(|(path, ..)| *path == request.path()) {
        Some((_, media_type, content)) => {
            HttpResponse::Ok().content_type(*media_type).body(*content)
        }
        None => HttpResponse::NotFound().finish(),
    }
}
