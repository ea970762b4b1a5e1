//! Prepares templates for reading objects.

use super::Reading;
use super::fault::Fault;
use super::report::{Error, FaultLog, quote};
use super::template::{Dimension, MemberKind, Primitive, Template};
use super::token::Guid;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Index of a [`Layout`] in [`Templates`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LayoutId(usize);

/// Template prepared for reading objects.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    pub(super) items: Vec<Item>,
    /// Type and number of the values, if all have one type and their number is fixed, as in Vector.
    pub(super) flat: Option<(Primitive, usize)>,
    /// True if the layout is a count and that number of integers, as in MeshFace.
    pub(super) counted: bool,
    /// True if the layout is an integer, a count and that number of floats, as in TimedFloatKeys.
    pub(super) keyed: bool,
    /// Minimum number of values. If it is 0, there are never any values.
    pub(super) fewest: u64,
    /// True if there are never more values than [`Self::fewest`].
    pub(super) fixed: bool,
    /// Nesting depth of the templates in it.
    pub(super) depth: usize,
}

impl Layout {
    /// True if the layout is a count and that number of values of one type.
    fn is_counted(&self, primitive: Primitive) -> bool {
        let [count, list] = &self.items[..] else { return false };
        count.kind == ItemKind::Primitive(Primitive::Dword)
            && count.lengths.is_empty()
            && list.kind == ItemKind::Primitive(primitive)
            && matches!(&list.lengths[..], [Length::Slot(slot)] if count.slot == Some(*slot))
    }
}

/// Member of a [`Layout`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub(super) kind: ItemKind,
    pub(super) lengths: Vec<Length>,
    pub(super) name: String,
    /// Slot that stores the value as the length of an array.
    pub(super) slot: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    Primitive(Primitive),
    Layout(LayoutId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    Fixed(u32),
    Slot(usize),
}

/// Maximum number of counts that one template can refer to. PMInfo needs four.
pub(super) const SLOTS: usize = 8;
/// Maximum nesting depth of templates. The standard set needs three levels.
const MAX_TEMPLATE_DEPTH: usize = 32;

/// Layouts that exist before a file's own.
#[derive(Debug, Default)]
pub(super) struct Standard {
    layouts: Vec<Layout>,
    /// Layouts by name in lower case, with their identifiers.
    names: HashMap<Vec<u8>, (LayoutId, Option<Guid>)>,
}

impl Standard {
    /// Prepares templates without faults. Each uses only those before it.
    pub(super) fn of(templates: &[Template<'_>]) -> Self {
        static NOTHING: LazyLock<Standard> = LazyLock::new(Standard::default);
        let mut log = FaultLog::new(Reading::Strict);
        let mut own = Templates::above(&NOTHING);
        let mut names = HashMap::new();
        for template in templates {
            if own.declare(template, &mut log).is_ok()
                && let Some(id) = own.find(&template.name.bytes)
            {
                names.insert(key(&template.name.bytes), (id, template.guid));
            }
        }
        Self { layouts: own.layouts, names }
    }
}

/// Templates that a file can use: the standard set, then its own.
#[derive(Debug, Clone)]
pub(super) struct Templates {
    standard: &'static Standard,
    layouts: Vec<Layout>,
    /// Layouts by name in lower case. `None` for a template that cannot be used.
    names: HashMap<Vec<u8>, Option<LayoutId>>,
}

/// Returns the key of a name in lower case, because type names are not case-sensitive.
fn key(name: &[u8]) -> Vec<u8> {
    name.to_ascii_lowercase()
}

impl Templates {
    /// Creates a set with only the standard layouts.
    pub(super) fn above(standard: &'static Standard) -> Self {
        Self { standard, layouts: Vec::new(), names: HashMap::new() }
    }

    /// Returns the layout of a type. The standard set takes precedence over the file's own templates.
    pub(super) fn find(&self, name: &[u8]) -> Option<LayoutId> {
        let key = key(name);
        let standard = self.standard.names.get(&key).map(|&(id, _)| id);
        standard.or_else(|| self.names.get(&key).copied().flatten())
    }

    /// Returns the layout of an id from this set.
    pub(super) fn get(&self, id: LayoutId) -> Option<&Layout> {
        match id.0.checked_sub(self.standard.layouts.len()) {
            None => self.standard.layouts.get(id.0),
            Some(own) => self.layouts.get(own),
        }
    }

    /// Adds a file's template. If it cannot be used, objects of its type are skipped.
    pub(super) fn declare(&mut self, template: &Template<'_>, log: &mut FaultLog) -> Result<(), Error> {
        let name = quote(&template.name.bytes);
        let key = key(&template.name.bytes);
        let span = template.name.span;
        if self.names.contains_key(&key) {
            return log.fault(Fault::RepeatedTemplate { name }, span);
        }
        let layout = self.lay_out(template, log)?;
        if let Some(&(standard, expected)) = self.standard.names.get(&key) {
            let same_guid = template.guid.is_none() || expected.is_none() || template.guid == expected;
            let same = layout.as_ref().is_some_and(|layout| self.same_shape(standard, layout));
            self.names.insert(key, None);
            return match same && same_guid {
                true => Ok(()),
                false => log.fault(Fault::TemplateDiffers { name }, span),
            };
        }
        let id = layout.map(|layout| {
            self.layouts.push(layout);
            LayoutId(self.standard.layouts.len() + self.layouts.len() - 1)
        });
        self.names.insert(key, id);
        Ok(())
    }

    /// Prepares a file's template. Returns `None` after a fault.
    fn lay_out(&self, template: &Template<'_>, log: &mut FaultLog) -> Result<Option<Layout>, Error> {
        let mut layout =
            Layout { items: Vec::new(), flat: None, counted: false, keyed: false, fewest: 0, fixed: true, depth: 0 };
        let mut slots: Vec<usize> = Vec::new();
        for (place, member) in template.members.iter().enumerate() {
            let kind = match &member.kind {
                MemberKind::Primitive(primitive) => ItemKind::Primitive(*primitive),
                MemberKind::Template(name) => match self.find(&name.bytes) {
                    Some(id) => ItemKind::Layout(id),
                    None => {
                        log.fault(Fault::UnknownMemberType { name: quote(&name.bytes) }, name.span)?;
                        return Ok(None);
                    }
                },
            };
            let mut lengths = Vec::new();
            for dimension in &member.dimensions {
                lengths.push(match dimension {
                    Dimension::Fixed(length) => Length::Fixed(*length),
                    Dimension::Member(name) => {
                        let Some(counter) = counter(template, place, &name.bytes) else {
                            log.fault(Fault::BadDimension { name: quote(&name.bytes) }, name.span)?;
                            return Ok(None);
                        };
                        let known = slots.iter().position(|&slot| slot == counter);
                        Length::Slot(known.unwrap_or_else(|| {
                            slots.push(counter);
                            slots.len() - 1
                        }))
                    }
                });
            }
            let nested = match kind {
                ItemKind::Primitive(_) => (1, 0, true),
                ItemKind::Layout(id) => {
                    self.get(id).map_or((0, 0, false), |nested| (nested.fewest, nested.depth + 1, nested.fixed))
                }
            };
            layout.fixed &= nested.2 && lengths.iter().all(|length| matches!(length, Length::Fixed(_)));
            layout.fewest = layout.fewest.saturating_add(nested.0.saturating_mul(fewest_elements(&lengths)));
            layout.depth = layout.depth.max(nested.1);
            let name = member.name.as_ref().map_or_else(String::new, |name| quote(&name.bytes));
            layout.items.push(Item { kind, lengths, name, slot: None });
        }
        if layout.depth > MAX_TEMPLATE_DEPTH || slots.len() > SLOTS {
            log.fault(Fault::TemplateTooLarge { name: quote(&template.name.bytes) }, template.name.span)?;
            return Ok(None);
        }
        for (slot, member) in slots.into_iter().enumerate() {
            if let Some(item) = layout.items.get_mut(member) {
                item.slot = Some(slot);
            }
        }
        layout.flat = self.flat(&layout);
        layout.counted = layout.is_counted(Primitive::Dword);
        layout.keyed = self.is_keyed(&layout);
        Ok(Some(layout))
    }

    /// Returns the common type and number of all values, if fixed.
    fn flat(&self, layout: &Layout) -> Option<(Primitive, usize)> {
        let mut flat: Option<(Primitive, usize)> = None;
        for item in &layout.items {
            let (primitive, each) = match item.kind {
                ItemKind::Primitive(primitive) => (primitive, 1),
                ItemKind::Layout(id) => self.get(id)?.flat?,
            };
            let mut count = each;
            for length in &item.lengths {
                let Length::Fixed(length) = length else { return None };
                count = count.checked_mul(usize::try_from(*length).ok()?)?;
            }
            flat = match flat {
                None => Some((primitive, count)),
                Some((same, before)) if same == primitive => Some((same, before.checked_add(count)?)),
                Some(_) => return None,
            };
        }
        flat
    }

    fn is_keyed(&self, layout: &Layout) -> bool {
        let [time, keys] = &layout.items[..] else { return false };
        let ItemKind::Layout(list) = keys.kind else { return false };
        time.kind == ItemKind::Primitive(Primitive::Dword)
            && time.lengths.is_empty()
            && keys.lengths.is_empty()
            && self.get(list).is_some_and(|list| list.is_counted(Primitive::Float))
    }

    /// True if a file's own layout of a standard type has the same values.
    fn same_shape(&self, standard: LayoutId, own: &Layout) -> bool {
        let Some(standard) = self.get(standard) else { return false };
        if let (Some(standard), Some(own)) = (standard.flat, own.flat) {
            return standard == own;
        }
        let same_item = |(standard, own): (&Item, &Item)| {
            let same_kind = match (standard.kind, own.kind) {
                (ItemKind::Layout(standard), ItemKind::Layout(own)) => {
                    standard == own || self.get(own).is_some_and(|own| self.same_shape(standard, own))
                }
                (standard, own) => standard == own,
            };
            same_kind && standard.lengths == own.lengths
        };
        standard.items.len() == own.items.len() && standard.items.iter().zip(&own.items).all(same_item)
    }
}

/// Returns the index of the member above `place` that counts an array's elements.
fn counter(template: &Template<'_>, place: usize, name: &[u8]) -> Option<usize> {
    template.members.iter().take(place).position(|member| {
        let integer = matches!(&member.kind, MemberKind::Primitive(primitive) if primitive.range().is_some());
        let named = member.name.as_ref().is_some_and(|own| *own.bytes == *name);
        integer && named && member.dimensions.is_empty()
    })
}

/// Returns the minimum number of elements of an array.
pub(super) fn fewest_elements(lengths: &[Length]) -> u64 {
    lengths.iter().fold(1, |product: u64, length| match length {
        Length::Fixed(length) => product.saturating_mul(u64::from(*length)),
        Length::Slot(_) => 0,
    })
}
