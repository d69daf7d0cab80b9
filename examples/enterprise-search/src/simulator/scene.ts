import type { ParsedRequest } from "@pawl/testing";

/** The parts of a request that the rules read. */
export interface Scene {
  /** The user's last message. */
  said: string;
  /** The last text of each tag since that message. */
  tags: ReadonlyMap<string, string>;
  /** The results since that message, each with the name of its tool. JSON is parsed. */
  results: { tool: string; value: unknown; failed: boolean }[];
}

export function sceneOf({ messages }: ParsedRequest): Scene {
  const scene = { said: "", tags: new Map<string, string>(), results: [] as Scene["results"] };
  const names = new Map<string, string>();
  for (const { role, content } of messages)
    for (const block of typeof content === "string" ? [{ type: "text" as const, text: content }] : content) {
      if (block.type === "tool_use") names.set(String(block.id), String(block.name));
      else if (block.type === "tool_result")
        scene.results.push({
          tool: names.get(String(block.tool_use_id)) ?? "",
          value: contentOf(block.content),
          failed: block.is_error === true,
        });
      else if (role === "user" && block.type === "text") hear(scene, String(block.text).trim());
    }
  return scene;
}

function hear(scene: { said: string; tags: Map<string, string>; results: unknown[] }, text: string): void {
  if (text.startsWith("<")) {
    for (const [tag, inside] of tagsIn(text)) scene.tags.set(tag, inside);
    return;
  }
  scene.said = text;
  scene.results.length = 0;
  scene.tags.clear();
}

/** The texts of a prompt by their tags. */
export function tagsIn(text: string): [tag: string, inside: string][] {
  return [...text.matchAll(/<(\w+)[^>]*>\n?([\s\S]*?)\n?<\/\1>/g)].map(([, tag = "", inside = ""]) => [
    tag,
    inside,
  ]);
}

function contentOf(content: unknown): unknown {
  const text = Array.isArray(content)
    ? content.map((block) => String(Object(block).text ?? "")).join("\n")
    : String(content);
  const inside = tagsIn(text)[0]?.[1] ?? text;
  try {
    return JSON.parse(inside);
  } catch {
    return inside;
  }
}
