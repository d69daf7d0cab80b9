import { type Json, type JsonObject, jsonSchema } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import { checkBody, checkId, id, invalid } from "../../request/check-body.ts";
import { checkParts, type MessageInput } from "../../request/message-input.ts";
import type { EarlierMessage } from "../../request/read-thread.ts";
import { checkNotCut } from "../base/cut-thread.ts";
import type { Begin, RequestLimits } from "../base/dialect.ts";
import type { AgUiStream } from "./ag-ui-encoder.ts";
import { offeredIn } from "./ag-ui-frontend-tools.ts";
import { type ResumeEntry, resumed } from "./ag-ui-resume.ts";
import { type Again, lacksEnd, nothingNew } from "./ag-ui-thread.ts";
import { toolAnswers, toolMessages } from "./ag-ui-tool-messages.ts";
import { NO_SUGGESTIONS, SUGGEST, toolNames, unreadIn } from "./ag-ui-unread.ts";
import { partsIn } from "./ag-ui-words.ts";

/** The fields of AG-UI's `RunAgentInput` that Pawl reads. */
export interface AgUiInput {
  threadId: string;
  runId: string;
  protocolVersion?: string;
  messages: JsonObject[];
  tools?: Json;
  context?: Json;
  state?: Json;
  forwardedProps?: Json;
  resume?: ResumeEntry[];
}

const schema = jsonSchema<AgUiInput>({
  type: "object",
  properties: {
    threadId: id(200),
    runId: id(200),
    protocolVersion: { type: "string", maxLength: 20 },
    messages: { type: "array", items: { type: "object" } },
    resume: {
      type: "array",
      maxItems: 100,
      items: {
        type: "object",
        properties: { interruptId: id(200), status: { enum: ["resolved", "cancelled"] }, payload: true },
        required: ["interruptId", "status"],
      },
    },
  },
  required: ["threadId", "runId", "messages"],
});

/**
 * A parsed request of an AG-UI client. `begin` decides what the request begins, because that depends on the
 * session.
 */
export interface AgUiRequest {
  threadId: string;
  unread: readonly string[];
  begin(view: ViewState): Promise<Begin>;
  /** Returns the options for this request's stream. Call `begin` first. */
  stream(): AgUiStream;
}

/**
 * Parses the request of an AG-UI client. Reads only the last messages: the user's text, or answers to
 * questions. The ids of earlier messages show whether the client has the whole thread. The client's state is
 * ignored.
 */
export async function parseAgUi(
  body: unknown,
  limits: RequestLimits,
  earlier: readonly EarlierMessage[],
): Promise<AgUiRequest> {
  const input = await checkBody(schema, body);
  const tools = toolNames(input.tools);
  if (tools.length === 1 && tools[0] === SUGGEST) throw invalid(NO_SUGGESTIONS);
  // A client that declares a later version accepts 1.0 too. Clients before 1.0 declared none.
  const client = { runId: input.runId, isOne: input.protocolVersion !== undefined, tools };
  let asked: Asked | undefined;
  return {
    threadId: input.threadId,
    unread: unreadIn(limits.tools === undefined ? input : { ...input, tools: [] }),
    begin: async (view) => {
      asked = await begin(input, earlier, view, limits);
      return asked.begin;
    },
    stream: () => {
      const { restates = false, drops = false, isAnswered = false } = asked ?? {};
      return { ...client, restates, drops, isAnswered };
    },
  };
}

/** What a request begins, and options of the stream that answers it. */
type Asked = Again & Pick<AgUiStream, "restates" | "drops">;

async function begin(
  { messages, resume = [], tools }: AgUiInput,
  earlier: readonly EarlierMessage[],
  view: ViewState,
  limits: RequestLimits,
): Promise<Asked> {
  const offered = limits.tools === undefined ? [] : offeredIn(tools, limits.tools.own);
  const last = messages.at(-1);
  const message = last?.role === "user" && !isKnown(last, view) ? last : undefined;
  const before = [...earlier, ...messages.slice(0, -1)];
  if (message !== undefined) checkNotCut(before, view);
  const results = toolMessages(messages, view);
  // The client has added its own results to the thread. Snapshots replace them with the session's.
  const restates = results.length > 0;
  if (resume.length > 0) {
    const asked = resumed(resume, results, view, message && said(message, limits, offered));
    return { ...asked, restates: restates || asked.restates === true || lacksEnd(before, view) };
  }
  if (message !== undefined)
    return { begin: said(message, limits, offered), restates: lacksEnd(before, view) };
  if (results.length > 0) return { begin: { answers: toolAnswers(results, view) }, restates };
  return { ...(await nothingNew(messages.at(-1), [...earlier, ...messages], view)), restates: true };
}

function isKnown(message: JsonObject, { messages }: ViewState): boolean {
  return messages.some(({ id: name }) => name === message.id);
}

function said(
  { id: name, content }: JsonObject,
  { maxInputLength }: RequestLimits,
  clientTools: ReturnType<typeof offeredIn>,
): Begin & { input: MessageInput } {
  const input = checkParts(partsIn(content), maxInputLength);
  return {
    input,
    ...(typeof name === "string" && { clientMessageId: checkId(name) }),
    ...(clientTools.length > 0 && { clientTools }),
  };
}
