//! Content negotiation of answers (HT-043 to HT-047).

/// How an object or a list is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Plain,
    Table,
    /// `PartialObjectMetadata`, or of a list its list.
    Partial {
        is_list: bool,
    },
    /// `APIGroupDiscoveryList`, by its version.
    Discovery {
        version: &'static str,
    },
}

/// What an answer is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) is_yaml: bool,
    pub(crate) shape: Shape,
}

impl Form {
    pub(crate) const JSON: Form = Form {
        is_yaml: false,
        shape: Shape::Plain,
    };
}

/// What a request may be answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    Objects,
    /// `/api` and `/apis`.
    Discovery,
    /// A list of resources, OpenAPI: JSON alone in no other form.
    Plain,
}

/// Said where an Accept names nothing known (HT-030), and where it names a transform that is none.
pub(crate) enum Refused {
    /// No media type is servable.
    Media,
    /// The media types are, and no transform.
    Transform,
}

/// The form of an answer.
pub(crate) fn form(accept: Option<&str>, offer: Offer) -> Result<Form, Refused> {
    let accept = accept.unwrap_or_default();
    if accept.trim().is_empty() {
        return Ok(Form::JSON);
    }
    let mut clauses: Vec<(i32, Clause<'_>)> = accept.split(',').map(|text| Clause::of(text.trim())).collect();
    // By preference, equal ones as they stand.
    clauses.sort_by_key(|(quality, _)| -quality);
    let mut refused = Refused::Media;
    for (_, clause) in clauses {
        let is_yaml = match clause.media {
            "application/json" | "*/*" => false,
            "application/yaml" => true,
            "application/vnd.kubernetes.protobuf" => {
                // Deviation: objects are answered in JSON, so a client that takes nothing else is refused.
                refused = Refused::Transform;
                continue;
            }
            _ => continue,
        };
        match clause.shape(offer) {
            Some(shape) => return Ok(Form { is_yaml, shape }),
            None => refused = Refused::Transform,
        }
    }
    Err(refused)
}

struct Clause<'a> {
    media: &'a str,
    kind: &'a str,
    group: &'a str,
    version: &'a str,
}

impl<'a> Clause<'a> {
    /// A clause, and how much it is wanted, in thousandths.
    fn of(text: &'a str) -> (i32, Clause<'a>) {
        let mut parts = text.split(';').map(str::trim);
        let mut clause = Clause {
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

    fn shape(&self, offer: Offer) -> Option<Shape> {
        if self.kind.is_empty() {
            return Some(Shape::Plain);
        }
        match (offer, self.group, self.version, self.kind) {
            (Offer::Objects, "meta.k8s.io", "v1" | "v1beta1", "Table") => Some(Shape::Table),
            (Offer::Objects, "meta.k8s.io", "v1" | "v1beta1", "PartialObjectMetadata") => {
                Some(Shape::Partial { is_list: false })
            }
            (Offer::Objects, "meta.k8s.io", "v1" | "v1beta1", "PartialObjectMetadataList") => {
                Some(Shape::Partial { is_list: true })
            }
            (Offer::Discovery, "apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList") => {
                Some(Shape::Discovery { version: "v2" })
            }
            _ => None,
        }
    }
}
