//! Names of methods.

use bindpose_core::skin::{METHODS, MethodId};

#[test]
fn rows_are_found_by_name() {
    for (id, method) in MethodId::all().zip(METHODS) {
        assert_eq!((id.method().name, method.name.parse()), (method.name, Ok(id)));
    }
}

#[test]
fn an_unknown_name_leads_to_the_known_ones() {
    let error = |name: &str| name.parse::<MethodId>().unwrap_err().to_string();
    assert_eq!(error("dq"), "no skinning method is called 'dq'; did you mean dqs?");
    let all = error("magic");
    assert!(all.starts_with("no skinning method is called 'magic'; there are cpu, ffp, "), "{all}");
}

#[test]
fn own_methods_are_found_and_sorted_behind_the_rows() {
    let [a, b] = ["a", "b"].map(|name| MethodId::Dqs.variant(name.to_owned()));
    assert_eq!((MethodId::find("a", &[b, a]), MethodId::find("b", &[b, a])), (Ok(a), Ok(b)));
    assert_eq!(MethodId::find("dqs", &[a]).unwrap_err().known, ["a"]);
    let mut sorted = [b, MethodId::GpuHierarchy, a, MethodId::Cpu];
    sorted.sort();
    assert_eq!(sorted, [MethodId::Cpu, MethodId::GpuHierarchy, a, b]);
    assert_eq!(sorted.map(MethodId::is_own), [false, false, true, true]);
}
