//! Limits of old machines.

use bindpose_core::skin::{GL2_REGISTERS, LIMITS, Limits, MethodId};

/// Article 000, section 3.3: loops from vertex shader 2.0, textures from 3.0, two matrices in a GeForce 256.
#[test]
fn older_machines_lack_programs_loops_and_textures() {
    let lacking = |limits: Limits| {
        let refused = MethodId::all().filter(|id| limits.refusal(id.method(), [0; 2]).is_some());
        refused.map(|id| id.to_string()).collect::<Vec<_>>()
    };
    let textures = ["bone-texture", "mwe", "sbs", "ddm", "velocity", "gpu-hierarchy"].map(str::to_owned);
    assert_eq!(lacking(Limits::Vs20), textures);
    assert_eq!(lacking(Limits::Vs11), [&["matrix-loop".to_owned()], &textures[..]].concat());
    assert!([Limits::Vs30, Limits::Gl2, Limits::None].into_iter().all(|limits| lacking(limits).is_empty()));
    let fixed = MethodId::all().filter(|id| Limits::Ffp2.refusal(id.method(), [0; 2]).is_none());
    assert_eq!(fixed.collect::<Vec<_>>(), [MethodId::Cpu, MethodId::Ffp]);
}

/// Article 000, page 21: 16 input registers; 128, 256 and 512 instructions.
#[test]
fn programs_fit_slots_and_inputs() {
    let refused = |size| LIMITS.map(|limits| limits.refusal(MethodId::Dqs.method(), size).is_some());
    assert_eq!(refused([128, 16]), [true, false, false, false, false, false]);
    assert_eq!(refused([129, 16]), [true, true, false, false, false, false]);
    assert_eq!(refused([257, 16]), [true, true, true, false, false, false]);
    assert_eq!(refused([513, 16]), [true, true, true, true, false, false]);
    assert_eq!(refused([128, 17]), [true, true, true, true, false, false]);
    let reason = Limits::Vs11.refusal(MethodId::Dqs.method(), [129, 16]).unwrap();
    assert_eq!(reason, "129 instructions, 128 slots");
}

/// A context with 1024 registers. The DirectX 9 sample has 29 matrices for vertex shader 1.1. The others are
/// (registers - 9) / registers per joint, at most the article's array size; velocity needs six more.
#[test]
fn joints_per_batch() {
    let expected = [
        (MethodId::Cpu, [None; 5]),
        (MethodId::Ffp, [Some(4); 5]),
        (MethodId::FfpIndexed, [Some(29), Some(57), Some(57), Some(57), Some(338)]),
        (MethodId::MatrixBlend, [Some(29), Some(82), Some(82), Some(338), Some(338)]),
        (MethodId::Gradient, [Some(21), Some(32), Some(32), Some(32), Some(253)]),
        (MethodId::JointOffsets, [Some(43), Some(100), Some(100), Some(100), Some(507)]),
        (MethodId::QuatArray, [Some(12), Some(18), Some(18), Some(18), Some(145)]),
        (MethodId::BoneTexture, [Some(256), Some(256), Some(256), Some(256), None]),
        (MethodId::Dqs, [Some(43), Some(123), Some(123), Some(507), Some(507)]),
        (MethodId::DqsScale, [Some(17), Some(49), Some(49), Some(203), Some(203)]),
        (MethodId::Velocity, [Some(27), Some(80), Some(80), Some(336), Some(336)]),
        (MethodId::Morph, [None; 5]),
    ];
    assert_eq!(Limits::Ffp2.capacity(MethodId::Ffp.method(), 1024), Some(2));
    for (id, joints) in expected {
        let found: Vec<_> = LIMITS[1..].iter().map(|limits| limits.capacity(id.method(), 1024)).collect();
        assert_eq!(found, joints, "{id}");
    }
}

#[test]
fn a_small_context_bounds_every_budget() {
    let matrix_blend = MethodId::MatrixBlend.method();
    assert_eq!(LIMITS.map(|limits| limits.capacity(matrix_blend, GL2_REGISTERS)), [39, 29, 39, 39, 39, 39].map(Some));
    assert_eq!(LIMITS.map(|limits| limits.capacity(matrix_blend, 8)), [Some(0); 6]);
}
