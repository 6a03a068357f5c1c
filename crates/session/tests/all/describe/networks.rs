//! `kubectl describe` of Ingresses and NetworkPolicies (KC-121).

use super::*;

const NETWORKS: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: networks}
spec: {seed: 5, cluster: {zones: [a], nodesPerZone: 1}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {ports: [{port: 80, name: http}], selector: {app: none}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: main, annotations: {a: b}}
spec:
  ingressClassName: x
  tls: [{hosts: [a.b, c.d], secretName: cert}]
  rules:
  - host: a.b
    http:
      paths:
      - {path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}
      - {path: /none, pathType: Prefix, backend: {service: {name: nope, port: {name: p}}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: shut}
spec:
  podSelector: {matchLabels: {app: web}}
  policyTypes: [Ingress]
  ingress:
  - ports: [{port: 80}, {port: dns, protocol: UDP}]
    from: [{podSelector: {}, namespaceSelector: {matchLabels: {team: a}}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]
  - {}
"#;

#[test]
fn ingress_and_network_policy_descriptions_equal_kubectl() {
    let session = session_after(NETWORKS, 5);
    assert_output(
        &session,
        "kubectl describe ingress main",
        "Name:             main\n\
         Labels:           <none>\n\
         Namespace:        default\n\
         Address:          \n\
         Ingress Class:    x\n\
         Default backend:  <default>\n\
         TLS:\n\
         \x20 cert terminates a.b,c.d\n\
         Rules:\n\
         \x20 Host        Path  Backends\n\
         \x20 ----        ----  --------\n\
         \x20 a.b         \n\
         \x20             /       web:80 ()\n\
         \x20             /none   nope:p (<error: services \"nope\" not found>)\n\
         Annotations:  a: b\n\
         Events:       <none>\n",
    );
    let (policy, _) = output_and_errors(&session, "kubectl describe netpol shut");
    let (_, rest) = policy.split_once("Spec:\n").expect("a spec");
    assert_eq!(
        rest,
        "  PodSelector: app=web\n\
         \x20 Allowing ingress traffic:\n\
         \x20   To Port: 80/TCP\n\
         \x20   To Port: dns/UDP\n\
         \x20   From:\n\
         \x20     NamespaceSelector: team=a\n\
         \x20     PodSelector: <none>\n\
         \x20   From:\n\
         \x20     IPBlock:\n\
         \x20       CIDR: 10.0.0.0/8\n\
         \x20       Except: 10.1.0.0/16\n\
         \x20   ----------\n\
         \x20   To Port: <any> (traffic allowed to all ports)\n\
         \x20   From: <any> (traffic not restricted by source)\n\
         \x20 Not affecting egress traffic\n\
         \x20 Policy Types: Ingress\n"
    );
}
