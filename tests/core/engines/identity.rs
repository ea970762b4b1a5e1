//! The table of engines.

use bindpose_core::engines::{ENGINES, Engine, PROFILES, X_ENGINES};

#[test]
fn rows_are_in_the_order_of_their_identities() {
    for (index, profile) in PROFILES.iter().enumerate() {
        assert_eq!(profile.id as usize, index, "{}", profile.name);
        assert_eq!(profile.id.profile(), profile);
    }
    let playback: Vec<_> = PROFILES.iter().filter_map(|profile| Engine::of(profile.id)).collect();
    assert_eq!(playback, ENGINES.iter().chain(&X_ENGINES).collect::<Vec<_>>(), "same order");
}

#[test]
fn bases_lead_to_an_engine_without_one() {
    for profile in &PROFILES {
        let chain = std::iter::successors(Some(profile.id), |id| id.profile().base);
        assert!(chain.take(PROFILES.len()).count() < PROFILES.len(), "{} is its own base", profile.name);
    }
}
