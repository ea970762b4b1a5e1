//! Reads in progress. Results of reads that were superseded by later requests are ignored.

use super::jobs::Purpose;
use std::time::{Duration, Instant};

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
    /// Starts a read, which cancels others for the same purpose. Returns its number.
    pub fn begin(&mut self, purpose: Purpose, name: String) -> u64 {
        self.reads.retain(|read| read.purpose != purpose);
        self.last += 1;
        self.reads.push(Read { number: self.last, purpose, name, since: Instant::now() });
        self.last
    }

    /// Ends a read. Returns true if it was not cancelled.
    pub fn finish(&mut self, number: u64) -> bool {
        let before = self.reads.len();
        self.reads.retain(|read| read.number != number);
        self.reads.len() < before
    }

    /// Cancels reads that update the current files.
    pub fn cancel_updates(&mut self) {
        self.reads
            .retain(|read| !matches!(read.purpose, Purpose::Reload | Purpose::Add | Purpose::PlayAs | Purpose::Attach));
    }

    /// True while a read for this purpose is in progress.
    pub fn is_reading(&self, purpose: Purpose) -> bool {
        self.reads.iter().any(|read| read.purpose == purpose)
    }

    /// True while any read is in progress.
    pub fn is_busy(&self) -> bool {
        !self.reads.is_empty()
    }

    /// Returns name and duration of the last read that has been running for at least this time.
    pub fn longer_than(&self, least: Duration) -> Option<(&str, Duration)> {
        let mut reads = self.reads.iter().map(|read| (&*read.name, read.since.elapsed()));
        reads.rfind(|&(_, since)| since >= least)
    }
}

/// Counter for jobs of which only the latest result counts.
#[derive(Debug, Default)]
pub struct Latest(u64);

impl Latest {
    /// Starts a job and returns its number.
    pub fn begin(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }

    /// True if no later job was started.
    pub fn is(&self, number: u64) -> bool {
        self.0 == number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_cancels_earlier_ones_of_its_purpose() {
        let mut loading = Loading::default();
        let [slow, fast] = ["slow", "fast"].map(|name| loading.begin(Purpose::Open, name.into()));
        assert!(!loading.finish(slow) && loading.finish(fast) && !loading.finish(fast));
        assert!(!loading.is_busy());
    }

    #[test]
    fn opening_files_cancels_updates_of_earlier_ones() {
        let mut loading = Loading::default();
        let again = loading.begin(Purpose::Reload, "old".into());
        let added = loading.begin(Purpose::Add, "old".into());
        let other = loading.begin(Purpose::Open, "new".into());
        let beside = loading.begin(Purpose::Beside, "right".into());
        assert_eq!(loading.longer_than(Duration::ZERO).map(|(name, _)| name), Some("right"));
        assert!(loading.finish(other));
        loading.cancel_updates();
        assert!(!loading.finish(again) && !loading.finish(added), "they belong to the files before");
        assert!(loading.finish(beside), "the other half is independent");
    }

    #[test]
    fn files_are_reloaded_while_others_are_opened() {
        let mut loading = Loading::default();
        let other = loading.begin(Purpose::Open, "new".into());
        let again = loading.begin(Purpose::Reload, "old".into());
        assert!(loading.finish(again) && loading.finish(other));
    }
}
