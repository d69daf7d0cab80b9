import type { ContentBlock, Json } from "@pawl/core";
import type { ParsedRequest } from "@pawl/testing";

/** What a tool call of the coach came to. */
export interface Outcome {
  tool: string;
  input: { readonly [field: string]: Json | undefined };
  failed: boolean;
  /** The result as JSON, or the text if it is none. */
  value: Json;
}

/** A conversation as far as the rules look into it: all of it is in the request. */
export interface Scene {
  /** The user's last words: typed, or put in place of an option. */
  said: string;
  /** How many messages the user has written. */
  messages: number;
  /** What tools returned since then. */
  outcomes: Outcome[];
  /** The direction that was chosen and has not led to a file yet. */
  direction: string | undefined;
}

/** Reads a request from its first block to its last. */
export function sceneOf(request: ParsedRequest): Scene {
  const scene: Scene = { said: "", messages: 0, outcomes: [], direction: undefined };
  const calls = new Map<string, ContentBlock>();
  for (const { role, content } of request.messages) {
    const blocks: ContentBlock[] =
      typeof content === "string" ? [{ type: "text", text: content }] : [...content];
    for (const block of blocks) {
      if (role === "assistant") {
        if (block.type === "tool_use") calls.set(String(block.id), block);
      } else if (block.type === "tool_result") hear(scene, outcomeOf(block, calls));
      else if (block.type === "text" && !isInserted(String(block.text))) listen(scene, String(block.text));
    }
  }
  return scene;
}

function listen(scene: Scene, text: string): void {
  scene.said = text;
  scene.messages += 1;
  scene.outcomes = [];
}

function hear(scene: Scene, outcome: Outcome): void {
  scene.outcomes.push(outcome);
  if (outcome.failed) return;
  if (outcome.tool === "save_file") scene.direction = undefined;
  if (outcome.tool === "show_options") {
    scene.direction = field(outcome.value, "chosen");
    scene.said = field(outcome.value, "own_words") ?? scene.said;
  }
}

function outcomeOf(block: ContentBlock, calls: ReadonlyMap<string, ContentBlock>): Outcome {
  const call = calls.get(String(block.tool_use_id));
  return {
    tool: String(call?.name ?? ""),
    input: (call?.input ?? {}) as Outcome["input"],
    failed: block.is_error === true,
    value: parsed(contentText(block.content as Json)),
  };
}

function contentText(content: Json): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content : [];
  return blocks.map((block) => field(block, "text") ?? "").join("");
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** A text field of a JSON object, if it is there. */
export function field(value: Json | undefined, name: string): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const found = value[name];
  return typeof found === "string" ? found : undefined;
}

/** What the library itself put into the conversation stands in tags; it is not the user speaking. */
function isInserted(text: string): boolean {
  return /^<(note|knowledge|artifact)\b/.test(text);
}
