//! Requests one after the other: create, apply, patch, scale, label, cordon.

use std::collections::VecDeque;

use super::{Write, complain, error_text, exit, print};
use crate::{Ctx, Input};

/// The state of such a command.
#[derive(Debug, Clone)]
pub(super) struct Writing {
    left: VecDeque<Write>,
    has_failed: bool,
}

impl Writing {
    pub(super) fn new(writes: Vec<Write>) -> Self {
        Self {
            left: writes.into(),
            has_failed: false,
        }
    }
    pub(super) fn handle(&mut self, input: Input, ctx: &mut Ctx<'_>) {
        match input {
            Input::Started => {}
            Input::Answered(_, answer) => {
                let Some(write) = self.left.pop_front() else { return };
                match answer {
                    Ok(object) => {
                        let metadata = object.as_ref().map(podscope_api::Object::metadata);
                        let is_unchanged =
                            |version: &str| metadata.is_some_and(|metadata| &*metadata.resource_version == version);
                        let text = match &write.unchanged {
                            Some((version, text)) if is_unchanged(version) => text.clone(),
                            _ => write.success,
                        };
                        let name = metadata.map_or("", |metadata| &metadata.name);
                        print(ctx, text.replace("{name}", name));
                    }
                    Err(error) => {
                        self.has_failed = true;
                        complain(ctx, error_text(&error, &write.context));
                    }
                }
            }
            Input::Listed { .. } | Input::Changed(_) | Input::Timer(_) => return,
        }
        match self.left.front() {
            Some(write) => {
                ctx.call(write.request.clone());
            }
            None => exit(ctx, self.has_failed),
        }
    }
}
