//! `--trace-events`: the state as a line of text after each change, for tests.

use super::findings_report::FindingsReport;
use super::open_request::OpenRequest;
use super::panel::Panel;
use bindpose::diagnostic::{Escaped, Severity};
use bindpose::validate::report::Selection;
use bindpose_player::{Player, Split, axis_name};

/// Formats the state as words `name=value`. Values contain no spaces.
pub fn line(
    player: &Player,
    current: &OpenRequest,
    panel: &Panel,
    report: Option<&FindingsReport>,
    [is_recording, has_menu, has_hint]: [bool; 3],
) -> String {
    let state = &player.state;
    let model = player.model();
    let or_none = |value: Option<String>| value.map_or("none".into(), |value| value.replace(char::is_whitespace, "_"));
    let clip = or_none(player.current_clip().map(|clip| clip.name.clone()));
    let joint = or_none(state.joint.map(|joint| model.skeleton[joint].name.clone()));
    let split = or_none(state.split.map(|split| match split {
        Split::Method(method) => format!("method:{}", method.method().name),
        Split::Clip(clip) => format!("clip:{clip}"),
        Split::File => "file".into(),
    }));
    let (start, end) = state.playback.range();
    let (usual, files) = (Selection::default(), report.into_iter().flat_map(|report| &report.validation.files));
    let findings = files.flat_map(|file| &file.findings);
    let findings = findings.filter(|finding| usual.severity(finding) >= Some(Severity::Warning));
    let left_out = player.left_out().iter().map(|left| left.reason.code);
    let problems = panel.problems.values().filter_map(|text| text.lines().next());
    let said: Vec<&str> = left_out.chain(findings.map(|finding| finding.code.id)).chain(problems).collect();
    let text = format!(
        "trace files={} attached={} meshes={} joints={} clip={clip} frame={} paused={} speed={} range={start:.3}..{end:.3} joint={joint} \
         vertex={} turns={} pose={} method={} engine={} split={split} examples={} ranges={} panel={} page={:?} keys={} palette={} menu={has_menu} hint={has_hint} notes={} trouble={} checked={} said={} recording={} converted={} asks={} dropped={} curves={} front={}",
        current.files.len(),
        current.attachments.len(),
        model.meshes.len(),
        model.skeleton.len(),
        state.playback.frame(),
        state.playback.paused,
        state.playback.speed,
        state.vertex.map_or("none".into(), |vertex| format!("{}.{}", vertex.mesh, vertex.vertex)),
        state.turns.len(),
        state.base_pose.name().replace(' ', "_"),
        state.method.method().name,
        player.engine().map_or("none", |engine| engine.name()),
        player.gpu_model.examples().len(),
        state.ranges.len(),
        state.has_panel,
        state.page,
        state.has_keys,
        or_none(panel.palette.as_ref().map(|palette| format!("'{}'", palette.filter))),
        panel.notes(),
        !panel.problems.is_empty(),
        report.is_some(),
        or_none(Some(said.join(","))),
        is_recording,
        panel.convert.outcome(),
        panel.asks_to_quit,
        panel.dropped.is_some(),
        or_none(state.curves.map(|curve| curve.name().to_owned())),
        axis_name(state.axes()[0]),
    );
    Escaped(text).to_string()
}
