import { type Agent, checkOptions, type OptionKinds, type Runtime } from "@pawl/core";
import { aiSdkMessages, type UiMessage } from "../dialects/ai-sdk/ai-sdk-messages.ts";
import { type AiSdkOptions, IN_PROGRESS } from "../dialects/ai-sdk/ai-sdk-options.ts";
import { findSession } from "../session/open-session.ts";
import { wholeOf } from "../session/session-reads.ts";
import { agentName } from "./check-dialect.ts";

/** Options of `uiMessages()`. `Name` are the names of the runtime's agents. */
export interface UiMessagesOptions<Name extends string = string> {
  runtime: Runtime<Name>;
  /** The agent of the chat, or its name. */
  agent: NoInfer<Name> | Agent<never, NoInfer<Name>>;
  /** The signed-in user. */
  userId: string;
  /** The chat's id, as the page gives it to `useChat`. */
  id: string;
  /** The `basePath` of the handler, which is in the addresses of files. Default: none. */
  basePath?: string;
  /** What is returned of a message in progress, as in `aiSdk()`. Default: `show`. */
  inProgress?: AiSdkOptions["inProgress"];
}

const OPTIONS: OptionKinds<UiMessagesOptions> = {
  runtime: "object!",
  agent: "any!",
  userId: "string!",
  id: "string!",
  basePath: "string",
  inProgress: IN_PROGRESS,
};

/**
 * Returns the messages of a user's chat for `useChat({ messages })`, e.g. in a server component: what
 * `GET /runs/:id` sends with the dialect `aiSdk()`. Of a message in progress, only the stored parts are
 * included; `resume` streams it again. A new chat has none. Nothing validates the type `Message`.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { uiMessages } from "@pawl/sse";
 * import { scriptedModel } from "@pawl/testing";
 * import type { UIMessage } from "ai";
 *
 * const coach = agent({ name: "coach", model: scriptedModel([]), instructions: "Be kind." });
 * const pawl = runtime({ agents: [coach], store: memoryStore() });
 * const asked = { runtime: pawl, agent: coach, basePath: "/api/coach", userId: "ada", id: "chat-1" };
 * const messages: UIMessage[] = await uiMessages(asked);
 * console.log(messages.length); // 0
 * ```
 */
export async function uiMessages<Message = UiMessage, Name extends string = string>(
  options: UiMessagesOptions<Name>,
): Promise<Message[]> {
  checkOptions("uiMessages()", options, OPTIONS);
  const { runtime, userId, id, basePath } = options;
  const agent = agentName(runtime, options.agent);
  const session = await findSession(runtime, { userId, agent, threadId: id });
  const { signal } = new AbortController();
  const { view, facts } = (await wholeOf({ runtime, basePath, userId, signal }, session)).now;
  return aiSdkMessages(view, id, facts, options.inProgress).messages as Message[];
}
