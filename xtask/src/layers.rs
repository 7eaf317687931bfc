//! The layer rules of ARCHITECTURE.md, held against the manifests: imports run one way,
//! `server → adapters → domain`, and each big library stays in one crate.
//!
//! Every crate in `crates/` other than `domain` and `server` is an adapter, so a new one is held
//! to the rules by itself.

use crate::workspace::{Package, Workspace};

/// What `domain` may be built with. It does no I/O, speaks no SQL and no HTTP; a commit that adds a line
/// here says why the domain needs it.
const DOMAIN_MAY_USE: [&str; 17] = [
    "async-trait",
    // Secrets and signatures of webhooks are Base64.
    "base64",
    "crc32fast",
    // Workers of the same process learn at once of a job that was added.
    "event-listener",
    // A crawl waits for several pages at once.
    "futures-util",
    // Messages to webhooks are signed with HMAC-SHA256.
    "hmac",
    "serde",
    "serde_json",
    "sha2",
    "subtle",
    "thiserror",
    "time",
    "unicode-normalization",
    // What an address of a page is, is a rule; reading one is no work to do by hand.
    "url",
    "uuid",
    "validator",
    "zeroize",
];

/// What the tests of `domain` may use beyond that.
const DOMAIN_TESTS_MAY_USE: [&str; 6] = [
    "futures-util",
    "insta",
    "proptest",
    // The example of the front page shows how a program uses the services, which needs a database.
    "storage-diesel",
    "tempfile",
    "tokio",
];

/// The crate for programs that call the API, which has nothing of the server.
const CLIENT: &str = "client";

/// The one adapter that others know: the way to servers that clients name, which is checked in one place.
const EGRESS: &str = "egress";

/// The adapters that ask such servers.
const EGRESS_USERS: [&str; 2] = ["crawler", "webhook-sender"];

/// Libraries that only their own crate may know.
struct Wall {
    home: &'static str,
    /// Names of libraries; those that end in `*` stand for every name that begins so.
    libraries: &'static [&'static str],
    /// Who may use which of them all the same.
    except: &'static [(&'static str, &'static str)],
}

const WALLS: [Wall; 7] = [
    Wall {
        home: "storage-diesel",
        libraries: &["diesel*", "r2d2*", "pq-sys", "openssl-sys", "libsqlite3-sys"],
        // The black-box tests make their own databases, and read tables as they are.
        except: &[("botyard-tests", "diesel"), ("test-databases", "diesel")],
    },
    Wall {
        home: "http-actix",
        libraries: &["actix*", "utoipa*", "tracing-actix-web"],
        // The composition root starts the runtime and binds the listener.
        // Tests call the API in their own process.
        except: &[("server", "actix-web"), ("botyard-tests", "actix-web")],
    },
    Wall {
        home: "blob-store",
        libraries: &["object_store", "reqwest", "rustls"],
        // Servers that clients name are asked over TLS, too, and so is the collector of spans, by a library that takes
        // this client; and the API itself, by programs that call it.
        except: &[
            ("client", "reqwest"),
            ("client", "rustls"),
            ("egress", "rustls"),
            ("server", "reqwest"),
            ("server", "rustls"),
        ],
    },
    Wall { home: "crawler", libraries: &["html5gum"], except: &[] },
    Wall {
        home: EGRESS,
        libraries: &["hyper*", "rustls-native-certs", "tower-service", "webpki-root-certs"],
        // What requests and answers are made of; tests have servers of their own, and the benchmark has clients.
        except: &[
            ("crawler", "hyper"),
            ("webhook-sender", "hyper"),
            ("s3-server", "hyper"),
            ("s3-server", "hyper-util"),
            ("botyard-tests", "hyper"),
            ("botyard-tests", "hyper-util"),
            ("xtask", "hyper"),
            ("xtask", "hyper-util"),
        ],
    },
    Wall {
        home: "archive",
        libraries: &["flate2"],
        // Answers of the web are compressed; tests make archives, valid ones and others.
        except: &[("crawler", "flate2"), ("test-samples", "flate2")],
    },
    Wall {
        home: "extractor",
        libraries: &[
            "adobe-cmap-parser",
            "csv",
            "file-format",
            "imagesize",
            "landlock",
            "mail-parser",
            "mime_guess",
            "pdf-extract",
            "seccompiler",
            "unicode-segmentation",
            "zip",
        ],
        // Tests make documents. Lists are also written as tables, which tests read.
        except: &[("test-samples", "zip"), ("http-actix", "csv"), ("botyard-tests", "csv")],
    },
];

/// What breaks the layer rules, a line each.
pub fn findings(workspace: &Workspace) -> Vec<String> {
    let mut findings = Vec::new();
    let packages = &workspace.packages;
    for needed in ["domain", "server"].into_iter().chain(WALLS.map(|wall| wall.home)) {
        if !packages.iter().any(|package| package.name == needed) {
            findings.push(format!("there is no package {needed}: the rules name it"));
        }
    }
    for package in packages {
        if package.name == "domain" {
            findings.extend(impurities(package));
        }
        if is_adapter(workspace, package) {
            findings.extend(sideways(workspace, package));
        }
        findings.extend(through_walls(package));
    }
    findings
}

fn impurities(domain: &Package) -> Vec<String> {
    let mut findings = Vec::new();
    for dependency in &domain.dependencies {
        let name = dependency.name.as_str();
        let allowed = DOMAIN_MAY_USE.contains(&name)
            || (dependency.is_dev() && DOMAIN_TESTS_MAY_USE.contains(&name));
        if !allowed {
            findings.push(format!("domain depends on {name}, which is not on its list"));
        }
    }
    findings
}

fn is_adapter(workspace: &Workspace, package: &Package) -> bool {
    package.manifest_path.starts_with(workspace.root.join("crates"))
        && !["domain", "server"].contains(&package.name.as_str())
}

/// Dependencies of an adapter on another, or on the server. Tests may know more.
fn sideways(workspace: &Workspace, adapter: &Package) -> Vec<String> {
    let mut findings = Vec::new();
    for dependency in adapter.dependencies.iter().filter(|dependency| !dependency.is_dev()) {
        let target = workspace.packages.iter().find(|package| package.name == dependency.name);
        let Some(target) = target else { continue };
        let (from, to) = (&adapter.name, &dependency.name);
        if from == CLIENT {
            findings.push(format!("{from} depends on {to}: it is for programs without the server"));
        } else if target.name != "domain" && !may_share(from, to) {
            findings.push(format!("{from} depends on {to}: an adapter may know only domain"));
        }
    }
    findings
}

/// Whether an adapter may know this other one.
fn may_share(from: &str, to: &str) -> bool {
    to == EGRESS && EGRESS_USERS.contains(&from)
}

fn through_walls(package: &Package) -> Vec<String> {
    let mut findings = Vec::new();
    for wall in WALLS.iter().filter(|wall| wall.home != package.name) {
        for dependency in &package.dependencies {
            let (from, name) = (package.name.as_str(), dependency.name.as_str());
            let walled = wall.libraries.iter().any(|pattern| matches(pattern, name));
            if walled && !wall.except.contains(&(from, name)) {
                findings.push(format!("{from} depends on {name}: only {} may", wall.home));
            }
        }
    }
    findings.sort();
    findings.dedup();
    findings
}

fn matches(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(name == pattern, |prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A workspace of clean crates, and what `package` depends on beside.
    fn findings_with(package: &str, dependency: &str, kind: Option<&str>) -> Vec<String> {
        let names = [
            "domain",
            "archive",
            "storage-diesel",
            "http-actix",
            "blob-store",
            "client",
            "crawler",
            "egress",
            "extractor",
            "server",
            "webhook-sender",
            "xtask",
        ];
        let manifest = |name: &str| match name {
            "xtask" => "/w/xtask/Cargo.toml".to_owned(),
            _ => format!("/w/crates/{name}/Cargo.toml"),
        };
        let own = |name: &str| match name {
            "domain" => vec![json!({"name": "serde", "kind": null})],
            "client" => vec![json!({"name": "reqwest", "kind": null})],
            "server" => vec![
                json!({"name": "http-actix", "kind": null}),
                json!({"name": "actix-web", "kind": null}),
            ],
            _ => vec![json!({"name": "domain", "kind": null})],
        };
        let packages: Vec<_> = names
            .iter()
            .map(|name| {
                let mut dependencies = own(name);
                if *name == package {
                    dependencies.push(json!({"name": dependency, "kind": kind}));
                }
                json!({"name": name, "version": "", "manifest_path": manifest(name), "dependencies": dependencies})
            })
            .collect();
        let workspace =
            json!({"workspace_root": "/w", "target_directory": "/w/target", "packages": packages});
        findings(&serde_json::from_value(workspace).unwrap())
    }

    #[test]
    fn this_workspace_keeps_the_layer_rules() {
        assert_eq!(findings(&Workspace::find().unwrap()), [""; 0]);
    }

    #[test]
    fn what_the_rules_allow_has_no_findings() {
        for (package, dependency, kind) in [
            ("domain", "serde_json", None),
            ("domain", "proptest", Some("dev")),
            ("storage-diesel", "diesel_migrations", None),
            ("http-actix", "utoipa-swagger-ui", None),
            ("crawler", "egress", None),
            ("crawler", "hyper", None),
            ("webhook-sender", "egress", None),
            ("webhook-sender", "hyper", None),
            ("crawler", "html5gum", None),
            ("egress", "hyper-rustls", None),
            ("egress", "rustls", None),
            ("extractor", "quick-xml", None),
            ("http-actix", "storage-diesel", Some("dev")),
            ("server", "storage-diesel", None),
            ("server", "actix-web", None),
            ("xtask", "serde_json", None),
        ] {
            assert_eq!(findings_with(package, dependency, kind), [""; 0], "{package} {dependency}");
        }
    }

    #[test]
    fn each_rule_can_fail() {
        let only = |home: &str, from: &str, name: &str| {
            format!("{from} depends on {name}: only {home} may")
        };
        let unlisted = |name: &str| format!("domain depends on {name}, which is not on its list");
        let sideways = |from: &str, to: &str| {
            format!("{from} depends on {to}: an adapter may know only domain")
        };
        for (package, dependency, kind, expected) in [
            ("domain", "tokio", None, unlisted("tokio")),
            ("domain", "cc", Some("build"), unlisted("cc")),
            ("domain", "wiremock", Some("dev"), unlisted("wiremock")),
            ("domain", "storage-diesel", None, unlisted("storage-diesel")),
            ("http-actix", "diesel", None, only("storage-diesel", "http-actix", "diesel")),
            ("server", "diesel-async", None, only("storage-diesel", "server", "diesel-async")),
            ("xtask", "r2d2", None, only("storage-diesel", "xtask", "r2d2")),
            ("server", "pq-sys", None, only("storage-diesel", "server", "pq-sys")),
            ("server", "libsqlite3-sys", None, only("storage-diesel", "server", "libsqlite3-sys")),
            (
                "storage-diesel",
                "actix-web",
                None,
                only("http-actix", "storage-diesel", "actix-web"),
            ),
            ("server", "actix-cors", None, only("http-actix", "server", "actix-cors")),
            ("server", "utoipa", Some("dev"), only("http-actix", "server", "utoipa")),
            ("server", "object_store", None, only("blob-store", "server", "object_store")),
            ("crawler", "reqwest", None, only("blob-store", "crawler", "reqwest")),
            ("server", "hyper-util", None, only("egress", "server", "hyper-util")),
            ("crawler", "hyper-rustls", None, only("egress", "crawler", "hyper-rustls")),
            ("crawler", "rustls", None, only("blob-store", "crawler", "rustls")),
            ("blob-store", "html5gum", None, only("crawler", "blob-store", "html5gum")),
            ("http-actix", "flate2", Some("dev"), only("archive", "http-actix", "flate2")),
            ("archive", "zip", None, only("extractor", "archive", "zip")),
            ("server", "pdf-extract", None, only("extractor", "server", "pdf-extract")),
            ("http-actix", "storage-diesel", None, sideways("http-actix", "storage-diesel")),
            ("blob-store", "http-actix", Some("build"), sideways("blob-store", "http-actix")),
            ("storage-diesel", "server", None, sideways("storage-diesel", "server")),
            ("extractor", "egress", None, sideways("extractor", "egress")),
            ("egress", "crawler", None, sideways("egress", "crawler")),
            ("webhook-sender", "crawler", None, sideways("webhook-sender", "crawler")),
            (
                "client",
                "domain",
                None,
                "client depends on domain: it is for programs without the server".to_owned(),
            ),
        ] {
            assert_eq!(findings_with(package, dependency, kind), [expected]);
        }
    }

    #[test]
    fn a_crate_that_the_rules_name_must_be_there() {
        let empty = json!({"workspace_root": "/w", "target_directory": "/t", "packages": []});
        let findings = findings(&serde_json::from_value(empty).unwrap());
        assert_eq!(findings.len(), 9, "{findings:?}");
    }
}
