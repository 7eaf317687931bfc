//! Turns in which the streamed lists of a project are made.
//!
//! A thread that makes a piece of a list answers no other request meanwhile. Clients that read many lists as fast as
//! they are made would keep all threads from everybody else. So pieces for one project are made on half of the cores at
//! once, and a thread that has made one looks at its sockets before the next one is made.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};

use domain::id::ProjectId;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::large_answer::half_of_the_cores;

/// The permits of each project whose lists are streamed, of which a piece that is made takes one.
static PERMITS: LazyLock<Mutex<HashMap<ProjectId, Weak<Semaphore>>>> =
    LazyLock::new(Mutex::default);

/// The turns of one list.
pub(super) struct PieceTurn {
    project: ProjectId,
    /// The wait for the next turn.
    next: Option<LocalBoxFuture<'static, Option<OwnedSemaphorePermit>>>,
}

/// A turn, in which one piece is made. Dropped, it leaves the turn to another list.
pub(super) struct Making {
    _permit: Option<OwnedSemaphorePermit>,
}

impl PieceTurn {
    /// The turns of a list of this project.
    pub(super) fn of(project: ProjectId) -> Self {
        Self { project, next: None }
    }

    /// Waits for the next turn, after those of the lists that wait already.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Making> {
        let project = self.project;
        let next = self.next.get_or_insert_with(|| {
            let permit = permits(project).acquire_owned();
            permit.map(Result::ok).boxed_local()
        });
        let permit = next.poll_unpin(context);
        if permit.is_ready() {
            self.next = None;
        }
        permit.map(|permit| Making { _permit: permit })
    }
}

impl Making {
    /// Leaves the turn to another list once the worker has looked at its sockets.
    pub(super) fn made(self) {
        actix_web::rt::spawn(async move {
            // Deferred by the runtime until it has looked for events, which it does not while tasks are ready.
            tokio::task::yield_now().await;
            drop(self);
        });
    }
}

/// The permits of a project.
fn permits(project: ProjectId) -> Arc<Semaphore> {
    let mut projects = PERMITS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(permits) = projects.get(&project).and_then(Weak::upgrade) {
        return permits;
    }
    projects.retain(|_, permits| permits.strong_count() > 0);
    let permits = Arc::new(Semaphore::new(half_of_the_cores()));
    projects.insert(project, Arc::downgrade(&permits));
    permits
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::future::poll_fn;
    use std::rc::Rc;

    use super::*;

    const ONE: &str = "00000000-0000-4000-8000-000000000001";
    const OTHER: &str = "00000000-0000-4000-8000-000000000002";
    const THIRD: &str = "00000000-0000-4000-8000-000000000003";

    fn project(id: &str) -> ProjectId {
        ProjectId::parse(id).unwrap()
    }

    /// Makes so many pieces, and notes each.
    async fn list(name: &'static str, of: ProjectId, made: Rc<RefCell<Vec<&'static str>>>) {
        let mut turn = PieceTurn::of(of);
        for _ in 0..3 {
            let making = poll_fn(|context| turn.poll(context)).await;
            made.borrow_mut().push(name);
            making.made();
        }
    }

    /// Leaves so many permits of a project to others.
    async fn take_all_but(left: usize, of: ProjectId) -> Option<OwnedSemaphorePermit> {
        let count = u32::try_from(half_of_the_cores() - left).unwrap();
        permits(of).acquire_many_owned(count).await.ok()
    }

    #[actix_web::test]
    async fn lists_of_a_project_are_made_in_turns() {
        let made = Rc::new(RefCell::new(Vec::new()));
        let of = project(ONE);
        // Whatever number of cores there is, one piece is made at once.
        let _others = take_all_but(1, of).await;
        let before = permits(of).acquire_owned().await;
        let lists = ["a", "b", "c"].map(|name| list(name, of, made.clone()));
        let all_wait = async { drop(before) };
        futures_util::future::join(futures_util::future::join_all(lists), all_wait).await;
        assert_eq!(made.borrow().concat(), "abcabcabc");
        // The last turn ends after the worker has looked at its sockets.
        let last = permits(of).acquire_owned().await;
        drop(last);
    }

    #[actix_web::test]
    async fn lists_on_other_threads_take_turns_with_them() {
        let of = project(THIRD);
        let others = take_all_but(0, of).await;
        let waits = |of| {
            let thread = std::thread::spawn(move || {
                let mut turn = PieceTurn::of(of);
                let mut context = Context::from_waker(std::task::Waker::noop());
                turn.poll(&mut context).is_pending()
            });
            thread.join().unwrap()
        };
        assert!(waits(of));
        drop(others);
        assert!(!waits(of));
    }

    #[actix_web::test]
    async fn a_list_waits_for_no_other_project_and_for_none_that_makes_nothing() {
        let [one, other] = [ONE, OTHER].map(|id| project(&id.replace("4000", "4001")));
        let mut turns = [one, one, other].map(PieceTurn::of);
        let [first, second, of_other] = &mut turns;
        let _others = take_all_but(1, one).await;
        let making = poll_fn(|context| first.poll(context)).await;
        let _of_other = poll_fn(|context| of_other.poll(context)).await;
        let waits = poll_fn(|context| Poll::Ready(second.poll(context).is_pending())).await;
        assert!(waits);
        drop(making);
        poll_fn(|context| second.poll(context)).await;
    }

    #[actix_web::test]
    async fn idle_projects_are_forgotten() {
        let [idle, other] = [ONE, OTHER].map(|id| project(&id.replace("4000", "4002")));
        drop(permits(idle));
        let _other = permits(other);
        assert!(!PERMITS.lock().unwrap().contains_key(&idle));
    }
}
