//! Content negotiation of responses (HT-043 to HT-047).

/// Transformation of an object or a list in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseShape {
    Plain,
    Table,
    /// `PartialObjectMetadata`, or `PartialObjectMetadataList` for a list.
    Partial {
        is_list: bool,
    },
    /// `APIGroupDiscoveryList` in one of its versions.
    Discovery {
        version: &'static str,
    },
}

/// Format of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    Yaml,
    /// Used only for clients that accept nothing else.
    Protobuf,
}

/// Format and transformation of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResponseForm {
    pub(crate) media: Media,
    pub(crate) shape: ResponseShape,
}

impl ResponseForm {
    pub(crate) const JSON: ResponseForm = ResponseForm {
        media: Media::Json,
        shape: ResponseShape::Plain,
    };
}

/// The forms in which a route can serve its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfferedForms {
    Objects,
    /// `/api` and `/apis`.
    Discovery,
    /// Lists of resources and OpenAPI documents: only plain JSON.
    Plain,
}

/// The reason why the client accepts none of the forms that the route offers (HT-030).
pub(crate) enum NotAcceptableReason {
    /// No accepted media type can be served.
    Media,
    /// A media type can be served, but the requested transformation cannot.
    Transform,
}

/// Chooses the form of the response by the Accept header.
pub(crate) fn negotiate_form(accept: Option<&str>, offer: OfferedForms) -> Result<ResponseForm, NotAcceptableReason> {
    let accept = accept.unwrap_or_default();
    if accept.trim().is_empty() {
        return Ok(ResponseForm::JSON);
    }
    let mut clauses: Vec<(i32, AcceptClause<'_>)> =
        accept.split(',').map(|text| AcceptClause::parse(text.trim())).collect();
    // Sorted by quality; clauses of equal quality keep the order of the header.
    clauses.sort_by_key(|(quality, _)| -quality);
    let mut refused = NotAcceptableReason::Media;
    // Deviation: a client that accepts JSON too gets JSON, even if it prefers protobuf.
    let mut last_resort = None;
    for (_, clause) in clauses {
        let media = match clause.media {
            "application/json" | "*/*" => Media::Json,
            "application/yaml" => Media::Yaml,
            "application/vnd.kubernetes.protobuf" => Media::Protobuf,
            _ => continue,
        };
        match clause.shape(offer) {
            Some(shape @ (ResponseShape::Plain | ResponseShape::Partial { .. })) if media == Media::Protobuf => {
                last_resort.get_or_insert(ResponseForm { media, shape });
            }
            Some(shape) if media != Media::Protobuf => return Ok(ResponseForm { media, shape }),
            _ => refused = NotAcceptableReason::Transform,
        }
    }
    last_resort.ok_or(refused)
}

struct AcceptClause<'a> {
    media: &'a str,
    kind: &'a str,
    group: &'a str,
    version: &'a str,
}

impl<'a> AcceptClause<'a> {
    /// Parses a clause of the Accept header. Returns its quality in thousandths, and the clause.
    fn parse(text: &'a str) -> (i32, AcceptClause<'a>) {
        let mut parts = text.split(';').map(str::trim);
        let mut clause = AcceptClause {
            media: parts.next().unwrap_or_default(),
            kind: "",
            group: "",
            version: "",
        };
        let mut quality = 1000;
        for part in parts {
            match part.split_once('=') {
                Some(("as", kind)) => clause.kind = kind,
                Some(("g", group)) => clause.group = group,
                Some(("v", version)) => clause.version = version,
                Some(("q", text)) => quality = (text.parse::<f64>().unwrap_or(1.0) * 1000.0) as i32,
                _ => {}
            }
        }
        (quality, clause)
    }

    fn shape(&self, offer: OfferedForms) -> Option<ResponseShape> {
        if self.kind.is_empty() {
            return Some(ResponseShape::Plain);
        }
        match (offer, self.group, self.version, self.kind) {
            (OfferedForms::Objects, "meta.k8s.io", "v1" | "v1beta1", "Table") => Some(ResponseShape::Table),
            (OfferedForms::Objects, "meta.k8s.io", "v1" | "v1beta1", "PartialObjectMetadata") => {
                Some(ResponseShape::Partial { is_list: false })
            }
            (OfferedForms::Objects, "meta.k8s.io", "v1" | "v1beta1", "PartialObjectMetadataList") => {
                Some(ResponseShape::Partial { is_list: true })
            }
            (OfferedForms::Discovery, "apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList") => {
                Some(ResponseShape::Discovery { version: "v2" })
            }
            _ => None,
        }
    }
}
