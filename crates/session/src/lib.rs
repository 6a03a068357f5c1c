//! Sessions: scenarios, the timeline, share links, lessons, views and the console of one simulated cluster.
//!
//! ```
//! use podscope_cluster::SimTime;
//! use podscope_kubectl::command;
//! use podscope_session::link::{self, Link};
//! use podscope_session::timeline::{Session, Slice};
//! use podscope_session::{report, scenario};
//!
//! let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: nginx}]}}";
//! let loaded = scenario::load(&[("pod.yaml".into(), pod.into())]).expect("the manifest is valid");
//! let mut session = Session::new(loaded).expect("the API server admits the pod");
//!
//! assert_eq!(session.advance(SimTime::from_seconds(10), 10_000), Slice::Done);
//! session.command(command::parse("kubectl delete pod web").expect("a command")).expect("the command is accepted");
//! assert_eq!(session.advance(SimTime(10_500_000), 10_000), Slice::Done);
//! assert!(report::processes(&session).contains("SIGTERM"), "the container got SIGTERM and still runs");
//!
//! let link = Link::of(&session, None, String::new()).encode();
//! assert_eq!(link::decode(&link).expect("a link").commands.len(), 1);
//!
//! session.seek(SimTime::from_seconds(5)); // back to an earlier instant
//! session.advance(SimTime::from_seconds(5), 10_000);
//! assert!(!report::processes(&session).contains("SIGTERM"));
//! ```

pub mod author;
pub mod causes;
pub mod columns;
pub mod compare;
pub mod explain;
pub mod explained;
pub mod export;
mod film;
mod history;
pub mod host;
pub mod lessons;
pub mod link;
mod owners;
pub mod play;
pub mod rename;
pub mod report;
pub mod scenario;
pub mod search;
pub mod shell;
pub mod story;
pub mod timeline;
pub mod triage;
mod view;
pub mod whatif;
