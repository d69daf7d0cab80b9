import { type Answer, type Json, type JsonObject, jsonSchema, PawlError, type ViewState } from "@pawl/core";
import { checkBody, checkId, checkInput, id, invalid } from "../check-body.ts";
import { awaitedAnswers, isApproval, type SaidAnswer } from "./answers.ts";
import type { Begin, RequestLimits } from "./dialect.ts";
import { questionOf } from "./question-id.ts";

/** What of a `RunAgentInput` is read. */
export interface AgUiInput {
  threadId: string;
  runId: string;
  protocolVersion?: string;
  messages: JsonObject[];
  resume?: { interruptId: string; status: "resolved" | "cancelled"; payload?: Json }[];
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
 * What an AG-UI client sends. Of its messages only the last ones are read: the user's words, or results of calls that wait
 * for them. Its tools, its state and its context are its own; the agent has what it has.
 */
export async function parseAgUi(
  body: unknown,
  limits: RequestLimits,
): Promise<{ input: AgUiInput; begin(view: ViewState): Begin }> {
  const input = await checkBody(schema, body);
  return { input, begin: (view) => begin(input, view, limits) };
}

function begin({ messages, resume = [] }: AgUiInput, view: ViewState, limits: RequestLimits): Begin {
  const message = newMessage(messages.at(-1), view);
  if (resume.length > 0) return resumed(resume, view, message && said(message, limits));
  if (view.pending.length > 0) {
    const results = toolResults(messages);
    if (results.length > 0) return { answers: awaitedAnswers(view, results) };
    throw new PawlError("session_busy", "This thread waits for answers. Resume it.");
  }
  const last = messages.at(-1);
  if (last?.role === "user") return said(last, limits);
  return { answers: awaitedAnswers(view, toolResults(messages)) };
}

/** Every open question is answered or given up, each by its name. */
function resumed(
  resume: NonNullable<AgUiInput["resume"]>,
  view: ViewState,
  message: Begin | undefined,
): Begin {
  const named = new Map(resume.map((entry) => [questionOf(entry.interruptId), entry]));
  if (view.pending.length === 0) throw noneLeft(named, view);
  const missing = view.pending.find(({ seq }) => !named.has(seq));
  if (missing !== undefined || named.size !== view.pending.length || named.size !== resume.length) {
    throw new PawlError("unknown_call", "A resume names every open question once, and nothing else.");
  }
  if (resume.every(({ status }) => status === "cancelled")) return message ?? { abandon: true };
  if (message !== undefined) throw invalid("Send answers and a message one after the other.");
  const answers = view.pending.map((question): Answer => {
    const { callId, seq } = question;
    const { status, payload = null } = named.get(seq) ?? { status: "cancelled" };
    if (status === "resolved") return { callId, value: payload, question: seq };
    if (isApproval(question)) return { callId, value: { approved: false }, question: seq };
    throw invalid("Some questions were cancelled and others not: answer all of them, or cancel all of them.");
  });
  return { answers };
}

/** Why there is nothing to resume: what a thread asked has a smaller number than what it has come to. */
function noneLeft(named: ReadonlyMap<number | undefined, unknown>, { cursor }: ViewState): PawlError {
  const asked = [...named.keys()].every((seq) => seq !== undefined && seq <= cursor);
  return asked
    ? new PawlError("already_answered", "This question has been answered already.")
    : new PawlError("unknown_call", "There is no such question in this thread.");
}

/** The last message, if it is a user's and not in the log. */
function newMessage(last: JsonObject | undefined, { messages }: ViewState): JsonObject | undefined {
  const known = messages.some(({ id: name }) => name === last?.id);
  return last?.role === "user" && !known ? last : undefined;
}

function said(
  { id: name, content }: JsonObject,
  { maxInputLength }: RequestLimits,
): Begin & { input: string } {
  const input = checkInput(wordsOf(content), maxInputLength);
  return { input, ...(typeof name === "string" && { clientMessageId: checkId(name) }) };
}

function wordsOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts
    .map((part) => {
      const text = part !== null && typeof part === "object" && !Array.isArray(part) ? part : {};
      if (text.type !== "text" || typeof text.text !== "string")
        throw invalid("A message consists of text here.");
      return text.text;
    })
    .join("\n\n");
}

/** Results of calls at the end of the messages: some clients answer so, too. */
function toolResults(messages: readonly JsonObject[]): SaidAnswer[] {
  const after = messages.findLastIndex(({ role }) => role !== "tool");
  return messages.slice(after + 1).flatMap(({ toolCallId: callId, content }) => {
    if (typeof callId !== "string" || typeof content !== "string") return [];
    return [{ callId, value: content, isText: true, fits: (question) => !isApproval(question) }];
  });
}
