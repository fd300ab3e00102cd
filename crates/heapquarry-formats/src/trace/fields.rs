//! The members of events with known names.

use super::members::{Member, Value};

/// Declares the fields, each with its key.
macro_rules! fields {
    ($($field:ident $key:literal)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Field { $($field),+ }

        const KEYS: &[&[u8]] = &[$($key),+];

        impl Field {
            /// The field of that key.
            #[inline]
            pub(super) fn by_key(key: &[u8]) -> Option<Field> {
                match key {
                    $($key => Some(Field::$field),)+
                    _ => None,
                }
            }
        }
    };
}

fields! {
    Ph b"ph"
    Name b"name"
    Cat b"cat"
    Ts b"ts"
    Dur b"dur"
    Tts b"tts"
    Tdur b"tdur"
    Pid b"pid"
    Tid b"tid"
    Id b"id"
    Id2 b"id2"
    Scope b"scope"
    BindId b"bind_id"
    Args b"args"
    S b"s"
    Bp b"bp"
    FlowIn b"flow_in"
    FlowOut b"flow_out"
    Sf b"sf"
    Esf b"esf"
    Ticount b"ticount"
    Tidelta b"tidelta"
    UseAsyncTts b"use_async_tts"
}

impl Field {
    pub(super) fn key(self) -> &'static [u8] {
        KEYS[self as usize]
    }

    pub(super) fn name(self) -> &'static str {
        std::str::from_utf8(self.key()).expect("keys are ASCII")
    }

    /// Whether it has a column of its own. The others are kept in `extra`, and only the analysis needs them.
    #[inline]
    pub(super) fn has_column(self) -> bool {
        (self as usize) < Field::S as usize
    }

    /// A member of that key.
    pub(super) fn member(self, value: Value<'_>) -> Member<'_> {
        Member { key: self.key(), escaped: false, value }
    }
}

/// The values of an event by their fields.
pub(super) struct Values<'e>([Option<Value<'e>>; KEYS.len()]);

impl<'e> Values<'e> {
    #[inline]
    pub(super) fn new() -> Self {
        Values([None; KEYS.len()])
    }

    #[inline]
    pub(super) fn get(&self, field: Field) -> Option<Value<'e>> {
        self.0[field as usize]
    }

    /// Sets a value. Returns the earlier one if the event repeats the field.
    #[inline]
    pub(super) fn replace(&mut self, field: Field, value: Value<'e>) -> Option<Value<'e>> {
        self.0[field as usize].replace(value)
    }
}
