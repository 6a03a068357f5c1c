//! The pages that show the served session (`--site`): several windows on one world.
//!
//! Each page has its own `Host` (`podscope_session::host`) and therefore its own selection, inspector and console; all
//! of them show the engine's session. One page leads. Actions on the leading page that change the run or move time do
//! so for all pages; on the other pages they are refused with a message, until that page takes the lead. When the
//! leader leaves, the page that connected first leads.
//!
//! The protocol is that of the page's worker, with one difference: the first `Open` of a page, whatever its source,
//! joins the running session. A later `Open` replaces the session for all pages.

use std::sync::Arc;
use std::time::Instant;

use podscope_cluster::SimTime;
use podscope_protocol::{Problem, Request, Update, pack};
use podscope_session::host::{Host, NextWork, Rate};
use podscope_session::scenario::Loaded;
use podscope_session::timeline::{Session, Slice};
use tokio::sync::mpsc;

use crate::secrets;

/// Maximum number of pages.
const MAX_PAGES: usize = 64;
/// Maximum number of messages that wait for a slow page. A page that falls further behind is disconnected.
pub(crate) const MAX_QUEUED_MESSAGES: usize = 512;

/// The console's answer to a refused action on a page that does not lead.
const NOT_LEADING_MESSAGE: &str = "this page watches: another page leads the run; press Take over to lead";
/// The answer to requests about practice and courses.
const COURSES_REFUSED: &str = "practice and courses are not part of podscope serve: open the site itself";

/// Identifier of a connected page.
pub(crate) type PageId = u64;

/// A message to a page.
#[derive(Debug)]
pub(crate) enum Message {
    /// A packed `Update`.
    Update(Vec<u8>),
    /// Whether the page leads.
    Leads(bool),
}

struct Page {
    id: PageId,
    host: Host,
    /// None if the page fell too far behind: it will be disconnected.
    outbox: Option<mpsc::Sender<Message>>,
    /// Number of requests that the page has sent.
    n_received: u64,
    /// Number of requests that were reported to the page as settled.
    n_settled: u64,
}

impl Page {
    fn post(&mut self, message: Message) {
        if self
            .outbox
            .as_ref()
            .is_some_and(|outbox| outbox.try_send(message).is_err())
        {
            self.outbox = None;
        }
    }

    fn post_updates(&mut self, updates: &[Update], clock: f64) {
        for update in updates {
            match pack(update) {
                Ok(bytes) => self.post(Message::Update(bytes.to_vec())),
                // All updates can be packed, so this is a bug. The page must not miss one silently.
                Err(_) => self.outbox = None,
            }
        }
        if updates.iter().any(|update| matches!(update, Update::Frame(_))) {
            self.host.sent(clock);
        }
    }

    /// Reports to the page that all its requests are settled, as soon as they are.
    fn report_settled(&mut self, clock: f64) {
        if self.n_settled < self.n_received && self.host.has_completed_requests() {
            self.n_settled = self.n_received;
            let requests = self.n_received;
            self.post_updates(&[Update::Settled { requests }], clock);
        }
    }
}

/// Time, branch and length of the trace of a session. Two positions are compared to detect whether the session has
/// changed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SessionPosition {
    now: SimTime,
    branch: usize,
    records: usize,
}

impl SessionPosition {
    fn of(session: &Session) -> SessionPosition {
        SessionPosition {
            now: session.now(),
            branch: session.current_branch_index(),
            records: session.trace().len(),
        }
    }
}

/// Effects of page requests that the engine has to apply.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageEffects {
    /// Whether the session was replaced, went back in time or changed its branch.
    pub(crate) has_jumped: bool,
    /// The new rate of the clock, if the leader has changed it.
    pub(crate) rate: Option<Rate>,
}

/// All pages.
pub(crate) struct Pages {
    /// In the order in which they connected.
    pages: Vec<Page>,
    leader: Option<PageId>,
    next_id: PageId,
    /// Real time of the creation. The clock of the pages' hosts counts from it.
    started: Instant,
    /// The position that was last reported to the pages.
    position: Option<SessionPosition>,
    rate: Rate,
    /// The scenario that a page opened last, and its name if it is a lesson.
    opened: Option<(Arc<Loaded>, Option<String>)>,
}

impl Pages {
    pub(crate) fn new(rate: Rate) -> Pages {
        Pages {
            pages: Vec::new(),
            leader: None,
            next_id: 0,
            started: Instant::now(),
            position: None,
            rate,
            opened: None,
        }
    }

    fn clock_millis(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1000.0
    }

    fn index_of(&self, id: PageId) -> Option<usize> {
        self.pages.iter().position(|page| page.id == id)
    }

    fn leader_index(&self) -> Option<usize> {
        self.leader.and_then(|id| self.index_of(id))
    }

    /// Adds a page that has connected. Returns None if there are too many.
    pub(crate) fn add(&mut self, outbox: mpsc::Sender<Message>) -> Option<PageId> {
        if self.pages.len() >= MAX_PAGES {
            return None;
        }
        let id = self.next_id;
        self.next_id += 1;
        let host = Host::new();
        let hello = host.hello();
        let mut page = Page {
            id,
            host,
            outbox: Some(outbox),
            n_received: 0,
            n_settled: 0,
        };
        page.post_updates(&[hello], self.clock_millis());
        self.pages.push(page);
        Some(id)
    }

    /// Removes a page that has disconnected.
    pub(crate) fn remove(&mut self, id: PageId, session: &mut Session) {
        self.pages.retain(|page| page.id != id);
        self.choose_leader(session);
    }

    /// Makes a page the leader.
    pub(crate) fn make_leader(&mut self, id: PageId, session: &mut Session) {
        let Some(index) = self.index_of(id).filter(|index| self.pages[*index].host.is_joined()) else {
            return;
        };
        if self.leader == Some(id) {
            return;
        }
        if let Some(before) = self.leader_index() {
            let page = &mut self.pages[before];
            page.host.stop_leading();
            page.post(Message::Leads(false));
        }
        self.leader = Some(id);
        self.pages[index].post(Message::Leads(true));
        self.set_rate(self.rate, session);
    }

    /// If no page leads, the page that connected first becomes the leader. Only pages that have joined the session
    /// count.
    fn choose_leader(&mut self, session: &mut Session) {
        if self.leader_index().is_none() {
            self.leader = None;
            let oldest = self.pages.iter().find(|page| page.host.is_joined()).map(|page| page.id);
            if let Some(id) = oldest {
                self.make_leader(id, session);
            }
        }
    }

    /// Sends the rate of the clock to all pages.
    pub(crate) fn set_rate(&mut self, rate: Rate, session: &Session) {
        self.rate = rate;
        let (clock, now) = (self.clock_millis(), session.now());
        for page in &mut self.pages {
            page.host.set_rate(rate, clock, now);
        }
    }

    /// Handles a request of a page.
    pub(crate) fn handle(&mut self, id: PageId, request: Request, session: &mut Session) -> PageEffects {
        let Some(index) = self.index_of(id) else {
            return PageEffects::default();
        };
        self.pages[index].n_received += u64::from(request != Request::FrameDone);
        let leads = self.leader == Some(id);
        let done = match request {
            Request::Open { .. } if !self.pages[index].host.is_joined() => {
                self.send_whole_state(index, session);
                self.choose_leader(session);
                if self.leader != Some(id) {
                    self.pages[index].post(Message::Leads(false));
                }
                PageEffects::default()
            }
            // Other requests are ignored before the first `Open`.
            _ if !self.pages[index].host.is_joined() => PageEffects::default(),
            Request::Course(_) if leads => {
                let refused = Update::Refused {
                    problems: vec![Problem::of_file("practice", COURSES_REFUSED.to_owned())],
                };
                self.run_action(index, session, |_, _| vec![refused])
            }
            request => self.run_action(index, session, move |host, clock| {
                match leads || !host.changes_run(&request) {
                    true => host.handle(request, clock),
                    false => host.refuse(&request, NOT_LEADING_MESSAGE.into()),
                }
            }),
        };
        let clock = self.clock_millis();
        if let Some(page) = self.pages.get_mut(index) {
            page.report_settled(clock);
        }
        done
    }

    /// Sends the whole state of the session to a page, which then shows it in place of what it showed before.
    fn send_whole_state(&mut self, index: usize, session: &mut Session) {
        let (clock, rate) = (self.clock_millis(), self.rate);
        let reading = self.leader_index().map(|leader| self.pages[leader].host.reader_state());
        let lesson = self.opened_lesson_name(session);
        let page = &mut self.pages[index];
        page.host.set_rate(rate, clock, session.now());
        let updates = page.host.join(session, lesson, clock);
        if let Some(reading) = reading {
            page.host.with_session(session, |host| host.set_reader_state(reading));
        }
        page.post_updates(&updates, clock);
    }

    /// Returns the name of the lesson, if the session is a lesson that a page has opened.
    fn opened_lesson_name(&self, session: &Session) -> Option<String> {
        let (loaded, lesson) = self.opened.as_ref()?;
        lesson.clone().filter(|_| Arc::ptr_eq(loaded, session.loaded()))
    }

    /// Sends the whole state of the session to all pages but one.
    fn send_state_to_all_except(&mut self, except: Option<usize>, session: &mut Session) {
        for index in 0..self.pages.len() {
            if Some(index) != except && self.pages[index].host.is_joined() {
                self.send_whole_state(index, session);
            }
        }
    }

    /// Sends the whole state of the session to all pages, after the engine has replaced it.
    pub(crate) fn on_session_replaced(&mut self, session: &mut Session) {
        if let Some(leader) = self.leader_index() {
            self.pages[leader].host.stop_leading();
        }
        self.send_state_to_all_except(None, session);
    }

    /// Runs an action on the session through the host (protocol endpoint) of one page, sends the resulting updates to
    /// that page, and applies the changes to the other pages.
    fn run_action(
        &mut self,
        index: usize,
        session: &mut Session,
        action: impl FnOnce(&mut Host, f64) -> Vec<Update>,
    ) -> PageEffects {
        let clock = self.clock_millis();
        let before = SessionPosition::of(session);
        let leads = self.leader_index() == Some(index);
        let page = &mut self.pages[index];
        let reading = page.host.reader_state();
        let updates = page.host.with_session(session, |host| action(host, clock));
        let shared = |update| secrets::without_data_in_update(update, session);
        let updates: Vec<Update> = updates.into_iter().map(shared).collect();
        page.post_updates(&updates, clock);
        if !leads {
            return PageEffects::default();
        }
        let (rate, reading_now) = (page.host.rate(), page.host.reader_state());
        let mut done = PageEffects::default();
        if updates.iter().any(|update| matches!(update, Update::Opened(_))) {
            let lesson = page.host.lesson().map(str::to_owned);
            self.opened = Some((session.loaded().clone(), lesson));
            self.send_state_to_all_except(Some(index), session);
            done.has_jumped = true;
        } else if reading != reading_now {
            for page in self.other_pages(index).filter(|page| page.host.is_joined()) {
                let reading = reading_now.clone();
                page.host.with_session(session, |host| host.set_reader_state(reading));
            }
        }
        let after = SessionPosition::of(session);
        if after.now < before.now || after.branch != before.branch {
            self.other_pages(index).for_each(|page| page.host.redraw());
            done.has_jumped = true;
        }
        if rate != self.rate {
            self.set_rate(rate, session);
            done.rate = Some(rate);
        }
        done
    }

    fn other_pages(&mut self, index: usize) -> impl Iterator<Item = &mut Page> {
        let pages = self.pages.iter_mut().enumerate();
        pages.filter(move |(other, _)| *other != index).map(|(_, page)| page)
    }

    /// Returns whether the leading page is advancing simulated time by itself. The engine's clock waits meanwhile.
    pub(crate) fn is_moving_time(&self) -> bool {
        self.leader_index()
            .is_some_and(|leader| self.pages[leader].host.is_moving_time())
    }

    /// Returns whether a seek or fast-forward of the leading page is in progress. API calls wait meanwhile.
    pub(crate) fn is_leader_seeking(&self) -> bool {
        self.leader_index()
            .is_some_and(|leader| self.pages[leader].host.is_seeking_or_fast_forwarding())
    }

    /// Advances time toward `target`, by a few events at most. A question of the lesson on the leading page pauses
    /// time. None if no page leads.
    pub(crate) fn play_to(&mut self, target: SimTime, session: &mut Session) -> Option<(Slice, PageEffects)> {
        let leader = self.leader_index()?;
        let mut slice = Slice::Done;
        let done = self.run_action(leader, session, |host, _| {
            let (played, updates) = host.play_to(target);
            slice = played;
            updates
        });
        Some((slice, done))
    }

    /// Does the work of all pages that is due: frames, and one slice of each long task.
    pub(crate) fn work(&mut self, session: &mut Session) -> PageEffects {
        let n_pages = self.pages.len();
        self.pages.retain(|page| page.outbox.is_some());
        if self.pages.len() < n_pages {
            self.choose_leader(session);
        }
        let mut all = PageEffects::default();
        for index in 0..self.pages.len() {
            let position = SessionPosition::of(session);
            if self.position.replace(position) != Some(position) {
                self.pages.iter_mut().for_each(|page| page.host.session_changed());
            }
            let clock = self.clock_millis();
            if self.pages[index].host.is_joined() && is_work_due(self.pages[index].host.next_work(), clock) {
                let done = self.run_action(index, session, Host::work);
                all.has_jumped |= done.has_jumped;
                all.rate = done.rate.or(all.rate);
                self.pages[index].report_settled(clock);
            }
        }
        all
    }

    /// Returns the time until a page has work, in milliseconds; None if no page has any.
    pub(crate) fn time_until_work(&self) -> Option<f64> {
        let clock = self.clock_millis();
        let joined = self.pages.iter().filter(|page| page.host.is_joined());
        let waits = joined.filter_map(|page| match page.host.next_work() {
            NextWork::AfterRequest => None,
            NextWork::Now => Some(0.0),
            NextWork::At(time) => Some((time - clock).max(0.0)),
        });
        waits.reduce(f64::min)
    }
}

fn is_work_due(next_work: NextWork, clock: f64) -> bool {
    match next_work {
        NextWork::AfterRequest => false,
        NextWork::Now => true,
        NextWork::At(time) => time <= clock,
    }
}
