//! The list of what the game that is open has to show, made once for as long as its decls stay as they are.

use super::loading::Latest;
use super::panel::Figures;
use bindpose::vfs::Vfs;
use std::sync::Arc;

/// What is known of the game.
#[derive(Default)]
pub struct Listing {
    game: Option<Arc<Vfs>>,
    figures: Option<Figures>,
    lists: Latest,
    have_decls_changed: bool,
}

impl Listing {
    /// A file was saved that may say how figures look: the next scene's game is another one.
    pub fn decls_changed(&mut self) {
        self.have_decls_changed = true;
    }

    /// A scene of a game is shown, or one of none; what is to be listed for it under which number.
    pub fn shows(&mut self, game: Option<&Arc<Vfs>>) -> Option<(u64, Arc<Vfs>)> {
        let have_decls_changed = std::mem::take(&mut self.have_decls_changed);
        let is_same = match (&self.game, game) {
            (Some(known), Some(game)) => known.mounts().eq(game.mounts()),
            (known, game) => known.is_none() && game.is_none(),
        };
        self.game = game.cloned();
        if !is_same {
            self.figures = None;
        } else if !have_decls_changed {
            return None;
        }
        let number = self.lists.begin();
        game.cloned().map(|game| (number, game))
    }

    /// A list was made; one that was overtaken is of no use.
    pub fn take(&mut self, number: u64, figures: Figures) {
        if self.lists.is(number) {
            self.figures = Some(figures);
        }
    }

    /// What the game has to show, once it is known.
    pub fn figures(&self) -> Option<&Figures> {
        self.figures.as_ref()
    }

    /// Whether a game is open.
    pub fn has_game(&self) -> bool {
        self.game.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn game() -> (TempDir, impl Fn() -> Arc<Vfs>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("def")).unwrap();
        let path = folder.path().to_owned();
        (folder, move || Arc::new(Vfs::open(&path, &[]).unwrap()))
    }

    #[test]
    fn a_game_is_listed_once_until_its_decls_change() {
        let ((_one, one), (_other, other)) = (game(), game());
        let mut listing = Listing::default();
        assert!(listing.shows(None).is_none());
        assert!(listing.shows(Some(&one())).is_some());
        assert!(listing.shows(Some(&one())).is_none(), "another figure of it");
        listing.decls_changed();
        assert!(listing.shows(Some(&one())).is_some());
        assert!(listing.shows(Some(&one())).is_none());
        assert!(listing.shows(Some(&other())).is_some());
        assert!(listing.shows(None).is_none() && !listing.has_game());
        assert!(listing.shows(Some(&other())).is_some());
    }

    #[test]
    fn a_list_that_comes_late_is_not_believed() {
        let ((_one, one), (_other, other)) = (game(), game());
        let mut listing = Listing::default();
        let (slow, _) = listing.shows(Some(&one())).unwrap();
        let (fast, _) = listing.shows(Some(&other())).unwrap();
        listing.take(slow, Figures::default());
        assert!(listing.figures().is_none(), "it is of the game before");
        listing.take(fast, Figures::default());
        assert!(listing.figures().is_some());
        listing.decls_changed();
        let (again, _) = listing.shows(Some(&other())).unwrap();
        assert!(listing.figures().is_some(), "the list stays until there is another");
        listing.shows(None);
        listing.take(again, Figures::default());
        assert!(listing.figures().is_none(), "no game is open");
    }
}
