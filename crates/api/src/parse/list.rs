//! Reads long lists item by item: the tree of an item is freed before the whole list is read, and the items are read on
//! all cores.

#[cfg(not(target_family = "wasm"))]
use super::parallel;
use super::{ObjectReader, limits};
use crate::json::{self, JsonItem, JsonReader};
use crate::tree::{Data, Tree};
use crate::{yaml, yaml_block};

/// The text of one item of a list.
pub(super) trait ItemText: Sync {
    #[cfg_attr(
        target_family = "wasm",
        expect(dead_code, reason = "only threads divide the items by their length")
    )]
    /// Returns the length of the text in bytes.
    fn n_bytes(&self) -> usize;

    /// Parses the item; returns None if it is not a valid value by itself.
    fn read(&self) -> Option<Tree<'_>>;
}

impl ItemText for yaml_block::ItemText<'_> {
    fn n_bytes(&self) -> usize {
        self.1.len()
    }

    fn read(&self) -> Option<Tree<'_>> {
        yaml_block::read_item(*self)
    }
}

impl ItemText for JsonItem<'_> {
    fn n_bytes(&self) -> usize {
        self.text.len()
    }

    fn read(&self) -> Option<Tree<'_>> {
        json::read_item(self)
    }
}

impl ObjectReader {
    /// Decodes a long YAML `List` item by item, so that each item's tree can be freed early. Returns false if the text
    /// is not such a list or has a problem; nothing is changed then, and the caller parses the text as a whole.
    pub(super) fn read_yaml_list(&mut self, text: &str, lines_before: u32) -> bool {
        // A text without a line `items:` is not a list; this test avoids parsing the text twice.
        let is_long =
            text.len() >= limits::MIN_SPLIT_LIST_BYTES && text.lines().any(|line| line.trim_end() == "items:");
        let Some(mut items) = is_long.then(|| self.new_item_reader(lines_before + 1)).flatten() else {
            return false;
        };
        let plain = yaml_block::read_items(text, lines_before, &mut |texts| items.decode_items_on_all_cores(texts));
        let read = plain.or_else(|| {
            items = self.new_item_reader(lines_before + 1)?;
            Some(yaml::read_items(text, lines_before, &mut |item| {
                items.read_object(&item, None)
            }))
        });
        read.is_some_and(|read| match read.documents.as_slice() {
            [list] if read.problems.is_empty() => self.add_list_if_valid(list, items),
            _ => false,
        })
    }

    /// Decodes the items of a list. Returns None if an item cannot be parsed.
    pub(super) fn decode_items<T: ItemText>(&mut self, texts: &[T]) -> Option<()> {
        texts.iter().try_for_each(|text| {
            self.read_object(&text.read()?, None);
            Some(())
        })
    }

    /// Decodes the items of a list on all cores, if the platform has threads. Returns None if an item cannot be parsed.
    fn decode_items_on_all_cores<T: ItemText>(&mut self, texts: &[T]) -> Option<()> {
        #[cfg(not(target_family = "wasm"))]
        return self.decode_items_in_parallel(texts, parallel::available_threads());
        #[cfg(target_family = "wasm")]
        self.decode_items(texts)
    }

    /// Decodes the JSON list at the reader's position and returns a reader positioned after the list; None if the value
    /// there is not a list or has a problem.
    pub(super) fn read_json_list<'t>(&mut self, reader: &mut JsonReader<'t>) -> Option<JsonReader<'t>> {
        let (_, line) = reader.rest_with_line();
        let mut items = self.new_item_reader(line)?;
        let mut fork = reader.fork();
        let list = fork.read_value_splitting_items(&mut |texts| items.decode_items_on_all_cores(texts))?;
        (fork.duplicates.is_empty() && self.add_list_if_valid(&list, items)).then_some(fork)
    }

    /// Creates a reader for the items of a list that begins at `line`; returns None if the text has too many documents.
    fn new_item_reader(&self, line: u32) -> Option<ObjectReader> {
        let mut items = ObjectReader {
            document: self.document,
            // The list itself counts as an object.
            objects: self.objects + 1,
            ..ObjectReader::default()
        };
        items.try_begin_document(line).then_some(items)
    }

    /// Adds the objects of a list's items to the result if the list has no problems. Returns whether they were added.
    fn add_list_if_valid(&mut self, list: &Tree<'_>, mut items: ObjectReader) -> bool {
        let text = |key: &str| list.get(key).and_then(Tree::as_str).unwrap_or("");
        let has_items = list
            .get("items")
            .is_some_and(|items| matches!(items.data, Data::Seq(_)));
        let is_list = has_items && text("kind").ends_with("List") && !text("apiVersion").is_empty();
        // An item without a kind is a problem for this reader. The list is then parsed as a whole, and the item gets
        // its kind from the kind of the list.
        let is_valid = items.parsed.problems.is_empty() && items.objects <= limits::OBJECTS;
        if is_list && is_valid {
            self.document = items.document;
            self.objects = items.objects;
            self.parsed.objects.append(&mut items.parsed.objects);
            self.parsed.others.append(&mut items.parsed.others);
            self.parsed.configs.append(&mut items.parsed.configs);
        }
        is_list && is_valid
    }
}
