//! Settings on which it depends what is accepted.

/// The two values that the config field `modelSource` takes; both are settings.
#[derive(Debug, Clone)]
pub struct ModelSources {
    /// The hosted provider.
    pub hosted: String,
    /// The self-hosted engine.
    pub selfhosted: String,
}

impl ModelSources {
    /// Both values.
    pub(crate) fn words(&self) -> [&str; 2] {
        [&self.hosted, &self.selfhosted]
    }
}

impl Default for ModelSources {
    fn default() -> Self {
        Self { hosted: "hosted".into(), selfhosted: "selfhosted".into() }
    }
}

/// Settings on which it depends what is accepted.
#[derive(Debug, Clone)]
pub struct InputSettings {
    /// The values of the config field `modelSource`.
    pub model_sources: ModelSources,
    /// The types of Fusion-Views whose content is a package.
    pub package_types: Vec<String>,
    /// Whether the address of a crawl may name any port, because the installation opens networks of its
    /// own to crawls; the crawler then decides.
    pub crawls_any_port: bool,
}

impl Default for InputSettings {
    fn default() -> Self {
        let package_types = ["website", "webapp", "scorm", "h5p", "webgl"];
        Self {
            model_sources: ModelSources::default(),
            package_types: package_types.map(str::to_owned).into(),
            crawls_any_port: false,
        }
    }
}
