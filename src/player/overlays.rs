//! What lies over the figures, each shown or not.

use super::State;

/// What lies over the figure besides its bones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overlays {
    /// Names of the joints.
    pub names: bool,
    /// The joints' axes.
    pub axes: bool,
    /// Where joints without children end, by the vertices that they move.
    pub tips: bool,
    /// Normals of the vertices.
    pub normals: bool,
    /// Tangents of the vertices.
    pub tangents: bool,
    /// The box around the figure at this moment, and the one that the file has for the frame.
    pub bounds: bool,
    /// A scale as high as a person.
    pub ruler: bool,
}

/// An overlay that can be shown or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlay {
    /// The bones.
    Skeleton,
    /// See [`Overlays::names`].
    Names,
    /// See [`Overlays::axes`].
    Axes,
    /// See [`Overlays::tips`].
    Tips,
    /// See [`Overlays::normals`].
    Normals,
    /// See [`Overlays::tangents`].
    Tangents,
    /// See [`Overlays::bounds`].
    Bounds,
    /// See [`Overlays::ruler`].
    Ruler,
    /// The lines on the ground.
    Grid,
}

impl State {
    /// Whether an overlay is shown.
    pub fn has_overlay(&self, overlay: Overlay) -> bool {
        match overlay {
            Overlay::Skeleton => self.settings.skeleton,
            Overlay::Names => self.overlays.names,
            Overlay::Axes => self.overlays.axes,
            Overlay::Tips => self.overlays.tips,
            Overlay::Normals => self.overlays.normals,
            Overlay::Tangents => self.overlays.tangents,
            Overlay::Bounds => self.overlays.bounds,
            Overlay::Ruler => self.overlays.ruler,
            Overlay::Grid => self.settings.grid,
        }
    }

    /// Shows an overlay, or hides it.
    pub(super) fn toggle_overlay(&mut self, overlay: Overlay) {
        let is_shown = !self.has_overlay(overlay);
        match overlay {
            Overlay::Skeleton => self.settings.skeleton = is_shown,
            Overlay::Names => self.overlays.names = is_shown,
            Overlay::Axes => self.overlays.axes = is_shown,
            Overlay::Tips => self.overlays.tips = is_shown,
            Overlay::Normals => self.overlays.normals = is_shown,
            Overlay::Tangents => self.overlays.tangents = is_shown,
            Overlay::Bounds => self.overlays.bounds = is_shown,
            Overlay::Ruler => self.overlays.ruler = is_shown,
            Overlay::Grid => self.settings.grid = is_shown,
        }
    }
}
