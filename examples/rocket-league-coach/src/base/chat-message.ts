/** A block of a message, as the Messages API has it: text, thinking with its signature, a call, a result. */
export interface ChatBlock {
  type: string;
  [field: string]: unknown;
}

/** A message of a conversation, as the backend stores it. */
export interface ChatMessage {
  role: "user" | "assistant";
  /** At least one block. Texts are not empty. */
  content_blocks: ChatBlock[];
  /** The message's text alone. Default: the text of its blocks. */
  content_text?: string | undefined;
}

/** Returns the text of a message's blocks, with a blank line between two. */
export function textOf(blocks: readonly ChatBlock[]): string {
  return blocks.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("\n\n");
}
