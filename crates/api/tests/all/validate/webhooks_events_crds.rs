//! Validation of webhooks, events, CRDs, roles, classes and the data sources of claims (VA-326 to VA-331).

use super::*;

fn assert_row_errors(rows: &[(&str, &[&str])]) {
    for (text, expected) in rows {
        assert_errors(&validation_errors(&format!("{{apiVersion: {text}}}")), expected, text);
    }
}

/// Shows: VA-326
#[test]
fn invalid_webhooks_are_refused() {
    let webhook = |more: &str| {
        let own = "name: a.b.c, sideEffects: None, admissionReviewVersions: [v1]";
        format!("admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, webhooks: [{{{own}, {more}}}]")
    };
    const HTTPS_CLIENT_CONFIG: &str = "clientConfig: {url: 'https://x'}";
    for (more, expected) in [
        (
            "clientConfig: {url: 'http://u:p@/y?z#f'}",
            &[
                "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired \
                 format: https://host[/path]",
                "webhooks[0].clientConfig.url: Invalid value: \"\": host must be specified; desired format: https://host[/path]",
                "webhooks[0].clientConfig.url: Invalid value: \"u:p\": user information is not permitted in the URL",
                "webhooks[0].clientConfig.url: Invalid value: \"f\": fragments are not permitted in the URL",
                "webhooks[0].clientConfig.url: Invalid value: \"z\": query parameters are not permitted in the URL",
            ] as &[&str],
        ),
        (
            // The API server reports the missing name of the Service with the field path of its namespace.
            "clientConfig: {service: {namespace: team, port: 0, path: /a//B}}",
            &[
                "webhooks[0].clientConfig.service.namespace: Required value",
                "webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, \
                 inclusive",
                "webhooks[0].clientConfig.service.path: Invalid value: \"/a//B\": segment[1] may not be empty",
                "webhooks[0].clientConfig.service.path: Invalid value: \"/a//B\": segment[2]: a lowercase RFC 1123 subdomain…",
            ],
        ),
        (
            &format!(
                "{HTTPS_CLIENT_CONFIG}, matchConditions: [{{name: a, expression: 'true'}}, {{name: a}}, {{expression: x}}]"
            ),
            &[
                "webhooks[0].matchConditions[1].expression: Required value",
                "webhooks[0].matchConditions[1].name: Duplicate value: \"a\"",
                "webhooks[0].matchConditions[2].name: Required value",
            ],
        ),
        (
            &format!(
                "{HTTPS_CLIENT_CONFIG}, namespaceSelector: {{matchExpressions: [{{key: a, operator: X}}]}}, \
                 rules: [{{operations: ['*'], apiGroups: [''], apiVersions: [''], \
                 resources: ['pods/*', pods/log, '*', nodes], scope: X}}]"
            ),
            &[
                "webhooks[0].rules[0].apiVersions[0]: Required value",
                "webhooks[0].rules[0].resources[1]: Invalid value: \"pods/log\": if 'pods/*' is present, must not specify \
                 pods/log",
                "webhooks[0].rules[0].resources: Invalid value: [\"pods/*\",\"pods/log\",\"*\",\"nodes\"]: if '*' is present, \
                 must not specify other resources without subresources",
                "webhooks[0].rules[0].scope: Unsupported value: \"X\": supported values: \"*\", \"Cluster\", \"Namespaced\"",
                "webhooks[0].namespaceSelector.matchExpressions[0].operator: Invalid value: \"X\": not a valid selector operator",
            ],
        ),
        (HTTPS_CLIENT_CONFIG, &[]),
    ] {
        let text = webhook(more);
        assert_errors(&validation_errors(&format!("{{apiVersion: {text}}}")), expected, &text);
    }
}

/// Shows: VA-327
#[test]
fn event_outside_namespace_of_its_object_is_refused() {
    const NEW_STYLE_EVENT_TIME: &str = "eventTime: '2026-01-01T00:00:00.000000Z'";
    assert_row_errors(&[
        (
            "v1, kind: Event, metadata: {name: A_}, involvedObject: {kind: Node, name: a}",
            &[],
        ),
        (
            "v1, kind: Event, involvedObject: {namespace: other}",
            &["involvedObject.namespace: Invalid value: \"other\": does not match event.namespace"],
        ),
        (
            "v1, kind: Event, metadata: {namespace: team}",
            &["involvedObject.namespace: Invalid value: \"\": does not match event.namespace"],
        ),
        (
            &format!(
                "v1, kind: Event, reportingComponent: a b, reason: r, action: x, involvedObject: {{namespace: o}}, \
                 {NEW_STYLE_EVENT_TIME}"
            ),
            &[
                "reportingComponent: Invalid value: \"a b\": name part must consist…",
                "reportingInstance: Required value",
            ],
        ),
        (
            &format!(
                "events.k8s.io/v1, kind: Event, reportingController: ex.com/c, reportingInstance: i, reason: r, \
                 {NEW_STYLE_EVENT_TIME}, regarding: {{kind: Pod, name: p, namespace: default}}, note: hey"
            ),
            &["action: Required value"],
        ),
    ]);
}

/// Shows: VA-328
#[test]
fn invalid_crds_are_refused() {
    let definition = |names: &str, version: &str| {
        format!(
            "apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: foos.ex.com}}, spec: {{group: \
             ex.com, scope: Namespaced, names: {{plural: foos, {names}}}, versions: [{{{version}}}]}}"
        )
    };
    const VALID_CRD_VERSION: &str = "name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}";
    const DNS_LABEL_RULE: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start \
                                  with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  \
                                  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    assert_row_errors(&[
        (&definition("kind: Foo", VALID_CRD_VERSION), &[]),
        (
            &definition(
                "kind: Foo, listKind: Foo",
                &VALID_CRD_VERSION.replace("storage: true", "storage: false"),
            ),
            &[
                "spec.versions: Invalid value: [{\"Name\":\"v1\",\"Served\":true,\"Storage\":false,\"Deprecated\":false,\
                 \"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,\"AdditionalPrinterColumns\":null,\
                 \"SelectableFields\":null}]: must have exactly one version marked as storage version",
                "spec.names.listKind: Invalid value: \"Foo\": kind and listKind may not be the same",
                "status.storedVersions: Invalid value: null: must have at least one stored version",
            ],
        ),
        (
            &definition("shortNames: [F]", "name: 1v, storage: true"),
            &[
                "spec.versions[0].schema.openAPIV3Schema: Required value",
                &format!("spec.versions[0].name: Invalid value: \"1v\": {DNS_LABEL_RULE}"),
                &format!("spec.version: Invalid value: \"1v\": {DNS_LABEL_RULE}"),
                "spec.names.singular: Required value",
                "spec.names.kind: Required value",
                "spec.names.listKind: Required value",
                &format!("spec.names.shortNames[0]: Invalid value: \"F\": {DNS_LABEL_RULE}"),
            ],
        ),
        (
            &definition(
                "kind: Foo",
                "name: v1, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {properties: {a: \
                 {type: foo}, b: {type: array}}}}}}, additionalPrinterColumns: [{name: A, type: str}]",
            ),
            &[
                "spec.validation.openAPIV3Schema.properties[spec].properties[b].items: Required value: must be specified",
                "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified \
                 object fields",
                "spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Unsupported value: \"foo\": supported \
                 values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"",
                "spec.additionalPrinterColumns[0].type: Invalid value: \"str\": must be one of \
                 boolean,date,integer,number,string",
                "spec.additionalPrinterColumns[0].JSONPath: Required value",
            ],
        ),
        (
            "apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: foo.k8s.io}, spec: {group: k8s.io, \
             scope: X, names: {plural: foos, kind: Foo}, versions: []}",
            &[
                "metadata.name: Invalid value: \"foo.k8s.io\": must be spec.names.plural+\".\"+spec.group",
                "spec.scope: Unsupported value: \"X\": supported values: \"Cluster\", \"Namespaced\"",
                "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
                "status.storedVersions: Invalid value: null: must have at least one stored version",
                "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval…",
            ],
        ),
    ]);
}

/// Shows: VA-329
#[test]
fn incomplete_roles_and_classes_are_refused() {
    assert_row_errors(&[
        (
            "rbac.authorization.k8s.io/v1, kind: ClusterRole, aggregationRule: {clusterRoleSelectors: []}",
            &[
                "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if \
                 aggregationRule is non-nil",
            ],
        ),
        (
            "rbac.authorization.k8s.io/v1, kind: RoleBinding",
            &[
                "roleRef.kind: Unsupported value: \"\": supported values: \"Role\", \"ClusterRole\"",
                "roleRef.name: Required value",
            ],
        ),
        (
            "storage.k8s.io/v1, kind: VolumeAttributesClass, driverName: A_",
            &[
                "driverName: Invalid value: \"a_\": name part must consist…",
                "parameters: Required value: must contain at least one key/value pair",
            ],
        ),
    ]);
}

/// Shows: VA-331
#[test]
fn data_source_must_match_data_source_ref() {
    const CLAIM_PREFIX: &str = "v1, kind: PersistentVolumeClaim, spec: {accessModes: [ReadWriteOnce], resources: \
                                {requests: {storage: 1Gi}}, dataSource: {kind: PersistentVolumeClaim, name: a}, \
                                dataSourceRef: {kind: PersistentVolumeClaim, name: ";
    assert_row_errors(&[
        (&format!("{CLAIM_PREFIX}a}}}}"), &[]),
        (
            &format!("{CLAIM_PREFIX}b}}}}"),
            &["spec: Invalid value: {}: must match dataSourceRef"],
        ),
    ]);
}
