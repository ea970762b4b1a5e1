//! Paths of cameras.

use bindpose_core::model::{CameraFrame, CameraPath};
use glam::{DQuat, DVec3};

/// The example in docs/formats/md5.md "The camera file": two frames, a cut, two frames elsewhere.
#[test]
fn cuts_are_not_interpolated() {
    let frame = |x: f64, y: f64, degrees: f64| CameraFrame {
        position: DVec3::new(x, y, 64.0),
        rotation: DQuat::IDENTITY,
        horizontal_angle: degrees.to_radians(),
    };
    let frames = vec![
        frame(0.0, 0.0, 90.0),
        frame(8.0, 0.0, 90.0),
        frame(8.0, 0.0, 90.0),
        frame(0.0, 96.0, 60.0),
        frame(8.0, 96.0, 60.0),
    ];
    let path = CameraPath::new(frames, 24.0, vec![2]).unwrap();
    assert_eq!(path.duration(), 3.0 / 24.0);
    let at = |frames: f64| {
        let seen = path.at(frames / 24.0);
        [seen.position.x, seen.position.y, seen.horizontal_angle.to_degrees().round()]
    };
    let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    let cases = [
        (0.0, [0.0, 0.0, 90.0]),
        (0.5, [4.0, 0.0, 90.0]),
        (1.0, [8.0, 0.0, 90.0]),
        (1.9, [8.0, 0.0, 90.0]),
        (2.0, [0.0, 96.0, 60.0]),
        (2.25, [2.0, 96.0, 60.0]),
        (3.0, [8.0, 96.0, 60.0]),
        (99.0, [8.0, 96.0, 60.0]),
    ];
    for (frames, seen) in cases {
        assert!(near(at(frames), seen), "{frames}: {:?}", at(frames));
    }
    // tan(v/2) = 3/4 tan(45 degrees)
    assert!((path.at(0.0).vertical_angle().to_degrees() - 73.739_795).abs() < 1e-5);
    assert_eq!(CameraPath::new(Vec::new(), 24.0, Vec::new()), None);
}
