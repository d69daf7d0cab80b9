import { type Check, integer, listOf, nullable, objectWith, taggedBy, text } from "./checks.ts";

const index = integer(0);
const common = { type: text, cited_text: text };
const ofDocument = { ...common, document_index: index, document_title: nullable(text) };

// Answers have a `file_id` too, also as `null`. The API refuses it in requests.
/** Checks the citations that a text of an answer is sent back with. */
export const citations: Check = nullable(
  listOf(
    taggedBy({
      char_location: objectWith({
        required: { ...ofDocument, start_char_index: index, end_char_index: index },
      }),
      page_location: objectWith({
        required: { ...ofDocument, start_page_number: integer(1), end_page_number: integer(2) },
      }),
      content_block_location: objectWith({
        required: { ...ofDocument, start_block_index: index, end_block_index: index },
      }),
      web_search_result_location: objectWith({
        required: { ...common, url: text, title: nullable(text), encrypted_index: text },
      }),
      search_result_location: objectWith({
        required: {
          ...common,
          search_result_index: index,
          source: text,
          title: nullable(text),
          start_block_index: index,
          end_block_index: index,
        },
      }),
    }),
  ),
);
