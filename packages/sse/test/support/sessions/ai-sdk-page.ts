import type { Answer } from "@pawl/core";
import { answersAreComplete, isLost } from "../../../../client/src/ai-sdk.ts";
import { chat, type Message, type Part, type Version } from "../chat.ts";
import type { Page } from "./page.ts";
import type { LogServer } from "./server.ts";

/** A page of the AI SDK. `messages`: what it has loaded. */
export function aiSdkPage(version: Version, server: LogServer, messages: Message[]): Page {
  const client = chat(
    version,
    { url: "http://pawl" },
    {
      id: "s",
      messages,
      fetch: server.fetch as typeof fetch,
      automatic: false,
    },
  );
  const parts = () => client.messages.flatMap((message) => message.parts);
  const answerOne = async ({ callId, value, error }: Answer) => {
    const part = parts().findLast(({ toolCallId }) => toolCallId === callId);
    const tool = part?.type.slice("tool-".length) ?? "";
    if (part?.state === "approval-requested")
      await client.addToolApprovalResponse({
        id: part.approval?.id ?? "",
        ...(value as { approved: boolean }),
      });
    else if (error === undefined) await client.addToolOutput({ tool, toolCallId: callId, output: value });
    else await client.addToolOutput({ tool, toolCallId: callId, state: "output-error", errorText: error });
  };
  return {
    shown: () => client.messages.map(shownMessage).filter(hasContent),
    calls: () =>
      new Map(
        parts().flatMap((part) => (part.toolCallId ? [[part.toolCallId, stateOf(part)] as const] : [])),
      ),
    send: async ({ id, text }) =>
      await client.sendMessage({ id, role: "user", parts: [{ type: "text", text }] } as never),
    answer: async (answers) => {
      const asks = parts().filter(
        ({ state, providerExecuted }) =>
          state === "approval-requested" || (state === "input-available" && providerExecuted === false),
      );
      for (const one of answers) await answerOne(one);
      // Pages send by themselves once all is answered, and by a call of their own before.
      const isWhole = asks.every(({ toolCallId }) => answers.some(({ callId }) => callId === toolCallId));
      if (answersAreComplete(client) !== isWhole && asks.length > 0)
        throw new Error(`answersAreComplete() is ${!isWhole}`);
      await client.sendMessage();
    },
    retry: async () => await client.regenerate(),
    connect: async () => await client.resumeStream(),
  };
}

/** Text that became void may have begun a message or a step that has nothing now. */
function hasContent({ role, parts }: Pick<Message, "role" | "parts">): boolean {
  return role === "user" || parts.length > 0;
}

/** Returns whether something of the model follows a part that names its role. */
function isSpoken({ type }: Part, at: number, parts: readonly Part[]): boolean {
  const next = parts[at + 1];
  return type !== "data-role" || (next !== undefined && next.type !== "data-role" && !isNotice(next));
}

const isNotice = (part: Part) => Object(Object(part).providerMetadata?.pawl).notice !== undefined;

function shownMessage({ parts, ...message }: Message): { role: string; parts: Part[] } {
  const clean = (part: Part) => {
    const { approval: _, id: __, ...rest } = JSON.parse(JSON.stringify(part));
    // A page does not say of its own messages that they are complete.
    return message.role === "user" ? { ...rest, state: "done" } : rest;
  };
  const { metadata, ...rest } = JSON.parse(JSON.stringify(message));
  return {
    ...rest,
    // A page does not know when the server has stored its own messages.
    ...(message.role === "assistant" && { metadata }),
    parts: parts
      .filter((part) => part.type !== "step-start" && !isLost(part))
      .filter(isSpoken)
      .map(clean),
  };
}

/** In the words of `expectedCalls`. */
function stateOf({ state = "", providerExecuted, approval, output, errorText }: Part): string {
  if (state === "approval-requested") return `approve ${approval?.id}`;
  if (state === "input-available") return providerExecuted === false ? "asks" : "running";
  if (state === "output-denied") return "denied";
  return state === "output-error" ? `error ${errorText}` : `done ${JSON.stringify(output)}`;
}
