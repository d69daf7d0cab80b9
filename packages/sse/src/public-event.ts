import type { SessionEvent, StoredOf } from "@pawl/core";

const SILENT = "This did not work.";

/**
 * An event without what is not the client's business: the system prompt and the tools' descriptions, summaries and notes
 * for the model, what hooks have put into a tool's input, and the words and causes of failures, a tool's too, which may
 * name hosts, queries or keys. Every event keeps its place, type and shape.
 */
export function publicEvent<E extends SessionEvent>(event: E): E;
export function publicEvent(event: SessionEvent): SessionEvent {
  switch (event.type) {
    case "prefix":
      return { ...event, data: { prefix_id: event.data.prefix_id, system: [], tools: [] } };
    case "checkpoint": {
      const { summary: _, ...data } = event.data;
      return { ...event, data };
    }
    case "note":
      return { ...event, data: { ...event.data, text: "" } };
    case "tool_started":
    case "tool_suspended":
      return withoutInput(event);
    case "error":
      return {
        ...event,
        data: { code: event.data.code, message: "Something went wrong.", stack: null, context: null },
      };
    case "tool_result": {
      if (event.data.success) return event;
      const { content: _, ...data } = event.data;
      return { ...event, data: { ...data, result: SILENT } };
    }
    default:
      return event;
  }
}

function withoutInput(event: StoredOf<"tool_started" | "tool_suspended">): SessionEvent {
  if (event.type === "tool_started") {
    const { input: _, ...data } = event.data;
    return { ...event, data };
  }
  const { input: _, ...data } = event.data;
  return { ...event, data };
}
