import type { ContentBlock, Json } from "@pawl/core";
import { type ReceivedFiles, receivedFiles } from "@pawl/example-data-parts";
import type { ParsedRequest } from "@pawl/testing";

/** The outcome of one of the coach's calls. */
export interface Outcome {
  tool: string;
  input: { readonly [field: string]: Json | undefined };
  failed: boolean;
  /** The result as JSON, or as text if it is not valid JSON. */
  value: Json;
}

/** The state of a conversation, as the rules need it. All of it is read from one request. */
export interface Scene {
  /** The user's last message, or the text that they typed instead of choosing an option. */
  said: string;
  /** The files that the user has sent. */
  files: ReceivedFiles;
  /** The number of messages from the user. */
  messages: number;
  /** The tool results since the last message. */
  outcomes: Outcome[];
  /** The direction that the user chose, until a file is saved in it. */
  direction: string | undefined;
  /** The type of the session, or its current arc. */
  type: string;
  /** The arc in progress. */
  arc: string | undefined;
  /**
   * The types of files that were saved in this stage. A stage begins with the session, and with each begin or
   * end of an arc.
   */
  saved: string[];
  /** The number of messages from the user in this stage. */
  told: number;
  /** The last pulse check of this stage. */
  pulse: Json | undefined;
}

/** Derives the scene from a request's blocks, in order. */
export function sceneOf(request: ParsedRequest): Scene {
  const type = TYPE.exec(systemText(request))?.[1] ?? "open_conversation";
  const scene: Scene = {
    ...{ said: "", messages: 0, outcomes: [], direction: undefined, files: receivedFiles(request.messages) },
    ...{ type, arc: undefined, saved: [], told: 0, pulse: undefined },
  };
  const calls = new Map<string, ContentBlock>();
  for (const { role, content } of request.messages) {
    const blocks: ContentBlock[] =
      typeof content === "string" ? [{ type: "text", text: content }] : [...content];
    for (const block of blocks) take(scene, calls, role, block);
  }
  return { ...scene, type: scene.arc ?? type };
}

function take(scene: Scene, calls: Map<string, ContentBlock>, role: string, block: ContentBlock): void {
  if (role === "assistant") {
    if (block.type === "tool_use") calls.set(String(block.id), block);
  } else if (block.type === "tool_result") hear(scene, outcomeOf(block, calls));
  else if (block.type === "text" && !isInserted(String(block.text))) listen(scene, String(block.text));
}

/** Finds the type of the session in the user data. */
const TYPE = /<this_session>\s*Type: (\w+)/;

function systemText({ system }: ParsedRequest): string {
  return typeof system === "string" ? system : (system ?? []).map(({ text }) => String(text)).join("\n");
}

function listen(scene: Scene, text: string): void {
  scene.said = text;
  scene.messages += 1;
  scene.told += 1;
  scene.outcomes = [];
}

function hear(scene: Scene, outcome: Outcome): void {
  scene.outcomes.push(outcome);
  if (outcome.failed) return;
  if (outcome.tool === "save_file") {
    scene.direction = undefined;
    scene.saved.push(String(outcome.input.file_type));
  }
  if (outcome.tool === "show_pulse_check") scene.pulse = outcome.value;
  if (outcome.tool === "enter_structured_arc") begin(scene, field(outcome.value, "arc"));
  if (outcome.tool === "complete_session" && outcome.input.type === "arc") begin(scene, undefined);
  if (outcome.tool === "show_options") {
    scene.direction = field(outcome.value, "chosen");
    scene.said = field(outcome.value, "own_words") ?? scene.said;
  }
}

/** Starts a new stage, when an arc begins or ends. */
function begin(scene: Scene, arc: string | undefined): void {
  Object.assign(scene, { arc, saved: [], told: 0, pulse: undefined });
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

/** Returns a text field of a JSON object, if it exists. */
export function field(value: Json | undefined, name: string): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const found = Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof found === "string" ? found : undefined;
}

/** Checks whether Pawl inserted a text, e.g. a note. Such a text is in a tag; the user did not write it. */
function isInserted(text: string): boolean {
  return /^<(note|knowledge|artifact)\b/.test(text);
}
