import { describe, expectTypeOf, it } from "vitest";
import {
  agent,
  type ContentBlock,
  type ContentBlockParam,
  type Hook,
  isText,
  type ModelClient,
  memoryStore,
  runtime,
  textOf,
} from "../../src/index.ts";

const made = agent({ name: "a", model: {} as ModelClient, instructions: "x" });
const pawl = runtime({ agents: [made], store: memoryStore() });

describe("U7 the type of a content block narrows it", () => {
  it("text, thinking, calls and results", () => {
    const of = (block: ContentBlock) => {
      if (block.type === "text") expectTypeOf(block.text).toEqualTypeOf<string>();
      if (block.type === "thinking") expectTypeOf(block.thinking).toEqualTypeOf<string>();
      if (block.type === "tool_use") expectTypeOf(block.name).toEqualTypeOf<string>();
      if (block.type === "tool_result") expectTypeOf(block.tool_use_id).toEqualTypeOf<string>();
      switch (block.type) {
        case "text":
          return block.text.length;
        case "tool_use":
          return block.id.length;
        default:
          return 0;
      }
    };
    expectTypeOf(of).returns.toEqualTypeOf<number>();
  });

  it("and leaves all other blocks with fields that are JSON", () => {
    const of = (block: ContentBlock) => {
      if (block.type === "web_search_tool_result" || block.type === "image") return block.source;
      // A type that no version knows is compared as text.
      return (block.type as string) === "of_2030" ? block.data : null;
    };
    void of;
  });

  it("in an answer, a stored event and a request", async () => {
    const hook: Hook = {
      name: "h",
      afterModel: ({ content }) => {
        const texts = content.map((block) => (block.type === "text" ? block.text.trim() : ""));
        return { content: [{ type: "text", text: texts.join("") }] };
      },
      afterTool: ({ content }) => {
        const [first] = Array.isArray(content) ? content : [];
        return first?.type === "text" ? { content: first.text.trim() } : undefined;
      },
    };
    const model: Pick<ModelClient, "stream"> = {
      async *stream({ messages }) {
        for (const block of messages.flatMap(({ content }) => content))
          if (block.type === "tool_use")
            yield { type: "content_block_start", index: 0, content_block: block };
      },
    };
    void [hook, model];
    for await (const event of pawl.follow("s", {})) {
      if (event.type !== "assistant_message") continue;
      for (const block of event.data.content) if (block.type === "text") void block.text.length;
    }
  });

  it("while blocks of any type are taken", () => {
    const made = [{ type: "text", text: "Hi" }];
    const future: ContentBlockParam = { type: "of_2030", data: 1 };
    void textOf(made);
    if (isText(future)) void future.text.length;
    const hook: Hook = { name: "h", afterTool: () => ({ content: made }) };
    void hook;
  });
});
