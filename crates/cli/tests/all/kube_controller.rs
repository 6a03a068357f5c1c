//! Runs a kube-rs `Controller` against the server: a custom resource with a finalizer owns a ConfigMap, and the API
//! server restarts during the test.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::wait::{Condition, await_condition, conditions};
use kube::runtime::watcher;
use kube::{Api, Client, Config, CustomResource, CustomResourceExt, Resource, ResourceExt};
use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario;
use podscope_session::timeline::Session;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Timeout of every wait in this test.
const TIMEOUT: Duration = Duration::from_secs(60);
const FINALIZER: &str = "clients.podscope.dev/archive";
const FIELD_MANAGER: &str = "cache-controller";

#[derive(CustomResource, Serialize, Deserialize, JsonSchema, Clone, Debug)]
#[kube(
    group = "clients.podscope.dev",
    version = "v1",
    kind = "Cache",
    namespaced,
    status = "CacheStatus"
)]
struct CacheSpec {
    size: i32,
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
struct CacheStatus {
    size: i32,
}

type ReconcileError = kube::runtime::finalizer::Error<kube::Error>;

async fn reconcile(cache: Arc<Cache>, client: Arc<Client>) -> Result<Action, ReconcileError> {
    let namespace = cache.namespace().unwrap_or_default();
    let caches: Api<Cache> = Api::namespaced((*client).clone(), &namespace);
    let config_maps: Api<ConfigMap> = Api::namespaced((*client).clone(), &namespace);
    finalizer(&caches.clone(), FINALIZER, cache, |event| async move {
        match event {
            Event::Apply(cache) => apply(&cache, &caches, &config_maps).await,
            Event::Cleanup(cache) => create_archive(&cache, &config_maps).await,
        }
    })
    .await
}

/// Applies the ConfigMap that the `Cache` owns, and reports its size in the status.
async fn apply(cache: &Cache, caches: &Api<Cache>, config_maps: &Api<ConfigMap>) -> Result<Action, kube::Error> {
    let name = cache.name_any();
    let child = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            owner_references: Some(cache.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        data: Some([("size".to_owned(), cache.spec.size.to_string())].into()),
        ..ConfigMap::default()
    };
    let params = PatchParams::apply(FIELD_MANAGER).force();
    config_maps.patch(&name, &params, &Patch::Apply(child)).await?;
    let status = json!({"status": CacheStatus { size: cache.spec.size }});
    caches
        .patch_status(&name, &PatchParams::default(), &Patch::Merge(status))
        .await?;
    Ok(Action::await_change())
}

/// Creates a ConfigMap as an archive of the `Cache`, before the finalizer is removed.
async fn create_archive(cache: &Cache, config_maps: &Api<ConfigMap>) -> Result<Action, kube::Error> {
    let archive = ConfigMap {
        metadata: ObjectMeta {
            name: Some(format!("{}-archive", cache.name_any())),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    };
    match config_maps.create(&PostParams::default(), &archive).await {
        Err(kube::Error::Api(status)) if status.code == 409 => {}
        result => drop(result?),
    }
    Ok(Action::await_change())
}

async fn wait_for<K>(api: &Api<K>, name: &str, what: &str, condition: impl Condition<K>) -> Option<K>
where
    K: Clone + std::fmt::Debug + Send + serde::de::DeserializeOwned + Resource + 'static,
{
    let met = tokio::time::timeout(TIMEOUT, await_condition(api.clone(), name, condition)).await;
    met.unwrap_or_else(|_| panic!("{what}: not within {TIMEOUT:?}"))
        .unwrap_or_else(|error| panic!("{what}: {error}"))
}

fn has_size(size: i32) -> impl Condition<ConfigMap> {
    move |found: Option<&ConfigMap>| {
        let data = found.and_then(|found| found.data.as_ref());
        data.and_then(|data| data.get("size")) == Some(&size.to_string())
    }
}

/// Runs a fault command, which must be accepted.
async fn run_fault_command(client: &Client, fault: &str) {
    let body = json!({"run": format!("fault {fault}")}).to_string().into_bytes();
    let request = http::Request::post("/podscope/v1/command")
        .body(body)
        .expect("a request");
    let answer: serde_json::Value = client.request(request).await.expect("it is answered");
    assert!(answer["refused"].is_null(), "{answer}");
}

async fn assert_controller_reconciles(client: Client) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    definitions
        .create(&PostParams::default(), &Cache::crd())
        .await
        .expect("the definition is valid");
    let name = Cache::crd().name_any();
    wait_for(&definitions, &name, "established", conditions::is_crd_established()).await;

    let caches: Api<Cache> = Api::default_namespaced(client.clone());
    let config_maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let controller = Controller::new(caches.clone(), watcher::Config::default())
        .owns(config_maps.clone(), watcher::Config::default())
        .run(
            reconcile,
            |_, _, _| Action::requeue(Duration::from_millis(200)),
            Arc::new(client.clone()),
        )
        .for_each(|result| {
            if let Err(error) = result {
                eprintln!("controller: {error}");
            }
            std::future::ready(())
        });
    let controller = tokio::spawn(controller);

    caches
        .create(&PostParams::default(), &Cache::new("hot", CacheSpec { size: 1 }))
        .await
        .expect("a cache");
    let child = wait_for(&config_maps, "hot", "the child is applied", has_size(1))
        .await
        .expect("it is found");
    let owner = &child.owner_references()[0];
    assert_eq!(
        (&*owner.kind, &*owner.name, owner.controller),
        ("Cache", "hot", Some(true))
    );
    let is_reported = |size| {
        move |found: Option<&Cache>| found.and_then(|found| found.status.as_ref()) == Some(&CacheStatus { size })
    };
    let found = wait_for(&caches, "hot", "the status is written", is_reported(1))
        .await
        .expect("it is found");
    assert_eq!(found.finalizers(), [FINALIZER]);

    // Another client deletes the child: the watch of owned objects makes the controller create it again.
    config_maps
        .delete("hot", &DeleteParams::default())
        .await
        .expect("it is deleted");
    let uid = child.uid();
    let is_new = move |found: Option<&ConfigMap>| found.is_some_and(|found| found.uid() != uid);
    wait_for(&config_maps, "hot", "the child is applied again", is_new).await;

    run_fault_command(&client, "crash apiserver").await;
    run_fault_command(&client, "restart apiserver").await;
    let larger = json!({"spec": {"size": 2}});
    caches
        .patch("hot", &PatchParams::default(), &Patch::Merge(larger))
        .await
        .expect("it is patched");
    wait_for(
        &config_maps,
        "hot",
        "the new size is applied after the restart",
        has_size(2),
    )
    .await;

    caches
        .delete("hot", &DeleteParams::default())
        .await
        .expect("it is deleted");
    let is_gone = |found: Option<&Cache>| found.is_none();
    wait_for(&caches, "hot", "the finalizer is removed", is_gone).await;
    config_maps
        .get("hot-archive")
        .await
        .expect("the controller archived it before");
    let is_gone = |found: Option<&ConfigMap>| found.is_none();
    wait_for(&config_maps, "hot", "the garbage collector removes the child", is_gone).await;
    controller.abort();
}

/// Shows: HT-079
#[test]
fn kube_controller_reconciles_across_api_server_restart() {
    let loaded = scenario::load(&[]).expect("the cluster of no file");
    let options = Options {
        speed: Speed::Times(20.0),
        ..Options::default()
    };
    let server = Server::start(Session::new(loaded).expect("it starts"), &options).expect("a port is free");
    let config = Config::new(server.url().parse().expect("a URL"));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async { assert_controller_reconciles(Client::try_from(config).expect("a client")).await });
}
