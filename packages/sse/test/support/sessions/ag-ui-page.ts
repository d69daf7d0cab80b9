import { HttpAgent as Agent1 } from "@ag-ui/client";
import { HttpAgent as Agent0 } from "@ag-ui/client-0.0.59";
import { questionId } from "../../../src/dialects/base/question-id.ts";
import type { AgEvent, Agent, AgMessage, Interrupt, Version } from "../agents.ts";
import type { Page } from "./page.ts";
import type { LogServer } from "./server.ts";

/** A page of AG-UI with what it has loaded. */
export function agUiPage(
  version: Version,
  server: LogServer,
  loaded: { messages: AgMessage[]; pendingInterrupts: Interrupt[] },
): Page {
  const options = {
    url: "http://pawl/runs",
    threadId: "s",
    initialMessages: loaded.messages as never[],
    fetch: server.fetch as never,
  };
  const made = version === "1.0" ? new ComingBack1(options) : new ComingBack0(options);
  const agent = made as unknown as Agent;
  agent.pendingInterrupts = loaded.pendingInterrupts;
  const tools = [{ name: "offered", description: "x", parameters: {} }];
  // Clients keep the interrupts that they have answered until a run succeeds.
  let kept: readonly Interrupt[] = [];
  let resumed: object[] = [];
  const asked = () => agent.pendingInterrupts.filter((one) => !kept.includes(one));
  const run = async (resume: object[] = []) => {
    const before = agent.pendingInterrupts;
    resumed = resume;
    const onEvent = ({ event }: { event: AgEvent }) => {
      if (event.type === "RUN_ERROR") kept = before;
    };
    await agent.runAgent({ tools, resume } as never, { onEvent }).then(() => undefined, noteClients);
  };
  const cancelled = () =>
    agent.pendingInterrupts.map(({ id: interruptId }) => ({ interruptId, status: "cancelled" }));
  return {
    shown: () => ({
      messages: agent.messages.filter((one) => one.role !== "reasoning" || one.content !== "").map(plain),
      interrupts: asked()
        .map(({ id }) => id)
        .sort(),
    }),
    calls: () => callsOf({ messages: agent.messages, pendingInterrupts: asked() }),
    send: async (message) => {
      agent.addMessage({ id: message.id, role: "user", content: message.text });
      await run(cancelled());
    },
    answer: async (answers) => {
      const isAsked = ({ id }: Interrupt, question: number | undefined) => id === questionId(question ?? 0);
      const resume = answers.flatMap(({ question, value }) =>
        agent.pendingInterrupts.some((one) => isAsked(one, question))
          ? [{ interruptId: questionId(question ?? 0), status: "resolved", payload: value }]
          : [],
      );
      for (const { callId, question, value, error } of answers) {
        if (agent.pendingInterrupts.some((one) => isAsked(one, question))) continue;
        const content = error ?? JSON.stringify(value);
        const result = { id: `own-${callId}`, role: "tool", toolCallId: callId, content };
        agent.addMessage({ ...result, ...(error !== undefined && { error }) } as AgMessage);
      }
      await run(resume);
    },
    // Sends its answers again, if it has given some. What it has cancelled, it drops first.
    retry: async () => {
      const isKept = agent.pendingInterrupts.length > 0;
      const isCancelled = resumed.every((entry) => Object(entry).status === "cancelled");
      if (isKept && isCancelled) await run(cancelled());
      await run(isKept && !isCancelled ? resumed : []);
    },
    connect: async () => await agent.connectAgent({}).then(() => undefined, noteClients),
  };
}

/** Rethrows what is no answer of the server. */
function noteClients(error: unknown): void {
  const text = String(error);
  if (/verif|schema|Cannot send|not addressed|Zod|parse/i.test(text)) throw error;
}

class ComingBack1 extends Agent1 {
  override connectAgent(...asked: Parameters<Agent1["connectAgent"]>) {
    this.pendingInterrupts = [];
    return super.connectAgent(...asked);
  }
  protected override connect(input: Parameters<Agent1["run"]>[0]) {
    return this.run({ ...input, messages: [] });
  }
}

class ComingBack0 extends Agent0 {
  override connectAgent(...asked: Parameters<Agent0["connectAgent"]>) {
    this.pendingInterrupts = [];
    return super.connectAgent(...asked);
  }
  protected override connect(input: Parameters<Agent0["run"]>[0]) {
    return this.run({ ...input, messages: [] });
  }
}

const plain = (message: AgMessage): unknown => JSON.parse(JSON.stringify(message));

/** In the words of `expectedCalls`. */
function callsOf({
  messages,
  pendingInterrupts,
}: Pick<Agent, "messages" | "pendingInterrupts">): ReadonlyMap<string, string> {
  const results = new Map(messages.map(({ toolCallId = "", content }) => [toolCallId, content]));
  const asked = new Map(pendingInterrupts.map(({ toolCallId, id }) => [toolCallId, id]));
  return new Map(
    messages
      .flatMap(({ toolCalls = [] }) => toolCalls)
      .map(({ id, function: { arguments: input } }) => {
        JSON.parse(input);
        const state = asked.has(id) ? `asks ${asked.get(id)}` : (results.get(id) ?? "none");
        return [id, state];
      }),
  );
}
