//! Models of the open game, listed again when its decls change.

use super::loading::Latest;
use bindpose::vfs::Vfs;
use bindpose_player::GameModels;
use std::sync::Arc;

/// The game and its models.
#[derive(Default)]
pub struct GameList {
    game: Option<Arc<Vfs>>,
    models: Option<GameModels>,
    lists: Latest,
    have_decls_changed: bool,
}

impl GameList {
    /// Marks the decls as changed, so that the game of the next scene is listed again.
    pub fn decls_changed(&mut self) {
        self.have_decls_changed = true;
    }

    /// Sets the game of a scene. Returns the game to list and the number of the list, if listing is necessary.
    pub fn shows(&mut self, game: Option<&Arc<Vfs>>) -> Option<(u64, Arc<Vfs>)> {
        let have_decls_changed = std::mem::take(&mut self.have_decls_changed);
        let is_same = self.is_of(game);
        self.game = game.cloned();
        if !is_same {
            self.models = None;
        } else if !have_decls_changed {
            return None;
        }
        let number = self.lists.begin();
        game.cloned().map(|game| (number, game))
    }

    /// True if this is the game whose models are listed.
    pub fn is_of(&self, game: Option<&Arc<Vfs>>) -> bool {
        match (&self.game, game) {
            (Some(known), Some(game)) => known.mounts().eq(game.mounts()),
            (known, game) => known.is_none() && game.is_none(),
        }
    }

    /// Stores a list, unless a later one was requested.
    pub fn take(&mut self, number: u64, models: GameModels) {
        if self.lists.is(number) {
            self.models = Some(models);
        }
    }

    /// Returns the models of the game once they are listed.
    pub fn models(&self) -> Option<&GameModels> {
        self.models.as_ref()
    }

    /// Returns the game whose models are listed.
    pub fn game(&self) -> Option<&Arc<Vfs>> {
        self.game.as_ref()
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
        let mut game_list = GameList::default();
        assert!(game_list.shows(None).is_none());
        assert!(game_list.shows(Some(&one())).is_some());
        assert!(game_list.shows(Some(&one())).is_none(), "another model of it");
        game_list.decls_changed();
        assert!(game_list.shows(Some(&one())).is_some());
        assert!(game_list.shows(Some(&one())).is_none());
        assert!(game_list.shows(Some(&other())).is_some());
        assert!(game_list.shows(None).is_none() && game_list.game().is_none());
        assert!(game_list.shows(Some(&other())).is_some());
    }

    #[test]
    fn an_outdated_list_is_ignored() {
        let ((_one, one), (_other, other)) = (game(), game());
        let mut game_list = GameList::default();
        let (slow, _) = game_list.shows(Some(&one())).unwrap();
        let (fast, _) = game_list.shows(Some(&other())).unwrap();
        game_list.take(slow, GameModels::default());
        assert!(game_list.models().is_none(), "it belongs to the game before");
        game_list.take(fast, GameModels::default());
        assert!(game_list.models().is_some());
        game_list.decls_changed();
        let (again, _) = game_list.shows(Some(&other())).unwrap();
        assert!(game_list.models().is_some(), "the list stays until the next one is complete");
        game_list.shows(None);
        game_list.take(again, GameModels::default());
        assert!(game_list.models().is_none(), "no game is open");
    }
}
