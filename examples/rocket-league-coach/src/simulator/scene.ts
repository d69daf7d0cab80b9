import type { ParsedRequest } from "@pawl/testing";

/** The outcome of one of the coach's calls. */
export interface Outcome {
  tool: string;
  failed: boolean;
  /** The result, or the text of the error. */
  value: unknown;
}

/** What the rules know of a conversation, all of it from one request. */
export interface Scene {
  /** The user's last message. */
  said: string;
  /** The replay that the user looks at. */
  replayId: string | undefined;
  /** The results since the user's last message, in order. */
  outcomes: Outcome[];
}

interface Block {
  type: string;
  [field: string]: unknown;
}

export function sceneOf({ messages }: ParsedRequest): Scene {
  const scene: Scene = { said: "", replayId: undefined, outcomes: [] };
  const names = new Map<string, string>();
  for (const { role, content } of messages) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as Block[]);
    for (const block of blocks) {
      if (block.type === "tool_use") names.set(String(block.id), String(block.name));
      else if (block.type === "tool_result") scene.outcomes.push(outcomeOf(block, names));
      else if (block.type === "text" && role === "user") hear(scene, String(block.text));
    }
  }
  return scene;
}

function hear(scene: Scene, text: string): void {
  if (text.startsWith("<")) {
    scene.replayId = /the replay ([\w:-]+)\./.exec(text)?.[1] ?? scene.replayId;
    return;
  }
  scene.said = text;
  scene.outcomes = [];
}

function outcomeOf(block: Block, names: ReadonlyMap<string, string>): Outcome {
  const { content } = block;
  const text = typeof content === "string" ? content : textIn(content);
  const tool = names.get(String(block.tool_use_id)) ?? "";
  return { tool, failed: block.is_error === true, value: json(text) ?? text };
}

function textIn(content: unknown): string {
  return Array.isArray(content) ? content.map((block) => String(Object(block).text ?? "")).join("\n") : "";
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
