//! The functions of `include/bindpose.h`.
//!
//! # Safety
//!
//! The header asks that pointers are NULL or valid for the stated length, and that a model comes from `bindpose_load` and is
//! not freed yet. Under these conditions:
//!
//! - Every pointer is checked for NULL before it is read or written; references end with the call.
//! - A model is only read after `bindpose_load`, and is `Sync`, so that threads may share it. Pointers into it stay valid
//!   until `bindpose_free` takes it back as the type as which it was made.
//! - Results are written by copying, so that the caller's memory may be uninitialised, and after all work that can fail.
//! - No panic leaves a function: `guarded` catches it and makes it a failure.

#![expect(unsafe_code, reason = "C passes pointers")]

use crate::model::{SharedModel, element, text, validated};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::ptr::{copy_nonoverlapping, null, null_mut};

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<SharedModel>();
};

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
}

/// Runs the work of a function. A failure or a panic becomes `fallback`, and the text of `bindpose_error`.
fn guarded<T>(fallback: T, work: impl FnOnce() -> Result<T, String>) -> T {
    // A panic leaves nothing half done: models do not change, and `ERROR` is set below.
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("internal error: {}", message.unwrap_or("unknown")))
    });
    result.unwrap_or_else(|error| {
        // A thread that ends has no error any more.
        _ = ERROR.try_with(|known| known.replace(text(&error)));
        fallback
    })
}

/// Borrows a model.
///
/// # Safety
///
/// The pointer is NULL or valid for as long as the result is used.
unsafe fn borrow<'a>(model: *const SharedModel) -> Result<&'a SharedModel, String> {
    present(model, "model")?;
    // SAFETY: as the caller promises.
    Ok(unsafe { &*model })
}

/// Refuses NULL.
fn present<T>(pointer: *const T, name: &str) -> Result<(), String> {
    if pointer.is_null() { Err(format!("{name} is NULL")) } else { Ok(()) }
}

/// Reads a text.
///
/// # Safety
///
/// The pointer is NULL or a text that ends with a zero byte, valid for as long as the result is used.
unsafe fn text_at<'a>(pointer: *const c_char, name: &str) -> Result<&'a CStr, String> {
    present(pointer, name)?;
    // SAFETY: as the caller promises.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// Reads a list of paths.
///
/// # Safety
///
/// `paths` is NULL or has `count` texts, each NULL or as for [`text_at`].
unsafe fn paths_at(paths: *const *const c_char, count: usize) -> Result<Vec<PathBuf>, String> {
    present(paths, "paths")?;
    if count == 0 {
        return Err("there are no paths: count is 0".to_owned());
    }
    // SAFETY: `number` is less than `count`; the rest as the caller promises.
    (0..count).map(|number| path_of(unsafe { text_at(*paths.add(number), "a path") }?)).collect()
}

#[cfg(unix)]
fn path_of(text: &CStr) -> Result<PathBuf, String> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(text.to_bytes()).into())
}

#[cfg(not(unix))]
fn path_of(text: &CStr) -> Result<PathBuf, String> {
    text.to_str().map(PathBuf::from).map_err(|_| "a path is not UTF-8".to_owned())
}

/// A mesh for C; the header has the meaning and the lengths of its fields.
#[repr(C)]
pub struct MeshView {
    name: *const c_char,
    material: *const c_char,
    vertex_count: usize,
    triangle_count: usize,
    influence_count: usize,
    bind_count: usize,
    positions: *const f32,
    normals: *const f32,
    uvs: *const f32,
    indices: *const u32,
    influence_starts: *const u32,
    influence_slots: *const u32,
    influence_weights: *const f32,
    bind_joints: *const u32,
    inverse_binds: *const f64,
}

/// A clip for C; the header has the meaning of its fields.
#[repr(C)]
pub struct ClipView {
    name: *const c_char,
    duration: f64,
    frame_rate: f64,
    looping: bool,
}

#[unsafe(no_mangle)]
pub extern "C" fn bindpose_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[unsafe(no_mangle)]
pub extern "C" fn bindpose_error() -> *const c_char {
    ERROR.try_with(|error| error.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_load(paths: *const *const c_char, count: usize) -> *mut SharedModel {
    guarded(null_mut(), || {
        // SAFETY: see the module; so everywhere below.
        let paths = unsafe { paths_at(paths, count) }?;
        Ok(Box::into_raw(Box::new(SharedModel::load(&paths)?)))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_free(model: *mut SharedModel) {
    if !model.is_null() {
        guarded((), || {
            drop(unsafe { Box::from_raw(model) });
            Ok(())
        });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_left_out(model: *const SharedModel) -> *const c_char {
    guarded(null(), || Ok(unsafe { borrow(model) }?.left_out.as_ptr()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_joint_count(model: *const SharedModel) -> usize {
    guarded(0, || Ok(unsafe { borrow(model) }?.parents.len()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_joint_name(model: *const SharedModel, joint: usize) -> *const c_char {
    guarded(null(), || Ok(element(&unsafe { borrow(model) }?.joint_names, joint, "joint")?.as_ptr()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_parents(model: *const SharedModel) -> *const i32 {
    guarded(null(), || Ok(unsafe { borrow(model) }?.parents.as_ptr()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_mesh_count(model: *const SharedModel) -> usize {
    guarded(0, || Ok(unsafe { borrow(model) }?.meshes.len()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_get_mesh(model: *const SharedModel, mesh: usize, out: *mut MeshView) -> bool {
    guarded(false, || {
        let model = unsafe { borrow(model) }?;
        present(out, "out")?;
        let arrays = element(&model.meshes, mesh, "mesh")?;
        let mesh = &model.loaded.model.meshes[mesh];
        let view = MeshView {
            name: arrays.name.as_ptr(),
            material: arrays.material.as_ptr(),
            vertex_count: mesh.vertex_count(),
            triangle_count: mesh.triangles.len(),
            influence_count: mesh.influences.len(),
            bind_count: mesh.bind.len(),
            // Vectors of glam are `repr(C)` with nothing but floats.
            positions: mesh.positions.as_ptr().cast(),
            normals: mesh.normals.as_ptr().cast(),
            uvs: mesh.uvs.as_ptr().cast(),
            indices: mesh.triangles.as_ptr().cast(),
            influence_starts: mesh.influence_starts.as_ptr(),
            influence_slots: arrays.slots.as_ptr(),
            influence_weights: arrays.weights.as_ptr(),
            bind_joints: arrays.joints.as_ptr(),
            inverse_binds: arrays.inverse_binds.as_ptr(),
        };
        unsafe { out.write(view) };
        Ok(true)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_clip_count(model: *const SharedModel) -> usize {
    guarded(0, || Ok(unsafe { borrow(model) }?.clip_names.len()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_get_clip(model: *const SharedModel, clip: usize, out: *mut ClipView) -> bool {
    guarded(false, || {
        let model = unsafe { borrow(model) }?;
        present(out, "out")?;
        let (name, clip) = (element(&model.clip_names, clip, "clip")?.as_ptr(), &model.loaded.model.clips[clip]);
        let (duration, frame_rate, looping) = (clip.duration, clip.frame_rate.unwrap_or(0.0), clip.looping);
        unsafe { out.write(ClipView { name, duration, frame_rate, looping }) };
        Ok(true)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_pose(model: *const SharedModel, clip: usize, time: f64, pose: *mut f64) -> bool {
    guarded(false, || {
        let model = unsafe { borrow(model) }?;
        present(pose, "pose")?;
        let matrices = model.pose((clip != usize::MAX).then_some(clip), time)?;
        unsafe { copy_nonoverlapping(matrices.as_ptr(), pose, matrices.len()) };
        Ok(true)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_skin(
    model: *const SharedModel,
    mesh: usize,
    pose: *const f64,
    positions: *mut f32,
    normals: *mut f32,
) -> bool {
    guarded(false, || {
        let model = unsafe { borrow(model) }?;
        present(pose, "pose")?;
        present(positions, "positions")?;
        let pose = unsafe { std::slice::from_raw_parts(pose, 16 * model.parents.len()) };
        let [skinned, skinned_normals] = model.skin(mesh, pose)?;
        unsafe { copy_nonoverlapping(skinned.as_ptr(), positions, skinned.len()) };
        if !normals.is_null() {
            unsafe { copy_nonoverlapping(skinned_normals.as_ptr(), normals, skinned_normals.len()) };
        }
        Ok(true)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_validate(
    paths: *const *const c_char,
    count: usize,
    engines: *const c_char,
) -> *mut c_char {
    guarded(null_mut(), || {
        let (paths, engines) = unsafe { (paths_at(paths, count)?, text_at(engines, "engines")?) };
        Ok(validated(&paths, &engines.to_string_lossy())?.into_raw())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn bindpose_free_text(text: *mut c_char) {
    if !text.is_null() {
        drop(unsafe { CString::from_raw(text) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_with_a_text() {
        assert_eq!(guarded(7, || panic!("no {}", "way")), 7);
        // SAFETY: the text of this thread.
        let error = unsafe { CStr::from_ptr(bindpose_error()) };
        assert_eq!(error, c"internal error: no way");
    }
}
