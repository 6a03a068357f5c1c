//! Validation of pods: volumes, scheduling fields, behaviour annotations (VA-127 to VA-164, L-08).

use super::*;

/// Shows: VA-127, VA-128, VA-129, VA-130, VA-131, VA-132, VA-133, VA-134, VA-135, VA-136, VA-137, VA-138, VA-139,
/// VA-140, VA-141, VA-142
#[test]
fn invalid_volumes_are_refused() {
    let rows: &[(&str, &[&str])] = &[
        (
            "volumes: [{}, {name: A}, {name: v}, {name: v}]",
            &[
                "spec.volumes[0].name: Required value",
                "spec.volumes[1].name: Invalid value: \"A\": a lowercase RFC 1123 label…",
                "spec.volumes[3].name: Duplicate value: \"v\"",
            ],
        ),
        (
            "volumes: [{name: v, emptyDir: {sizeLimit: -1}, nfs: {}}]",
            &[
                "spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity",
                "spec.volumes[0].nfs: Forbidden: may not specify more than 1 volume type",
            ],
        ),
        (
            "volumes: [{name: v, hostPath: {path: /a/../b, type: Foo}}]",
            &[
                "spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
                "spec.volumes[0].hostPath.type: Unsupported value: \"Foo\": supported values: \"\", \"BlockDevice\", \
                 \"CharDevice\", \"Directory\", \"DirectoryOrCreate\", \"File\", \"FileOrCreate\", \"Socket\"",
            ],
        ),
        (
            "volumes: [{name: v, persistentVolumeClaim: {}}, {name: w, configMap: {defaultMode: 512, items: [{path: /x}]}}]",
            &[
                "spec.volumes[0].persistentVolumeClaim.claimName: Required value",
                "spec.volumes[1].configMap.name: Required value",
                "spec.volumes[1].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both \
                 inclusive",
                "spec.volumes[1].configMap.items[0].key: Required value",
                "spec.volumes[1].configMap.items[0].path: Invalid value: \"/x\": must be a relative path",
            ],
        ),
        (
            "volumes: [{name: v, nfs: {path: x}}, {name: w, csi: {}}, {name: x, gcePersistentDisk: {}}, {name: q, \
             awsElasticBlockStore: {partition: 300}}, {name: z, ephemeral: {}}]",
            &[
                "spec.volumes[0].nfs.server: Required value",
                "spec.volumes[0].nfs.path: Invalid value: \"x\": must be an absolute path",
                "spec.volumes[1].csi.driver: Required value",
                "spec.volumes[2].persistentDisk.pdName: Required value",
                "spec.volumes[3].awsElasticBlockStore.volumeID: Required value",
                "spec.volumes[3].awsElasticBlockStore.partition: Invalid value: 300: must be between 1 and 255, inclusive",
                "spec.volumes[4].ephemeral.volumeClaimTemplate: Required value",
            ],
        ),
        (
            "volumes: [{name: v, iscsi: {iqn: foo, lun: 256}}]",
            &[
                "spec.volumes[0].iscsi.targetPortal: Required value",
                "spec.volumes[0].iscsi.iqn: Invalid value: \"foo\": must be valid format starting with iqn, eui, or naa",
                "spec.volumes[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
            ],
        ),
    ];
    for (spec, expected) in rows {
        assert_errors(&pod_errors(spec), expected, spec);
    }
}

/// Shows: VA-143, VA-144, VA-145, VA-146, VA-147, VA-148, VA-149, VA-150, VA-151, VA-152, VA-153, VA-154, VA-155,
/// VA-156, VA-157, VA-158, VA-159, VA-160, VA-161, VA-162, VA-163, VA-164, VA-340
#[test]
fn invalid_scheduling_fields_are_refused() {
    const NODE_SELECTOR_TERMS_PATH: &str =
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    let node = |terms: &str| {
        pod_errors(&format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{terms}]}}}}}}"
        ))
    };
    let rows: &[(&str, &[&str])] = &[
        ("", &[": Required value: must have at least one node selector term"]),
        ("{}", &[]),
        (
            "{matchExpressions: [{key: a, operator: In}]}",
            &["[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
        ),
        (
            "{matchExpressions: [{key: a, operator: Exists, values: [b]}]}",
            &[
                "[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or \
                 'DoesNotExist'",
            ],
        ),
        (
            "{matchExpressions: [{key: a, operator: Gt}, {key: a, operator: Lt, values: [b]}]}",
            &[
                "[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or \
                 'Gt'",
            ],
        ),
        (
            "{matchExpressions: [{key: a, operator: Foo}]}",
            &["[0].matchExpressions[0].operator: Invalid value: \"Foo\": not a valid selector operator"],
        ),
        (
            "{matchFields: [{key: spec.x, operator: In, values: [a, b]}]}",
            &[
                "[0].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for \
                 node field selector",
                "[0].matchFields[0].key: Invalid value: \"spec.x\": not a valid field selector key",
            ],
        ),
    ];
    for (terms, expected) in rows {
        let expected: Vec<String> = expected
            .iter()
            .map(|text| format!("{NODE_SELECTOR_TERMS_PATH}{text}"))
            .collect();
        assert_errors(
            &node(terms),
            &expected.iter().map(String::as_str).collect::<Vec<_>>(),
            terms,
        );
    }

    const ANTI_AFFINITY_TERM_PATH: &str =
        "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
    assert_errors(
        &pod_errors(
            "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{namespaces: [A], \
             matchLabelKeys: [k], labelSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}}], \
             preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, podAffinityTerm: {topologyKey: z, \
             matchLabelKeys: [k]}}]}}",
        ),
        &[
            &format!(
                "{ANTI_AFFINITY_TERM_PATH}.labelSelector.matchExpressions[0].operator: Invalid value: \"Gt\": not a valid \
                 selector operator"
            ),
            &format!("{ANTI_AFFINITY_TERM_PATH}.namespace: Invalid value: \"A\": a lowercase RFC 1123 label…"),
            &format!("{ANTI_AFFINITY_TERM_PATH}.topologyKey: Required value: can not be empty"),
            &format!("{ANTI_AFFINITY_TERM_PATH}.topologyKey: Invalid value: \"\": name part must be non-empty"),
            &format!("{ANTI_AFFINITY_TERM_PATH}.topologyKey: Invalid value: \"\": name part must consist of…"),
            "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must \
             be in the range 1-100",
            "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.matchLabelKeys: \
             Forbidden: must not be specified when labelSelector is not set",
        ],
        "VA-149 to VA-153",
    );
    let rows: &[(&str, &[&str])] = &[
        (
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: q r, minDomains: 0}, {maxSkew: 1, topologyKey: z, \
             whenUnsatisfiable: ScheduleAnyway, minDomains: 2, nodeTaintsPolicy: X}, {maxSkew: 1, whenUnsatisfiable: \
             DoNotSchedule}, {maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}]",
            &[
                "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"\": supported values: \
                 \"DoNotSchedule\", \"ScheduleAnyway\"",
                "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero",
                "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if \
                 whenUnsatisfiable=DoNotSchedule, not ",
                "spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{z, ScheduleAnyway}\"",
                "spec.topologySpreadConstraints[1].minDomains: Invalid value: 2: can only use minDomains if \
                 whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
                "spec.topologySpreadConstraints[1].nodeTaintsPolicy: Unsupported value: \"X\": supported values: \"Honor\", \
                 \"Ignore\"",
                "spec.topologySpreadConstraints[2].topologyKey: Required value: can not be empty",
            ],
        ),
        (
            "tolerations: [{}, {key: a, operator: Exists, value: x}, {key: a, operator: Foo}, {key: a, value: '-'}, {key: a, \
             effect: Foo}, {key: a, effect: NoSchedule, tolerationSeconds: 1}]",
            &[
                "spec.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is empty, which means \
                 \"match all values and all keys\"",
                "spec.tolerations[1].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'",
                "spec.tolerations[2].operator: Unsupported value: \"Foo\": supported values: \"Equal\", \"Exists\"",
                "spec.tolerations[3].operator: Invalid value: \"-\": a valid label must be…",
                "spec.tolerations[4].effect: Unsupported value: \"Foo\": supported values: \"NoSchedule\", \
                 \"PreferNoSchedule\", \"NoExecute\"",
                "spec.tolerations[5].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when \
                 `tolerationSeconds` is set",
            ],
        ),
        (
            "schedulingGates: [{name: x}, {name: x}]\nnodeName: n1\nreadinessGates: [{conditionType: 'a b'}]",
            &[
                "spec.readinessGates[0].conditionType: Invalid value: \"a b\": name part…",
                "spec.schedulingGates[1]: Duplicate value: \"x\"",
                "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
            ],
        ),
        (
            "hostUsers: false\nhostNetwork: true\nhostPID: true\nhostIPC: true",
            &[
                "spec.hostNetwork: Forbidden: when `hostUsers` is false",
                "spec.HostPID: Forbidden: when `hostUsers` is false",
                "spec.HostIPC: Forbidden: when `hostUsers` is false",
            ],
        ),
        (
            "hostNetwork: true\nsetHostnameAsFQDN: true\nhostnameOverride: A23456789012345678901234567890123456789012345678901234567890abcde\nserviceAccountName: A",
            &[
                "spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
                "spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true",
                "spec.hostnameOverride: Too long: may not be more than 64 bytes",
                "spec.hostnameOverride: Invalid value: \"A23456789012345678901234567890123456789012345678901234567890abcde\": a lowercase RFC 1123 subdomain…",
                "spec.serviceAccountName: Invalid value: \"A\": a lowercase RFC 1123 subdomain…",
            ],
        ),
        // `hostnameOverride` is allowed if `hostNetwork` and `setHostnameAsFQDN` are false (VA-340).
        (
            "hostNetwork: false\nsetHostnameAsFQDN: false\nhostnameOverride: a.b",
            &[],
        ),
        (
            "restartPolicy: Foo\ndnsPolicy: None\nactiveDeadlineSeconds: 0\nos: {name: mac}\nhostAliases: [{ip: x, hostnames: \
             [A]}]\nnodeName: A\nhostname: a.b\nnodeSelector: {a: '-'}",
            &[
                "spec.restartPolicy: Unsupported value: \"Foo\": supported values: \"Always\", \"OnFailure\", \"Never\"",
                "spec.nodeSelector: Invalid value: \"-\": a valid label must be…",
                "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
                "spec.nodeName: Invalid value: \"A\": a lowercase RFC 1123 subdomain…",
                "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
                "spec.hostname: Invalid value: \"a.b\": must not contain dots",
                "spec.hostAliases[0].ip: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "spec.hostAliases[0].hostnames[0]: Invalid value: \"A\": a lowercase RFC 1123 subdomain…",
                "spec.os: Unsupported value: \"mac\": supported values: \"linux\", \"windows\"",
            ],
        ),
    ];
    for (spec, expected) in rows {
        assert_errors(&pod_errors(spec), expected, spec);
    }
}

/// Shows: L-08
#[test]
fn malformed_behaviour_annotation_is_refused() {
    assert_errors(
        &validation_errors(
            "{apiVersion: v1, kind: Pod, metadata: {annotations: {behavior.podscope.dev/c: exit=9000}}, spec: {containers: \
             [{name: c, image: i}]}}",
        ),
        &[
            "metadata.annotations[behavior.podscope.dev/c]: Invalid value: \"exit=9000\": exit: \"9000\" is not an exit code \
             from 0 to 255 (at character 6)",
        ],
        "a pod",
    );
}
