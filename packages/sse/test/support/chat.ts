import { AbstractChat as Chat7, DefaultChatTransport as Transport7 } from "ai";
import { AbstractChat as Chat6, DefaultChatTransport as Transport6 } from "ai-6";
import { AbstractChat as Chat6First, DefaultChatTransport as Transport6First } from "ai-6-first";
import { AbstractChat as Chat6Middle, DefaultChatTransport as Transport6Middle } from "ai-6-middle";
import { AbstractChat as Chat7First, DefaultChatTransport as Transport7First } from "ai-7-first";
import { until } from "../../../../test/support/until.ts";
import { answersAreComplete, isLost } from "../../../client/src/ai-sdk.ts";
import type { Served } from "./served.ts";

/** A part of a message, as far as the tests look. */
export interface Part {
  type: string;
  text?: string;
  state?: string;
  toolCallId?: string;
  input?: unknown;
  output?: unknown;
  errorText?: string;
  approval?: { id: string; approved?: boolean; reason?: string };
  callProviderMetadata?: { pawl?: { approval?: unknown; approved?: boolean; reason?: string } };
  providerMetadata?: { pawl?: { citations?: unknown } };
  providerExecuted?: boolean;
}

export interface Message {
  id: string;
  role: string;
  parts: Part[];
  metadata?: unknown;
}

/** What both versions' chats have in common. */
export interface Chat {
  readonly id: string;
  messages: Message[];
  readonly status: string;
  readonly error: Error | undefined;
  sendMessage(message?: { text: string; messageId?: string }): Promise<void>;
  regenerate(): Promise<void>;
  resumeStream(): Promise<void>;
  "~resumeStreamIfDisconnected"(): Promise<void>;
  stop(): Promise<void>;
  addToolOutput(
    answer: { tool: string; toolCallId: string } & (
      | { output: unknown }
      | { state: "output-error"; errorText: string }
    ),
  ): Promise<void>;
  addToolApprovalResponse(answer: { id: string; approved: boolean; reason?: string }): Promise<void>;
}

export interface ChatOptions {
  id?: string;
  as?: string;
  messages?: Message[];
  prepareSendMessagesRequest?: (asked: { id: string; messages: Message[] }) => { body: object };
  fetch?: typeof fetch;
  automatic?: boolean;
  onToolCall?(call: { toolCall: unknown }): void;
}

/** The state that the SDK's framework bindings keep. */
function chatState(messages: Message[]) {
  return {
    status: "ready",
    error: undefined as Error | undefined,
    messages,
    pushMessage(message: Message) {
      this.messages = [...this.messages, message];
    },
    popMessage() {
      this.messages = this.messages.slice(0, -1);
    },
    replaceMessage(index: number, message: Message) {
      this.messages = this.messages.with(index, structuredClone(message));
    },
    snapshot: <T>(thing: T): T => structuredClone(thing),
  };
}

/** Versions of the AI SDK: 6 and 7 are the newest ones of each. */
export type Version = 6 | 7 | "6.0.37" | "6.0.160" | "7.0.0";

/** The real chat of one version over the real transport, as the documentation says to set it up. */
export function chat(version: Version, served: Pick<Served, "url">, options: ChatOptions = {}): Chat {
  const { id = crypto.randomUUID(), as = "ada", messages = [], automatic = true } = options;
  const transport = {
    api: `${served.url}/runs`,
    headers: { authorization: `Bearer ${as}` },
    ...(options.fetch && { fetch: options.fetch }),
    ...(options.prepareSendMessagesRequest && {
      prepareSendMessagesRequest: options.prepareSendMessagesRequest as never,
    }),
  };
  const init = {
    id,
    state: chatState(messages) as never,
    ...(options.onToolCall && { onToolCall: options.onToolCall as never }),
    ...(automatic && { sendAutomaticallyWhen: answersAreComplete }),
  };
  // The first versions refuse every chunk with a field that they do not know.
  const made = {
    6: () => new (class extends Chat6<never> {})({ ...init, transport: new Transport6(transport) as never }),
    7: () => new (class extends Chat7<never> {})({ ...init, transport: new Transport7(transport) as never }),
    "6.0.37": () =>
      new (class extends Chat6First<never> {})({
        ...init,
        transport: new Transport6First(transport) as never,
      }),
    "6.0.160": () =>
      new (class extends Chat6Middle<never> {})({
        ...init,
        transport: new Transport6Middle(transport) as never,
      }),
    "7.0.0": () =>
      new (class extends Chat7First<never> {})({
        ...init,
        transport: new Transport7First(transport) as never,
      }),
  }[version]();
  return made as unknown as Chat;
}

/** What a page loads that is reloaded. */
export async function history(served: Served, id: string, as = "ada"): Promise<Message[]> {
  const body = (await (await served.ask(`/runs/${id}`, { as })).json()) as { messages: Message[] };
  return body.messages;
}

/** The text that a page shows. */
export function textOf(message: Message | undefined): string {
  const shown = (message?.parts ?? []).filter((part) => part.type === "text" && !isLost(part));
  return shown.map(({ text }) => text).join("|");
}

/** The part of a call. */
export function callOf({ messages }: Pick<Chat, "messages">, name: string): Part {
  const parts = messages.flatMap((message) => message.parts);
  const part = parts.findLast(({ type }) => type === `tool-${name}`);
  if (part === undefined) throw new Error(`There is no call of ${name} in ${JSON.stringify(messages)}`);
  return part;
}

/** Waits until something holds, however slow the machine is. If it never does, says `what` there is instead. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  what: () => unknown = () => "",
): Promise<void> {
  await until(holds).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(what())}`);
  });
}
