//! What is being read, so that what comes too late is not taken for what is wanted.

use super::jobs::Purpose;
use std::time::{Duration, Instant};

/// What is being read.
#[derive(Debug, Default)]
pub struct Loading {
    reads: Vec<Read>,
    last: u64,
}

#[derive(Debug)]
struct Read {
    number: u64,
    purpose: Purpose,
    name: String,
    since: Instant,
}

impl Loading {
    /// Something is read from now on, and nothing else any more for the same purpose; its number.
    pub fn begin(&mut self, purpose: Purpose, name: String) -> u64 {
        self.reads.retain(|read| read.purpose != purpose);
        self.last += 1;
        self.reads.push(Read { number: self.last, purpose, name, since: Instant::now() });
        self.last
    }

    /// Something was read; whether it is still wanted.
    pub fn finish(&mut self, number: u64) -> bool {
        let before = self.reads.len();
        self.reads.retain(|read| read.number != number);
        self.reads.len() < before
    }

    /// Other files are shown: what was read again, or added to, are the ones before.
    pub fn shows_others(&mut self) {
        self.reads.retain(|read| !matches!(read.purpose, Purpose::Reload | Purpose::Add | Purpose::PlayAs));
    }

    /// Whether something is being read for a purpose.
    pub fn is_reading(&self, purpose: Purpose) -> bool {
        self.reads.iter().any(|read| read.purpose == purpose)
    }

    /// Whether anything is being read.
    pub fn is_busy(&self) -> bool {
        !self.reads.is_empty()
    }

    /// What has been read for so long, and since when.
    pub fn longer_than(&self, least: Duration) -> Option<(&str, Duration)> {
        let mut reads = self.reads.iter().map(|read| (&*read.name, read.since.elapsed()));
        reads.rfind(|&(_, since)| since >= least)
    }
}

/// Work of which only what was begun last is of use.
#[derive(Debug, Default)]
pub struct Latest(u64);

impl Latest {
    /// Something is begun; its number.
    pub fn begin(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }

    /// Whether nothing was begun after that of this number.
    pub fn is(&self, number: u64) -> bool {
        self.0 == number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_overtaken_is_not_wanted_any_more() {
        let mut loading = Loading::default();
        let [slow, fast] = ["slow", "fast"].map(|name| loading.begin(Purpose::Open, name.into()));
        assert!(!loading.finish(slow) && loading.finish(fast) && !loading.finish(fast));
        assert!(!loading.is_busy());
    }

    #[test]
    fn a_file_that_was_saved_does_not_come_back_after_another_was_opened() {
        let mut loading = Loading::default();
        let again = loading.begin(Purpose::Reload, "old".into());
        let added = loading.begin(Purpose::Add, "old".into());
        let other = loading.begin(Purpose::Open, "new".into());
        let beside = loading.begin(Purpose::Beside, "right".into());
        assert_eq!(loading.longer_than(Duration::ZERO).map(|(name, _)| name), Some("right"));
        assert!(loading.finish(other));
        loading.shows_others();
        assert!(!loading.finish(again) && !loading.finish(added), "they are of the files before");
        assert!(loading.finish(beside), "both halves are there");
    }

    #[test]
    fn files_are_read_again_while_others_are_opened() {
        let mut loading = Loading::default();
        let other = loading.begin(Purpose::Open, "new".into());
        let again = loading.begin(Purpose::Reload, "old".into());
        assert!(loading.finish(again) && loading.finish(other));
    }
}
