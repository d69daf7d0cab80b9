import { strictModel } from "@pawl/testing";
import { type Served, serve } from "./served.ts";

/** A conversation whose first speaker hands the first message over to `to`; the next one goes there, too. */
export async function handingOver(to: string, options: Parameters<typeof serve>[1]): Promise<Served> {
  const transfer = { id: "c1", name: `transfer_to_${to}`, input: {} };
  const script = [{ text: "One moment.", tools: [transfer] }, { text: "Which seat?" }, { text: "Done." }];
  return await serve(strictModel({ script }), options);
}

/** Of each message of the AI SDK: the types of its parts, and who speaks. */
export function partsWithSpeakers(messages: readonly { parts: readonly { type: string }[] }[]): string[][] {
  return messages.map(({ parts }) =>
    parts.map((part) => (part.type === "data-role" ? Object(part).data.role : part.type)),
  );
}

/** Of each answer in AG-UI: who speaks, and the text. */
export function namedAnswers(messages: readonly object[]): unknown[][] {
  return messages.flatMap((one) => {
    const { role, name, content } = one as Record<string, unknown>;
    return role === "assistant" ? [[name, content]] : [];
  });
}

/** Of each part of Pawl's own messages: its type, and who speaks. */
export function spokenParts(
  messages: readonly { parts: readonly { type: string; role?: string }[] }[],
): string[] {
  return messages.flatMap(({ parts }) => parts.map(({ type, role }) => `${type} ${role}`));
}
